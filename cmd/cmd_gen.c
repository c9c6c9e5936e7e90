/* SPDX-License-Identifier: MIT */
/*
 * gpusort gen: test data by kind and distribution.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/quote.h"
#include "lib/gpusort.h"

enum { GEN_THREADS_MAX = 1024, DISTRIBUTIONS_MAX = 32 };

static const char usage_text[] =
    "Usage: gpusort gen [OPTION]... KIND\n"
    "Writes generated records. The same options give the same bytes on every machine,\n"
    "with any number of threads.\n\n"
    "Kinds:\n"
    "  lines    random text lines\n"
    "  u32 u64  little-endian numbers\n"
    "  tuples   lines of term TAB docID, Zipf terms unless --dist says otherwise\n"
    "  records  100-byte records of the Sort Benchmark\n"
    "  docs     documents, one a line, with Zipf words; see --format\n"
    "  weblog   requests to a web server, Zipf paths\n\n"
    "How much (one of the two, or both: what is reached first):\n"
    "  -n, --count=N            records; K, M, G: thousands, millions, billions\n"
    "      --bytes=SIZE         ends with the first record at or past it;\n"
    "                           K, M, G, T: powers of 1024; KB, MB, GB, TB: of 1000\n\n"
    "What:\n"
    "      --dist=NAME          uniform, gaussian, zipf, poisson, sorted, reversed,\n"
    "                           almost, equal, few\n"
    "      --seed=N             another seed, other data (default: 1)\n"
    "      --distinct=N         values of zipf and few; terms, words or paths\n"
    "      --terms=N            the same\n"
    "      --exponent=X         of zipf (default: 1)\n"
    "      --mean=X             of poisson (default: 1000000)\n"
    "      --disorder=X         part of 'almost' that is out of order (default: 0.01)\n"
    "      --min-len=N          shortest line, without its newline (default: 10)\n"
    "      --max-len=N          longest line (default: 50)\n"
    "      --alphabet=CHARS     1 to 64 characters that lines are made of\n"
    "      --docs=N             tuples: docIDs are below N (default: 10000000)\n"
    "      --ascending-docs     tuples: docIDs grow with the line, as in an index build\n"
    "      --doc-words=N        docs: words in a document, on average (default: 150)\n"
    "      --format=NAME        docs: jsonl, objects with id and contents (default),\n"
    "                           or tsv, id TAB text\n"
    "      --binary             tuples: pairs of u32, termID and docID\n"
    "  -a, --ascii              records: printable keys, lines end in CR LF\n"
    "      --begin=N            records: number of the first (default: 0)\n\n"
    "Where and how:\n"
    "  -o, --output=FILE        instead of standard output\n"
    "      --parallel=N         threads (default: one a core)\n"
    "  -h, --help               this text\n"
    "      --version            show the version and stop\n";

/* A whole number, with K, M, G or T for powers of `unit`, or KB, MB, ... for powers of
 * 1000. Returns what is wrong with it (GS_NUMBER_...), or 0. */
static int parse_number(const char *text, uint64_t unit, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    int fault = 0;
    if (*text < '0' || *text > '9')
        return GS_NUMBER_INVALID;
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno != 0)
        fault = GS_NUMBER_TOO_LARGE;
    const char *const suffix = *end ? strchr(suffixes, *end == 'k' ? 'K' : *end) : NULL;
    if (suffix) {
        end++;
        if (*end == 'B') {
            unit = 1000;
            end++;
        }
        for (const char *p = suffixes; p <= suffix; p++)
            if (__builtin_mul_overflow(value, unit, &value))
                fault = GS_NUMBER_TOO_LARGE;
    }
    *out = value;
    return *end == '\0' ? fault : GS_NUMBER_INVALID;
}

static void take_real(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    errno = 0;
    *(double *)to = strtod(scan->argument, &end);
    if (errno != 0 || end == scan->argument || *end != '\0')
        gs_number_die(scan, GS_NUMBER_INVALID);
}

static void take_with_unit(uint64_t *to, gs_opt_scan *scan, uint64_t unit, uint64_t least)
{
    const int fault = parse_number(scan->argument, unit, to);
    if (fault != 0 || *to < least)
        gs_number_die(scan, fault != 0 ? fault : GS_NUMBER_INVALID);
}

/* How much: the largest number says that nothing was said. */
static void take_amount(uint64_t *to, gs_opt_scan *scan, uint64_t unit)
{
    take_with_unit(to, scan, unit, 0);
    if (*to == UINT64_MAX)
        gs_number_die(scan, GS_NUMBER_TOO_LARGE);
}

static void take_count(void *to, gs_opt_scan *scan)
{
    take_amount(to, scan, 1000);
}

