/* SPDX-License-Identifier: MIT */
#include "cmd/search_args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt_scan.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/stdin_lines.h"
#include "lib/base/quote.h"

enum {
    OPT_K1 = 256,
    OPT_B,
    OPT_ALL,
    OPT_PLAIN,
    OPT_BOOLEAN,
    OPT_COUNT,
    OPT_JSON,
    OPT_TREC,
    OPT_PARALLEL,
    OPT_EXHAUSTIVE,
    OPT_VERIFY,
};

enum { LIMIT_DEFAULT = 10 };

static const gs_opt options[] = {
    {"top", GS_OPT_REQUIRED, 'k', false},
    {"k1", GS_OPT_REQUIRED, OPT_K1, false},
    {"b", GS_OPT_REQUIRED, OPT_B, false},
    {"all", GS_OPT_NONE, OPT_ALL, false},
    {"plain", GS_OPT_NONE, OPT_PLAIN, false},
    {"boolean", GS_OPT_NONE, OPT_BOOLEAN, false},
    {"count", GS_OPT_NONE, OPT_COUNT, false},
    {"json", GS_OPT_NONE, OPT_JSON, false},
    {"trec", GS_OPT_REQUIRED, OPT_TREC, false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
    {"exhaustive", GS_OPT_NONE, OPT_EXHAUSTIVE, false},
    {"verify", GS_OPT_NONE, OPT_VERIFY, false},
    {"verbose", GS_OPT_NONE, 'v', false},
};

static const char usage_text[] =
    "Usage: gpusort search [OPTION]... DIR [QUERY]...\n"
    "Prints the best documents of each QUERY, or of each line of standard input if "
    "there\n"
    "is none or it is -: rank TAB name TAB score. Words become terms as they did in the\n"
    "index DIR.\n"
    "\n"
    "Queries:\n"
    "  cat dog              documents with one of them, better with both\n"
    "  +cat dog -bird       cat must be there, bird must not\n"
    "  cat AND (dog OR NOT bird)\n"
    "  \"cats and dogs\"      in a row; needs an index with positions\n"
    "  cat*                 every word that begins so\n"
    "What other programs know beyond that, as title:cat and cat^2, is refused; behind a\n"
    "backslash it is text. A line of standard input may begin with a name for the query\n"
    "and a TAB.\n"
    "\n"
    "Which documents:\n"
    "  -k, --top=N          the N best (10); with --boolean the first N (all)\n"
    "      --all            words side by side must all be there\n"
    "      --plain          queries are nothing but words: no operators\n"
    "      --boolean        all that match, in the order of the index, without scores\n"
    "      --k1=X, --b=X    parameters of BM25 (1.2 and 0.75)\n"
    "\n"
    "What is printed:\n"
    "      --count          only how many documents match\n"
    "      --json           a JSON object a query\n"
    "      --trec=TAG       lines of a TREC run: query Q0 name rank score TAG\n"
    "\n"
    "      --parallel=N     threads for several queries (default: one a core)\n"
    "      --exhaustive     score every match instead of skipping: the same answers\n"
    "      --verify         compare all checksums first, not those of what is read\n"
    "  -v, --verbose        tell how much was read and scored\n"
    "  -h, --help           this text\n"
    "      --version        show the version and stop\n";

/* A count that may be larger than anything there is. */
static size_t parse_limit(const gs_opt_scan *scan)
{
    uint64_t limit = 0;
    const char *rest = NULL;
    const int fault = gs_number_parse(scan->argument, "KMGT", &limit, &rest);
    if (fault & ~GS_NUMBER_TOO_LARGE)
        gs_number_die(scan, 'k', fault);
    if (limit == 0)
        gs_die(0, "the number of documents must be at least 1");
    return limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
}

static double parse_real(const gs_opt_scan *scan, double most)
{
    char *end = NULL;
    const double x = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !isfinite(x))
        gs_number_die(scan, 0, GS_NUMBER_INVALID);
    if (x < 0 || x > most)
        gs_die(0, "invalid --%s argument '%s': it is from 0 to %g", scan->current->name,
               scan->argument, most);
    return x;
}

static void parse_shape(gs_search_args *args, gs_search_shape shape)
{
    if (args->shape != GS_SEARCH_TEXT && args->shape != shape)
        gs_die_incompatible("--count", "--trec", NULL);
    args->shape = shape;
}

static const char *parse_tag(const char *tag)
{
    gs_quoted q;
    if (*tag == '\0' || strpbrk(tag, " \t\n\v\f\r") != NULL)
        gs_die(0, "invalid --trec argument %s: the tag of a run is one word",
               gs_quote_argument(&q, tag));
    return tag;
}

static void parse_option(gs_search_args *args, const gs_opt_scan *scan, int code)
{
    enum { K1_MAX = 1000 };
    gs_search_options *const o = &args->options;
    switch (code) {
    case 'k':
        o->limit = parse_limit(scan);
        args->has_limit = true;
        break;
    case OPT_K1: o->k1 = parse_real(scan, K1_MAX); break;
    case OPT_B:
        o->b = parse_real(scan, 1);
        args->has_b = true;
        break;
    case OPT_ALL: o->needs_all = true; break;
    case OPT_PLAIN: o->is_plain = true; break;
    case OPT_BOOLEAN: args->is_boolean = true; break;
    case OPT_COUNT: parse_shape(args, GS_SEARCH_COUNT); break;
    case OPT_JSON: args->as_json = true; break;
    case OPT_TREC:
        parse_shape(args, GS_SEARCH_TREC);
        args->tag = parse_tag(scan->argument);
        break;
    case OPT_PARALLEL: args->threads = gs_size_arg_threads(scan); break;
    case OPT_VERIFY: args->verifies = true; break;
    case OPT_EXHAUSTIVE: o->is_exhaustive = true; break;
    default: args->verbose = true; break; /* 'v' */
    }
}

static void resolve(gs_search_args *args)
{
    if (args->shape == GS_SEARCH_TREC && args->as_json)
        gs_die_incompatible("--trec", "--json", NULL);
    if (args->shape == GS_SEARCH_TREC && args->is_boolean)
        gs_die_incompatible("--trec", "--boolean", "a run has scores");
    if (args->shape == GS_SEARCH_TEXT && args->as_json)
        args->shape = GS_SEARCH_JSON;
    if (args->shape == GS_SEARCH_COUNT)
        args->is_boolean = true; /* nothing is scored */
    if (args->is_boolean && !args->has_limit)
        args->options.limit = SIZE_MAX;
}

void gs_search_args_parse(gs_search_args *args, int argc, char **argv)
{
    *args = (gs_search_args){.options = {.k1 = 1.2, .b = 0.75, .limit = LIMIT_DEFAULT}};
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = sizeof options / sizeof *options,
                        .letters = "k:v",
                        .usage = usage_text,
                        .index = 1};
    int kept = 0; /* operands, moved to the front of argv */
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;) {
        if (code == GS_OPT_OPERAND)
            argv[kept++] = scan.argument;
        else
            parse_option(args, &scan, code);
    }
    if (kept == 0)
        gs_die_usage("which index?");
    args->folder = argv[0];
    args->queries = argv + 1;
    args->query_count = gs_means_stdin(args->queries, kept - 1) ? 0 : kept - 1;
    resolve(args);
}
