/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/batch_records.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/sort/form/chunk.h"
#include "lib/sort/record/records.h"
#include "lib/sort/bucket/buckets.h"

static bool is_above_limit(const gs_record_maker *maker, uint64_t prefix,
                           const uint8_t *string, size_t bytes)
{
    if (maker->limit == NULL || prefix < maker->limit_prefix)
        return false;
    if (prefix > maker->limit_prefix)
        return true;
    const int d = gs_string_compare(string, bytes, maker->limit, maker->limit_bytes, 0);
    return maker->layout.is_backwards ? d < 0 : d > 0;
}

/* --- records ---------------------------------------------------------------- */

/* Of what follows the ways that are seldom taken have functions of their own: a
 * function whose variables are pointed at has a guard on its stack, which each record
 * would pay for. */
static size_t larger_than(size_t want)
{
    return want + want / 2 + 1024;
}

static __attribute__((noinline)) gs_code grow_records(gs_batch_records *b, size_t want,
                                                      gs_status *st)
{
    const size_t larger = larger_than(want);
    GS_TRY(gs_mem_resize(&b->records, larger, "records of a batch", st));
    b->record_capacity = larger;
    return GS_OK;
}

static __attribute__((noinline)) gs_code grow_elements(gs_batch_records *b, gs_status *st)
{
    const size_t larger = larger_than(b->element_count + 1);
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, larger, sizeof(gs_element), st));
    GS_TRY(gs_mem_resize(&b->elements, bytes, "records of a batch", st));
    b->element_capacity = larger;
    return GS_OK;
}

/* Adds a record: key (if any) and line, with its eol. */
static gs_code add_record(const gs_record_maker *maker, gs_batch_records *b,
                          const gs_key_encoder *encoder, const uint8_t *line,
                          size_t line_bytes, gs_status *st)
{
    const size_t bound = (encoder ? gs_key_encode_bound(encoder, line_bytes) : 0) +
                         line_bytes + GS_RECORD_LONG_BYTES + GS_RECORD_LONG_HEAD_BYTES +
                         1 + 16;
    if (b->record_capacity < b->record_bytes + bound)
        GS_TRY(grow_records(b, b->record_bytes + bound, st));
    if (b->element_capacity == b->element_count)
        GS_TRY(grow_elements(b, st));

    uint8_t *const start = b->records + b->record_bytes;
    const size_t usual_head = gs_record_head_bytes(&maker->layout, 0);
    uint8_t *string = start + usual_head;
    const size_t key_bytes =
        encoder ? gs_key_encode(encoder, line, line_bytes, string) : 0;
    if (__builtin_expect(key_bytes >= GS_KEY_LEFT_OUT, 0)) {
        b->has_bad |= key_bytes == GS_KEY_BAD;
        b->left_out += key_bytes == GS_KEY_LEFT_OUT;
        return GS_OK;
    }
    const size_t string_bytes = key_bytes + (maker->layout.is_key_only ? 0 : line_bytes);
    if (__builtin_expect(string_bytes >= GS_WHERE_LENGTH_LONG, 0)) {
        string = start + gs_record_head_bytes(&maker->layout, string_bytes);
        memmove(string, start + usual_head, key_bytes);
    }
    gs_record_put_head(&maker->layout, start, string_bytes,
                       maker->layout.is_key_only ? line_bytes : key_bytes);
    uint8_t *p = string + key_bytes;
    memcpy(p, line, line_bytes);
    p += line_bytes;
    if (maker->layout.has_eol)
        *p++ = maker->layout.eol;

    gs_element *const e = &b->elements[b->element_count];
    if (maker->limit != NULL) {
        gs_tie_put_words(&maker->layout, e, string, string_bytes, 0);
        if (is_above_limit(maker, e->prefix, string, string_bytes))
            return GS_OK;
    }
    e->where = gs_where_pack(b->record_bytes, string_bytes);
    b->element_count++;
    b->record_bytes += (size_t)(p - start);
    return GS_OK;
}

/* --- lines ------------------------------------------------------------------ */

/* What is found in a batch. */
typedef struct finding {
    const gs_record_maker *maker;
    gs_batch_records *b;
    const gs_line_batch *batch;
    const gs_key_encoder *encoder;
    const gs_line_sieve *sieve; /* or NULL */
} finding;

/* The record of a line, which is the batch's line of this number. */
static inline gs_code take_line(const finding *f, const uint8_t *line, size_t bytes,
                                uint64_t number, gs_status *st)
{
    gs_batch_records *const b = f->b;
    GS_TRY(add_record(f->maker, b, f->encoder, line, bytes, st));
    if (__builtin_expect(b->has_bad, 0)) {
        b->bad_line = number;
        b->bad_at = (size_t)(line - f->batch->data);
    }
    return GS_OK;
}

/* Those that wait, as far as the sieve lets them through. */
static __attribute__((noinline)) gs_code sift_lines(const finding *f, gs_status *st)
{
    gs_batch_records *const b = f->b;
    const size_t count = b->waiting_count;
    bool stays[GS_SIEVE_LINES];
    b->waiting_count = 0;
    if (b->has_bad || count == 0)
        return GS_OK;
    f->sieve->pick(f->sieve->context, f->batch->input_index, b->waiting, count, stays);
    for (size_t i = 0; i < count && !b->has_bad; i++) {
        const gs_sieve_line line = b->waiting[i];
        if (stays[i])
            GS_TRY(
                take_line(f, line.data, line.bytes, b->line_count - count + i + 1, st));
    }
    return GS_OK;
}

