/* SPDX-License-Identifier: MIT */
#include "lib/api/api_order.h"

#include <limits.h>
#include <stdbool.h>

#include "lib/api/api_call.h"
#include "lib/base/mem.h"

enum { FLAGS = 2 * GPUSORT_IGNORE_NONPRINTING - 1 };
_Static_assert(FLAGS >> (1 + GS_KEY_SWITCH_COUNT) == 0 &&
                   FLAGS >> GS_KEY_SWITCH_COUNT == 1,
               "GPUSORT_REVERSE, and a flag for each of GS_KEY_SWITCHES");

static const gs_key_type types[] = {
    [GPUSORT_BYTES] = GS_KEY_BYTES,     [GPUSORT_NUMERIC] = GS_KEY_NUMERIC,
    [GPUSORT_GENERAL] = GS_KEY_GENERAL, [GPUSORT_HUMAN] = GS_KEY_HUMAN,
    [GPUSORT_MONTH] = GS_KEY_MONTH,     [GPUSORT_VERSION] = GS_KEY_VERSION,
};
enum { KIND_COUNT = sizeof types / sizeof *types };
_Static_assert(KIND_COUNT == GS_KEY_TYPE_COUNT - 1,
               "all but GS_KEY_RANDOM, which needs a seed");

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

static gs_code take_key(gs_key *out, const gpusort_key *key, gs_status *st)
{
    const unsigned flags = key->flags;
    if (flags > FLAGS)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a key with unknown flags: %u", flags);
    *out = (gs_key){
        .start_field = before(key->start_field),
        .start_char = before(key->start_char),
        .end_field = key->end_field > 0 ? key->end_field - 1 : SIZE_MAX,
        .end_char = key->end_char,
        .skip_start_blanks = (flags & GPUSORT_SKIP_START_BLANKS) != 0,
        .skip_end_blanks = (flags & GPUSORT_SKIP_END_BLANKS) != 0,
        .fold = (flags & GPUSORT_FOLD) != 0,
        .ignore_nonprint = (flags & GPUSORT_IGNORE_NONPRINTING) != 0,
        .dictionary = (flags & GPUSORT_DICTIONARY) != 0,
        .reverse = (flags & GPUSORT_REVERSE) != 0,
    };
    GS_TRY(take_kind(&out->type, key->kind, st));
    const bool is_text = gs_key_type_counts(out->type) == GS_KEY_COUNTS_TEXT;
    if (!is_text && (out->dictionary || out->ignore_nonprint))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "GPUSORT_DICTIONARY and GPUSORT_IGNORE_NONPRINTING go with text");
    return GS_OK;
}

static const gs_field_type fields[] = {
    [GPUSORT_RAW] = GS_FIELD_BYTES,
    [GPUSORT_UNSIGNED] = GS_FIELD_UNSIGNED,
    [GPUSORT_SIGNED] = GS_FIELD_SIGNED,
    [GPUSORT_FLOAT] = GS_FIELD_FLOAT,
};
_Static_assert(sizeof fields / sizeof *fields == GS_FIELD_TYPE_COUNT, "all of them");

static gs_code take_byte_key(gs_byte_key *out, const gpusort_byte_key *key,
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

static gs_code take_order(gs_api_sort *s, gs_status *st)
{
    const gpusort_order *const asked = &s->asked.order;
    if ((asked->record_bytes > 0 && (asked->key_count > 0 || asked->ends_with_nul)) ||
        (asked->record_bytes == 0 && asked->byte_key_count > 0))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "keys of lines and of records of a fixed size at once");
    if (asked->delimiter < 0 || asked->delimiter > UCHAR_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "the delimiter %d is no byte",
                       asked->delimiter);
    GS_TRY(gs_mem_new_array(&s->keys, asked->key_count, sizeof *s->keys, "keys", st));
    GS_TRY(gs_mem_new_array(&s->byte_keys, asked->byte_key_count, sizeof *s->byte_keys,
                            "keys", st));
    for (size_t i = 0; i < asked->key_count; i++)
        GS_TRY(take_key(&s->keys[i], &asked->keys[i], st));
    for (size_t i = 0; i < asked->byte_key_count; i++)
        GS_TRY(take_byte_key(&s->byte_keys[i], &asked->byte_keys[i], asked->record_bytes,
                             st));
    const bool has_delimiter = asked->delimiter != 0 || asked->has_nul_delimiter;
    s->options.order = (gs_order){
        .keys = s->keys,
        .key_count = asked->key_count,
        .delimiter = has_delimiter ? asked->delimiter : GS_ORDER_BLANK_FIELDS,
        .eol = asked->ends_with_nul ? '\0' : '\n',
        .stable = asked->is_stable != 0,
        .unique = asked->is_unique != 0,
        .reverse = asked->is_reverse != 0,
        .record_size = asked->record_bytes,
        .byte_keys = s->byte_keys,
        .byte_key_count = asked->byte_key_count,
    };
    return GS_OK;
}

static gs_code check(const gpusort_sort_options *asked, gs_status *st)
{
    GS_TRY(gs_api_check_reserved(
        asked->order.reserved,
        sizeof asked->order.reserved / sizeof *asked->order.reserved, st));
    if (asked->counts && asked->order.record_bytes > 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records of a fixed size are not counted");
    if (asked->header_lines > 0 && asked->order.record_bytes > 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records of a fixed size have no header");
    return GS_OK;
}

gs_code gs_api_sort_init(gs_api_sort *s, const gpusort_sort_options *given, gs_status *st)
{
    *s = (gs_api_sort){0};
    GS_TRY(gs_api_take_options(&s->asked, sizeof s->asked, given, st));
    const gpusort_sort_options *const asked = &s->asked;
    const gpusort_job *const job = &asked->job;
    GS_TRY(check(asked, st));
    s->options = (gs_sort_options){
        .output = asked->output,
        .memory_bytes = job->memory_bytes,
        .threads = job->threads,
        .temp_folders = job->temp_folders,
        .temp_folder_count = job->temp_folder_count,
        .checkpoint = asked->checkpoint,
        .header_lines = asked->header_lines,
        .top_count = asked->top_count,
        .has_top = asked->has_top != 0,
        .count = asked->counts != 0,
        .output_zstd = asked->output_zstd != 0,
        .sync_output = asked->syncs_output != 0,
        .no_map = !asked->may_map,
        .keep_compressed = asked->keeps_packed != 0,
        .verify = asked->verifies != 0,
        .engine = job->engine,
        .gpu_memory_bytes = job->gpu_memory_bytes,
        .stats = &s->stats,
    };
    GS_TRY(take_order(s, st));
    GS_TRY(gs_api_job_open(&s->job, job, &s->stats, st));
    s->options.log = &s->job.log;
    s->options.cancel_signal = &s->job.cancel;
    return GS_OK;
}

void gs_api_sort_release(gs_api_sort *s)
{
    if (s->options.log != NULL)
        gs_api_job_close(&s->job);
    gs_mem_free(s->keys);
    gs_mem_free(s->byte_keys);
}
