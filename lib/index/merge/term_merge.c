/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/term_merge.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"
#include "lib/sort/record/records.h"

/* An index whose cursor stands at a term that is still to come. */
typedef struct heap_item {
    uint64_t prefix; /* of the term */
    size_t source;
} heap_item;

struct gs_term_merge {
    size_t count;
    gs_term_cursor *cursors; /* mapped: long terms take memory only where they are */
    size_t cursors_bytes;
    heap_item *heap;
    size_t heap_count;
    size_t *sources; /* of the present term */
    size_t source_count;
    gs_term_bound to;
    uint64_t to_prefix;
    size_t last_bytes; /* of a term that ended a block */
    uint8_t last[GS_INDEX_TERM_MAX];
};

gs_code gs_term_merge_new(gs_term_merge **out, gs_index *const *indexes, size_t count,
                          gs_status *st)
{
    *out = NULL;
    gs_term_merge *m = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "merge of terms", st));
    m->count = count;
    GS_TRY_OR_FAIL(gs_mem_size_mul(&m->cursors_bytes, count, sizeof *m->cursors, st));
    GS_TRY_OR_FAIL(gs_mem_map(&m->cursors, m->cursors_bytes, false, "term cursors", st));
    GS_TRY_OR_FAIL(gs_mem_new(&m->heap, count * sizeof *m->heap, "merge of terms", st));
    GS_TRY_OR_FAIL(
        gs_mem_new(&m->sources, count * sizeof *m->sources, "merge of terms", st));
    for (size_t i = 0; i < count; i++)
        gs_term_cursor_init(&m->cursors[i], indexes[i]);
    *out = m;
    return GS_OK;
fail:
    gs_term_merge_free(m);
    return st->code;
}

void gs_term_merge_free(gs_term_merge *m)
{
    if (m == NULL)
        return;
    if (m->cursors != NULL)
        gs_mem_unmap(m->cursors, m->cursors_bytes);
    gs_mem_free(m->heap);
    gs_mem_free(m->sources);
    gs_mem_free(m);
}

const size_t *gs_term_merge_sources(const gs_term_merge *m)
{
    return m->sources;
}

const gs_term_cursor *gs_term_merge_cursor(const gs_term_merge *m, size_t source)
{
    return &m->cursors[source];
}

/* --- the heap ---------------------------------------------------------------------- */

/* Like memcmp. Equal prefixes say nothing yet: zeros at the end may be the term's. */
static int compare_terms(const gs_term_merge *m, const heap_item *a, const heap_item *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    const gs_term_cursor *const x = &m->cursors[a->source];
    const gs_term_cursor *const y = &m->cursors[b->source];
    return gs_string_compare(x->term, x->bytes, y->term, y->bytes, 0);
}

static bool is_before(const gs_term_merge *m, const heap_item *a, const heap_item *b)
{
    const int order = compare_terms(m, a, b);
    return order < 0 || (order == 0 && a->source < b->source);
}

static void push(gs_term_merge *m, heap_item item)
{
    size_t at = m->heap_count++;
    while (at > 0 && is_before(m, &item, &m->heap[(at - 1) / 2])) {
        m->heap[at] = m->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    m->heap[at] = item;
}

static heap_item pop(gs_term_merge *m)
{
    const heap_item top = m->heap[0];
    const heap_item item = m->heap[--m->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= m->heap_count)
            break;
        if (child + 1 < m->heap_count &&
            is_before(m, &m->heap[child + 1], &m->heap[child]))
            child++;
        if (!is_before(m, &m->heap[child], &item))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = item;
    return top;
}

/* Is the cursor's term, with this prefix, before the end of the range? */
static bool is_inside(const gs_term_merge *m, const gs_term_cursor *c, uint64_t prefix)
{
    if (m->to.bytes == 0 || prefix != m->to_prefix)
        return m->to.bytes == 0 || prefix < m->to_prefix;
    return gs_string_compare(c->term, c->bytes, m->to.term, m->to.bytes, 0) < 0;
}

static void push_if_inside(gs_term_merge *m, size_t source)
{
    const gs_term_cursor *const c = &m->cursors[source];
    if (!c->has_term)
        return;
    const uint64_t prefix = gs_term_prefix(c->term, c->bytes);
    if (is_inside(m, c, prefix))
        push(m, (heap_item){prefix, source});
}

/* --- the order --------------------------------------------------------------------- */

gs_code gs_term_merge_begin(gs_term_merge *m, const gs_term_bound *from,
                            const gs_term_bound *to, gs_status *st)
{
    m->heap_count = m->source_count = 0;
    m->to = *to;
    m->to_prefix = to->bytes > 0 ? gs_term_prefix(to->term, to->bytes) : 0;
    for (size_t i = 0; i < m->count; i++) {
        gs_term_cursor *const c = &m->cursors[i];
        GS_TRY(from->bytes > 0 ? gs_term_cursor_seek(c, from->term, from->bytes, st)
                               : gs_term_cursor_first(c, st));
        push_if_inside(m, i);
    }
    return GS_OK;
}

static gs_code check_ascends(const gs_term_merge *m, const gs_term_cursor *c,
                             gs_status *st)
{
    if (gs_string_compare(m->last, m->last_bytes, c->term, c->bytes, 0) < 0)
        return GS_OK;
    return gs_index_damaged(c->index, GS_INDEX_TERMS, "terms do not ascend", st);
}

/* Within a block of the dictionary a cursor sees that terms ascend; from block to block
 * this does. */
static gs_code advance(gs_term_merge *m, size_t source, gs_status *st)
{
    gs_term_cursor *const c = &m->cursors[source];
    const bool ends_block = c->in_block == GS_INDEX_TERM_BLOCK;
    if (ends_block) {
        memcpy(m->last, c->term, c->bytes);
        m->last_bytes = c->bytes;
    }
    GS_TRY(gs_term_cursor_next(c, st));
    if (ends_block && c->has_term)
        GS_TRY(check_ascends(m, c, st));
    push_if_inside(m, source);
    return GS_OK;
}

gs_code gs_term_merge_next(gs_term_merge *m, size_t *count, gs_status *st)
{
    for (size_t i = 0; i < m->source_count; i++)
        GS_TRY(advance(m, m->sources[i], st));
    m->source_count = *count = 0;
    if (m->heap_count == 0)
        return GS_OK;
    const heap_item first = pop(m);
    m->sources[m->source_count++] = first.source;
    while (m->heap_count > 0 && compare_terms(m, &first, &m->heap[0]) == 0)
        m->sources[m->source_count++] = pop(m).source;
    *count = m->source_count;
    return GS_OK;
}
