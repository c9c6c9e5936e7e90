/* SPDX-License-Identifier: MIT */
/*
 * gpusort lookup: the posting lists of terms, by the thousand.
 *
 * Terms are collected into batches, which all cores answer
 * (lib/index/lookup/batch_answer.h).
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/engine_arg.h"
#include "cmd/index_read.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "cmd/stdin_lines.h"
#include "lib/base/machine.h"
#include "lib/base/quote.h"
#include "lib/index/lookup/lookups.h"

static const char usage_text[] =
    "Usage: gpusort lookup [OPTION]... DIR [TERM]...\n"
    "Prints a line for each TERM, or for each line of standard input if there is none "
    "or\n"
    "it is -, in the order asked: term TAB df TAB cf TAB docID:tf docID:tf ... A term "
    "that\n"
    "the index in DIR does not have gets 0 and 0. Terms are taken as they are, byte for\n"
    "byte.\n\n"
    "      --df-only      without the postings\n"
    "      --json         a JSON object a line, postings as [docID, tf]\n"
    "      --prefix       every term that begins with TERM, in order\n"
    "      --from=TERM    every term from this one on\n"
    "      --to=TERM      ... that is less than this one; with neither of both a TERM\n"
    "      --engine=NAME  what searches: auto (default), cpu, gpu\n"
    "      --verify       compare all checksums first, not those of what is read\n"
    "      --parallel=N   threads (default: one a core)\n"
    "  -v, --verbose      say what was chosen and why\n"
    "  -h, --help         this text\n"
    "      --version      show the version and stop\n";

typedef struct lookup_request {
    const char *folder;
    char **terms;
    int term_count;
    gs_lookup_shape shape;
    bool is_prefix, is_verbose, verifies;
    const char *from, *to, *engine;
    unsigned threads;
} lookup_request;

static void parse(int argc, char **argv, lookup_request *r)
{
    bool as_json = false, df_only = false;
    int kept = 0;
    const gs_opt options[] = {
        {0, "json", GS_OPT_FLAG(&as_json)},
        {0, "df-only", GS_OPT_FLAG(&df_only)},
        {0, "prefix", GS_OPT_FLAG(&r->is_prefix)},
        {0, "from", GS_OPT_TEXT(&r->from)},
        {0, "to", GS_OPT_TEXT(&r->to)},
        {0, "engine", GS_OPT_TEXT(&r->engine)},
        {0, "parallel", GS_OPT_THREADS(&r->threads)},
        {0, "verify", GS_OPT_FLAG(&r->verifies)},
        {'v', "verbose", GS_OPT_FLAG(&r->is_verbose)},
        {0, NULL, GS_OPT_OPERANDS_IN_FRONT(&kept)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (kept == 0)
        gs_die_usage("which index?");
    if (as_json)
        r->shape = df_only ? GS_LOOKUP_JSON_DF : GS_LOOKUP_JSON;
    else if (df_only)
        r->shape = GS_LOOKUP_DF;
    const char *const bound = r->from != NULL ? "--from" : "--to";
    const bool is_range = r->from != NULL || r->to != NULL;
    if (is_range && r->is_prefix)
        gs_die_incompatible("--prefix", bound, NULL);
    if (is_range && kept > 1) {
        gs_quoted q;
        gs_die_usage("extra operand %s: with %s there are no others",
                     gs_quote_argument(&q, argv[1]), bound);
    }
    r->folder = argv[0];
    r->terms = argv + 1;
    r->term_count = gs_means_stdin(r->terms, kept - 1) ? 0 : kept - 1;
}

/* Does the term begin with `prefix`, and is it less than `to` (NULL: no such bound)? */
static bool is_in_range(const lookup_request *r, const uint8_t *term, size_t bytes,
                        const void *prefix, size_t prefix_bytes)
{
    const size_t to_bytes = r->to ? strlen(r->to) : 0;
    if (bytes < prefix_bytes || memcmp(term, prefix, prefix_bytes) != 0)
        return false;
    const int order =
        r->to ? memcmp(term, r->to, bytes < to_bytes ? bytes : to_bytes) : -1;
    return order < 0 || (order == 0 && bytes < to_bytes);
}

/* Every such term from where the cursor stands. */
static gs_code print_range(const lookup_request *r, gs_term_cursor *cursor,
                           const void *prefix, size_t prefix_bytes, gs_text_out *out,
                           gs_status *st)
{
    while (cursor->has_term &&
           is_in_range(r, cursor->term, cursor->bytes, prefix, prefix_bytes)) {
        GS_TRY(gs_index_lookup_here(cursor, r->shape, out, st));
        GS_TRY(gs_term_cursor_next(cursor, st));
    }
    return GS_OK;
}

