/* SPDX-License-Identifier: MIT */
#include "lib/part/sample_pick.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum { TEXT_BYTES_MIN = 64 << 10 };

void gs_sample_pick_init(gs_sample_pick *p, uint64_t count_max, uint64_t seed,
                         size_t bytes_max)
{
    gs_assert(count_max >= 1);
    *p = (gs_sample_pick){.seed = seed, .count_max = count_max, .bytes_max = bytes_max};
}

void gs_sample_pick_release(gs_sample_pick *p)
{
    gs_mem_free(p->records);
    gs_mem_free(p->text);
    *p = (gs_sample_pick){0};
}

void gs_sample_pick_restart(gs_sample_pick *p)
{
    p->offered = 0;
    p->count = 0;
    p->text_used = p->text_kept = 0;
}

uint64_t gs_sample_pick_rank(gs_sample_pick *p, uint64_t input, uint64_t offset)
{
    const uint64_t place[] = {input, offset};
    p->offered++;
    return XXH3_64bits_withSeed(place, sizeof place, p->seed);
}

/* Two ranks may be the same: places never are. */
static bool is_before(const gs_sampled *a, const gs_sampled *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->input != b->input ? a->input < b->input : a->offset < b->offset;
}

/* --- a heap, the last one on top -------------------------------------------------- */

static void swap(gs_sampled *a, gs_sampled *b)
{
    const gs_sampled kept = *a;
    *a = *b;
    *b = kept;
}

static void rise(gs_sampled *heap, size_t at)
{
    for (size_t above = (at - 1) / 2; at > 0 && is_before(&heap[above], &heap[at]);
         above = (at - 1) / 2) {
        swap(&heap[above], &heap[at]);
        at = above;
    }
}

static void sink(gs_sampled *heap, size_t count)
{
    size_t at = 0;
    for (size_t below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && is_before(&heap[below], &heap[below + 1]))
            below++;
        if (!is_before(&heap[at], &heap[below]))
            break;
        swap(&heap[at], &heap[below]);
    }
}

/* --- texts ------------------------------------------------------------------------ */

static gs_code fail_too_large(const gs_sample_pick *p, gs_status *st)
{
    (void)GS_FAIL(
        st, GS_ERR_LIMIT, 0,
        "%zu records of the sample take more than the %zu bytes there are for it",
        p->count, p->bytes_max);
    return gs_status_hint(st, "give more memory with -S, or sample fewer");
}

/* Moves what is still kept to a text of twice its size: so the bytes that are copied are
 * no more than those that were added. */
static gs_code move_texts(gs_sample_pick *p, size_t bytes, gs_status *st)
{
    uint8_t *text = NULL;
    size_t capacity = 2 * (p->text_kept + bytes), used = 0;
    if (capacity < TEXT_BYTES_MIN)
        capacity = TEXT_BYTES_MIN;
    if (capacity + p->text_capacity + p->capacity * sizeof *p->records > p->bytes_max)
        return fail_too_large(p, st);
    GS_TRY(gs_mem_new(&text, capacity + GS_SAMPLE_SLACK, "sample", st));
    for (size_t i = 0; i < p->count; i++) {
        gs_sampled *const r = &p->records[i];
        memcpy(text + used, p->text + r->at, r->bytes);
        r->at = used;
        used += r->bytes;
    }
    gs_assert(used == p->text_kept);
    gs_mem_free(p->text);
    p->text = text;
    p->text_used = used;
    p->text_capacity = capacity;
    return GS_OK;
}

gs_code gs_sample_pick_add(gs_sample_pick *p, uint64_t rank, uint64_t input,
                           uint64_t offset, const uint8_t *record, size_t bytes,
                           gs_status *st)
{
    const gs_sampled it = {.rank = rank, .input = input, .offset = offset};
    const bool is_full = p->count == p->count_max;
    if (is_full && !is_before(&it, &p->records[0]))
        return GS_OK;
    if (is_full) {
        p->text_kept -= p->records[0].bytes;
        swap(&p->records[0], &p->records[--p->count]);
        sink(p->records, p->count);
    } else if (p->count == p->capacity) {
        GS_TRY(gs_mem_grow(&p->records, &p->capacity, p->count + 1, "sample", st));
        if (p->text_capacity + p->capacity * sizeof *p->records > p->bytes_max)
            return fail_too_large(p, st);
    }
    if (p->text_capacity - p->text_used < bytes || p->text == NULL)
        GS_TRY(move_texts(p, bytes, st));
    memcpy(p->text + p->text_used, record, bytes);
    gs_sampled *const r = &p->records[p->count++];
    *r = it;
    r->at = p->text_used;
    r->bytes = bytes;
    p->text_used += bytes;
    p->text_kept += bytes;
    rise(p->records, p->count - 1);
    return GS_OK;
}

static int by_place(const void *a, const void *b)
{
    const gs_sampled *const x = a, *const y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

void gs_sample_pick_settle(gs_sample_pick *p)
{
    if (p->count > 1)
        qsort(p->records, p->count, sizeof *p->records, by_place);
}
