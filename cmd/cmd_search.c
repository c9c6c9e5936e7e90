/* SPDX-License-Identifier: MIT */
/*
 * gpusort search: ranked and Boolean queries to an index.
 *
 * Queries are answered in batches, by all threads, in the order in which they were asked.
 * A batch of standard input is what has come so far, so that a program which waits for
 * each answer before it asks again gets one. A query that makes no sense is told, and the
 * others go on.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/index_inner.h"
#include "cmd/report.h"
#include "cmd/search_args.h"
#include "cmd/search_output.h"
#include "cmd/stdin_lines.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    THREADS_MAX = 256,
    BATCH_A_THREAD = 32,    /* queries */
    BATCH_BYTES = 16 << 20, /* of their text, about */
    LINE_BYTES_MAX = 4 << 20,
    REFUSED_TOLD_MAX = 10, /* queries that are told one by one */
    QID_BYTES = 24,
};

/* A query and its answer. */
typedef struct question {
    gs_asked asked;
    char *line; /* of standard input */
    size_t line_capacity;
    char number[QID_BYTES]; /* what it is called, unless it has a name */
} question;

typedef struct search_job {
    gs_search_args args;
    gs_segments *index;
    gs_doc_presence *presence;
    gs_word_rules *rules;
    unsigned threads;
    gs_searcher **searchers; /* one a thread; all but the first when they are needed */
    gs_team *team;           /* the same */
    question *questions;     /* a batch */
    gs_search_item *items;
    size_t batch, count;            /* room for, and there are */
    gs_stdin_lines *lines;          /* NULL: from the arguments */
    uint64_t asked;                 /* so far */
    uint64_t refused;               /* of those */
    gs_search_snippets *snippets;   /* NULL: none are wanted */
    gs_collection_stats collection; /* gathered or given */
    gs_search_output output;
} search_job;

/* --- questions --------------------------------------------------------------------- */

static void ask(search_job *job, const char *text, size_t bytes, bool may_have_name)
{
    question *const q = &job->questions[job->count];
    gs_search_item *const item = &job->items[job->count++];
    const int digits = snprintf(q->number, sizeof q->number, "%" PRIu64, ++job->asked);
    q->asked = (gs_asked){
        .qid = q->number, .qid_bytes = (size_t)digits, .text = text, .bytes = bytes};
    const char *const tab = may_have_name && bytes > 0 ? memchr(text, '\t', bytes) : NULL;
    if (tab != NULL) {
        q->asked.qid = text;
        q->asked.qid_bytes = (size_t)(tab - text);
        q->asked.text = tab + 1;
        q->asked.bytes = bytes - q->asked.qid_bytes - 1;
    }
    item->text = q->asked.text;
    item->bytes = q->asked.bytes;
}

static gs_code keep_line(question *q, const char *line, size_t bytes, gs_status *st)
{
    GS_TRY(gs_mem_grow(&q->line, &q->line_capacity, bytes, "query", st));
    if (bytes > 0)
        memcpy(q->line, line, bytes);
    return GS_OK;
}

/* What has come of standard input, and waits for the first of it. */
static gs_code read_lines(search_job *job, gs_status *st)
{
    size_t bytes = 0;
    while (job->count < job->batch && bytes < BATCH_BYTES) {
        question *const q = &job->questions[job->count];
        const char *line;
        size_t n;
        GS_TRY(gs_stdin_lines_peek(job->lines, job->count == 0, &line, &n, st));
        if (line == NULL)
            break;
        GS_TRY(keep_line(q, line, n, st));
        gs_stdin_lines_drop(job->lines);
        ask(job, q->line, n, true);
        bytes += n;
    }
    return GS_OK;
}

/* The next batch; an empty one is the end. */
static gs_code take_questions(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    job->count = 0;
    if (job->lines != NULL)
        return read_lines(job, st);
    while (job->count < job->batch && job->asked < (uint64_t)args->query_count) {
        const char *const text = args->queries[job->asked];
        ask(job, text, strlen(text), false);
    }
    return GS_OK;
}

