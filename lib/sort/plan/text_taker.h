/* SPDX-License-Identifier: MIT */
/*
 * text_taker: who gets the final text of a sort or merge, in place of an output.
 *
 * Call order: begin, take as often as there is text, end. Calls come one after the other,
 * from whichever thread writes. If a GPU fails half-way, all begins again. Without an end
 * the job has failed. Who has no begin and no end takes text as a pipe does: the header
 * is part of it, and what was taken does not come again.
 */
#ifndef GS_LIB_SORT_PLAN_TEXT_TAKER_H
#define GS_LIB_SORT_PLAN_TEXT_TAKER_H

#include "lib/sort/key/keys.h"

typedef struct gs_text_taker {
    /* NULL, as the last. What was taken so far does not count. The order is there until
     * the end, its keys by numbers; the header, which is no part of the text, is there
     * for this call. */
    gs_code (*begin)(void *context, const gs_order *order, const uint8_t *header,
                     size_t header_bytes, gs_status *st);
    /* More of the text, which may be cut anywhere: records in order, lines with an end.
     */
    gs_code (*take)(void *context, const uint8_t *text, size_t bytes, gs_status *st);
    /* That was all, and what was to be verified is. */
    gs_code (*end)(void *context, gs_status *st);
    void *context;
} gs_text_taker;

#endif
