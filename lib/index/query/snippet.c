/* SPDX-License-Identifier: MIT */
/*
 * How a text is gone through.
 *
 *      buffer   | kept | ........ walked ........ | not yet |
 *                      ^ kept before     seam ^   ^ used
 *
 * Pieces of the text are put behind each other; words up to a seam, which has something
 * behind it, are walked over. When the best window is another one afterwards, what is
 * around it is copied. Then all but the last bytes before the seam go.
 */
#include "lib/index/query/snippet.h"

#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/dense_window.h"

enum {
    AROUND_BYTES = 2 * GS_SNIPPET_BYTES, /* kept on each side of a seam */
    BUFFER_BYTES = GS_TEXT_BLOCK_BYTES + 8 * AROUND_BYTES,
    BLANK_BYTES = 40,              /* to a blank, at most */
    SEAM_LEAST = 4 * AROUND_BYTES, /* words that are longer may be cut */
    WEIGHT = 1000,
    CONTEXT_BYTES = 2 * AROUND_BYTES + GS_SNIPPET_BYTES,
};

/* A term of the query; in `text` of the query. */
typedef struct wanted_term {
    const uint8_t *text;
    size_t bytes;
    bool is_prefix;
    uint32_t weight;
} wanted_term;

struct gs_snippet_maker {
    const gs_index *index;
    gs_segment_terms *all; /* NULL: the index is */
    gs_query_parser *parser;
    gs_query query;
    gs_term_cursor *cursor;
    gs_word_walk *words;
    gs_text_reader *texts;
    wanted_term terms[GS_WINDOW_TERMS_MAX];
    unsigned term_count;

    gs_dense_window window;
    uint8_t *buffer;
    uint64_t at;         /* of its first byte, in the text */
    size_t walked, used; /* of it */
    bool is_other;       /* the best window is, since what is around it was copied */

    /* What is around the best window, readable beyond its end. */
    uint8_t context[CONTEXT_BYTES + GS_TEXT_SLACK];
    size_t context_bytes;
    uint64_t context_at; /* in the text */
    uint64_t text_bytes;
    gs_term_place marks[GS_SNIPPET_MARKS_MAX];
    size_t mark_count;
};

gs_code gs_snippet_maker_new(gs_snippet_maker **out, const gs_index *index,
                             const gs_word_rules *rules, const gs_search_options *options,
                             gs_status *st)
{
    *out = NULL;
    gs_snippet_maker *m = NULL;
    GS_TRY(gs_mem_new_apart(&m, sizeof *m, "snippets", st));
    m->index = index;
    GS_TRY_OR_FAIL(gs_searcher_new_parser(&m->parser, index, rules, options, st));
    GS_TRY_OR_FAIL(gs_term_cursor_new(&m->cursor, index, st));
    GS_TRY_OR_FAIL(gs_word_walk_new(&m->words, rules, st));
    GS_TRY_OR_FAIL(gs_text_reader_new(&m->texts, index, 4, st));
    GS_TRY_OR_FAIL(gs_mem_new(&m->buffer, BUFFER_BYTES + GS_TEXT_SLACK, "snippets", st));
    *out = m;
    return GS_OK;
fail:
    gs_snippet_maker_free(m);
    return st->code;
}

void gs_snippet_maker_count_in(gs_snippet_maker *m, gs_segment_terms *all)
{
    m->all = all;
}

void gs_snippet_maker_free(gs_snippet_maker *m)
{
    if (m == NULL)
        return;
    gs_query_parser_free(m->parser);
    gs_query_release(&m->query);
    gs_term_cursor_free(m->cursor);
    gs_word_walk_free(m->words);
    gs_text_reader_free(m->texts);
    gs_mem_free(m->buffer);
    gs_mem_free(m);
}

/* --- the terms of a query ----------------------------------------------------------- */

static bool is_known(const gs_snippet_maker *m, const gs_query_node *node)
{
    const uint8_t *const text = m->query.text + node->text;
    for (unsigned i = 0; i < m->term_count; i++) {
        const wanted_term *const t = &m->terms[i];
        if (t->is_prefix == (node->kind == GS_QUERY_PREFIX) && t->bytes == node->bytes &&
            memcmp(t->text, text, t->bytes) == 0)
            return true;
    }
    return false;
}

