/* SPDX-License-Identifier: MIT */
#include "lib/index/block/block_merge.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    STRETCHES_A_RANGE = 64,
    /* Few terms have most of the postings, and lie where the order of bytes has them: a
     * stretch of more than such a part of a block's share of a range is heavy, and for
     * each such part it is cut into so many. */
    HEAVY_PART = 4,
    CUTS_OF_HEAVY = 16,
    TERMS_A_RANGE_MIN = 16,
    /* A term costs as much as so many postings: it is compared, and has an entry. */
    TERM_WEIGHT = 16,
};

/* --- cutting ------------------------------------------------------------------------ */

/* Terms of a block that follow each other. */
typedef struct stretch {
    gs_term_view first;
    size_t block, begin, end; /* terms of that block */
    uint64_t weight;
} stretch;

typedef struct cut_job {
    const gs_term_block *blocks;
    stretch *stretches;
    size_t count;
    atomic_size_t next; /* that is weighed */
} cut_job;

/* Heavier terms are weighed for longer, so few at a time. */
enum { WEIGHED_AT_ONCE = 16 };

static gs_code weigh_worker(void *context, unsigned worker, gs_status *st)
{
    cut_job *const job = context;
    (void)worker;
    (void)st;
    for (size_t i; (i = atomic_fetch_add(&job->next, WEIGHED_AT_ONCE)) < job->count;) {
        for (size_t end = i + WEIGHED_AT_ONCE; i < end && i < job->count; i++) {
            stretch *const s = &job->stretches[i];
            const gs_term_block *const b = &job->blocks[s->block];
            b->ops->term(b->block, s->begin, &s->first);
            s->weight = b->ops->weigh(b->block, s->begin, s->end) +
                        (s->end - s->begin) * TERM_WEIGHT;
        }
    }
    return GS_OK;
}

static int compare_stretches(const void *a, const void *b)
{
    const stretch *const x = a, *const y = b;
    return gs_term_view_compare(&x->first, &y->first);
}

/* All terms in stretches of nearly as many each, none of which is empty. Those of several
 * blocks do not begin side by side, so that blocks with the same terms can be cut at as
 * many more places. */
static size_t take_stretches(const gs_term_block *blocks, size_t block_count,
                             size_t total, size_t wanted, stretch *out)
{
    size_t count = 0;
    for (size_t b = 0; b < block_count; b++) {
        const size_t n = blocks[b].term_count;
        const size_t share = (size_t)((double)wanted * (double)n / (double)total);
        for (size_t i = 0, begin = 0; i <= share; i++) {
            const size_t step = i * block_count + b + 1;
            const size_t end = i < share ? n * step / (share * block_count) : n;
            if (begin < end)
                out[count++] = (stretch){.block = b, .begin = begin, .end = end};
            begin = end;
        }
    }
    return count;
}

static uint64_t weight_of(const cut_job *job)
{
    uint64_t all = 0;
    for (size_t i = 0; i < job->count; i++)
        all += job->stretches[i].weight;
    return all;
}

/* How many terms of a stretch stay together. */
static size_t terms_of_cut(const stretch *s, uint64_t heavy)
{
    const size_t terms = s->end - s->begin;
    const uint64_t cuts = s->weight / (heavy + 1) * CUTS_OF_HEAVY + 1;
    return cuts < terms ? (terms + (size_t)cuts - 1) / (size_t)cuts : 1;
}

/* Cuts stretches that are heavy, and has the pieces weighed. */
static gs_code cut_heavy(cut_job *job, size_t shares, gs_team *team, gs_status *st)
{
    const uint64_t heavy = job->count > 0 ? weight_of(job) / (shares * HEAVY_PART) : 0;
    size_t count = 0;
    for (size_t i = 0; i < job->count; i++) {
        const stretch *const s = &job->stretches[i];
        const size_t terms = terms_of_cut(s, heavy);
        count += (s->end - s->begin + terms - 1) / terms;
    }
    if (count == job->count)
        return GS_OK;
    cut_job cut = {.blocks = job->blocks};
    GS_TRY(gs_mem_new_array(&cut.stretches, count, sizeof *cut.stretches,
                            "ranges of terms", st));
    for (size_t i = 0; i < job->count; i++) {
        const stretch *const s = &job->stretches[i];
        const size_t terms = terms_of_cut(s, heavy);
        for (size_t at = s->begin; at < s->end; at += terms) {
            const size_t end = s->end - at > terms ? at + terms : s->end;
            cut.stretches[cut.count++] =
                (stretch){.block = s->block, .begin = at, .end = end};
        }
    }
    gs_mem_free(job->stretches);
    job->stretches = cut.stretches;
    job->count = count;
    atomic_store(&job->next, 0);
    return gs_team_run(team, weigh_worker, job, st);
}

