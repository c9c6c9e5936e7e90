/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_spill.h"

#include "lib/base/mem.h"
#include "lib/sort/form/forms.h"

/* Adds an unwritten run to the list. */
static gs_code add_run(gs_text_spill *s, gs_text_run **out, gs_stream_target *target,
                       gs_status *st)
{
    gs_file_merge *const m = &s->merge;
    m->filter.program = s->options->compress_program;
    m->filter.log = s->options->log;
    GS_TRY(gs_mem_grow(&m->inputs, &s->capacity, m->input_count + 1, "list of runs", st));
    gs_text_run *run = NULL;
    GS_TRY(gs_mem_new(&run, sizeof *run, "text run", st));
    m->inputs[m->input_count++] = (gs_merge_input){.run = run};
    *out = run;
    return gs_text_run_create(run, s->spill, &m->filter, target, st);
}

gs_code gs_text_spill_add(gs_text_spill *s, gs_chunk *chunk, gs_team *team, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    gs_text_run *run = NULL;
    gs_stream_target target;
    GS_TRY(add_run(s, &run, &target, st));
    gs_sink sink = {.layout = *s->layout, .buffer_bytes = s->plan->piece_bytes};
    GS_TRY(gs_stream_new(&sink.stream, &target, s->plan->stream_block_bytes,
                         s->plan->stream_blocks, st));
    gs_sink_init(&sink);
    const gs_chunk_emit_options options = {
        .is_unique = o->order.unique,
        .has_top = o->has_top && !o->count,
        .top_count = o->top_count,
        .witness = s->witness,
        .cancel = o->cancel_signal,
    };
    uint64_t ticket, last_kept, total = 0;
    if (gs_chunk_emit(chunk, team, &sink, &options, &ticket, &last_kept, st) != GS_OK)
        gs_stream_abort(sink.stream, st);
    GS_NOTED(gs_stream_finish(sink.stream, &total, st));
    gs_stream_free(sink.stream);
    gs_sink_release(&sink);
    if (o->stats != NULL) {
        atomic_fetch_add(&o->stats->runs, 1);
        atomic_fetch_add(&o->stats->spill_bytes, total);
    }
    GS_TRY(st->code);
    return gs_text_run_finish(run, total, st);
}

gs_code gs_text_spill_reduce(gs_text_spill *s, const gs_key_encoder *encoder,
                             gs_status *st)
{
    const gs_sort_options *const o = s->options;
    gs_file_merge *const m = &s->merge;
    m->options = o;
    m->plan = s->plan;
    m->source = (gs_text_source_options){
        .order = &o->order,
        .layout = s->layout,
        .encoder = encoder,
        .block_bytes = s->plan->block_bytes,
        .record_bytes_max = s->plan->record_bytes_max,
        .too_long_hint = s->plan->too_long_hint,
        .log = o->log,
    };
    m->merge = (gs_text_merge_options){
        .is_unique = o->order.unique || o->count,
        .has_counts = o->count,
        .has_top = o->has_top,
        .top_count = o->top_count,
        .cancel = o->cancel_signal,
    };
    m->spill = s->spill;
    m->fan_in = gs_file_merge_fan_in(o, s->plan);
    return gs_file_merge_reduce(m, st);
}

gs_code gs_text_spill_merge(gs_text_spill *s, gs_sink *sink, uint64_t ticket,
                            gs_status *st)
{
    return gs_file_merge_last(&s->merge, sink, ticket, st);
}

void gs_text_spill_release(gs_text_spill *s)
{
    gs_file_merge_release(&s->merge);
}
