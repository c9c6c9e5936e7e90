/* SPDX-License-Identifier: MIT */
/*
 * The query parser against any bytes: a tree or an error with a column, never a crash or
 * a hang. The first byte chooses the options.
 */
#include <stdlib.h>

#include "lib/index/query/query_parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

/* Every node is in the tree once at most, terms have bytes, lists have children, and what
 * needs positions has terms below it. */
static size_t walk(const gs_query *q, int at)
{
    const gs_query_node *const n = &q->nodes[at];
    size_t count = 1;
    const bool is_leaf = gs_query_is_leaf(n->kind);
    require(is_leaf == (n->first == GS_QUERY_NONE));
    require(!is_leaf || (n->bytes > 0 && n->text + n->bytes <= q->text_bytes));
    require(n->weight > 0 && n->weight <= 1e9);
    for (int i = n->first; i != GS_QUERY_NONE; i = q->nodes[i].next) {
        require(!gs_query_needs_positions(n->kind) || q->nodes[i].kind == GS_QUERY_TERM);
        count += walk(q, i);
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static gs_query_parser *parsers[8];
    static gs_word_rules *rules;
    static gs_query query;
    if (size == 0)
        return 0;
    gs_status st = {.code = GS_OK};
    const unsigned which = data[0] & 7;
    if (rules == NULL)
        require(gs_word_rules_read(&rules,
                                   "{\"words\": \"unicode\", \"fold\": true, \"stem\": "
                                   "\"english\", \"stopwords\": [\"a\"]}",
                                   &st) == GS_OK);
    if (parsers[which] == NULL) {
        const gs_query_parser_options options = {
            .rules = which & 1 ? rules : NULL,
            .is_plain = which == 6,
            .needs_all = (which & 2) != 0,
            .has_positions = (which & 4) != 0,
            .has_weights = which == 2 || which == 4,
        };
        require(gs_query_parser_new(&parsers[which], &options, &st) == GS_OK);
    }
    const gs_code code = gs_query_parse(parsers[which], data + 1, size - 1, &query, &st);
    require(code == GS_OK || code == GS_ERR_ARG);
    if (code == GS_ERR_ARG)
        require(strncmp(st.msg, "column ", 7) == 0);
    else if (query.root != GS_QUERY_NONE)
        require(walk(&query, query.root) <= query.node_count);
    return 0;
}
