/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/core_former.h"

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/sort/form/chunk_buckets.h"
#include "lib/sort/form/chunk_consume.h"
#include "lib/sort/form/early_bring.h"
#include "lib/sort/form/early_keep.h"
#include "lib/sort/form/ingest.h"

/* Less is sorted sooner than the kernel has cleared a few large pages. */
enum {
    SMALL_PAGES_BYTES = 128 << 10,
    /* Where a core's own is less, a bucket that is copied close does not stay there: then
     * lists of text are better, while pages are cheap (lib/sort/NOTES.md). */
    NEAR_CACHE_MIN = 1 << 20,
};

typedef struct core_former {
    gs_former former; /* first */
    gs_ingest *ingest;
    gs_chunk chunk;
    size_t soft_bytes;        /* of chunks after the first */
    gs_early_split *lists;    /* instead of the chunk's elements; or NULL */
    gs_ordered_chunk ordered; /* once it is consumed */
} core_former;

/* The chunk may be stretched if it is known how much is to come. */
static gs_chunk_limits chunk_limits(const gs_forming *f, bool is_mapped)
{
    const gs_chunk_share share = gs_memory_plan_chunk(f->plan, is_mapped, f->holds_back);
    const bool is_sized = gs_input_is_sized(f->input);
    const uint64_t input_bytes = gs_input_size_hint(f->input);
    const bool may_stretch =
        is_sized && f->options->compress_program == NULL && !f->plan->is_space_limited;
    return (gs_chunk_limits){
        .budget_bytes = share.bytes,
        .soft_bytes = f->has_runs ? share.soft_bytes : share.first_soft_bytes,
        .first_copies_max = f->plan->first_copies_max,
        .input_bytes = may_stretch ? input_bytes : 0,
        .workers = gs_team_workers(f->team),
        .is_small = is_sized && input_bytes < SMALL_PAGES_BYTES,
    };
}

bool gs_core_former_map(const gs_forming *f, int output_fd, gs_file_map *map)
{
    const gs_chunk_limits limits = chunk_limits(f, true);
    const gs_sort_options *const o = f->options;
    /* Of a table with a header the beginning has been read. */
    const bool is_begun = o->has_columns && o->header_lines > 0;
    /* --top keeps few records, which are better off together. The quotes of a CSV text
     * must not change between two looks at them. */
    if (is_begun || !gs_form_is_plain(o->order.form) || f->layout->is_key_only ||
        o->has_top || f->plan->is_space_limited || f->has_runs ||
        !gs_input_map(f->input, output_fd, gs_chunk_copy_bytes(&limits), map))
        return false;
    gs_line_feed_map(f->feed, map, 0);
    gs_log_say(f->options->log, GS_LOG_INFO,
               "the input is in the page cache and sorted where it is");
    return true;
}

/* --- reading -------------------------------------------------------------------- */

static gs_code fill_memory(gs_former *former, gs_filled *filled, gs_status *st)
{
    core_former *const c = (core_former *)former;
    bool is_last;
    gs_chunk_reset(&c->chunk);
    GS_TRY(gs_ingest_fill(c->ingest, &c->chunk, &is_last, st));
    *filled = is_last ? GS_FILLED_LAST : GS_FILLED_SOME;
    return GS_OK;
}

static gs_code fill_lists(gs_former *former, gs_filled *filled, gs_status *st)
{
    core_former *const c = (core_former *)former;
    const gs_log *const log = former->forming->options->log;
    bool is_done;
    gs_log_say(log, GS_LOG_INFO, "records go to buckets as they are read");
    GS_TRY(gs_ingest_split_early(c->ingest, &c->chunk, c->lists, &is_done, st));
    *filled = is_done ? GS_FILLED_LAST : GS_FILLED_NOTHING;
    if (!is_done)
        gs_log_say(log, GS_LOG_INFO, "the input is not like its sample");
    return GS_OK;
}

static const gs_former_kind memory_kind;

/* The lists hold a chunk at a time. Where they are not for what comes next, all goes on
 * in memory. */
