/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/range_merge.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/run/merge_tree.h"
#include "lib/sort/run/merged_space.h"
#include "lib/sort/run/range_cut.h"
#include "lib/sort/run/range_memory.h"

enum { ROUNDS_MAX = 8 }; /* of looking for the first records on all cores */

typedef struct range_job {
    gs_range_cut cut;
    gs_trace *trace;
    gs_sink *sink; /* one of these two */
    const gs_range_consumer *consumer;
    const gs_range_merge_options *options;
    size_t window_bytes;
    unsigned workers; /* the first so many of the team */
    uint64_t first_ticket;
    gs_range_bound end; /* of the last range */
    atomic_size_t next_portion;
    _Atomic uint64_t records_merged;
    atomic_bool has_failed;
    gs_merged_space space;
    /* What workers share is the atomics above, `space`, the sink, the trace and the
     * spill, each with a lock or atomics of its own, options->progress_bytes, an atomic,
     * and what the consumer has; the rest does not change while they run. */
} range_job;

/* The parts of one range, being read or read. */
typedef struct range_parts {
    bool is_taken;
    bool begins_portion, ends_portion;
    size_t range, portion;
    size_t unfinished;
    gs_run_window *windows; /* one a run */
    size_t *first, *end;    /* blocks, one a run; one array */
} range_parts;

typedef struct range_worker {
    range_job *job;
    unsigned number;
    gs_aio *aio;
    gs_run_coder *coder;
    range_parts parts[2]; /* being merged, being read */
    gs_run_cursor *cursors;
    gs_merge_tree tree;
    gs_sink_piece *piece;
    uint8_t *kept; /* a record that goes out when the next one differs */
    size_t kept_capacity;
    uint64_t top_left;
    uint64_t records_merged;               /* taken from the runs */
    size_t portion, next_range, end_range; /* of the portion being taken */
} range_worker;

/* --- a worker ---------------------------------------------------------------- */

static gs_code worker_init(range_worker *w, range_job *job, gs_status *st)
{
    const size_t n = job->cut.run_count;
    *w = (range_worker){.job = job, .top_left = job->cut.records_most};
    GS_TRY(
        gs_aio_new(&w->aio, 2 * (unsigned)(n < 64 ? n : 64), job->options->no_uring, st));
    GS_TRY(gs_run_coder_new(&w->coder, st));
    if (job->sink != NULL)
        GS_TRY(gs_sink_piece_new(&w->piece, job->sink, st));
    GS_TRY(gs_mem_new_array(&w->cursors, n, sizeof *w->cursors, "merge cursors", st));
    GS_TRY(gs_merge_tree_init(&w->tree, n, job->options->layout->is_backwards, st));
    for (unsigned i = 0; i < 2; i++) {
        range_parts *const parts = &w->parts[i];
        GS_TRY(gs_mem_new_array(&parts->windows, n, sizeof *parts->windows,
                                "merge windows", st));
        GS_TRY(gs_mem_new_array(&parts->first, 2 * n, sizeof *parts->first, "merge parts",
                                st));
        parts->end = parts->first + n;
        for (size_t r = 0; r < n; r++) {
            GS_TRY(gs_mem_map(&parts->windows[r].memory, job->window_bytes, false,
                              "merge window", st));
            parts->windows[r].capacity = job->window_bytes;
        }
    }
    return GS_OK;
}

static void worker_release(range_worker *w)
{
    gs_aio_free(w->aio); /* first: the kernel may still be writing to the windows */
    const size_t n = w->job->cut.run_count;
    for (unsigned i = 0; i < 2; i++) {
        range_parts *const parts = &w->parts[i];
        for (size_t r = 0; parts->windows != NULL && r < n; r++)
            gs_mem_unmap(parts->windows[r].memory, parts->windows[r].capacity);
        gs_mem_free(parts->windows);
        gs_mem_free(parts->first);
    }
    for (size_t r = 0; w->cursors != NULL && r < n; r++)
        gs_run_cursor_release(&w->cursors[r]);
    gs_mem_free(w->cursors);
    gs_merge_tree_release(&w->tree);
    gs_mem_free(w->kept);
    gs_sink_piece_free(w->piece);
    gs_run_coder_free(w->coder);
}

