/* SPDX-License-Identifier: MIT */
/*
 * key_field: where the fields of a line are, and the keys in them.
 *
 * Of a short line all boundaries of fields are found at once, a bit each:
 *
 *      line       a l p h a , b e t a , g a m m a
 *      ahead      . . . . . 1 . . . . 1 . . . . .     field 1 begins behind the first
 *
 *      line           a l p h a     b e t a           without a delimiter fields begin
 *      ahead      . . . . . . . 1 . . . . . .         with the blanks before them
 */
#ifndef GS_LIB_SORT_KEY_KEY_FIELD_H
#define GS_LIB_SORT_KEY_KEY_FIELD_H

#include <string.h>

#include "lib/encode/key_text.h"
#include "lib/sort/record/records.h"
#include "lib/sort/key/order.h"

/* Inlined, so that the walk over a line stays in registers. */
#define GS_KEY_INLINE inline __attribute__((always_inline))

/* --- any line ----------------------------------------------------------------------- */

/* How far the fields of a line have been passed: keys mostly come from left to right. */
typedef struct gs_field_walk {
    const uint8_t *line, *end;
    int delimiter;
    size_t field;        /* `at` is where this one begins */
    const uint8_t *at;   /* `end` if there are fewer */
    uint64_t delimiters; /* in the first 64 bytes of the line, a bit each */
    uint64_t ahead;      /* those of them that are not before `at` */
} gs_field_walk;

/* The first `c` in [p, end), or end. Eight bytes at a time. */
static inline const uint8_t *gs_field_find_byte(const uint8_t *p, const uint8_t *end,
                                                uint8_t c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t want = ones * c;
    while (p < end) {
        uint64_t word;
        memcpy(&word, p, sizeof word); /* the slack may be read */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
#endif
        word ^= want;
        const uint64_t found = (word - ones) & ~word & (ones << 7);
        if (found != 0) {
            p += (size_t)__builtin_ctzll(found) / 8;
            return p < end ? p : end;
        }
        p += 8;
    }
    return end;
}

/* The first blank, or end. */
static inline const uint8_t *gs_skip_nonblanks(const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
    for (; p < end; p += 16) { /* the slack may be read */
        const __m128i text = gs_load_16(p);
        const __m128i found =
            _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8(' ')),
                         _mm_or_si128(_mm_cmpeq_epi8(text, _mm_set1_epi8('\t')),
                                      _mm_cmpeq_epi8(text, _mm_set1_epi8('\n'))));
        const unsigned mask = (unsigned)_mm_movemask_epi8(found);
        if (mask != 0) {
            p += __builtin_ctz(mask);
            return p < end ? p : end;
        }
    }
    return end;
#else
    while (p < end && !gs_text_is_blank(*p))
        p++;
    return p;
#endif
}

/* The delimiter that ends the field which begins at `at`, or the end. */
static inline const uint8_t *gs_field_delimiter(const gs_field_walk *w)
{
    if (w->ahead != 0)
        return w->line + __builtin_ctzll(w->ahead);
    const uint8_t *const unseen = w->line + 64;
    if (unseen >= w->end)
        return w->end;
    return gs_field_find_byte(w->at > unseen ? w->at : unseen, w->end,
                              (uint8_t)w->delimiter);
}

/* Moves to the beginning of `field`: behind the delimiter, or, without one, at the blanks
 * that belong to the field. */
static GS_KEY_INLINE void gs_field_walk_to(gs_field_walk *w, size_t field)
{
    if (field < w->field) {
        w->field = 0;
        w->at = w->line;
        w->ahead = w->delimiters;
    }
    if (w->delimiter == GS_ORDER_BLANK_FIELDS) {
        for (; w->field < field && w->at < w->end; w->field++)
            w->at = gs_skip_nonblanks(gs_text_skip_blanks(w->at, w->end), w->end);
    } else {
        for (; w->field < field && w->at < w->end; w->field++) {
            w->at = gs_field_delimiter(w);
            w->at += w->at < w->end;
            w->ahead &= w->ahead - 1;
        }
    }
    w->field = field;
}

static inline const uint8_t *gs_field_advance(const uint8_t *p, const uint8_t *end,
                                              size_t bytes)
{
    return (size_t)(end - p) < bytes ? end : p + bytes;
}

static GS_KEY_INLINE const uint8_t *gs_field_begin(gs_field_walk *w, const gs_key *key)
{
    gs_field_walk_to(w, key->start_field);
    const uint8_t *p = w->at;
    if (key->skip_start_blanks)
        p = gs_text_skip_blanks(p, w->end);
    return gs_field_advance(p, w->end, key->start_char);
}

