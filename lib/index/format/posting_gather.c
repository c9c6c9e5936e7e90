/* SPDX-License-Identifier: MIT */
#include "lib/index/format/posting_gather.h"

#include <string.h>

#include "lib/base/assertion.h"

void gs_posting_gather_init(gs_posting_gather *g, const gs_posting_target *target,
                            bool has_positions)
{
    g->target = *target;
    g->has_positions = has_positions;
    g->batch.positions = NULL;
    g->batch.position_capacity = g->batch.mapped_bytes = 0;
    gs_posting_batch_clear(&g->batch);
}

void gs_posting_gather_release(gs_posting_gather *g)
{
    gs_posting_batch_release(&g->batch);
}

gs_code gs_posting_gather_end(gs_posting_gather *g, gs_status *st)
{
    if (g->batch.count > 0)
        GS_TRY(g->target.postings(g->target.context, &g->batch, st));
    gs_posting_batch_clear(&g->batch);
    return GS_OK;
}

gs_code gs_posting_gather_block(gs_posting_gather *g, const gs_foreign_block *block,
                                gs_status *st)
{
    GS_TRY(gs_posting_gather_end(g, st));
    return g->target.block(g->target.context, block, st);
}

gs_code gs_posting_gather_term(gs_posting_gather *g, const uint8_t *term, size_t bytes,
                               gs_status *st)
{
    GS_TRY(gs_posting_gather_end(g, st));
    return g->target.term(g->target.context, term, bytes, st);
}

/* Hands on all but the last posting, which the next part may add to. */
static gs_code hand_on(gs_posting_gather *g, gs_status *st)
{
    gs_posting_batch *const b = &g->batch;
    const size_t last = b->count - 1;
    const uint64_t doc = b->docs[last];
    const uint32_t tf = b->tfs[last];
    const size_t kept = g->has_positions ? tf : 0;
    b->count--;
    b->position_count -= kept;
    GS_TRY(g->target.postings(g->target.context, b, st));
    if (kept > 0)
        memmove(b->positions, b->positions + b->position_count, kept * sizeof(uint32_t));
    b->docs[0] = doc;
    b->tfs[0] = tf;
    b->count = 1;
    b->position_count = kept;
    return GS_OK;
}

static void reverse(uint32_t *p, size_t begin, size_t end)
{
    for (; begin + 1 < end; begin++, end--) {
        const uint32_t swap = p[begin];
        p[begin] = p[end - 1];
        p[end - 1] = swap;
    }
}

/* The last posting's positions had `more` added at their end: a stretch of the document
 * that lies before, behind or between the stretches that were there. */
static void join_positions(gs_posting_batch *b, size_t more)
{
    const size_t tf = b->tfs[b->count - 1], first = tf - more;
    uint32_t *const p = b->positions + (b->position_count - tf);
    size_t place = first;
    while (place > 0 && p[place - 1] > p[first])
        place--;
    if (place == first)
        return;
    reverse(p, place, first);
    reverse(p, first, tf);
    reverse(p, place, tf);
}

static gs_code append_positions(gs_posting_batch *b, const uint32_t *positions,
                                size_t count, gs_status *st)
{
    GS_TRY(gs_posting_batch_grow(b, count, st));
    if (count > 0)
        memcpy(b->positions + b->position_count, positions, count * sizeof *positions);
    b->position_count += count;
    return GS_OK;
}

static gs_code add_to_last(gs_posting_gather *g, uint32_t tf, const uint32_t *positions,
                           gs_status *st)
{
    gs_posting_batch *const b = &g->batch;
    const size_t last = b->count - 1;
    if (__builtin_add_overflow(b->tfs[last], tf, &b->tfs[last]))
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "a term comes more than 2^32 - 1 times in document %llu",
                       (unsigned long long)b->docs[last]);
    if (!g->has_positions)
        return GS_OK;
    GS_TRY(append_positions(b, positions, tf, st));
    join_positions(b, tf);
    return GS_OK;
}

/* How many postings of the part, one at least, the batch takes, and their positions. */
static size_t fitting(const gs_posting_gather *g, const gs_posting_batch *part,
                      size_t begin, size_t end, size_t *position_count)
{
    const gs_posting_batch *const b = &g->batch;
    size_t n = GS_POSTINGS_MAX - b->count;
    if (n > end - begin)
        n = end - begin;
    *position_count = 0;
    if (!g->has_positions)
        return n;
    size_t fit = 0;
    do
        *position_count += part->tfs[begin + fit++];
    while (fit < n && b->position_count + *position_count < GS_POSITIONS_MAX);
    return fit;
}

/* One posting of very many positions is not there twice. */
static void take_whole(gs_posting_batch *b, gs_posting_batch *part)
{
    gs_posting_batch_release(b);
    b->positions = part->positions;
    b->position_count = part->position_count;
    b->position_capacity = part->position_capacity;
    b->mapped_bytes = part->mapped_bytes;
    gs_posting_batch_add(b, part->docs[0], part->tfs[0]);
    part->positions = NULL;
    part->position_count = part->position_capacity = part->mapped_bytes = 0;
}

gs_code gs_posting_gather_add(gs_posting_gather *g, gs_posting_batch *part, size_t begin,
                              size_t end, const uint32_t *positions, gs_status *st)
{
    gs_posting_batch *const b = &g->batch;
    if (b->count == 0 && begin == 0 && end == 1 && part->count == 1 &&
        part->mapped_bytes > 0) {
        take_whole(b, part);
        return GS_OK;
    }
    if (begin < end && b->count > 0 && b->docs[b->count - 1] == part->docs[begin]) {
        GS_TRY(add_to_last(g, part->tfs[begin], positions, st));
        if (g->has_positions)
            positions += part->tfs[begin];
        begin++;
    }
    while (begin < end) {
        if (b->count > 1 && gs_posting_batch_is_full(b))
            GS_TRY(hand_on(g, st));
        size_t position_count;
        const size_t n = fitting(g, part, begin, end, &position_count);
        gs_dassert(b->count == 0 || b->docs[b->count - 1] < part->docs[begin]);
        memcpy(b->docs + b->count, part->docs + begin, n * sizeof *b->docs);
        memcpy(b->tfs + b->count, part->tfs + begin, n * sizeof *b->tfs);
        b->count += n;
        if (g->has_positions) {
            GS_TRY(append_positions(b, positions, position_count, st));
            positions += position_count;
        }
        begin += n;
    }
    return GS_OK;
}
