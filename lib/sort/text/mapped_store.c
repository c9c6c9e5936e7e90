/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/mapped_store.h"

#include <errno.h>
#include <string.h>

#include "io/spill_map.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/text/mapped_merge.h"

enum {
    CACHED_FILES_MAX = 32,
    CACHED_MAPS_MAX = 1 << 14, /* a quarter of what a process may have */
};

/* Head and tail lie one behind the other, once mapped. */
typedef struct mapped_run {
    uint8_t *base; /* NULL: nothing is in memory, nor mapped */
    size_t map_bytes;
    uint64_t bytes, head_bytes; /* of all; of the head: aligned unless it is all */
    bool is_own;                /* the head is in memory, else in its extent */
    gs_spill_extent head, tail;
    bool is_open; /* the tail's extent */
    gs_map_name *names[2];
} mapped_run;

struct gs_mapped_store {
    gs_run_store store; /* first */
    gs_spill *spill;
    mapped_run *runs;
    size_t count, capacity; /* the one that is open included */
    size_t memory_most, memory_taken;
    gs_sink sink; /* of the run that is open, the last */
    char failure[GS_STREAM_FAILURE_BYTES];
    gs_text *texts; /* NULL: not mapped yet */
    size_t text_count;
    gs_file_merge merge; /* what a merge of them is told */
};

bool gs_mapped_store_suits(const gs_sort_options *o)
{
    return !o->has_top && o->checkpoint == NULL && o->compress_program == NULL;
}

void gs_mapped_store_may_take(gs_mapped_store *s, size_t bytes)
{
    s->memory_most = bytes;
}

static void see_no_sample(gs_run_store *store, const uint8_t *data, size_t bytes)
{
    (void)store, (void)data, (void)bytes;
}

/* --- one more run --------------------------------------------------------------- */

/* Addresses for all of a run, and for a look beyond its end. */
static gs_code need_map(mapped_run *run, uint64_t bytes, gs_status *st)
{
    run->map_bytes = gs_mem_large_pages((size_t)bytes + 2 * (size_t)GS_SPILL_ALIGN);
    return gs_mem_map(&run->base, run->map_bytes, true, "run", st);
}

/* Memory for the beginning of the run that is open. */
static uint64_t place_run(void *context, uint64_t bytes, uint8_t **to)
{
    gs_mapped_store *const s = context;
    mapped_run *const run = &s->runs[s->count - 1];
    const size_t block_bytes = s->store.options.plan->stream_block_bytes;
    const uint64_t room = s->memory_most - s->memory_taken;
    const uint64_t most = bytes <= room ? bytes : room / block_bytes * block_bytes;
    gs_status refusal = {.code = GS_OK};
    gs_assert(run->base == NULL);
    if (most == 0 || need_map(run, bytes, &refusal) != GS_OK)
        return 0;
    run->is_own = true;
    run->head_bytes = run->bytes = most;
    s->memory_taken += (size_t)most;
    *to = run->base;
    return most;
}

static void release_run(gs_mapped_store *s, mapped_run *run)
{
    if (run->is_open)
        gs_spill_extent_close(s->spill, &run->tail, 0);
    for (unsigned i = 0; i < 2; i++)
        gs_map_name_free(run->names[i]);
    gs_mem_unmap(run->base, run->map_bytes);
    *run = (mapped_run){0};
}

static void drop_last(gs_mapped_store *s)
{
    mapped_run *const run = &s->runs[--s->count];
    s->memory_taken -= run->is_own ? (size_t)run->head_bytes : 0;
    release_run(s, run);
}

/* Who writes to the page cache has a file for himself, unless its pages are filled, which
 * need not wait for each other, or the runs were so many maps that there are none left
 * for others. */
static unsigned cached_files(const gs_mapped_store *s)
{
    const gs_memory_plan *const plan = s->store.options.plan;
    const uint64_t maps = s->store.options.input_bytes / plan->stream_block_bytes;
    if (maps > CACHED_MAPS_MAX || gs_spill_is_in_memory(s->spill))
        return 1;
    return plan->workers < CACHED_FILES_MAX ? plan->workers : CACHED_FILES_MAX;
}

