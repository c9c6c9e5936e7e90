/* SPDX-License-Identifier: MIT */
/*
 * Three groups of options, each in a function of its own: what orders records (GNU's
 * letters), how GNU sort works, and what gpusort adds.
 */
#include "cmd/sort_args.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/engine_arg.h"
#include "cmd/gpu_arg.h"
#include "cmd/opt_scan.h"
#include "lib/base/quote.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/word_arg.h"
#include "lib/base/mem.h"

enum {
    OPT_CHECK = 256,
    OPT_COMPRESS_PROGRAM,
    OPT_DEBUG,
    OPT_FILES0_FROM,
    OPT_RANDOM_SOURCE,
    OPT_SORT,
    OPT_BATCH_SIZE,
    OPT_PARALLEL,
    OPT_HELP,
    OPT_VERSION,
    OPT_RECORD_SIZE,
    OPT_KEY_BYTES,
    OPT_HEADER,
    OPT_COUNT,
    OPT_TOP,
    OPT_OUTPUT_COMPRESS,
    OPT_NO_DECOMPRESS,
    OPT_VERIFY,
    OPT_PROGRESS,
    OPT_STATS,
    OPT_TRACE,
    OPT_ENGINE,
    OPT_GPU_MEM,
    OPT_GPU,
    OPT_VERBOSE,
    OPT_NO_URING,
    OPT_SYNC,
    OPT_CHECKPOINT,
};

static const char plain_letters[] = "bcCdfghik:mMno:rRsS:t:T:uVy:z";
static const char own_letters[] = "bcCdfghik:mMno:rRsS:t:T:uvVy:z";

