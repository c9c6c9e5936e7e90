/* SPDX-License-Identifier: MIT */
#include "lib/api/api_key.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/base/mem.h"

/* The flag of each of GS_KEY_SWITCHES. */
enum {
    FLAG_OF_skip_start_blanks = GPUSORT_SKIP_START_BLANKS,
    FLAG_OF_skip_end_blanks = GPUSORT_SKIP_END_BLANKS,
    FLAG_OF_fold = GPUSORT_FOLD,
    FLAG_OF_ignore_nonprint = GPUSORT_IGNORE_NONPRINTING,
    FLAG_OF_dictionary = GPUSORT_DICTIONARY,
    FLAGS = 2 * GPUSORT_IGNORE_NONPRINTING - 1
};
_Static_assert(FLAGS >> (1 + GS_KEY_SWITCH_COUNT) == 0 &&
                   FLAGS >> GS_KEY_SWITCH_COUNT == 1,
               "GPUSORT_REVERSE, and a flag for each of GS_KEY_SWITCHES");

static const gs_key_type types[] = {
    [GPUSORT_BYTES] = GS_KEY_BYTES,     [GPUSORT_NUMERIC] = GS_KEY_NUMERIC,
    [GPUSORT_GENERAL] = GS_KEY_GENERAL, [GPUSORT_HUMAN] = GS_KEY_HUMAN,
    [GPUSORT_MONTH] = GS_KEY_MONTH,     [GPUSORT_VERSION] = GS_KEY_VERSION,
    [GPUSORT_RANDOM] = GS_KEY_RANDOM,
};
enum { KIND_COUNT = sizeof types / sizeof *types };
_Static_assert(KIND_COUNT == (int)GS_KEY_TYPE_COUNT, "all of them");

static gs_code take_kind(gs_key_type *out, gpusort_kind kind, gs_status *st)
{
    if ((unsigned)kind >= KIND_COUNT)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a key of no known kind: %d", (int)kind);
    *out = types[kind];
    return GS_OK;
}

static size_t before(size_t counted_from_one)
{
    return counted_from_one > 0 ? counted_from_one - 1 : 0;
}

gs_code gs_api_take_key(gs_key *out, const gpusort_key *key, gs_status *st)
{
    const unsigned flags = key->flags;
    if (flags > FLAGS)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a key with unknown flags: %u", flags);
    *out = (gs_key){
        .start_field = before(key->start_field),
        .start_char = before(key->start_char),
        .end_field = key->end_field > 0 ? key->end_field - 1 : SIZE_MAX,
        .end_char = key->end_char,
#define TAKE(name, ...) .name = (flags & FLAG_OF_##name) != 0,
        GS_KEY_SWITCHES(TAKE)
#undef TAKE
            .reverse = (flags & GPUSORT_REVERSE) != 0,
    };
    GS_TRY(take_kind(&out->type, key->kind, st));
    return gs_key_is_sound(out)
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0,
                         "a key of kind %d, which is no text, with flags of text: %u",
                         (int)key->kind, flags);
}

_Static_assert((int)GPUSORT_JSON_KEYS_MAX == (int)GS_JSON_PATHS_MAX &&
                   (int)GPUSORT_JSON_DEPTH_MAX == (int)GS_JSON_DEPTH_OF_PATH_MAX &&
                   (int)GPUSORT_JSON_NAME_BYTES_MAX == (int)GS_JSON_NAME_BYTES_MAX &&
                   (int)GPUSORT_SEED_BYTES == (int)GS_ORDER_SEED_BYTES,
               "the limits of others are ours");

gs_code gs_api_take_path(gs_key *key, gs_json_path *out, const gpusort_path *path,
                         gpusort_form form, gs_status *st)
{
    const bool is_json = form == GPUSORT_JSON;
    const size_t depth_max = is_json ? GPUSORT_JSON_DEPTH_MAX : 1;
    *out = (gs_json_path){.names = path != NULL ? path->names : NULL};
    if (out->names == NULL)
        return is_json ? GS_FAIL(st, GS_ERR_ARG, 0, "a key of JSON without a path")
                       : GS_OK;
    out->depth = path->depth;
    if (out->depth == 0 || out->depth > depth_max)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a key of %zu names, and not of 1 to %zu",
                       out->depth, depth_max);
    const char *name = out->names;
    for (size_t i = 0; is_json && i < out->depth; i++, name += strlen(name) + 1) {
        if (strlen(name) > GPUSORT_JSON_NAME_BYTES_MAX)
            return GS_FAIL(st, GS_ERR_ARG, 0, "a name in JSON of more than %d bytes",
                           GPUSORT_JSON_NAME_BYTES_MAX);
    }
    key->start_field = key->start_char = key->end_field = key->end_char = 0;
    return GS_OK;
}

static const gs_field_type fields[] = {
    [GPUSORT_RAW] = GS_FIELD_BYTES,
    [GPUSORT_UNSIGNED] = GS_FIELD_UNSIGNED,
    [GPUSORT_SIGNED] = GS_FIELD_SIGNED,
    [GPUSORT_FLOAT] = GS_FIELD_FLOAT,
};
_Static_assert(sizeof fields / sizeof *fields == GS_FIELD_TYPE_COUNT, "all of them");

