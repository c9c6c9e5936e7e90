/* SPDX-License-Identifier: MIT */
/*
 * key_encode: turn a record's keys into one byte string whose memcmp order is the
 * order asked for.
 *
 * The string is prefix-free (none is a proper prefix of another from the same order),
 * so whatever follows it, such as the line itself for the last resort, only matters
 * between equal keys. Two records have equal strings if and only if every key of theirs
 * compares equal. A reversed key is its string complemented.
 *
 * An encoder is made once from an order, is read-only afterwards and may be used by any
 * number of threads.
 */
#ifndef GS_LIB_SORT_KEY_KEY_ENCODE_H
#define GS_LIB_SORT_KEY_KEY_ENCODE_H

#include "lib/sort/key/order.h"

typedef struct gs_key_encoder gs_key_encoder;

enum { GS_KEY_READ_SLACK = 64 }; /* bytes past the line that may be read */

/* With `flip`, every key's direction is turned round (used when the whole order is
 * written backwards). The order must outlive the encoder. */
GS_MUST_CHECK gs_code gs_key_encoder_new(gs_key_encoder **out, const gs_order *order,
                                         bool flip, gs_status *st);
void gs_key_encoder_free(gs_key_encoder *e); /* NULL is fine */

/* Strings that no order describes: a function makes them. They are prefix-free too. */
typedef struct gs_key_maker {
    /* Writes the string to `to`, and returns its length, or one of those below. */
    size_t (*make)(const void *context, const uint8_t *line, size_t line_bytes,
                   uint8_t *to);
    const void *context;
    size_t bound_factor, bound_extra; /* no string takes more than so many times the
                                         length of the line, and so many bytes */
    const char *complaint;      /* about a line without a key: "FILE:LINE: complaint" */
    const char *hint;           /* what to do about it */
    _Atomic uint64_t *left_out; /* counts lines that are; borrowed; NULL: nobody asks */
} gs_key_maker;

/* The line has no key, which is an error; or it has none and is left out. */
#define GS_KEY_BAD      SIZE_MAX
#define GS_KEY_LEFT_OUT (SIZE_MAX - 1)

/* Copies the maker; its context must outlive the encoder. */
GS_MUST_CHECK gs_code gs_key_encoder_new_made(gs_key_encoder **out,
                                              const gs_key_maker *maker, gs_status *st);
/* NULL: strings come from an order. */
const gs_key_maker *gs_key_encoder_maker(const gs_key_encoder *e);

/* No line of `line_bytes` bytes (without its end-of-line byte) needs more than this. */
size_t gs_key_encode_bound(const gs_key_encoder *e, size_t line_bytes);

/* Is a key made in about the time that it takes to write it to memory and read it back?
 * What is copied is, folded or not, but not a number by itself, which is a few bytes. */
bool gs_key_encode_is_cheap(const gs_key_encoder *e);

/* A key that is a field, or all from that field on, as its bytes stand or by -n. */
typedef struct gs_plain_key {
    size_t field;
    bool is_rest, is_number, is_complemented;
} gs_plain_key;

enum { GS_PLAIN_KEYS_MAX = 8 };

typedef struct gs_plain_keys {
    gs_plain_key keys[GS_PLAIN_KEYS_MAX];
    size_t count;
    uint8_t delimiter;
} gs_plain_keys;

/* False unless all keys are such keys, of lines whose fields a byte separates. */
bool gs_key_encoder_plain_keys(const gs_key_encoder *e, gs_plain_keys *out);

/* Writes the string to dst, which has room for the bound, and returns its length; or
 * GS_KEY_BAD, if that is a line of GS_FORM_JSON which is no object. May read
 * GS_KEY_READ_SLACK bytes past the line and write anywhere inside the bound. */
size_t gs_key_encode(const gs_key_encoder *e, const uint8_t *line, size_t line_bytes,
                     uint8_t *dst);

/* Where key `k` lies in the line, as --debug shows it: begin <= limit, offsets into the
 * line (GNU's begfield and limfield). May read GS_KEY_READ_SLACK bytes past it. */
void gs_key_locate(const gs_order *order, size_t k, const uint8_t *line,
                   size_t line_bytes, size_t *begin, size_t *limit);

#endif
