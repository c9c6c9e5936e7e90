/* SPDX-License-Identifier: MIT */
#include "cmd/search_snippets.h"

#include <stdatomic.h>

#include "lib/base/mem.h"

enum { TOGETHER = 64 };

/* Of a segment, made when it is needed first. */
typedef struct segment_maker {
    gs_snippet_maker *maker;
    uint64_t query; /* the number of the one it knows */
} segment_maker;

/* One a thread. */
typedef struct worker {
    GS_MEM_APART segment_maker *makers; /* of each segment; NULL: none yet */
    gs_segment_terms *all;              /* counts over several segments */
} worker;

struct gs_search_snippets {
    const gs_segments *index;
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

gs_code gs_search_snippets_new(gs_search_snippets **out, const gs_segments *index,
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
    for (unsigned i = 0; s->workers != NULL && i < s->threads; i++) {
        worker *const w = &s->workers[i];
        for (size_t k = 0; w->makers != NULL && k < s->index->count; k++)
            gs_snippet_maker_free(w->makers[k].maker);
        gs_mem_free(w->makers);
        gs_segment_terms_free(w->all);
    }
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

static gs_code new_maker(gs_search_snippets *s, worker *w, const gs_segment *segment,
                         gs_snippet_maker **out, gs_status *st)
{
    GS_TRY(gs_snippet_maker_new(out, segment->index, s->rules, s->options, st));
    if (s->index->is_plain)
        return GS_OK;
    if (w->all == NULL)
        GS_TRY(gs_segment_terms_new(&w->all, s->index, st));
    gs_snippet_maker_count_in(*out, w->all);
    return GS_OK;
}

/* The snippet of a document, by what this thread has for its segment. */
static gs_code make_one(gs_search_snippets *s, worker *w, uint64_t doc, gs_snippet *out,
                        gs_status *st)
{
    uint64_t there;
    const gs_segment *const segment = gs_segments_find(s->index, doc, &there);
    if (w->makers == NULL)
        GS_TRY(gs_mem_new_array(&w->makers, s->index->count, sizeof *w->makers,
                                "snippets", st));
    segment_maker *const m = &w->makers[segment - s->index->items];
    if (m->maker == NULL)
        GS_TRY(new_maker(s, w, segment, &m->maker, st));
    if (m->query != s->query) {
        m->query = s->query;
        GS_TRY(gs_snippet_maker_query(m->maker, s->text, s->bytes, st));
    }
    return gs_snippet_make(m->maker, there, out, st);
}

static gs_code make_some(void *context, unsigned number, gs_status *st)
{
    gs_search_snippets *const s = context;
    worker *const w = &s->workers[number];
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->count;)
        GS_TRY(make_one(s, w, s->docs[i].doc, &s->snippets[i], st));
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
    GS_TRY(make_one(s, &s->workers[0], doc, &s->snippets[0], st));
    *out = &s->snippets[0];
    return GS_OK;
}
