/* SPDX-License-Identifier: MIT */
#include "lib/index/query/top_docs.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

void gs_top_docs_release(gs_top_docs *top)
{
    gs_mem_free(top->docs);
    *top = (gs_top_docs){0};
}

enum {
    HEAP_MAX = 64,     /* documents that a heap keeps */
    INSERTED_MAX = 12, /* that are sorted one by one */
};

void gs_top_docs_clear(gs_top_docs *top, size_t limit)
{
    gs_assert(limit > 0);
    top->limit = limit;
    top->count = 0;
    top->is_heap = limit <= HEAP_MAX;
    top->has_room = true;
    top->segment = NULL;
}

static inline bool is_worse(const gs_scored_doc *a, const gs_scored_doc *b)
{
    return a->score < b->score || (a->score == b->score && a->doc > b->doc);
}

/* --- few: a heap -------------------------------------------------------------------- */

/* Puts `doc` where it belongs on the way from the top down. */
static void sift_down(gs_top_docs *top, gs_scored_doc doc)
{
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= top->count)
            break;
        if (child + 1 < top->count && is_worse(&top->docs[child + 1], &top->docs[child]))
            child++;
        if (!is_worse(&top->docs[child], &doc))
            break;
        top->docs[at] = top->docs[child];
        at = child;
    }
    top->docs[at] = doc;
}

static void sift_up(gs_top_docs *top, size_t at, gs_scored_doc doc)
{
    while (at > 0 && is_worse(&doc, &top->docs[(at - 1) / 2])) {
        top->docs[at] = top->docs[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    top->docs[at] = doc;
}

/* --- many: cut, now and then -------------------------------------------------------- */

static inline void exchange(gs_scored_doc *a, gs_scored_doc *b)
{
    const gs_scored_doc other = *a;
    *a = *b;
    *b = other;
}

/* What lies between the best and the worst of three. */
static gs_scored_doc *middle_of(gs_scored_doc *a, gs_scored_doc *b, gs_scored_doc *c)
{
    if (is_worse(a, b))
        return is_worse(b, c) ? b : is_worse(a, c) ? c : a;
    return is_worse(a, c) ? a : is_worse(b, c) ? c : b;
}

/* A document moves as one: its halves, stored by themselves, could not be loaded at once
 * before they have reached the cache. */
typedef uint64_t whole __attribute__((vector_size(sizeof(gs_scored_doc))));

/* Puts one of them where it is in the order of all: those before it are better. There is
 * no branch on which are, since nobody can foretell that. */
static size_t part(gs_scored_doc *docs, size_t count)
{
    gs_scored_doc *const last = &docs[count - 1];
    exchange(middle_of(&docs[0], &docs[count / 2], last), last);
    const gs_scored_doc pivot = *last;
    size_t low = 0;
    for (size_t i = 0; i < count - 1; i++) {
        const double score = docs[i].score;
        const bool is_better =
            (score > pivot.score) | ((score == pivot.score) & (docs[i].doc < pivot.doc));
        whole moved, other;
        memcpy(&moved, &docs[i], sizeof moved);
        memcpy(&other, &docs[low], sizeof other);
        memcpy(&docs[i], &other, sizeof other);
        memcpy(&docs[low], &moved, sizeof moved);
        low += is_better;
    }
    exchange(&docs[low], last);
    return low;
}

static void insert_each(gs_scored_doc *docs, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        const gs_scored_doc doc = docs[i];
        size_t at = i;
        for (; at > 0 && is_worse(&docs[at - 1], &doc); at--)
            docs[at] = docs[at - 1];
        docs[at] = doc;
    }
}

/* After so many divisions of so many a plainer sort takes over, which no order of theirs
 * makes slow. */
static unsigned rounds_of(size_t count)
{
    unsigned rounds = 4;
    for (; count > 1; count /= 2)
        rounds += 2;
    return rounds;
}

static int compare(const void *a, const void *b)
{
    return is_worse(a, b) ? 1 : is_worse(b, a) ? -1 : 0;
}

/* The best of all to the front, and the worst of those behind them. */
static void cut(gs_top_docs *top)
{
    const size_t limit = top->limit;
    gs_scored_doc *docs = top->docs;
    size_t count = top->count;
    for (unsigned rounds = rounds_of(count); count > INSERTED_MAX && rounds > 0;
         rounds--) {
        const size_t place = part(docs, count), before = (size_t)(docs - top->docs);
        if (limit - before <= place + 1) {
            count = place + 1;
        } else {
            docs += place + 1;
            count -= place + 1;
        }
    }
    if (count > INSERTED_MAX)
        qsort(docs, count, sizeof *docs, compare);
    else
        insert_each(docs, count);
    top->count = limit;
    top->worst = top->docs[limit - 1];
    top->has_room = false;
}

static void sort(gs_scored_doc *docs, size_t count, unsigned rounds)
{
    for (; count > INSERTED_MAX && rounds > 0; rounds--) {
        const size_t place = part(docs, count);
        sort(docs + place + 1, count - place - 1, rounds - 1);
        count = place;
    }
    if (count > INSERTED_MAX)
        qsort(docs, count, sizeof *docs, compare);
    else
        insert_each(docs, count);
}

/* --- both --------------------------------------------------------------------------- */

static __attribute__((noinline)) gs_code grow(gs_top_docs *top, gs_status *st)
{
    return gs_mem_grow(&top->docs, &top->capacity, top->count + 1, "best documents", st);
}

gs_code gs_top_docs_add(gs_top_docs *top, uint64_t doc, double score, gs_status *st)
{
    if (top->segment != NULL) {
        if (gs_tombstones_has(&top->segment->deleted, doc))
            return GS_OK;
        doc = gs_segment_number(top->segment, doc);
    }
    const gs_scored_doc added = {score, doc};
    if (!top->has_room && !is_worse(&top->worst, &added))
        return GS_OK;
    if (top->is_heap && !top->has_room) {
        sift_down(top, added);
        top->worst = top->docs[0];
        return GS_OK;
    }
    if (top->count == top->capacity)
        GS_TRY(grow(top, st));
    top->docs[top->count++] = added;
    if (top->is_heap) {
        sift_up(top, top->count - 1, added);
        top->worst = top->docs[0];
        top->has_room = top->count < top->limit;
    } else if (top->count > top->limit && top->count - top->limit >= top->limit / 2) {
        cut(top);
    }
    return GS_OK;
}

void gs_top_docs_sort(gs_top_docs *top)
{
    if (top->count > top->limit)
        cut(top);
    sort(top->docs, top->count, rounds_of(top->count));
}
