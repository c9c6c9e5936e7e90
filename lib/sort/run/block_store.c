/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/block_store.h"

#include "lib/base/mem.h"
#include "lib/sort/run/run_codec_choice.h"

typedef struct block_store {
    gs_run_store store; /* first */
    gs_run_list list;
    bool has_codec; /* was chosen */
    gs_run_writer writer;
} block_store;

/* Runs that are in memory need not be small, as long as there is room. */
static bool is_in_memory(block_store *b)
{
    const uint64_t bytes = b->store.options.input_bytes;
    gs_status refusal = {.code = GS_OK}; /* who writes the first run hears of it */
    return bytes > 0 && gs_run_list_need_spill(&b->list, &refusal) == GS_OK &&
           gs_spill_is_in_memory(b->list.spill) &&
           !gs_spill_is_space_short(b->list.spill, 2 * bytes);
}

static void see_sample(gs_run_store *store, const uint8_t *data, size_t bytes)
{
    block_store *const b = (block_store *)store;
    const gs_memory_plan *const plan = store->options.plan;
    if (!b->has_codec)
        b->list.codec = gs_run_codec_choose(
                            data, bytes, plan->workers, plan->run_block_bytes,
                            gs_run_disk_ns(is_in_memory(b)), store->options.options->log)
                            .codec;
    b->has_codec = true;
}

static gs_code open_run(gs_run_store *store, gs_sink **sink, gs_status *st)
{
    block_store *const b = (block_store *)store;
    *sink = &b->writer.sink;
    return gs_run_writer_open(&b->writer, &b->list, store->options.plan->piece_bytes, st);
}

static gs_code close_run(gs_run_store *store, gs_status *st)
{
    block_store *const b = (block_store *)store;
    GS_TRY(gs_run_writer_close(&b->writer, st));
    GS_TRY(gs_run_list_add(&b->list, &b->writer.run, st));
    store->run_count++;
    return GS_OK;
}

static gs_code keep_runs(gs_run_store *store, const gs_input_place *place,
                         const void *extra, size_t extra_bytes, gs_status *st)
{
    const block_store *const b = (const block_store *)store;
    return gs_checkpoint_save(store->options.checkpoint, &b->list, place, extra,
                              extra_bytes, st);
}

static gs_range_merge_options merge_options(const block_store *b, uint64_t first_ticket)
{
    const gs_run_store_options *const store = &b->store.options;
    const gs_sort_options *const o = store->options;
    const uint64_t stored = gs_run_list_stored_bytes(&b->list);
    return (gs_range_merge_options){
        .layout = store->layout,
        .has_counts = o->count,
        .is_unique = o->order.unique || o->count,
        .has_top = o->has_top,
        .top_count = o->top_count,
        .memory_bytes = store->plan->merge_bytes,
        .no_uring = o->no_uring,
        .first_ticket = first_ticket,
        .spill = b->list.spill,
        .gives_space_back = store->checkpoint == NULL &&
                            gs_spill_is_space_short(b->list.spill, 2 * stored),
        .cancel = o->cancel_signal,
        .progress_bytes = o->stats ? &o->stats->merge_bytes : NULL,
    };
}

static gs_code merge_group(void *context, const gs_run *runs, size_t run_count,
                           gs_sink *sink, gs_status *st)
{
    const block_store *const b = context;
    const gs_range_merge_options options = merge_options(b, 0);
    uint64_t ticket;
    return gs_range_merge_run(runs, run_count, b->store.options.team, sink, &options,
                              &ticket, st);
}

static gs_code reduce(gs_run_store *store, gs_status *st)
{
    block_store *const b = (block_store *)store;
    const gs_memory_plan *const plan = store->options.plan;
    const gs_run_reduction reduction = {
        .memory_bytes = plan->merge_bytes,
        .open_bytes = plan->run_block_bytes,
        .piece_bytes = plan->merge_piece_bytes,
        .checkpoint = store->options.checkpoint,
        .merge = merge_group,
        .context = b,
    };
    return gs_run_list_reduce(&b->list, &reduction, st);
}

static gs_code merge_last(gs_run_store *store, gs_sink *sink, uint64_t ticket,
                          gs_status *st)
{
    const block_store *const b = (const block_store *)store;
    const gs_range_merge_options options = merge_options(b, ticket);
    gs_run_list_begin_pass(&b->list);
    return gs_range_merge_run(b->list.runs, b->list.count, store->options.team, sink,
                              &options, &ticket, st);
}

gs_code gs_block_store_consume(gs_run_store *store, const gs_range_consumer *consumer,
                               bool is_last, gs_status *st)
{
    const block_store *const b = (const block_store *)store;
    gs_range_merge_options options = merge_options(b, 0);
    options.gives_space_back = is_last && options.gives_space_back;
    gs_run_list_begin_pass(&b->list);
    return gs_range_merge_consume(b->list.runs, b->list.count, store->options.team,
                                  consumer, &options, st);
}

static void free_store(gs_run_store *store)
{
    block_store *const b = (block_store *)store;
    gs_run_list_release(&b->list);
    gs_mem_free(b);
}

static const gs_run_store_kind kind = {
    .holds_counts = true,
    .see_sample = see_sample,
    .open = open_run,
    .close = close_run,
    .keep = keep_runs,
    .reduce = reduce,
    .merge_last = merge_last,
    .free = free_store,
};

gs_code gs_block_store_new(gs_run_store **out, const gs_run_store_options *options,
                           gs_status *st)
{
    block_store *b = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&b, sizeof *b, "list of runs", st));
    b->store = (gs_run_store){.kind = &kind,
                              .options = *options,
                              .merge_piece_bytes = options->plan->merge_piece_bytes};
    b->list = (gs_run_list){.options = options->options,
                            .plan = options->plan,
                            .layout = options->layout,
                            .witness = options->witness};
    if (options->checkpoint != NULL &&
        gs_checkpoint_give_runs(options->checkpoint, &b->list, st) != GS_OK) {
        free_store(&b->store);
        return st->code;
    }
    b->store.run_count = b->list.count;
    *out = &b->store;
    return GS_OK;
}
