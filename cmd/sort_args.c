/* SPDX-License-Identifier: MIT */
/*
 * Two tables of options: those of GNU sort, and what gpusort adds. Before them come the
 * functions for what no kind of cmd/opt_kinds.h does.
 */
#include "cmd/sort_args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/column_spec.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static const gs_word sort_words[] = {
#define WORD(name, letter, word, counts) {word, letter},
    GS_LETTER_KINDS(WORD)
#undef WORD
};
static const gs_word check_words[] = {
    {"quiet", 'C'},
    {"silent", 'C'},
    {"diagnose-first", 'c'},
};
typedef struct parser {
    gs_sort_args *args;
    gs_opt_scan scan;
    bool is_posix;       /* POSIXLY_CORRECT: options end at the first operand */
    bool is_traditional; /* "+1" is a key */
} parser;

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

/* "+POS1", with "-POS2" behind it, is a key where the environment allows it. */
static void take_operand(void *to, gs_opt_scan *scan)
{
    parser *const p = to;
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

/* --- what GNU sort has -------------------------------------------------------------- */

static void take_letter(void *to, gs_opt_scan *scan)
{
    const char letter[] = {scan->current->letter, '\0'};
    gs_assert(letter[0] != '\0'); /* a row that has none needs a function of its own */
    (void)gs_letters_add(to, letter, GS_LETTERS_OF_BOTH);
}

static void take_sort(void *to, gs_opt_scan *scan)
{
    const char letter[] = {(char)gs_word_arg(scan, GS_COUNTED(sort_words)), '\0'};
    (void)gs_letters_add(to, letter, GS_LETTERS_OF_BOTH);
}

static void take_key(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    gs_key_spec spec;
    if (args->names_columns)
        gs_column_spec_parse(&spec, scan->argument);
    else
        gs_key_spec_parse(&spec, scan->argument);
    add_spec(args, &spec);
}

static void take_json_key(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    gs_key_spec spec;
    const size_t depth = gs_path_spec_parse(&spec, scan->argument);
    if (args->path_count == GPUSORT_JSON_KEYS_MAX)
        gs_die(0, "more than %d keys of JSON lines", GPUSORT_JSON_KEYS_MAX);
    args->paths = gs_args_grow(args->paths, args->path_count, sizeof *args->paths);
    args->paths[args->path_count++] = (gpusort_path){spec.column, depth};
    add_spec(args, &spec);
}

/* -c, -C and --check, alone or with a word. */
static void take_check(void *to, gs_opt_scan *scan)
{
    char *const check = to;
    const char how = scan->argument  ? (char)gs_word_arg(scan, GS_COUNTED(check_words))
                     : scan->is_long ? 'c'
                                     : scan->current->letter;
    if (*check && *check != how)
        gs_die(0, "options '-%s' are incompatible", "cC");
    *check = how;
}

static void take_delimiter(void *to, gs_opt_scan *scan)
{
    int *const kept = to;
    const char *const text = scan->argument;
    if (text[0] == '\0')
        gs_die(0, "empty tab");
    int delimiter = (unsigned char)text[0];
    if (text[1]) {
        gs_quoted q;
        if (strcmp(text, "\\0") != 0)
            gs_die(0, "multi-character tab %s", gs_quote_argument(&q, text));
        delimiter = 0;
    }
    if (*kept != GS_NO_DELIMITER && *kept != delimiter)
        gs_die(0, "incompatible tabs");
    *kept = delimiter;
}

static void take_zero_ends(void *to, gs_opt_scan *scan)
{
    (void)scan;
    ((gpusort_order *)to)->ends_with_nul = 1;
}

/* -y came with old systems, with or without a number behind it; it has no effect. */
static void skip_y_argument(void *to, gs_opt_scan *scan)
{
    (void)to;
    if (scan->argument != scan->argv[scan->index - 1])
        return;
    if (scan->argument[strspn(scan->argument, "0123456789")])
        scan->index--;
}

/* Of several sizes the largest counts; 0 means the least that works. */
static void take_buffer_size(void *to, gs_opt_scan *scan)
{
    size_t *const memory = to, wanted;
    gs_opt_memory(&wanted, scan);
    if (wanted > *memory)
        *memory = wanted;
}

static void take_wish(void *to, gs_opt_scan *scan)
{
    const bool is_help = strcmp(scan->current->name, "help") == 0;
    *(gs_sort_wish *)to = is_help ? GS_WISH_HELP : GS_WISH_VERSION;
}

/* --- what gpusort adds -------------------------------------------------------------- */

static void take_record_size(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    const uint64_t bytes = gs_size_arg_count(scan, 1);
    if (args->has_record_size && args->options.order.record_bytes != bytes)
        gs_die(0, "multiple record sizes specified");
    args->has_record_size = true;
    args->options.order.record_bytes = (size_t)bytes;
}

static void take_byte_key(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    const gpusort_byte_key key = gs_byte_key_parse(scan->argument);
    args->byte_keys =
        gs_args_grow(args->byte_keys, args->byte_key_count, sizeof *args->byte_keys);
    args->byte_keys[args->byte_key_count++] = key;
}

static void take_header(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    args->has_header = true;
    args->options.header_lines = scan->argument ? gs_size_arg_count(scan, 0) : 1;
}

static void take_no_header(void *to, gs_opt_scan *scan)
{
    gs_sort_args *const args = to;
    (void)scan;
    args->has_header = true;
    args->options.header_lines = 0;
}

static void take_top(void *to, gs_opt_scan *scan)
{
    gpusort_sort_options *const o = to;
    o->has_top = 1;
    o->top_count = gs_size_arg_count(scan, 0);
}

static int zstd_level(const gs_opt_scan *scan)
{
    enum { LEVEL_MAX = 22 };
    const char *const text = scan->argument;
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
    return (int)level;
}

void gs_sort_args_take_zstd(void *to, gs_opt_scan *scan)
{
    gpusort_sort_options *const o = to;
    o->output_level = zstd_level(scan);
    o->output_zstd = 1;
}

/* 0 stays what it is where nothing is said: what is free. */
static void take_gpu_memory(void *to, gs_opt_scan *scan)
{
    gs_opt_gpu_memory(to, scan);
    if (gs_size_arg_buffer(scan) == 0)
        *(size_t *)to = 0;
}

/* --- all of it ---------------------------------------------------------------------- */

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

static void walk(parser *p)
{
    gs_opt_scan *const scan = &p->scan;
    while (p->args->wish == GS_WISH_SORT) {
        if (operands_have_begun(p) && scan->index < scan->argc) {
            add_input(p->args, scan->argv[scan->index++]);
            continue;
        }
        const gs_opt *const row = gs_opt_next(scan);
        if (row == NULL)
            break;
        row->take(row->to, scan);
    }
    while (p->args->wish == GS_WISH_SORT && scan->index < scan->argc)
        add_input(p->args, scan->argv[scan->index++]);
}

/* What no GNU abbreviation may mean. */
static void walk_with_extras(parser *p)
{
    gs_sort_args *const args = p->args;
    gpusort_sort_options *const o = &args->options;
    gpusort_job *const job = &o->job;
    const gs_opt extras[] = {
        {0, "record-size", GS_OPT_CALL(take_record_size, args)},
        {0, "key-bytes", GS_OPT_CALL(take_byte_key, args)},
        {0, "csv", GS_OPT_FLAG(&args->is_csv)},
        {0, "tsv", GS_OPT_FLAG(&args->is_tsv)},
        {0, "jsonl-key", GS_OPT_CALL(take_json_key, args)},
        {0, "locale-order", GS_OPT_SWITCH(&o->order.follows_locale)},
        {0, "no-quotes", GS_OPT_FLAG(&args->no_quotes)},
        {0, "header", GS_OPT_CALL_MAYBE(take_header, args)},
        {0, "no-header", GS_OPT_CALL_BARE(take_no_header, args)},
        {0, "count", GS_OPT_SWITCH(&o->counts)},
        {0, "top", GS_OPT_CALL(take_top, o)},
        {0, "output-compress", GS_OPT_CALL(gs_sort_args_take_zstd, o)},
        {0, "no-decompress", GS_OPT_SWITCH(&o->keeps_packed)},
        {0, "verify", GS_OPT_SWITCH(&o->verifies)},
        GS_WATCH_OPTIONS(&args->watch),
        {0, "output-sum", GS_OPT_SWITCH(&o->sums_output)},
        {0, "engine", GS_OPT_ENGINE(&job->engine)},
        {0, "gpu-mem", GS_OPT_CALL(take_gpu_memory, &job->gpu_memory_bytes)},
        {0, "gpu", GS_OPT_GPUS(&args->gpus, &args->gpu_count)},
        {gs_report_is_plain_sort() ? 0 : 'v', "verbose", GS_OPT_FLAG(&args->verbose)},
        {0, "no-uring", GS_OPT_NO_URING(job)},
        {0, "sync", GS_OPT_SWITCH(&o->syncs_output)},
        {0, "checkpoint",
         GS_OPT_ONCE(&o->checkpoint, "multiple folders for --checkpoint")},
    };
    p->scan.extras = extras;
    p->scan.extra_count = sizeof extras / sizeof *extras;
    /* What a key may be has to be known before the first one is met. */
    args->names_columns = gs_opt_is_to_come(&p->scan, "csv", p->is_posix) ||
                          gs_opt_is_to_come(&p->scan, "tsv", p->is_posix);
    walk(p);
}

/* A letter of keys is an option too, which own_docs asks for: if GNU sort has it in the
 * table below, by GS_OPT_ORDERING, else among the extras above. Called `sort`, the
 * program has no such letter, and the row there none, as that of --verbose: it takes a
 * function that names the letter itself. */
_Static_assert(GS_LETTER_KIND_COUNT == 6 && GS_LETTER_FLAG_COUNT == 6,
               "the rows of a new letter are those that this comment says");
#define GS_OPT_ORDERING GS_OPT_CALL_BARE(take_letter, &args->global_letters)

void gs_sort_args_parse(gs_sort_args *args, int argc, char **argv)
{
    const bool is_plain = gs_report_is_plain_sort();
    gpusort_sort_options *const o = &args->options;
    gpusort_job *const job = &o->job;
    parser p = {
        .args = args,
        .scan = {.argc = argc, .argv = argv, .index = 1},
        .is_posix = getenv("POSIXLY_CORRECT") != NULL,
        .is_traditional = environment_is_traditional(),
    };
    /* In GNU's order, which shows in "possibilities:". */
    const gs_opt options[] = {
        {'b', "ignore-leading-blanks", GS_OPT_ORDERING},
        {0, "check", GS_OPT_CALL_MAYBE(take_check, &args->check)},
        {'c', NULL, GS_OPT_CALL_BARE(take_check, &args->check)},
        {'C', NULL, GS_OPT_CALL_BARE(take_check, &args->check)},
        {0, "compress-program",
         GS_OPT_ONCE(&o->compress_program, "multiple compress programs specified")},
        {0, "debug", GS_OPT_FLAG(&args->debug)},
        {'d', "dictionary-order", GS_OPT_ORDERING},
        {'f', "ignore-case", GS_OPT_ORDERING},
        {0, "files0-from", GS_OPT_TEXT(&args->files_from)},
        {'g', "general-numeric-sort", GS_OPT_ORDERING},
        {'i', "ignore-nonprinting", GS_OPT_ORDERING},
        {'k', "key", GS_OPT_CALL(take_key, args)},
        {'m', "merge", GS_OPT_FLAG(&args->merge)},
        {'M', "month-sort", GS_OPT_ORDERING},
        {'n', "numeric-sort", GS_OPT_ORDERING},
        {'h', "human-numeric-sort", GS_OPT_ORDERING},
        {'V', "version-sort", GS_OPT_ORDERING},
        {'R', "random-sort", GS_OPT_ORDERING},
        {0, "random-source",
         GS_OPT_ONCE(&args->random_source, "multiple random sources specified")},
        {0, "sort", GS_OPT_CALL(take_sort, &args->global_letters)},
        {'o', "output", GS_OPT_ONCE(&o->output, "multiple output files specified")},
        {'r', "reverse", GS_OPT_ORDERING},
        {'s', "stable", GS_OPT_SWITCH(&o->order.is_stable)},
        {0, "batch-size", GS_OPT_BATCH(&o->batch_size)},
        {'S', "buffer-size", GS_OPT_CALL(take_buffer_size, &job->memory_bytes)},
        {'t', "field-separator", GS_OPT_CALL(take_delimiter, &args->delimiter)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&args->temp_folders, &job->temp_folder_count)},
        {'u', "unique", GS_OPT_SWITCH(&o->order.is_unique)},
        {'y', NULL, GS_OPT_CALL(skip_y_argument, NULL)},
        {'z', "zero-terminated", GS_OPT_CALL_BARE(take_zero_ends, &o->order)},
        {0, "parallel", GS_OPT_THREADS(&job->threads)},
        {0, "help", GS_OPT_CALL_BARE(take_wish, &args->wish)},
        {0, "version", GS_OPT_CALL_BARE(take_wish, &args->wish)},
        {0, NULL, GS_OPT_CALL(take_operand, &p)},
    };
    *args = (gs_sort_args){
        .options = {.size = sizeof args->options, .keeps_packed = is_plain, .may_map = 1},
        .delimiter = GS_NO_DELIMITER,
        .watch.progress = is_plain ? GS_PROGRESS_NEVER : GS_PROGRESS_AUTO,
    };
    p.scan.options = options;
    p.scan.option_count = sizeof options / sizeof *options;
    walk_with_extras(&p);
}

void gs_sort_args_release(gs_sort_args *args)
{
    for (size_t i = 0; i < args->spec_count; i++)
        gs_mem_free(args->specs[i].column);
    gs_mem_free(args->paths);
    gs_mem_free(args->specs);
    gs_mem_free(args->keys);
    gs_mem_free(args->byte_keys);
    gs_mem_free(args->inputs);
    gs_mem_free(args->temp_folders);
    gs_mem_free(args->input_text);
    gs_mem_free(args->gpus);
}
