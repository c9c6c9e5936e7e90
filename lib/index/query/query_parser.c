/* SPDX-License-Identifier: MIT */
/*
 * By recursive descent. Every function returns the node of what it took, or GS_QUERY_NONE
 * where no term was left of it.
 */
#include "lib/index/query/query_parser.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/query/query_foreign.h"
#include "lib/index/query/query_weights.h"

enum { DEPTH_MAX = 100 };

/* The words that are operators: whether they stand BETWEEN two parts or BEFORE one. A new
 * one is asked for by tests/cli/own_docs.sh in whatever tells of them, and by
 * tests/search_check.py. */
#define OPERATORS(X) X(OR, BETWEEN) X(AND, BETWEEN) X(NOT, BEFORE)

typedef enum query_operator {
#define NAME(name, place) OPERATOR_##name,
    OPERATORS(NAME) OPERATOR_COUNT,
#undef NAME
} query_operator;

struct gs_query_parser {
    gs_query_parser_options options;
    gs_word_rules *folding; /* for beginnings of words: folded, nothing left out */
    gs_tokenizer *words, *prefixes;
    gs_token_batch batch;
    uint8_t *text; /* the query, with the tokenizer's slack */
    size_t text_capacity;

    const uint8_t *at, *end;
    gs_query *query;
    unsigned depth;
    const uint8_t *counted; /* where `columns` is the column of */
    size_t columns;
};

gs_code gs_query_parser_new(gs_query_parser **out, const gs_query_parser_options *options,
                            gs_status *st)
{
    *out = NULL;
    gs_query_parser *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "query parser", st));
    p->options = *options;
    if (options->rules != NULL) {
        const gs_word_rules_options folding = {
            .kind = gs_word_rules_kind(options->rules),
            .is_folding = gs_word_rules_fold(options->rules),
        };
        GS_TRY_OR_FAIL(gs_token_batch_init(&p->batch, st));
        GS_TRY_OR_FAIL(gs_tokenizer_new(&p->words, options->rules, st));
        GS_TRY_OR_FAIL(gs_word_rules_new(&p->folding, &folding, st));
        GS_TRY_OR_FAIL(gs_tokenizer_new(&p->prefixes, p->folding, st));
    }
    *out = p;
    return GS_OK;
fail:
    gs_query_parser_free(p);
    return st->code;
}

void gs_query_parser_free(gs_query_parser *p)
{
    if (p == NULL)
        return;
    gs_tokenizer_free(p->words);
    gs_tokenizer_free(p->prefixes);
    gs_word_rules_free(p->folding);
    gs_token_batch_release(&p->batch);
    gs_mem_free(p->text);
    gs_mem_free(p);
}

/* --- places ------------------------------------------------------------------------ */

/* Counted on from the last place, since most are asked for in their order. */
static size_t column(gs_query_parser *p, const uint8_t *at)
{
    if (at < p->counted) {
        p->counted = p->text;
        p->columns = 1;
    }
    for (; p->counted < at; p->counted++)
        p->columns += (*p->counted & 0xc0) != 0x80;
    return p->columns;
}

