/* SPDX-License-Identifier: MIT */
/*
 * gs_sort_merge: merge files that are sorted already (-m).
 */
#include "io/output.h"
#include "io/spill.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/text/texts.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/sort.h"
#include "lib/sort/sort_input.h"

enum { MERGE_BLOCK_BYTES = 128 * 1024 };

static gs_code merge_last(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    return gs_file_merge_last(context, sink, ticket, st);
}

static gs_code merge_mapped(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    return gs_mapped_merge_run(context, sink, ticket, st);
}

/* The last pass. */
static gs_code write_text(const gs_file_merge *m, const gs_memory_plan *plan,
                          gs_output *output, gs_text_output_fn *make, void *context,
                          gs_status *st)
{
    gs_sort_stats *const stats = m->options->stats;
    const gs_text_output out = {.options = m->options,
                                .plan = plan,
                                .layout = m->source.layout,
                                .output = output,
                                .witness = m->source.witness,
                                .wrong_code = GS_ERR_FORMAT,
                                .piece_bytes = plan->piece_bytes};
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
    GS_TRY(gs_file_merge_reduce(m, st));
    return write_text(m, m->plan, output, merge_last, m, st);
}

static gs_code merge_all(gs_file_merge *m, gs_output *output, gs_status *st)
{
    gs_mapped_merge *mapped = NULL;
    if (!m->options->no_map)
        GS_TRY(gs_mapped_merge_new(&mapped, m, gs_output_fd(output), st));
    if (mapped == NULL)
        return merge_read(m, output, st);
    GS_NOTED(
        write_text(m, gs_mapped_merge_plan(mapped), output, merge_mapped, mapped, st));
    gs_mapped_merge_free(mapped);
    return st->code;
}

gs_code gs_sort_merge(const gs_sort_options *options, gs_status *st)
{
    gs_assert(options->input_count > 0);
    const bool drops = options->order.unique || options->count;
    const gs_record_layout layout = gs_order_layout(&options->order, options->count);
    gs_memory_plan plan = gs_memory_plan_make(options->memory_bytes, 1, layout.is_keyed);
    if (plan.block_bytes > MERGE_BLOCK_BYTES)
        plan.block_bytes = MERGE_BLOCK_BYTES;
    plan.stream_block_bytes = plan.block_bytes;
    gs_key_encoder *encoder = NULL;
    gs_output *output = NULL;
    gs_file_merge m = {
        .options = options,
        .plan = &plan,
        .source = {.order = &options->order,
                   .layout = &layout,
                   .block_bytes = plan.block_bytes,
                   .record_bytes_max = plan.record_bytes_max,
                   .too_long_hint = plan.too_long_hint,
                   .keep_compressed = options->keep_compressed,
                   .log = options->log},
        .merge = {.is_unique = drops,
                  .has_counts = options->count,
                  .has_top = options->has_top,
                  .top_count = options->top_count,
                  .cancel = options->cancel_signal},
        .filter = {.program = options->compress_program, .log = options->log},
        .fan_in = gs_file_merge_fan_in(options, &plan),
    };
    GS_TRY_OR_FAIL(gs_text_output_open(&output, options, st));
    if (options->verify) {
        gs_witness_options watched = gs_sort_watched(options, &layout);
        watched.order_hint = "were the inputs sorted in the order that was asked for?";
        GS_TRY_OR_FAIL(gs_witness_new(&m.source.witness, &watched, st));
    }
    if (layout.is_keyed)
        GS_TRY_OR_FAIL(
            gs_key_encoder_new(&encoder, &options->order, layout.is_backwards, st));
    m.source.encoder = encoder;
    GS_TRY_OR_FAIL(
        gs_spill_new(&m.spill, options->temp_folders, options->temp_folder_count, st));
    GS_NOTED(merge_all(&m, output, st));
fail:
    gs_file_merge_release(&m);
    gs_spill_free(m.spill);
    gs_output_free(output);
    gs_witness_free(m.source.witness);
    gs_key_encoder_free(encoder);
    return st->code;
}
