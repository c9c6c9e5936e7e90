/* SPDX-License-Identifier: MIT */
/*
 * part_cutter: text in order, cut into parts at splitters as it goes by.
 *
 * Part i holds what is not less than splitter i - 1 and less than splitter i:
 *
 *      splitters        c         g    g         p
 *      text          a b | c d f |           | g g h k | p z
 *      part             0    1         2          3       4
 *
 * So records that are equal to a splitter are behind it, and of a splitter that comes
 * more than once behind the last: whoever cuts other text at the same splitters has its
 * equals in the part with the same number. But where equal records are the same byte for
 * byte (no -u, and no -s with keys), nobody can tell one from another. Those equal to a
 * splitter that comes k > 1 times are then shared out evenly among the k + 1 parts around
 * it, so that a record of which there are many does not fill one part:
 *
 *      text          a b | c d f | g g g g g g | h k | p z
 *      part             0    1 + g g  2: g g   3: g g + h k    4
 *
 * What all parts hold, one behind the other, is the text in both cases.
 *
 * The text comes in blocks that are cut anywhere. A place is looked for by bisection in
 * those that it lies in; what is near the end of a block is kept and seen with the next,
 * since a record may go on there, and keys are read a little beyond it. One thread.
 */
#ifndef GS_LIB_PART_PART_CUTTER_H
#define GS_LIB_PART_PART_CUTTER_H

#include "lib/part/part_splitters.h"

/* Gets whole records of a part; parts come in order, and those without records do not. */
typedef gs_code gs_part_put_fn(void *context, size_t part, const uint8_t *text,
                               size_t bytes, uint64_t records, gs_status *st);

typedef struct gs_part_cutter gs_part_cutter;

/* `splitters` are arranged in this order; both are borrowed. */
GS_MUST_CHECK gs_code gs_part_cutter_new(gs_part_cutter **out,
                                         const gs_part_splitters *splitters,
                                         const gs_order *order, gs_part_put_fn *put,
                                         void *context, gs_status *st);
void gs_part_cutter_free(gs_part_cutter *cut); /* NULL is fine */

GS_MUST_CHECK gs_code gs_part_cutter_take(gs_part_cutter *cut, const uint8_t *text,
                                          size_t bytes, gs_status *st);
/* That was all. */
GS_MUST_CHECK gs_code gs_part_cutter_end(gs_part_cutter *cut, gs_status *st);

#endif
