/* SPDX-License-Identifier: MIT */
/*
 * gs_sort_merge: merge files that are sorted already (-m); and those of a sort, if that
 * is seen of them.
 */
#include "lib/sort/merge_job.h"

#include <string.h>
#include <sys/stat.h>

#include "gpu/engine/engine.h"
#include "io/output.h"
#include "io/spill.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/column_names.h"
#include "lib/sort/text/texts.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/sort.h"
#include "lib/sort/sort_input.h"

/* The header that all inputs have. */
typedef struct merge_header {
    gs_named_job *named;
    gs_line_feed_options feed;
    gs_csv_form csv;
    gs_file_header header;
} merge_header;

enum { MERGE_BLOCK_BYTES = 128 * 1024 };

static gs_code merge_last(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    return gs_file_merge_last(context, sink, ticket, st);
}

static gs_code merge_mapped(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    return gs_mapped_merge_run(context, sink, ticket, st);
}

static gs_code see_header(void *context, const char *const *name,
                          const gs_text_source *source, gs_status *st)
{
    merge_header *const h = context;
    gs_line_batch text = {.input_index = (size_t)(name - h->feed.names), .first_line = 1};
    const bool is_first = h->header.bytes == 0;
    gs_text_source_header(source, &text.data, &text.bytes);
    GS_TRY(gs_file_header_take(&h->header, &text, st));
    return is_first && h->header.bytes > 0
               ? gs_named_job_resolve(h->named, h->header.data, h->header.bytes, *name,
                                      st)
               : GS_OK;
}

static void init_header(merge_header *h, gs_named_job *named)
{
    const gs_sort_options *const o = &named->options;
    *h = (merge_header){.named = named, .csv = gs_order_csv(&o->order)};
    h->feed = (gs_line_feed_options){.eol = o->order.eol, .names = o->inputs};
    h->feed.header_lines = o->header_lines;
    h->feed.csv = gs_form_has_quotes(o->order.form) ? &h->csv : NULL;
    gs_file_header_init(&h->header, &h->feed);
}

/* The header is known before the output begins. Of empty files before it there is nothing
 * to merge. */
static gs_code read_header(gs_file_merge *m, gs_status *st)
{
    const merge_header *const h = m->header_context;
    GS_TRY(gs_file_merge_begin(m, st));
    while (h->header.bytes == 0 && m->input_count > 1) {
        gs_text_source_close(&m->first);
        m->input_count--;
        memmove(m->inputs, m->inputs + 1, m->input_count * sizeof *m->inputs);
        GS_TRY(gs_file_merge_begin(m, st));
    }
    return GS_OK;
}

static gs_text_output describe_output(const gs_file_merge *m, const gs_memory_plan *plan,
                                      gs_output *output)
{
    const merge_header *const h = m->header_context;
    return (gs_text_output){.options = m->options,
                            .plan = plan,
                            .layout = m->source.layout,
                            .output = output,
                            .witness = m->source.witness,
                            .wrong_code = GS_ERR_FORMAT,
                            .piece_bytes = plan->piece_bytes,
                            .header = h->header.data,
                            .header_bytes = h->header.bytes};
}

/* The last pass. */
static gs_code write_text(const gs_file_merge *m, const gs_memory_plan *plan,
                          gs_output *output, bool fills_cache, gs_text_output_fn *make,
                          void *context, gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    gs_text_output out = describe_output(m, plan, output);
    out.fills_cache = fills_cache && gs_output_is_own_file(output);
    if (stats != NULL) {
        atomic_fetch_add(&stats->passes, 1);
        atomic_store(&stats->phase, GS_PHASE_MERGE);
    }
    return gs_text_output_write(&out, make, context, st);
}

/* Passes, then the last one into the output. */
static gs_code merge_read(gs_file_merge *m, gs_output *output, gs_status *st)
{
    const gs_sort_options *const o = m->options;
    GS_TRY(
        gs_mem_new(&m->inputs, o->input_count * sizeof *m->inputs, "merge inputs", st));
    m->input_count = o->input_count;
    for (size_t i = 0; i < o->input_count; i++)
        m->inputs[i].name = &o->inputs[i];
    if (m->source.shares_header)
        GS_TRY(read_header(m, st));
    GS_TRY(gs_file_merge_reduce(m, st));
    return write_text(m, m->plan, output, false, merge_last, m, st);
}