static gs_code fail_at(gs_query_parser *p, const uint8_t *at, gs_status *st,
                       const char *what)
{
    return GS_FAIL(st, GS_ERR_ARG, 0, "column %zu: %s", column(p, at), what);
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool ends_word(const gs_query_parser *p, const uint8_t *at)
{
    return at == p->end || is_blank(*at) || *at == '"' || *at == '(' || *at == ')';
}

static void skip_blanks(gs_query_parser *p)
{
    while (p->at < p->end && is_blank(*p->at))
        p->at++;
}

/* Takes an operator, if that is what comes next. */
static bool take_operator(gs_query_parser *p, query_operator which)
{
#define NAME(name, place) #name,
    static const char *const names[] = {OPERATORS(NAME)};
#undef NAME
    const char *const name = names[which];
    const size_t bytes = strlen(name);
    skip_blanks(p);
    if ((size_t)(p->end - p->at) < bytes || memcmp(p->at, name, bytes) != 0 ||
        !ends_word(p, p->at + bytes))
        return false;
    p->at += bytes;
    return true;
}

/* Takes any operator; with `is_between`, any that stands between two parts. */
static bool take_any_operator(gs_query_parser *p, bool is_between)
{
    enum { BEFORE, BETWEEN };
#define PLACE(name, place) place,
    static const uint8_t places[] = {OPERATORS(PLACE)};
#undef PLACE
    for (int i = 0; i < OPERATOR_COUNT; i++) {
        if ((!is_between || places[i] == BETWEEN) && take_operator(p, (query_operator)i))
            return true;
    }
    return false;
}

/* `+` or `-` in front of something. */
static bool is_mark(const gs_query_parser *p, uint8_t mark)
{
    return p->at + 1 < p->end && *p->at == mark && !is_blank(p->at[1]) && p->at[1] != ')';
}

/* --- words ------------------------------------------------------------------------- */

/* The terms of a text as children of a new node, with their places in the text. */
static gs_code take_terms(gs_query_parser *p, const uint8_t *text, size_t bytes,
                          gs_query_kind kind, gs_query_role role, int *out, gs_status *st)
{
    gs_query *const q = p->query;
    const size_t place = column(p, text);
    GS_TRY(gs_query_add_node(q, kind, place, out, st));
    int term;
    if (p->words == NULL) {
        if (bytes > 0) {
            GS_TRY(gs_query_add_term(q, GS_QUERY_TERM, text, bytes, place, &term, st));
            gs_query_append(q, *out, term, role);
        }
        return GS_OK;
    }
    gs_tokenizer_begin_document(p->words);
    gs_tokenizer_begin_text(p->words, text, bytes);
    do {
        GS_TRY(gs_tokenizer_next(p->words, &p->batch, st));
        for (size_t i = 0; i < p->batch.count; i++) {
            const gs_token *const token = &p->batch.tokens[i];
            GS_TRY(gs_query_add_term(q, GS_QUERY_TERM, token->term, token->bytes, place,
                                     &term, st));
            q->nodes[term].offset = token->position;
            gs_query_append(q, *out, term, role);
        }
    } while (p->batch.count > 0);
    return GS_OK;
}

/* The weight of the word, if it has one, and the end of what it is of. */
static gs_code take_weight(gs_query_parser *p, const uint8_t *begin, const uint8_t **end,
                           double *weight, gs_status *st)
{
    const char *why = NULL;
    *weight = 1;
    if (!p->options.has_weights)
        return GS_OK;
    const uint8_t *const mark = gs_query_weight_of_word(begin, *end);
    if (mark == *end)
        return GS_OK;
    *weight = gs_query_weight_read(mark + 1, *end, &why);
    *end = mark;
    return why == NULL ? GS_OK : fail_at(p, mark, st, why);
}

/* The terms of a word, with what they count. */
static gs_code take_word_terms(gs_query_parser *p, const uint8_t *begin, size_t bytes,
                               gs_query_role role, int *out, gs_status *st)
{
    const uint8_t *end = begin + bytes;
    double weight;
    GS_TRY(take_weight(p, begin, &end, &weight, st));
    GS_TRY(take_terms(p, begin, (size_t)(end - begin), GS_QUERY_CLAUSES, role, out, st));
    for (int i = p->query->nodes[*out].first; i != GS_QUERY_NONE;
         i = p->query->nodes[i].next)
        p->query->nodes[i].weight = weight;
    return GS_OK;
}

/* What stands behind a quoted term. */
static gs_code take_quoted_weight(gs_query_parser *p, int term, gs_status *st)
{
    const uint8_t *const mark = p->at;
    const char *why;
    if (!p->options.has_weights || p->at == p->end || *p->at != '^')
        return GS_OK;
    for (p->at++; !ends_word(p, p->at);)
        p->at++;
    const double weight = gs_query_weight_read(mark + 1, p->at, &why);
    if (why != NULL)
        return fail_at(p, mark, st, why);
    if (term != GS_QUERY_NONE)
        p->query->nodes[term].weight = weight;
    return GS_OK;
}

/* Of what has parts: none, the only part, where that says the same, or the node. */
static int simplify(const gs_query *q, int node)
{
    const gs_query_node *const n = &q->nodes[node];
    if (n->first == GS_QUERY_NONE)
        return GS_QUERY_NONE;
    switch (n->kind) {
    case GS_QUERY_TERM:
    case GS_QUERY_PREFIX: return node;
    case GS_QUERY_PHRASE:
    case GS_QUERY_CLAUSES: break;
    }
    if (n->first == n->last && q->nodes[n->first].role != GS_QUERY_MUST_NOT)
        return n->first;
    return node;
}

static gs_code take_phrase(gs_query_parser *p, int *out, gs_status *st)
{
    const uint8_t *const quote = p->at++;
    const size_t place = column(p, quote);
    const uint8_t *const close = memchr(p->at, '"', (size_t)(p->end - p->at));
    if (close == NULL)
        return fail_at(p, quote, st, "this quote does not end");
    GS_TRY(take_terms(p, p->at, (size_t)(close - p->at), GS_QUERY_PHRASE, GS_QUERY_MUST,
                      out, st));
    p->query->nodes[*out].column = place;
    p->at = close + 1;
    *out = simplify(p->query, *out);
    return take_quoted_weight(p, *out, st);
}

static gs_code take_prefix(gs_query_parser *p, const uint8_t *text, size_t bytes,
                           int *out, gs_status *st)
{
    const size_t place = column(p, text);
    if (p->prefixes == NULL) {
        if (bytes == 0)
            return fail_at(p, text, st, "'*' needs the beginning of a word before it");
        return gs_query_add_term(p->query, GS_QUERY_PREFIX, text, bytes, place, out, st);
    }
    gs_tokenizer_begin_document(p->prefixes);
    gs_tokenizer_begin_text(p->prefixes, text, bytes);
    GS_TRY(gs_tokenizer_next(p->prefixes, &p->batch, st));
    const size_t count = p->batch.count;
    if (count == 1)
        GS_TRY(gs_query_add_term(p->query, GS_QUERY_PREFIX, p->batch.tokens[0].term,
                                 p->batch.tokens[0].bytes, place, out, st));
    while (p->batch.count > 0)
        GS_TRY(gs_tokenizer_next(p->prefixes, &p->batch, st));
    if (count == 0)
        return fail_at(p, text, st, "'*' needs the beginning of a word before it");
    if (count > 1)
        return fail_at(p, text, st, "'*' stands behind more than one word");
    return GS_OK;
}

static gs_code refuse_foreign(gs_query_parser *p, const uint8_t *at, const char *what,
                              gs_status *st)
{
    (void)fail_at(p, at, st, what);
    return gs_status_hint(st, "with a backslash before it, or with --plain, it is as any "
                              "other text");
}

/* Goes to the end of a word, which must be one of ours. */
static gs_code skip_word(gs_query_parser *p, gs_status *st)
{
    const uint8_t *const begin = p->at, *at;
    while (!ends_word(p, p->at))
        p->at++;
    const char *const what =
        p->words != NULL ? gs_query_foreign_word(begin, p->at, p->end, &at) : NULL;
    return what != NULL ? refuse_foreign(p, at, what, st) : GS_OK;
}

static gs_code take_word(gs_query_parser *p, int *out, gs_status *st)
{
    const uint8_t *const begin = p->at;
    GS_TRY(skip_word(p, st));
    const uint8_t *end = p->at;
    double weight;
    GS_TRY(take_weight(p, begin, &end, &weight, st));
    if (end[-1] == '*') {
        GS_TRY(take_prefix(p, begin, (size_t)(end - begin) - 1, out, st));
        p->query->nodes[*out].weight = weight;
        return GS_OK;
    }
    GS_TRY(take_word_terms(p, begin, (size_t)(p->at - begin), GS_QUERY_MUST, out, st));
    *out = simplify(p->query, *out);
    return GS_OK;
}

/* --- the grammar ------------------------------------------------------------------- */

static gs_code take_group(gs_query_parser *p, int *out, gs_status *st);

static gs_code take_parentheses(gs_query_parser *p, int *out, gs_status *st)
{
    const uint8_t *const open = p->at++;
    if (++p->depth > DEPTH_MAX)
        return fail_at(p, open, st, "parentheses are nested too deep");
    GS_TRY(take_group(p, out, st));
    if (p->at == p->end)
        return fail_at(p, open, st, "this parenthesis does not close");
    p->at++;
    p->depth--;
    return GS_OK;
}

static gs_code take_part(gs_query_parser *p, int *out, gs_status *st)
{
    bool is_negated = false, has_not = false;
    skip_blanks(p);
    const size_t place = column(p, p->at);
    for (bool is_not; (is_not = take_operator(p, OPERATOR_NOT)) || is_mark(p, '-');) {
        p->at += is_not ? 0 : 1;
        is_negated = !is_negated;
        has_not = true;
    }
    p->at += is_mark(p, '+');
    const uint8_t *const at = p->at;
    if (p->at == p->end || *p->at == ')') {
        return fail_at(p, at, st,
                       has_not ? "nothing follows NOT" : "an operator has nothing here");
    }
    if (take_any_operator(p, true))
        return fail_at(p, at, st, "an operator where a word should be");
    const bool is_phrase = *at == '"', is_group = *at == '(';
    if (is_phrase)
        GS_TRY(take_phrase(p, out, st));
    else if (is_group)
        GS_TRY(take_parentheses(p, out, st));
    else
        GS_TRY(take_word(p, out, st));
    const char *const foreign = p->words != NULL && (is_phrase || is_group)
                                    ? gs_query_foreign_suffix(p->at, p->end)
                                    : NULL;
    if (foreign != NULL)
        return refuse_foreign(p, p->at, foreign, st);
    if (is_negated && *out != GS_QUERY_NONE) {
        int not ;
        GS_TRY(gs_query_add_node(p->query, GS_QUERY_CLAUSES, place, &not, st));
        gs_query_append(p->query, not, *out, GS_QUERY_MUST_NOT);
        *out = not ;
    }
    return GS_OK;
}

/* Does it say of one thing that it must not match, and nothing else? */
static bool is_negation(const gs_query *q, const gs_query_node *n)
{
    switch (n->kind) {
    case GS_QUERY_TERM:
    case GS_QUERY_PREFIX:
    case GS_QUERY_PHRASE: return false;
    case GS_QUERY_CLAUSES: break;
    }
    return n->first == n->last && q->nodes[n->first].role == GS_QUERY_MUST_NOT;
}

/* Appends a clause. A negation goes into the list itself: there it takes documents away,
 * and need not find all the others. */
static void append_lifted(gs_query *q, int list, int clause, gs_query_role role)
{
    const gs_query_node *const n = &q->nodes[clause];
    if (is_negation(q, n))
        gs_query_append(q, list, n->first, GS_QUERY_MUST_NOT);
    else
        gs_query_append(q, list, clause, role);
}

/* A part of a chain of ANDs or ORs. */
static void append_part(gs_query *q, int list, int part, bool is_and)
{
    if (is_and)
        append_lifted(q, list, part, GS_QUERY_MUST);
    else
        gs_query_append(q, list, part, GS_QUERY_SHOULD);
}

/* One part, or several with the operator between them. */
static gs_code take_chain(gs_query_parser *p, bool is_and, int *out, gs_status *st)
{
    int list = GS_QUERY_NONE, part = GS_QUERY_NONE;
    GS_TRY(is_and ? take_part(p, out, st) : take_chain(p, true, out, st));
    while (take_operator(p, is_and ? OPERATOR_AND : OPERATOR_OR)) {
        if (list == GS_QUERY_NONE) {
            GS_TRY(gs_query_add_node(p->query, GS_QUERY_CLAUSES, column(p, p->at), &list,
                                     st));
            part = *out;
        }
        if (part != GS_QUERY_NONE)
            append_part(p->query, list, part, is_and);
        skip_blanks(p);
        GS_TRY(is_and ? take_part(p, &part, st) : take_chain(p, true, &part, st));
    }
    if (list != GS_QUERY_NONE) {
        if (part != GS_QUERY_NONE)
            append_part(p->query, list, part, is_and);
        *out = simplify(p->query, list);
    }
    return GS_OK;
}

/* Is what stands at `p` a word alone, with no operator behind it? Then it may become
 * several clauses. */
static bool is_lone_word(gs_query_parser *p)
{
    const uint8_t *const begin = p->at;
    if (*begin == '"' || *begin == '(' || take_any_operator(p, false)) {
        p->at = begin;
        return false;
    }
    while (!ends_word(p, p->at))
        p->at++;
    const uint8_t *const word_end =
        p->options.has_weights ? gs_query_weight_of_word(begin, p->at) : p->at;
    const bool is_prefix = word_end[-1] == '*';
    const bool goes_on = take_any_operator(p, true);
    p->at = begin;
    return !is_prefix && !goes_on;
}

/* Puts the children of a list into another one, in its place. */
static void splice(gs_query *q, int group, int list, gs_query_role role)
{
    for (int child = q->nodes[list].first; child != GS_QUERY_NONE;) {
        const int next = q->nodes[child].next;
        q->nodes[child].next = GS_QUERY_NONE;
        gs_query_append(q, group, child, role);
        child = next;
    }
}

static gs_code take_clause(gs_query_parser *p, int group, gs_status *st)
{
    gs_query *const q = p->query;
    gs_query_role role = p->options.needs_all ? GS_QUERY_MUST : GS_QUERY_SHOULD;
    const bool is_marked = is_mark(p, '+') || is_mark(p, '-');
    if (is_marked)
        role = *p->at++ == '+' ? GS_QUERY_MUST : GS_QUERY_MUST_NOT;
    int clause = GS_QUERY_NONE;
    if (!is_marked && is_lone_word(p)) {
        const uint8_t *const begin = p->at;
        GS_TRY(skip_word(p, st));
        GS_TRY(take_word_terms(p, begin, (size_t)(p->at - begin), role, &clause, st));
        splice(q, group, clause, role);
        return GS_OK;
    }
    GS_TRY(take_chain(p, false, &clause, st));
    if (clause == GS_QUERY_NONE)
        return GS_OK;
    if (is_marked)
        gs_query_append(q, group, clause, role);
    else
        append_lifted(q, group, clause, role);
    return GS_OK;
}

/* Up to the end or a closing parenthesis. */
static gs_code take_group(gs_query_parser *p, int *out, gs_status *st)
{
    int group;
    GS_TRY(gs_query_add_node(p->query, GS_QUERY_CLAUSES, column(p, p->at), &group, st));
    for (skip_blanks(p); p->at < p->end && *p->at != ')'; skip_blanks(p))
        GS_TRY(take_clause(p, group, st));
    *out = simplify(p->query, group);
    return GS_OK;
}

static gs_code take_plain(gs_query_parser *p, int *out, gs_status *st)
{
    const gs_query_role role = p->options.needs_all ? GS_QUERY_MUST : GS_QUERY_SHOULD;
    int group;
    if (p->words != NULL) {
        GS_TRY(take_terms(p, p->at, (size_t)(p->end - p->at), GS_QUERY_CLAUSES, role,
                          &group, st));
    } else {
        GS_TRY(gs_query_add_node(p->query, GS_QUERY_CLAUSES, 1, &group, st));
        for (skip_blanks(p); p->at < p->end; skip_blanks(p)) {
            const uint8_t *const begin = p->at;
            int term;
            while (p->at < p->end && !is_blank(*p->at))
                p->at++;
            GS_TRY(gs_query_add_term(p->query, GS_QUERY_TERM, begin,
                                     (size_t)(p->at - begin), column(p, begin), &term,
                                     st));
            gs_query_append(p->query, group, term, role);
        }
    }
    *out = simplify(p->query, group);
    return GS_OK;
}

/* A query that is a JSON object of terms and weights. */
static gs_code take_object(gs_query_parser *p, int *out, gs_status *st)
{
    const gs_query_role role = p->options.needs_all ? GS_QUERY_MUST : GS_QUERY_SHOULD;
    const uint8_t *at;
    const char *why;
    int list;
    GS_TRY(gs_query_add_node(p->query, GS_QUERY_CLAUSES, column(p, p->at), &list, st));
    if (!gs_query_weights_object(p->query, list, role, p->at, (size_t)(p->end - p->at),
                                 &at, &why, st))
        return why != NULL ? fail_at(p, at, st, why) : st->code;
    p->at = p->end;
    *out = simplify(p->query, list);
    return GS_OK;
}

/* Refuses a tree that an index without positions cannot answer, at the first node of it
 * that asks for them. */
static gs_code check_positions(const gs_query *q, int at, gs_status *st)
{
    const gs_query_node *const n = &q->nodes[at];
    if (gs_query_needs_positions(n->kind)) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "column %zu: the index has no positions, which %s needs", n->column,
                      gs_query_placed_name(n->kind));
        return gs_status_hint(st,
                              "build the index with --positions, or ask for the words "
                              "one by one");
    }
    for (int i = n->first; i != GS_QUERY_NONE; i = q->nodes[i].next)
        GS_TRY(check_positions(q, i, st));
    return GS_OK;
}

