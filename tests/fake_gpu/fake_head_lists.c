/* SPDX-License-Identifier: MIT */
/*
 * fake_head_lists: gpu/lists/head_lists.h on machines without a GPU (make FAKE_GPU=1),
 * made of the steps that the kernels are made of.
 *
 * It finds terms when it is waited for, not when they are submitted, from what was
 * submitted, and its answers are wrong until then. GS_FAKE_GPU_FAIL=STEP:N makes the N-th
 * call of a step fail: lists, terms, heads. GS_FAKE_GPU_MEMORY is how many bytes there
 * are.
 */
#include "gpu/lists/head_lists.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"

#define array_new(out, bytes, st) gs_mem_new(out, bytes, "memory of a fake GPU", st)

typedef struct fake_lane {
    uint8_t *text;
    uint32_t *ends, *dfs, *firsts, *docs, *tfs;
    uint32_t count;
} fake_lane;

struct gs_head_lists {
    gs_list_view view;
    unsigned lanes;
    uint64_t *prefixes;
    uint8_t *terms, *postings;
    uint32_t *slots;
    fake_lane of_lane[GS_HEAD_LANES_MAX];
};

static uint64_t held_bytes(const gs_head_lists_options *o)
{
    return o->index.slots == NULL ? o->index.postings_end
                                  : o->slot_count * GS_LIST_CHUNK_BYTES;
}

gs_code gs_head_lists_room(const gs_head_lists_options *options, uint64_t *needed,
                           uint64_t *there, gs_status *st)
{
    const char *const wish = getenv("GS_FAKE_GPU_MEMORY");
    (void)st;
    *needed = options->index.terms_bytes;
    *there = wish != NULL ? strtoull(wish, NULL, 10) : UINT64_MAX;
    if (options->memory_bytes != 0 && options->memory_bytes < *there)
        *there = options->memory_bytes;
    return GS_OK;
}

static gs_code open_lane(fake_lane *l, gs_status *st)
{
    enum { BYTES = (GS_HEAD_TERMS + 1) * sizeof(uint32_t) };
    GS_TRY(array_new(&l->text, GS_HEAD_TERM_BYTES, st));
    GS_TRY(array_new(&l->ends, BYTES, st));
    GS_TRY(array_new(&l->dfs, BYTES, st));
    GS_TRY(array_new(&l->firsts, BYTES, st));
    GS_TRY(array_new(&l->docs, GS_HEAD_POSTINGS * sizeof *l->docs, st));
    return array_new(&l->tfs, GS_HEAD_POSTINGS * sizeof *l->tfs, st);
}

static void take_postings(gs_head_lists *h, const gs_list_view *from)
{
    const uint64_t end = from->postings_end, chunks = end / GS_LIST_CHUNK_BYTES + 1;
    if (from->slots == NULL && end > 0)
        memcpy(h->postings, from->postings, end);
    for (uint64_t c = 0; from->slots != NULL && c < chunks; c++) {
        const uint64_t at = c * GS_LIST_CHUNK_BYTES, left = end - at;
        if (from->slots[c] != GS_LIST_NO_SLOT)
            memcpy(h->postings + from->slots[c] * (size_t)GS_LIST_CHUNK_BYTES,
                   from->postings + at,
                   left < GS_LIST_CHUNK_BYTES ? left : GS_LIST_CHUNK_BYTES);
    }
}

/* What is behind an array that was taken is not what is behind it in the file. */
static gs_code take_index(gs_head_lists *h, const gs_head_lists_options *o, gs_status *st)
{
    const gs_list_view *const from = &o->index;
    const uint64_t chunks = from->postings_end / GS_LIST_CHUNK_BYTES + 1;
    const uint64_t held = held_bytes(o);
    GS_TRY(array_new(&h->prefixes, (from->block_count + 1) * sizeof *h->prefixes, st));
    GS_TRY(array_new(&h->terms, from->terms_bytes + GS_LIST_SLACK, st));
    GS_TRY(array_new(&h->postings, held + GS_LIST_SLACK, st));
    if (from->block_count > 0)
        memcpy(h->prefixes, from->prefixes, from->block_count * sizeof *h->prefixes);
    memcpy(h->terms, from->terms, from->terms_bytes);
    memset(h->terms + from->terms_bytes, 0xff, GS_LIST_SLACK);
    memset(h->postings + held, 0xff, GS_LIST_SLACK);
    take_postings(h, from);
    if (from->slots != NULL) {
        GS_TRY(array_new(&h->slots, chunks * sizeof *h->slots, st));
        memcpy(h->slots, from->slots, chunks * sizeof *h->slots);
    }
    h->view = *from;
    h->view.prefixes = h->prefixes;
    h->view.terms = h->terms;
    h->view.postings = h->postings;
    h->view.slots = h->slots;
    return GS_OK;
}