/* How many documents there are, and in how many of them the term is. */
static gs_code count_documents(gs_snippet_maker *m, const wanted_term *t, uint64_t *all,
                               uint64_t *df, gs_status *st)
{
    bool found = false;
    if (m->all != NULL) {
        *all = m->all->segments->documents;
        return gs_segment_terms_df(m->all, t->text, t->bytes, df, st);
    }
    *all = gs_index_header_of(m->index)->documents;
    GS_TRY(gs_term_cursor_find(m->cursor, t->text, t->bytes, &found, st));
    *df = found ? m->cursor->info.df : 0;
    return GS_OK;
}

/* Rare terms tell more. */
static gs_code find_weight(gs_snippet_maker *m, wanted_term *t, gs_status *st)
{
    uint64_t all, df;
    t->weight = WEIGHT;
    if (t->is_prefix || t->bytes == 0 || t->bytes > GS_INDEX_TERM_MAX)
        return GS_OK;
    GS_TRY(count_documents(m, t, &all, &df, st));
    if (df > 0)
        t->weight += (uint32_t)(WEIGHT * log(1 + (double)all / (double)(df + 1)));
    return GS_OK;
}

static gs_code take_term(gs_snippet_maker *m, const gs_query_node *node, gs_status *st)
{
    if (m->term_count == GS_WINDOW_TERMS_MAX || is_known(m, node))
        return GS_OK;
    wanted_term *const t = &m->terms[m->term_count++];
    *t = (wanted_term){m->query.text + node->text, node->bytes,
                       node->kind == GS_QUERY_PREFIX, 0};
    gs_word_walk_want(m->words, t->text, t->bytes);
    return find_weight(m, t, st);
}

/* What must not match is gone around. Queries are not nested deep. */
static gs_code take_terms(gs_snippet_maker *m, int at, gs_status *st)
{
    const gs_query_node *const node = &m->query.nodes[at];
    switch (node->kind) {
    case GS_QUERY_TERM:
    case GS_QUERY_PREFIX: return take_term(m, node, st);
    case GS_QUERY_PHRASE:
    case GS_QUERY_CLAUSES: break; /* all below it are marked */
    }
    for (int i = node->first; i != GS_QUERY_NONE; i = m->query.nodes[i].next) {
        if (m->query.nodes[i].role != GS_QUERY_MUST_NOT)
            GS_TRY(take_terms(m, i, st));
    }
    return GS_OK;
}

gs_code gs_snippet_maker_query(gs_snippet_maker *m, const void *text, size_t bytes,
                               gs_status *st)
{
    GS_TRY(gs_query_parse(m->parser, text, bytes, &m->query, st));
    m->term_count = 0;
    gs_word_walk_want_none(m->words);
    return m->query.root != GS_QUERY_NONE ? take_terms(m, m->query.root, st) : GS_OK;
}

/* --- the best window --------------------------------------------------------------- */

/* The term of the query that the token is; GS_WINDOW_TERMS_MAX: none. */
static unsigned find_term(const gs_snippet_maker *m, const gs_token *token)
{
    for (unsigned i = 0; i < m->term_count; i++) {
        const wanted_term *const t = &m->terms[i];
        if ((t->is_prefix ? token->bytes >= t->bytes : token->bytes == t->bytes) &&
            memcmp(token->term, t->text, t->bytes) == 0)
            return i;
    }
    return GS_WINDOW_TERMS_MAX;
}

static void see_word(void *context, const gs_token *token, size_t begin, size_t end)
{
    gs_snippet_maker *const m = context;
    const uint64_t from = m->at + m->walked;
    const gs_term_place place = {from + begin, from + end, find_term(m, token)};
    if (place.term < GS_WINDOW_TERMS_MAX && gs_dense_window_add(&m->window, &place))
        m->is_other = true;
}

