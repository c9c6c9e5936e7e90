/* SPDX-License-Identifier: MIT */
/*
 * merge_tree: a loser tree over sources of sorted records.
 *
 *                 winner
 *                   |
 *                 [L 1]          each inner node keeps the loser of the match played
 *                /     \         there; to replace the winner, only the matches on the
 *            [L 2]     [L 3]     way from its leaf to the top are played again
 *            /   \     /   \
 *           h0   h1   h2   h3          the heads: what the sources stand on
 *
 * A match compares two offset-value codes (lib/sort/run/ovc.h), by moves without
 * branches; the strings are looked at only when the codes agree. Equal records leave in
 * the order of their sources, so the merge is stable.
 */
#ifndef GS_LIB_SORT_RUN_MERGE_TREE_H
#define GS_LIB_SORT_RUN_MERGE_TREE_H

#include "lib/base/status.h"
#include "lib/sort/run/ovc.h"

/* The record that a source stands on. */
typedef struct gs_merge_head {
    uint64_t code; /* relative to the source's record before; GS_OVC_EXHAUSTED: none */
    const uint8_t *string;
    size_t string_bytes;
} gs_merge_head;

typedef struct gs_merge_node {
    uint64_t code;
    uint32_t source;
} gs_merge_node;

typedef struct gs_merge_tree {
    gs_merge_head *heads; /* one a source, for the reader of that source */
    size_t count;         /* of sources */
    size_t leaves;        /* the same or the next power of two */
    gs_merge_node *nodes; /* node 0: the winner; 1 .. leaves - 1: losers */
    bool is_backwards;
} gs_merge_tree;

/* For so many sources, at least 1. Release it also after a failure. */
GS_MUST_CHECK gs_code gs_merge_tree_init(gs_merge_tree *tree, size_t count,
                                         bool is_backwards, gs_status *st);
void gs_merge_tree_release(gs_merge_tree *tree); /* a zeroed one is fine */

/* The sources stand on their first records. Again, for others. */
void gs_merge_tree_start(gs_merge_tree *tree);

/* False when all are exhausted. */
static inline bool gs_merge_tree_has_winner(const gs_merge_tree *tree)
{
    return tree->nodes[0].code != GS_OVC_EXHAUSTED;
}

/* Which source has the smallest record, and its code relative to the record that won
 * before (GS_OVC_EQUAL: they are equal). */
static inline uint32_t gs_merge_tree_winner(const gs_merge_tree *tree)
{
    return tree->nodes[0].source;
}

static inline uint64_t gs_merge_tree_code(const gs_merge_tree *tree)
{
    return tree->nodes[0].code;
}

/* A match of equal codes: the loser stays at the node, the winner is returned. Apart from
 * the loop below, which has nothing on its stack to be guarded. */
gs_merge_node gs_merge_tree_settle(const gs_merge_tree *tree, gs_merge_node *node,
                                   uint64_t code, uint32_t source);

/* The winner stands on its next record: finds the next winner. That stays in two
 * registers: as a pair in memory or in a vector register, each match would wait for a
 * store or for a move between register files. */
static inline void gs_merge_tree_replay(gs_merge_tree *tree)
{
    uint32_t source = tree->nodes[0].source;
    uint64_t code = tree->heads[source].code;
    for (size_t i = (tree->leaves + source) / 2; i > 0; i /= 2) {
        gs_merge_node *const node = &tree->nodes[i];
        const uint64_t other_code = node->code;
        const uint32_t other_source = node->source;
        if (__builtin_expect(other_code == code, 0)) {
            const gs_merge_node winner = gs_merge_tree_settle(tree, node, code, source);
            code = winner.code;
            source = winner.source;
            continue;
        }
        /* The smaller goes on, the larger stays: by masks, for no branch predicts it. */
        const uint64_t swap = -(uint64_t)(other_code < code);
        const uint64_t code_change = (code ^ other_code) & swap;
        const uint32_t source_change = (source ^ other_source) & (uint32_t)swap;
        node->code = other_code ^ code_change;
        node->source = other_source ^ source_change;
        code ^= code_change;
        source ^= source_change;
    }
    tree->nodes[0].code = code;
    tree->nodes[0].source = source;
}

#endif
