/* SPDX-License-Identifier: MIT */
/*
 * mapped_piece: a piece of a mapped merge, from where it is in the texts to a piece of
 * the sink: merged, copied where all of it is of one text, or turned round.
 *
 * One thread has one, for one piece after the other: init, and for each piece begin[],
 * end[] and what of the pages are set, then merge; release. For mapped_merge.c only.
 */
#ifndef GS_LIB_SORT_TEXT_MAPPED_PIECE_H
#define GS_LIB_SORT_TEXT_MAPPED_PIECE_H

#include "lib/sort/text/line_merge.h"
#include "lib/sort/text/mapped_state.h"

typedef struct gs_mapped_piece {
    gs_mapped_merge *m;
    unsigned number; /* of the thread */
    uint64_t piece_number;
    gs_multiset records;          /* of the piece, as many as were read */
    const uint8_t **begin, **end; /* of the piece in each text; one array, with */
    const uint8_t **left;         /* before what it is left already, */
    const uint8_t **bring;        /* from where on it is brought, up to */
    const uint8_t **bring_end;    /* here, and */
    const uint8_t **leave;        /* from where to `begin` pages are left */
    gs_text_cursor *cursors;
    gs_merge_tree tree;
    gs_line_merge lines; /* in place of those two, where it can be */
    gs_sink_piece *piece;
    uint8_t *kept_string; /* of a keyed line, for a witness */
    size_t kept_room;
} gs_mapped_piece;

/* `m` and `number` are set, all else is zero. Release it also after a failure. */
GS_MUST_CHECK gs_code gs_mapped_piece_init(gs_mapped_piece *w, gs_status *st);
void gs_mapped_piece_release(gs_mapped_piece *w);

/* *is_sorted is false if a line was out of place; what was made then is to be forgotten.
 */
GS_MUST_CHECK gs_code gs_mapped_piece_merge(gs_mapped_piece *w, bool *is_sorted,
                                            gs_status *st);

/* Who sorts promises every record, also of a file that somebody writes to. */
GS_MUST_CHECK gs_code gs_mapped_fail_not_all(const gs_mapped_merge *m, size_t text,
                                             gs_status *st);
/* What was guessed to be in order is not. */
GS_MUST_CHECK gs_code gs_mapped_fail_guess(gs_mapped_merge *m, gs_status *st);

#endif
