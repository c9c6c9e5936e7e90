/* SPDX-License-Identifier: MIT */
/*
 * key_field: where the fields of a line are, and the keys in them.
 *
 * Of a line that is not long all boundaries of fields are found at once, a bit each:
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

/* --- lines that are not long -------------------------------------------------------- */

enum {
    GS_SHORT_LINE_BYTES = 63, /* one word has a bit for each byte */
    GS_BIT_LINE_BYTES = 127,  /* two do */
};

/* A bit for each byte of a line; of a short one all are in the first word. */
typedef struct gs_line_bits {
    uint64_t low, high;
} gs_line_bits;

typedef struct gs_bit_walk {
    gs_line_bits boundaries; /* of fields */
    gs_line_bits ahead;      /* those that have not been passed */
    size_t field;            /* begins at `at` */
    size_t at, bytes;        /* in the line; of it */
    bool is_blank;           /* a boundary is the field's first blank, not before it */
    bool is_short;           /* this and what is before it is known when it is compiled */
} gs_bit_walk;

static GS_KEY_INLINE uint64_t gs_short_blanks(const uint8_t *p, size_t bytes)
{
    return gs_short_mask(p, bytes, ' ') | gs_short_mask(p, bytes, '\t') |
           gs_short_mask(p, bytes, '\n');
}

static GS_KEY_INLINE uint64_t gs_line_blanks(const uint8_t *p)
{
    return gs_line_mask(p, ' ') | gs_line_mask(p, '\t') | gs_line_mask(p, '\n');
}

/* The first of a row of blanks each, but not at the beginning of the line. */
static GS_KEY_INLINE gs_line_bits gs_first_blanks(gs_line_bits blanks)
{
    return (gs_line_bits){blanks.low & ~(blanks.low << 1 | 1),
                          blanks.high & ~(blanks.high << 1 | blanks.low >> 63)};
}

static GS_KEY_INLINE gs_line_bits gs_field_boundaries(const gs_order *order,
                                                      const uint8_t *line, size_t bytes,
                                                      bool is_short)
{
    const bool is_blank = order->delimiter == GS_ORDER_BLANK_FIELDS;
    const uint8_t delimiter = (uint8_t)order->delimiter;
    gs_line_bits bits = {0};
    if (is_short)
        bits.low = is_blank ? gs_short_blanks(line, bytes)
                            : gs_short_mask(line, bytes, delimiter);
    else if (is_blank)
        bits =
            (gs_line_bits){gs_line_blanks(line), gs_short_blanks(line + 64, bytes - 64)};
    else
        bits = (gs_line_bits){gs_line_mask(line, delimiter),
                              gs_short_mask(line + 64, bytes - 64, delimiter)};
    return is_blank ? gs_first_blanks(bits) : bits;
}

/* Where the first bit is, or `none`. */
static GS_KEY_INLINE size_t gs_first_bit(gs_line_bits bits, bool is_short, size_t none)
{
    if (bits.low != 0)
        return (size_t)__builtin_ctzll(bits.low);
    return is_short || bits.high == 0 ? none : 64 + (size_t)__builtin_ctzll(bits.high);
}

static GS_KEY_INLINE gs_line_bits gs_without_first_bit(gs_line_bits bits)
{
    return (gs_line_bits){bits.low & (bits.low - 1),
                          bits.low != 0 ? bits.high : bits.high & (bits.high - 1)};
}

/* Of a line of at most GS_BIT_LINE_BYTES, which is short or not. */
static GS_KEY_INLINE gs_bit_walk gs_bit_start(const gs_order *order, const uint8_t *line,
                                              size_t bytes, bool has_fields,
                                              bool is_short)
{
    gs_bit_walk w = {.bytes = bytes,
                     .is_blank = order->delimiter == GS_ORDER_BLANK_FIELDS,
                     .is_short = is_short};
    if (has_fields)
        w.boundaries = gs_field_boundaries(order, line, bytes, is_short);
    w.ahead = w.boundaries;
    return w;
}

static GS_KEY_INLINE void gs_bit_walk_to(gs_bit_walk *w, size_t field)
{
    if (field < w->field) {
        w->field = w->at = 0;
        w->ahead = w->boundaries;
    }
    for (; w->field < field; w->field++) {
        const size_t at = gs_first_bit(w->ahead, w->is_short, SIZE_MAX);
        if (at == SIZE_MAX) {
            w->at = w->bytes;
            w->field = field;
            return;
        }
        w->at = at + !w->is_blank;
        w->ahead = gs_without_first_bit(w->ahead);
    }
}

/* Of the field that the walk stands on. */
static GS_KEY_INLINE size_t gs_bit_field_end(const gs_bit_walk *w)
{
    return gs_first_bit(w->ahead, w->is_short, w->bytes);
}

static GS_KEY_INLINE size_t gs_bit_skip_blanks(const gs_bit_walk *w, const uint8_t *line,
                                               size_t at)
{
    return (size_t)(gs_text_skip_blanks(line + at, line + w->bytes) - line);
}

static GS_KEY_INLINE size_t gs_bit_begin(gs_bit_walk *w, const uint8_t *line,
                                         const gs_key *key)
{
    gs_bit_walk_to(w, key->start_field);
    const size_t at = key->skip_start_blanks ? gs_bit_skip_blanks(w, line, w->at) : w->at;
    return w->bytes - at < key->start_char ? w->bytes : at + key->start_char;
}

static GS_KEY_INLINE size_t gs_bit_limit(gs_bit_walk *w, const uint8_t *line,
                                         const gs_key *key)
{
    if (key->end_field == SIZE_MAX)
        return w->bytes;
    if (key->end_char == 0) {
        gs_bit_walk_to(w, key->end_field);
        return gs_bit_field_end(w);
    }
    gs_bit_walk_to(w, key->end_field);
    const size_t at = key->skip_end_blanks ? gs_bit_skip_blanks(w, line, w->at) : w->at;
    return w->bytes - at < key->end_char ? w->bytes : at + key->end_char;
}

#endif
