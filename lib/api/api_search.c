/* SPDX-License-Identifier: MIT */
/*
 * Searches in an open index: the best documents, of one query or of many at once, all
 * that match, and what is shown of them.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_index.h"
#include "lib/api/api_snippets.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    THREADS_MAX = 256,
    TERMS_UNSETTLED = 1 << 16, /* that may come twice */
};

struct gpusort_searcher {
    gs_search_options options;
    const gpusort_index *of;
    const gs_word_rules *rules;
    unsigned threads;
    gs_searcher **searchers; /* one a thread; all but the first when they are needed */
    gs_team *team;           /* the same */
    gs_search_stats done;    /* by searchers that are no more */
    gs_top_docs top;         /* of one query */
    gs_search_item *items;   /* of many */
    gpusort_hit *hits;       /* theirs */
    size_t item_room, hit_room;
    bool is_over; /* all that match were given */
    gs_api_snippets *snippets;
    gs_collection_stats given, gathered;
    size_t settled; /* terms of those */
};

static void drop_searchers(gpusort_searcher *s)
{
    for (unsigned i = 0; s->searchers != NULL && i < s->threads; i++) {
        if (s->searchers[i] != NULL)
            gs_searcher_stats(s->searchers[i], &s->done);
        gs_searcher_free(s->searchers[i]);
        s->searchers[i] = NULL;
    }
}

static gs_code make_searcher(void *context, unsigned worker, gs_status *st)
{
    gpusort_searcher *const s = context;
    return s->searchers[worker] != NULL
               ? GS_OK
               : gs_searcher_new_over(&s->searchers[worker], s->of->segments, s->rules,
                                      &s->options, st);
}

/* How many are wanted is a property of the searchers. The first is there then. */
static gs_code want(gpusort_searcher *s, size_t limit, gs_status *st)
{
    if (limit != s->options.limit)
        drop_searchers(s);
    s->options.limit = limit;
    return make_searcher(s, 0, st);
}

static gs_code take_options(gpusort_searcher *s, const gpusort_search_options *asked,
                            gs_status *st)
{
    const double k1_max = 1000;
    const bool is_usual = asked->k1 == 0 && asked->b == 0 && !asked->has_zeros;
    s->options = (gs_search_options){
        .k1 = is_usual ? 1.2 : asked->k1,
        .b = is_usual ? 0.75 : asked->b,
        .presence = s->of->presence,
        .needs_all = asked->needs_all != 0,
        .is_plain = asked->is_plain != 0,
        .is_exhaustive = asked->is_exhaustive != 0,
    };
    if (!(s->options.k1 >= 0 && s->options.k1 <= k1_max && s->options.b >= 0 &&
          s->options.b <= 1))
        return GS_FAIL(st, GS_ERR_ARG, 0, "k1 is from 0 to 1000, and b from 0 to 1");
    s->threads = asked->threads != 0 ? asked->threads : gs_machine_cores();
    if (s->threads > THREADS_MAX)
        s->threads = THREADS_MAX;
    if (asked->statistics != NULL) {
        GS_TRY(gs_collection_stats_read(&s->given, asked->statistics, st));
        s->options.collection = &s->given;
    }
    return GS_OK;
}

static gs_code new_searcher(gpusort_searcher **out, const gpusort_index *index,
                            const gpusort_search_options *options, gs_status *st)
{
    gpusort_search_options asked = {.size = sizeof asked};
    const gs_word_rules *rules = NULL;
    if (options != NULL)
        GS_TRY(gs_api_take_options(&asked, sizeof asked, options, st));
    GS_TRY(gs_api_index_rules(index, &rules, st));
    GS_TRY(gs_mem_new(out, sizeof **out, "searcher", st));
    (*out)->of = index;
    (*out)->rules = rules;
    GS_TRY(take_options(*out, &asked, st));
    return gs_mem_new_array(&(*out)->searchers, (*out)->threads, sizeof(gs_searcher *),
                            "searchers", st);
}

gpusort_code gpusort_searcher_new(gpusort_searcher **out, const gpusort_index *index,
                                  const gpusort_search_options *options,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = NULL;
    if (new_searcher(out, index, options, &st) != GS_OK) {
        gpusort_searcher_free(*out);
        *out = NULL;
    }
    return gs_api_result(&st, error);
}

