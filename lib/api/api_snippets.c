/* SPDX-License-Identifier: MIT */
#include "lib/api/api_snippets.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/api/api_index.h"
#include "lib/base/mem.h"

/* Of a segment, made when it is needed first. */
typedef struct segment_maker {
    gs_snippet_maker *maker;
    uint64_t number; /* of the query that it knows */
} segment_maker;

/* One a thread. */
typedef struct worker {
    GS_MEM_APART segment_maker *makers; /* of each segment; NULL: none yet */
    gs_segment_terms *all;              /* counts over several segments */
} worker;

typedef struct made_snippet {
    gs_snippet of;
    gpusort_mark marks[GS_SNIPPET_MARKS_MAX];
} made_snippet;

struct gs_api_snippets {
    const gs_segments *index;
    const gs_word_rules *rules;
    const gs_search_options *options;
    unsigned threads;
    worker *workers;
    char *query; /* the last one */
    size_t bytes, query_room;
    uint64_t number; /* of queries so far */
    const uint64_t *docs;
    size_t count;
    atomic_size_t next;
    made_snippet *made; /* of each of them */
    size_t room;
};

gs_code gs_api_snippets_new(gs_api_snippets **out, const gs_segments *index,
                            const gs_word_rules *rules, const gs_search_options *options,
                            unsigned threads, gs_status *st)
{
    gs_api_snippets *s = NULL;
    *out = NULL;
    GS_TRY(gs_api_index_need_texts(index, st));
    GS_TRY(gs_mem_new(&s, sizeof *s, "snippets", st));
    s->index = index;
    s->rules = rules;
    s->options = options;
    s->threads = threads;
    if (gs_mem_new_apart(&s->workers, threads * sizeof *s->workers, "snippets", st) !=
        GS_OK)
        gs_api_snippets_free(s);
    else
        *out = s;
    return st->code;
}

void gs_api_snippets_free(gs_api_snippets *s)
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
    gs_mem_free(s->query);
    gs_mem_free(s->made);
    gs_mem_free(s);
}

static gs_code new_maker(gs_api_snippets *s, worker *w, const gs_segment *segment,
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
static gs_code make_one(gs_api_snippets *s, worker *w, uint64_t doc, gs_snippet *out,
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
    if (m->number != s->number) {
        m->number = s->number;
        GS_TRY(gs_snippet_maker_query(m->maker, s->query, s->bytes, st));
    }
    return gs_snippet_make(m->maker, there, out, st);
}

static gs_code make_some(void *context, unsigned number, gs_status *st)
{
    gs_api_snippets *const s = context;
    worker *const w = &s->workers[number];
    for (size_t i; (i = atomic_fetch_add(&s->next, 1)) < s->count;)
        GS_TRY(make_one(s, w, s->docs[i], &s->made[i].of, st));
    return GS_OK;
}

static gs_code take_query(gs_api_snippets *s, const void *query, size_t bytes,
                          gs_status *st)
{
    if (s->number > 0 && bytes == s->bytes &&
        (bytes == 0 || memcmp(query, s->query, bytes) == 0))
        return GS_OK;
    GS_TRY(gs_mem_grow(&s->query, &s->query_room, bytes + 1, "query", st));
    if (bytes > 0)
        memcpy(s->query, query, bytes);
    s->bytes = bytes;
    s->number++;
    return GS_OK;
}

static void show(made_snippet *made, gpusort_snippet *out)
{
    const gs_snippet *const s = &made->of;
    for (size_t i = 0; i < s->mark_count; i++)
        made->marks[i] = (gpusort_mark){s->marks[i].begin, s->marks[i].end};
    *out = (gpusort_snippet){
        .text = (const char *)s->text,
        .bytes = s->bytes,
        .marks = made->marks,
        .mark_count = s->mark_count,
        .is_cut_before = s->is_cut_before,
        .is_cut_behind = s->is_cut_behind,
    };
}

gs_code gs_api_snippets_make(gs_api_snippets *s, const void *query, size_t bytes,
                             const uint64_t *docs, size_t count, gs_team *team,
                             gpusort_snippet *out, gs_status *st)
{
    GS_TRY(take_query(s, query, bytes, st));
    GS_TRY(gs_mem_grow(&s->made, &s->room, count, "snippets", st));
    s->docs = docs;
    s->count = count;
    atomic_store(&s->next, 0);
    GS_TRY(team != NULL && count > 1 ? gs_team_run(team, make_some, s, st)
                                     : make_some(s, 0, st));
    for (size_t i = 0; i < count; i++)
        show(&s->made[i], &out[i]);
    return GS_OK;
}
