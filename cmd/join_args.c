/* SPDX-License-Identifier: MIT */
#include "cmd/join_args.h"

#include <string.h>

#include "cmd/join_tuples.h"
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
    return field > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)field - 1;
}

/* Fields of keys are SIZE_MAX until they are said. */
static void set_key_number(size_t *kept, size_t field)
{
    if (*kept != SIZE_MAX && *kept != field)
        gs_die(0, "incompatible join fields %zu, %zu", *kept + 1, field + 1);
    *kept = field;
}

static void set_key_field(gs_join_options *o, gs_join_side side, const char *text)
{
    const char **const name = &o->key_name[side];
    gs_quoted one, other;
    if (is_number(text))
        set_key_number(&o->key_field[side], field_of(text));
    else if (*name == NULL || strcmp(*name, text) == 0)
        *name = text;
    else
        gs_die(0, "incompatible join fields %s, %s", gs_quote_argument(&one, *name),
               gs_quote_argument(&other, text));
}

static void take_left_field(void *to, gs_opt_scan *scan)
{
    set_key_field(to, GS_JOIN_LEFT, scan->argument);
}

static void take_right_field(void *to, gs_opt_scan *scan)
{
    set_key_field(to, GS_JOIN_RIGHT, scan->argument);
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
    args->both[is_left ? GS_JOIN_LEFT : GS_JOIN_RIGHT]++;
    args->claim = is_left ? GS_JOIN_CLAIM_LEFT : GS_JOIN_CLAIM_RIGHT;
    args->claimed = scan->index;
}

static gs_join_side side_of(const char *text)
{
    gs_quoted q;
    if (strcmp(text, "1") != 0 && strcmp(text, "2") != 0)
        gs_die(0, "invalid file number: %s", gs_quote_argument(&q, text));
    return *text == '1' ? GS_JOIN_LEFT : GS_JOIN_RIGHT;
}

static void take_unpaired_too(void *to, gs_opt_scan *scan)
{
    ((gs_join_options *)to)->shows_unpaired[side_of(scan->argument)] = true;
}

static void take_unpaired_only(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    args->hides_pairs = true;
    take_unpaired_too(&args->options, scan);
}