static gs_code fill_chunk_of_lists(gs_former *former, gs_filled *filled, gs_status *st)
{
    core_former *const c = (core_former *)former;
    bool is_last;
    gs_chunk_reset(&c->chunk);
    GS_TRY(gs_ingest_fill_early(c->ingest, &c->chunk, c->lists, &is_last, st));
    *filled = is_last ? GS_FILLED_LAST : GS_FILLED_SOME;
    if (is_last || !gs_early_split_is_empty(c->lists))
        return GS_OK;
    gs_log_say(former->forming->options->log, GS_LOG_INFO,
               "the input is not like its sample");
    gs_early_split_free(c->lists);
    c->lists = NULL;
    former->kind = &memory_kind;
    return fill_memory(former, filled, st);
}

/* The lists hold a chunk at a time, and files what they held before. */
static gs_code fill_lists_and_files(gs_former *former, gs_filled *filled, gs_status *st)
{
    core_former *const c = (core_former *)former;
    const gs_sort_options *const o = former->forming->options;
    gs_team *const team = former->forming->team;
    bool is_last = false, is_even = true;
    gs_chunk_reset(&c->chunk);
    while (!is_last && is_even) {
        uint64_t bytes = 0;
        GS_TRY(gs_ingest_fill_early(c->ingest, &c->chunk, c->lists, &is_last, st));
        is_even = gs_early_split_is_even(c->lists) &&
                  (is_last || !gs_early_split_is_empty(c->lists));
        if (is_even && is_last)
            GS_TRY(gs_early_split_make_room(c->lists, team, &bytes, st));
        else if (is_even)
            GS_TRY(gs_early_split_keep(c->lists, team, &bytes, st));
        if (o->stats != NULL)
            atomic_fetch_add(&o->stats->spill_bytes, bytes);
    }
    *filled = is_even ? GS_FILLED_LAST : GS_FILLED_NOTHING;
    if (!is_even)
        gs_log_say(o->log, GS_LOG_INFO, "the input is not like its sample");
    return GS_OK;
}

static bool give_back_lists(gs_former *former)
{
    const gs_forming *const f = former->forming;
    gs_file_map_leave(f->map, 0, 1);
    gs_line_feed_map_again(f->feed);
    gs_witness_forget(f->witness);
    gs_sort_stats_reset(f->options->stats);
    return true;
}

static bool is_memory_empty(const gs_former *former)
{
    return ((const core_former *)former)->chunk.element_count == 0;
}

static bool are_lists_empty(const gs_former *former)
{
    return gs_early_split_is_empty(((const core_former *)former)->lists);
}

/* Some of the text of the largest file. */
static void sample_map(const gs_former *former, const uint8_t **data, size_t *bytes)
{
    const gs_file_map *const map = former->forming->map;
    const gs_mapped_file *largest = &map->files[0];
    for (size_t i = 1; i < map->file_count; i++)
        if (map->files[i].bytes > largest->bytes)
            largest = &map->files[i];
    *data = map->base + largest->begin;
    *bytes = largest->bytes;
}

/* The first of the records: in the map, or copied behind it. */
static void sample(const gs_former *former, const uint8_t **data, size_t *bytes)
{
    const gs_chunk *const c = &((const core_former *)former)->chunk;
    const bool is_mapped = c->mapped_bytes > 0;
    *data = is_mapped ? c->arena : c->arena + c->copies_begin;
    *bytes = is_mapped ? c->mapped_bytes : c->copied_bytes;
}

static void place(gs_former *former, gs_input_place *at)
{
    gs_ingest_place(((core_former *)former)->ingest, &at->input_index, &at->offset);
}

static void clear(gs_former *former)
{
    core_former *const c = (core_former *)former;
    c->chunk.soft_bytes = c->soft_bytes;
}

static void clear_lists(gs_former *former)
{
    clear(former);
    gs_early_split_clear(((core_former *)former)->lists);
}

/* --- out again ------------------------------------------------------------------ */

static gs_code leave_map_worker(void *context, unsigned worker, gs_status *st)
{
    const gs_forming *const f = context;
    gs_file_map_leave(f->map, worker, gs_team_workers(f->team));
    return st->code;
}

/* What was mapped is in the output or a run. All threads together: a page takes its time
 * to be let go. */
static gs_code leave_map(const gs_forming *f, gs_status *st)
{
    if (f->map == NULL)
        return GS_OK;
    GS_TRY(gs_file_map_check(f->map, st));
    return gs_team_run(f->team, leave_map_worker, (void *)(uintptr_t)f, st);
}