static GS_KEY_INLINE const uint8_t *gs_field_limit(gs_field_walk *w, const gs_key *key)
{
    if (key->end_field == SIZE_MAX)
        return w->end;
    if (key->end_char == 0) {
        if (w->delimiter == GS_ORDER_BLANK_FIELDS) {
            gs_field_walk_to(w, key->end_field + 1);
            return w->at;
        }
        gs_field_walk_to(w, key->end_field);
        return w->at < w->end ? gs_field_delimiter(w) : w->end;
    }
    gs_field_walk_to(w, key->end_field);
    const uint8_t *p = w->at;
    if (key->skip_end_blanks)
        p = gs_text_skip_blanks(p, w->end);
    return gs_field_advance(p, w->end, key->end_char);
}

static GS_KEY_INLINE gs_field_walk gs_field_start(const gs_order *order,
                                                  const uint8_t *line, size_t bytes)
{
    gs_field_walk w = {
        .line = line, .end = line + bytes, .delimiter = order->delimiter, .at = line};
    if (order->delimiter != GS_ORDER_BLANK_FIELDS && bytes > 0) {
        w.delimiters =
            gs_line_mask(line, (uint8_t)order->delimiter); /* within the slack */
        if (bytes < 64)
            w.delimiters &= UINT64_MAX >> (64 - bytes);
        w.ahead = w.delimiters;
    }
    return w;
}

/* --- short lines ------------------------------------------------------------------- */

enum { GS_SHORT_LINE_BYTES = 63 };

typedef struct gs_short_walk {
    uint64_t boundaries; /* of fields */
    uint64_t ahead;      /* those that have not been passed */
    size_t field;        /* begins at `at` */
    size_t at, bytes;    /* in the line; of it */
    bool is_blank;       /* a boundary is the field's first blank, not before it */
} gs_short_walk;

static GS_KEY_INLINE gs_short_walk gs_short_start(const gs_order *order,
                                                  const uint8_t *line, size_t bytes,
                                                  bool has_fields)
{
    gs_short_walk w = {.bytes = bytes,
                       .is_blank = order->delimiter == GS_ORDER_BLANK_FIELDS};
    if (!has_fields)
        return w;
    if (w.is_blank) {
        const uint64_t blanks = gs_short_mask(line, bytes, ' ') |
                                gs_short_mask(line, bytes, '\t') |
                                gs_short_mask(line, bytes, '\n');
        w.boundaries = blanks & ~(blanks << 1 | 1);
    } else {
        w.boundaries = gs_short_mask(line, bytes, (uint8_t)order->delimiter);
    }
    w.ahead = w.boundaries;
    return w;
}

static GS_KEY_INLINE void gs_short_walk_to(gs_short_walk *w, size_t field)
{
    if (field < w->field) {
        w->field = w->at = 0;
        w->ahead = w->boundaries;
    }
    for (; w->field < field; w->field++) {
        if (w->ahead == 0) {
            w->at = w->bytes;
            w->field = field;
            return;
        }
        w->at = (size_t)__builtin_ctzll(w->ahead) + !w->is_blank;
        w->ahead &= w->ahead - 1;
    }
}

/* Of the field that the walk stands on. */
static GS_KEY_INLINE size_t gs_short_field_end(const gs_short_walk *w)
{
    return w->ahead != 0 ? (size_t)__builtin_ctzll(w->ahead) : w->bytes;
}

static GS_KEY_INLINE size_t gs_short_skip_blanks(const gs_short_walk *w,
                                                 const uint8_t *line, size_t at)
{
    return (size_t)(gs_text_skip_blanks(line + at, line + w->bytes) - line);
}

static GS_KEY_INLINE size_t gs_short_begin(gs_short_walk *w, const uint8_t *line,
                                           const gs_key *key)
{
    gs_short_walk_to(w, key->start_field);
    const size_t at =
        key->skip_start_blanks ? gs_short_skip_blanks(w, line, w->at) : w->at;
    return w->bytes - at < key->start_char ? w->bytes : at + key->start_char;
}

static GS_KEY_INLINE size_t gs_short_limit(gs_short_walk *w, const uint8_t *line,
                                           const gs_key *key)
{
    if (key->end_field == SIZE_MAX)
        return w->bytes;
    if (key->end_char == 0) {
        gs_short_walk_to(w, key->end_field);
        return gs_short_field_end(w);
    }
    gs_short_walk_to(w, key->end_field);
    const size_t at = key->skip_end_blanks ? gs_short_skip_blanks(w, line, w->at) : w->at;
    return w->bytes - at < key->end_char ? w->bytes : at + key->end_char;
}

#endif