gs_code gs_head_lists_new(gs_head_lists **out, const gs_head_lists_options *options,
                          gs_status *st)
{
    gs_head_lists *h = NULL;
    uint64_t needed, there;
    *out = NULL;
    wake("gs_head_lists_new");
    GS_TRY(pass("lists", st));
    GS_TRY(gs_head_lists_room(options, &needed, &there, st));
    if (needed + held_bytes(options) > there)
        return GS_FAIL(st, GS_ERR_NOMEM, 0, "a fake GPU of %llu bytes",
                       (unsigned long long)there);
    GS_TRY(array_new(&h, sizeof *h, st));
    h->lanes = options->lanes;
    for (unsigned i = 0; i < h->lanes; i++)
        GS_TRY_OR_FAIL(open_lane(&h->of_lane[i], st));
    GS_TRY_OR_FAIL(take_index(h, options, st));
    *out = h;
    return GS_OK;
fail:
    gs_head_lists_free(h);
    return st->code;
}

void gs_head_lists_free(gs_head_lists *h)
{
    if (h == NULL)
        return;
    for (unsigned i = 0; i < GS_HEAD_LANES_MAX; i++) {
        const fake_lane *const l = &h->of_lane[i];
        gs_mem_free(l->text);
        gs_mem_free(l->ends);
        gs_mem_free(l->dfs);
        gs_mem_free(l->firsts);
        gs_mem_free(l->docs);
        gs_mem_free(l->tfs);
    }
    gs_mem_free(h->prefixes);
    gs_mem_free(h->terms);
    gs_mem_free(h->postings);
    gs_mem_free(h->slots);
    gs_mem_free(h);
}

gs_head_lane gs_head_lists_lane(const gs_head_lists *h, unsigned lane)
{
    gs_assert(lane < h->lanes);
    const fake_lane *const l = &h->of_lane[lane];
    return (gs_head_lane){l->text, l->ends, l->dfs, l->firsts, l->docs, l->tfs};
}

size_t gs_head_lists_device_bytes(const gs_head_lists *h)
{
    return h->view.terms_bytes;
}

gs_code gs_head_lists_submit(gs_head_lists *h, unsigned lane, uint32_t term_count,
                             gs_status *st)
{
    gs_assert(lane < h->lanes && term_count <= GS_HEAD_TERMS);
    gs_assert((uint64_t)term_count * h->view.head <= GS_HEAD_POSTINGS);
    fake_lane *const l = &h->of_lane[lane];
    GS_TRY(pass("terms", st));
    memset(l->dfs, 0x7f, term_count * sizeof *l->dfs);
    memset(l->firsts, 0x7f, (term_count + 1) * sizeof *l->firsts);
    l->count = term_count;
    return GS_OK;
}

static uint64_t rank_of(const gs_list_view *v, uint64_t prefix)
{
    uint64_t low = 0, high = v->block_count;
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        if (v->prefixes[middle] < prefix)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

gs_code gs_head_lists_wait(gs_head_lists *h, unsigned lane, gs_status *st)
{
    const fake_lane *const l = &h->of_lane[lane];
    const gs_list_view *const v = &h->view;
    uint32_t begin = 0, at = 0;
    GS_TRY(pass("heads", st));
    for (uint32_t i = 0; i < l->count; i++) {
        const uint8_t *const term = l->text + begin;
        const uint32_t bytes = l->ends[i] - begin;
        gs_list_info info = {0};
        gs_list_find(v, rank_of(v, gs_list_prefix(term, bytes)), term, bytes, &info);
        const uint32_t wanted = gs_list_wanted(v, &info);
        l->firsts[i] = at;
        l->dfs[i] = info.df;
        if (wanted > 0 && !gs_list_read(v, &info, l->docs + at, l->tfs + at))
            l->dfs[i] = GS_LIST_REFUSED;
        at += wanted;
        begin = l->ends[i];
    }
    l->firsts[l->count] = at;
    return GS_OK;
}
