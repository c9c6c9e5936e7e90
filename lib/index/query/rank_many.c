/* SPDX-License-Identifier: MIT */
/*
 * Documents that have any of very many terms, as the beginning of a word stands for: list
 * by list, in windows of 4096 documents.
 *
 *      terms     | base ........ base + 4096 |
 *        s0      |   x        x              |  scores[x] += part
 *        s1      |        x   x         x    |
 *        ...
 *      to top    |   x    x   x         x    |  by the bits of what was touched
 *
 * To ask every term for each document costs as much as there are terms; here a posting
 * costs one addition, however many they are. A heap of the terms by where their lists are
 * leaves those out that have nothing in a window, also where documents lie far apart.
 * Terms come in their order within a window, so that each score is the same sum, added up
 * in the same order, as that of one document at a time.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/query/rank.h"

enum { WINDOW_DOCS = 4096, WORD_BITS = 64 };

typedef struct many {
    gs_search_plan *plan;
    gs_top_docs *top;
    size_t *heap; /* slots by their documents, the first in front */
    size_t heap_count;
    uint64_t *taken; /* a bit for each slot that has a posting in the window */
    size_t taken_words;
    uint64_t base;
    uint64_t touched[WINDOW_DOCS / WORD_BITS];
    double scores[WINDOW_DOCS]; /* 0 where nothing is touched */
} many;

static uint64_t doc_of(const many *m, size_t slot)
{
    return m->plan->readers[m->plan->slots[slot].reader].doc;
}

/* --- the heap ---------------------------------------------------------------------- */

static void push(many *m, size_t slot)
{
    const uint64_t doc = doc_of(m, slot);
    size_t at = m->heap_count++;
    for (; at > 0 && doc < doc_of(m, m->heap[(at - 1) / 2]); at = (at - 1) / 2)
        m->heap[at] = m->heap[(at - 1) / 2];
    m->heap[at] = slot;
}

static size_t pop(many *m)
{
    const size_t first = m->heap[0], slot = m->heap[--m->heap_count];
    const uint64_t doc = m->heap_count > 0 ? doc_of(m, slot) : 0;
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < m->heap_count; at = child) {
        child += child + 1 < m->heap_count &&
                 doc_of(m, m->heap[child + 1]) < doc_of(m, m->heap[child]);
        if (doc <= doc_of(m, m->heap[child]))
            break;
        m->heap[at] = m->heap[child];
    }
    m->heap[at] = slot;
    return first;
}

/* --- a window ---------------------------------------------------------------------- */

static gs_code add_list(many *m, size_t at, gs_status *st)
{
    gs_search_plan *const plan = m->plan;
    const gs_search_slot *const slot = &plan->slots[at];
    gs_posting_list *const reader = &plan->readers[slot->reader];
    while (reader->doc < m->base + WINDOW_DOCS) {
        const uint64_t i = reader->doc - m->base;
        m->scores[i] += gs_search_plan_part(plan, slot, reader);
        m->touched[i / WORD_BITS] |= UINT64_C(1) << (i % WORD_BITS);
        GS_TRY(gs_posting_list_next(reader, st));
    }
    if (reader->doc != GS_NO_DOC)
        push(m, at);
    return GS_OK;
}

static gs_code take_scores(many *m, gs_status *st)
{
    for (size_t word = 0; word < WINDOW_DOCS / WORD_BITS; word++) {
        for (uint64_t bits = m->touched[word]; bits != 0; bits &= bits - 1) {
            const size_t i = word * WORD_BITS + (size_t)__builtin_ctzll(bits);
            GS_TRY(gs_top_docs_add(m->top, m->base + i, m->scores[i], st));
            m->scores[i] = 0;
        }
        m->touched[word] = 0;
    }
    return GS_OK;
}

static gs_code walk(many *m, gs_status *st)
{
    while (m->heap_count > 0) {
        const uint64_t doc = doc_of(m, m->heap[0]);
        m->base = doc - doc % WINDOW_DOCS;
        while (m->heap_count > 0 && doc_of(m, m->heap[0]) < m->base + WINDOW_DOCS) {
            const size_t slot = pop(m);
            m->taken[slot / WORD_BITS] |= UINT64_C(1) << (slot % WORD_BITS);
        }
        for (size_t word = 0; word < m->taken_words; word++) {
            for (uint64_t bits = m->taken[word]; bits != 0; bits &= bits - 1)
                GS_TRY(add_list(m, word * WORD_BITS + (size_t)__builtin_ctzll(bits), st));
            m->taken[word] = 0;
        }
        GS_TRY(take_scores(m, st));
    }
    return GS_OK;
}

static gs_code open(many *m, gs_status *st)
{
    gs_search_plan *const plan = m->plan;
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        GS_TRY(gs_posting_list_seek(&plan->readers[slot->reader], 0, st));
        if (doc_of(m, i) != GS_NO_DOC)
            push(m, i);
    }
    return GS_OK;
}

gs_code gs_rank_many(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    const size_t words = (plan->slot_count + WORD_BITS - 1) / WORD_BITS;
    many *m = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "scores", st));
    *m = (many){.plan = plan, .top = top, .heap = plan->order, .taken_words = words};
    if (gs_mem_new(&m->taken, words * sizeof *m->taken, "scores", st) == GS_OK &&
        open(m, st) == GS_OK)
        GS_NOTED(walk(m, st));
    gs_mem_free(m->taken);
    gs_mem_free(m);
    return st->code;
}
