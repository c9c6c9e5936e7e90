/* SPDX-License-Identifier: MIT */
#include "lib/join/join_keys.h"

#include <string.h>

#include "lib/join/join_match.h"

/* The field as join(1) sees it. What lies behind the last field of a line is empty. */
static gs_key key_of(const gs_join_options *o, gs_join_side side)
{
    const size_t field = o->key_field[side];
    const int delimiter = o->sort.order.delimiter;
    gs_key key = {.start_field = field,
                  .end_field = field,
                  .skip_start_blanks = delimiter == GS_ORDER_BLANK_FIELDS,
                  .fold = o->fold};
    if (delimiter == '\n') { /* a line of -z may hold some, and is one field */
        key.start_field = 0;
        key.start_char = field == 0 ? 0 : SIZE_MAX;
        key.end_field = SIZE_MAX;
    }
    return key;
}

static size_t make(const void *context, const uint8_t *line, size_t line_bytes,
                   uint8_t *to)
{
    const gs_join_side_key *const k = context;
    const size_t bytes = gs_key_encode(k->bare, line, line_bytes, to);
    to[bytes] = k->tag;
    return bytes + 1;
}

gs_code gs_join_side_key_init(gs_join_side_key *k, const gs_join_options *o,
                              gs_join_side side, gs_status *st)
{
    *k = (gs_join_side_key){
        .key = key_of(o, side),
        .order = {.form = o->sort.order.form,
                  .key_count = 1,
                  .delimiter = o->sort.order.delimiter,
                  .eol = o->sort.order.eol,
                  .stable = true},
        .tag = side == GS_JOIN_LEFT ? GS_JOIN_TAG_LEFT : GS_JOIN_TAG_RIGHT,
    };
    k->order.keys = &k->key;
    GS_TRY(gs_key_encoder_new(&k->bare, &k->order, false, st));
    const size_t of_empty = gs_key_encode_bound(k->bare, 0);
    const gs_key_maker maker = {
        .make = make,
        .context = k,
        .bound_factor = gs_key_encode_bound(k->bare, 1) - of_empty,
        .bound_extra = of_empty + 1,
    };
    return gs_key_encoder_new_made(&k->encoder, &maker, st);
}

gs_code gs_join_side_key_place(gs_join_side_key *k, const gs_join_options *o,
                               gs_join_side side, gs_status *st)
{
    gs_key_encoder_free(k->bare);
    k->key = key_of(o, side);
    return gs_key_encoder_new(&k->bare, &k->order, false, st);
}

void gs_join_side_key_release(gs_join_side_key *k)
{
    gs_key_encoder_free(k->encoder);
    gs_key_encoder_free(k->bare);
    *k = (gs_join_side_key){0};
}

size_t gs_join_key_bytes(const uint8_t *string, size_t bytes)
{
    /* Keys of bytes end with a zero, and have no other. */
    const uint8_t *const zero = bytes > 0 ? memchr(string, 0, bytes) : NULL;
    return zero != NULL ? (size_t)(zero - string) + 1 : bytes;
}
