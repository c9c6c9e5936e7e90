/* SPDX-License-Identifier: MIT */
/*
 * posting_skip: the skip entries of a posting list, one after the other.
 *
 * They tell of every block where it ends and what its postings can add to a score, so
 * that blocks can be left out unread. The postings behind the last block have no entry.
 */
#ifndef GS_LIB_INDEX_READ_POSTING_SKIP_H
#define GS_LIB_INDEX_READ_POSTING_SKIP_H

#include "lib/index/format/formats.h"
#include "lib/index/read/index_reader.h"

/* What an entry says of its block. */
typedef struct gs_posting_skip {
    uint64_t last_doc, bytes, positions_bytes;
    const uint8_t *impacts; /* what it can add to a score, as written */
    unsigned impact_count;
} gs_posting_skip;

typedef struct gs_posting_skips {
    const gs_index *index;
    const uint8_t *p, *end;
    uint64_t left;     /* postings behind the blocks so far */
    uint64_t last_doc; /* of the blocks so far */
    uint64_t document_count, doc_bound;
    const uint8_t *impacts; /* of the whole list, as written */
    unsigned impact_count;  /* 0: it has no block */
    bool has_positions;
} gs_posting_skips;

GS_MUST_CHECK gs_code gs_posting_skips_start(gs_posting_skips *s, const gs_index *index,
                                             const gs_term_info *info, gs_status *st);

/* Is there one more block? */
static inline bool gs_posting_skips_has_next(const gs_posting_skips *s)
{
    return s->left >= GS_INDEX_BLOCK;
}

/* Its entry. That docIDs are below the number of documents was checked. */
GS_MUST_CHECK gs_code gs_posting_skips_next(gs_posting_skips *s, gs_posting_skip *skip,
                                            gs_status *st);

#endif
