/* SPDX-License-Identifier: MIT */
#include "lib/index/query/top_docs.h"

#include <stdbool.h>
#include <stdlib.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

void gs_top_docs_release(gs_top_docs *top)
{
    gs_mem_free(top->docs);
    *top = (gs_top_docs){0};
}

void gs_top_docs_clear(gs_top_docs *top, size_t limit)
{
    gs_assert(limit > 0);
    top->limit = limit;
    top->count = 0;
    top->segment = NULL;
}

static bool is_worse(const gs_scored_doc *a, const gs_scored_doc *b)
{
    return a->score < b->score || (a->score == b->score && a->doc > b->doc);
}

/* Puts `doc` where it belongs on the way from `at` down. */
static void sift_down(gs_top_docs *top, size_t at, gs_scored_doc doc)
{
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
    if (top->count == top->limit) {
        if (is_worse(&top->docs[0], &added))
            sift_down(top, 0, added);
        return GS_OK;
    }
    if (top->count == top->capacity)
        GS_TRY(grow(top, st));
    size_t at = top->count++;
    while (at > 0 && is_worse(&added, &top->docs[(at - 1) / 2])) {
        top->docs[at] = top->docs[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    top->docs[at] = added;
    return GS_OK;
}

static int compare(const void *a, const void *b)
{
    return is_worse(a, b) ? 1 : is_worse(b, a) ? -1 : 0;
}

void gs_top_docs_sort(gs_top_docs *top)
{
    if (top->count > 1)
        qsort(top->docs, top->count, sizeof *top->docs, compare);
}
