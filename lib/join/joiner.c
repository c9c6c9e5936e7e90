/* SPDX-License-Identifier: MIT */
#include "lib/join/joiner.h"

#include "lib/join/band_join.h"
#include "lib/join/equi_join.h"
#include "lib/join/join_job.h"

static gs_code run(gs_join_job *job, gs_join_partners match, gs_status *st)
{
    switch (match) {
    case GS_JOIN_EQUAL: return gs_equi_join_run(job, st);
    case GS_JOIN_BAND: return gs_band_join_run(job, st);
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    return GS_FAIL(st, GS_ERR_ARG, 0, "lines that match in no known way: %d", (int)match);
}

gs_code gs_join_run(const gs_join_options *options, gs_status *st)
{
    gs_join_job job = {0};
    if (gs_join_job_open(&job, options, st) == GS_OK)
        GS_NOTED(run(&job, options->match, st));
    gs_join_job_close(&job);
    return st->code;
}