gs_code gs_api_take_byte_key(gs_byte_key *out, const gpusort_byte_key *key,
                             size_t record_bytes, gs_status *st)
{
    const size_t length = key->length;
    const bool is_power = length > 0 && (length & (length - 1)) == 0;
    const bool is_integer =
        key->number == GPUSORT_UNSIGNED || key->number == GPUSORT_SIGNED;
    if (length == 0 || length > record_bytes || key->offset > record_bytes - length)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a key of %zu bytes from %zu on is not in a record of %zu", length,
                       key->offset, record_bytes);
    if ((unsigned)key->number >= GS_FIELD_TYPE_COUNT ||
        (is_integer && (!is_power || length > 16)) ||
        (key->number == GPUSORT_FLOAT && length != 4 && length != 8))
        return GS_FAIL(
            st, GS_ERR_ARG, 0,
            "a number of %zu bytes: integers have 1, 2, 4, 8 or 16, floats 4 or 8",
            length);
    if ((key->flags & ~(unsigned)GPUSORT_REVERSE) != 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a key of bytes with unknown flags: %u",
                       key->flags);
    *out = (gs_byte_key){
        .offset = key->offset,
        .length = length,
        .type = fields[key->number],
        .is_little_endian = key->is_little_endian != 0,
        .reverse = key->flags != 0,
    };
    return GS_OK;
}

/* What a form is here, and its delimiter if nothing is said. */
typedef struct asked_form {
    bool is_known, is_table;
    gs_order_form form;
    int delimiter;
} asked_form;

static asked_form find_form(gpusort_form form)
{
    switch (form) {
    case GPUSORT_LINES:
        return (asked_form){true, false, GS_FORM_LINES, GS_ORDER_BLANK_FIELDS};
    case GPUSORT_CSV: return (asked_form){true, true, GS_FORM_CSV, ','};
    case GPUSORT_TABLE: return (asked_form){true, true, GS_FORM_LINES, '\t'};
    case GPUSORT_JSON:
        return (asked_form){true, false, GS_FORM_JSON, GS_ORDER_BLANK_FIELDS};
    }
    return (asked_form){.is_known = false};
}

bool gs_api_is_table(const gpusort_order *asked)
{
    return find_form(asked->form).is_table;
}

gs_code gs_api_take_fields(gs_order *out, const gpusort_order *asked, gs_status *st)
{
    const asked_form form = find_form(asked->form);
    const bool has_delimiter = asked->delimiter != 0 || asked->has_nul_delimiter;
    if (!form.is_known)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records of no known form: %d",
                       (int)asked->form);
    if (asked->delimiter < 0 || asked->delimiter > UCHAR_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "the delimiter %d is no byte",
                       asked->delimiter);
    out->eol = asked->ends_with_nul ? '\0' : '\n';
    out->form = form.form;
    out->delimiter = has_delimiter ? asked->delimiter : form.delimiter;
    if (gs_form_is_objects(form.form) && has_delimiter)
        return GS_FAIL(st, GS_ERR_ARG, 0, "JSON has no delimiter");
    if (form.is_table &&
        (out->delimiter == out->eol || out->delimiter == '\r' ||
         (gs_form_has_quotes(form.form) && out->delimiter == GS_CSV_QUOTE)))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "the separator of a table cannot be a quote or an end of line");
    return GS_OK;
}

/* The keys of the sort read some bytes behind a line: a copy has them. */
static gs_code locate(const gs_order *order, const void *line, size_t bytes,
                      size_t *begin, size_t *end, gs_status *st)
{
    enum { SHORT_BYTES = 1024 };
    uint8_t here[SHORT_BYTES + GS_KEY_READ_SLACK];
    uint8_t *copy = here;
    if (bytes > SHORT_BYTES)
        GS_TRY(gs_mem_new(&copy, bytes + GS_KEY_READ_SLACK, "a line", st));
    if (bytes > 0)
        memcpy(copy, line, bytes);
    memset(copy + bytes, 0, GS_KEY_READ_SLACK);
    gs_key_locate(order, 0, copy, bytes, begin, end);
    if (copy != here)
        gs_mem_free(copy);
    return GS_OK;
}

gpusort_code gpusort_key_locate(const gpusort_order *order, size_t key, const void *line,
                                size_t bytes, size_t *begin, size_t *end,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_key only;
    gs_order of_it = {.keys = &only, .key_count = 1};
    *begin = *end = 0;
    if (key >= order->key_count)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "there are %zu keys", order->key_count);
    else if (order->form != GPUSORT_LINES)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "keys by fields are located in lines");
    else if (gs_api_take_key(&only, &order->keys[key], &st) == GS_OK &&
             gs_api_take_fields(&of_it, order, &st) == GS_OK)
        GS_NOTED(locate(&of_it, line, bytes, begin, end, &st));
    return gs_api_result(&st, error);
}
