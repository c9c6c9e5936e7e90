/* SPDX-License-Identifier: MIT */
/*
 * posting_cursor: the postings of one term, a block of at most 128 at a time.
 *
 * Call order: start, then block until count is 0 (or seek, which leaves blocks out), and
 * after a block perhaps positions for each of its postings in order. release.
 */
#ifndef GS_LIB_INDEX_READ_POSTING_CURSOR_H
#define GS_LIB_INDEX_READ_POSTING_CURSOR_H

#include <endian.h>
#include <string.h>

#include "lib/index/read/posting_skip.h"

typedef struct gs_posting_cursor {
    const gs_index *index;
    const gs_page_checks *pages;        /* of postings */
    const uint8_t *p, *end;             /* blocks and tail that are left */
    gs_posting_skips skips;             /* entries that are left */
    const uint8_t *places, *places_end; /* positions of the block; NULL: none kept */
    const uint8_t *next_places;         /* of the block after it */
    const uint8_t *checked_places;      /* up to there their pages hold */
    uint64_t left;                      /* postings behind the block */
    uint64_t last_doc;                  /* of the blocks so far */
    bool has_doc;
    uint64_t document_count;

    size_t count; /* of the block */
    uint64_t docs[GS_INDEX_BLOCK];
    uint64_t tfs[GS_INDEX_BLOCK]; /* unless they are left packed */
    const uint8_t *packed_tfs;    /* NULL: they are not */
    unsigned tf_bits;
    bool has_skip; /* the block is packed and has an entry; the last postings have none */
    bool is_found; /* the next block is known, not read */
    gs_posting_skip skip; /* of the block; of the next one, if that is found */

    uint32_t *positions; /* of the posting asked for last */
    size_t position_count, position_capacity;
} gs_posting_cursor;

GS_MUST_CHECK gs_code gs_posting_cursor_start(gs_posting_cursor *c, const gs_index *index,
                                              const gs_term_info *info, gs_status *st);
void gs_posting_cursor_release(gs_posting_cursor *c); /* a zeroed one is fine */

/* The next block; count is 0 behind the last. */
GS_MUST_CHECK gs_code gs_posting_cursor_block(gs_posting_cursor *c, gs_status *st);
/* The next block that may have a docID of at least `doc`, the present one excepted. Its
 * frequencies are left packed. */
GS_MUST_CHECK gs_code gs_posting_cursor_seek(gs_posting_cursor *c, uint64_t doc,
                                             gs_status *st);
/* Goes to the block that seek would take, and leaves it unread: its entry is in `skip`.
 * Not is_found: only the postings without an entry, if any, may have such a docID. */
GS_MUST_CHECK gs_code gs_posting_cursor_find(gs_posting_cursor *c, uint64_t doc,
                                             gs_status *st);
/* The frequency of posting i of the block, packed or not: what the file says now. */
static inline uint64_t gs_posting_cursor_tf(const gs_posting_cursor *c, size_t i)
{
    if (c->packed_tfs == NULL)
        return c->tfs[i];
    uint64_t word;
    const size_t at = i * c->tf_bits;
    memcpy(&word, c->packed_tfs + at / 8, sizeof word);
    word = gs_index_once(word);
    return (le64toh(word) >> (at % 8) & ((UINT64_C(1) << c->tf_bits) - 1)) + 1;
}

/* Positions of posting i of the block, position_count of them, in c->positions; i = 0, 1,
 * 2, ... */
GS_MUST_CHECK gs_code gs_posting_cursor_positions(gs_posting_cursor *c, size_t i,
                                                  gs_status *st);
/* The same, but they are only checked: c->places moves to behind them. */
GS_MUST_CHECK gs_code gs_posting_cursor_pass_positions(gs_posting_cursor *c, size_t i,
                                                       gs_status *st);

#endif
