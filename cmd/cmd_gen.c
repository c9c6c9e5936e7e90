/* SPDX-License-Identifier: MIT */
/*
 * gpusort gen: test data by kind and distribution.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/opt_scan.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/word_arg.h"
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

enum {
    OPT_BYTES = 256,
    OPT_DIST,
    OPT_SEED,
    OPT_DISTINCT,
    OPT_EXPONENT,
    OPT_MEAN,
    OPT_DISORDER,
    OPT_MIN_LEN,
    OPT_MAX_LEN,
    OPT_ALPHABET,
    OPT_DOCS,
    OPT_ASCENDING,
    OPT_DOC_WORDS,
    OPT_FORMAT,
    OPT_BINARY,
    OPT_BEGIN,
    OPT_PARALLEL,
};

static const gs_opt options[] = {
    {"count", GS_OPT_REQUIRED, 'n', false},
    {"bytes", GS_OPT_REQUIRED, OPT_BYTES, false},
    {"dist", GS_OPT_REQUIRED, OPT_DIST, false},
    {"seed", GS_OPT_REQUIRED, OPT_SEED, false},
    {"distinct", GS_OPT_REQUIRED, OPT_DISTINCT, false},
    {"terms", GS_OPT_REQUIRED, OPT_DISTINCT, false},
    {"exponent", GS_OPT_REQUIRED, OPT_EXPONENT, false},
    {"mean", GS_OPT_REQUIRED, OPT_MEAN, false},
    {"disorder", GS_OPT_REQUIRED, OPT_DISORDER, false},
    {"min-len", GS_OPT_REQUIRED, OPT_MIN_LEN, false},
    {"max-len", GS_OPT_REQUIRED, OPT_MAX_LEN, false},
    {"alphabet", GS_OPT_REQUIRED, OPT_ALPHABET, false},
    {"docs", GS_OPT_REQUIRED, OPT_DOCS, false},
    {"ascending-docs", GS_OPT_NONE, OPT_ASCENDING, false},
    {"doc-words", GS_OPT_REQUIRED, OPT_DOC_WORDS, false},
    {"format", GS_OPT_REQUIRED, OPT_FORMAT, false},
    {"binary", GS_OPT_NONE, OPT_BINARY, false},
    {"ascii", GS_OPT_NONE, 'a', false},
    {"begin", GS_OPT_REQUIRED, OPT_BEGIN, false},
    {"output", GS_OPT_REQUIRED, 'o', false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
};

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

static double take_real(const gs_opt_scan *scan)
{
    char *end = NULL;
    errno = 0;
    const double x = strtod(scan->argument, &end);
    if (errno != 0 || end == scan->argument || *end != '\0')
        gs_number_die(scan, 0, GS_NUMBER_INVALID);
    return x;
}

static void take_number(gen_request *r, const gs_opt_scan *scan, int option)
{
    gs_gen_options *const o = &r->options;
    uint64_t value = 0;
    const uint64_t unit = option == OPT_BYTES ? 1024 : 1000;
    if (!parse_number(scan->argument, unit, &value) ||
        ((option == OPT_DISTINCT || option == OPT_PARALLEL) && value == 0))
        gs_number_die(scan, option, GS_NUMBER_INVALID);
    switch (option) {
    case 'n': o->record_count = value; break;
    case OPT_BYTES: o->bytes = value; break;
    case OPT_SEED: o->seed = value; break;
    case OPT_DISTINCT: o->distinct = value; break;
    case OPT_MIN_LEN: o->line_bytes_min = value; break;
    case OPT_MAX_LEN: o->line_bytes_max = value; break;
    case OPT_DOCS: o->doc_count = value; break;
    case OPT_DOC_WORDS: o->doc_words = value; break;
    case OPT_BEGIN: o->first_record = value; break;
    default:
        r->threads = value < GEN_THREADS_MAX ? (unsigned)value : GEN_THREADS_MAX;
        break;
    }
}

static gs_gen_shape take_shape(const gs_opt_scan *scan)
{
    gs_word words[GS_GEN_SHAPE_COUNT];
    for (int i = 0; i < GS_GEN_SHAPE_COUNT; i++)
        words[i] = (gs_word){gs_gen_shape_name((gs_gen_shape)i), i};
    return (gs_gen_shape)gs_word_arg(scan, words, GS_GEN_SHAPE_COUNT);
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

static void parse_options(gen_request *r, int argc, char **argv)
{
    static const gs_word formats[] = {{"jsonl", false}, {"tsv", true}};
    gs_gen_options *const o = &r->options;
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = sizeof options / sizeof *options,
                        .letters = "n:ao:",
                        .usage = usage_text,
                        .index = 1};
    bool has_shape = false;
    const char *kind = NULL;
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;) {
        switch (code) {
        case OPT_DIST:
            o->shape = take_shape(&scan);
            has_shape = true;
            break;
        case OPT_EXPONENT: o->exponent = take_real(&scan); break;
        case OPT_MEAN: o->mean = take_real(&scan); break;
        case OPT_DISORDER: o->disorder = take_real(&scan); break;
        case OPT_FORMAT: o->is_tsv = gs_word_arg(&scan, formats, 2) != 0; break;
        case OPT_ALPHABET: o->alphabet = scan.argument; break;
        case OPT_ASCENDING: o->docs_ascend = true; break;
        case OPT_BINARY: o->is_binary = true; break;
        case 'a': o->is_text = true; break;
        case 'o': r->output = scan.argument; break;
        case GS_OPT_OPERAND: gs_opt_only_operand(&scan, &kind); break;
        default: take_number(r, &scan, code); break;
        }
    }
    o->kind = take_kind(kind);
    if (!has_shape &&
        (o->kind == GS_GEN_TUPLES || o->kind == GS_GEN_DOCS || o->kind == GS_GEN_WEBLOG))
        o->shape = GS_GEN_ZIPF;
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
    if (generate(&request, &st) == GS_OK)
        return GS_EXIT_GOOD;
    gs_report_status(&st, true);
    return GS_EXIT_TROUBLE;
}
