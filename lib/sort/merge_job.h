/* SPDX-License-Identifier: MIT */
/*
 * merge_job: a sort whose input is in order already, or some stretches that are: they are
 * merged (lib/sort/text/stretches.h), which takes no memory, no runs and little more time
 * than a copy.
 */
#ifndef GS_LIB_SORT_MERGE_JOB_H
#define GS_LIB_SORT_MERGE_JOB_H

#include <stdbool.h>

#include "io/output.h"
#include "lib/sort/plan/plans.h"

/* Not worth a look at less text. Builds that are for testing do it sooner. */
#ifndef GS_STRETCHES_TEXT_MIN
#define GS_STRETCHES_TEXT_MIN ((uint64_t)8 << 20)
#endif

/* *is_done if the input was such, and the output is complete. Else nothing was written
 * to it. */
GS_MUST_CHECK gs_code gs_sort_stretches(const gs_sort_options *options, gs_output *output,
                                        bool *is_done, gs_status *st);

#endif
