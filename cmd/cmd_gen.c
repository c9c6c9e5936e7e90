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
#include "io/output.h"
#include "lib/base/machine.h"
#include "lib/base/quote.h"
#include "lib/data/gen_data.h"
#include "lib/data/gen_write.h"

enum { GEN_THREADS_MAX = 1024 };

typedef struct gen_request {
    gs_gen_options options;
    const char *output; /* NULL: standard output */
    unsigned threads;
} gen_request;

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
 * 1000. */
static bool parse_number(const char *text, uint64_t unit, uint64_t *out)
{
    static const char suffixes[] = "KMGT";
    if (*text < '0' || *text > '9')
        return false;
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    const char *const suffix = *end ? strchr(suffixes, *end == 'k' ? 'K' : *end) : NULL;
    if (suffix) {
        end++;
        if (*end == 'B') {
            unit = 1000;
            end++;
        }
        for (const char *p = suffixes; p <= suffix; p++)
            if (__builtin_mul_overflow(value, unit, &value))
                return false;
    }
    *out = value;
    return *end == '\0';
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
    if (!parse_number(scan->argument, unit, to) || *to < least)
        gs_number_die(scan, GS_NUMBER_INVALID);
}

static void take_number(void *to, gs_opt_scan *scan)
{
    take_with_unit(to, scan, 1000, 0);
}

static void take_bytes(void *to, gs_opt_scan *scan)
{
    take_with_unit(to, scan, 1024, 0);
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
    *(bool *)to = gs_word_arg(scan, GS_COUNTED(formats)) != 0;
}

static void take_shape(void *to, gs_opt_scan *scan)
{
    gs_word words[GS_GEN_SHAPE_COUNT];
    for (int i = 0; i < GS_GEN_SHAPE_COUNT; i++)
        words[i] = (gs_word){gs_gen_shape_name((gs_gen_shape)i), i};
    *(gs_gen_shape *)to = (gs_gen_shape)gs_word_arg(scan, GS_COUNTED(words));
}

static gs_gen_kind take_kind(const char *name)
{
    gs_quoted q;
    gs_gen_kind kind;
    if (name == NULL)
        gs_die_usage("say what: lines, u32, u64, tuples, records, docs or weblog");
    if (!gs_gen_kind_find(name, &kind))
        gs_die_usage("no kind of data %s; there are lines, u32, u64, tuples, records, "
                     "docs and weblog",
                     gs_quote_argument(&q, name));
    return kind;
}

#define GEN_NUMBER(to)   GS_OPT_CALL(take_number, GS_OPT_TO(uint64_t, to))
#define GEN_DISTINCT(to) GS_OPT_CALL(take_distinct, GS_OPT_TO(uint64_t, to))
#define GEN_REAL(to)     GS_OPT_CALL(take_real, GS_OPT_TO(double, to))

static void parse_options(gen_request *r, int argc, char **argv)
{
    gs_gen_options *const o = &r->options;
    const char *kind = NULL;
    const gs_opt options[] = {
        {'n', "count", GEN_NUMBER(&o->record_count)},
        {0, "bytes", GS_OPT_CALL(take_bytes, &o->bytes)},
        {0, "dist", GS_OPT_CALL(take_shape, &o->shape)},
        {0, "seed", GEN_NUMBER(&o->seed)},
        {0, "distinct", GEN_DISTINCT(&o->distinct)},
        {0, "terms", GEN_DISTINCT(&o->distinct)},
        {0, "exponent", GEN_REAL(&o->exponent)},
        {0, "mean", GEN_REAL(&o->mean)},
        {0, "disorder", GEN_REAL(&o->disorder)},
        {0, "min-len", GEN_NUMBER(&o->line_bytes_min)},
        {0, "max-len", GEN_NUMBER(&o->line_bytes_max)},
        {0, "alphabet", GS_OPT_TEXT(&o->alphabet)},
        {0, "docs", GEN_NUMBER(&o->doc_count)},
        {0, "ascending-docs", GS_OPT_FLAG(&o->docs_ascend)},
        {0, "doc-words", GEN_NUMBER(&o->doc_words)},
        {0, "format", GS_OPT_CALL(take_format, &o->is_tsv)},
        {0, "binary", GS_OPT_FLAG(&o->is_binary)},
        {'a', "ascii", GS_OPT_FLAG(&o->is_text)},
        {0, "begin", GEN_NUMBER(&o->first_record)},
        {'o', "output", GS_OPT_TEXT(&r->output)},
        {0, "parallel", GS_OPT_CALL(take_threads, &r->threads)},
        {0, NULL, GS_OPT_OPERAND(&kind)},
    };
    o->shape = GS_GEN_SHAPE_COUNT; /* as the kind has it */
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    o->kind = take_kind(kind);
    const bool is_zipf =
        o->kind == GS_GEN_TUPLES || o->kind == GS_GEN_DOCS || o->kind == GS_GEN_WEBLOG;
    if (o->shape == GS_GEN_SHAPE_COUNT)
        o->shape = is_zipf ? GS_GEN_ZIPF : GS_GEN_UNIFORM;
}

static gs_code write_to(gs_output *output, const gs_gen_data *data, const gen_request *r,
                        gs_status *st)
{
    char failure[4200];
    (void)snprintf(failure, sizeof failure, "write failed: %s", gs_output_name(output));
    const gs_gen_target target = {.fd = gs_output_fd(output),
                                  .is_seekable = gs_output_is_seekable(output),
                                  .offset = gs_output_start_offset(output),
                                  .bytes_limit = r->options.bytes,
                                  .failure = failure};
    uint64_t total = 0;
    GS_TRY(gs_gen_write(data, &target, r->threads, &total, st));
    return gs_output_commit(output, total, false, st);
}

static gs_code generate(const gen_request *r, gs_status *st)
{
    gs_gen_data *data = NULL;
    gs_output *output = NULL;
    if (gs_gen_data_new(&data, &r->options, st) == GS_OK &&
        gs_output_open(&output, r->output, NULL, st) == GS_OK)
        GS_NOTED(write_to(output, data, r, st));
    gs_output_free(output);
    gs_gen_data_free(data);
    return st->code;
}

int cmd_gen(int argc, char **argv)
{
    gen_request request = {.options = gs_gen_options_default(),
                           .threads = gs_machine_cores()};
    gs_status st = {.code = GS_OK};
    parse_options(&request, argc, argv);
    if (request.output && strcmp(request.output, "-") == 0)
        request.output = NULL;
    return generate(&request, &st) == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}
