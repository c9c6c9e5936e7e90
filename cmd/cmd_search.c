/* SPDX-License-Identifier: MIT */
/*
 * gpusort search: ranked and Boolean queries to an index.
 *
 * Queries come one by one, so that an answer is there before the next is asked; with
 * --parallel in batches, so that threads share them, and are answered in their order.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/search_args.h"
#include "cmd/search_output.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    THREADS_MAX = 256,
    BATCH_A_THREAD = 32,    /* queries */
    BATCH_BYTES = 16 << 20, /* of their text, about */
    QID_BYTES = 24,
};

/* A query and its answer. */
typedef struct question {
    gs_asked asked;
    char *line; /* getline's */
    size_t line_capacity;
    char number[QID_BYTES]; /* what it is called, unless it has a name */
} question;

typedef struct search_job {
    gs_search_args args;
    gs_index *index;
    gs_word_rules *rules;
    gs_searcher **searchers; /* one a worker */
    gs_team *team;
    question *questions; /* a batch */
    gs_search_item *items;
    size_t batch, count; /* room for, and there are */
    uint64_t asked;      /* so far */
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
    const char *const tab = may_have_name ? memchr(text, '\t', bytes) : NULL;
    if (tab != NULL) {
        q->asked.qid = text;
        q->asked.qid_bytes = (size_t)(tab - text);
        q->asked.text = tab + 1;
        q->asked.bytes = bytes - q->asked.qid_bytes - 1;
    }
    item->text = q->asked.text;
    item->bytes = q->asked.bytes;
}

/* The next batch; none if standard input is at its end. */
static gs_code read_batch(search_job *job, gs_status *st)
{
    size_t bytes = 0;
    job->count = 0;
    while (job->count < job->batch && bytes < BATCH_BYTES) {
        question *const q = &job->questions[job->count];
        ssize_t n = getline(&q->line, &q->line_capacity, stdin);
        if (n < 0)
            break;
        bytes += (size_t)n;
        n -= q->line[n - 1] == '\n';
        ask(job, q->line, (size_t)n, true);
    }
    if (ferror(stdin))
        return GS_FAIL(st, GS_ERR_IO, errno, "read failed: 'standard input'");
    return GS_OK;
}

/* Says which query it was. */
static gs_code blame(const search_job *job, size_t item, const gs_status *why,
                     gs_status *st)
{
    const uint64_t number = job->asked - job->count + item + 1;
    if (why->code != GS_ERR_ARG) {
        gs_status_keep_first(st, why);
        return st->code;
    }
    (void)GS_FAIL(st, why->code, why->sys, "%s %" PRIu64 ", %s",
                  job->args.query_count > 0 ? "query" : "standard input, line", number,
                  why->msg);
    return why->hint != NULL ? gs_status_hint(st, why->hint) : st->code;
}

/* --- answers ----------------------------------------------------------------------- */

static gs_code answer_boolean(search_job *job, size_t item, gs_status *st)
{
    const gs_asked *const asked = &job->questions[item].asked;
    gs_searcher *const s = job->searchers[0];
    gs_status *const mine = &job->items[item].st;
    uint64_t doc, count = 0;
    gs_status_clear(mine);
    if (gs_searcher_begin(s, asked->text, asked->bytes, mine) != GS_OK)
        return blame(job, item, mine, st);
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

static gs_code answer_batch(search_job *job, gs_status *st)
{
    if (!job->args.is_boolean)
        GS_TRY(
            gs_searcher_rank_all(job->searchers, job->team, job->items, job->count, st));
    for (size_t i = 0; i < job->count; i++) {
        const gs_search_item *const item = &job->items[i];
        if (job->args.is_boolean) {
            GS_TRY(answer_boolean(job, i, st));
            continue;
        }
        if (item->st.code != GS_OK)
            return blame(job, i, &item->st, st);
        GS_TRY(gs_search_output_ranked(&job->output, &job->questions[i].asked, &item->top,
                                       st));
    }
    return GS_OK;
}

static gs_code answer_all(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    for (int i = 0; i < args->query_count; i++) {
        job->count = 0;
        ask(job, args->queries[i], strlen(args->queries[i]), false);
        GS_TRY(answer_batch(job, st));
    }
    for (bool has_more = args->query_count == 0; has_more;) {
        GS_TRY(read_batch(job, st));
        has_more = job->count > 0;
        GS_NOTED(answer_batch(job, st));
        GS_TRY(gs_text_out_flush(&job->output.out, st));
    }
    return st->code;
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

static gs_code open_job(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    void *memory = NULL;
    GS_TRY(gs_index_open(&job->index, args->folder, st));
    const gs_index_header *const header = gs_index_header_of(job->index);
    if (args->has_b && args->options.b != 0 && !header->has_names) {
        gs_quoted q;
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "the documents of %s have no lengths, so --b can only be 0",
                      gs_quote_name(&q, args->folder));
        return gs_status_hint(st, "leave --b out: an index of tuples knows no lengths");
    }
    GS_TRY(read_rules(job, header, st));
    unsigned threads = args->query_count > 0 || args->is_boolean ? 1 : args->threads;
    threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    GS_TRY(gs_team_new(&job->team, threads, st));
    GS_TRY(gs_mem_new(&memory, threads * sizeof(gs_searcher *), "searchers", st));
    job->searchers = memory;
    for (unsigned i = 0; i < threads; i++)
        GS_TRY(gs_searcher_new(&job->searchers[i], job->index, job->rules, &args->options,
                               st));
    job->batch = threads > 1 ? threads * BATCH_A_THREAD : 1;
    GS_TRY(gs_mem_new(&memory, job->batch * sizeof *job->questions, "queries", st));
    job->questions = memory;
    GS_TRY(gs_mem_new(&memory, job->batch * sizeof *job->items, "queries", st));
    job->items = memory;
    return gs_search_output_open(&job->output, args, job->index, st);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void tell_stats(const search_job *job, uint64_t ns)
{
    gs_search_stats s = {0};
    const double seconds = (double)ns / 1e9;
    for (unsigned i = 0; i < gs_team_workers(job->team); i++)
        gs_searcher_stats(job->searchers[i], &s);
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
    for (size_t i = 0; i < job->batch; i++) {
        if (job->items != NULL)
            gs_top_docs_release(&job->items[i].top);
        if (job->questions != NULL)
            free(job->questions[i].line); /* getline's */
    }
    gs_mem_free(job->items);
    gs_mem_free(job->questions);
    for (unsigned i = 0; job->searchers != NULL && i < gs_team_workers(job->team); i++)
        gs_searcher_free(job->searchers[i]);
    gs_mem_free(job->searchers);
    gs_team_free(job->team);
    gs_word_rules_free(job->rules);
    gs_index_close(job->index);
}

int cmd_search(int argc, char **argv)
{
    search_job job = {0};
    gs_search_args_parse(&job.args, argc, argv);
    gs_status st = {.code = GS_OK};
    const uint64_t begin_ns = gs_machine_now_ns();
    if (open_job(&job, &st) == GS_OK) {
        GS_NOTED(answer_all(&job, &st));
        /* What was answered before a failure is printed. */
        gs_status late = {.code = GS_OK};
        GS_NOTED(gs_text_out_flush(&job.output.out, &late));
        gs_status_keep_first(&st, &late);
    }
    if (st.code == GS_OK && job.args.verbose)
        tell_stats(&job, gs_machine_now_ns() - begin_ns);
    close_job(&job);
    if (st.code != GS_OK) {
        gs_report_status(&st, true);
        return GS_EXIT_TROUBLE;
    }
    return gs_stdout_close(GS_EXIT_GOOD);
}