/* The first of the block's terms that is not before `bound`. */
static size_t find_start(const gs_term_block *block, const gs_term_view *bound)
{
    size_t lo = 0, hi = block->term_count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        gs_term_view term;
        block->ops->term(block->block, middle, &term);
        if (gs_term_view_compare(&term, bound) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* Starts of ranges behind the first, at terms that are different: blocks of much input
 * have the same terms. A range ends where it is nearest to its share of what was left at
 * its beginning. How many ranges. */
static size_t cut_at_stretches(const gs_block_ranges *out, const cut_job *job,
                               size_t wanted)
{
    uint64_t left = weight_of(job), taken = 0; /* of the range */
    size_t ranges = 1;
    const gs_term_view *last = job->count > 0 ? &job->stretches[0].first : NULL;
    for (size_t i = 0; i < job->count && ranges < wanted; i++) {
        const stretch *const s = &job->stretches[i];
        const uint64_t middle = taken + s->weight / 2;
        if (middle < left / (wanted - ranges + 1) ||
            gs_term_view_compare(last, &s->first) >= 0) {
            taken += s->weight;
            continue;
        }
        for (size_t b = 0; b < out->block_count; b++)
            out->starts[ranges * out->block_count + b] =
                find_start(&job->blocks[b], &s->first);
        last = &s->first;
        left -= taken;
        taken = s->weight;
        ranges++;
    }
    return ranges;
}

gs_code gs_block_ranges_cut(gs_block_ranges *out, const gs_term_block *blocks,
                            size_t block_count, size_t wanted, gs_team *team,
                            gs_status *st)
{
    size_t total = 0, bytes = 0;
    for (size_t b = 0; b < block_count; b++)
        total += blocks[b].term_count;
    if (wanted > total / TERMS_A_RANGE_MIN + 1)
        wanted = total / TERMS_A_RANGE_MIN + 1;
    GS_TRY(gs_mem_size_mul(&bytes, (wanted + 1) * sizeof *out->starts, block_count, st));
    *out = (gs_block_ranges){block_count, 0, NULL};
    GS_TRY(gs_mem_new(&out->starts, bytes, "ranges of terms", st));
    const size_t stretches_max = wanted * STRETCHES_A_RANGE;
    cut_job job = {.blocks = blocks};
    GS_TRY_OR_FAIL(gs_mem_new_array(&job.stretches, stretches_max + block_count,
                                    sizeof *job.stretches, "ranges of terms", st));
    job.count = total > 0 ? take_stretches(blocks, block_count, total, stretches_max,
                                           job.stretches)
                          : 0;
    GS_TRY_OR_FAIL(gs_team_run(team, weigh_worker, &job, st));
    GS_TRY_OR_FAIL(cut_heavy(&job, wanted * block_count, team, st));
    qsort(job.stretches, job.count, sizeof *job.stretches, compare_stretches);
    const size_t ranges = cut_at_stretches(out, &job, wanted);
    for (size_t b = 0; b < block_count; b++)
        out->starts[ranges * block_count + b] = blocks[b].term_count;
    out->range_count = ranges;
    gs_mem_free(job.stretches);
    return GS_OK;
fail:
    gs_mem_free(job.stretches);
    gs_block_ranges_release(out);
    return st->code;
}

void gs_block_ranges_release(gs_block_ranges *ranges)
{
    gs_mem_free(ranges->starts);
    *ranges = (gs_block_ranges){0};
}

/* --- merging ----------------------------------------------------------------------- */

typedef struct block_source {
    const gs_term_block *block;
    size_t index, end; /* of its terms */
    gs_term_view term;
    /* of the term that is being merged */
    gs_term_reader reader;
    gs_posting_batch batch;
    size_t at;                 /* in the batch */
    const uint32_t *positions; /* of the posting at `at` */
} block_source;

struct gs_block_merger {
    size_t count;
    block_source **same; /* those that have the term, in their order */
    gs_made_block made;
    block_source sources[];
};

gs_code gs_block_merger_new(gs_block_merger **out, const gs_term_block *blocks,
                            size_t block_count, gs_status *st)
{
    *out = NULL;
    gs_block_merger *m = NULL;
    GS_TRY(gs_mem_new(&m, sizeof(gs_block_merger) + block_count * sizeof(block_source),
                      "merge of blocks", st));
    m->count = block_count;
    for (size_t i = 0; i < block_count; i++)
        m->sources[i].block = &blocks[i];
    GS_TRY_OR_FAIL(
        gs_mem_new(&m->same, block_count * sizeof *m->same, "merge of blocks", st));
    *out = m;
    return GS_OK;
fail:
    gs_block_merger_free(m);
    return st->code;
}

void gs_block_merger_free(gs_block_merger *m)
{
    if (m == NULL)
        return;
    for (size_t i = 0; i < m->count; i++) {
        gs_term_reader_release(&m->sources[i].reader);
        gs_posting_batch_release(&m->sources[i].batch);
    }
    gs_mem_free(m->same);
    gs_mem_free(m);
}

static void load_term(block_source *s)
{
    if (s->index < s->end)
        s->block->ops->term(s->block->block, s->index, &s->term);
}

/* Collects the sources that have the smallest term; 0: all are at their end. */
static size_t find_smallest(gs_block_merger *m)
{
    size_t same = 0;
    for (size_t i = 0; i < m->count; i++) {
        block_source *const s = &m->sources[i];
        if (s->index >= s->end)
            continue;
        const int order =
            same > 0 ? gs_term_view_compare(&s->term, &m->same[0]->term) : -1;
        if (order > 0)
            continue;
        if (order < 0)
            same = 0;
        m->same[same++] = s;
    }
    return same;
}

static gs_code read_batch(block_source *s, gs_status *st)
{
    s->at = 0;
    GS_TRY(s->block->ops->read(s->block->block, &s->reader, &s->batch, st));
    s->positions = s->batch.positions;
    return GS_OK;
}

/* Blocks that are made already are copied as they are. */
static gs_code copy_made(gs_block_merger *m, block_source *s, gs_posting_gather *gather,
                         gs_status *st)
{
    bool is_there = s->block->ops->take != NULL && gather->target.block != NULL;
    while (is_there) {
        GS_TRY(s->block->ops->take(s->block->block, &s->reader, &m->made, &is_there, st));
        if (is_there)
            GS_TRY(gs_posting_gather_block(gather, &m->made.block, st));
    }
    return GS_OK;
}

static gs_code copy_whole(gs_block_merger *m, block_source *s, gs_posting_gather *gather,
                          gs_status *st)
{
    for (;;) {
        GS_TRY(copy_made(m, s, gather, st));
        GS_TRY(read_batch(s, st));
        if (s->batch.count == 0)
            return GS_OK;
        GS_TRY(gs_posting_gather_add(gather, &s->batch, 0, s->batch.count, s->positions,
                                     st));
    }
}

static size_t skip_positions(const gs_posting_batch *batch, size_t begin, size_t end)
{
    size_t sum = 0;
    for (size_t i = begin; i < end; i++)
        sum += batch->tfs[i];
    return sum;
}

/* Takes the postings of the source with the smallest document, up to where another source
 * has a smaller one. Sources at their end have left `same`. */
static gs_code take_stretch(gs_block_merger *m, size_t *same, gs_posting_gather *gather,
                            gs_status *st)
{
    size_t first = 0;
    uint64_t smallest = UINT64_MAX, second = UINT64_MAX;
    for (size_t i = 0; i < *same; i++) {
        const uint64_t doc = m->same[i]->batch.docs[m->same[i]->at];
        if (doc < smallest) {
            second = smallest;
            smallest = doc;
            first = i;
        } else if (doc < second) {
            second = doc;
        }
    }
    block_source *const s = m->same[first];
    size_t end = s->at + 1;
    while (end < s->batch.count && s->batch.docs[end] < second)
        end++;
    GS_TRY(gs_posting_gather_add(gather, &s->batch, s->at, end, s->positions, st));
    if (gather->has_positions)
        s->positions += skip_positions(&s->batch, s->at, end);
    s->at = end;
    if (s->at < s->batch.count)
        return GS_OK;
    GS_TRY(read_batch(s, st));
    if (s->batch.count == 0) {
        for (size_t i = first + 1; i < *same; i++)
            m->same[i - 1] = m->same[i];
        --*same;
    }
    return GS_OK;
}

static gs_code merge_term(gs_block_merger *m, size_t same, gs_posting_gather *gather,
                          gs_status *st)
{
    const gs_term_view *const term = &m->same[0]->term;
    GS_TRY(gs_posting_gather_term(gather, term->bytes, term->count, st));
    for (size_t i = 0; i < same; i++) {
        block_source *const s = m->same[i];
        GS_TRY(s->block->ops->open(s->block->block, s->index, &s->reader, st));
        if (same > 1)
            GS_TRY(read_batch(s, st));
    }
    if (same == 1)
        return copy_whole(m, m->same[0], gather, st);
    while (same > 0)
        GS_TRY(take_stretch(m, &same, gather, st));
    return GS_OK;
}

gs_code gs_block_merger_run(gs_block_merger *m, const gs_block_ranges *ranges,
                            size_t range, gs_posting_gather *gather, gs_status *st)
{
    gs_assert(range < ranges->range_count && ranges->block_count == m->count);
    const size_t *const starts = ranges->starts + range * m->count;
    for (size_t i = 0; i < m->count; i++) {
        m->sources[i].index = starts[i];
        m->sources[i].end = starts[m->count + i];
        load_term(&m->sources[i]);
    }
    for (size_t same; (same = find_smallest(m)) > 0;) {
        const gs_term_view term = m->same[0]->term;
        GS_TRY(merge_term(m, same, gather, st));
        for (size_t i = 0; i < m->count; i++) {
            block_source *const s = &m->sources[i];
            if (s->index >= s->end || s->term.bytes == NULL ||
                gs_term_view_compare(&s->term, &term) != 0)
                continue;
            gs_term_reader_close(&s->reader);
            s->index++;
            load_term(s);
        }
    }
    return gs_posting_gather_end(gather, st);
}
