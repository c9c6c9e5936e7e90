/* SPDX-License-Identifier: MIT */
/*
 * merge_tree: a loser tree over run cursors.
 *
 *                 winner
 *                   |
 *                 [L 1]          each inner node keeps the loser of the match played
 *                /     \         there; to replace the winner, only the matches on the
 *            [L 2]     [L 3]     way from its leaf to the top are played again
 *            /   \     /   \
 *           c0   c1   c2   c3
 *
 * A match compares two offset-value codes (lib/sort/ovc.h), by moves without branches;
 * the strings are looked at only when the codes agree. Equal records leave in the order
 * of their runs, so the merge is stable.
 */
#ifndef GS_LIB_SORT_MERGE_TREE_H
#define GS_LIB_SORT_MERGE_TREE_H

#include "lib/sort/run_cursor.h"

typedef struct gs_merge_node {
    uint64_t code;
    uint32_t source; /* which cursor */
} gs_merge_node;

typedef struct gs_merge_tree {
    gs_run_cursor *cursors;
    size_t count;         /* of cursors */
    size_t leaves;        /* the same or the next power of two */
    gs_merge_node *nodes; /* node 0: the winner; 1 .. leaves - 1: losers */
    bool is_backwards;
} gs_merge_tree;

/* `nodes` has room for gs_merge_tree_nodes(count). The cursors stand on their first
 * records and each has its code. */
size_t gs_merge_tree_nodes(size_t count);
void gs_merge_tree_start(gs_merge_tree *tree, gs_run_cursor *cursors, size_t count,
                         gs_merge_node *nodes, bool is_backwards);

/* The cursor with the smallest record, its code relative to the record that won before
 * (0: they are equal); NULL when all are exhausted. */
static inline gs_run_cursor *gs_merge_tree_winner(const gs_merge_tree *tree)
{
    return tree->nodes[0].code == GS_OVC_EXHAUSTED
               ? NULL
               : &tree->cursors[tree->nodes[0].source];
}

/* The winner's cursor has advanced: finds the next winner. */
void gs_merge_tree_replay(gs_merge_tree *tree);

#endif
