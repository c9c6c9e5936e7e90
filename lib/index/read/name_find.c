/* SPDX-License-Identifier: MIT */
#include "lib/index/read/name_find.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/index/read/document_cursor.h"
#include "lib/sort/record/records.h"

/* A name and where it came in the question. */
typedef struct wanted {
    gs_text_span name;
    size_t number;
} wanted;

static int compare(const void *a, const void *b)
{
    const wanted *const x = a, *const y = b;
    return gs_string_compare(x->name.data, x->name.bytes, y->name.data, y->name.bytes, 0);
}

/* The first one that is not before the name. */
static size_t find(const wanted *sorted, size_t count, const wanted *name)
{
    size_t lo = 0, hi = count;
    while (lo < hi) {
        const size_t middle = lo + (hi - lo) / 2;
        if (compare(&sorted[middle], name) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static gs_code go_through(gs_document_cursor *c, const wanted *sorted, size_t count,
                          gs_named_fn *fn, void *context, gs_status *st)
{
    for (uint64_t doc = 0;; doc++) {
        GS_TRY(gs_document_cursor_next(c, st));
        if (!c->has_document)
            return GS_OK;
        const wanted here = {{c->name, c->name_bytes}, 0};
        for (size_t i = find(sorted, count, &here);
             i < count && compare(&sorted[i], &here) == 0; i++)
            GS_TRY(fn(context, doc, c->length, sorted[i].number, st));
    }
}

gs_code gs_index_each_named(const gs_index *index, const gs_text_span *names,
                            size_t count, gs_named_fn *fn, void *context, gs_status *st)
{
    wanted *sorted = NULL;
    gs_document_cursor c = {0};
    GS_TRY(gs_mem_new_array(&sorted, count, sizeof *sorted, "names of documents", st));
    for (size_t i = 0; i < count; i++)
        sorted[i] = (wanted){names[i], i};
    if (count > 0)
        qsort(sorted, count, sizeof *sorted, compare);
    if (gs_document_cursor_open(&c, index, st) == GS_OK)
        GS_NOTED(go_through(&c, sorted, count, fn, context, st));
    gs_document_cursor_close(&c);
    gs_mem_free(sorted);
    return st->code;
}

static gs_code take_first(void *context, uint64_t doc, uint32_t length, size_t number,
                          gs_status *st)
{
    uint64_t *const docs = context;
    (void)length;
    if (docs[number] == GS_NO_SUCH_NAME)
        docs[number] = doc;
    return st->code;
}

gs_code gs_index_find_names(const gs_index *index, const gs_text_span *names,
                            size_t count, uint64_t *docs, gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        docs[i] = GS_NO_SUCH_NAME;
    return gs_index_each_named(index, names, count, take_first, docs, st);
}