static const char *folder_of(const range_job *job, size_t run)
{
    return gs_spill_folder_name(job->options->spill, job->cut.runs[run].extent.folder);
}

static range_parts *parts_of_window(range_worker *w, const gs_run_window *window)
{
    const range_parts *const second = &w->parts[1];
    return window >= second->windows && window < second->windows + w->job->cut.run_count
               ? &w->parts[1]
               : &w->parts[0];
}

static gs_code finish_one_read(range_worker *w, gs_status *st)
{
    gs_aio_done done;
    GS_TRY(gs_aio_wait(w->aio, &done, st));
    gs_run_window *const window = done.tag;
    range_parts *const parts = parts_of_window(w, window);
    const size_t run = (size_t)(window - parts->windows);
    parts->unfinished--;
    return gs_run_window_done(window, &w->job->cut.runs[run], done.result,
                              folder_of(w->job, run), st);
}

/* The next range of the portion, or the first of the next portion. */
static void choose_range(range_worker *w, range_parts *parts)
{
    range_job *const job = w->job;
    parts->begins_portion = w->next_range == w->end_range;
    if (parts->begins_portion) {
        w->portion = atomic_fetch_add(&job->next_portion, 1);
        if (w->portion < job->cut.portion_count) {
            w->next_range =
                job->cut.portions ? job->cut.portions[w->portion] : w->portion;
            w->end_range =
                job->cut.portions ? job->cut.portions[w->portion + 1] : w->portion + 1;
        }
    }
    parts->is_taken = w->next_range < w->end_range;
    if (!parts->is_taken)
        return;
    parts->portion = w->portion;
    parts->range = w->next_range++;
    parts->ends_portion = w->next_range == w->end_range;
}

/* Takes the next range, if there is one, and starts reading its parts. */
static gs_code take_range(range_worker *w, range_parts *parts, gs_status *st)
{
    range_job *const job = w->job;
    choose_range(w, parts);
    for (size_t r = 0; parts->is_taken && r < job->cut.run_count; r++) {
        const gs_range_bound *const lo = &job->cut.bounds[parts->range];
        gs_run_find_range(&job->cut.runs[r], job->options->layout, lo, lo + 1,
                          &parts->first[r], &parts->end[r]);
        while (gs_aio_in_flight(w->aio) >=
               2 * (job->cut.run_count < 64 ? job->cut.run_count : 64))
            GS_TRY(finish_one_read(w, st));
        bool is_submitted;
        GS_TRY(gs_run_window_submit(&parts->windows[r], &job->cut.runs[r],
                                    parts->first[r], parts->end[r], w->aio, &is_submitted,
                                    st));
        parts->unfinished += is_submitted;
    }
    return GS_OK;
}

/* What a cursor stands on, with its bytes at `data`. */
static inline gs_sink_record record_at(const gs_run_cursor *c, const uint8_t *data,
                                       uint64_t code)
{
    return (gs_sink_record){
        .data = data,
        .length = c->length,
        .key_bytes = c->key_bytes,
        .count = c->count,
        .shared = code == GS_OVC_EQUAL ? 0 : gs_ovc_index(code) + 1,
    };
}

static gs_code consume_all(range_worker *w, gs_status *st)
{
    const gs_range_consumer *const consumer = w->job->consumer;
    gs_merge_tree *const tree = &w->tree;
    for (; gs_merge_tree_has_winner(tree); gs_merge_tree_replay(tree)) {
        gs_run_cursor *const c = &w->cursors[gs_merge_tree_winner(tree)];
        GS_TRY(consumer->add(consumer->context, w->number, c, st));
        w->records_merged++;
        GS_TRY(gs_run_cursor_advance(c, st));
    }
    return GS_OK;
}