/* GNU's options first and in GNU's order, which shows in "possibilities:". */
static const gs_opt options[] = {
    {"ignore-leading-blanks", GS_OPT_NONE, 'b', false},
    {"check", GS_OPT_OPTIONAL, OPT_CHECK, false},
    {"compress-program", GS_OPT_REQUIRED, OPT_COMPRESS_PROGRAM, false},
    {"debug", GS_OPT_NONE, OPT_DEBUG, false},
    {"dictionary-order", GS_OPT_NONE, 'd', false},
    {"ignore-case", GS_OPT_NONE, 'f', false},
    {"files0-from", GS_OPT_REQUIRED, OPT_FILES0_FROM, false},
    {"general-numeric-sort", GS_OPT_NONE, 'g', false},
    {"ignore-nonprinting", GS_OPT_NONE, 'i', false},
    {"key", GS_OPT_REQUIRED, 'k', false},
    {"merge", GS_OPT_NONE, 'm', false},
    {"month-sort", GS_OPT_NONE, 'M', false},
    {"numeric-sort", GS_OPT_NONE, 'n', false},
    {"human-numeric-sort", GS_OPT_NONE, 'h', false},
    {"version-sort", GS_OPT_NONE, 'V', false},
    {"random-sort", GS_OPT_NONE, 'R', false},
    {"random-source", GS_OPT_REQUIRED, OPT_RANDOM_SOURCE, false},
    {"sort", GS_OPT_REQUIRED, OPT_SORT, false},
    {"output", GS_OPT_REQUIRED, 'o', false},
    {"reverse", GS_OPT_NONE, 'r', false},
    {"stable", GS_OPT_NONE, 's', false},
    {"batch-size", GS_OPT_REQUIRED, OPT_BATCH_SIZE, false},
    {"buffer-size", GS_OPT_REQUIRED, 'S', false},
    {"field-separator", GS_OPT_REQUIRED, 't', false},
    {"temporary-directory", GS_OPT_REQUIRED, 'T', false},
    {"unique", GS_OPT_NONE, 'u', false},
    {"zero-terminated", GS_OPT_NONE, 'z', false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
    {"help", GS_OPT_NONE, OPT_HELP, false},
    {"version", GS_OPT_NONE, OPT_VERSION, false},
    {"record-size", GS_OPT_REQUIRED, OPT_RECORD_SIZE, true},
    {"key-bytes", GS_OPT_REQUIRED, OPT_KEY_BYTES, true},
    {"header", GS_OPT_OPTIONAL, OPT_HEADER, true},
    {"count", GS_OPT_NONE, OPT_COUNT, true},
    {"top", GS_OPT_REQUIRED, OPT_TOP, true},
    {"output-compress", GS_OPT_REQUIRED, OPT_OUTPUT_COMPRESS, true},
    {"no-decompress", GS_OPT_NONE, OPT_NO_DECOMPRESS, true},
    {"verify", GS_OPT_NONE, OPT_VERIFY, true},
    {"progress", GS_OPT_OPTIONAL, OPT_PROGRESS, true},
    {"stats", GS_OPT_OPTIONAL, OPT_STATS, true},
    {"trace", GS_OPT_REQUIRED, OPT_TRACE, true},
    {"engine", GS_OPT_REQUIRED, OPT_ENGINE, true},
    {"gpu-mem", GS_OPT_REQUIRED, OPT_GPU_MEM, true},
    {"gpu", GS_OPT_REQUIRED, OPT_GPU, true},
    {"verbose", GS_OPT_NONE, OPT_VERBOSE, true},
    {"no-uring", GS_OPT_NONE, OPT_NO_URING, true},
    {"sync", GS_OPT_NONE, OPT_SYNC, true},
    {"checkpoint", GS_OPT_REQUIRED, OPT_CHECKPOINT, true},
};

static const gs_word sort_words[] = {
    {"general-numeric", 'g'}, {"human-numeric", 'h'}, {"month", 'M'},
    {"numeric", 'n'},         {"random", 'R'},        {"version", 'V'},
};
static const gs_word check_words[] = {
    {"quiet", 'C'},
    {"silent", 'C'},
    {"diagnose-first", 'c'},
};
static const gs_word progress_words[] = {
    {"auto", GS_PROGRESS_AUTO},
    {"always", GS_PROGRESS_ALWAYS},
    {"never", GS_PROGRESS_NEVER},
};

#define LENGTH(array) (sizeof(array) / sizeof *(array))

typedef struct parser {
    gs_sort_args *args;
    gs_opt_scan scan;
    bool is_posix;       /* POSIXLY_CORRECT: options end at the first operand */
    bool is_traditional; /* "+1" is a key */
} parser;

void *gs_args_grow(void *array, size_t count, size_t item_bytes)
{
    enum { FIRST = 8 };
    const bool is_full = count == 0 || (count >= FIRST && (count & (count - 1)) == 0);
    if (!is_full)
        return array;
    gs_status st = {.code = GS_OK};
    size_t bytes = 0;
    void *grown = array;
    if (gs_mem_size_mul(&bytes, count ? 2 * count : FIRST, item_bytes, &st) != GS_OK ||
        gs_mem_resize(&grown, bytes, "arguments", &st) != GS_OK) {
        gs_report_status(&st, false);
        exit(GS_EXIT_TROUBLE);
    }
    return grown;
}

static void add_input(gs_sort_args *args, const char *name)
{
    size_t *count = &args->options.input_count;
    args->inputs = gs_args_grow(args->inputs, *count, sizeof *args->inputs);
    args->inputs[(*count)++] = name;
}

static void add_spec(gs_sort_args *args, const gs_key_spec *spec)
{
    args->specs = gs_args_grow(args->specs, args->spec_count, sizeof *args->specs);
    args->specs[args->spec_count++] = *spec;
}

static void add_temp_folder(gs_sort_args *args, const char *name)
{
    size_t *count = &args->options.temp_folder_count;
    args->temp_folders =
        gs_args_grow(args->temp_folders, *count, sizeof *args->temp_folders);
    args->temp_folders[(*count)++] = name;
}

/* "+POS1", with "-POS2" behind it, is a key where the environment allows it. */
static void parse_operand(parser *p)
{
    gs_opt_scan *scan = &p->scan;
    char *text = scan->argument;
    if (text[0] == '+') {
        const char *next = scan->index < scan->argc ? scan->argv[scan->index] : "";
        const bool has_end = next[0] == '-' && isdigit((unsigned char)next[1]);
        p->is_traditional |= has_end && !p->is_posix;
        gs_key_spec spec;
        if (p->is_traditional && gs_key_spec_parse_plus(&spec, text + 1)) {
            if (has_end) {
                gs_key_spec_parse_minus(&spec, next);
                scan->index++;
            }
            add_spec(p->args, &spec);
            return;
        }
    }
    add_input(p->args, text);
}

static void set_check(gs_sort_args *args, char how)
{
    if (args->check && args->check != how)
        gs_die(0, "options '-%s' are incompatible", "cC");
    args->check = how;
}

/* An option that may be repeated only with the same value. */
static void set_once(const char **value, const char *text, const char *complaint)
{
    if (*value && strcmp(*value, text) != 0)
        gs_die(0, "%s", complaint);
    *value = text;
}

static void parse_delimiter(gs_order *order, const char *text)
{
    if (text[0] == '\0')
        gs_die(0, "empty tab");
    int delimiter = (unsigned char)text[0];
    if (text[1]) {
        gs_quoted q;
        if (strcmp(text, "\\0") != 0)
            gs_die(0, "multi-character tab %s", gs_quote_argument(&q, text));
        delimiter = 0;
    }
    if (order->delimiter != GS_ORDER_BLANK_FIELDS && order->delimiter != delimiter)
        gs_die(0, "incompatible tabs");
    order->delimiter = delimiter;
}

/* -y came with old systems, with or without a number behind it; it has no effect. */
static void skip_y_argument(gs_opt_scan *scan)
{
    if (scan->argument != scan->argv[scan->index - 1])
        return;
    const char *c = scan->argument;
    while (isdigit((unsigned char)*c))
        c++;
    if (*c)
        scan->index--;
}

static void parse_buffer_size(parser *p, int code)
{
    const uint64_t bytes = gs_size_arg_buffer(&p->scan, code);
    /* Of several sizes the largest counts; 0 means the least that works. */
    size_t *memory = &p->args->options.memory_bytes;
    const size_t wanted = bytes > SIZE_MAX ? SIZE_MAX : bytes == 0 ? 1 : (size_t)bytes;
    if (wanted > *memory)
        *memory = wanted;
}

static bool parse_ordering(parser *p, int code)
{
    gs_sort_args *args = p->args;
    if (code == OPT_SORT)
        code = gs_word_arg(&p->scan, sort_words, LENGTH(sort_words));
    switch (code) {
    case 'k': {
        gs_key_spec spec;
        gs_key_spec_parse(&spec, p->scan.argument);
        add_spec(args, &spec);
        return true;
    }
    case 's': args->options.order.stable = true; return true;
    case 't': parse_delimiter(&args->options.order, p->scan.argument); return true;
    case 'u': args->options.order.unique = true; return true;
    case 'z': args->options.order.eol = 0; return true;
    default: break;
    }
    if (code > CHAR_MAX)
        return false;
    const char letter[] = {(char)code, '\0'};
    return *gs_letters_add(&args->global_letters, letter, GS_LETTERS_OF_BOTH) == '\0';
}

static bool parse_working(parser *p, int code)
{
    gs_sort_args *args = p->args;
    gs_sort_options *o = &args->options;
    const char *text = p->scan.argument;
    switch (code) {
    case OPT_CHECK:
        set_check(args,
                  text ? (char)gs_word_arg(&p->scan, check_words, LENGTH(check_words))
                       : 'c');
        break;
    case 'c':
    case 'C': set_check(args, (char)code); break;
    case OPT_COMPRESS_PROGRAM:
        set_once(&o->compress_program, text, "multiple compress programs specified");
        break;
    case OPT_DEBUG: args->debug = true; break;
    case OPT_FILES0_FROM: args->files_from = text; break;
    case 'm': args->merge = true; break;
    case OPT_BATCH_SIZE: o->batch_size = gs_size_arg_batch(&p->scan); break;
    case 'o': set_once(&o->output, text, "multiple output files specified"); break;
    case OPT_RANDOM_SOURCE:
        set_once(&args->random_source, text, "multiple random sources specified");
        break;
    case 'S': parse_buffer_size(p, code); break;
    case 'T': add_temp_folder(args, text); break;
    case OPT_PARALLEL: o->threads = gs_size_arg_threads(&p->scan); break;
    case 'y': skip_y_argument(&p->scan); break;
    default: return false;
    }
    return true;
}

static void parse_output_compress(gs_sort_options *o, const char *text)
{
    enum { LEVEL_MAX = 22 };
    const size_t name_len = strcspn(text, ":");
    uint64_t level = 0;
    bool is_good = name_len == 4 && strncmp(text, "zstd", name_len) == 0;
    if (is_good && text[name_len]) {
        const char *rest = NULL;
        is_good = gs_number_parse(text + name_len + 1, "", &level, &rest) == 0 &&
                  level >= 1 && level <= LEVEL_MAX;
    }
    gs_quoted q;
    if (!is_good)
        gs_die(0, "invalid --output-compress argument %s: zstd or zstd:1 to zstd:22",
               gs_quote_argument(&q, text));
    o->output_zstd = true;
    o->output_zstd_level = (int)level;
}

static void parse_record_size(parser *p)
{
    const uint64_t bytes = gs_size_arg_count(&p->scan, 1);
    if (p->args->has_record_size && p->args->options.order.record_size != bytes)
        gs_die(0, "multiple record sizes specified");
    p->args->has_record_size = true;
    p->args->options.order.record_size = (size_t)bytes;
}

static void add_byte_key(gs_sort_args *args, const char *text)
{
    const gs_byte_key key = gs_byte_key_parse(text);
    args->byte_keys =
        gs_args_grow(args->byte_keys, args->byte_key_count, sizeof *args->byte_keys);
    args->byte_keys[args->byte_key_count++] = key;
}

static bool parse_extra(parser *p, int code)
{
    gs_sort_args *args = p->args;
    gs_sort_options *o = &args->options;
    const char *text = p->scan.argument;
    switch (code) {
    case OPT_RECORD_SIZE: parse_record_size(p); break;
    case OPT_KEY_BYTES: add_byte_key(args, text); break;
    case OPT_HEADER: o->header_lines = text ? gs_size_arg_count(&p->scan, 0) : 1; break;
    case OPT_COUNT: o->count = true; break;
    case OPT_TOP:
        o->has_top = true;
        o->top_count = gs_size_arg_count(&p->scan, 0);
        break;
    case OPT_OUTPUT_COMPRESS: parse_output_compress(o, text); break;
    case OPT_NO_DECOMPRESS: o->keep_compressed = true; break;
    case OPT_VERIFY: o->verify = true; break;
    case OPT_PROGRESS:
        args->progress = text ? (gs_progress_mode)gs_word_arg(&p->scan, progress_words,
                                                              LENGTH(progress_words))
                              : GS_PROGRESS_ALWAYS;
        break;
    case OPT_STATS:
        args->has_stats = true;
        args->stats_path = text;
        break;
    case OPT_TRACE: args->trace_path = text; break;
    case OPT_ENGINE:
        gs_engine_arg_check(text);
        o->engine = text;
        break;
    case OPT_GPU_MEM:
        if (strchr(text, '%')) /* of the machine's memory: not what is meant */
            gs_number_die(&p->scan, 0, GS_NUMBER_BAD_SUFFIX);
        o->gpu_memory_bytes = (size_t)gs_size_arg_buffer(&p->scan, 0);
        break;
    case OPT_GPU: gs_gpu_arg(text, &args->gpus, &o->gpu_count); break;
    case 'v':
    case OPT_VERBOSE: args->verbose = true; break;
    case OPT_NO_URING: o->no_uring = true; break;
    case OPT_SYNC: o->sync_output = true; break;
    case OPT_CHECKPOINT:
        set_once(&o->checkpoint, text, "multiple folders for --checkpoint");
        break;
    default: return false;
    }
    return true;
}

/* With POSIXLY_CORRECT what follows the first file is files, but for an old "-o FILE". */
static bool operands_have_begun(const parser *p)
{
    if (!p->is_posix || p->args->options.input_count == 0 || p->scan.cluster)
        return false;
    const char *next = p->scan.index < p->scan.argc ? p->scan.argv[p->scan.index] : "";
    const bool is_old_output = p->is_traditional && !p->args->check && next[0] == '-' &&
                               next[1] == 'o' &&
                               (next[2] || p->scan.index + 1 < p->scan.argc);
    return !is_old_output;
}

/* Versions of POSIX that had taken "+1" away and not yet given it back. */
static bool environment_is_traditional(void)
{
    enum { TAKEN_AWAY = 200112, GIVEN_BACK = 200809 };
    const char *text = getenv("_POSIX2_VERSION");
    if (!text || !*text)
        return true;
    char *end = NULL;
    const long version = strtol(text, &end, 10);
    return *end || version < TAKEN_AWAY || version >= GIVEN_BACK;
}

void gs_sort_args_parse(gs_sort_args *args, int argc, char **argv)
{
    *args = (gs_sort_args){
        .options.order = {.delimiter = GS_ORDER_BLANK_FIELDS, .eol = '\n'},
        .options.keep_compressed = gs_report_is_plain_sort(),
        .progress = gs_report_is_plain_sort() ? GS_PROGRESS_NEVER : GS_PROGRESS_AUTO,
    };
    parser p = {
        .args = args,
        .scan = {.argc = argc,
                 .argv = argv,
                 .options = options,
                 .option_count = LENGTH(options),
                 .letters = gs_report_is_plain_sort() ? plain_letters : own_letters,
                 .index = 1},
        .is_posix = getenv("POSIXLY_CORRECT") != NULL,
        .is_traditional = environment_is_traditional(),
    };
    for (;;) {
        if (operands_have_begun(&p) && p.scan.index < argc) {
            add_input(args, argv[p.scan.index++]);
            continue;
        }
        const int code = gs_opt_next(&p.scan);
        if (code == GS_OPT_END)
            break;
        if (code == GS_OPT_BAD)
            gs_die_try_help(GS_EXIT_TROUBLE);
        if (code == OPT_HELP || code == OPT_VERSION) {
            args->wish = code == OPT_HELP ? GS_WISH_HELP : GS_WISH_VERSION;
            return;
        }
        if (code == GS_OPT_OPERAND)
            parse_operand(&p);
        else if (!parse_ordering(&p, code) && !parse_working(&p, code) &&
                 !parse_extra(&p, code))
            gs_die_try_help(GS_EXIT_TROUBLE);
    }
    while (p.scan.index < argc)
        add_input(args, argv[p.scan.index++]);
}

void gs_sort_args_release(gs_sort_args *args)
{
    gs_mem_free(args->specs);
    gs_mem_free(args->keys);
    gs_mem_free(args->byte_keys);
    gs_mem_free(args->inputs);
    gs_mem_free(args->temp_folders);
    gs_mem_free(args->input_text);
    gs_mem_free(args->gpus);
}
