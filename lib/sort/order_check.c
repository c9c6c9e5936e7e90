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
#include "lib/sort/record/records.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/sort.h"

typedef struct gs_checker {
    const gs_sort_options *options;
    gs_record_layout layout;
    gs_key_encoder *encoder;
    gs_line_string strings[2]; /* of this record and of the one before */
    unsigned now;
    bool has_last;
    uint64_t line_number;
} gs_checker;

/* *found when the line is out of place after the one before. */
static gs_code check_line(gs_checker *c, const uint8_t *line, size_t line_bytes,
                          bool *found, gs_status *st)
{
    gs_line_string *const string = &c->strings[c->now];
    const gs_line_string *const last = &c->strings[c->now ^ 1];
    c->line_number++;
    GS_TRY(gs_line_string_make(string, &c->layout, c->encoder, line, line_bytes, st));
    if (c->has_last) {
        int d =
            gs_string_compare(last->data, last->bytes, string->data, string->bytes, 0);
        if (c->layout.is_backwards)
            d = -d;
        *found = d > 0 || (d == 0 && c->options->order.unique);
    }
    c->has_last = true;
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
            GS_TRY(gs_mem_new(&out->line, bytes, "line out of order", st));
            memcpy(out->line, line, bytes);
            return GS_OK;
        }
        line += bytes + (record_size ? 0 : 1);
    }
    /* The batch goes away, and with it perhaps the last string. */
    return gs_line_string_keep(&c->strings[c->now ^ 1], st);
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
        .too_long_hint = plan.too_long_hint,
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
    gs_line_string_release(&c.strings[0]);
    gs_line_string_release(&c.strings[1]);
    return st->code;
}