/* The loop that everything is for. */
static gs_code add_all(range_worker *w, gs_status *st)
{
    gs_merge_tree *const tree = &w->tree;
    for (; gs_merge_tree_has_winner(tree); gs_merge_tree_replay(tree)) {
        gs_run_cursor *const c = &w->cursors[gs_merge_tree_winner(tree)];
        const gs_sink_record r = record_at(c, c->data, gs_merge_tree_code(tree));
        GS_TRY(gs_sink_add(w->piece, &r, st));
        w->records_merged++;
        GS_TRY(gs_run_cursor_advance(c, st));
    }
    return GS_OK;
}

/* The record that a cursor stands on, with a copy of its bytes, for the cursor goes on.
 */
static gs_code keep(range_worker *w, const gs_run_cursor *c, uint64_t code,
                    gs_sink_record *kept, gs_status *st)
{
    const size_t bytes = c->length + w->job->options->layout->has_eol;
    if (bytes + GS_SHORT_COPY_BYTES > w->kept_capacity)
        GS_TRY(gs_mem_grow(&w->kept, &w->kept_capacity, bytes + GS_SHORT_COPY_BYTES,
                           "merged record", st));
    memcpy(w->kept, c->data, bytes);
    *kept = record_at(c, w->kept, code);
    return GS_OK;
}

/* As many as are wanted; of equals the first, with the counts of all. A record is kept
 * back until the next differs. */
static gs_code add_some(range_worker *w, gs_status *st)
{
    const gs_range_merge_options *const options = w->job->options;
    const bool drops = options->is_unique || options->has_counts;
    gs_merge_tree *const tree = &w->tree;
    gs_sink_record kept = {0};
    bool has_kept = false;
    for (; gs_merge_tree_has_winner(tree); gs_merge_tree_replay(tree)) {
        gs_run_cursor *const c = &w->cursors[gs_merge_tree_winner(tree)];
        const uint64_t code = gs_merge_tree_code(tree);
        if (has_kept && drops && code == GS_OVC_EQUAL) {
            kept.count += c->count;
            gs_sink_drop(w->piece, c->data + c->key_bytes, c->length - c->key_bytes, 1);
        } else {
            if (has_kept)
                GS_TRY(gs_sink_add(w->piece, &kept, st));
            if (w->job->cut.is_single && w->top_left-- == 0)
                return GS_OK;
            GS_TRY(keep(w, c, code, &kept, st));
            has_kept = true;
        }
        w->records_merged++;
        GS_TRY(gs_run_cursor_advance(c, st));
    }
    return has_kept ? gs_sink_add(w->piece, &kept, st) : GS_OK;
}

static gs_code merge_records(range_worker *w, gs_status *st)
{
    const gs_range_merge_options *const options = w->job->options;
    if (w->job->consumer != NULL)
        return consume_all(w, st);
    return options->is_unique || options->has_counts || w->job->cut.is_single
               ? add_some(w, st)
               : add_all(w, st);
}

static gs_code begin_range(range_worker *w, const range_parts *parts, gs_status *st)
{
    const gs_range_consumer *const consumer = w->job->consumer;
    if (consumer == NULL)
        gs_sink_begin(w->piece, w->job->first_ticket + parts->range);
    else if (parts->begins_portion)
        return consumer->begin(consumer->context, w->number, parts->portion, st);
    return GS_OK;
}

static gs_code end_range(range_worker *w, const range_parts *parts, gs_status *st)
{
    const gs_range_consumer *const consumer = w->job->consumer;
    if (consumer == NULL)
        return gs_sink_end(w->piece, st);
    return parts->ends_portion ? consumer->end(consumer->context, w->number, st) : GS_OK;
}

/* Stored bytes of the blocks that begin in the range. The first may have begun before it,
 * and was read for the range before too. */
static uint64_t own_bytes(const range_job *job, size_t r, const gs_range_bound *lo,
                          size_t first, size_t end)
{
    const gs_run *const run = &job->cut.runs[r];
    const gs_range_bound open = {.is_open = true};
    size_t unused;
    if (!lo->is_open)
        gs_run_find_range(run, job->options->layout, &open, lo, &unused, &first);
    uint64_t bytes = 0;
    for (size_t e = first; e < end; e++)
        bytes += run->entries[e].stored_bytes;
    return bytes;
}

