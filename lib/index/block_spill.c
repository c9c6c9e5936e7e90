/* SPDX-License-Identifier: MIT */
#include "lib/index/block_spill.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "io/stream.h"
#include "lib/base/mem.h"
#include "lib/index/block_merge.h"
#include "lib/sort/run_codec_choice.h"

enum { FAILURE_BYTES = 4400, RANGES_MAX = 4096, RANGES_A_WORKER = 4 };

/* A run that is being written. */
typedef struct open_run {
    gs_run run;
    gs_sink sink;
    gs_record_layout layout;
    char failure[FAILURE_BYTES];
} open_run;

void gs_block_spill_init(gs_block_spill *s, const gs_block_spill_options *options)
{
    *s = (gs_block_spill){.options = *options};
}

void gs_block_spill_release(gs_block_spill *s)
{
    for (size_t i = 0; i < s->run_count; i++)
        gs_run_release(&s->runs[i]);
    gs_mem_free(s->runs);
    gs_spill_free(s->spill);
    *s = (gs_block_spill){0};
}

/* --- one run -------------------------------------------------------------------------
 */

static gs_code open_sink(gs_block_spill *s, open_run *r, size_t piece_bytes,
                         gs_status *st)
{
    const gs_block_spill_options *const o = &s->options;
    const gs_index_plan *const plan = o->plan;
    if (s->spill == NULL)
        GS_TRY(gs_spill_new(&s->spill, o->temp_folders, o->temp_folder_count, st));
    *r = (open_run){.layout = gs_posting_run_layout()};
    GS_TRY(gs_spill_extent_open(s->spill, &r->run.extent, st));
    (void)snprintf(r->failure, sizeof r->failure, "write failed: temporary file in '%s'",
                   gs_spill_folder_name(s->spill, r->run.extent.folder));
    const gs_stream_target target = {
        .fd = r->run.extent.fd,
        .is_seekable = true,
        .is_direct = r->run.extent.is_direct,
        .no_uring = o->no_uring,
        .offset = r->run.extent.offset,
        .failure = r->failure,
    };
    gs_stream *stream = NULL;
    GS_TRY(gs_stream_new(&stream, &target, plan->block_bytes, plan->stream_blocks, st));
    r->sink = (gs_sink){
        .stream = stream,
        .layout = r->layout,
        .run = &r->run,
        .codec = GS_CODEC_ZSTD,
        .zstd_level = GS_RUN_ZSTD_LEVEL,
        .block_raw_bytes = plan->run_block_bytes,
        .buffer_bytes = piece_bytes,
    };
    gs_sink_init(&r->sink);
    return GS_OK;
}

/* Waits for the writes; the run is whole unless `st` has failed, and then released. */
static gs_code finish_sink(gs_block_spill *s, open_run *r, gs_status *st)
{
    gs_sort_stats *const stats = s->options.stats;
    uint64_t total = 0;
    if (st->code != GS_OK)
        gs_stream_abort(r->sink.stream, st);
    GS_NOTED(gs_stream_finish(r->sink.stream, &total, st));
    gs_stream_free(r->sink.stream);
    r->run.stored_bytes = total;
    gs_spill_extent_close(s->spill, &r->run.extent, total);
    gs_sink_finish_run(&r->sink);
    gs_sink_release(&r->sink);
    if (stats != NULL) {
        atomic_fetch_add(&stats->runs, 1);
        atomic_fetch_add(&stats->spill_bytes, total);
    }
    if (st->code != GS_OK)
        gs_run_release(&r->run);
    return st->code;
}

static gs_code keep_run(gs_block_spill *s, const gs_run *run, gs_status *st)
{
    if (s->run_count == s->run_capacity) {
        const size_t capacity = 2 * s->run_capacity + 16;
        void *memory = s->runs;
        GS_TRY(gs_mem_resize(&memory, capacity * sizeof *s->runs, "list of runs", st));
        s->runs = memory;
        s->run_capacity = capacity;
    }
    s->runs[s->run_count++] = *run;
    return GS_OK;
}

/* --- blocks to a run -------------------------------------------------------------------
 */

typedef struct spill_job {
    gs_block_spill *spill;
    gs_sink *sink;
    const gs_term_block *blocks;
    size_t block_count;
    gs_block_ranges ranges;
    atomic_size_t next_range;
} spill_job;

static gs_code write_ranges(spill_job *job, gs_block_merger *merger,
                            gs_posting_writer *writer, gs_sink_piece *piece,
                            gs_status *st)
{
    const gs_block_spill_options *const o = &job->spill->options;
    const gs_posting_target target = gs_posting_writer_target(writer);
    gs_posting_gather gather;
    gs_posting_gather_init(&gather, &target, o->has_positions);
    for (size_t r; st->code == GS_OK && (r = atomic_fetch_add(&job->next_range, 1)) <
                                            job->ranges.range_count;) {
        if (o->cancel != NULL && *o->cancel != 0)
            (void)GS_FAIL(st, GS_ERR_CANCELLED, 0, "stopped by signal %d", *o->cancel);
        gs_sink_begin(piece, r);
        gs_posting_writer_begin(writer, piece);
        if (st->code == GS_OK &&
            gs_block_merger_run(merger, &job->ranges, r, &gather, st) == GS_OK)
            GS_NOTED(gs_sink_end(piece, st));
    }
    gs_posting_gather_release(&gather);
    return st->code;
}

