/* SPDX-License-Identifier: MIT */
/*
 * term_cursor: the terms of an index in their order, from any of them on.
 *
 * Call order: new, seek or first, then next until there is none; free.
 */
#ifndef GS_LIB_INDEX_READ_TERM_CURSOR_H
#define GS_LIB_INDEX_READ_TERM_CURSOR_H

#include "lib/index/read/index_reader.h"

typedef struct gs_term_cursor {
    const gs_index *index;
    const gs_page_checks *pages; /* of the dictionary */
    const uint64_t *prefixes;
    uint64_t block_count;
    uint64_t postings_end, positions_end; /* of those files */
    bool has_positions;
    bool has_term;
    size_t bytes;
    gs_term_info info;
    uint64_t block;         /* the term's */
    unsigned in_block;      /* terms of it so far, this one too */
    const uint8_t *p, *end; /* behind the term */
    uint64_t postings, positions;
    uint64_t only_doc; /* of the last term of the block that has but one */
    uint8_t term[GS_INDEX_TERM_MAX];
} gs_term_cursor;

GS_MUST_CHECK gs_code gs_term_cursor_new(gs_term_cursor **out, const gs_index *index,
                                         gs_status *st);
void gs_term_cursor_free(gs_term_cursor *c); /* NULL is fine */
/* Instead of new and free, for a zeroed one that lies elsewhere. */
void gs_term_cursor_init(gs_term_cursor *c, const gs_index *index);

/* To the first term, or has_term is false. */
GS_MUST_CHECK gs_code gs_term_cursor_first(gs_term_cursor *c, gs_status *st);
/* To the first term that is not less. */
GS_MUST_CHECK gs_code gs_term_cursor_seek(gs_term_cursor *c, const void *term,
                                          size_t bytes, gs_status *st);
/* The same for a caller that knows how many blocks begin with a prefix that is less than
 * the term's. One that is wrong costs time only. */
GS_MUST_CHECK gs_code gs_term_cursor_seek_near(gs_term_cursor *c, uint64_t rank,
                                               const void *term, size_t bytes,
                                               gs_status *st);
GS_MUST_CHECK gs_code gs_term_cursor_next(gs_term_cursor *c, gs_status *st);

/* The term itself; *found is false if the index does not have it. */
GS_MUST_CHECK gs_code gs_term_cursor_find(gs_term_cursor *c, const void *term,
                                          size_t bytes, bool *found, gs_status *st);
/* The number of the term that it stands at, in the order of all terms. */
static inline uint64_t gs_term_cursor_number(const gs_term_cursor *c)
{
    return c->block * GS_INDEX_TERM_BLOCK + c->in_block - 1;
}

/* Whether it stands at this very term. */
bool gs_term_cursor_is_at(const gs_term_cursor *c, const void *term, size_t bytes);

/* The first term of a dictionary block, and where its postings and positions begin, as it
 * says. The bytes stay while the index is open. */
typedef struct gs_dictionary_head {
    const uint8_t *term;
    size_t bytes;
    uint64_t postings, positions;
} gs_dictionary_head;

GS_MUST_CHECK gs_code gs_dictionary_head_read(const gs_index *index, uint64_t block,
                                              gs_dictionary_head *out, gs_status *st);

#endif