static gs_code merge_range(range_worker *w, const range_parts *parts, gs_status *st)
{
    range_job *const job = w->job;
    const gs_range_bound *const lo = &job->cut.bounds[parts->range];
    uint64_t bytes = 0;
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    for (size_t r = 0; r < job->cut.run_count; r++) {
        gs_run_cursor *const c = &w->cursors[r];
        c->head = &w->tree.heads[r];
        c->run = &job->cut.runs[r];
        c->layout = job->options->layout;
        c->has_counts = job->options->has_counts;
        c->coder = w->coder;
        c->folder = folder_of(job, r);
        c->window = &parts->windows[r];
        GS_TRY(gs_run_cursor_start(c, lo, lo + 1, parts->first[r], parts->end[r], st));
        bytes += own_bytes(job, r, lo, parts->first[r], parts->end[r]);
    }
    gs_merge_tree_start(&w->tree);
    GS_TRY(begin_range(w, parts, st));
    GS_TRY(merge_records(w, st));
    GS_TRY(end_range(w, parts, st));
    gs_trace_end(job->trace, GS_LANE_WORKER, w->number, "merge", begin_ns, bytes);
    if (job->options->progress_bytes != NULL)
        atomic_fetch_add(job->options->progress_bytes, bytes);
    return GS_OK;
}

static gs_code work(range_worker *w, gs_status *st)
{
    unsigned now = 0;
    GS_TRY(take_range(w, &w->parts[now], st));
    while (w->parts[now].is_taken) {
        GS_TRY(take_range(w, &w->parts[now ^ 1], st));
        const uint64_t begin_ns = gs_trace_begin(w->job->trace);
        while (w->parts[now].unfinished > 0)
            GS_TRY(finish_one_read(w, st));
        gs_trace_end(w->job->trace, GS_LANE_WORKER, w->number, "wait for runs", begin_ns,
                     0);
        GS_TRY(merge_range(w, &w->parts[now], st));
        if (w->job->options->gives_space_back)
            gs_merged_space_note(&w->job->space, w->parts[now].range);
        GS_TRY(gs_cancel_check(w->job->options->cancel, st));
        if (atomic_load(&w->job->has_failed))
            return GS_OK; /* the worker that failed reports why */
        now ^= 1;
    }
    return GS_OK;
}

static gs_code merge_worker(void *context, unsigned worker, gs_status *st)
{
    range_job *const job = context;
    if (worker >= job->workers || worker >= job->cut.portion_count)
        return GS_OK;
    range_worker w;
    if (worker_init(&w, job, st) == GS_OK) {
        w.number = worker;
        GS_NOTED(work(&w, st));
    }
    atomic_fetch_add(&job->records_merged, w.records_merged);
    worker_release(&w);
    if (st->code != GS_OK)
        atomic_store(&job->has_failed, true);
    if (st->code != GS_OK && job->sink != NULL)
        gs_stream_abort(job->sink->stream, st);
    if (job->consumer != NULL && atomic_load(&job->has_failed))
        job->consumer->abandon(job->consumer->context, worker, st);
    return st->code;
}

/* --- the plan ---------------------------------------------------------------- */

/* Runs that are not in order have no ranges: what lies beyond its range is met in none of
 * them, or in two. Then the input changed under the sort, or memory fails. */
static gs_code check_all_merged(const range_job *job, uint64_t records, gs_status *st)
{
    const uint64_t merged = atomic_load(&job->records_merged);
    if (merged == records)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                  "the runs were not in order: of %llu records the merge met %llu",
                  (unsigned long long)records, (unsigned long long)merged);
    return gs_status_hint(st, "an input that is changed while it is sorted can do that, "
                              "and memory that fails");
}