static gs_code spill_worker(void *context, unsigned worker, gs_status *st)
{
    (void)worker;
    spill_job *const job = context;
    gs_block_merger *merger = NULL;
    gs_posting_writer *writer = NULL;
    gs_sink_piece *piece = NULL;
    if (gs_block_merger_new(&merger, job->blocks, job->block_count, st) == GS_OK &&
        gs_posting_writer_new(&writer, job->spill->options.has_positions, st) == GS_OK &&
        gs_sink_piece_new(&piece, job->sink, st) == GS_OK)
        GS_NOTED(write_ranges(job, merger, writer, piece, st));
    gs_sink_piece_free(piece);
    gs_posting_writer_free(writer);
    gs_block_merger_free(merger);
    if (st->code != GS_OK)
        gs_stream_abort(job->sink->stream, st);
    return st->code;
}

/* A range should fit a piece, so that no worker waits for its turn for long. */
static size_t choose_range_count(const gs_index_plan *plan)
{
    const size_t bytes = plan->gather_bytes * plan->workers;
    const size_t fitting = 2 * (bytes / plan->piece_bytes);
    const size_t least = (size_t)RANGES_A_WORKER * plan->workers;
    return fitting < least ? least : fitting > RANGES_MAX ? RANGES_MAX : fitting;
}

gs_code gs_block_spill_add(gs_block_spill *s, gs_team *team, const gs_term_block *blocks,
                           size_t block_count, gs_status *st)
{
    const gs_index_plan *const plan = s->options.plan;
    spill_job job = {.spill = s, .blocks = blocks, .block_count = block_count};
    open_run out;
    GS_TRY(gs_block_ranges_cut(&job.ranges, blocks, block_count, choose_range_count(plan),
                               st));
    if (open_sink(s, &out, plan->piece_bytes, st) == GS_OK) {
        job.sink = &out.sink;
        GS_NOTED(gs_team_run(team, spill_worker, &job, st));
        if (finish_sink(s, &out, st) == GS_OK && keep_run(s, &out.run, st) != GS_OK)
            gs_run_release(&out.run);
    }
    gs_block_ranges_release(&job.ranges);
    return st->code;
}

/* --- runs to fewer
 * ---------------------------------------------------------------------- */

static uint64_t stored_bytes(const gs_block_spill *s)
{
    uint64_t total = 0;
    for (size_t i = 0; i < s->run_count; i++)
        total += s->runs[i].stored_bytes;
    return total;
}

void gs_block_spill_begin_pass(const gs_block_spill *s)
{
    gs_sort_stats *const stats = s->options.stats;
    if (stats == NULL)
        return;
    atomic_fetch_add(&stats->passes, 1);
    atomic_store(&stats->merge_bytes, 0);
    atomic_store(&stats->merge_bytes_total, stored_bytes(s));
}

gs_range_merge_options gs_block_spill_merge_options(const gs_block_spill *s,
                                                    const gs_record_layout *layout)
{
    const gs_block_spill_options *const o = &s->options;
    return (gs_range_merge_options){
        .layout = layout,
        .memory_bytes = o->plan->merge_bytes,
        .no_uring = o->no_uring,
        .spill = s->spill,
        .gives_space_back = gs_spill_is_space_short(s->spill, 2 * stored_bytes(s)),
        .cancel = o->cancel,
        .progress_bytes = o->stats != NULL ? &o->stats->merge_bytes : NULL,
    };
}

/* Merges runs [first, first + count) into one, which takes their place. */
static gs_code merge_group(gs_block_spill *s, gs_team *team, size_t first, size_t count,
                           gs_status *st)
{
    open_run out;
    GS_TRY(open_sink(s, &out, s->options.plan->piece_bytes, st));
    const gs_range_merge_options options = gs_block_spill_merge_options(s, &out.layout);
    uint64_t ticket;
    GS_NOTED(gs_range_merge_run(s->runs + first, count, team, &out.sink, &options,
                                &ticket, st));
    GS_TRY(finish_sink(s, &out, st));
    const bool is_short = gs_spill_is_space_short(s->spill, 4 * stored_bytes(s));
    for (size_t i = first; i < first + count; i++) {
        if (is_short)
            gs_spill_extent_drop(s->spill, &s->runs[i].extent);
        gs_run_release(&s->runs[i]);
    }
    s->runs[first] = out.run;
    memmove(s->runs + first + 1, s->runs + first + count,
            (s->run_count - first - count) * sizeof *s->runs);
    s->run_count -= count - 1;
    return GS_OK;
}

gs_code gs_block_spill_reduce(gs_block_spill *s, gs_team *team, gs_status *st)
{
    const gs_index_plan *const plan = s->options.plan;
    size_t fan_in =
        gs_range_merge_fan_in(plan->merge_bytes, plan->workers, plan->run_block_bytes);
    if (s->options.batch_size >= 2 && s->options.batch_size < fan_in)
        fan_in = s->options.batch_size;
    while (s->run_count > fan_in) {
        gs_block_spill_begin_pass(s);
        /* The first group only takes what is too much, the others are full. */
        size_t excess = s->run_count - fan_in;
        for (size_t i = 0; i < s->run_count && excess > 0; i++) {
            size_t group = excess + 1 < fan_in ? excess + 1 : fan_in;
            if (group > s->run_count - i)
                group = s->run_count - i;
            if (group < 2)
                break;
            GS_TRY(merge_group(s, team, i, group, st));
            excess -= group - 1;
        }
    }
    return GS_OK;
}
