/* SPDX-License-Identifier: MIT */
#include "lib/index/build/block_spill.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/block/blocks.h"

enum { RANGES_MAX = 4096, STRETCH_BYTES = 4096 };

void gs_block_spill_init(gs_block_spill *s, const gs_index_build_options *build,
                         const gs_index_plan *plan, gs_checkpoint *checkpoint)
{
    *s = (gs_block_spill){
        .build = build,
        .plan = plan,
        .checkpoint = checkpoint,
        .layout = gs_posting_run_layout(),
        .run_options = {.temp_folders = build->temp_folders,
                        .temp_folder_count = build->temp_folder_count,
                        .batch_size = build->batch_size,
                        .no_uring = build->no_uring,
                        .stats = &build->stats->sort,
                        .trace = build->trace},
    };
    s->list = (gs_run_list){.options = &s->run_options,
                            .plan = &plan->runs,
                            .layout = &s->layout,
                            .codec = GS_RUN_CODEC_ZSTD};
}

void gs_block_spill_release(gs_block_spill *s)
{
    gs_run_list_release(&s->list);
    *s = (gs_block_spill){0};
}

/* --- blocks to a run --------------------------------------------------------------- */

typedef struct spill_job {
    gs_block_spill *spill;
    gs_sink *sink;
    const gs_term_block *blocks;
    size_t block_count;
    gs_block_ranges ranges;
    atomic_size_t next_range;
} spill_job;

static gs_code write_ranges(spill_job *job, unsigned worker, gs_block_merger *merger,
                            gs_posting_writer *writer, gs_sink_piece *piece,
                            gs_status *st)
{
    const gs_index_build_options *const o = job->spill->build;
    const gs_posting_target target = gs_posting_writer_target(writer);
    gs_posting_gather gather;
    gs_posting_gather_init(&gather, &target, o->has_positions);
    for (size_t r; st->code == GS_OK && (r = atomic_fetch_add(&job->next_range, 1)) <
                                            job->ranges.range_count;) {
        GS_NOTED(gs_cancel_check(o->cancel_signal, st));
        const uint64_t begin_ns = gs_trace_begin(o->trace);
        gs_sink_begin(piece, r);
        gs_posting_writer_begin(writer, piece);
        if (st->code == GS_OK &&
            gs_block_merger_run(merger, &job->ranges, r, &gather, st) == GS_OK)
            GS_NOTED(gs_sink_end(piece, st));
        gs_trace_end(o->trace, GS_LANE_WORKER, worker, "spill", begin_ns, 0);
    }
    gs_posting_gather_release(&gather);
    return st->code;
}

static gs_code spill_worker(void *context, unsigned worker, gs_status *st)
{
    spill_job *const job = context;
    gs_block_merger *merger = NULL;
    gs_posting_writer *writer = NULL;
    gs_sink_piece *piece = NULL;
    if (gs_block_merger_new(&merger, job->blocks, job->block_count, st) == GS_OK &&
        gs_posting_writer_new(&writer, job->spill->build->has_positions, st) == GS_OK &&
        gs_sink_piece_new(&piece, job->sink, st) == GS_OK)
        GS_NOTED(write_ranges(job, worker, merger, writer, piece, st));
    gs_sink_piece_free(piece);
    gs_posting_writer_free(writer);
    gs_block_merger_free(merger);
    if (st->code != GS_OK)
        gs_stream_abort(job->sink->stream, st);
    return st->code;
}

gs_code gs_block_spill_add(gs_block_spill *s, gs_team *team, const gs_term_block *blocks,
                           size_t block_count, gs_status *st)
{
    const gs_index_plan *const plan = s->plan;
    spill_job job = {.spill = s, .blocks = blocks, .block_count = block_count};
    gs_run_writer out;
    GS_TRY(gs_block_ranges_cut(&job.ranges, blocks, block_count, plan->range_count, team,
                               st));
    if (gs_run_writer_open(&out, &s->list, plan->piece_bytes, st) == GS_OK) {
        job.sink = &out.sink;
        GS_NOTED(gs_team_run(team, spill_worker, &job, st));
        if (gs_run_writer_close(&out, st) == GS_OK)
            GS_NOTED(gs_run_list_add(&s->list, &out.run, st));
    }
    gs_block_ranges_release(&job.ranges);
    return st->code;
}

/* --- runs to fewer ------------------------------------------------------------- */