/* Chooses windows and ranges for the runs of the job, and merges. */
static gs_code run_job(range_job *job, gs_team *team, uint64_t range_raw_bytes,
                       gs_status *st)
{
    const gs_run *const runs = job->cut.runs;
    const size_t run_count = job->cut.run_count;
    job->trace = gs_team_trace(team);
    size_t raw_bytes = 0;
    uint64_t stored = 0, records = 0;
    for (size_t r = 0; r < run_count; r++) {
        records += runs[r].record_count;
        if (runs[r].raw_bytes_max > raw_bytes)
            raw_bytes = runs[r].raw_bytes_max;
        stored += runs[r].stored_bytes;
    }
    const unsigned workers = gs_range_workers(
        runs, run_count, raw_bytes, job->options->memory_bytes, gs_team_workers(team));
    job->workers = workers;
    const size_t window =
        gs_range_window_bytes(job->options->memory_bytes / workers, run_count, raw_bytes);
    job->window_bytes = window / GS_SPILL_ALIGN * GS_SPILL_ALIGN;

    /* A range's parts should fit their windows, with one block to spare at each end. */
    const size_t spare = 2 * raw_bytes + 2 * GS_SPILL_ALIGN;
    const size_t part = window > 2 * spare ? (window - spare) * 3 / 4 : window / 2;
    uint64_t range_bytes = (uint64_t)part * run_count;
    if (range_bytes > stored / (4 * workers) + 1)
        range_bytes = stored / (4 * workers) + 1;
    if (job->options->has_top && job->cut.records_most < records)
        range_bytes = (uint64_t)((double)range_bytes * (double)job->cut.records_most /
                                 (double)records) +
                      1;
    GS_TRY(gs_range_cut_make(&job->cut, range_bytes, range_raw_bytes, st));
    job->end = job->cut.bounds[job->cut.range_count];
    if (gs_merged_space_init(&job->space, &job->cut, job->options->spill, st) == GS_OK) {
        if (gs_team_run(team, merge_worker, job, st) == GS_OK && !job->options->has_top)
            GS_NOTED(check_all_merged(job, records, st));
        gs_merged_space_release(&job->space);
    }
    gs_range_cut_release(&job->cut);
    return st->code;
}

gs_code gs_range_merge_run(const gs_run *runs, size_t run_count, gs_team *team,
                           gs_sink *sink, const gs_range_merge_options *options,
                           uint64_t *next_ticket, gs_status *st)
{
    gs_range_bound begin = {.is_open = true};
    uint64_t left = options->has_top ? options->top_count : UINT64_MAX;
    *next_ticket = options->first_ticket;
    for (unsigned round = 0; round == 0 || (!begin.is_open && left > 0); round++) {
        const uint64_t before = atomic_load(&sink->record_count);
        range_job job = {.cut = {.runs = runs,
                                 .run_count = run_count,
                                 .layout = options->layout,
                                 .begin = begin,
                                 .has_top = options->has_top,
                                 .records_most = left,
                                 .may_share = round < ROUNDS_MAX},
                         .sink = sink,
                         .options = options,
                         .first_ticket = *next_ticket};
        /* What a range gives should fit the piece, or its worker waits for its turn. */
        GS_TRY(run_job(&job, team, sink->buffer_bytes * 3 / 4, st));
        *next_ticket += job.cut.range_count;
        left -= options->has_top ? atomic_load(&sink->record_count) - before : 0;
        begin = job.end;
    }
    return GS_OK;
}

gs_code gs_range_merge_consume(const gs_run *runs, size_t run_count, gs_team *team,
                               const gs_range_consumer *consumer,
                               const gs_range_merge_options *options, gs_status *st)
{
    gs_assert(!options->is_unique && !options->has_top && !options->has_counts);
    range_job job = {.cut = {.runs = runs,
                             .run_count = run_count,
                             .layout = options->layout,
                             .begin = {.is_open = true},
                             .kept_together = consumer->kept_together,
                             .portion_max = consumer->portion_max},
                     .consumer = consumer,
                     .options = options};
    return run_job(&job, team, UINT64_MAX, st);
}