static gs_code emit_memory(gs_former *former, gs_sink *sink,
                           const gs_emit_options *options, gs_status *st)
{
    core_former *const c = (core_former *)former;
    const gs_forming *const f = former->forming;
    gs_chunk_buckets b = {0};
    uint64_t last_kept = 0;
    if (gs_chunk_buckets_init(&b, &c->chunk, f->team, sink, options, f->plan->copy_bytes,
                              st) == GS_OK)
        GS_NOTED(gs_bucket_emit(&b.buckets, f->team, sink, options, &last_kept, st));
    gs_chunk_buckets_release(&b);
    GS_TRY(st->code);
    if (last_kept != 0 && !options->is_last_use) { /* nobody needs what is beyond it */
        const gs_record r = gs_record_at(f->layout, c->chunk.arena, last_kept);
        GS_TRY(gs_ingest_set_limit(c->ingest, r.string, r.string_bytes, st));
    }
    return leave_map(f, st);
}

static gs_code consume_memory(gs_former *former, const gs_range_consumer *consumer,
                              gs_status *st)
{
    core_former *const c = (core_former *)former;
    const gs_forming *const f = former->forming;
    const volatile int *const cancel = f->options->cancel_signal;
    if (!c->ordered.is_ordered)
        GS_TRY(gs_chunk_order(&c->ordered, &c->chunk, f->team, cancel, st));
    return gs_chunk_consume(&c->ordered, f->team, consumer, cancel, st);
}

static gs_code leave_lists_worker(void *context, unsigned worker, gs_status *st)
{
    const core_former *const c = context;
    gs_early_split_leave(c->lists, worker, gs_team_workers(c->former.forming->team));
    return st->code;
}

static gs_code emit_lists(gs_former *former, gs_sink *sink,
                          const gs_emit_options *options, gs_status *st)
{
    core_former *const c = (core_former *)former;
    const gs_forming *const f = former->forming;
    const gs_early_memory memory = {
        .arena = c->chunk.arena,
        .record_bytes = gs_chunk_record_bytes(&c->chunk),
        .room_bytes = f->plan->copy_bytes,
        .spare_bytes = gs_chunk_spare_bytes(&c->chunk),
    };
    uint64_t last_kept;
    GS_TRY(gs_bucket_emit(gs_early_split_finish(c->lists, &memory), f->team, sink,
                          options, &last_kept, st));
    if (options->is_last_use)
        GS_TRY(gs_team_run(f->team, leave_lists_worker, c, st));
    return leave_map(f, st);
}

/* --- all ------------------------------------------------------------------------ */

static void free_core(gs_former *former)
{
    core_former *const c = (core_former *)former;
    gs_ingest_free(c->ingest);
    gs_early_split_free(c->lists);
    gs_ordered_chunk_release(&c->ordered);
    gs_chunk_release(&c->chunk);
    gs_mem_free(c);
}

static const gs_former_kind memory_kind = {
    .fault_code = GS_ERR_FORMAT,
    .fill = fill_memory,
    .is_empty = is_memory_empty,
    .sample = sample,
    .emit = emit_memory,
    .consume = consume_memory,
    .clear = clear,
    .place = place,
    .free = free_core,
};

static const gs_former_kind list_kind = {
    .fault_code = GS_ERR_FORMAT,
    .fill = fill_lists,
    .is_empty = are_lists_empty,
    .sample = sample,
    .emit = emit_lists,
    .clear = clear,
    .give_back = give_back_lists,
    .free = free_core,
};

static const gs_former_kind chunk_list_kind = {
    .fault_code = GS_ERR_FORMAT,
    .fill = fill_chunk_of_lists,
    .is_empty = are_lists_empty,
    .sample = sample_map,
    .emit = emit_lists,
    .clear = clear_lists,
    .place = place,
    .free = free_core,
};

static const gs_former_kind file_list_kind = {
    .fault_code = GS_ERR_FORMAT,
    .fill = fill_lists_and_files,
    .is_empty = are_lists_empty,
    .sample = sample_map,
    .emit = emit_lists,
    .clear = clear_lists,
    .give_back = give_back_lists,
    .free = free_core,
};

