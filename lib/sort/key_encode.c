/* SPDX-License-Identifier: MIT */
#include "lib/sort/key_encode.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/byte_key.h"
#include "lib/sort/key_number.h"
#include "lib/sort/key_text.h"
#include "lib/sort/key_version.h"
#include "lib/sort/line_scan.h"
#include "lib/sort/md5.h"

enum {
    BYTES_EXTRA = 16, /* terminator, and what word-wise copying writes beyond */
    ESCAPE = 0x01,    /* 00 and 01 become 01 01 and 01 02 */
    TERMINATOR = 0x00,
    SHORT_KEY_BYTES = 256, /* translated on the stack */
};

struct gs_key_encoder {
    const gs_order *order;
    bool flip;
    size_t bound_factor, bound_extra;
};

/* --- finding fields ------------------------------------------------------------- */

/* Inlined, so that the walk over a line stays in registers. */
#define ALWAYS_INLINE inline __attribute__((always_inline))

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
static inline const uint8_t *find_byte(const uint8_t *p, const uint8_t *end, uint8_t c)
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

static const uint8_t *skip_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && gs_text_is_blank(*p))
        p++;
    return p;
}

static const uint8_t *skip_nonblanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && !gs_text_is_blank(*p))
        p++;
    return p;
}

/* The delimiter that ends the field which begins at `at`, or the end. */
static inline const uint8_t *find_delimiter(const gs_field_walk *w)
{
    if (w->ahead != 0)
        return w->line + __builtin_ctzll(w->ahead);
    const uint8_t *const unseen = w->line + 64;
    if (unseen >= w->end)
        return w->end;
    return find_byte(w->at > unseen ? w->at : unseen, w->end, (uint8_t)w->delimiter);
}

/* Moves to the beginning of `field`: behind the delimiter, or, without one, at the blanks
 * that belong to the field. */
static ALWAYS_INLINE void walk_to(gs_field_walk *w, size_t field)
{
    if (field < w->field) {
        w->field = 0;
        w->at = w->line;
        w->ahead = w->delimiters;
    }
    if (w->delimiter == GS_ORDER_BLANK_FIELDS) {
        for (; w->field < field && w->at < w->end; w->field++)
            w->at = skip_nonblanks(skip_blanks(w->at, w->end), w->end);
    } else {
        for (; w->field < field && w->at < w->end; w->field++) {
            w->at = find_delimiter(w);
            w->at += w->at < w->end;
            w->ahead &= w->ahead - 1;
        }
    }
    w->field = field;
}

static const uint8_t *advance(const uint8_t *p, const uint8_t *end, size_t bytes)
{
    return (size_t)(end - p) < bytes ? end : p + bytes;
}

static ALWAYS_INLINE const uint8_t *find_begin(gs_field_walk *w, const gs_key *key)
{
    walk_to(w, key->start_field);
    const uint8_t *p = w->at;
    if (key->skip_start_blanks)
        p = skip_blanks(p, w->end);
    return advance(p, w->end, key->start_char);
}

static ALWAYS_INLINE const uint8_t *find_limit(gs_field_walk *w, const gs_key *key)
{
    if (key->end_field == SIZE_MAX)
        return w->end;
    if (key->end_char == 0) {
        if (w->delimiter == GS_ORDER_BLANK_FIELDS) {
            walk_to(w, key->end_field + 1);
            return w->at;
        }
        walk_to(w, key->end_field);
        return w->at < w->end ? find_delimiter(w) : w->end;
    }
    walk_to(w, key->end_field);
    const uint8_t *p = w->at;
    if (key->skip_end_blanks)
        p = skip_blanks(p, w->end);
    return advance(p, w->end, key->end_char);
}

static ALWAYS_INLINE gs_field_walk start_walk(const gs_order *order, const uint8_t *line,
                                              size_t bytes)
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

