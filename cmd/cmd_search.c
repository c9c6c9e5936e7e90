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
#include "cmd/index_read.h"
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

/* A query, and what it is called. */
typedef struct question {
    gs_asked asked;
    char *line; /* of standard input */
    size_t line_capacity;
    char number[QID_BYTES]; /* what it is called, unless it has a name */
} question;

typedef struct search_job {
    gs_search_args args;
    gpusort_index *index;
    gpusort_searcher *searcher;
    question *questions; /* a batch */
    gpusort_question *answers;
    size_t batch, count;   /* room for, and there are */
    gs_stdin_lines *lines; /* NULL: from the arguments */
    uint64_t asked;        /* so far */
    uint64_t refused;      /* of those */
    gs_search_output output;
    gpusort_error error;
} search_job;

/* --- questions --------------------------------------------------------------------- */

static void ask(search_job *job, const char *text, size_t bytes, bool may_have_name)
{
    question *const q = &job->questions[job->count];
    gpusort_question *const answer = &job->answers[job->count++];
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
    *answer = (gpusort_question){.query = q->asked.text, .bytes = q->asked.bytes};
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

static bool is_of_query(gpusort_code code)
{
    return code == GPUSORT_ARG || code == GPUSORT_LIMIT;
}

/* Says which query it was, behind the answers of those before. */
static gs_code refuse(search_job *job, size_t number, const char *why, const char *hint,
                      gs_status *st)
{
    GS_TRY(
        gs_search_output_refused(&job->output, &job->questions[number].asked, why, st));
    if (++job->refused > REFUSED_TOLD_MAX)
        return GS_OK;
    GS_TRY(gs_text_out_flush(&job->output.out, st));
    gs_report(0, "%s %" PRIu64 ", %s",
              job->lines != NULL ? "standard input, line" : "query",
              job->asked - job->count + number + 1, why);
    if (hint != NULL)
        gs_report(0, "%s", hint);
    return GS_OK;
}

/* What the library says of a query: those that make no sense are told. */
static gs_code judge(search_job *job, size_t number, gpusort_code code, gs_status *st)
{
    gpusort_error *const error = &job->error;
    if (code == GPUSORT_OK)
        return GS_OK;
    if (!is_of_query(code))
        return gs_status_of_error(st, error);
    GS_NOTED(refuse(job, number, error->message, error->hint, st));
    error->code = GPUSORT_OK;
    return st->code;
}

/* --- answers ----------------------------------------------------------------------- */

static gs_code answer_count(search_job *job, size_t number, gs_status *st)
{
    const gs_asked *const asked = &job->questions[number].asked;
    uint64_t count;
    const gpusort_code code = gpusort_search_count(job->searcher, asked->text,
                                                   asked->bytes, &count, &job->error);
    if (code != GPUSORT_OK)
        return judge(job, number, code, st);
    GS_TRY(gs_search_output_begin(&job->output, asked, st));
    return gs_search_output_end(&job->output, asked,
                                count < job->args.limit ? count : job->args.limit, st);
}

static gs_code answer_boolean(search_job *job, size_t number, gs_status *st)
{
    const gs_asked *const asked = &job->questions[number].asked;
    gs_search_output *const output = &job->output;
    uint64_t found = 0;
    const gpusort_code code =
        gpusort_search_begin(job->searcher, asked->text, asked->bytes, &job->error);
    if (code != GPUSORT_OK)
        return judge(job, number, code, st);
    GS_TRY(gs_search_output_begin(output, asked, st));
    for (size_t count = 1; count > 0 && found < job->args.limit; found += count) {
        const uint64_t left = job->args.limit - found;
        const gpusort_code next = gpusort_search_next(
            job->searcher, output->documents,
            left < GS_SEARCH_PAGE ? (size_t)left : GS_SEARCH_PAGE, &count, &job->error);
        GS_TRY(gs_search_output_page(output, asked, count, st));
        if (next != GPUSORT_OK)
            return gs_status_of_error(st, &job->error);
    }
    return gs_search_output_end(output, asked, found, st);
}

static gs_code answer_ranked(search_job *job, size_t number, gs_status *st)
{
    const gpusort_question *const answer = &job->answers[number];
    if (answer->code == GPUSORT_OK)
        return gs_search_output_ranked(&job->output, &job->questions[number].asked,
                                       answer, st);
    if (is_of_query(answer->code))
        return refuse(job, number, answer->message, answer->hint, st);
    (void)GS_FAIL(st, (gs_code)answer->code, 0, "%s", answer->message);
    return answer->hint != NULL ? gs_status_hint(st, answer->hint) : st->code;
}

static gs_code answer_batch(search_job *job, gs_status *st)
{
    if (!job->args.is_boolean && job->count > 0 &&
        gpusort_search_many(job->searcher, job->answers, job->count, job->args.limit,
                            &job->error) != GPUSORT_OK)
        return gs_status_of_error(st, &job->error);
    for (size_t i = 0; i < job->count; i++) {
        if (!job->args.is_boolean)
            GS_TRY(answer_ranked(job, i, st));
        else
            GS_TRY(job->args.shape == GS_SEARCH_COUNT ? answer_count(job, i, st)
                                                      : answer_boolean(job, i, st));
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

/* The context is the status of what failed here. */
static int print(void *context, const void *text, size_t bytes)
{
    return gs_stdout_write(text, bytes, context) == GS_OK ? 0 : -1;
}

/* Of all queries at once, each term once. */
static gs_code gather_all(search_job *job, gs_status *st)
{
    do {
        GS_TRY(take_questions(job, st));
        for (size_t i = 0; i < job->count; i++) {
            const gs_asked *const asked = &job->questions[i].asked;
            GS_TRY(judge(job, i,
                         gpusort_search_gather(job->searcher, asked->text, asked->bytes,
                                               &job->error),
                         st));
        }
    } while (job->count > 0);
    gs_status ours = {.code = GS_OK};
    const gpusort_code code =
        gpusort_search_gathered(job->searcher, print, &ours, &job->error);
    return gs_index_called(code, &job->error, &ours, st);
}

/* --- the job ----------------------------------------------------------------------- */

/* A query is answered by one thread, and Boolean ones by one after the other. */
static unsigned count_threads(const gs_search_args *args)
{
    unsigned threads =
        args->options.threads != 0 ? args->options.threads : gs_machine_cores();
    if (args->query_count > 0 && (unsigned)args->query_count < threads)
        threads = (unsigned)args->query_count;
    if (args->is_boolean)
        threads = 1;
    return threads > THREADS_MAX ? THREADS_MAX : threads;
}

static gs_code open_searcher(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    gpusort_index_info info = {.size = sizeof info};
    GS_TRY(gs_index_open_first(&job->index, args->folder, args->queries,
                               args->query_count, args->verifies, st));
    gpusort_index_describe(job->index, &info);
    if (args->has_b && args->options.b != 0 && !info.has_names) {
        gs_quoted q;
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "the documents of %s have no lengths, so --b can only be 0",
                      gs_quote_name(&q, args->folder));
        return gs_status_hint(st, "leave --b out: an index of tuples knows no lengths");
    }
    if (gpusort_searcher_new(&job->searcher, job->index, &args->options, &job->error) !=
            GPUSORT_OK ||
        (args->has_snippets && gpusort_search_snippets(job->searcher, "", 0, NULL, 0,
                                                       NULL, &job->error) != GPUSORT_OK))
        return gs_status_of_error(st, &job->error);
    return GS_OK;
}

static gs_code open_job(search_job *job, gs_status *st)
{
    const gs_search_args *const args = &job->args;
    job->args.options.threads = count_threads(args);
    GS_TRY(open_searcher(job, st));
    job->batch = (size_t)args->options.threads * BATCH_A_THREAD;
    GS_TRY(gs_mem_new_array(&job->questions, job->batch, sizeof *job->questions,
                            "queries", st));
    GS_TRY(
        gs_mem_new_array(&job->answers, job->batch, sizeof *job->answers, "queries", st));
    if (args->query_count == 0)
        GS_TRY(gs_stdin_lines_new(&job->lines, LINE_BYTES_MAX, st));
    return gs_search_output_open(&job->output, args, job->index, job->searcher, st);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void tell_stats(const search_job *job, uint64_t ns)
{
    gpusort_search_figures s = {.size = sizeof s};
    const double seconds = (double)ns / 1e9;
    gpusort_searcher_figures(job->searcher, &s);
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
    for (size_t i = 0; job->questions != NULL && i < job->batch; i++)
        gs_mem_free(job->questions[i].line);
    gs_mem_free(job->questions);
    gs_mem_free(job->answers);
    gs_stdin_lines_free(job->lines);
    gpusort_searcher_free(job->searcher);
    gpusort_index_close(job->index);
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
        if (st.code == GS_OK && /* also if there was nothing to print */
            gpusort_index_unchanged(job.index, &job.error) != GPUSORT_OK)
            (void)gs_status_of_error(&st, &job.error);
    }
    if (st.code == GS_OK && job.args.verbose)
        tell_stats(&job, gs_machine_now_ns() - begin_ns);
    close_job(&job);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(job.refused > 0 ? GS_EXIT_TROUBLE : GS_EXIT_GOOD);
}
