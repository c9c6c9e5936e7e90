/* SPDX-License-Identifier: MIT */
/*
 * query: what is searched for, as a tree.
 *
 * Leaves are terms of the index, terms by their beginning, and phrases; everything else
 * is a list of clauses, each of which must match, should, or must not:
 *
 *      all that must, and none that must not; if nothing must, one that should; if there
 *      is only what must not, every other document
 *
 * So AND is a list of what must, OR of what should, NOT x of one that must not. Nodes are
 * numbers, and a query keeps its memory when it is cleared for the next one.
 */
#ifndef GS_LIB_INDEX_QUERY_QUERY_H
#define GS_LIB_INDEX_QUERY_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef enum gs_query_kind {
    GS_QUERY_TERM,
    GS_QUERY_PREFIX,  /* every term that begins so */
    GS_QUERY_PHRASE,  /* its children are terms, in their order */
    GS_QUERY_CLAUSES, /* its children have roles */
} gs_query_kind;

/* Is a node of this kind a text, of one term or of many, and nothing below it? */
static inline bool gs_query_is_leaf(gs_query_kind kind)
{
    switch (kind) {
    case GS_QUERY_TERM:
    case GS_QUERY_PREFIX: return true;
    case GS_QUERY_PHRASE:
    case GS_QUERY_CLAUSES: return false;
    }
    return false;
}

/* What messages call a node of this kind, if it counts where in a document the terms
 * below it are; NULL: it does not. */
static inline const char *gs_query_placed_name(gs_query_kind kind)
{
    switch (kind) {
    case GS_QUERY_TERM:
    case GS_QUERY_PREFIX:
    case GS_QUERY_CLAUSES: break;
    case GS_QUERY_PHRASE: return "a phrase";
    }
    return NULL;
}

/* Does it count? Then the index must have positions, and a document that has the terms is
 * no match yet. */
static inline bool gs_query_needs_positions(gs_query_kind kind)
{
    return gs_query_placed_name(kind) != NULL;
}

typedef enum gs_query_role {
    GS_QUERY_SHOULD,
    GS_QUERY_MUST,
    GS_QUERY_MUST_NOT,
} gs_query_role;

enum { GS_QUERY_NONE = -1 }; /* no node */

typedef struct gs_query_node {
    gs_query_kind kind;
    gs_query_role role; /* in the list of clauses that it is in */
    size_t column;      /* in the text, from 1 */
    int first, last;    /* children */
    int next;           /* sibling */
    size_t text, bytes; /* of a term or prefix, in the query's bytes */
    uint32_t offset;    /* of a term of a phrase: words from the first one */
    double weight;      /* of a term or prefix: so many times it counts */
} gs_query_node;

typedef struct gs_query {
    int root; /* GS_QUERY_NONE: no words at all, which matches nothing */
    gs_query_node *nodes;
    size_t node_count, node_capacity;
    uint8_t *text;
    size_t text_bytes, text_capacity;
} gs_query;

void gs_query_release(gs_query *q); /* a zeroed one is fine */
void gs_query_clear(gs_query *q);

GS_MUST_CHECK gs_code gs_query_add_node(gs_query *q, gs_query_kind kind, size_t column,
                                        int *out, gs_status *st);
/* A term or a prefix; its bytes are copied. */
GS_MUST_CHECK gs_code gs_query_add_term(gs_query *q, gs_query_kind kind,
                                        const uint8_t *term, size_t bytes, size_t column,
                                        int *out, gs_status *st);
/* Puts a node at the end of another one's children. */
void gs_query_append(gs_query *q, int parent, int child, gs_query_role role);

#endif
