/* SPDX-License-Identifier: MIT */
#include "lib/index/build/index_emit.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/block/blocks.h"

/* One thread's way into the part it is making. */
typedef struct part_writer {
    GS_MEM_APART const gs_index_emit *emit;
    gs_index_part *part; /* NULL: none */
    gs_posting_gather gather;
    gs_posting_joiner *joiner; /* for runs */
    uint64_t terms, postings;  /* not in the statistics yet */
} part_writer;

static gs_code take_term(void *context, const uint8_t *term, size_t bytes, gs_status *st)
{
    part_writer *const w = context;
    w->terms++;
    return gs_index_part_term(w->part, term, bytes, st);
}

static gs_code take_postings(void *context, const gs_posting_batch *batch, gs_status *st)
{
    part_writer *const w = context;
    w->postings += batch->count;
    return gs_index_part_postings(w->part, batch->docs, batch->tfs, batch->count,
                                  w->emit->build->has_positions ? batch->positions : NULL,
                                  st);
}

/* Postings before it are full blocks as well, so that it fits. */
static gs_code take_block(void *context, const gs_foreign_block *block, gs_status *st)
{
    part_writer *const w = context;
    bool is_taken = false;
    w->postings += GS_INDEX_BLOCK;
    GS_TRY(gs_index_part_block(w->part, block, &is_taken, st));
    gs_assert(is_taken);
    return GS_OK;
}

static void part_writer_init(part_writer *w, const gs_index_emit *emit)
{
    *w = (part_writer){.emit = emit};
    const gs_posting_target target = {take_term, take_postings, w, take_block};
    gs_posting_gather_init(&w->gather, &target, emit->build->has_positions);
}

static void part_writer_release(part_writer *w)
{
    gs_index_part_free(w->part);
    gs_posting_gather_release(&w->gather);
    gs_posting_joiner_free(w->joiner);
    *w = (part_writer){0};
}

static gs_code begin_part(part_writer *w, size_t number, gs_status *st)
{
    return gs_index_part_new(&w->part, w->emit->writer, (unsigned)number, st);
}

static gs_code end_part(part_writer *w, gs_status *st)
{
    gs_index_stats *const stats = w->emit->build->stats;
    GS_NOTED(gs_index_part_finish(w->part, st));
    gs_index_part_free(w->part);
    w->part = NULL;
    atomic_fetch_add(&stats->terms, w->terms);
    atomic_fetch_add(&stats->sort.output_records, w->postings);
    w->terms = w->postings = 0;
    return st->code;
}

/* Parts from `first` on, with nothing in them. */
static gs_code make_empty_parts(const gs_index_emit *emit, size_t first, gs_status *st)
{
    part_writer w;
    part_writer_init(&w, emit);
    for (size_t i = first; i < emit->part_count && st->code == GS_OK; i++) {
        if (begin_part(&w, i, st) == GS_OK)
            GS_NOTED(end_part(&w, st));
    }
    part_writer_release(&w);
    return st->code;
}

/* --- from blocks -------------------------------------------------------------------- */

typedef struct blocks_job {
    const gs_index_emit *emit;
    gs_trace *trace;
    const gs_term_block *blocks;
    size_t block_count;
    gs_block_ranges ranges;
    atomic_size_t next_made, next_range;
    atomic_bool has_failed;
} blocks_job;

static gs_code emit_range(blocks_job *job, unsigned worker, part_writer *w,
                          gs_block_merger *merger, size_t range, gs_status *st)
{
    GS_TRY(gs_cancel_check(job->emit->build->cancel_signal, st));
    GS_TRY(begin_part(w, range, st));
    GS_TRY(gs_block_merger_run(merger, &job->ranges, range, &w->gather, st));
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    GS_NOTED(end_part(w, st));
    gs_trace_end(job->trace, GS_LANE_WORKER, worker, "put parts", begin_ns, 0);
    return st->code;
}

static gs_code blocks_worker(void *context, unsigned worker, gs_status *st)
{
    blocks_job *const job = context;
    gs_block_merger *merger = NULL;
    part_writer w;
    part_writer_init(&w, job->emit);
    GS_NOTED(gs_block_merger_new(&merger, job->blocks, job->block_count, st));
    while (st->code == GS_OK && !atomic_load(&job->has_failed)) {
        const size_t range = atomic_fetch_add(&job->next_range, 1);
        if (range >= job->ranges.range_count)
            break;
        const uint64_t begin_ns = gs_trace_begin(job->trace);
        GS_NOTED(emit_range(job, worker, &w, merger, range, st));
        gs_trace_end(job->trace, GS_LANE_WORKER, worker, "write part", begin_ns, 0);
    }
    if (st->code != GS_OK)
        atomic_store(&job->has_failed, true);
    gs_block_merger_free(merger);
    part_writer_release(&w);
    return st->code;
}

