/* SPDX-License-Identifier: MIT */
/*
 * api_files: the options of a job on files and descriptors as gpusort.h has them, as
 * those of ours, for as long as the job takes.
 *
 * Call order: open, the work with sort.options, close. One thread.
 */
#ifndef GS_LIB_API_API_FILES_H
#define GS_LIB_API_API_FILES_H

#include "lib/api/api_inputs.h"
#include "lib/api/api_order.h"
#include "lib/api/api_taker.h"

typedef struct gs_api_files {
    gs_api_sort sort;
    gs_api_inputs inputs;
    gs_api_taker function; /* of the caller's, that gets the output, */
    gs_text_taker taker;   /* as the sort knows it */
} gs_api_files;

/* Closed also after a failure. */
GS_MUST_CHECK gs_code gs_api_files_open(gs_api_files *f,
                                        const gpusort_sort_options *options,
                                        gs_status *st);
/* A descriptor that could not be read to its end is a failure, if there was none. */
void gs_api_files_close(gs_api_files *f, gs_status *st);

/* All of that: `work` while the files are open, and pipes that somebody closes are a
 * failure of it, unless the program is to end by that. `error' may be NULL. */
typedef gs_code gs_api_files_fn(void *context, const gs_sort_options *options,
                                gs_status *st);
gpusort_code gs_api_files_run(const gpusort_sort_options *options, gs_api_files_fn *work,
                              void *context, gpusort_error *error);

#endif
