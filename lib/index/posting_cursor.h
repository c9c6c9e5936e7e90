/* SPDX-License-Identifier: MIT */
/*
 * posting_cursor: the postings of one term, a block of at most 128 at a time.
 *
 * Call order: start, then block until count is 0 (or seek, which leaves blocks out), and
 * after a block perhaps positions for each of its postings in order. release.
 */
#ifndef GS_LIB_INDEX_POSTING_CURSOR_H
#define GS_LIB_INDEX_POSTING_CURSOR_H

#include "lib/index/index_reader.h"

typedef struct gs_posting_cursor {
    const gs_index *index;
    const uint8_t *p, *end;             /* blocks and tail that are left */
    const uint8_t *skip, *skip_end;     /* entries that are left */
    const uint8_t *places, *places_end; /* positions of the block; NULL: none kept */
    const uint8_t *next_places;         /* of the block after it */
    uint64_t left;                      /* postings behind the block */
    uint64_t last_doc;                  /* of the blocks so far */
    bool has_doc;
    uint64_t document_count;

    size_t count; /* of the block */
    uint64_t docs[GS_INDEX_BLOCK];
    uint64_t tfs[GS_INDEX_BLOCK];
    uint64_t tf_most;      /* of the block; 0 for the tail: not known */
    const uint8_t *packed; /* the block as it lies there, up to p; NULL for the tail */

    uint32_t *positions; /* of the posting asked for last */
    size_t position_capacity;
} gs_posting_cursor;

GS_MUST_CHECK gs_code gs_posting_cursor_start(gs_posting_cursor *c, const gs_index *index,
                                              const gs_term_info *info, gs_status *st);
void gs_posting_cursor_release(gs_posting_cursor *c); /* a zeroed one is fine */

/* The next block; count is 0 behind the last. */
GS_MUST_CHECK gs_code gs_posting_cursor_block(gs_posting_cursor *c, gs_status *st);
/* The next block that may have a docID of at least `doc`, the present one excepted. */
GS_MUST_CHECK gs_code gs_posting_cursor_seek(gs_posting_cursor *c, uint64_t doc,
                                             gs_status *st);
/* Positions of posting i of the block, in c->positions; i = 0, 1, 2, ... */
GS_MUST_CHECK gs_code gs_posting_cursor_positions(gs_posting_cursor *c, size_t i,
                                                  gs_status *st);
/* The same, but they are only checked: c->places moves to behind them. */
GS_MUST_CHECK gs_code gs_posting_cursor_pass_positions(gs_posting_cursor *c, size_t i,
                                                       gs_status *st);

#endif