/* Blocks are on devices of their own, or make nothing: a thread for each. */
static gs_code make_worker(void *context, unsigned worker, gs_status *st)
{
    blocks_job *const job = context;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&job->next_made, 1)) < job->block_count;) {
        const gs_term_block *const b = &job->blocks[i];
        if (b->term_count > 0 && b->ops->make != NULL)
            GS_TRY(
                b->ops->make(b->block, gs_index_writer_lengths(job->emit->writer), st));
    }
    return GS_OK;
}

gs_code gs_index_emit_blocks(const gs_index_emit *emit, gs_team *team,
                             const gs_term_block *blocks, size_t block_count,
                             gs_status *st)
{
    blocks_job job = {.emit = emit,
                      .trace = gs_team_trace(team),
                      .blocks = blocks,
                      .block_count = block_count};
    GS_TRY(gs_team_run(team, make_worker, &job, st));
    GS_TRY(gs_block_ranges_cut(&job.ranges, blocks, block_count, emit->part_count, team,
                               st));
    if (gs_team_run(team, blocks_worker, &job, st) == GS_OK)
        GS_NOTED(make_empty_parts(emit, job.ranges.range_count, st));
    gs_block_ranges_release(&job.ranges);
    return st->code;
}

/* --- from runs ---------------------------------------------------------------------- */

typedef struct runs_job {
    part_writer *writers; /* one a worker */
    atomic_size_t portions;
} runs_job;

static gs_code begin_portion(void *context, unsigned worker, size_t portion,
                             gs_status *st)
{
    runs_job *const job = context;
    part_writer *const w = &job->writers[worker];
    size_t seen = atomic_load(&job->portions);
    while (seen <= portion &&
           !atomic_compare_exchange_weak(&job->portions, &seen, portion + 1))
        ;
    if (w->joiner == NULL)
        GS_TRY(gs_posting_joiner_new(&w->joiner, w->emit->build->has_positions, st));
    gs_posting_joiner_begin(w->joiner, &w->gather);
    return begin_part(w, portion, st);
}

static gs_code add_record(void *context, unsigned worker, const gs_run_cursor *record,
                          gs_status *st)
{
    runs_job *const job = context;
    return gs_posting_joiner_add(job->writers[worker].joiner, record->data,
                                 record->key_bytes, record->data + record->key_bytes, st);
}

static gs_code end_portion(void *context, unsigned worker, gs_status *st)
{
    runs_job *const job = context;
    part_writer *const w = &job->writers[worker];
    GS_TRY(gs_posting_joiner_end(w->joiner, st));
    return end_part(w, st);
}

static void abandon_portion(void *context, unsigned worker, const gs_status *why)
{
    runs_job *const job = context;
    (void)why;
    gs_index_part_free(job->writers[worker].part);
    job->writers[worker].part = NULL;
}

gs_code gs_index_emit_runs(const gs_index_emit *emit, gs_team *team,
                           const gs_block_spill *spill, gs_status *st)
{
    const unsigned workers = gs_team_workers(team);
    const gs_range_merge_options options = gs_block_spill_merge_options(spill);
    runs_job job = {0};
    GS_TRY(gs_mem_new_apart(&job.writers, workers * sizeof *job.writers,
                            "writers of parts", st));
    for (unsigned i = 0; i < workers; i++)
        part_writer_init(&job.writers[i], emit);
    const gs_range_consumer consumer = {
        .portion_max = emit->part_count,
        .kept_together = gs_posting_run_kept_together,
        .begin = begin_portion,
        .add = add_record,
        .end = end_portion,
        .abandon = abandon_portion,
        .context = &job,
    };
    gs_run_list_begin_pass(&spill->list);
    if (gs_range_merge_consume(spill->list.runs, spill->list.count, team, &consumer,
                               &options, st) == GS_OK)
        GS_NOTED(make_empty_parts(emit, atomic_load(&job.portions), st));
    for (unsigned i = 0; i < workers; i++)
        part_writer_release(&job.writers[i]);
    gs_mem_free(job.writers);
    return st->code;
}