/* The output is a copy of the one input, or of its lines the other way round. */
static gs_code take_copy(const gs_file_merge *m, const gs_memory_plan *plan,
                         gs_output *output, const gs_ordered_copy *copied, gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    const gs_text_output out = describe_output(m, plan, output);
    const gs_multiset records = {copied->records, copied->bytes - copied->records, 0};
    gs_witness_read(m->source.witness, &records);
    if (stats != NULL) {
        atomic_store(&stats->threads, plan->workers);
        atomic_fetch_add(&stats->passes, 1);
        atomic_fetch_add(&stats->records, copied->records);
        atomic_fetch_add(&stats->text_bytes, atomic_load(&stats->merge_bytes));
        atomic_fetch_add(&stats->input_bytes, atomic_load(&stats->merge_bytes));
    }
    return gs_text_output_settle(&out, copied->records, copied->bytes, st);
}

/* Nothing is known of what a wrong guess has made. */
static void forget_guess(gs_file_merge *m, gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    gs_status_clear(st);
    gs_witness_forget(m->source.witness);
    m->has_guessed_wrong = true;
    if (stats == NULL)
        return;
    atomic_fetch_sub(&stats->passes, 1);
    atomic_store(&stats->merge_bytes, 0);
}

/* *is_wrong if it is to be done again. */
static gs_code write_mapped(gs_file_merge *m, gs_mapped_merge *mapped, gs_output *output,
                            bool *is_wrong, gs_status *st)
{
    const gs_memory_plan *const plan = gs_mapped_merge_plan(mapped);
    const gs_ordered_copy *const copied = gs_mapped_merge_copied(mapped);
    *is_wrong = false;
    if (copied != NULL)
        return take_copy(m, plan, output, copied, st);
    const bool fills_cache = gs_mapped_merge_fills_cache(mapped);
    if (fills_cache && gs_memory_plan_mergers_write(plan) && !m->merge.is_unique &&
        !m->options->output_zstd)
        gs_output_expect(output, gs_mapped_merge_bytes(mapped));
    GS_NOTED(write_text(m, plan, output, fills_cache, merge_mapped, mapped, st));
    *is_wrong = st->code != GS_OK && gs_mapped_merge_was_wrong(mapped);
    if (*is_wrong)
        forget_guess(m, st);
    return st->code;
}

static gs_code merge_all(gs_file_merge *m, gs_output *output, bool *is_done,
                         gs_status *st)
{
    const gs_sort_options *const o = m->options;
    const bool may_map = gs_form_is_plain(o->order.form) && !o->no_map;
    bool is_wrong = may_map;
    *is_done = true;
    while (is_wrong) {
        gs_mapped_merge *mapped = NULL;
        GS_TRY(gs_mapped_merge_new(&mapped, m, output, st));
        if (mapped == NULL)
            break;
        if (m->is_sort && o->stats != NULL)
            atomic_store(&o->stats->memory_limit_bytes,
                         gs_mapped_merge_plan(mapped)->limit_bytes);
        GS_NOTED(write_mapped(m, mapped, output, &is_wrong, st));
        gs_mapped_merge_free(mapped);
        if (!is_wrong)
            return st->code;
    }
    *is_done = !m->is_sort;
    return m->is_sort ? GS_OK : merge_read(m, output, st);
}

