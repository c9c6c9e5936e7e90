/* SPDX-License-Identifier: MIT */
#include "lib/index/query/query.h"

#include <limits.h>
#include <string.h>

#include "lib/base/mem.h"

void gs_query_release(gs_query *q)
{
    gs_mem_free(q->nodes);
    gs_mem_free(q->text);
    *q = (gs_query){0};
}

void gs_query_clear(gs_query *q)
{
    q->root = GS_QUERY_NONE;
    q->node_count = q->text_bytes = 0;
}

gs_code gs_query_add_node(gs_query *q, gs_query_kind kind, size_t column, int *out,
                          gs_status *st)
{
    if (q->node_count == q->node_capacity) {
        const size_t capacity = 2 * q->node_capacity + 64;
        if (capacity > INT_MAX)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "the query is too long");
        GS_TRY(gs_mem_resize(&q->nodes, capacity * sizeof *q->nodes, "query", st));
        q->node_capacity = capacity;
    }
    *out = (int)q->node_count++;
    q->nodes[*out] = (gs_query_node){.kind = kind,
                                     .column = column,
                                     .first = GS_QUERY_NONE,
                                     .last = GS_QUERY_NONE,
                                     .next = GS_QUERY_NONE,
                                     .weight = 1};
    return GS_OK;
}

gs_code gs_query_add_term(gs_query *q, gs_query_kind kind, const uint8_t *term,
                          size_t bytes, size_t column, int *out, gs_status *st)
{
    GS_TRY(gs_mem_grow(&q->text, &q->text_capacity, q->text_bytes + bytes,
                       "words of a query", st));
    GS_TRY(gs_query_add_node(q, kind, column, out, st));
    q->nodes[*out].text = q->text_bytes;
    q->nodes[*out].bytes = bytes;
    if (bytes > 0)
        memcpy(q->text + q->text_bytes, term, bytes);
    q->text_bytes += bytes;
    return GS_OK;
}

void gs_query_append(gs_query *q, int parent, int child, gs_query_role role)
{
    gs_query_node *const p = &q->nodes[parent];
    q->nodes[child].role = role;
    if (p->last == GS_QUERY_NONE)
        p->first = child;
    else
        q->nodes[p->last].next = child;
    p->last = child;
}