static gs_code need_spill(gs_mapped_store *s, gs_status *st)
{
    const gs_run_store_options *const store = &s->store.options;
    const gs_sort_options *const o = store->options;
    if (s->spill != NULL)
        return GS_OK;
    GS_TRY(gs_spill_new(&s->spill, o->temp_folders, o->temp_folder_count, st));
    if (store->input_bytes > 0 && store->input_bytes <= store->plan->cached_bytes) {
        gs_log_say(o->log, GS_LOG_INFO, "runs stay in the page cache");
        gs_spill_stay_cached(s->spill, cached_files(s), store->plan->stream_block_bytes);
    }
    return GS_OK;
}

/* The stream of a new extent. After a failure the extent is not open. */
static gs_code begin_extent(gs_mapped_store *s, gs_spill_extent *extent,
                            gs_stream **stream, uint8_t *stream_memory, gs_status *st)
{
    const gs_memory_plan *const plan = s->store.options.plan;
    const gs_sort_options *const o = s->store.options.options;
    GS_TRY(need_spill(s, st));
    GS_TRY(gs_spill_extent_open(s->spill, extent, st));
    gs_stream_target target = gs_spill_extent_target(s->spill, extent, s->failure);
    target.fills_pages = gs_memory_plan_fills_pages(plan);
    target.no_uring = o->no_uring;
    target.memory = stream_memory;
    target.trace = o->trace;
    if (gs_stream_new(stream, &target, plan->stream_block_bytes, plan->stream_blocks,
                      st) != GS_OK)
        gs_spill_extent_close(s->spill, extent, 0);
    return st->code;
}

static gs_code open_run(gs_run_store *store, gs_sink **sink, gs_status *st)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    gs_assert(s->texts == NULL);
    GS_TRY(gs_mem_grow(&s->runs, &s->capacity, s->count + 1, "list of runs", st));
    mapped_run *const run = &s->runs[s->count++];
    *run = (mapped_run){0};
    s->sink = (gs_sink){.layout = *store->options.layout,
                        .buffer_bytes = store->options.plan->piece_bytes,
                        .is_passing = true,
                        .place = place_run,
                        .place_context = s};
    if (begin_extent(s, &run->tail, &s->sink.stream, store->stream_memory, st) != GS_OK) {
        drop_last(s);
        return st->code;
    }
    run->is_open = true;
    gs_sink_init(&s->sink);
    *sink = &s->sink;
    return GS_OK;
}

static gs_code close_run(gs_run_store *store, gs_status *st)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    gs_sort_stats *const stats = store->options.options->stats;
    mapped_run *const run = &s->runs[s->count - 1];
    uint64_t total = 0;
    if (st->code != GS_OK)
        gs_stream_abort(s->sink.stream, st);
    GS_NOTED(gs_stream_finish(s->sink.stream, &total, st));
    gs_stream_free(s->sink.stream);
    gs_sink_release(&s->sink);
    if (st->code != GS_OK) {
        drop_last(s);
        return st->code;
    }
    gs_spill_extent_close(s->spill, &run->tail, total);
    run->is_open = false;
    run->bytes += total;
    store->run_count++;
    if (stats != NULL) {
        atomic_fetch_add(&stats->runs, 1);
        atomic_fetch_add(&stats->spill_bytes, total);
    }
    return GS_OK;
}

/* --- memory given back ---------------------------------------------------------- */

/* The head of a run. */
static gs_code put_into_file(gs_mapped_store *s, mapped_run *run, gs_status *st)
{
    gs_stream *stream = NULL;
    uint64_t total = 0, offset;
    GS_TRY(begin_extent(s, &run->head, &stream, NULL, st));
    if (gs_stream_reserve(stream, 0, run->head_bytes, true, &offset, st) == GS_OK)
        GS_NOTED(gs_stream_put(stream, offset, run->base, (size_t)run->head_bytes, st));
    if (st->code != GS_OK)
        gs_stream_abort(stream, st);
    GS_NOTED(gs_stream_finish(stream, &total, st));
    gs_stream_free(stream);
    gs_spill_extent_close(s->spill, &run->head, st->code == GS_OK ? total : 0);
    return st->code;
}