/* --- queries that make no sense ----------------------------------------------------- */

static bool is_of_query(const gs_status *why)
{
    return why->code == GS_ERR_ARG || why->code == GS_ERR_LIMIT;
}

/* Says which query it was, behind the answers of those before. */
static gs_code refuse(search_job *job, size_t item, const gs_status *why, gs_status *st)
{
    const uint64_t number = job->asked - job->count + item + 1;
    const gs_asked *const asked = &job->questions[item].asked;
    GS_TRY(gs_search_output_refused(&job->output, asked, why->msg, st));
    if (++job->refused > REFUSED_TOLD_MAX)
        return GS_OK;
    GS_TRY(gs_text_out_flush(&job->output.out, st));
    gs_report(0, "%s %" PRIu64 ", %s",
              job->lines != NULL ? "standard input, line" : "query", number, why->msg);
    if (why->hint != NULL)
        gs_report(0, "%s", why->hint);
    return GS_OK;
}

/* The snippets of the answers that follow are of this query. */
static void begin_snippets(search_job *job, size_t item)
{
    const gs_asked *const asked = &job->questions[item].asked;
    if (job->snippets != NULL)
        gs_search_snippets_begin(job->snippets, asked->text, asked->bytes, job->team);
}

/* --- answers ----------------------------------------------------------------------- */

static gs_code answer_count(search_job *job, size_t item, gs_status *st)
{
    const gs_asked *const asked = &job->questions[item].asked;
    const uint64_t limit = job->args.options.limit;
    gs_status *const mine = &job->items[item].st;
    uint64_t count;
    gs_status_clear(mine);
    if (gs_searcher_count(job->searchers[0], asked->text, asked->bytes, &count, mine) !=
        GS_OK)
        return GS_OK;
    GS_TRY(gs_search_output_begin(&job->output, asked, st));
    return gs_search_output_end(&job->output, asked, count < limit ? count : limit, st);
}

static gs_code answer_boolean(search_job *job, size_t item, gs_status *st)
{
    const gs_asked *const asked = &job->questions[item].asked;
    gs_searcher *const s = job->searchers[0];
    gs_status *const mine = &job->items[item].st;
    uint64_t doc, count = 0;
    gs_status_clear(mine);
    if (gs_searcher_begin(s, asked->text, asked->bytes, mine) != GS_OK)
        return GS_OK;
    begin_snippets(job, item);
    GS_TRY(gs_search_output_begin(&job->output, asked, st));
    while (count < job->args.options.limit) {
        GS_TRY(gs_searcher_next(s, &doc, st));
        if (doc == GS_NO_DOC)
            break;
        count++;
        GS_TRY(gs_search_output_document(&job->output, asked, doc, st));
    }
    return gs_search_output_end(&job->output, asked, count, st);
}

static gs_code make_searcher(void *context, unsigned worker, gs_status *st)
{
    search_job *const job = context;
    return job->searchers[worker] != NULL
               ? GS_OK
               : gs_searcher_new_over(&job->searchers[worker], job->index, job->rules,
                                      &job->args.options, st);
}

/* One query needs no other threads, which take longer to begin than it takes. */
static gs_code rank_batch(search_job *job, gs_status *st)
{
    gs_search_item *const first = &job->items[0];
    if (job->count == 1) {
        gs_status_clear(&first->st);
        GS_NOTED(gs_searcher_rank(job->searchers[0], first->text, first->bytes,
                                  &first->top, &first->st));
        return GS_OK;
    }
    if (job->team == NULL) {
        GS_TRY(gs_team_new(&job->team, job->threads, st));
        GS_TRY(gs_team_run(job->team, make_searcher, job, st));
    }
    return gs_searcher_rank_all(job->searchers, job->team, job->items, job->count, st);
}

static gs_code answer_ranked(search_job *job, size_t item, gs_status *st)
{
    begin_snippets(job, item);
    return gs_search_output_ranked(&job->output, &job->questions[item].asked,
                                   &job->items[item].top, st);
}