static void take_anti(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    (void)scan;
    args->is_anti = args->hides_pairs = true;
    args->options.shows_unpaired[GS_JOIN_LEFT] = true;
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

static void say_band(gs_join_args *args, const char *name, gs_join_number low,
                     gs_join_number high)
{
    gs_join_options *const o = &args->options;
    if (args->band_said != NULL && strcmp(args->band_said, name) != 0)
        gs_die_incompatible(args->band_said, name, NULL);
    args->band_said = name;
    o->is_band = true;
    o->low = low;
    o->high = high;
}

static gs_join_number end_of_band(const char *text, size_t bytes, gs_join_number open)
{
    gs_join_number number;
    gs_quoted q;
    if (bytes == 0)
        return open;
    if (!gs_join_number_parse((const uint8_t *)text, bytes, &number))
        gs_die(0, "invalid end of a band: %s", gs_quote_argument(&q, text));
    return number;
}

static void take_band(void *to, gs_opt_scan *scan)
{
    const char *const text = scan->argument, *const colon = strchr(text, ':');
    gs_quoted q;
    if (colon == NULL)
        gs_die(0, "invalid band, which is LO:HI: %s", gs_quote_argument(&q, text));
    const gs_join_number low =
        end_of_band(text, (size_t)(colon - text), -GS_JOIN_NUMBER_FAR);
    const gs_join_number high =
        end_of_band(colon + 1, strlen(colon + 1), GS_JOIN_NUMBER_FAR);
    if (low > high)
        gs_die(0, "nothing is in the band %s", gs_quote_argument(&q, text));
    say_band(to, "--band", low, high);
}

/* Numbers are counts of a smallest unit, so that less is at least one unit less. */
static void take_lt(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_band(to, "--lt", 1, GS_JOIN_NUMBER_FAR);
}

static void take_le(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_band(to, "--le", 0, GS_JOIN_NUMBER_FAR);
}

static void take_gt(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_band(to, "--gt", -GS_JOIN_NUMBER_FAR, -1);
}

static void take_ge(void *to, gs_opt_scan *scan)
{
    (void)scan;
    say_band(to, "--ge", -GS_JOIN_NUMBER_FAR, 0);
}

/* --- small ones ----------------------------------------------------------------- */

static void take_filler(void *to, gs_opt_scan *scan)
{
    const char **const kept = to;
    if (*kept != NULL && strcmp(*kept, scan->argument) != 0)
        gs_die(0, "conflicting empty-field replacement strings");
    *kept = scan->argument;
}

static void take_zero_ends(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    (void)scan;
    args->is_zero_ended = true;
    args->options.sort.order.eol = 0;
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
static gs_join_item item_of(gs_join_args *args, const char *text, size_t bytes)
{
    if (bytes == 1 && *text == '0')
        return (gs_join_item){.is_key = true};
    if (bytes <= 2 || (*text != '1' && *text != '2') || text[1] != '.')
        gs_die(0, "invalid field specifier: '%.*s'", (int)bytes, text);
    gs_join_item item = {.side = *text == '1' ? GS_JOIN_LEFT : GS_JOIN_RIGHT,
                         .name = keep_name(args, text + 2, bytes - 2)};
    if (is_number(item.name)) {
        item.field = field_of(item.name);
        item.name = NULL;
    }
    return item;
}

static void add_format(gs_join_args *args, const char *at)
{
    gs_join_options *const o = &args->options;
    if (strcmp(at, "auto") == 0) {
        o->is_auto = true;
        return;
    }
    for (;;) {
        const size_t bytes = strcspn(at, ", \t");
        args->items = gs_args_grow(args->items, o->item_count, sizeof *args->items);
        args->items[o->item_count++] = item_of(args, at, bytes);
        if (at[bytes] == '\0')
            break;
        at += bytes + 1;
    }
    o->items = args->items;
}

static void take_format(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    add_format(args, scan->argument);
    args->claim = GS_JOIN_CLAIM_FORMAT;
    args->claimed = scan->index;
}

static void give_field(gs_join_args *args, gs_join_side side, const char *field)
{
    args->both[side]--;
    set_key_field(&args->options, side, field);
}

static void give_to_option(gs_join_args *args, gs_join_claim claim, const char *operand)
{
    switch (claim) {
    case GS_JOIN_CLAIM_NONE: gs_die_usage("only two files are joined");
    case GS_JOIN_CLAIM_FORMAT: add_format(args, operand); break;
    case GS_JOIN_CLAIM_LEFT: give_field(args, GS_JOIN_LEFT, operand); break;
    case GS_JOIN_CLAIM_RIGHT: give_field(args, GS_JOIN_RIGHT, operand); break;
    }
}

/* Of more than two operands the first that are claimed belong to the options; which ones
 * these are is known when there are too many. Several may follow a -o. */
static void take_operand(void *to, gs_opt_scan *scan)
{
    gs_join_args *const args = to;
    const bool is_claimed = scan->index - 1 == args->claimed;
    if (args->input_count == GS_JOIN_SIDES) {
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
    gs_join_options *const o = &args->options;
    const struct {
        bool is_said;
        const char *name;
    } of_lines[] = {
        {args->is_csv, "--csv"}, {args->is_tsv, "--tsv"}, {o->header, "--header"},
        {o->fold, "-i"},         {o->is_auto, "-o auto"},
    };
    const struct {
        bool is_said;
        const char *name;
    } of_text[] = {
        {args->delimiter != NOT_SAID, "-t"},
        {o->filler != NULL, "-e"},
        {args->is_zero_ended, "-z"},
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
    gs_join_tuples_parse(args->tuple_fields, o, args->tuples);
}

/* What --csv and --tsv come to, and what -t. */
static void resolve_table(gs_join_args *args)
{
    gs_join_options *const o = &args->options;
    gs_order *const order = &o->sort.order;
    const bool is_table = args->is_csv || args->is_tsv;
    if (args->is_csv && args->is_tsv)
        gs_die_incompatible("--csv", "--tsv", NULL);
    if (args->has_no_header && o->header)
        gs_die_incompatible("--header", "--no-header", NULL);
    order->delimiter = args->delimiter != NOT_SAID ? args->delimiter
                       : args->is_csv              ? ','
                       : args->is_tsv              ? '\t'
                                                   : GS_ORDER_BLANK_FIELDS;
    if (!is_table)
        return;
    order->form = GS_FORM_CSV;
    o->header = !args->has_no_header;
    if (order->delimiter == order->eol || order->delimiter == '\r' ||
        order->delimiter == '\n' || order->delimiter == GS_CSV_QUOTE)
        gs_die(0, "the separator of a table cannot be a quote or an end of line");
}

/* Fields that have names are looked for in headers. */
static void resolve_fields(gs_join_args *args)
{
    gs_join_options *const o = &args->options;
    const char *const no_name = "names of fields need --header, --csv or --tsv";
    gs_quoted q;
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        if (o->key_name[s] != NULL && o->key_field[s] != SIZE_MAX)
            gs_die(0, "incompatible join fields %zu, %s", o->key_field[s] + 1,
                   gs_quote_argument(&q, o->key_name[s]));
        if (o->key_name[s] != NULL && !o->header)
            gs_die(0, "invalid field number: %s; %s",
                   gs_quote_argument(&q, o->key_name[s]), no_name);
        if (o->key_field[s] == SIZE_MAX)
            o->key_field[s] = 0;
    }
    for (size_t i = 0; i < o->item_count && !o->header; i++)
        if (o->items[i].name != NULL)
            gs_die(0, "invalid field number: %s; %s",
                   gs_quote_argument(&q, o->items[i].name), no_name);
}

static void resolve(gs_join_args *args)
{
    gs_join_options *const o = &args->options;
    if (args->input_count < GS_JOIN_SIDES)
        gs_die_usage("say which two files to join");
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        o->inputs[s] = args->inputs[s];
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        for (unsigned to = 0; to < GS_JOIN_SIDES && args->both[s] > 0; to++)
            set_key_field(o, (gs_join_side)to, s == GS_JOIN_LEFT ? "1" : "2");
    }
    resolve_table(args);
    resolve_fields(args);
    resolve_tuples(args);
    if (strcmp(o->inputs[0], "-") == 0 && strcmp(o->inputs[1], "-") == 0)
        gs_die(0, "both files cannot be standard input");
    if (o->is_semi && args->is_anti)
        gs_die_incompatible("--semi", "--anti", NULL);
    const bool has_unpaired =
        o->shows_unpaired[GS_JOIN_LEFT] || o->shows_unpaired[GS_JOIN_RIGHT];
    if (o->is_semi && has_unpaired)
        gs_die_incompatible("--semi", args->hides_pairs ? "-v" : "-a", NULL);
    if (o->is_band && o->fold)
        gs_die_incompatible(args->band_said, "-i", NULL);
    if (o->skips_bad && !o->is_band)
        gs_die_usage("--skip-bad is for --band, --lt, --le, --gt and --ge");
    o->shows_pairs = !args->hides_pairs && !o->is_semi;
    if (args->tuple_fields != NULL)
        gs_join_tuples_check(o);
    o->sort.temp_folders = args->temp_folders;
}

static void take_output_compress(void *to, gs_opt_scan *scan)
{
    gs_sort_options *const o = to;
    o->output_zstd_level = gs_sort_args_zstd_level(scan);
    o->output_zstd = true;
}

void gs_join_args_parse(gs_join_args *args, int argc, char **argv)
{
    *args = (gs_join_args){
        .options = {.key_field = {SIZE_MAX, SIZE_MAX}},
        .delimiter = NOT_SAID,
        .watch.progress = GS_PROGRESS_AUTO,
    };
    gs_join_options *const o = &args->options;
    gs_sort_options *const s = &o->sort;
    s->order.eol = '\n';
    const gs_opt options[] = {
        {'1', NULL, GS_OPT_CALL(take_left_field, o)},
        {'2', NULL, GS_OPT_CALL(take_right_field, o)},
        {'j', NULL, GS_OPT_CALL(take_both_fields, args)},
        {'t', NULL, GS_OPT_CALL(take_delimiter, &args->delimiter)},
        {'i', "ignore-case", GS_OPT_FLAG(&o->fold)},
        {0, "band", GS_OPT_CALL(take_band, args)},
        {0, "lt", GS_OPT_CALL_BARE(take_lt, args)},
        {0, "le", GS_OPT_CALL_BARE(take_le, args)},
        {0, "gt", GS_OPT_CALL_BARE(take_gt, args)},
        {0, "ge", GS_OPT_CALL_BARE(take_ge, args)},
        {0, "skip-bad", GS_OPT_FLAG(&o->skips_bad)},
        {'a', NULL, GS_OPT_CALL(take_unpaired_too, o)},
        {'v', NULL, GS_OPT_CALL(take_unpaired_only, args)},
        {0, "semi", GS_OPT_FLAG(&o->is_semi)},
        {0, "anti", GS_OPT_CALL_BARE(take_anti, args)},
        {'o', NULL, GS_OPT_CALL(take_format, args)},
        {'e', NULL, GS_OPT_CALL(take_filler, &o->filler)},
        {0, "header", GS_OPT_FLAG(&o->header)},
        {0, "no-header", GS_OPT_FLAG(&args->has_no_header)},
        {0, "csv", GS_OPT_FLAG(&args->is_csv)},
        {0, "tsv", GS_OPT_FLAG(&args->is_tsv)},
        {0, "binary",
         GS_OPT_ONCE(&args->tuple_fields, "fields of tuples are said twice")},
        {0, "text", GS_OPT_FLAG(&o->prints_text)},
        {'z', "zero-terminated", GS_OPT_CALL_BARE(take_zero_ends, args)},
        {0, "check-order", GS_OPT_CALL_BARE(ignore, NULL)},
        {0, "nocheck-order", GS_OPT_CALL_BARE(ignore, NULL)},
        {0, "output", GS_OPT_ONCE(&s->output, "multiple output files specified")},
        {0, "output-compress", GS_OPT_CALL(take_output_compress, s)},
        {0, "no-decompress", GS_OPT_FLAG(&s->keep_compressed)},
        {'S', "buffer-size", GS_OPT_MEMORY(&s->memory_bytes)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&args->temp_folders, &s->temp_folder_count)},
        {0, "parallel", GS_OPT_THREADS(&s->threads)},
        {0, "engine", GS_OPT_CALL(take_engine, NULL)},
        GS_WATCH_OPTIONS(&args->watch),
        {0, "verbose", GS_OPT_FLAG(&args->verbose)},
        {0, "no-uring", GS_OPT_FLAG(&s->no_uring)},
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
    gs_mem_free(args->items);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        gs_mem_free(args->tuples[s]);
}
