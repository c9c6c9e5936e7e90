/* SPDX-License-Identifier: MIT */
/*
 * gs_sort_check: is the input in order?
 *
 * One pass over the batches; each record's string is compared with that of the record
 * before, which is kept as a copy from one batch to the next.
 */
#include "io/input.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/key_encode.h"
#include "lib/sort/line_feed.h"
#include "lib/sort/memory_plan.h"
#include "lib/sort/order_layout.h"
#include "lib/sort/sort.h"

typedef struct gs_string_buffer {
    uint8_t *data;
    size_t bytes, capacity;
} gs_string_buffer;

typedef struct gs_checker {
    const gs_sort_options *options;
    gs_record_layout layout;
    gs_key_encoder *encoder;
    gs_string_buffer strings[2]; /* made strings: of this record and of the one before */
    unsigned now;
    const uint8_t *last; /* string of the record before; NULL at the start */
    size_t last_bytes;
    uint64_t line_number;
} gs_checker;

static gs_code make_room(gs_string_buffer *b, size_t bytes, gs_status *st)
{
    if (bytes <= b->capacity)
        return GS_OK;
    void *memory = b->data;
    GS_TRY(gs_mem_resize(&memory, 2 * bytes + 256, "checked record", st));
    b->data = memory;
    b->capacity = 2 * bytes + 256;
    return GS_OK;
}

/* The string of a record: the line itself, or made in the buffer of this turn. */
static gs_code make_string(gs_checker *c, const uint8_t *line, size_t line_bytes,
                           const uint8_t **string, size_t *string_bytes, gs_status *st)
{
    *string = line;
    *string_bytes = line_bytes;
    if (c->encoder == NULL)
        return GS_OK;
    gs_string_buffer *const b = &c->strings[c->now];
    GS_TRY(make_room(b, gs_key_encode_bound(c->encoder, line_bytes) + line_bytes, st));
    size_t bytes = gs_key_encode(c->encoder, line, line_bytes, b->data);
    if (!c->layout.is_key_only) {
        memcpy(b->data + bytes, line, line_bytes);
        bytes += line_bytes;
    }
    *string = b->data;
    *string_bytes = bytes;
    return GS_OK;
}

/* *found when the line is out of place after the one before. */
static gs_code check_line(gs_checker *c, const uint8_t *line, size_t line_bytes,
                          bool *found, gs_status *st)
{
    const uint8_t *string;
    size_t bytes;
    c->line_number++;
    GS_TRY(make_string(c, line, line_bytes, &string, &bytes, st));
    if (c->last != NULL) {
        int d = gs_string_compare(c->last, c->last_bytes, string, bytes, 0);
        if (c->layout.is_backwards)
            d = -d;
        *found = d > 0 || (d == 0 && c->options->order.unique);
    }
    c->last = string;
    c->last_bytes = bytes;
    c->now ^= 1;
    return GS_OK;
}

static gs_code check_batch(gs_checker *c, const gs_line_batch *batch,
                           gs_sort_disorder *out, gs_status *st)
{
    const size_t record_size = c->options->order.record_size;
    const uint8_t *line = batch->data;
    const uint8_t *const end = batch->data + batch->bytes;
    while (line < end) {
        const size_t left = (size_t)(end - line);
        const uint8_t *const eol = record_size ? NULL : memchr(line, c->layout.eol, left);
        const size_t bytes =
            record_size ? record_size : (eol ? (size_t)(eol - line) : left);
        GS_TRY(check_line(c, line, bytes, &out->found, st));
        if (out->found) {
            out->line_number = c->line_number;
            out->line_bytes = bytes;
            void *copy = NULL;
            GS_TRY(gs_mem_new(&copy, bytes, "line out of order", st));
            memcpy(copy, line, bytes);
            out->line = copy;
            return GS_OK;
        }
        line += bytes + (record_size ? 0 : 1);
    }
    /* The batch goes away: keep the last string if it lies in it. */
    if (c->encoder == NULL) {
        gs_string_buffer *const b = &c->strings[0];
        GS_TRY(make_room(b, c->last_bytes, st));
        memcpy(b->data, c->last, c->last_bytes);
        c->last = b->data;
    }
    return GS_OK;
}

static gs_code check_all(gs_checker *c, gs_line_feed *feed, gs_sort_disorder *out,
                         gs_status *st)
{
    for (;;) {
        gs_line_batch batch;
        bool has_batch;
        GS_TRY(gs_line_feed_next(feed, &batch, &has_batch, st));
        if (!has_batch)
            return GS_OK;
        GS_NOTED(check_batch(c, &batch, out, st));
        gs_line_batch_release(&batch);
        if (out->found || st->code != GS_OK)
            return st->code;
    }
}

gs_code gs_sort_check(const gs_sort_options *options, gs_sort_disorder *out,
                      gs_status *st)
{
    gs_assert(options->input_count == 1);
    *out = (gs_sort_disorder){0};
    gs_checker c = {.options = options,
                    .layout = gs_order_layout(&options->order, false)};
    const gs_memory_plan plan = gs_memory_plan_make(options->memory_bytes, 1, false);
    gs_block_pool *pool = NULL;
    gs_input *input = NULL;
    gs_line_feed *feed = NULL;
    if (c.layout.is_keyed)
        GS_TRY_OR_FAIL(
            gs_key_encoder_new(&c.encoder, &options->order, c.layout.is_backwards, st));
    GS_TRY_OR_FAIL(gs_block_pool_new(&pool, plan.block_bytes, plan.block_count, st));
    const gs_input_options input_options = {
        .pool = pool,
        .blocks_in_flight = GS_BLOCKS_IN_FLIGHT,
        .decode_threads = 1,
        .keep_compressed = options->keep_compressed,
        .no_uring = options->no_uring,
        .log = options->log,
    };
    GS_TRY_OR_FAIL(gs_input_new(&input, options->inputs, 1, &input_options, st));
    const gs_line_feed_options feed_options = {
        .eol = options->order.eol,
        .record_size = options->order.record_size,
        .record_bytes_max = plan.record_bytes_max,
        .header_lines = options->header_lines,
        .names = options->inputs,
    };
    const gs_block_source blocks = gs_block_source_input(input);
    GS_TRY_OR_FAIL(gs_line_feed_new(&feed, &blocks, &feed_options, st));
    c.line_number = options->header_lines;
    GS_NOTED(check_all(&c, feed, out, st));
fail:
    gs_line_feed_free(feed);
    gs_input_free(input);
    gs_block_pool_free(pool);
    gs_key_encoder_free(c.encoder);
    gs_mem_free(c.strings[0].data);
    gs_mem_free(c.strings[1].data);
    return st->code;
}
