/* SPDX-License-Identifier: MIT */
/*
 * gpusort gen: test data by kind and distribution.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/signals.h"
#include "io/output.h"
#include "lib/base/machine.h"
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
    "      --help               this text\n";

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
    OPT_HELP,
};

static const struct option long_options[] = {
    {"count", required_argument, NULL, 'n'},
    {"bytes", required_argument, NULL, OPT_BYTES},
    {"dist", required_argument, NULL, OPT_DIST},
    {"seed", required_argument, NULL, OPT_SEED},
    {"distinct", required_argument, NULL, OPT_DISTINCT},
    {"terms", required_argument, NULL, OPT_DISTINCT},
    {"exponent", required_argument, NULL, OPT_EXPONENT},
    {"mean", required_argument, NULL, OPT_MEAN},
    {"disorder", required_argument, NULL, OPT_DISORDER},
    {"min-len", required_argument, NULL, OPT_MIN_LEN},
    {"max-len", required_argument, NULL, OPT_MAX_LEN},
    {"alphabet", required_argument, NULL, OPT_ALPHABET},
    {"docs", required_argument, NULL, OPT_DOCS},
    {"ascending-docs", no_argument, NULL, OPT_ASCENDING},
    {"doc-words", required_argument, NULL, OPT_DOC_WORDS},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"binary", no_argument, NULL, OPT_BINARY},
    {"ascii", no_argument, NULL, 'a'},
    {"begin", required_argument, NULL, OPT_BEGIN},
    {"output", required_argument, NULL, 'o'},
    {"parallel", required_argument, NULL, OPT_PARALLEL},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0}};

static int complain(const char *what, const char *text)
{
    gs_report(0, "invalid %s '%s'", what, text);
    return GS_EXIT_TROUBLE;
}

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

static bool parse_real(const char *text, double *out)
{
    char *end = NULL;
    errno = 0;
    *out = strtod(text, &end);
    return errno == 0 && end != text && *end == '\0';
}

/* 0, or the exit status. */
static int take_number_option(gen_request *r, int option, const char *text)
{
    gs_gen_options *const o = &r->options;
    const char *what = "number";
    uint64_t value = 0;
    const uint64_t unit = option == OPT_BYTES ? 1024 : 1000;
    if (!parse_number(text, unit, &value) ||
        ((option == OPT_DISTINCT || option == OPT_PARALLEL) && value == 0)) {
        if (option == OPT_BYTES)
            what = "size";
        return complain(what, text);
    }
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
    return 0;
}

static int parse_options(gen_request *r, int argc, char **argv, bool *is_done)
{
    gs_gen_options *const o = &r->options;
    bool has_shape = false;
    int option, result = 0;
    while ((option = getopt_long(argc, argv, "n:ao:", long_options, NULL)) != -1) {
        switch (option) {
        case OPT_DIST:
            if (!gs_gen_shape_find(optarg, &o->shape))
                result = complain("distribution", optarg);
            has_shape = true;
            break;
        case OPT_EXPONENT:
            result = parse_real(optarg, &o->exponent) ? 0 : complain("exponent", optarg);
            break;
        case OPT_MEAN:
            result = parse_real(optarg, &o->mean) ? 0 : complain("mean", optarg);
            break;
        case OPT_DISORDER:
            result = parse_real(optarg, &o->disorder) ? 0 : complain("disorder", optarg);
            break;
        case OPT_FORMAT:
            o->is_tsv = strcmp(optarg, "tsv") == 0;
            if (!o->is_tsv && strcmp(optarg, "jsonl") != 0)
                result = complain("format", optarg);
            break;
        case OPT_ALPHABET: o->alphabet = optarg; break;
        case OPT_ASCENDING: o->docs_ascend = true; break;
        case OPT_BINARY: o->is_binary = true; break;
        case 'a': o->is_text = true; break;
        case 'o': r->output = optarg; break;
        case OPT_HELP: *is_done = true; return 0;
        case '?': gs_die_try_help(GS_EXIT_TROUBLE);
        default: result = take_number_option(r, option, optarg); break;
        }
        if (result != 0)
            return result;
    }
    if (optind + 1 != argc) {
        gs_report(0, "%s",
                  optind == argc
                      ? "say what: lines, u32, u64, tuples, records, docs or weblog"
                      : "only one kind of data at a time");
        gs_die_try_help(GS_EXIT_TROUBLE);
    }
    if (!gs_gen_kind_find(argv[optind], &o->kind))
        return complain("kind of data", argv[optind]);
    if (!has_shape &&
        (o->kind == GS_GEN_TUPLES || o->kind == GS_GEN_DOCS || o->kind == GS_GEN_WEBLOG))
        o->shape = GS_GEN_ZIPF;
    return 0;
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
        gs_output_open(&output, r->output, st) == GS_OK)
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
    bool is_done = false;
    const int result = parse_options(&request, argc, argv, &is_done);
    if (result != 0)
        return result;
    if (is_done) {
        (void)fputs(usage_text, stdout);
        return gs_stdout_close(GS_EXIT_GOOD);
    }
    if (request.output && strcmp(request.output, "-") == 0)
        request.output = NULL;
    gs_signals_install();
    if (generate(&request, &st) == GS_OK)
        return GS_EXIT_GOOD;
    gs_report_status(&st, true);
    return GS_EXIT_TROUBLE;
}