void gs_key_locate(const gs_order *order, size_t k, const uint8_t *line,
                   size_t line_bytes, size_t *begin, size_t *limit)
{
    gs_assert(k < order->key_count);
    gs_field_walk walk = start_walk(order, line, line_bytes);
    const uint8_t *const from = find_begin(&walk, &order->keys[k]);
    const uint8_t *to = find_limit(&walk, &order->keys[k]);
    if (to < from)
        to = from;
    *begin = (size_t)(from - line);
    *limit = (size_t)(to - line);
}

/* --- bytes ------------------------------------------------------------------------- */

/* Copies with 00 and 01 escaped and the terminator. Word by word while none is there. */
static uint8_t *put_bytes(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    while (from < end) {
        uint64_t word;
        memcpy(&word, from, sizeof word); /* the slack may be read */
        memcpy(to, &word, sizeof word);
        const size_t left = (size_t)(end - from);
        const bool has_low = ((word - 2 * ones) & ~word & (ones << 7)) != 0;
        if (!has_low) {
            const size_t n = left < 8 ? left : 8;
            from += n;
            to += n;
            continue;
        }
        for (size_t i = 0; i < 8 && from < end; i++) {
            const uint8_t c = *from++;
            if (c <= ESCAPE)
                *to++ = ESCAPE;
            *to++ = c <= ESCAPE ? (uint8_t)(c + 1) : c;
        }
    }
    *to++ = TERMINATOR;
    return to;
}

static bool is_translated(const gs_key *key)
{
    return key->fold || key->dictionary || key->ignore_nonprint;
}

/* The bytes that count, folded; -d wins over -i. */
static size_t translate(const gs_key *key, const uint8_t *from, const uint8_t *end,
                        uint8_t *to)
{
    uint8_t *p = to;
    for (; from < end; from++) {
        const uint8_t c = *from;
        if (key->dictionary ? !gs_text_is_alphanumeric(c) && !gs_text_is_blank(c)
                            : key->ignore_nonprint && !gs_text_is_printing(c))
            continue;
        *p++ = key->fold ? gs_text_upper(c) : c;
    }
    return (size_t)(p - to);
}

static uint8_t month_of(const uint8_t *p, const uint8_t *end)
{
    static const char names[][4] = {"JAN", "FEB", "MAR", "APR", "MAY", "JUN",
                                    "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"};
    p = skip_blanks(p, end);
    if (end - p < 3)
        return 0;
    for (unsigned i = 0; i < 12; i++) {
        if (gs_text_upper(p[0]) == names[i][0] && gs_text_upper(p[1]) == names[i][1] &&
            gs_text_upper(p[2]) == names[i][2])
            return (uint8_t)(i + 1);
    }
    return 0;
}

/* --- one key ------------------------------------------------------------------------ */

/* Types whose text is translated first, given the text as it counts. */
static uint8_t *put_text_key(const gs_order *order, const gs_key *key,
                             const uint8_t *from, const uint8_t *end, uint8_t *to)
{
    switch (key->type) {
    case GS_KEY_MONTH: *to = month_of(from, end); return to + 1;
    case GS_KEY_VERSION: return to + gs_version_encode(from, (size_t)(end - from), to);
    case GS_KEY_RANDOM:
        gs_md5_of_two(order->random_seed, GS_ORDER_SEED_BYTES, from, (size_t)(end - from),
                      to);
        return put_bytes(to + GS_MD5_BYTES, from, end);
    case GS_KEY_BYTES:
    case GS_KEY_NUMERIC:
    case GS_KEY_GENERAL:
    case GS_KEY_HUMAN: break;
    }
    return put_bytes(to, from, end);
}

/* The most that one key's string takes, without what comes for the length of the line. */
static size_t key_factor(const gs_key *key)
{
    switch (key->type) {
    case GS_KEY_VERSION: return 5;
    case GS_KEY_RANDOM:
    case GS_KEY_BYTES: return 3;
    case GS_KEY_NUMERIC:
    case GS_KEY_GENERAL:
    case GS_KEY_HUMAN:
    case GS_KEY_MONTH: return 1;
    }
    return 5;
}

