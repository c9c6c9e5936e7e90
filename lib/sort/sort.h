/* SPDX-License-Identifier: MIT */
/*
 * sort: the whole job, from names of inputs to a finished output.
 *
 * gs_sort_run reads, sorts, spills and merges; gs_sort_merge merges inputs that are
 * sorted already (-m); gs_sort_check tells whether one input is in order (-c).
 * Call from one thread; the workers are inside. All options are borrowed.
 */
#ifndef GS_LIB_SORT_SORT_H
#define GS_LIB_SORT_SORT_H

#include "lib/sort/plan/plans.h"

GS_MUST_CHECK gs_code gs_sort_run(const gs_sort_options *options, gs_status *st);
GS_MUST_CHECK gs_code gs_sort_merge(const gs_sort_options *options, gs_status *st);

typedef struct gs_sort_disorder {
    bool found;
    uint64_t line_number; /* of the line that is out of place, from 1 */
    uint8_t *line;        /* its bytes, from gs_mem_new: the caller frees */
    size_t line_bytes;
} gs_sort_disorder;

/* Exactly one input. With order.unique equal neighbours are disorder too. */
GS_MUST_CHECK gs_code gs_sort_check(const gs_sort_options *options, gs_sort_disorder *out,
                                    gs_status *st);

#endif
