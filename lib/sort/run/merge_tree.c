/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/merge_tree.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

static size_t count_leaves(size_t count)
{
    size_t leaves = 1;
    while (leaves < count)
        leaves *= 2;
    return leaves;
}

gs_code gs_merge_tree_init(gs_merge_tree *tree, size_t count, bool is_backwards,
                           gs_status *st)
{
    gs_assert(count > 0);
    *tree = (gs_merge_tree){
        .count = count, .leaves = count_leaves(count), .is_backwards = is_backwards};
    GS_TRY(gs_mem_new_array(&tree->heads, count, sizeof *tree->heads, "merge heads", st));
    return gs_mem_new_array(&tree->nodes, tree->leaves + 1, sizeof *tree->nodes,
                            "merge tree", st);
}

void gs_merge_tree_release(gs_merge_tree *tree)
{
    gs_mem_free(tree->heads);
    gs_mem_free(tree->nodes);
    *tree = (gs_merge_tree){0};
}

/* Two equal codes: the strings decide, then the order of the sources. True if `b` wins;
 * the loser's code is made relative to the winner. */
static bool settle(const gs_merge_tree *tree, gs_merge_node *a, gs_merge_node *b)
{
    const bool b_is_earlier = b->source < a->source;
    if (a->code == GS_OVC_EXHAUSTED || a->code == GS_OVC_EQUAL)
        return b_is_earlier; /* both at the end, or both equal to their base */
    const gs_merge_head *const x = &tree->heads[a->source];
    const gs_merge_head *const y = &tree->heads[b->source];
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
    const gs_merge_head *const c = b_wins ? x : y;
    loser->code =
        order == 0 ? GS_OVC_EQUAL
                   : gs_ovc_code(c->string, c->string_bytes, differ, tree->is_backwards);
    return b_wins;
}

/* Plays all matches below `node`; returns the winner. */
static gs_merge_node play(gs_merge_tree *tree, size_t node)
{
    if (node >= tree->leaves) {
        const uint32_t source = (uint32_t)(node - tree->leaves);
        const uint64_t code =
            source < tree->count ? tree->heads[source].code : GS_OVC_EXHAUSTED;
        return (gs_merge_node){code, source};
    }
    gs_merge_node a = play(tree, 2 * node);
    gs_merge_node b = play(tree, 2 * node + 1);
    const bool b_wins = a.code == b.code ? settle(tree, &a, &b) : b.code < a.code;
    tree->nodes[node] = b_wins ? a : b;
    return b_wins ? b : a;
}

void gs_merge_tree_start(gs_merge_tree *tree)
{
    tree->nodes[0] = play(tree, 1);
}

gs_merge_node gs_merge_tree_settle(const gs_merge_tree *tree, gs_merge_node *node,
                                   uint64_t code, uint32_t source)
{
    gs_merge_node mine = {code, source}, other = *node;
    const bool other_wins = settle(tree, &mine, &other);
    *node = other_wins ? mine : other;
    return other_wins ? other : mine;
}