/* Copies what is around the window, which may be the beginning of the text. */
static void keep_context(gs_snippet_maker *m)
{
    const uint64_t begin =
        m->window.begin > m->at + AROUND_BYTES ? m->window.begin - AROUND_BYTES : m->at;
    const size_t from = (size_t)(begin - m->at), left = m->used - from;
    m->context_at = begin;
    m->context_bytes = left < CONTEXT_BYTES ? left : CONTEXT_BYTES;
    memcpy(m->context, m->buffer + from, m->context_bytes);
    m->is_other = false;
}

/* Walks over the words that are all there. */
static gs_code walk(gs_snippet_maker *m, bool is_end, gs_status *st)
{
    size_t seam = m->used;
    if (!is_end)
        seam = gs_word_walk_seam(m->buffer, m->used - SEAM_LEAST, m->used - AROUND_BYTES);
    GS_TRY(gs_word_walk_text(m->words, m->buffer + m->walked, seam - m->walked, see_word,
                             m, st));
    m->walked = seam;
    if (m->is_other)
        keep_context(m);
    const size_t kept = seam < AROUND_BYTES ? seam : AROUND_BYTES;
    const size_t gone = seam - kept;
    memmove(m->buffer, m->buffer + gone, m->used - gone);
    m->at += gone;
    m->walked -= gone;
    m->used -= gone;
    return GS_OK;
}

static gs_code look_at_text(gs_snippet_maker *m, uint64_t doc, gs_status *st)
{
    gs_text_span piece;
    GS_TRY(gs_text_reader_begin(m->texts, doc, &m->text_bytes, st));
    for (;;) {
        GS_TRY(gs_text_reader_next(m->texts, &piece, st));
        if (piece.bytes == 0 || m->at >= GS_SNIPPET_LOOKED_AT_MAX)
            return walk(m, true, st);
        gs_assert(piece.bytes <= BUFFER_BYTES - m->used);
        memcpy(m->buffer + m->used, piece.data, piece.bytes);
        m->used += piece.bytes;
        if (m->term_count == 0 && m->used >= CONTEXT_BYTES)
            return walk(m, true, st); /* the beginning is all that is wanted */
        if (m->used > m->walked + SEAM_LEAST)
            GS_TRY(walk(m, false, st));
    }
}

/* --- the snippet ------------------------------------------------------------------- */

static bool is_blank(uint8_t c)
{
    return c <= ' ' || c == 0x7f;
}

static bool goes_on(uint8_t c)
{
    return (c & 0xc0) == 0x80;
}

/* Where what is shown begins, of which `length` bytes are wanted: the window in the
 * middle, or further back if the text ends soon; behind a blank if there is one near. */
static size_t choose_begin(const gs_snippet_maker *m, size_t begin, size_t length,
                           size_t spare)
{
    const size_t all = m->context_bytes;
    size_t first = begin > spare / 2 ? begin - spare / 2 : 0;
    if (all - first < length)
        first = all > length ? all - length : 0;
    if (first == 0 && m->context_at == 0)
        return 0;
    size_t blank = first;
    while (blank < begin && blank < first + BLANK_BYTES && !is_blank(m->context[blank]))
        blank++;
    if (blank < begin && blank < first + BLANK_BYTES)
        first = blank;
    while (first < begin && (is_blank(m->context[first]) || goes_on(m->context[first])))
        first++;
    return first;
}

/* The same of the end, which is not before that of the window. */
static size_t choose_end(const gs_snippet_maker *m, size_t end, size_t last)
{
    if (last >= m->context_bytes)
        return m->context_bytes;
    size_t blank = last;
    while (blank > end && blank + BLANK_BYTES > last && !is_blank(m->context[blank - 1]))
        blank--;
    if (blank > end && blank + BLANK_BYTES > last)
        return blank;
    while (last > end && goes_on(m->context[last]))
        last--;
    return last;
}

static void choose_stretch(const gs_snippet_maker *m, size_t *from, size_t *to)
{
    const size_t all = m->context_bytes;
    const size_t begin = (size_t)(m->window.begin - m->context_at);
    const uint64_t window_end = m->window.end - m->context_at;
    const size_t end = window_end < all ? (size_t)window_end : all; /* a very long word */
    const size_t length = end - begin;
    const size_t spare = length < GS_SNIPPET_BYTES ? GS_SNIPPET_BYTES - length : 0;
    *from = choose_begin(m, begin, length + spare, spare);
    *to = choose_end(m, end, *from + length + spare);
}

