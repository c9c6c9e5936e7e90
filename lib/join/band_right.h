/* SPDX-License-Identifier: MIT */
/*
 * band_right: the right lines of a band join, kept in the order of their numbers.
 *
 *      shelf     | 3 3 7 9 | 9 12 15 | 20 ... |       in memory, the rest in a file
 *      index     | 3, 0    | 9, 4    | 20, 7  |       first number and line of each block
 *      seen      |  1 1 0 0  0  1  1    0 ... |       a bit a line: has it a partner?
 *
 * Where pairs are shown, a line is kept as what it adds to them (join_pair.h). It is
 * filled by many threads (band_fill.h); then many look, each through places of its own.
 */
#ifndef GS_LIB_JOIN_BAND_RIGHT_H
#define GS_LIB_JOIN_BAND_RIGHT_H

#include <stdatomic.h>

#include "lib/join/join_format.h"
#include "lib/join/join_shelf.h"

typedef struct gs_band_entry {
    gs_join_number number;
    uint64_t line;
} gs_band_entry;

/* Zeroed at first, but for what is borrowed. */
typedef struct gs_band_right {
    const gs_join_format *format;
    gs_join_shelf shelf;
    gs_band_entry *index;
    size_t index_count, index_capacity;
    _Atomic uint64_t *seen; /* NULL: nobody asks */
} gs_band_right;

/* All are there: makes the bits if lines without a partner are shown. */
GS_MUST_CHECK gs_code gs_band_right_end(gs_band_right *right, gs_status *st);
void gs_band_right_release(gs_band_right *right);
/* Of memory that it holds. */
size_t gs_band_right_bytes(const gs_band_right *right);

/* A place: on a line, or behind the last. Zeroed, it is on the first. */
typedef struct gs_band_place {
    gs_join_reader reader;
    size_t block, at; /* where the line begins */
    uint64_t line;
    bool is_loaded;
    /* If it is: */
    bool has_line;
    gs_join_number number;
    const uint8_t *made; /* its parts; NULL: none were made */
    const uint8_t *text; /* the line itself, if none were made or they do not do */
    size_t text_bytes;
} gs_band_place;

/* What stands before what is kept of a line. */
typedef struct gs_band_kept_head {
    uint64_t number[2];  /* its bytes */
    uint64_t made_bytes; /* GS_BAND_NOT_MADE: only the line is there */
} gs_band_kept_head;

#define GS_BAND_NOT_MADE UINT64_MAX

/* Loads what the place is on. */
GS_MUST_CHECK static inline gs_code
gs_band_place_load(gs_band_place *p, const gs_band_right *right, gs_status *st)
{
    gs_join_kept kept;
    gs_band_kept_head head;
    if (p->is_loaded)
        return GS_OK;
    p->reader.block = p->block;
    p->reader.at = p->at;
    GS_TRY(gs_join_reader_next(&p->reader, &right->shelf, &kept, &p->has_line, st));
    p->is_loaded = true;
    if (!p->has_line)
        return GS_OK;
    /* Where it was at the end of a block, it is at the begin of the next one. */
    p->block = p->reader.block;
    p->at = (size_t)(kept.key - p->reader.bytes) - sizeof(gs_join_kept_head);
    memcpy(&head, kept.key, sizeof head);
    const bool is_made = head.made_bytes != GS_BAND_NOT_MADE;
    const size_t made_bytes = is_made ? (size_t)head.made_bytes : 0;
    memcpy(&p->number, head.number, sizeof p->number);
    p->made = is_made ? kept.line : NULL;
    p->text = kept.line + made_bytes;
    p->text_bytes = kept.line_bytes - made_bytes;
    return GS_OK;
}
/* To the next line of one that is loaded. */
static inline void gs_band_place_step(gs_band_place *p)
{
    p->block = p->reader.block;
    p->at = p->reader.at;
    p->line++;
    p->is_loaded = false;
}
/* To the first line from there on that has no smaller number. */
GS_MUST_CHECK gs_code gs_band_place_seek(gs_band_place *place, const gs_band_right *right,
                                         gs_join_number number, gs_status *st);
/* To where another is. */
void gs_band_place_go_to(gs_band_place *place, const gs_band_place *other);
void gs_band_place_release(gs_band_place *place);

static inline void gs_band_right_see(const gs_band_right *right, uint64_t line)
{
    atomic_fetch_or_explicit(&right->seen[line / 64], (uint64_t)1 << (line % 64),
                             memory_order_relaxed);
}
static inline bool gs_band_right_is_seen(const gs_band_right *right, uint64_t line)
{
    return atomic_load(&right->seen[line / 64]) >> (line % 64) & 1;
}

#endif