static size_t key_extra(const gs_key *key)
{
    switch (key->type) {
    case GS_KEY_VERSION: return GS_VERSION_EXTRA_BYTES + BYTES_EXTRA;
    case GS_KEY_RANDOM: return GS_MD5_BYTES + BYTES_EXTRA;
    case GS_KEY_GENERAL:
        return GS_GENERAL_BYTES_MAX + GS_GENERAL_SCRATCH_BYTES + BYTES_EXTRA;
    case GS_KEY_NUMERIC:
    case GS_KEY_HUMAN: return GS_NUMBER_EXTRA_BYTES + BYTES_EXTRA;
    case GS_KEY_BYTES:
    case GS_KEY_MONTH: return BYTES_EXTRA;
    }
    return BYTES_EXTRA;
}

static uint8_t *put_key(const gs_order *order, const gs_key *key, const uint8_t *from,
                        const uint8_t *end, uint8_t *to)
{
    const size_t bytes = (size_t)(end - from);
    switch (key->type) {
    case GS_KEY_NUMERIC: return to + gs_number_encode_decimal(from, end, to);
    case GS_KEY_HUMAN: return to + gs_number_encode_human(from, end, key->fold, to);
    case GS_KEY_GENERAL:
        /* The scratch lies behind where the string goes. */
        return to + gs_number_encode_general(from, end, to + GS_GENERAL_BYTES_MAX, to);
    case GS_KEY_BYTES:
    case GS_KEY_MONTH:
    case GS_KEY_RANDOM:
    case GS_KEY_VERSION: break;
    }
    if (!is_translated(key))
        return put_text_key(order, key, from, end, to);
    /* Text that counts differs from text that is there. A short one is made aside, a long
     * one at the end of the room, which the factor of the bound has left for it. */
    uint8_t aside[SHORT_KEY_BYTES + GS_KEY_READ_SLACK];
    uint8_t *text = aside;
    if (bytes > SHORT_KEY_BYTES)
        text = to + (key_factor(key) - 1) * bytes + key_extra(key);
    const size_t counts = translate(key, from, end, text);
    return put_text_key(order, key, text, text + counts, to);
}

/* --- the encoder -------------------------------------------------------------------- */

gs_code gs_key_encoder_new(gs_key_encoder **out, const gs_order *order, bool flip,
                           gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_key_encoder), "key encoder", st));
    gs_key_encoder *const e = memory;
    e->order = order;
    e->flip = flip;
    e->bound_extra = GS_KEY_READ_SLACK + gs_byte_key_bytes(order);
    for (size_t i = 0; i < order->key_count; i++) {
        e->bound_factor += key_factor(&order->keys[i]);
        e->bound_extra += 2 * key_extra(&order->keys[i]);
    }
    *out = e;
    return GS_OK;
}

void gs_key_encoder_free(gs_key_encoder *e)
{
    gs_mem_free(e);
}

size_t gs_key_encode_bound(const gs_key_encoder *e, size_t line_bytes)
{
    return e->bound_factor * line_bytes + e->bound_extra;
}

static void complement(uint8_t *from, const uint8_t *end)
{
    for (; from < end; from++)
        *from = (uint8_t) ~*from;
}

size_t gs_key_encode(const gs_key_encoder *e, const uint8_t *line, size_t line_bytes,
                     uint8_t *dst)
{
    const gs_order *const order = e->order;
    if (order->record_size > 0) {
        gs_byte_key_encode(order, e->flip, line, dst);
        return gs_byte_key_bytes(order);
    }
    uint8_t *to = dst;
    gs_field_walk walk = start_walk(order, line, line_bytes);
    for (size_t i = 0; i < order->key_count; i++) {
        const gs_key *const key = &order->keys[i];
        const uint8_t *const from = find_begin(&walk, key);
        const uint8_t *end = find_limit(&walk, key);
        if (end < from)
            end = from;
        uint8_t *const next = put_key(order, key, from, end, to);
        if (key->reverse != e->flip)
            complement(to, next);
        to = next;
    }
    return (size_t)(to - dst);
}