gs_range_merge_options gs_block_spill_merge_options(const gs_block_spill *s)
{
    const uint64_t stored = gs_run_list_stored_bytes(&s->list);
    return (gs_range_merge_options){
        .layout = &s->layout,
        .memory_bytes = s->plan->merge_bytes,
        .no_uring = s->run_options.no_uring,
        .spill = s->list.spill,
        .gives_space_back =
            s->checkpoint == NULL && gs_spill_is_space_short(s->list.spill, 2 * stored),
        .cancel = s->build->cancel_signal,
        .progress_bytes = &s->build->stats->sort.merge_bytes,
    };
}

/* Whose runs are joined, and who does it. */
typedef struct team_spill {
    const gs_block_spill *spill;
    gs_team *team;
} team_spill;

/* One thread's way from records of several runs to records of one. */
typedef struct join_worker {
    GS_MEM_APART gs_posting_joiner *joiner;
    gs_posting_gather gather;
    gs_posting_writer *writer;
    gs_sink_piece *piece; /* NULL: not begun yet */
} join_worker;

typedef struct join_job {
    gs_sink *sink;
    bool has_positions;
    join_worker *workers;
} join_job;

static gs_code join_worker_init(join_worker *w, const join_job *job, gs_status *st)
{
    GS_TRY(gs_posting_joiner_new(&w->joiner, job->has_positions, st));
    GS_TRY(gs_posting_writer_new(&w->writer, job->has_positions, st));
    const gs_posting_target target = gs_posting_writer_target(w->writer);
    gs_posting_gather_init(&w->gather, &target, job->has_positions);
    return gs_sink_piece_new(&w->piece, job->sink, st);
}

static void join_worker_release(join_worker *w)
{
    gs_sink_piece_free(w->piece);
    gs_posting_gather_release(&w->gather);
    gs_posting_writer_free(w->writer);
    gs_posting_joiner_free(w->joiner);
}

static gs_code begin_portion(void *context, unsigned worker, size_t portion,
                             gs_status *st)
{
    join_job *const job = context;
    join_worker *const w = &job->workers[worker];
    if (w->joiner == NULL)
        GS_TRY(join_worker_init(w, job, st));
    gs_posting_joiner_begin(w->joiner, &w->gather);
    gs_sink_begin(w->piece, portion);
    gs_posting_writer_begin(w->writer, w->piece);
    return GS_OK;
}

static gs_code add_record(void *context, unsigned worker, const gs_run_cursor *record,
                          gs_status *st)
{
    join_job *const job = context;
    return gs_posting_joiner_add(job->workers[worker].joiner, record->data,
                                 record->key_bytes, record->data + record->key_bytes, st);
}

static gs_code end_portion(void *context, unsigned worker, gs_status *st)
{
    join_job *const job = context;
    GS_TRY(gs_posting_joiner_end(job->workers[worker].joiner, st));
    return gs_sink_end(job->workers[worker].piece, st);
}

static void abandon_portion(void *context, unsigned worker, const gs_status *why)
{
    join_job *const job = context;
    (void)worker;
    if (why->code != GS_OK)
        gs_stream_abort(job->sink->stream, why);
}

/* Joins runs into the sink: stretches of postings that overlap become one. (Merging them
 * as records would leave them overlapping, more with each pass.) */
static gs_code join_runs(void *context, const gs_run *runs, size_t run_count,
                         gs_sink *sink, gs_status *st)
{
    const team_spill *const s = context;
    const unsigned workers = gs_team_workers(s->team);
    const gs_range_merge_options options = gs_block_spill_merge_options(s->spill);
    join_job job = {.sink = sink, .has_positions = s->spill->build->has_positions};
    GS_TRY(gs_mem_new_apart(&job.workers, workers * sizeof *job.workers,
                            "joining of runs", st));
    const gs_range_consumer consumer = {
        .portion_max = RANGES_MAX,
        .kept_together = gs_posting_run_kept_together,
        .begin = begin_portion,
        .add = add_record,
        .end = end_portion,
        .abandon = abandon_portion,
        .context = &job,
    };
    GS_NOTED(gs_range_merge_consume(runs, run_count, s->team, &consumer, &options, st));
    for (unsigned i = 0; i < workers; i++)
        join_worker_release(&job.workers[i]);
    gs_mem_free(job.workers);
    return st->code;
}

gs_code gs_block_spill_reduce(gs_block_spill *s, gs_team *team, gs_status *st)
{
    const gs_index_plan *const plan = s->plan;
    team_spill context = {s, team};
    const gs_run_reduction reduction = {
        .memory_bytes = plan->merge_bytes,
        /* Besides its block a run may have a decoded stretch open. */
        .open_bytes = plan->runs.run_block_bytes + STRETCH_BYTES,
        .piece_bytes = plan->piece_bytes,
        .checkpoint = s->checkpoint,
        .merge = join_runs,
        .context = &context,
    };
    return gs_run_list_reduce(&s->list, &reduction, st);
}