static gs_code answer_batch(search_job *job, gs_status *st)
{
    if (!job->args.is_boolean && job->count > 0)
        GS_TRY(rank_batch(job, st));
    for (size_t i = 0; i < job->count; i++) {
        const gs_search_item *const item = &job->items[i];
        if (job->args.is_boolean && job->args.shape == GS_SEARCH_COUNT)
            GS_TRY(answer_count(job, i, st));
        else if (job->args.is_boolean)
            GS_TRY(answer_boolean(job, i, st));
        else if (item->st.code == GS_OK)
            GS_TRY(answer_ranked(job, i, st));
        if (is_of_query(&item->st))
            GS_TRY(refuse(job, i, &item->st, st));
        else if (item->st.code != GS_OK)
            gs_status_keep_first(st, &item->st);
        GS_TRY(st->code);
    }
    return gs_text_out_flush(&job->output.out, st);
}

static gs_code answer_all(search_job *job, gs_status *st)
{
    do {
        GS_TRY(take_questions(job, st));
        GS_TRY(answer_batch(job, st));
    } while (job->count > 0);
    if (job->refused > REFUSED_TOLD_MAX)
        gs_report(0, "%" PRIu64 " queries were refused, the first %d of them told here",
                  job->refused, REFUSED_TOLD_MAX);
    return GS_OK;
}

/* --- one index of several ---------------------------------------------------------- */

static gs_code gather_batch(search_job *job, gs_status *st)
{
    for (size_t i = 0; i < job->count; i++) {
        gs_search_item *const item = &job->items[i];
        gs_status_clear(&item->st);
        GS_NOTED(gs_searcher_gather(job->searchers[0], item->text, item->bytes,
                                    &job->collection, &item->st));
        if (is_of_query(&item->st))
            GS_TRY(refuse(job, i, &item->st, st));
        else
            gs_status_keep_first(st, &item->st);
        GS_TRY(st->code);
    }
    return GS_OK;
}

/* Of all queries at once, each term once. */
static gs_code gather_all(search_job *job, gs_status *st)
{
    job->collection.documents = job->index->documents;
    job->collection.length_sum = job->index->length_sum;
    do {
        GS_TRY(take_questions(job, st));
        GS_TRY(gather_batch(job, st));
        gs_collection_stats_settle(&job->collection);
    } while (job->count > 0);
    return gs_collection_stats_put(&job->collection, &job->output.out, st);
}

/* --- the job ----------------------------------------------------------------------- */

static gs_code read_rules(search_job *job, const gs_index_header *header, gs_status *st)
{
    gs_status why = {.code = GS_OK};
    gs_quoted q;
    if (header->tokenizer == NULL ||
        gs_word_rules_read(&job->rules, header->tokenizer, &why) == GS_OK)
        return GS_OK;
    return GS_FAIL(st, why.code, why.sys, "%s: %s", gs_quote_name(&q, job->args.folder),
                   why.msg);
}

/* A query is answered by one thread, and Boolean ones by one after the other. */
static unsigned count_threads(const gs_search_args *args)
{
    unsigned threads = args->threads != 0 ? args->threads : gs_machine_cores();
    if (args->query_count > 0 && (unsigned)args->query_count < threads)
        threads = (unsigned)args->query_count;
    if (args->is_boolean)
        threads = 1;
    return threads > THREADS_MAX ? THREADS_MAX : threads;
}

