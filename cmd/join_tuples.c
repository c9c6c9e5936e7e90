/* SPDX-License-Identifier: MIT */
#include "cmd/join_tuples.h"

#include <stdbool.h>
#include <string.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"

enum { BYTES_MAX = GPUSORT_TUPLE_BYTES_MAX };

static _Noreturn void refuse(const char *text, size_t bytes)
{
    gs_die(0,
           "invalid field of a tuple: '%.*s'; there are u8 u16 u32 u64 i8 i16 i32 i64 "
           "f32 f64, each with be behind or not, and bN",
           (int)bytes, text);
}

/* Of a number of so many bits; 0: there is none such. */
static size_t bytes_of(uint64_t bits, gpusort_number type)
{
    const bool is_whole = bits == 8 || bits == 16;
    return bits == 32 || bits == 64 || (is_whole && type != GPUSORT_FLOAT)
               ? (size_t)bits / 8
               : 0;
}

static gpusort_byte_key field_of(const char *text, size_t bytes)
{
    gpusort_byte_key field = {.is_little_endian = 1};
    size_t i = 1;
    uint64_t count = 0;
    switch (bytes > 1 ? *text : 0) {
    case 'u': field.number = GPUSORT_UNSIGNED; break;
    case 'i': field.number = GPUSORT_SIGNED; break;
    case 'f': field.number = GPUSORT_FLOAT; break;
    case 'b': field.number = GPUSORT_RAW; break;
    default: refuse(text, bytes);
    }
    for (; i < bytes && text[i] >= '0' && text[i] <= '9' && count <= BYTES_MAX; i++)
        count = 10 * count + (uint64_t)(text[i] - '0');
    const bool is_number = field.number != GPUSORT_RAW;
    const size_t rest = bytes - i;
    if (is_number && rest == 2 && memcmp(text + i, "be", 2) == 0)
        field.is_little_endian = 0;
    else if (rest > 0)
        refuse(text, bytes);
    field.length = is_number ? bytes_of(count, field.number) : (size_t)count;
    if (field.length == 0 || field.length > BYTES_MAX)
        refuse(text, bytes);
    return field;
}

/* A list that ends with its text, or with a colon. */
static void take_list(const char *text, gpusort_tuple *tuple, gpusort_byte_key **fields)
{
    for (;; text++) {
        const size_t bytes = strcspn(text, ",:");
        gpusort_byte_key field = field_of(text, bytes);
        field.offset = tuple->bytes;
        tuple->bytes += field.length;
        if (tuple->bytes > BYTES_MAX)
            gs_die(0, "tuples of more than %d bytes", (int)BYTES_MAX);
        *fields = gs_args_grow(*fields, tuple->field_count, sizeof **fields);
        (*fields)[tuple->field_count++] = field;
        text += bytes;
        if (*text != ',')
            break;
    }
    tuple->fields = *fields;
}

void gs_join_tuples_parse(gs_join_tuples *tuples, const char *text,
                          gpusort_join_options *o)
{
    const char *const colon = strchr(text, ':');
    if (colon != NULL && strchr(colon + 1, ':') != NULL)
        gs_die(0, "fields of more than two files: '%s'", text);
    take_list(text, &o->tuples[GPUSORT_LEFT], &tuples->fields[GPUSORT_LEFT]);
    take_list(colon != NULL ? colon + 1 : text, &o->tuples[GPUSORT_RIGHT],
              &tuples->fields[GPUSORT_RIGHT]);
}
