/* SPDX-License-Identifier: MIT */
/*
 * splitter_order: the records of a sample in the order asked for, as their numbers.
 *
 * Zeroed at first but for bytes_max; make once; release. Records that are equal stand as
 * the sample has them.
 */
#ifndef GS_LIB_PART_SPLITTER_ORDER_H
#define GS_LIB_PART_SPLITTER_ORDER_H

#include "lib/part/sample_pick.h"
#include "lib/sort/key/keys.h"

typedef struct gs_splitter_order {
    size_t bytes_max; /* that it may take */
    size_t *numbers;
    size_t count;
} gs_splitter_order;

/* `names` of the inputs, for messages. */
GS_MUST_CHECK gs_code gs_splitter_order_make(gs_splitter_order *out,
                                             const gs_order *order,
                                             const gs_sample_pick *sample,
                                             const char *const *names, gs_status *st);
void gs_splitter_order_release(gs_splitter_order *o);

#endif
