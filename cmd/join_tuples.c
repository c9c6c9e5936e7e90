/* SPDX-License-Identifier: MIT */
#include "cmd/join_tuples.h"

#include <string.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "lib/base/mem.h"

enum { BYTES_MAX = 1 << 20 }; /* of a tuple */

static _Noreturn void refuse(const char *text, size_t bytes)
{
    gs_die(0,
           "invalid field of a tuple: '%.*s'; there are u8 u16 u32 u64 i8 i16 i32 i64 "
           "f32 f64, each with be behind or not, and bN",
           (int)bytes, text);
}

/* Of a number of so many bits; 0: there is none such. */
static size_t bytes_of(uint64_t bits, gs_field_type type)
{
    const bool is_whole = bits == 8 || bits == 16;
    return bits == 32 || bits == 64 || (is_whole && type != GS_FIELD_FLOAT)
               ? (size_t)bits / 8
               : 0;
}

static gs_byte_key field_of(const char *text, size_t bytes)
{
    gs_byte_key field = {.is_little_endian = true};
    size_t i = 1;
    uint64_t count = 0;
    switch (bytes > 1 ? *text : 0) {
    case 'u': field.type = GS_FIELD_UNSIGNED; break;
    case 'i': field.type = GS_FIELD_SIGNED; break;
    case 'f': field.type = GS_FIELD_FLOAT; break;
    case 'b': field.type = GS_FIELD_BYTES; break;
    default: refuse(text, bytes);
    }
    for (; i < bytes && text[i] >= '0' && text[i] <= '9' && count <= BYTES_MAX; i++)
        count = 10 * count + (uint64_t)(text[i] - '0');
    const bool is_number = field.type != GS_FIELD_BYTES;
    const size_t rest = bytes - i;
    if (is_number && rest == 2 && memcmp(text + i, "be", 2) == 0)
        field.is_little_endian = false;
    else if (rest > 0)
        refuse(text, bytes);
    field.length = is_number ? bytes_of(count, field.type) : (size_t)count;
    if (field.length == 0 || field.length > BYTES_MAX)
        refuse(text, bytes);
    return field;
}

/* A list that ends with its text, or with a colon. */
static void take_list(const char *text, gs_order *tuple, gs_byte_key **fields)
{
    for (;; text++) {
        const size_t bytes = strcspn(text, ",:");
        gs_byte_key field = field_of(text, bytes);
        field.offset = tuple->record_size;
        tuple->record_size += field.length;
        if (tuple->record_size > BYTES_MAX)
            gs_die(0, "tuples of more than %d bytes", (int)BYTES_MAX);
        *fields = gs_args_grow(*fields, tuple->byte_key_count, sizeof **fields);
        (*fields)[tuple->byte_key_count++] = field;
        text += bytes;
        if (*text != ',')
            break;
    }
    tuple->byte_keys = *fields;
}

void gs_join_tuples_parse(const char *text, gs_join_options *o,
                          gs_byte_key *fields[GS_JOIN_SIDES])
{
    const char *const colon = strchr(text, ':');
    if (colon != NULL && strchr(colon + 1, ':') != NULL)
        gs_die(0, "fields of more than two files: '%s'", text);
    take_list(text, &o->tuples[GS_JOIN_LEFT], &fields[GS_JOIN_LEFT]);
    take_list(colon != NULL ? colon + 1 : text, &o->tuples[GS_JOIN_RIGHT],
              &fields[GS_JOIN_RIGHT]);
}

static void check_field(const gs_join_options *o, gs_join_side side, size_t field)
{
    const size_t count = o->tuples[side].byte_key_count;
    if (field >= count)
        gs_die(0, "tuples of file %d have %zu fields, and none of number %zu",
               (int)side + 1, count, field + 1);
}

void gs_join_tuples_check(const gs_join_options *o)
{
    const gs_byte_key *keys[GS_JOIN_SIDES];
    bool shows_key = o->item_count == 0;
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        check_field(o, (gs_join_side)s, o->key_field[s]);
        keys[s] = &o->tuples[s].byte_keys[o->key_field[s]];
        if (o->is_band && keys[s]->type == GS_FIELD_BYTES)
            gs_die(0, "keys of a band are numbers, not bytes");
    }
    for (size_t i = 0; i < o->item_count; i++) {
        if (o->items[i].is_key)
            shows_key = true;
        else
            check_field(o, o->items[i].side, o->items[i].field);
    }
    if (!o->is_band && !gs_join_tuple_is_like(keys[GS_JOIN_LEFT], keys[GS_JOIN_RIGHT]))
        gs_die(0, "keys are both integers, or both floats, or as many bytes");
    const bool is_same =
        keys[GS_JOIN_LEFT]->type == keys[GS_JOIN_RIGHT]->type &&
        keys[GS_JOIN_LEFT]->length == keys[GS_JOIN_RIGHT]->length &&
        keys[GS_JOIN_LEFT]->is_little_endian == keys[GS_JOIN_RIGHT]->is_little_endian;
    const bool shows_left =
        o->shows_pairs || o->is_semi || o->shows_unpaired[GS_JOIN_LEFT];
    const bool is_of_either =
        shows_key && shows_left && (!o->is_band || o->item_count > 0);
    if (is_of_either && !is_same && !o->prints_text && o->shows_unpaired[GS_JOIN_RIGHT])
        gs_die(0,
               "tuples of file 2 without a partner would have keys of another type: say "
               "--text, or -o without 0");
}
