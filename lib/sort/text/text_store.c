/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_store.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/text/file_merge.h"

typedef struct text_store {
    gs_run_store store;  /* first */
    gs_file_merge merge; /* its inputs are the runs */
    size_t capacity;     /* of the inputs */
    gs_sink sink;        /* of the run that is open, the last of the inputs */
} text_store;

static void see_no_sample(gs_run_store *store, const uint8_t *data, size_t bytes)
{
    (void)store, (void)data, (void)bytes;
}

/* Adds an unwritten run to the list. */
static gs_code add_run(text_store *t, gs_stream_target *target, gs_status *st)
{
    gs_file_merge *const m = &t->merge;
    gs_text_run *run = NULL;
    GS_TRY(gs_mem_grow(&m->inputs, &t->capacity, m->input_count + 1, "list of runs", st));
    GS_TRY(gs_mem_new(&run, sizeof *run, "text run", st));
    m->inputs[m->input_count++] = (gs_merge_input){.run = run};
    return gs_text_run_create(run, m->spill, &m->filter, target, st);
}

static gs_code open_run(gs_run_store *store, gs_sink **sink, gs_status *st)
{
    text_store *const t = (text_store *)store;
    const gs_memory_plan *const plan = store->options.plan;
    const gs_sort_options *const o = store->options.options;
    gs_stream_target target;
    if (t->merge.spill == NULL)
        GS_TRY(gs_spill_new(&t->merge.spill, o->temp_folders, o->temp_folder_count, st));
    GS_TRY(gs_file_merge_make_room(&t->merge, st));
    GS_TRY(add_run(t, &target, st));
    t->sink =
        (gs_sink){.layout = *store->options.layout, .buffer_bytes = plan->piece_bytes};
    GS_TRY(gs_stream_new(&t->sink.stream, &target, plan->stream_block_bytes,
                         plan->stream_blocks, st));
    gs_sink_init(&t->sink);
    *sink = &t->sink;
    return GS_OK;
}

static gs_code close_run(gs_run_store *store, gs_status *st)
{
    text_store *const t = (text_store *)store;
    gs_sort_stats *const stats = store->options.options->stats;
    uint64_t total = 0;
    if (st->code != GS_OK)
        gs_stream_abort(t->sink.stream, st);
    GS_NOTED(gs_stream_finish(t->sink.stream, &total, st));
    gs_stream_free(t->sink.stream);
    gs_sink_release(&t->sink);
    if (stats != NULL) {
        atomic_fetch_add(&stats->runs, 1);
        atomic_fetch_add(&stats->spill_bytes, total);
    }
    GS_TRY(st->code);
    store->run_count++;
    return gs_text_run_finish(t->merge.inputs[t->merge.input_count - 1].run, total, st);
}

static gs_code reduce(gs_run_store *store, gs_status *st)
{
    return gs_file_merge_reduce(&((text_store *)store)->merge, st);
}

static gs_code merge_last(gs_run_store *store, gs_sink *sink, uint64_t ticket,
                          gs_status *st)
{
    gs_sort_stats *const stats = store->options.options->stats;
    if (stats != NULL)
        atomic_fetch_add(&stats->passes, 1);
    return gs_file_merge_last(&((text_store *)store)->merge, sink, ticket, st);
}

static void free_store(gs_run_store *store)
{
    text_store *const t = (text_store *)store;
    gs_file_merge_release(&t->merge);
    gs_spill_free(t->merge.spill);
    gs_mem_free(t);
}

static const gs_run_store_kind kind = {
    .holds_counts = false,
    .see_sample = see_no_sample,
    .open = open_run,
    .close = close_run,
    .reduce = reduce,
    .merge_last = merge_last,
    .free = free_store,
};

gs_code gs_text_store_new(gs_run_store **out, const gs_run_store_options *options,
                          gs_status *st)
{
    const gs_sort_options *const o = options->options;
    const gs_memory_plan *const plan = options->plan;
    text_store *t = NULL;
    *out = NULL;
    gs_assert(options->checkpoint == NULL);
    GS_TRY(gs_mem_new(&t, sizeof *t, "list of runs", st));
    t->store = (gs_run_store){
        .kind = &kind, .options = *options, .merge_piece_bytes = plan->piece_bytes};
    t->merge = (gs_file_merge){
        .options = o,
        .plan = plan,
        .source = {.order = &o->order,
                   .layout = options->layout,
                   .encoder = options->encoder,
                   .block_bytes = plan->block_bytes,
                   .record_bytes_max = plan->record_bytes_max,
                   .too_long_hint = plan->too_long_hint,
                   .log = o->log,
                   .witness = options->witness},
        .merge = {.is_unique = o->order.unique || o->count,
                  .has_counts = o->count,
                  .has_top = o->has_top,
                  .top_count = o->top_count,
                  .cancel = o->cancel_signal},
        .filter = {.program = o->compress_program, .log = o->log},
        .fan_in = gs_file_merge_fan_in(o, plan),
    };
    *out = &t->store;
    return GS_OK;
}
