/* SPDX-License-Identifier: MIT */
#include "lib/join/joiner.h"

#include "lib/join/band_join.h"
#include "lib/join/equi_join.h"
#include "lib/join/join_job.h"

gs_code gs_join_run(const gs_join_options *options, gs_status *st)
{
    gs_join_job job = {0};
    if (gs_join_job_open(&job, options, st) == GS_OK)
        GS_NOTED(options->is_band ? gs_band_join_run(&job, st)
                                  : gs_equi_join_run(&job, st));
    gs_join_job_close(&job);
    return st->code;
}