static gs_code merge_into(gs_named_job *named, gs_output *output, bool is_sort,
                          bool *is_done, gs_status *st)
{
    const gs_sort_options *const options = &named->options;
    merge_header header;
    init_header(&header, named);
    const bool drops = options->order.unique || options->count;
    const gs_record_layout layout = gs_order_layout(&options->order, options->count);
    gs_memory_plan plan = gs_memory_plan_make(options->memory_bytes, 1, layout.is_keyed);
    if (plan.block_bytes > MERGE_BLOCK_BYTES)
        plan.block_bytes = MERGE_BLOCK_BYTES;
    plan.stream_block_bytes = plan.block_bytes;
    gs_key_encoder *encoder = NULL;
    gs_file_merge m = {
        .options = options,
        .plan = &plan,
        .source = {.order = &options->order,
                   .layout = &layout,
                   .block_bytes = plan.block_bytes,
                   .record_bytes_max = plan.record_bytes_max,
                   .too_long_hint = plan.too_long_hint,
                   .header_lines = options->header_lines,
                   .shares_header = options->header_lines > 0,
                   .keep_compressed = options->keep_compressed,
                   .log = options->log,
                   .cancel = options->cancel_signal},
        .merge = {.is_unique = drops,
                  .has_counts = options->count,
                  .has_top = options->has_top,
                  .top_count = options->top_count,
                  .cancel = options->cancel_signal},
        .filter = {.program = options->compress_program, .log = options->log},
        .fan_in = gs_file_merge_fan_in(options, &plan),
        .see_header = see_header,
        .header_context = &header,
        .is_sort = is_sort,
    };
    if (options->verify || is_sort) {
        gs_witness_options watched = gs_sort_watched(options, &layout);
        if (!is_sort)
            watched.order_hint =
                "were the inputs sorted in the order that was asked for?";
        GS_TRY_OR_FAIL(gs_witness_new(&m.source.witness, &watched, st));
    }
    if (layout.is_keyed)
        GS_TRY_OR_FAIL(
            gs_key_encoder_new(&encoder, &options->order, layout.is_backwards, st));
    m.source.encoder = encoder;
    GS_TRY_OR_FAIL(
        gs_spill_new(&m.spill, options->temp_folders, options->temp_folder_count, st));
    GS_NOTED(merge_all(&m, output, is_done, st));
fail:
    gs_file_merge_release(&m);
    gs_file_header_release(&header.header);
    gs_spill_free(m.spill);
    gs_witness_free(m.source.witness);
    gs_key_encoder_free(encoder);
    return st->code;
}

gs_code gs_sort_merge(const gs_sort_options *options, gs_status *st)
{
    gs_named_job named;
    gs_output *output = NULL;
    bool is_done;
    gs_assert(options->input_count > 0);
    GS_TRY(gs_named_job_init(&named, options, st));
    if (gs_text_output_open(&output, &named.options, st) == GS_OK)
        GS_NOTED(merge_into(&named, output, false, &is_done, st));
    gs_output_free(output);
    gs_named_job_release(&named);
    return st->code;
}

/* Large enough to be worth a look, and files whose names can be opened again.
 * Not looked at here or in mapped_texts.c (make lint wants whatever else decides a
 * result): columns, which go with has_columns; top_count, which goes with has_top. */
static bool may_have_stretches(const gs_sort_options *o)
{
    uint64_t bytes = 0;
    if (!gs_form_is_plain(o->order.form) || o->has_columns || o->header_lines > 0 ||
        o->no_map || o->checkpoint != NULL || o->compress_program != NULL ||
        o->input_count > GS_STRETCHES_MAX || gs_engine_is_of_gpu(o->engine))
        return false;
    for (size_t i = 0; i < o->input_count; i++) {
        struct stat info;
        if (strcmp(o->inputs[i], "-") == 0 || stat(o->inputs[i], &info) != 0 ||
            !S_ISREG(info.st_mode))
            return false;
        bytes += (uint64_t)info.st_size;
    }
    return bytes >= GS_STRETCHES_TEXT_MIN;
}

gs_code gs_sort_stretches(const gs_sort_options *options, gs_output *output,
                          bool *is_done, gs_status *st)
{
    gs_sort_stats *const stats = options->stats;
    const uint64_t begin_ns = gs_machine_now_ns();
    *is_done = false;
    if (!may_have_stretches(options))
        return GS_OK;
    gs_named_job named;
    GS_TRY(gs_named_job_init(&named, options, st));
    GS_NOTED(merge_into(&named, output, true, is_done, st));
    gs_named_job_release(&named);
    GS_TRY(st->code);
    if (!*is_done || stats == NULL)
        return GS_OK;
    atomic_fetch_add(&stats->phase_ns[GS_PHASE_MERGE], gs_machine_now_ns() - begin_ns);
    atomic_store(&stats->phase, GS_PHASE_DONE);
    return GS_OK;
}
