/* SPDX-License-Identifier: MIT */
#include "lib/sort/merge_tree.h"

#include "lib/base/assertion.h"

static size_t count_leaves(size_t count)
{
    size_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    return leaves;
}

size_t gs_merge_tree_nodes(size_t count)
{
    return count_leaves(count) + 1;
}

/* Two equal codes: the strings decide, then the order of the runs. True if `b` wins; the
 * loser's code is made relative to the winner. */
static bool settle(const gs_merge_tree *tree, gs_merge_node *a, gs_merge_node *b)
{
    const bool b_is_earlier = b->source < a->source;
    if (a->code == GS_OVC_EXHAUSTED || a->code == GS_OVC_EQUAL)
        return b_is_earlier; /* both at the end, or both equal to their base */
    const gs_run_cursor *const x = &tree->cursors[a->source];
    const gs_run_cursor *const y = &tree->cursors[b->source];
    const size_t index = gs_ovc_index(a->code);
    const size_t from = index < GS_OVC_INDEX_CAP ? index + 1 : GS_OVC_INDEX_CAP;
    int order = 0;
    size_t differ = from;
    if (from * GS_OVC_SYMBOL_BYTES <= x->string_bytes &&
        from * GS_OVC_SYMBOL_BYTES <= y->string_bytes)
        differ = gs_ovc_first_difference(x->string, x->string_bytes, y->string,
                                         y->string_bytes, from, &order);
    if (tree->is_backwards)
        order = -order;
    const bool b_wins = order > 0 || (order == 0 && b_is_earlier);
    gs_merge_node *const loser = b_wins ? a : b;
    const gs_run_cursor *const c = b_wins ? x : y;
    loser->code =
        order == 0 ? GS_OVC_EQUAL
                   : gs_ovc_code(c->string, c->string_bytes, differ, tree->is_backwards);
    return b_wins;
}

/* Plays all matches below `node`; returns the winner. */
static gs_merge_node play(gs_merge_tree *tree, size_t node)
{
    if (node >= tree->leaves) {
        const size_t source = node - tree->leaves;
        const uint64_t code =
            source < tree->count ? tree->cursors[source].code : GS_OVC_EXHAUSTED;
        return (gs_merge_node){code, source};
    }
    gs_merge_node a = play(tree, 2 * node);
    gs_merge_node b = play(tree, 2 * node + 1);
    const bool b_wins = a.code == b.code ? settle(tree, &a, &b) : b.code < a.code;
    tree->nodes[node] = b_wins ? a : b;
    return b_wins ? b : a;
}

void gs_merge_tree_start(gs_merge_tree *tree, gs_run_cursor *cursors, size_t count,
                         gs_merge_node *nodes, bool is_backwards)
{
    gs_assert(count > 0);
    *tree = (gs_merge_tree){.cursors = cursors,
                            .count = count,
                            .leaves = count_leaves(count),
                            .nodes = nodes,
                            .is_backwards = is_backwards};
    tree->nodes[0] = play(tree, 1);
}

void gs_merge_tree_replay(gs_merge_tree *tree)
{
    gs_merge_node winner = tree->nodes[0];
    winner.code = tree->cursors[winner.source].code;
    for (size_t node = (tree->leaves + winner.source) / 2; node > 0; node /= 2) {
        gs_merge_node other = tree->nodes[node];
        if (__builtin_expect(other.code == winner.code, 0)) {
            if (settle(tree, &winner, &other)) {
                tree->nodes[node] = winner;
                winner = other;
            } else {
                tree->nodes[node] = other;
            }
            continue;
        }
        /* The smaller goes on, the larger stays: by masks, for no branch predicts it. */
        const uint64_t swap = -(uint64_t)(other.code < winner.code);
        const uint64_t code = (winner.code ^ other.code) & swap;
        const uint64_t source = (winner.source ^ other.source) & swap;
        tree->nodes[node].code = other.code ^ code;
        tree->nodes[node].source = other.source ^ source;
        winner.code ^= code;
        winner.source ^= source;
    }
    tree->nodes[0] = winner;
}