static void take_number(void *to, gs_opt_scan *scan)
{
    take_with_unit(to, scan, 1000, 0);
}

static void take_bytes(void *to, gs_opt_scan *scan)
{
    take_amount(to, scan, 1024);
}

static void take_distinct(void *to, gs_opt_scan *scan)
{
    take_with_unit(to, scan, 1000, 1);
}

static void take_threads(void *to, gs_opt_scan *scan)
{
    uint64_t n = 0;
    take_with_unit(&n, scan, 1000, 1);
    *(unsigned *)to = n < GEN_THREADS_MAX ? (unsigned)n : GEN_THREADS_MAX;
}

static void take_format(void *to, gs_opt_scan *scan)
{
    static const gs_word formats[] = {{"jsonl", false}, {"tsv", true}};
    *(int *)to = gs_word_arg(scan, GS_COUNTED(formats)) != 0;
}

static void take_distribution(void *to, gs_opt_scan *scan)
{
    gs_word words[DISTRIBUTIONS_MAX];
    int count = 0;
    for (const char *name; count < DISTRIBUTIONS_MAX &&
                           (name = gpusort_distribution_name((size_t)count)) != NULL;
         count++)
        words[count] = (gs_word){name, count};
    const int found = gs_word_arg(scan, words, (size_t)count);
    *(const char **)to = gpusort_distribution_name((size_t)found);
}

static void check_kind(const char *name)
{
    gs_quoted q;
    const char *known;
    if (name == NULL)
        gs_die_usage("say what: lines, u32, u64, tuples, records, docs or weblog");
    for (size_t i = 0; (known = gpusort_data_name(i)) != NULL; i++) {
        if (strcmp(name, known) == 0)
            return;
    }
    gs_die_usage("no kind of data %s; there are lines, u32, u64, tuples, records, "
                 "docs and weblog",
                 gs_quote_argument(&q, name));
}

#define GEN_NUMBER(to)   GS_OPT_CALL(take_number, GS_OPT_TO(uint64_t, to))
#define GEN_DISTINCT(to) GS_OPT_CALL(take_distinct, GS_OPT_TO(uint64_t, to))
#define GEN_REAL(to)     GS_OPT_CALL(take_real, GS_OPT_TO(double, to))

/* Not looked at here: size and has_zeros, which the initializers set; output_fd and
 * write, since a command writes to a file of a name or to its standard output. */
static void parse_options(gpusort_generate_options *o, int argc, char **argv)
{
    const gs_opt options[] = {
        {'n', "count", GS_OPT_CALL(take_count, &o->records)},
        {0, "bytes", GS_OPT_CALL(take_bytes, &o->bytes)},
        {0, "dist", GS_OPT_CALL(take_distribution, &o->distribution)},
        {0, "seed", GEN_NUMBER(&o->seed)},
        {0, "distinct", GEN_DISTINCT(&o->distinct)},
        {0, "terms", GEN_DISTINCT(&o->distinct)},
        {0, "exponent", GEN_REAL(&o->exponent)},
        {0, "mean", GEN_REAL(&o->mean)},
        {0, "disorder", GEN_REAL(&o->disorder)},
        {0, "min-len", GEN_NUMBER(&o->line_bytes_min)},
        {0, "max-len", GEN_NUMBER(&o->line_bytes_max)},
        {0, "alphabet", GS_OPT_TEXT(&o->alphabet)},
        {0, "docs", GEN_NUMBER(&o->documents)},
        {0, "ascending-docs", GS_OPT_SWITCH(&o->documents_ascend)},
        {0, "doc-words", GEN_NUMBER(&o->document_words)},
        {0, "format", GS_OPT_CALL(take_format, &o->has_tabs)},
        {0, "binary", GS_OPT_SWITCH(&o->is_binary)},
        {'a', "ascii", GS_OPT_SWITCH(&o->is_text)},
        {0, "begin", GEN_NUMBER(&o->first_record)},
        {'o', "output", GS_OPT_TEXT(&o->output)},
        {0, "parallel", GS_OPT_CALL(take_threads, &o->job.threads)},
        {0, NULL, GS_OPT_OPERAND(&o->kind)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    check_kind(o->kind);
    if (o->records == UINT64_MAX && o->bytes == UINT64_MAX)
        gs_die(0, "say how much: --count=N or --bytes=SIZE");
    o->output = gs_args_output(o->output);
}

int cmd_gen(int argc, char **argv)
{
    gpusort_generate_options options = GPUSORT_GENERATE_OPTIONS;
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_generate_defaults(&options);
    options.job.flags = GPUSORT_ENDS_BY_PIPE;
    parse_options(&options, argc, argv);
    return gpusort_generate(&options, &error) == GPUSORT_OK ? GS_EXIT_GOOD
                                                            : gs_report_error(&error);
}
