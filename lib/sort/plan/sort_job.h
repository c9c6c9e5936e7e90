/* SPDX-License-Identifier: MIT */
/*
 * sort_job: what decides the result of a sort, as lines of text to compare and to show.
 *
 * Not in it is what may be another one when a sort goes on: memory, threads, folders, and
 * where and how the output is written.
 */
#ifndef GS_LIB_SORT_PLAN_SORT_JOB_H
#define GS_LIB_SORT_PLAN_SORT_JOB_H

#include "lib/sort/plan/sort_options.h"

/* From gs_mem: the caller frees. */
GS_MUST_CHECK gs_code gs_sort_job_text(char **out, const gs_sort_options *options,
                                       gs_status *st);

#endif