/* `lists`, which may be NULL, is taken. */
static gs_code new_core(gs_former **out, const gs_former_kind *kind, const gs_forming *f,
                        gs_early_split *lists, gs_status *st)
{
    gs_sort_stats *const stats = f->options->stats;
    const gs_chunk_limits limits = chunk_limits(f, f->map != NULL);
    core_former *c = NULL;
    *out = NULL;
    if (gs_mem_new(&c, sizeof *c, "chunk", st) != GS_OK) {
        gs_early_split_free(lists);
        return st->code;
    }
    c->former = (gs_former){kind, f};
    c->lists = lists;
    c->soft_bytes =
        gs_memory_plan_chunk(f->plan, f->map != NULL, f->holds_back).soft_bytes;
    if (stats != NULL)
        atomic_store(&stats->engine, "cpu");
    GS_TRY_OR_FAIL(gs_ingest_new(&c->ingest, f, st));
    GS_TRY_OR_FAIL(gs_chunk_init(&c->chunk, f->layout, &limits, f->map, st));
    *out = &c->former;
    return GS_OK;
fail:
    free_core(&c->former);
    return st->code;
}

gs_code gs_memory_former_new(gs_former **out, const gs_forming *f, gs_status *st)
{
    return new_core(out, &memory_kind, f, NULL, st);
}

bool gs_list_former_keeps(const gs_sort_options *options)
{
    return !options->order.unique && !options->count && !options->has_top &&
           options->checkpoint == NULL && options->compress_program == NULL;
}

/* Lists that go to files, if those are small enough to stay in the page cache; else *out
 * is NULL. */
static gs_code split_to_files(gs_early_split **out, const gs_forming *f,
                              const gs_early_split_options *options, gs_status *st)
{
    const gs_sort_options *const o = f->options;
    const size_t text = gs_file_map_text_bytes(f->map);
    *out = NULL;
    if (!gs_list_former_keeps(o) || text > f->plan->cached_bytes)
        return GS_OK;
    gs_early_split_options with_file = *options;
    GS_TRY(gs_list_file_new(&with_file.file, o, gs_team_workers(f->team), st));
    if (gs_list_file_has_room(with_file.file, 2 * text))
        GS_NOTED(gs_early_split_new(out, &with_file, st));
    if (*out == NULL)
        gs_list_file_free(with_file.file);
    return st->code;
}

static const gs_former_kind *kind_of(const gs_early_split_options *options, bool has_file)
{
    return has_file             ? &file_list_kind
           : options->by_chunks ? &chunk_list_kind
                                : &list_kind;
}

gs_code gs_list_former_new(gs_former **out, const gs_forming *f, gs_status *st)
{
    const gs_chunk_limits limits = chunk_limits(f, true);
    const size_t budget = gs_clamp(limits.budget_bytes, 0, GS_EARLY_SPLIT_MAX);
    *out = NULL;
    if (f->map == NULL || f->options->compress_program != NULL)
        return GS_OK;
    const bool by_chunks = gs_file_map_text_bytes(f->map) >= budget;
    const gs_early_split_options options = {
        .layout = f->layout,
        .encoder = f->encoder,
        .record_size = f->options->order.record_size,
        .map = f->map,
        .team = f->team,
        .memory_bytes = by_chunks ? gs_clamp(limits.soft_bytes, 0, budget) : budget,
        .by_chunks = by_chunks,
        .places = gs_machine_near_cache_bytes() >= NEAR_CACHE_MIN ? GS_PLACES_ALWAYS
                                                                  : GS_PLACES_IF_DEAR,
    };
    gs_early_split *lists = NULL;
    if (by_chunks)
        GS_TRY(split_to_files(&lists, f, &options, st));
    const bool has_file = lists != NULL;
    if (!has_file)
        GS_TRY(gs_early_split_new(&lists, &options, st));
    if (lists != NULL && by_chunks)
        gs_log_say(f->options->log, GS_LOG_INFO,
                   "records go to buckets as they are read, a chunk at a time%s",
                   has_file ? ", and from there to temporary files" : "");
    if (lists != NULL)
        return new_core(out, kind_of(&options, has_file), f, lists, st);
    gs_file_map_leave(f->map, 0, 1); /* what the sample looked at */
    return GS_OK;
}
