/* SPDX-License-Identifier: MIT */
#include "lib/join/join_sorted.h"

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/sort_input.h"

struct gs_join_sorted {
    const gs_sort_options *options;
    gs_memory_plan plan;
    gs_record_layout layout;
    gs_sort_input in;
    gs_forming forming;
    gs_former *former; /* what fits is there; NULL: it is in runs */
    gs_run_store *runs;
    bool is_reduced;
    uint64_t phase_begin_ns;
};

/* The time so far is that of the phase before. */
static void set_phase(gs_join_sorted *s, gs_sort_phase phase)
{
    gs_sort_stats_begin_phase(s->options->stats, phase, &s->phase_begin_ns);
}

static void end_phase(gs_join_sorted *s)
{
    gs_sort_stats *const stats = s->options->stats;
    if (stats != NULL)
        set_phase(s, (gs_sort_phase)atomic_load(&stats->phase));
}

static gs_code open_input(gs_join_sorted *s, const gs_join_sorting *sorting,
                          gs_status *st)
{
    const gs_sort_options *const o = s->options;
    gs_team *const team = sorting->team;
    s->in.see_header = sorting->see_header;
    s->in.header_context = sorting->header_context;
    GS_TRY(gs_sort_input_open(&s->in, o, &s->plan, &s->layout, st));
    GS_TRY(gs_input_begin(s->in.input, st));
    const gs_run_store_options runs = {
        .options = o, .plan = &s->plan, .layout = &s->layout, .team = team};
    GS_TRY(gs_block_store_new(&s->runs, &runs, st));
    s->forming = (gs_forming){
        .options = o,
        .plan = &s->plan,
        .layout = &s->layout,
        .input_encoders = sorting->encoders,
        .line_sieve = sorting->line_sieve,
        .sieve = sorting->sieve,
        .team = team,
        .pool = s->in.pool,
        .input = s->in.input,
        .feed = s->in.feed,
    };
    return gs_memory_former_new(&s->former, &s->forming, st);
}

static gs_code spill(gs_join_sorted *s, gs_status *st)
{
    const gs_emit_options options = {.cancel = s->options->cancel_signal};
    const uint8_t *data;
    size_t bytes;
    gs_sink *sink;
    s->former->kind->sample(s->former, &data, &bytes);
    gs_run_store_see_sample(s->runs, data, bytes);
    GS_TRY(gs_run_store_open(s->runs, &sink, st));
    GS_NOTED(s->former->kind->emit(s->former, sink, &options, st));
    GS_TRY(gs_run_store_close(s->runs, st));
    s->former->kind->clear(s->former);
    return GS_OK;
}

static gs_code form_runs(gs_join_sorted *s, gs_status *st)
{
    gs_filled filled = GS_FILLED_SOME;
    while (filled != GS_FILLED_LAST) {
        set_phase(s, GS_PHASE_READ);
        GS_TRY(s->former->kind->fill(s->former, &filled, st));
        gs_assert(filled != GS_FILLED_NOTHING);
        set_phase(s, GS_PHASE_SORT);
        const bool fits = filled == GS_FILLED_LAST && s->runs->run_count == 0;
        if (!fits && !s->former->kind->is_empty(s->former))
            GS_TRY(spill(s, st));
    }
    return GS_OK;
}

/* What is only needed to read gives its memory to the merge. */
static void close_forming(gs_join_sorted *s)
{
    if (s->former != NULL)
        s->former->kind->free(s->former);
    s->former = NULL;
    gs_sort_input_close(&s->in);
}

gs_code gs_join_sorted_new(gs_join_sorted **out, const gs_join_sorting *sorting,
                           gs_status *st)
{
    gs_join_sorted *s = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "sorted inputs", st));
    s->options = sorting->options;
    s->plan = *sorting->plan;
    s->layout = gs_join_record_layout(sorting->options);
    s->phase_begin_ns = gs_machine_now_ns();
    if (open_input(s, sorting, st) != GS_OK || form_runs(s, st) != GS_OK) {
        gs_join_sorted_free(s);
        return st->code;
    }
    if (s->runs->run_count > 0)
        close_forming(s);
    *out = s;
    return GS_OK;
}

void gs_join_sorted_free(gs_join_sorted *s)
{
    if (s == NULL)
        return;
    close_forming(s);
    gs_sort_input_release(&s->in);
    gs_run_store_free(s->runs);
    end_phase(s);
    gs_mem_free(s);
}

gs_code gs_join_sorted_consume(gs_join_sorted *s, const gs_range_consumer *consumer,
                               bool is_last, gs_status *st)
{
    if (s->former != NULL)
        return s->former->kind->consume(s->former, consumer, st);
    set_phase(s, GS_PHASE_MERGE);
    if (!s->is_reduced)
        GS_TRY(gs_run_store_reduce(s->runs, st));
    s->is_reduced = true;
    return gs_block_store_consume(s->runs, consumer, is_last, st);
}

gs_record_layout gs_join_record_layout(const gs_sort_options *o)
{
    return (gs_record_layout){.is_keyed = true,
                              .is_key_only = true,
                              .has_eol = o->order.record_size == 0,
                              .eol = o->order.eol};
}

size_t gs_join_sorted_piece_bytes(const gs_join_sorted *s)
{
    return s->former != NULL ? s->plan.piece_bytes : s->runs->merge_piece_bytes;
}

const uint8_t *gs_join_sorted_header(const gs_join_sorted *s, size_t input, size_t *bytes)
{
    const uint8_t *header;
    size_t all;
    gs_line_feed_header(s->in.feed, &header, &all);
    const size_t first = gs_line_feed_first_header_bytes(s->in.feed);
    const size_t mine = input == 0 ? first : all - first;
    if (mine == 0)
        return NULL;
    *bytes = mine - 1; /* it has its eol */
    return header + (input == 0 ? 0 : first);
}