static bool is_object(gs_query_parser *p)
{
    skip_blanks(p);
    return p->options.has_weights && p->at < p->end && *p->at == '{';
}

gs_code gs_query_parse(gs_query_parser *p, const void *text, size_t bytes,
                       gs_query *query, gs_status *st)
{
    gs_query_clear(query);
    GS_TRY(gs_mem_grow(&p->text, &p->text_capacity, bytes + GS_TEXT_SLACK, "query", st));
    if (bytes > 0)
        memcpy(p->text, text, bytes);
    memset(p->text + bytes, 0, GS_TEXT_SLACK);
    p->at = p->text;
    p->end = p->text + bytes;
    p->query = query;
    p->depth = 0;
    p->counted = p->text;
    p->columns = 1;
    int root = GS_QUERY_NONE;
    if (p->options.is_plain) {
        GS_TRY(take_plain(p, &root, st));
    } else if (is_object(p)) {
        GS_TRY(take_object(p, &root, st));
    } else {
        GS_TRY(take_group(p, &root, st));
        if (p->at < p->end)
            return fail_at(p, p->at, st, "a ')' without its '('");
    }
    if (root != GS_QUERY_NONE && !p->options.has_positions)
        GS_TRY(check_positions(query, root, st));
    query->root = root;
    return GS_OK;
}