void gpusort_searcher_free(gpusort_searcher *s)
{
    if (s == NULL)
        return;
    drop_searchers(s);
    gs_mem_free(s->searchers);
    gs_team_free(s->team);
    gs_top_docs_release(&s->top);
    for (size_t i = 0; i < s->item_room; i++)
        gs_top_docs_release(&s->items[i].top);
    gs_mem_free(s->items);
    gs_mem_free(s->hits);
    gs_api_snippets_free(s->snippets);
    gs_collection_stats_release(&s->given);
    gs_collection_stats_release(&s->gathered);
    gs_mem_free(s);
}

void gpusort_searcher_figures(const gpusort_searcher *s, gpusort_search_figures *figures)
{
    gs_search_stats all = s->done;
    for (unsigned i = 0; i < s->threads; i++) {
        if (s->searchers[i] != NULL)
            gs_searcher_stats(s->searchers[i], &all);
    }
    const gpusort_search_figures is = {
        .size = figures->size,
        .queries = all.queries,
        .postings = all.postings,
        .postings_scored = all.postings_scored,
        .blocks = all.blocks,
        .blocks_read = all.blocks_read,
    };
    gs_api_give(figures, is.size, &is, sizeof is);
}

/* --- the best of one query ---------------------------------------------------------- */

static gpusort_hit hit_of(const gs_scored_doc *found)
{
    return (gpusort_hit){.document = found->doc, .score = found->score};
}

static gs_code search(gpusort_searcher *s, const char *query, size_t bytes, size_t limit,
                      gs_status *st)
{
    GS_TRY(want(s, limit, st));
    GS_TRY(gs_searcher_rank(s->searchers[0], query, bytes, &s->top, st));
    return gs_segments_check_unchanged(s->of->segments, st);
}

gpusort_code gpusort_search(gpusort_searcher *searcher, const char *query, size_t bytes,
                            gpusort_hit *hits, size_t room, size_t *count,
                            gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *count = 0;
    if (room > 0 && search(searcher, query, bytes, room, &st) == GS_OK) {
        *count = searcher->top.count;
        for (size_t i = 0; i < *count; i++)
            hits[i] = hit_of(&searcher->top.docs[i]);
    }
    return gs_api_result(&st, error);
}

/* --- of many ------------------------------------------------------------------------ */

/* One needs no other threads, which take longer to begin than it takes. */
static gs_code rank_all(gpusort_searcher *s, size_t count, gs_status *st)
{
    gs_search_item *const first = &s->items[0];
    if (count == 1) {
        GS_NOTED(gs_searcher_rank(s->searchers[0], first->text, first->bytes, &first->top,
                                  &first->st));
        return GS_OK;
    }
    if (s->team == NULL)
        GS_TRY(gs_team_new(&s->team, s->threads, st));
    GS_TRY(gs_team_run(s->team, make_searcher, s, st));
    return gs_searcher_rank_all(s->searchers, s->team, s->items, count, st);
}

static gs_code give_answers(gpusort_searcher *s, gpusort_question *questions,
                            size_t count, gs_status *st)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += s->items[i].st.code == GS_OK ? s->items[i].top.count : 0;
    GS_TRY(gs_mem_grow(&s->hits, &s->hit_room, all, "hits", st));
    gpusort_hit *hits = s->hits;
    for (size_t i = 0; i < count; i++) {
        const gs_search_item *const item = &s->items[i];
        const bool is_good = item->st.code == GS_OK;
        gpusort_question *const q = &questions[i];
        q->code = gs_api_code(item->st.code);
        q->message = is_good ? NULL : item->st.msg;
        q->hint = is_good ? NULL : item->st.hint;
        q->hits = hits;
        q->hit_count = is_good ? item->top.count : 0;
        for (size_t k = 0; k < q->hit_count; k++)
            *hits++ = hit_of(&item->top.docs[k]);
    }
    return GS_OK;
}

static gs_code search_many(gpusort_searcher *s, gpusort_question *questions, size_t count,
                           size_t top, gs_status *st)
{
    if (top == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "at least one document is wanted");
    GS_TRY(want(s, top, st));
    GS_TRY(gs_mem_grow(&s->items, &s->item_room, count, "queries", st));
    for (size_t i = 0; i < count; i++) {
        GS_TRY(gs_api_check_reserved(questions[i].reserved, 1, st));
        s->items[i].text = questions[i].query;
        s->items[i].bytes = questions[i].bytes;
        gs_status_clear(&s->items[i].st);
    }
    if (count > 0)
        GS_TRY(rank_all(s, count, st));
    GS_TRY(gs_segments_check_unchanged(s->of->segments, st));
    return give_answers(s, questions, count, st);
}