/* Who goes on needs the memory: the file takes its place. */
static gs_code give_memory(gs_run_store *store, gs_status *st)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    gs_sort_stats *const stats = store->options.options->stats;
    s->memory_most = 0;
    for (size_t i = 0; i < s->count; i++) {
        mapped_run *const run = &s->runs[i];
        if (!run->is_own)
            continue;
        GS_TRY(put_into_file(s, run, st));
        GS_TRY(gs_spill_map_over(run->base, s->spill, &run->head, &run->names[0], st));
        run->is_own = false;
        if (stats != NULL)
            atomic_fetch_add(&stats->spill_bytes, run->head_bytes);
    }
    s->memory_taken = 0;
    return GS_OK;
}

/* --- as texts ------------------------------------------------------------------- */

/* The tail behind the head, which is there. */
static gs_code map_run(const gs_mapped_store *s, mapped_run *run, gs_status *st)
{
    if (run->base == NULL)
        GS_TRY(need_map(run, run->bytes, st));
    return run->names[1] != NULL
               ? GS_OK
               : gs_spill_map_over(run->base + run->head_bytes, s->spill, &run->tail,
                                   &run->names[1], st);
}

static gs_code map_runs(gs_mapped_store *s, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++)
        GS_TRY(map_run(s, &s->runs[i], st));
    GS_TRY(gs_mem_new_array(&s->texts, s->count, sizeof *s->texts, "texts of runs", st));
    s->text_count = s->count;
    for (size_t i = 0; i < s->count; i++) {
        const mapped_run *const run = &s->runs[i];
        s->texts[i] = (gs_text){.begin = run->base, .end = run->base + run->bytes};
        if (run->is_own)
            s->texts[i].own_end = run->base + run->head_bytes;
    }
    return GS_OK;
}

gs_code gs_mapped_store_texts(gs_mapped_store *s, const gs_text **texts, size_t *count,
                              gs_status *st)
{
    if (s->texts == NULL)
        GS_TRY(map_runs(s, st));
    *texts = s->texts;
    *count = s->text_count;
    return GS_OK;
}

bool gs_mapped_store_drops_equals(const gs_mapped_store *s)
{
    return s->merge.merge.is_unique;
}

size_t gs_mapped_store_readable(const gs_mapped_store *s, size_t text,
                                const uint8_t *from, const uint8_t *end, size_t most)
{
    const mapped_run *const run = &s->runs[text];
    const uint64_t at = (uint64_t)(from - run->base);
    const size_t left = (size_t)(end - from);
    size_t room = most - (size_t)(at % GS_SPILL_ALIGN);
    gs_assert(most % GS_SPILL_ALIGN == 0 && end <= run->base + run->bytes);
    if (at < run->head_bytes && run->head_bytes - at < room)
        room = (size_t)(run->head_bytes - at);
    return left < room ? left : room;
}

/* From where it may be read with O_DIRECT on: heads are aligned, or all there is. */
gs_code gs_mapped_store_read(const gs_mapped_store *s, size_t text, const uint8_t *from,
                             size_t bytes, uint8_t *to, const uint8_t **data,
                             gs_status *st)
{
    const mapped_run *const run = &s->runs[text];
    const uint64_t at = (uint64_t)(from - run->base);
    const bool is_head = at < run->head_bytes;
    const gs_spill_extent *const extent = is_head ? &run->head : &run->tail;
    const size_t before = (size_t)(at % GS_SPILL_ALIGN);
    const size_t all =
        (before + bytes + GS_SPILL_ALIGN - 1) / GS_SPILL_ALIGN * GS_SPILL_ALIGN;
    size_t taken = 0;
    *data = to + before;
    if (is_head && run->is_own) {
        memcpy(to + before, from, bytes);
        return GS_OK;
    }
    const int error = gs_spill_extent_read(
        extent, at - before - (is_head ? 0 : run->head_bytes), to, all, &taken);
    if (error == 0 && taken >= before + bytes)
        return GS_OK;
    return GS_FAIL(st, GS_ERR_IO, error != 0 ? error : EIO,
                   "read failed: temporary file in '%s'",
                   gs_spill_folder_name(s->spill, extent->folder));
}

