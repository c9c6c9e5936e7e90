/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_source.h"

#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

enum { POOL_BLOCKS = 3, LEAVE_BYTES = 1 << 20 };

/* Starts on the first line of what `blocks` gives. */
static gs_code start(gs_text_source *source, const gs_block_source *blocks,
                     const char *const *name, const gs_text_source_options *options,
                     gs_status *st)
{
    const bool is_csv = gs_form_has_quotes(options->order->form);
    const gs_csv_form csv = gs_order_csv(options->order);
    const gs_line_feed_options feed = {
        .eol = options->order->eol,
        .record_size = options->order->record_size,
        .record_bytes_max = options->record_bytes_max,
        .too_long_hint = options->too_long_hint,
        .header_lines = source->run ? 0 : options->header_lines,
        .shares_header = options->shares_header && !source->run,
        .counts_lines = !gs_form_is_plain(options->order->form),
        .csv = is_csv ? &csv : NULL,
        .names = name,
    };
    GS_TRY(gs_line_feed_new(&source->feed, blocks, &feed, st));
    if (feed.shares_header)
        return gs_line_feed_read_header(source->feed, st);
    return gs_text_source_advance(source, options, st);
}

gs_code gs_text_source_open(gs_text_source *source, const char *const *name,
                            const gs_text_source_options *options, gs_status *st)
{
    *source = (gs_text_source){.is_open = true, .name = *name};
    GS_TRY_OR_FAIL(
        gs_block_pool_new(&source->pool, options->block_bytes, POOL_BLOCKS, st));
    const gs_input_options input = {
        .pool = source->pool,
        .blocks_in_flight = 1,
        .decode_threads = 1,
        .keep_compressed = options->keep_compressed,
        .no_uring = true, /* a ring would cost a descriptor a file */
        .log = options->log,
        .cancel = options->cancel,
    };
    GS_TRY_OR_FAIL(gs_input_new(&source->input, name, 1, &input, st));
    const gs_block_source blocks = gs_block_source_input(source->input);
    GS_TRY_OR_FAIL(start(source, &blocks, name, options, st));
    return GS_OK;
fail:
    gs_text_source_close(source);
    return st->code;
}

gs_code gs_text_source_open_run(gs_text_source *source, gs_text_run *run,
                                const gs_text_source_options *options, gs_status *st)
{
    static const char *const name = "temporary file";
    *source = (gs_text_source){.is_open = true, .name = name, .run = run};
    GS_TRY_OR_FAIL(
        gs_block_pool_new(&source->pool, options->block_bytes, POOL_BLOCKS, st));
    GS_TRY_OR_FAIL(gs_text_run_open_read(run, source->pool, st));
    const gs_block_source blocks = {gs_text_run_next, run, NULL};
    GS_TRY_OR_FAIL(start(source, &blocks, &name, options, st));
    return GS_OK;
fail:
    gs_text_source_close(source);
    return st->code;
}

gs_code gs_text_source_open_text(gs_text_source *source, const uint8_t *text,
                                 size_t bytes, const gs_text_source_options *options,
                                 gs_status *st)
{
    *source = (gs_text_source){.is_open = true,
                               .has_line = bytes > 0,
                               .name = "text",
                               .at = text,
                               .end = text + bytes,
                               .kept = text};
    if (gs_text_source_advance(source, options, st) != GS_OK)
        gs_text_source_close(source);
    return st->code;
}

void gs_text_source_close(gs_text_source *source)
{
    gs_line_batch_release(&source->batch);
    gs_line_feed_free(source->feed);
    gs_input_free(source->input);
    if (source->run != NULL)
        gs_text_run_close_read(source->run);
    gs_block_pool_free(source->pool);
    gs_line_string_release(&source->string);
    *source = (gs_text_source){0};
}

void gs_text_source_header(const gs_text_source *source, const uint8_t **bytes,
                           size_t *count)
{
    gs_line_feed_header(source->feed, bytes, count);
}

/* How long the record is that begins what is left, without its eol. */
static gs_code find_end(const gs_text_source *source,
                        const gs_text_source_options *options, size_t *bytes,
                        gs_status *st)
{
    const size_t left = (size_t)(source->end - source->at);
    const char *why = NULL;
    size_t broken_at = 0;
    if (gs_form_has_quotes(options->order->form)) {
        *bytes = gs_csv_record_end(source->at, left, gs_order_csv(options->order), &why,
                                   &broken_at);
    } else {
        *bytes = gs_line_find(source->at, left, options->order->eol);
        if (gs_form_is_objects(options->order->form))
            why = gs_json_line_why(source->at, *bytes);
    }
    if (why == NULL)
        return GS_OK;
    const size_t before = (size_t)(source->at - source->batch.data);
    return gs_line_batch_fail(&source->batch, source->name, before, broken_at, why, st);
}

/* The next batch of a feed, if there is one. The witness is told at once: a merge that
 * has enough leaves batches before it has used them up. */
static gs_code take_batch(gs_text_source *source, const gs_text_source_options *options,
                          gs_status *st)
{
    gs_line_batch *const batch = &source->batch;
    gs_line_batch_release(batch);
    source->has_line = false;
    if (source->feed != NULL)
        GS_TRY(gs_line_feed_next(source->feed, batch, &source->has_line, st));
    if (!source->has_line)
        return GS_OK;
    if (source->input != NULL)
        gs_witness_read_text(options->witness, batch->data, batch->bytes);
    source->at = batch->data;
    source->end = source->at + batch->bytes;
    return GS_OK;
}

gs_code gs_text_source_advance(gs_text_source *source,
                               const gs_text_source_options *options, gs_status *st)
{
    if (source->at == source->end) {
        GS_TRY(take_batch(source, options, st));
        if (!source->has_line)
            return GS_OK;
    }
    if (source->kept != NULL && (size_t)(source->at - source->kept) > LEAVE_BYTES) {
        gs_file_map_leave_part(source->kept, (size_t)(source->at - source->kept));
        source->kept = source->at;
    }
    const size_t record_size = options->order->record_size;
    const size_t left = (size_t)(source->end - source->at);
    source->line = source->at;
    source->line_bytes = record_size;
    if (record_size == 0)
        GS_TRY(find_end(source, options, &source->line_bytes, st));
    const bool has_eol = record_size == 0 && source->line_bytes < left;
    source->is_whole = record_size > 0 || has_eol;
    source->at += source->line_bytes + has_eol;
    gs_line_string *const string = &source->string;
    GS_TRY(gs_line_string_make(string, options->layout, options->encoder, source->line,
                               source->line_bytes, st));
    const uint64_t word = gs_string_word(string->data, string->bytes, 0);
    source->prefix = options->layout->is_backwards ? ~word : word;
    return GS_OK;
}