static inline gs_code add_line(const finding *f, const uint8_t *line, size_t bytes,
                               gs_status *st)
{
    gs_batch_records *const b = f->b;
    b->line_count++;
    if (__builtin_expect(f->sieve == NULL, 1))
        return take_line(f, line, bytes, b->line_count, st);
    b->waiting[b->waiting_count++] = (gs_sieve_line){line, bytes};
    return b->waiting_count < GS_SIEVE_LINES ? GS_OK : sift_lines(f, st);
}

static gs_code add_fixed(const finding *f, gs_status *st)
{
    const gs_line_batch *const batch = f->batch;
    const gs_sort_options *const o = f->maker->forming->options;
    const size_t size = o->input_record_sizes != NULL
                            ? o->input_record_sizes[batch->input_index]
                            : o->order.record_size;
    for (size_t at = 0; at < batch->bytes && !f->b->has_bad; at += size)
        GS_TRY(add_line(f, batch->data + at, size, st));
    return sift_lines(f, st);
}

static gs_code add_lines(const finding *f, gs_status *st)
{
    const gs_line_batch *const batch = f->batch;
    const gs_batch_records *const b = f->b;
    const uint8_t *const data = batch->data;
    gs_line_iter it = gs_line_iter_begin(data, batch->bytes, f->maker->layout.eol);
    while (gs_line_iter_load(&it) && !b->has_bad) {
        while (!b->has_bad && gs_line_iter_next(&it))
            GS_TRY(add_line(f, data + it.begin, it.end - it.begin, st));
    }
    if (batch->lacks_final_eol && it.rest < batch->bytes && !b->has_bad)
        GS_TRY(add_line(f, data + it.rest, batch->bytes - it.rest, st));
    return sift_lines(f, st);
}

static gs_code fail_json(const finding *f, gs_status *st)
{
    const gs_line_batch *const batch = f->batch;
    const size_t at = f->b->bad_at;
    const size_t rest = batch->bytes - at;
    const size_t bytes = gs_line_find(batch->data + at, rest, f->maker->layout.eol);
    const char *const why = gs_json_line_why(batch->data + at, bytes);
    gs_assert(why != NULL);
    return gs_line_batch_fail(
        batch, f->maker->forming->options->inputs[batch->input_index], at, 0, why, st);
}

/* A record that may have several lines, and no key. */
static gs_code fail_keyless(const finding *f, gs_status *st)
{
    const gs_line_batch *const batch = f->batch;
    const gs_key_maker *const maker = gs_key_encoder_maker(f->encoder);
    const char *const name = f->maker->forming->options->inputs[batch->input_index];
    GS_NOTED(gs_line_batch_fail(batch, name, f->b->bad_at, 0, maker->complaint, st));
    return gs_status_hint(st, maker->hint);
}

/* The records of a CSV text; the first that is broken, or has no key, ends it. */
static gs_code add_csv(const finding *f, gs_status *st)
{
    const gs_sort_options *const o = f->maker->forming->options;
    const gs_line_batch *const batch = f->batch;
    const uint8_t *const data = batch->data;
    gs_csv_iter it = gs_csv_iter_begin(data, batch->bytes, gs_order_csv(&o->order));
    while (!f->b->has_bad && gs_csv_iter_load(&it)) {
        while (!f->b->has_bad && gs_csv_iter_next(&it))
            GS_TRY(add_line(f, data + it.begin, it.end - it.begin, st));
    }
    const char *const why = f->b->has_bad ? NULL : gs_csv_iter_why(&it);
    if (why == NULL && !f->b->has_bad && it.rest < batch->bytes)
        GS_TRY(add_line(f, data + it.rest, batch->bytes - it.rest, st));
    GS_TRY(sift_lines(f, st));
    if (f->b->has_bad)
        return fail_keyless(f, st);
    return why == NULL ? GS_OK
                       : gs_line_batch_fail(batch, o->inputs[batch->input_index], it.rest,
                                            it.broken_at - it.rest, why, st);
}

/* --- all -------------------------------------------------------------------- */

gs_code gs_batch_records_make(const gs_record_maker *maker, gs_batch_records *b,
                              const gs_line_batch *batch, gs_status *st)
{
    const gs_order *const order = &maker->forming->options->order;
    const finding f = {
        .maker = maker,
        .b = b,
        .batch = batch,
        .encoder = gs_record_maker_encoder(maker, batch->input_index),
        .sieve = maker->forming->line_sieve,
    };
    b->record_bytes = 0;
    b->element_count = 0;
    b->line_count = b->left_out = 0;
    b->has_bad = false;
    b->waiting_count = 0;
    if (order->record_size > 0)
        return add_fixed(&f, st);
    if (gs_form_has_quotes(order->form))
        return add_csv(&f, st);
    GS_TRY(add_lines(&f, st));
    return b->has_bad && gs_form_is_objects(order->form) ? fail_json(&f, st) : GS_OK;
}

void gs_batch_records_trim(gs_batch_records *b, size_t batch_bytes)
{
    if (batch_bytes <= GS_CHUNK_USUAL_BYTES)
        return;
    gs_mem_free(b->records);
    b->records = NULL;
    b->record_capacity = 0;
}

void gs_batch_records_release(gs_batch_records *b)
{
    gs_mem_free(b->records);
    gs_mem_free(b->elements);
    *b = (gs_batch_records){0};
}
