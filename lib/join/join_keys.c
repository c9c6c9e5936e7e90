/* SPDX-License-Identifier: MIT */
#include "lib/join/join_keys.h"

#include <string.h>

#include "lib/join/join_match.h"
#include "lib/join/join_tuple.h"

_Static_assert(GS_KEY_SWITCH_COUNT == 5, "the new one is for joins too, or is not");

/* The field as join(1) sees it. What lies behind the last field of a line is empty. */
static gs_key key_of(const gs_join_options *o, gs_join_side side)
{
    const size_t field = o->key_field[side];
    const int delimiter = o->sort.order.delimiter;
    gs_key key = {.start_field = field,
                  .end_field = field,
                  .skip_start_blanks = delimiter == GS_ORDER_BLANK_FIELDS,
                  .fold = o->fold};
    if (gs_join_reads_tuples(o)) {
        key.start_field = 0;
        key.end_field = SIZE_MAX;
        key.skip_start_blanks = false;
    } else if (delimiter == '\n') { /* a line of -z may hold some, and is one field */
        key.start_field = 0;
        key.start_char = field == 0 ? 0 : SIZE_MAX;
        key.end_field = SIZE_MAX;
    }
    return key;
}

static inline size_t make_bare(const gs_join_side_key *k, const uint8_t *data,
                               size_t bytes, uint8_t *to)
{
    const size_t string_bytes = gs_key_encode(k->bare, data, bytes, to);
    to[string_bytes] = k->tag;
    return string_bytes + 1;
}

static size_t make(const void *context, const uint8_t *line, size_t line_bytes,
                   uint8_t *to)
{
    return make_bare(context, line, line_bytes, to);
}

static size_t make_of_tuple(const void *context, const uint8_t *tuple, size_t bytes,
                            uint8_t *to)
{
    const gs_join_side_key *const k = context;
    const uint8_t *const data = tuple + k->field->offset;
    uint8_t number[GS_TUPLE_NUMBER_BYTES + GS_KEY_READ_SLACK] = {0};
    (void)bytes;
    if (k->field->type == GS_FIELD_BYTES)
        return make_bare(k, data, k->field->length, to);
    return make_bare(k, number, gs_join_tuple_key(k->field, data, number), to);
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
        .field = gs_join_reads_tuples(o) ? &o->tuples[side].byte_keys[o->key_field[side]]
                                         : NULL,
        .tag = side == GS_JOIN_LEFT ? GS_JOIN_TAG_LEFT : GS_JOIN_TAG_RIGHT,
    };
    k->order.keys = &k->key;
    GS_TRY(gs_key_encoder_new(&k->bare, &k->order, false, st));
    const size_t of_empty = gs_key_encode_bound(k->bare, 0);
    const size_t of_number = gs_key_encode_bound(k->bare, GS_TUPLE_NUMBER_BYTES);
    const gs_key_maker maker = {
        .make = k->field != NULL ? make_of_tuple : make,
        .context = k,
        .bound_factor = gs_key_encode_bound(k->bare, 1) - of_empty,
        .bound_extra = of_number + 1,
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
