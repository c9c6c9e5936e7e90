/* SPDX-License-Identifier: MIT */
/*
 * gpusort lookup: the posting lists of terms, by the thousand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "cmd/commands.h"
#include "cmd/index_read.h"
#include "cmd/opt_scan.h"
#include "cmd/report.h"
#include "lib/index/index_text.h"

enum { OPT_HELP = 256, OPT_JSON, OPT_DF_ONLY, OPT_PREFIX, OPT_FROM, OPT_TO };

static const char usage_text[] =
    "Usage: gpusort lookup [OPTION]... DIR [TERM]...\n"
    "Prints a line for each TERM, or for each line of standard input if there is none, "
    "in\n"
    "the order asked: term TAB df TAB cf TAB docID:tf docID:tf ... A term that the "
    "index\n"
    "in DIR does not have gets 0 and 0. Terms are taken as they are, byte for byte.\n\n"
    "      --df-only      without the postings\n"
    "      --json         a JSON object a line, postings as [docID, tf]\n"
    "      --prefix       every term that begins with TERM, in order\n"
    "      --from=TERM    every term from this one on\n"
    "      --to=TERM      ... that is less than this one\n"
    "      --help         this text\n";

typedef struct lookup_request {
    const char *folder;
    char **terms;
    int term_count;
    gs_lookup_shape shape;
    bool is_prefix, wants_help;
    const char *from, *to;
} lookup_request;

static void parse(int argc, char **argv, lookup_request *r)
{
    static const gs_opt options[] = {
        {"help", GS_OPT_NONE, OPT_HELP, false},
        {"json", GS_OPT_NONE, OPT_JSON, false},
        {"df-only", GS_OPT_NONE, OPT_DF_ONLY, false},
        {"prefix", GS_OPT_NONE, OPT_PREFIX, false},
        {"from", GS_OPT_REQUIRED, OPT_FROM, false},
        {"to", GS_OPT_REQUIRED, OPT_TO, false},
    };
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = sizeof options / sizeof *options,
                        .letters = "",
                        .index = 1};
    int kept = 0; /* operands, moved to the front of argv */
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;) {
        switch (code) {
        case OPT_HELP: r->wants_help = true; return;
        case OPT_JSON: r->shape = GS_LOOKUP_JSON; break;
        case OPT_DF_ONLY: r->shape = GS_LOOKUP_DF; break;
        case OPT_PREFIX: r->is_prefix = true; break;
        case OPT_FROM: r->from = scan.argument; break;
        case OPT_TO: r->to = scan.argument; break;
        case GS_OPT_OPERAND: argv[kept++] = scan.argument; break;
        default: gs_die_try_help(GS_EXIT_TROUBLE);
        }
    }
    for (int i = scan.index; i < argc; i++)
        argv[kept++] = argv[i];
    if (kept == 0) {
        gs_report(0, "which index?");
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    r->folder = argv[0];
    r->terms = argv + 1;
    r->term_count = kept - 1;
}

/* Every term from where the cursor stands, while it begins with `prefix` and is less than
 * `to` (NULL: no such bound). */
static gs_code print_range(const lookup_request *r, gs_term_cursor *cursor,
                           const char *prefix, gs_text_out *out, gs_status *st)
{
    const size_t prefix_bytes = strlen(prefix);
    const size_t to_bytes = r->to ? strlen(r->to) : 0;
    while (cursor->has_term) {
        if (cursor->bytes < prefix_bytes ||
            memcmp(cursor->term, prefix, prefix_bytes) != 0)
            break;
        const size_t common = cursor->bytes < to_bytes ? cursor->bytes : to_bytes;
        const int order = r->to ? memcmp(cursor->term, r->to, common) : -1;
        if (order > 0 || (order == 0 && cursor->bytes >= to_bytes))
            break;
        GS_TRY(gs_index_lookup_here(cursor, r->shape, out, st));
        GS_TRY(gs_term_cursor_next(cursor, st));
    }
    return GS_OK;
}

static gs_code answer(const lookup_request *r, gs_term_cursor *cursor, const char *term,
                      size_t bytes, gs_text_out *out, gs_status *st)
{
    if (!r->is_prefix)
        return gs_index_lookup(cursor, term, bytes, r->shape, out, st);
    GS_TRY(gs_term_cursor_seek(cursor, term, bytes, st));
    return print_range(r, cursor, term, out, st);
}

static gs_code answer_input(const lookup_request *r, gs_term_cursor *cursor,
                            gs_text_out *out, gs_status *st)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t n;
    while (st->code == GS_OK && (n = getline(&line, &capacity, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[--n] = '\0';
        GS_NOTED(answer(r, cursor, line, (size_t)n, out, st));
    }
    free(line); /* getline's */
    return st->code;
}

static gs_code answer_all(const lookup_request *r, gs_term_cursor *cursor,
                          gs_text_out *out, gs_status *st)
{
    if (r->from != NULL || r->to != NULL) {
        const char *const from = r->from ? r->from : "";
        GS_TRY(gs_term_cursor_seek(cursor, from, strlen(from), st));
        GS_TRY(print_range(r, cursor, "", out, st));
    } else if (r->term_count == 0) {
        GS_TRY(answer_input(r, cursor, out, st));
    }
    for (int i = 0; i < r->term_count; i++)
        GS_TRY(answer(r, cursor, r->terms[i], strlen(r->terms[i]), out, st));
    return gs_text_out_flush(out, st);
}

int cmd_lookup(int argc, char **argv)
{
    lookup_request r = {0};
    parse(argc, argv, &r);
    if (r.wants_help) {
        (void)fputs(usage_text, stdout);
        return gs_stdout_close(GS_EXIT_GOOD);
    }
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_cursor *cursor = NULL;
    gs_text_out out = {0};
    if (gs_index_open(&index, r.folder, &st) == GS_OK &&
        gs_term_cursor_new(&cursor, index, &st) == GS_OK &&
        gs_text_out_open(&out, gs_index_print, NULL, &st) == GS_OK)
        GS_NOTED(answer_all(&r, cursor, &out, &st));
    gs_text_out_release(&out);
    gs_term_cursor_free(cursor);
    gs_index_close(index);
    if (st.code != GS_OK) {
        gs_report_status(&st, true);
        return GS_EXIT_TROUBLE;
    }
    return gs_stdout_close(GS_EXIT_GOOD);
}
