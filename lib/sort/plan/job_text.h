/* SPDX-License-Identifier: MIT */
/*
 * job_text: what decides the result of a job, as lines of "NAME: VALUE", for a checkpoint
 * (lib/sort/run/checkpoint.h) to compare and to show.
 */
#ifndef GS_LIB_SORT_PLAN_JOB_TEXT_H
#define GS_LIB_SORT_PLAN_JOB_TEXT_H

#include <stdio.h>

#include "lib/base/status.h"

typedef void gs_job_text_fn(FILE *to, const void *context);

/* What `put` prints. From gs_mem: the caller frees. */
GS_MUST_CHECK gs_code gs_job_text(char **out, gs_job_text_fn *put, const void *context,
                                  gs_status *st);

#endif
