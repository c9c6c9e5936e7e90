/* SPDX-License-Identifier: MIT */
#include "cmd/join_args.h"

#include <string.h>

#include "cmd/join_usage.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/sort_args.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { NOT_SAID = -2 }; /* -t */

/* A row for an option of other commands, with the reason why there is none here. */
#define REFUSED(name, why)                                                               \
    {                                                                                    \
        0, name, GS_OPT_OPTIONAL, refuse, (void *)(uintptr_t)(why), NULL                 \
    }

/* --- one option ----------------------------------------------------------------- */

static bool is_number(const char *text)
{
    return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static size_t field_of(const char *text)
{
    uint64_t field = 0;
    const char *rest = NULL;
    const int fault = gs_number_parse(text, "", &field, &rest);
    gs_quoted q;
    if ((fault & ~GS_NUMBER_TOO_LARGE) != 0 || !is_number(text) || field == 0)
        gs_die(0, "invalid field number: %s", gs_quote_argument(&q, text));
    return field > SIZE_MAX / 2 ? SIZE_MAX / 2 + 1 : (size_t)field;
}

/* Fields of keys are 0 until they are said. */
static void set_key_number(size_t *kept, size_t field)
{
    if (*kept != 0 && *kept != field)
        gs_die(0, "incompatible join fields %zu, %zu", *kept, field);
    *kept = field;
}

static void set_key_field(gpusort_join_options *o, gpusort_side side, const char *text)
{
    const char **const name = &o->key_names[side];
    gs_quoted one, other;
    if (is_number(text))
        set_key_number(&o->key_fields[side], field_of(text));
    else if (*name == NULL || strcmp(*name, text) == 0)
        *name = text;
    else
        gs_die(0, "incompatible join fields %s, %s", gs_quote_argument(&one, *name),
               gs_quote_argument(&other, text));
}

static void take_left_field(void *to, gs_opt_scan *scan)
{
    set_key_field(to, GPUSORT_LEFT, scan->argument);
}

static void take_right_field(void *to, gs_opt_scan *scan)
{
    set_key_field(to, GPUSORT_RIGHT, scan->argument);
}

/* -j1 and -j2, in one word, may be -1 and -2: that depends on what follows. */
static void take_both_fields(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    const char *const field = scan->argument;
    const bool is_side = strcmp(field, "1") == 0 || strcmp(field, "2") == 0;
    if (!is_side || field != scan->argv[scan->index - 1] + 2) {
        take_left_field(&args->options, scan);
        take_right_field(&args->options, scan);
        return;
    }
    const bool is_left = *field == '1';
    args->both[is_left ? GPUSORT_LEFT : GPUSORT_RIGHT]++;
    args->claim = is_left ? GS_JOIN_CLAIM_LEFT : GS_JOIN_CLAIM_RIGHT;
    args->claimed = scan->index;
}

static gpusort_side side_of(const char *text)
{
    gs_quoted q;
    if (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)
        gs_die(0, "invalid file number: %s", gs_quote_argument(&q, text));
    return *text == '1' ? GPUSORT_LEFT : GPUSORT_RIGHT;
}

static void take_unpaired_too(void *to, gs_opt_scan *scan)
{
    ((gpusort_join_options *)to)->shows_unpaired[side_of(scan->argument)] = 1;
}

static void take_unpaired_only(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    args->options.hides_pairs = 1;
    take_unpaired_too(&args->options, scan);
}

static void take_anti(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    (void)scan;
    args->is_anti = true;
    args->options.hides_pairs = args->options.shows_unpaired[GPUSORT_LEFT] = 1;
}

static void take_delimiter(void *to, gs_opt_scan *scan)
{
    int *const kept = to;
    const char *const text = scan->argument;
    gs_quoted q;
    if (text[0] != '\0' && text[1] != '\0' && strcmp(text, "\\0") != 0)
        gs_die(0, "multi-character tab %s", gs_quote_argument(&q, text));
    const int delimiter = text[0] == '\0'   ? '\n'
                          : text[1] != '\0' ? 0
                                            : (unsigned char)text[0];
    if (*kept != NOT_SAID && *kept != delimiter)
        gs_die(0, "incompatible tabs");
    *kept = delimiter;
}

/* --- how keys compare ----------------------------------------------------------- */

static void say_match(gs_join_args *args, const char *name, gpusort_match match)
{
    if (args->match_said != NULL && strcmp(args->match_said, name) != 0)
        gs_die_incompatible(args->match_said, name, NULL);
    args->match_said = name;
    args->options.match = match;
}

static void take_band(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    gpusort_error error = GPUSORT_NO_ERROR;
    if (gpusort_join_band(scan->argument, &error) != GPUSORT_OK)
        gs_die(0, "%s", error.message);
    say_match(args, "--band", GPUSORT_IN_BAND);
    args->options.band = scan->argument;
}

static void take_lt(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_match(to, "--lt", GPUSORT_LESS);
}

static void take_le(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_match(to, "--le", GPUSORT_AT_MOST);
}

static void take_gt(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_match(to, "--gt", GPUSORT_GREATER);
}

static void take_ge(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_match(to, "--ge", GPUSORT_AT_LEAST);
}

/* --- small ones ----------------------------------------------------------------- */

static void take_filler(void *to, gs_opt_scan *scan)
{
    const char **const kept = to;
    if (*kept != NULL && strcmp(*kept, scan->argument) != 0)
        gs_die(0, "conflicting empty-field replacement strings");
    *kept = scan->argument;
}

static void ignore(void *to, gs_opt_scan *scan)
{
    (void)to, (void)scan;
}

/* Matching is for cores, and what it takes long for is reading and writing lines. */
static void take_engine(void *to, gs_opt_scan *scan)
{
    (void)to;
    gs_quoted q;
    if (strcmp(scan->argument, "auto") != 0 && strcmp(scan->argument, "cpu") != 0)
        gs_die(0,
               "engine %s is not for joins: these have auto and cpu, which are the same",
               gs_quote_argument(&q, scan->argument));
}

/* `to` is the reason. */
static _Noreturn void refuse(void *to, gs_opt_scan *scan)
{
    gs_die(0, "--%s is not for joins: %s", scan->current->name, (const char *)to);
}

/* --- -o ------------------------------------------------------------------------- */

/* A copy, which stays until the arguments are released. */
static const char *keep_name(gs_join_args *args, const char *text, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    char *name = NULL;
    args->names = gs_args_grow(args->names, args->name_count, sizeof *args->names);
    if (gs_mem_new(&name, bytes + 1, "name of a field", &st) != GS_OK)
        gs_die(st.sys, "%s", st.msg);
    memcpy(name, text, bytes);
    name[bytes] = '\0';
    args->names[args->name_count++] = name;
    return name;
}

/* "0", "FILENUM.FIELD" or "FILENUM.NAME", of so many bytes. */
static gpusort_join_field output_field(gs_join_args *args, const char *text, size_t bytes)
{
    if (bytes == 1 && *text == '0')
        return (gpusort_join_field){.number = 0};
    if (bytes <= 2 || (*text != '1' && *text != '2') || text[1] != '.')
        gs_die(0, "invalid field specifier: '%.*s'", (int)bytes, text);
    gpusort_join_field field = {.side = *text == '1' ? GPUSORT_LEFT : GPUSORT_RIGHT,
                                .name = keep_name(args, text + 2, bytes - 2)};
    if (is_number(field.name)) {
        field.number = field_of(field.name);
        field.name = NULL;
    }
    return field;
}

static void add_format(gs_join_args *args, const char *at)
{
    gpusort_join_options *const o = &args->options;
    if (strcmp(at, "auto") == 0) {
        o->is_auto = 1;
        return;
    }
    for (;;) {
        const size_t bytes = strcspn(at, ", \t");
        args->fields = gs_args_grow(args->fields, o->field_count, sizeof *args->fields);
        args->fields[o->field_count++] = output_field(args, at, bytes);
        if (at[bytes] == '\0')
            break;
        at += bytes + 1;
    }
    o->fields = args->fields;
}

static void take_format(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    add_format(args, scan->argument);
    args->claim = GS_JOIN_CLAIM_FORMAT;
    args->claimed = scan->index;
}

static void give_field(gs_join_args *args, gpusort_side side, const char *field)
{
    args->both[side]--;
    set_key_field(&args->options, side, field);
}

static void give_to_option(gs_join_args *args, gs_join_claim claim, const char *operand)
{
    switch (claim) {
    case GS_JOIN_CLAIM_NONE: gs_die_usage("only two files are joined");
    case GS_JOIN_CLAIM_FORMAT: add_format(args, operand); break;
    case GS_JOIN_CLAIM_LEFT: give_field(args, GPUSORT_LEFT, operand); break;
    case GS_JOIN_CLAIM_RIGHT: give_field(args, GPUSORT_RIGHT, operand); break;
    }
}

/* Of more than two operands the first that are claimed belong to the options; which ones
 * these are is known when there are too many. Several may follow a -o. */
static void take_operand(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    const bool is_claimed = scan->index - 1 == args->claimed;
    if (args->input_count == GS_JOIN_FILES) {
        const size_t first = args->claims[0] != GS_JOIN_CLAIM_NONE ? 0 : 1;
        give_to_option(args, args->claims[first], args->inputs[first]);
        if (first == 0) {
            args->inputs[0] = args->inputs[1];
            args->claims[0] = args->claims[1];
        }
        args->input_count--;
    }
    args->inputs[args->input_count] = scan->argument;
    args->claims[args->input_count++] = is_claimed ? args->claim : GS_JOIN_CLAIM_NONE;
    if (is_claimed && args->claim == GS_JOIN_CLAIM_FORMAT)
        args->claimed = scan->index;
}

/* --- all ------------------------------------------------------------------------ */

/* What goes with lines alone, and which fields there are. */
static void resolve_tuples(gs_join_args *args)
{
    gpusort_join_options *const o = &args->options;
    const struct {
        bool is_said;
        const char *name;
    } of_lines[] = {
        {args->is_csv, "--csv"},        {args->is_tsv, "--tsv"},
        {args->has_header, "--header"}, {o->folds_case != 0, "-i"},
        {o->is_auto != 0, "-o auto"},
    };
    const struct {
        bool is_said;
        const char *name;
    } of_text[] = {
        {args->delimiter != NOT_SAID, "-t"},
        {o->filler != NULL, "-e"},
        {args->sort.order.ends_with_nul != 0, "-z"},
    };
    if (args->tuple_fields == NULL) {
        if (o->prints_text)
            gs_die_usage("--text is for --binary");
        return;
    }
    for (size_t i = 0; i < sizeof of_lines / sizeof *of_lines; i++)
        if (of_lines[i].is_said)
            gs_die_incompatible("--binary", of_lines[i].name, NULL);
    for (size_t i = 0; i < sizeof of_text / sizeof *of_text && !o->prints_text; i++)
        if (of_text[i].is_said)
            gs_die(0, "with --binary, %s is for --text", of_text[i].name);
    gs_join_tuples_parse(&args->tuples, args->tuple_fields, o);
}

/* What --csv and --tsv come to, and what -t. */
static void resolve_table(gs_join_args *args)
{
    gpusort_order *const order = &args->sort.order;
    const bool is_table = args->is_csv || args->is_tsv;
    if (args->is_csv && args->is_tsv)
        gs_die_incompatible("--csv", "--tsv", NULL);
    if (args->has_no_header && args->has_header)
        gs_die_incompatible("--header", "--no-header", NULL);
    const int delimiter = args->delimiter != NOT_SAID ? args->delimiter
                          : args->is_csv              ? ','
                          : args->is_tsv              ? '\t'
                                                      : NOT_SAID;
    if (delimiter != NOT_SAID) {
        order->delimiter = delimiter;
        order->has_nul_delimiter = delimiter == 0;
    }
    args->sort.header_lines = is_table ? !args->has_no_header : args->has_header;
    if (!is_table)
        return;
    order->form = GPUSORT_CSV;
    if ((delimiter == 0 && order->ends_with_nul) || delimiter == '\r' ||
        delimiter == '\n' || delimiter == '"')
        gs_die(0, "the separator of a table cannot be a quote or an end of line");
}

/* Fields that have names are looked for in headers. */
static void resolve_fields(gs_join_args *args)
{
    const gpusort_join_options *const o = &args->options;
    const char *const no_name = "names of fields need --header, --csv or --tsv";
    const bool has_header = args->sort.header_lines > 0;
    gs_quoted q;
    for (unsigned s = 0; s < GS_JOIN_FILES; s++) {
        const char *const name = o->key_names[s];
        if (name != NULL && o->key_fields[s] != 0)
            gs_die(0, "incompatible join fields %zu, %s", o->key_fields[s],
                   gs_quote_argument(&q, name));
        if (name != NULL && !has_header)
            gs_die(0, "invalid field number: %s; %s", gs_quote_argument(&q, name),
                   no_name);
    }
    for (size_t i = 0; i < o->field_count && !has_header; i++)
        if (o->fields[i].name != NULL)
            gs_die(0, "invalid field number: %s; %s",
                   gs_quote_argument(&q, o->fields[i].name), no_name);
}

static void resolve(gs_join_args *args)
{
    gpusort_join_options *const o = &args->options;
    if (args->input_count < GS_JOIN_FILES)
        gs_die_usage("say which two files to join");
    for (unsigned s = 0; s < GS_JOIN_FILES; s++) {
        for (unsigned to = 0; to < GS_JOIN_FILES && args->both[s] > 0; to++)
            set_key_field(o, (gpusort_side)to, s == GPUSORT_LEFT ? "1" : "2");
    }
    resolve_table(args);
    resolve_fields(args);
    resolve_tuples(args);
    if (strcmp(args->inputs[0], "-") == 0 && strcmp(args->inputs[1], "-") == 0)
        gs_die(0, "both files cannot be standard input");
    if (o->is_semi && args->is_anti)
        gs_die_incompatible("--semi", "--anti", NULL);
    const bool has_unpaired =
        o->shows_unpaired[GPUSORT_LEFT] || o->shows_unpaired[GPUSORT_RIGHT];
    if (o->is_semi && has_unpaired)
        gs_die_incompatible("--semi", o->hides_pairs ? "-v" : "-a", NULL);
    if (args->match_said != NULL && o->folds_case)
        gs_die_incompatible(args->match_said, "-i", NULL);
    if (o->skips_bad && args->match_said == NULL)
        gs_die_usage("--skip-bad is for --band, --lt, --le, --gt and --ge");
    args->sort.output = gs_args_output(args->sort.output);
    args->sort.inputs = args->inputs;
    args->sort.input_count = GS_JOIN_FILES;
    args->sort.job.temp_folders = args->temp_folders;
}

void gs_join_args_parse(gs_join_args *args, int argc, char **argv)
{
    *args = (gs_join_args){
        .sort = GPUSORT_SORT_OPTIONS,
        .options = GPUSORT_JOIN_OPTIONS,
        .delimiter = NOT_SAID,
        .watch.progress = GS_PROGRESS_AUTO,
    };
    gpusort_join_options *const o = &args->options;
    gpusort_sort_options *const s = &args->sort;
    gpusort_job *const job = &s->job;
    o->sort = s;
    s->may_map = 1;
    const gs_opt options[] = {
        {'1', NULL, GS_OPT_CALL(take_left_field, o)},
        {'2', NULL, GS_OPT_CALL(take_right_field, o)},
        {'j', NULL, GS_OPT_CALL(take_both_fields, args)},
        {'t', NULL, GS_OPT_CALL(take_delimiter, &args->delimiter)},
        {'i', "ignore-case", GS_OPT_SWITCH(&o->folds_case)},
        {0, "band", GS_OPT_CALL(take_band, args)},
        {0, "lt", GS_OPT_CALL_BARE(take_lt, args)},
        {0, "le", GS_OPT_CALL_BARE(take_le, args)},
        {0, "gt", GS_OPT_CALL_BARE(take_gt, args)},
        {0, "ge", GS_OPT_CALL_BARE(take_ge, args)},
        {0, "skip-bad", GS_OPT_SWITCH(&o->skips_bad)},
        {'a', NULL, GS_OPT_CALL(take_unpaired_too, o)},
        {'v', NULL, GS_OPT_CALL(take_unpaired_only, args)},
        {0, "semi", GS_OPT_SWITCH(&o->is_semi)},
        {0, "anti", GS_OPT_CALL_BARE(take_anti, args)},
        {'o', NULL, GS_OPT_CALL(take_format, args)},
        {'e', NULL, GS_OPT_CALL(take_filler, &o->filler)},
        {0, "header", GS_OPT_FLAG(&args->has_header)},
        {0, "no-header", GS_OPT_FLAG(&args->has_no_header)},
        {0, "csv", GS_OPT_FLAG(&args->is_csv)},
        {0, "tsv", GS_OPT_FLAG(&args->is_tsv)},
        {0, "binary",
         GS_OPT_ONCE(&args->tuple_fields, "fields of tuples are said twice")},
        {0, "text", GS_OPT_SWITCH(&o->prints_text)},
        {'z', "zero-terminated", GS_OPT_SWITCH(&s->order.ends_with_nul)},
        {0, "check-order", GS_OPT_CALL_BARE(ignore, NULL)},
        {0, "nocheck-order", GS_OPT_CALL_BARE(ignore, NULL)},
        {0, "output", GS_OPT_ONCE(&s->output, "multiple output files specified")},
        {0, "output-compress", GS_OPT_CALL(gs_sort_args_take_zstd, s)},
        {0, "no-decompress", GS_OPT_SWITCH(&s->keeps_packed)},
        {'S', "buffer-size", GS_OPT_MEMORY(&job->memory_bytes)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&args->temp_folders, &job->temp_folder_count)},
        {0, "parallel", GS_OPT_THREADS(&job->threads)},
        {0, "engine", GS_OPT_CALL(take_engine, NULL)},
        GS_WATCH_OPTIONS(&args->watch),
        {0, "verbose", GS_OPT_FLAG(&args->verbose)},
        {0, "no-uring", GS_OPT_NO_URING(job)},
        REFUSED("verify", "other lines come out than went in; runs on the disk have "
                          "checksums anyway"),
        REFUSED("checkpoint", "one that was stopped begins again"),
        REFUSED("json", "its output is lines; figures of the run are JSON with --stats"),
        {0, NULL, GS_OPT_CALL(take_operand, args)},
    };
    gs_opt_parse(argc, argv, gs_join_usage, GS_COUNTED(options));
    resolve(args);
}

void gs_join_args_release(gs_join_args *args)
{
    for (size_t i = 0; i < args->name_count; i++)
        gs_mem_free(args->names[i]);
    gs_mem_free(args->names);
    gs_mem_free(args->temp_folders);
    gs_mem_free(args->fields);
    for (unsigned s = 0; s < GS_JOIN_FILES; s++)
        gs_mem_free(args->tuples.fields[s]);
}
