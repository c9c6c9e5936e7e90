/* SPDX-License-Identifier: MIT */
#include "cmd/search_snippets.h"

#include <stdatomic.h>

#include "lib/base/mem.h"

enum { TOGETHER = 64 };

/* One a thread, made when it is needed first. */
typedef struct worker {
    GS_MEM_APART gs_snippet_maker *maker;
    uint64_t query; /* the number of the one it knows */
} worker;

struct gs_search_snippets {
    const gs_index *index;
    const gs_word_rules *rules;
    const gs_search_options *options;
    unsigned threads;
    worker *workers;
    gs_team *team; /* of the query; NULL: none */
    const void *text;
    size_t bytes;
    uint64_t query; /* counted from 1 */
    /* Of the documents that are made together: */
    const gs_scored_doc *docs;
    size_t first, count; /* of the answer */
    atomic_size_t next;
    gs_snippet snippets[TOGETHER];
};

gs_code gs_search_snippets_new(gs_search_snippets **out, const gs_index *index,
                               const gs_word_rules *rules,
                               const gs_search_options *options, unsigned threads,
                               gs_status *st)
{
    *out = NULL;
    gs_search_snippets *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "snippets", st));
    s->index = index;
    s->rules = rules;
    s->options = options;
    s->threads = threads;
    if (gs_mem_new_apart(&s->workers, threads * sizeof *s->workers, "snippets", st) !=
        GS_OK)
        gs_search_snippets_free(s);
    else
        *out = s;
    return st->code;
}

void gs_search_snippets_free(gs_search_snippets *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; s->workers != NULL && i < s->threads; i++)
        gs_snippet_maker_free(s->workers[i].maker);
    gs_mem_free(s->workers);
    gs_mem_free(s);
}

void gs_search_snippets_begin(gs_search_snippets *s, const void *text, size_t bytes,
                              gs_team *team)
{
    s->text = text;
    s->bytes = bytes;
    s->team = team;
    s->query++;
    s->first = s->count = 0;
}

static gs_code prepare(gs_search_snippets *s, worker *w, gs_status *st)
{
    if (w->maker == NULL)
        GS_TRY(gs_snippet_maker_new(&w->maker, s->index, s->rules, s->options, st));
    if (w->query == s->query)
        return GS_OK;
    w->query = s->query;
    return gs_snippet_maker_query(w->maker, s->text, s->bytes, st);
}

static gs_code make_some(void *context, unsigned number, gs_status *st)
{
    gs_search_snippets *const s = context;
    worker *const w = &s->workers[number];
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->count;) {
        GS_TRY(prepare(s, w, st));
        GS_TRY(gs_snippet_make(w->maker, s->docs[i].doc, &s->snippets[i], st));
    }
    return GS_OK;
}

gs_code gs_search_snippets_of(gs_search_snippets *s, const gs_top_docs *top, size_t i,
                              const gs_snippet **out, gs_status *st)
{
    if (i >= s->first + s->count) {
        const size_t left = top->count - i;
        s->docs = top->docs + i;
        s->first = i;
        s->count = left < TOGETHER ? left : TOGETHER;
        atomic_store(&s->next, 0);
        GS_TRY(s->team != NULL && s->count > 1 ? gs_team_run(s->team, make_some, s, st)
                                               : make_some(s, 0, st));
    }
    *out = &s->snippets[i - s->first];
    return GS_OK;
}

gs_code gs_search_snippets_one(gs_search_snippets *s, uint64_t doc,
                               const gs_snippet **out, gs_status *st)
{
    GS_TRY(prepare(s, &s->workers[0], st));
    GS_TRY(gs_snippet_make(s->workers[0].maker, doc, &s->snippets[0], st));
    *out = &s->snippets[0];
    return GS_OK;
}