gpusort_code gpusort_search_many(gpusort_searcher *searcher, gpusort_question *questions,
                                 size_t count, size_t top, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(search_many(searcher, questions, count, top, &st));
    return gs_api_result(&st, error);
}

/* --- all that match ----------------------------------------------------------------- */

/* Of any limit, which counts only for the best. */
static gs_code want_any(gpusort_searcher *s, gs_status *st)
{
    return want(s, s->options.limit > 0 ? s->options.limit : 1, st);
}

gpusort_code gpusort_search_begin(gpusort_searcher *searcher, const char *query,
                                  size_t bytes, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    searcher->is_over = false;
    if (want_any(searcher, &st) == GS_OK)
        GS_NOTED(gs_searcher_begin(searcher->searchers[0], query, bytes, &st));
    return gs_api_result(&st, error);
}

gpusort_code gpusort_search_next(gpusort_searcher *searcher, uint64_t *documents,
                                 size_t room, size_t *count, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_searcher *const s = searcher->searchers[0];
    size_t n = 0;
    if (s == NULL)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "no query was begun");
    bool is_over = st.code != GS_OK || searcher->is_over;
    while (n < room && !is_over) {
        is_over =
            gs_searcher_next(s, &documents[n], &st) != GS_OK || documents[n] == GS_NO_DOC;
        n += !is_over;
    }
    searcher->is_over = is_over;
    *count = n;
    return gs_api_result(&st, error);
}

gpusort_code gpusort_search_count(gpusort_searcher *searcher, const char *query,
                                  size_t bytes, uint64_t *count, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *count = 0;
    searcher->is_over = true; /* of what was begun before */
    if (want_any(searcher, &st) == GS_OK)
        GS_NOTED(gs_searcher_count(searcher->searchers[0], query, bytes, count, &st));
    return gs_api_result(&st, error);
}

/* --- what is shown of them ---------------------------------------------------------- */

static gs_code make_snippets(gpusort_searcher *s, const char *query, size_t bytes,
                             const uint64_t *documents, size_t count,
                             gpusort_snippet *snippets, gs_status *st)
{
    if (s->snippets == NULL)
        GS_TRY(gs_api_snippets_new(&s->snippets, s->of->segments, s->rules, &s->options,
                                   s->threads, st));
    for (size_t i = 0; i < count; i++)
        GS_TRY(gs_api_index_check_document(s->of, documents[i], st));
    return count > 0 ? gs_api_snippets_make(s->snippets, query, bytes, documents, count,
                                            s->team, snippets, st)
                     : GS_OK;
}

gpusort_code gpusort_search_snippets(gpusort_searcher *searcher, const char *query,
                                     size_t bytes, const uint64_t *documents,
                                     size_t count, gpusort_snippet *snippets,
                                     gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(make_snippets(searcher, query, bytes, documents, count, snippets, &st));
    return gs_api_result(&st, error);
}

/* --- one index of several ----------------------------------------------------------- */

/* Each term once, from time to time. */
static void settle(gpusort_searcher *s)
{
    gs_collection_stats_settle(&s->gathered);
    s->settled = s->gathered.term_count;
}

gpusort_code gpusort_search_gather(gpusort_searcher *searcher, const char *query,
                                   size_t bytes, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (want_any(searcher, &st) == GS_OK &&
        gs_searcher_gather(searcher->searchers[0], query, bytes, &searcher->gathered,
                           &st) == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(searcher->of->segments, &st));
    if (searcher->gathered.term_count > 2 * searcher->settled + TERMS_UNSETTLED)
        settle(searcher);
    return gs_api_result(&st, error);
}

gpusort_code gpusort_search_gathered(gpusort_searcher *searcher,
                                     int (*write)(void *context, const void *text,
                                                  size_t bytes),
                                     void *context, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_text_out out = {0};
    const gs_segments *const segments = searcher->of->segments;
    gs_api_writer writer = {.segments = segments, .write = write, .context = context};
    settle(searcher);
    searcher->gathered.documents = segments->documents;
    searcher->gathered.length_sum = segments->length_sum;
    if (gs_text_out_open(&out, gs_api_index_write, &writer, &st) == GS_OK &&
        gs_collection_stats_put(&searcher->gathered, &out, &st) == GS_OK)
        GS_NOTED(gs_text_out_flush(&out, &st));
    gs_text_out_release(&out);
    return gs_api_result(&st, error);
}
