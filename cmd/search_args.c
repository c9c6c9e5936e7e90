/* SPDX-License-Identifier: MIT */
#include "cmd/search_args.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/stdin_lines.h"
#include "lib/base/quote.h"

enum { LIMIT_DEFAULT = 10 };

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
    "and a TAB. Of documents that came with weights of their terms (`index build\n"
    "--format=vectors') scores are sums of those; terms are as they are there, and a "
    "query\n"
    "may weigh them: cat^2.5 \"new york\"^0.7, or {\"cat\": 2.5, \"new york\": 0.7}.\n"
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
    "      --snippets       with each document the stretch of its text that has the "
    "most\n"
    "                       words of the query; needs an index built with --store\n"
    "      --trec=TAG       lines of a TREC run: query Q0 name rank score TAG\n"
    "\n"
    "An index that is one of several, to score as one of them all would:\n"
    "      --gather         print what scores of the queries need to know of this index\n"
    "      --statistics=FILE  take for granted what all of them printed, in one file\n"
    "\n"
    "      --parallel=N     threads for several queries (default: one a core)\n"
    "      --exhaustive     score every match instead of skipping: the same answers\n"
    "      --verify         compare all checksums first, not those of what is read\n"
    "  -v, --verbose        tell how much was read and scored\n"
    "  -h, --help           this text\n"
    "      --version        show the version and stop\n";

/* A count that may be larger than anything there is. */
static void take_limit(void *to, gs_opt_scan *scan)
{
    gs_search_args *const args = to;
    uint64_t limit = 0;
    const char *rest = NULL;
    const int fault = gs_number_parse(scan->argument, "KMGT", &limit, &rest);
    if (fault & ~GS_NUMBER_TOO_LARGE)
        gs_number_die(scan, fault);
    if (limit == 0)
        gs_die(0, "the number of documents must be at least 1");
    args->limit = limit > SIZE_MAX ? SIZE_MAX : (size_t)limit;
    args->has_limit = true;
}

/* From 0 to what `more` says. */
static void take_real(void *to, gs_opt_scan *scan)
{
    const double most = *(const double *)scan->current->more;
    char *end = NULL;
    const double x = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !isfinite(x))
        gs_number_die(scan, GS_NUMBER_INVALID);
    if (x < 0 || x > most)
        gs_die(0, "invalid --%s argument '%s': it is from 0 to %g", scan->current->name,
               scan->argument, most);
    *(double *)to = x;
}

static void take_b(void *to, gs_opt_scan *scan)
{
    gs_search_args *const args = to;
    take_real(&args->options.b, scan);
    args->has_b = true;
}

static void set_shape(gs_search_args *args, gs_search_shape shape)
{
    if (args->shape != GS_SEARCH_TEXT && args->shape != shape)
        gs_die_incompatible("--count", "--trec", NULL);
    args->shape = shape;
}

static void take_count(void *to, gs_opt_scan *scan)
{
    (void)scan;
    set_shape(to, GS_SEARCH_COUNT);
}

static void take_trec(void *to, gs_opt_scan *scan)
{
    gs_search_args *const args = to;
    const char *const tag = scan->argument;
    gs_quoted q;
    set_shape(args, GS_SEARCH_TREC);
    if (*tag == '\0' || strpbrk(tag, " \t\n\v\f\r") != NULL)
        gs_die(0, "invalid --trec argument %s: the tag of a run is one word",
               gs_quote_argument(&q, tag));
    args->tag = tag;
}

/* No document is looked at. */
static void resolve_gather(const gs_search_args *args)
{
    static const char why[] = "no query is answered";
    if (args->shape == GS_SEARCH_COUNT || args->shape == GS_SEARCH_TREC)
        gs_die_incompatible("--gather",
                            args->shape == GS_SEARCH_COUNT ? "--count" : "--trec", why);
    if (args->as_json || args->is_boolean)
        gs_die_incompatible("--gather", args->as_json ? "--json" : "--boolean", why);
    if (args->has_snippets || args->options.statistics != NULL)
        gs_die_incompatible("--gather",
                            args->has_snippets ? "--snippets" : "--statistics", why);
}