/* --- merged by cores ------------------------------------------------------------ */

gs_code gs_mapped_store_merge_part(gs_mapped_store *s, const uint8_t *const *begin,
                                   const uint8_t *const *end, gs_sink *sink,
                                   uint64_t *ticket, gs_status *st)
{
    gs_text *parts = NULL;
    gs_mapped_merge *merge = NULL;
    size_t count = 0;
    GS_TRY(gs_mem_new_array(&parts, s->text_count, sizeof *parts, "parts of runs", st));
    for (size_t i = 0; i < s->text_count; i++) {
        if (begin[i] == end[i])
            continue;
        parts[count] = s->texts[i];
        parts[count].begin = begin[i];
        parts[count++].end = end[i];
    }
    if (count > 0 &&
        gs_mapped_merge_new_runs(&merge, &s->merge, parts, count, st) == GS_OK &&
        gs_mapped_merge_run(merge, sink, *ticket, st) == GS_OK)
        *ticket = gs_mapped_merge_next_ticket(merge);
    gs_mapped_merge_free(merge);
    gs_mem_free(parts);
    return st->code;
}

void gs_mapped_store_begin_pass(const gs_mapped_store *s)
{
    gs_sort_stats *const stats = s->store.options.options->stats;
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        bytes += s->runs[i].bytes;
    if (stats == NULL)
        return;
    atomic_store(&stats->merge_bytes, 0);
    atomic_store(&stats->merge_bytes_total, bytes);
    atomic_fetch_add(&stats->passes, 1);
}

static gs_code reduce(gs_run_store *store, gs_status *st)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    return s->texts == NULL ? map_runs(s, st) : GS_OK; /* one merge takes all of them */
}

static gs_code merge_last(gs_run_store *store, gs_sink *sink, uint64_t ticket,
                          gs_status *st)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    const uint8_t **ends = NULL;
    gs_mapped_store_begin_pass(s);
    GS_TRY(gs_mem_new_array(&ends, 2 * s->text_count, sizeof *ends, "parts of runs", st));
    for (size_t i = 0; i < s->text_count; i++) {
        ends[i] = s->texts[i].begin;
        ends[s->text_count + i] = s->texts[i].end;
    }
    GS_NOTED(
        gs_mapped_store_merge_part(s, ends, ends + s->text_count, sink, &ticket, st));
    gs_mem_free(ends);
    return st->code;
}

static void free_store(gs_run_store *store)
{
    gs_mapped_store *const s = (gs_mapped_store *)store;
    while (s->count > 0)
        drop_last(s);
    gs_mem_free(s->runs);
    gs_mem_free(s->texts);
    gs_spill_free(s->spill);
    gs_mem_free(s);
}

static const gs_run_store_kind kind = {
    .holds_counts = false,
    .see_sample = see_no_sample,
    .open = open_run,
    .close = close_run,
    .give_memory = give_memory,
    .reduce = reduce,
    .merge_last = merge_last,
    .free = free_store,
};

gs_mapped_store *gs_mapped_store_of(gs_run_store *store)
{
    return store != NULL && store->kind == &kind ? (gs_mapped_store *)store : NULL;
}

gs_code gs_mapped_store_new(gs_run_store **out, const gs_run_store_options *options,
                            gs_status *st)
{
    const gs_sort_options *const o = options->options;
    gs_mapped_store *s = NULL;
    *out = NULL;
    gs_assert(gs_mapped_store_suits(o));
    GS_TRY(gs_mem_new(&s, sizeof *s, "list of runs", st));
    s->store = (gs_run_store){.kind = &kind,
                              .options = *options,
                              .merge_piece_bytes = options->plan->merge_piece_bytes};
    s->merge = (gs_file_merge){
        .options = o,
        .plan = options->plan,
        .source = {.order = &o->order,
                   .layout = options->layout,
                   .encoder = options->encoder,
                   .record_bytes_max = SIZE_MAX, /* they are in runs already */
                   .log = o->log},
        .merge = {.is_unique = o->order.unique || o->count,
                  .has_counts = o->count,
                  .cancel = o->cancel_signal},
    };
    *out = &s->store;
    return GS_OK;
}