/* Places of words, in the stretch, by bytes of the context. */
static void mark_word(void *context, const gs_token *token, size_t begin, size_t end)
{
    gs_snippet_maker *const m = context;
    const unsigned term = find_term(m, token);
    gs_term_place *const last = &m->marks[m->mark_count > 0 ? m->mark_count - 1 : 0];
    if (term == GS_WINDOW_TERMS_MAX)
        return;
    if (m->mark_count > 0 && begin < last->end) { /* two of dense characters */
        last->end = end > last->end ? end : last->end;
        return;
    }
    if (m->mark_count < GS_SNIPPET_MARKS_MAX)
        m->marks[m->mark_count++] = (gs_term_place){begin, end, term};
}

/* What stands there, as it may be shown; returns how many bytes it takes. */
static size_t put_character(gs_snippet *out, const uint8_t *p, const uint8_t *end)
{
    static const uint8_t unknown[] = {0xef, 0xbf, 0xbd};
    uint32_t point;
    const unsigned n = gs_utf8_decode(p, end, &point);
    const bool is_control = n > 0 && (point <= ' ' || (point >= 0x7f && point <= 0xa0) ||
                                      (point >= 0x2028 && point <= 0x202e) ||
                                      (point >= 0x2066 && point <= 0x2069));
    if (is_control) {
        if (out->bytes > 0 && out->text[out->bytes - 1] != ' ')
            out->text[out->bytes++] = ' ';
    } else if (n > 0) {
        memcpy(out->text + out->bytes, p, n);
        out->bytes += n;
    } else {
        memcpy(out->text + out->bytes, unknown, sizeof unknown);
        out->bytes += sizeof unknown;
    }
    return n > 0 ? n : 1;
}

/* A word ends that began at that byte. Of what is shown of it the blanks on both sides
 * are no part, and perhaps nothing is left. */
static void end_mark(gs_snippet *out, size_t begin)
{
    size_t end = out->bytes;
    while (begin < end && out->text[begin] == ' ')
        begin++;
    while (end > begin && out->text[end - 1] == ' ')
        end--;
    if (begin < end)
        out->marks[out->mark_count++] = (gs_snippet_mark){(uint16_t)begin, (uint16_t)end};
}

static void put_text(gs_snippet_maker *m, gs_snippet *out, size_t from, size_t to)
{
    size_t mark = 0, begin = 0, at = from;
    bool is_open = false;
    while (at < to && out->bytes + GS_UTF8_BYTES_MAX < sizeof out->text) {
        if (mark < m->mark_count && !is_open && m->marks[mark].begin <= at - from) {
            begin = out->bytes;
            is_open = true;
        }
        at += put_character(out, m->context + at, m->context + to);
        if (is_open && m->marks[mark].end <= at - from) {
            end_mark(out, begin);
            mark++;
            is_open = false;
        }
    }
    out->is_cut_before = m->context_at + from > 0;
    out->is_cut_behind = m->context_at + at < m->text_bytes;
    while (out->bytes > 0 && out->text[out->bytes - 1] == ' ')
        out->bytes--;
}

gs_code gs_snippet_make(gs_snippet_maker *m, uint64_t doc, gs_snippet *out, gs_status *st)
{
    size_t from, to;
    out->bytes = out->mark_count = 0;
    out->is_cut_before = out->is_cut_behind = false;
    gs_dense_window_begin(&m->window, GS_SNIPPET_BYTES);
    for (unsigned i = 0; i < m->term_count; i++)
        m->window.weights[i] = m->terms[i].weight;
    m->at = 0;
    m->walked = m->used = 0;
    m->context_bytes = 0;
    m->is_other = true; /* the beginning, until there is something better */
    GS_TRY(look_at_text(m, doc, st));
    choose_stretch(m, &from, &to);
    m->mark_count = 0;
    GS_TRY(gs_word_walk_text(m->words, m->context + from, to - from, mark_word, m, st));
    put_text(m, out, from, to);
    return GS_OK;
}