static void resolve(gs_search_args *args)
{
    args->options.needs_all = args->needs_all;
    args->options.is_plain = args->is_plain;
    args->options.is_exhaustive = args->is_exhaustive;
    if (args->shape == GS_SEARCH_TREC && args->as_json)
        gs_die_incompatible("--trec", "--json", NULL);
    if (args->shape == GS_SEARCH_TREC && args->is_boolean)
        gs_die_incompatible("--trec", "--boolean", "a run has scores");
    if (args->has_snippets && args->shape == GS_SEARCH_TREC)
        gs_die_incompatible("--snippets", "--trec", "a run has no room for text");
    if (args->has_snippets && args->shape == GS_SEARCH_COUNT)
        gs_die_incompatible("--snippets", "--count", "no document is printed");
    if (args->gathers)
        resolve_gather(args);
    if (args->query_count == 0 && args->options.statistics != NULL &&
        strcmp(args->options.statistics, "-") == 0)
        gs_die(0, "standard input cannot be both queries and statistics");
    if (args->options.statistics != NULL &&
        (args->is_boolean || args->shape == GS_SEARCH_COUNT))
        gs_die_incompatible("--statistics", args->is_boolean ? "--boolean" : "--count",
                            "nothing is scored");
    if (args->shape == GS_SEARCH_TEXT && args->as_json)
        args->shape = GS_SEARCH_JSON;
    if (args->shape == GS_SEARCH_COUNT)
        args->is_boolean = true; /* nothing is scored */
    if (args->is_boolean && !args->has_limit)
        args->limit = SIZE_MAX;
}

void gs_search_args_parse(gs_search_args *args, int argc, char **argv)
{
    gpusort_search_options *const o = &args->options;
    double k1_max = 1000, b_max = 1;
    int kept = 0;
    const gs_opt options[] = {
        {'k', "top", GS_OPT_CALL(take_limit, args)},
        {0, "k1", GS_OPT_REQUIRED, take_real, &o->k1, &k1_max},
        {0, "b", GS_OPT_REQUIRED, take_b, args, &b_max},
        {0, "all", GS_OPT_FLAG(&args->needs_all)},
        {0, "plain", GS_OPT_FLAG(&args->is_plain)},
        {0, "boolean", GS_OPT_FLAG(&args->is_boolean)},
        {0, "count", GS_OPT_CALL_BARE(take_count, args)},
        {0, "json", GS_OPT_FLAG(&args->as_json)},
        {0, "snippets", GS_OPT_FLAG(&args->has_snippets)},
        {0, "trec", GS_OPT_CALL(take_trec, args)},
        {0, "gather", GS_OPT_FLAG(&args->gathers)},
        {0, "statistics", GS_OPT_TEXT(&args->options.statistics)},
        {0, "parallel", GS_OPT_THREADS(&args->options.threads)},
        {0, "exhaustive", GS_OPT_FLAG(&args->is_exhaustive)},
        {0, "verify", GS_OPT_FLAG(&args->verifies)},
        {'v', "verbose", GS_OPT_FLAG(&args->verbose)},
        {0, NULL, GS_OPT_OPERANDS_IN_FRONT(&kept)},
    };
    *args = (gs_search_args){.options = GPUSORT_SEARCH_OPTIONS, .limit = LIMIT_DEFAULT};
    o->k1 = 1.2;
    o->b = 0.75;
    o->has_zeros = 1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (kept == 0)
        gs_die_usage("which index?");
    args->folder = argv[0];
    args->queries = argv + 1;
    args->query_count = gs_means_stdin(args->queries, kept - 1) ? 0 : kept - 1;
    resolve(args);
}