/* The same of several segments. */
static gs_code print_range_over(const lookup_request *r, gs_segment_terms *terms,
                                const void *prefix, size_t prefix_bytes, gs_text_out *out,
                                gs_status *st)
{
    while (terms->has_term &&
           is_in_range(r, terms->term, terms->bytes, prefix, prefix_bytes)) {
        GS_TRY(gs_segments_lookup_here(terms, r->shape, out, st));
        GS_TRY(gs_segment_terms_next(terms, st));
    }
    return GS_OK;
}

static gs_code print_from_to(const lookup_request *r, gs_segments *index, gs_status *st)
{
    gs_segment_terms *terms = NULL;
    gs_text_out out = {0};
    const char *const from = r->from ? r->from : "";
    if (gs_segment_terms_new(&terms, index, st) == GS_OK &&
        gs_text_out_open(&out, gs_index_print, index, st) == GS_OK &&
        gs_segment_terms_seek(terms, from, strlen(from), st) == GS_OK &&
        (index->is_plain ? print_range(r, terms->cursors[0], "", 0, &out, st)
                         : print_range_over(r, terms, "", 0, &out, st)) == GS_OK)
        GS_NOTED(gs_text_out_flush(&out, st));
    gs_text_out_release(&out);
    gs_segment_terms_free(terms);
    return st->code;
}

static gs_code answer(const void *context, gs_term_cursor *cursor, const void *term,
                      size_t bytes, gs_text_out *out, gs_status *st)
{
    const lookup_request *const r = context;
    if (r->is_prefix)
        return print_range(r, cursor, term, bytes, out, st);
    return gs_index_lookup_sought(cursor, term, bytes, r->shape, out, st);
}

static gs_code answer_over(const void *context, gs_segment_terms *terms, const void *term,
                           size_t bytes, gs_text_out *out, gs_status *st)
{
    const lookup_request *const r = context;
    if (r->is_prefix)
        return print_range_over(r, terms, term, bytes, out, st);
    return gs_segments_lookup_sought(terms, term, bytes, r->shape, out, st);
}

/* Where terms come from. */
typedef struct term_feed {
    const lookup_request *request;
    gs_stdin_lines *lines; /* NULL: from the arguments */
    int next;              /* of them */
} term_feed;

static gs_code fill(void *context, gs_term_batch *batch, bool may_wait, gs_status *st)
{
    term_feed *const f = context;
    const lookup_request *const r = f->request;
    while (f->lines != NULL) {
        const char *line;
        size_t bytes;
        const bool is_first = gs_term_batch_count(batch) == 0;
        GS_TRY(gs_stdin_lines_peek(f->lines, may_wait && is_first, &line, &bytes, st));
        if (line == NULL || !gs_term_batch_add(batch, line, bytes))
            return GS_OK;
        gs_stdin_lines_drop(f->lines);
    }
    while (f->next < r->term_count &&
           gs_term_batch_add(batch, r->terms[f->next], strlen(r->terms[f->next])))
        f->next++;
    return GS_OK;
}

/* How many terms there will be, as far as can be told: those of a file have about twelve
 * bytes with their ends. */
static uint64_t expect(const lookup_request *r)
{
    struct stat info;
    if (r->term_count > 0)
        return (uint64_t)r->term_count;
    if (fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode))
        return 0;
    return (uint64_t)info.st_size / 12;
}

static void say(void *context, gs_log_level level, const char *text)
{
    const lookup_request *const r = context;
    if (r->is_verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static gs_code answer_terms(lookup_request *r, gs_segments *index, gs_status *st)
{
    const gs_log log = {.fn = say, .context = r};
    term_feed feed = {.request = r};
    const gs_batch_answer_options options = {
        .index = index->items[0].index,
        .segments = index->is_plain ? NULL : index,
        .workers = r->threads != 0 ? r->threads : gs_machine_cores(),
        .engine = r->engine,
        .expected_queries = expect(r),
        .fill = fill,
        .fill_context = &feed,
        .answer = answer,
        .answer_over = answer_over,
        .answer_context = r,
        .write = gs_index_print,
        .write_context = index,
        .log = &log,
    };
    if (r->term_count == 0)
        GS_TRY(gs_stdin_lines_new(&feed.lines, GS_TERM_BATCH_BYTES, st));
    GS_NOTED(gs_batch_answer_all(&options, st));
    gs_stdin_lines_free(feed.lines);
    return st->code;
}

int cmd_lookup(int argc, char **argv)
{
    lookup_request r = {.engine = "auto"};
    parse(argc, argv, &r);
    gs_engine_arg_check_search(r.engine);
    gs_status st = {.code = GS_OK};
    gs_segments *index = NULL;
    if (gs_index_open_first(&index, r.folder, r.terms, r.term_count, r.verifies, &st) ==
        GS_OK) {
        if (r.from != NULL || r.to != NULL)
            GS_NOTED(print_from_to(&r, index, &st));
        else
            GS_NOTED(answer_terms(&r, index, &st));
        if (st.code == GS_OK) /* also if there was nothing to print */
            GS_NOTED(gs_segments_check_unchanged(index, &st));
    }
    gs_segments_close(index);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(GS_EXIT_GOOD);
}
