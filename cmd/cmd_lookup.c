/* SPDX-License-Identifier: MIT */
/*
 * gpusort lookup: the posting lists of terms, by the thousand.
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
#include "lib/base/quote.h"
#include "lib/gpusort.h"

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
    int term_count; /* 0: of standard input */
    gpusort_lookup_options options;
    bool as_json, df_only, is_prefix, is_verbose, verifies;
    gs_stdin_lines *lines;
    bool has_line; /* it was given to the library */
    int next;      /* of the arguments */
    gs_status st;  /* what failed while the library called */
} lookup_request;

static void parse(int argc, char **argv, lookup_request *r)
{
    gpusort_lookup_options *const o = &r->options;
    int kept = 0;
    const gs_opt options[] = {
        {0, "json", GS_OPT_FLAG(&r->as_json)},
        {0, "df-only", GS_OPT_FLAG(&r->df_only)},
        {0, "prefix", GS_OPT_FLAG(&r->is_prefix)},
        {0, "from", GS_OPT_TEXT(&o->from_term)},
        {0, "to", GS_OPT_TEXT(&o->to_term)},
        {0, "engine", GS_OPT_TEXT(&o->job.engine)},
        {0, "parallel", GS_OPT_THREADS(&o->job.threads)},
        {0, "verify", GS_OPT_FLAG(&r->verifies)},
        {'v', "verbose", GS_OPT_FLAG(&r->is_verbose)},
        {0, NULL, GS_OPT_OPERANDS_IN_FRONT(&kept)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (kept == 0)
        gs_die_usage("which index?");
    o->as_json = r->as_json;
    o->counts_only = r->df_only;
    o->is_prefix = r->is_prefix;
    const char *const bound = o->from_term != NULL ? "--from" : "--to";
    const bool is_range = o->from_term != NULL || o->to_term != NULL;
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

/* --- what the library calls --------------------------------------------------------- */

static int next_line(lookup_request *r, bool may_wait, const void **term, size_t *bytes)
{
    const char *line;
    if (r->has_line)
        gs_stdin_lines_drop(r->lines);
    r->has_line = false;
    if (gs_stdin_lines_peek(r->lines, may_wait, &line, bytes, &r->st) != GS_OK)
        return -1;
    *term = line;
    r->has_line = line != NULL;
    return r->has_line;
}

static int next_term(void *context, int may_wait, const void **term, size_t *bytes)
{
    lookup_request *const r = context;
    if (r->lines != NULL)
        return next_line(r, may_wait != 0, term, bytes);
    if (r->next == r->term_count)
        return 0;
    *term = r->terms[r->next++];
    *bytes = strlen(*term);
    return 1;
}

static int print(void *context, const void *text, size_t bytes)
{
    lookup_request *const r = context;
    return gs_stdout_write(text, bytes, &r->st) == GS_OK ? 0 : -1;
}

static void say(void *context, gpusort_level level, const char *text)
{
    const lookup_request *const r = context;
    if (r->is_verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

/* --- the command -------------------------------------------------------------------- */

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

static gs_code look_up(lookup_request *r, const gpusort_index *index, gs_status *st)
{
    gpusort_lookup_options *const o = &r->options;
    gpusort_error error = GPUSORT_NO_ERROR;
    o->write = print;
    o->job.log = say;
    o->job.context = r;
    if (o->from_term == NULL && o->to_term == NULL) {
        o->next = next_term;
        o->expected_terms = expect(r);
        if (r->term_count == 0)
            GS_TRY(gs_stdin_lines_new(&r->lines, GPUSORT_TERM_BYTES_MAX, st));
    }
    const gpusort_code code = gpusort_index_lookups(index, o, &error);
    gs_stdin_lines_free(r->lines);
    return gs_index_called(code, &error, &r->st, st);
}

int cmd_lookup(int argc, char **argv)
{
    lookup_request r = {.options = GPUSORT_LOOKUP_OPTIONS};
    r.options.job.engine = "auto";
    parse(argc, argv, &r);
    gs_engine_arg_check_search(r.options.job.engine);
    gs_status st = {.code = GS_OK};
    gpusort_index *index = NULL;
    if (gs_index_open_first(&index, r.folder, r.terms, r.term_count, r.verifies, &st) ==
        GS_OK)
        GS_NOTED(look_up(&r, index, &st));
    gpusort_index_close(index);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(GS_EXIT_GOOD);
}