static gs_code open_job(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    GS_TRY(gs_inner_open_first(&job->index, args->folder, args->queries,
                               args->query_count, args->verifies, st));
    const gs_index_header *const header = gs_segments_header(job->index);
    if (args->has_b && args->options.b != 0 && !header->has_names) {
        gs_quoted q;
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "the documents of %s have no lengths, so --b can only be 0",
                      gs_quote_name(&q, args->folder));
        return gs_status_hint(st, "leave --b out: an index of tuples knows no lengths");
    }
    if (args->has_snippets)
        GS_TRY(gs_inner_need_texts(job->index, st));
    GS_TRY(read_rules(job, header, st));
    job->threads = count_threads(args);
    GS_TRY(gs_mem_new(&job->searchers, job->threads * sizeof(gs_searcher *), "searchers",
                      st));
    if (args->statistics != NULL) {
        GS_TRY(gs_collection_stats_read(&job->collection, args->statistics, st));
        job->args.options.collection = &job->collection;
    }
    GS_TRY(gs_doc_presence_new(&job->presence, job->index->items[0].index, st));
    job->args.options.presence = job->presence;
    GS_TRY(make_searcher(job, 0, st));
    job->batch = (size_t)job->threads * BATCH_A_THREAD;
    GS_TRY(
        gs_mem_new(&job->questions, job->batch * sizeof *job->questions, "queries", st));
    GS_TRY(gs_mem_new(&job->items, job->batch * sizeof *job->items, "queries", st));
    if (args->query_count == 0)
        GS_TRY(gs_stdin_lines_new(&job->lines, LINE_BYTES_MAX, st));
    if (args->has_snippets)
        GS_TRY(gs_search_snippets_new(&job->snippets, job->index, job->rules,
                                      &args->options, job->threads, st));
    return gs_search_output_open(&job->output, args, job->index, job->snippets, st);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void tell_stats(const search_job *job, uint64_t ns)
{
    gs_search_stats s = {0};
    const double seconds = (double)ns / 1e9;
    for (unsigned i = 0; i < job->threads; i++) {
        if (job->searchers[i] != NULL)
            gs_searcher_stats(job->searchers[i], &s);
    }
    gs_report(0, "%" PRIu64 " queries in %.3f s, %.0f a second", s.queries, seconds,
              seconds > 0 ? (double)s.queries / seconds : 0);
    if (!job->args.is_boolean)
        gs_report(0,
                  "scored %" PRIu64 " of %" PRIu64 " postings (%.2f %%), read %" PRIu64
                  " of %" PRIu64 " blocks (%.2f %%)",
                  s.postings_scored, s.postings, percent(s.postings_scored, s.postings),
                  s.blocks_read, s.blocks, percent(s.blocks_read, s.blocks));
}

static void close_job(search_job *job)
{
    gs_search_output_release(&job->output);
    gs_search_snippets_free(job->snippets);
    for (size_t i = 0; i < job->batch; i++) {
        if (job->items != NULL)
            gs_top_docs_release(&job->items[i].top);
        if (job->questions != NULL)
            gs_mem_free(job->questions[i].line);
    }
    gs_mem_free(job->items);
    gs_mem_free(job->questions);
    gs_stdin_lines_free(job->lines);
    for (unsigned i = 0; job->searchers != NULL && i < job->threads; i++)
        gs_searcher_free(job->searchers[i]);
    gs_mem_free(job->searchers);
    gs_team_free(job->team);
    gs_word_rules_free(job->rules);
    gs_collection_stats_release(&job->collection);
    gs_doc_presence_free(job->presence);
    gs_segments_close(job->index);
}

int cmd_search(int argc, char **argv)
{
    search_job job = {0};
    gs_search_args_parse(&job.args, argc, argv);
    gs_status st = {.code = GS_OK};
    const uint64_t begin_ns = gs_machine_now_ns();
    if (open_job(&job, &st) == GS_OK) {
        GS_NOTED(job.args.gathers ? gather_all(&job, &st) : answer_all(&job, &st));
        /* What was answered before a failure is printed. */
        gs_status late = {.code = GS_OK};
        GS_NOTED(gs_text_out_flush(&job.output.out, &late));
        gs_status_keep_first(&st, &late);
        if (st.code == GS_OK) /* also if there was nothing to print */
            GS_NOTED(gs_segments_check_unchanged(job.index, &st));
    }
    if (st.code == GS_OK && job.args.verbose)
        tell_stats(&job, gs_machine_now_ns() - begin_ns);
    close_job(&job);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(job.refused > 0 ? GS_EXIT_TROUBLE : GS_EXIT_GOOD);
}
