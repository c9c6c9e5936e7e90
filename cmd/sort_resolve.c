/* SPDX-License-Identifier: MIT */
#include "cmd/sort_resolve.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/input_names.h"
#include "cmd/key_warnings.h"
#include "lib/base/quote.h"
#include "cmd/report.h"

/* A key without letters of its own takes the global ones. Without any key the global
 * letters make one of the whole line; -r alone needs none. */
static void inherit_letters(gs_sort_args *args)
{
    for (size_t i = 0; i < args->spec_count; i++) {
        if (args->specs[i].letters == 0)
            args->specs[i].letters = args->global_letters;
    }
    if (args->spec_count > 0 || !gs_letters_change_compare(args->global_letters))
        return;
    args->specs = gs_args_grow(args->specs, 0, sizeof *args->specs);
    args->specs[0] = (gs_key_spec){
        .end_field = SIZE_MAX,
        .letters = args->global_letters,
    };
    args->spec_count = 1;
    args->spec_is_global = true;
}

static void make_keys(gs_sort_args *args)
{
    for (size_t i = 0; i < args->spec_count; i++)
        gs_letters_check(args->specs[i].letters);
    for (size_t i = 0; i < args->spec_count; i++) {
        args->keys = gs_args_grow(args->keys, i, sizeof *args->keys);
        args->keys[i] = gs_key_from_spec(&args->specs[i]);
    }
    gpusort_order *const order = &args->options.order;
    order->keys = args->keys;
    order->key_count = args->spec_count;
    order->is_reverse = (args->global_letters & GS_LETTER_REVERSE) != 0;
}

static void make_byte_keys(gs_sort_args *args)
{
    gpusort_order *const order = &args->options.order;
    if (args->byte_key_count > 0 && !args->has_record_size)
        gs_die(0, "--key-bytes needs --record-size");
    for (size_t i = 0; i < args->byte_key_count; i++) {
        gpusort_byte_key *key = &args->byte_keys[i];
        if (key->offset > order->record_bytes ||
            key->length > order->record_bytes - key->offset)
            gs_die(0, "--key-bytes=%zu:%zu reaches past the record of %zu bytes",
                   key->offset, key->length, order->record_bytes);
        if (order->is_reverse)
            key->flags |= GPUSORT_REVERSE;
    }
    order->byte_keys = args->byte_keys;
    order->byte_key_count = args->byte_key_count;
}

static void name_keys(gs_sort_args *args)
{
    bool is_named = false;
    for (size_t i = 0; i < args->spec_count; i++) {
        args->paths = gs_args_grow(args->paths, i, sizeof *args->paths);
        args->paths[i] = (gpusort_path){args->specs[i].column, 1};
        is_named |= args->specs[i].column != NULL;
    }
    if (is_named && args->options.header_lines == 0)
        gs_die(0, "columns have no names without a header");
    args->options.order.paths = is_named ? args->paths : NULL;
}

/* What --csv and --tsv come to. */
static void resolve_table(gs_sort_args *args)
{
    gpusort_sort_options *const o = &args->options;
    if (args->is_csv && args->is_tsv)
        gs_die_incompatible("--csv", "--tsv", NULL);
    if (!args->is_csv && !args->is_tsv) {
        if (args->no_quotes)
            gs_die(0, "--no-quotes needs --csv or --tsv");
        return;
    }
    o->order.form = args->no_quotes ? GPUSORT_TABLE : GPUSORT_CSV;
    if (!args->has_header)
        o->header_lines = 1;
    if (args->delimiter == GS_NO_DELIMITER)
        args->delimiter = args->is_csv ? ',' : '\t';
    if (args->delimiter == (o->order.ends_with_nul ? '\0' : '\n') ||
        args->delimiter == '\r' || (!args->no_quotes && args->delimiter == '"'))
        gs_die(0, "the separator of a table cannot be a quote or an end of line");
    name_keys(args);
}

static void refuse_with_locale(const gs_sort_args *args)
{
    static const char option[] = "--locale-order";
    if (!args->options.order.follows_locale)
        return;
    if (args->has_record_size)
        gs_die_incompatible(option, "--record-size", NULL);
    if (args->debug)
        gs_die_incompatible(option, "--debug", NULL);
    if (args->options.counts)
        gs_die_incompatible(option, "--count", NULL);
    for (size_t i = 0; i < args->spec_count; i++) {
        if (args->specs[i].letters & GS_LETTER_RANDOM)
            gs_die_incompatible(option, "-R", NULL);
    }
}

/* Who comes from a `sort` that follows the locale is told that this one does not. */
static void say_order(const gs_sort_args *args)
{
    const char *const name = args->verbose ? setlocale(LC_COLLATE, "") : NULL;
    const bool is_other =
        name != NULL && strcmp(name, "C") != 0 && strcmp(name, "POSIX") != 0;
    if (is_other && !args->options.order.follows_locale && !args->has_record_size)
        gs_report(0,
                  "text is in the order of its bytes, not of the locale %s, which "
                  "--locale-order asks for",
                  name);
    if (name != NULL)
        setlocale(LC_COLLATE, "C");
}

/* What --jsonl-key comes to. */
static void resolve_json(gs_sort_args *args)
{
    gpusort_order *const order = &args->options.order;
    if (args->path_count == 0)
        return;
    if (args->is_csv || args->is_tsv)
        gs_die_incompatible("--jsonl-key", args->is_csv ? "--csv" : "--tsv", NULL);
    if (args->has_record_size)
        gs_die_incompatible("--jsonl-key", "--record-size", NULL);
    if (args->spec_count > args->path_count)
        gs_die_incompatible("--jsonl-key", "-k", NULL);
    if (args->delimiter != GS_NO_DELIMITER)
        gs_die_incompatible("--jsonl-key", "-t", NULL);
    if (args->debug)
        gs_die_incompatible("--jsonl-key", "--debug", NULL);
    order->form = GPUSORT_JSON;
    order->paths = args->paths;
}

static bool is_table(const gs_sort_args *args)
{
    return args->is_csv || args->is_tsv;
}

static void refuse_pair(bool are_both, const char *one, const char *other)
{
    if (are_both)
        gs_die_incompatible(one, other, NULL);
}

static void refuse_with_checkpoint(const gs_sort_args *args)
{
    static const char option[] = "--checkpoint";
    const char check[] = {'-', args->check, '\0'};
    bool is_random = false;
    for (size_t i = 0; i < args->spec_count; i++)
        is_random |= (args->specs[i].letters & GS_LETTER_RANDOM) != 0;
    refuse_pair(args->check != 0, check, option);
    refuse_pair(args->debug, "--debug", option);
    if (args->merge)
        gs_die_incompatible("-m", option, "a merge keeps nothing to go on from");
    if (args->options.compress_program)
        gs_die_incompatible("--compress-program", option,
                            "what is kept has a format of its own");
    if (is_random && !args->random_source)
        gs_die_incompatible("-R", option,
                            "give a --random-source, so that the order stays the same");
}

/* What of gpusort's own does not go together, or not with what GNU has. */
static void refuse_contradictions(const gs_sort_args *args)
{
    const gpusort_sort_options *const o = &args->options;
    const gpusort_order *const order = &o->order;
    const char check[] = {'-', args->check, '\0'};
    if (args->has_record_size) {
        const unsigned letters = args->global_letters & ~(unsigned)GS_LETTER_REVERSE;
        char text[GS_LETTERS_TEXT_BYTES + 1] = "-";
        gs_letters_text(letters, text + 1);
        refuse_pair(letters != 0, text, "--record-size");
        refuse_pair(args->spec_count > 0, "-k", "--record-size");
        refuse_pair(args->is_csv, "--csv", "--record-size");
        refuse_pair(args->is_tsv, "--tsv", "--record-size");
        refuse_pair(args->delimiter != GS_NO_DELIMITER, "-t", "--record-size");
        refuse_pair(order->ends_with_nul, "-z", "--record-size");
        refuse_pair(o->counts, "--count", "--record-size");
        refuse_pair(o->header_lines > 0, "--header", "--record-size");
        refuse_pair(args->debug, "--debug", "--record-size");
    }
    if (args->check) {
        refuse_pair(o->counts, check, "--count");
        refuse_pair(o->has_top, check, "--top");
        refuse_pair(o->output_zstd, check, "--output-compress");
    }
    if (args->debug) {
        refuse_pair(args->is_csv, "--debug", "--csv");
        refuse_pair(args->is_tsv, "--debug", "--tsv");
        refuse_pair(o->counts, "--debug", "--count");
        refuse_pair(o->output_zstd, "--debug", "--output-compress");
        refuse_pair(o->header_lines > 0, "--debug", "--header");
    }
    refuse_pair(o->counts && order->is_unique, "--count", "-u");
    refuse_pair(args->merge && !args->check && o->header_lines > 0 && !is_table(args),
                "--header", "-m");
    if (o->sums_output && !args->watch.has_stats)
        gs_die(0, "--output-sum needs --stats");
    if (o->checkpoint)
        refuse_with_checkpoint(args);
}

static void refuse_debug_conflicts(const gs_sort_args *args)
{
    const char other = args->check ? args->check : 'o';
    if (args->check || args->options.output)
        gs_die(0, "options '-%c --debug' are incompatible", other);
}

/* Names in messages take pages of the stack, which few sorts are to pay for. */
static __attribute__((noinline)) void read_seed(uint8_t *seed, const char *name)
{
    gs_quoted q;
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        gs_die(errno, "open failed: %s", gs_quote_name(&q, name));
    for (size_t have = 0; have < GPUSORT_SEED_BYTES;) {
        const ssize_t got = read(fd, seed + have, GPUSORT_SEED_BYTES - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            gs_die(errno, "%s: read error", gs_quote_name_always(&q, name));
        if (got == 0)
            gs_die(0, "%s: end of file", gs_quote_name_always(&q, name));
        have += (size_t)got;
    }
    close(fd);
}

/* The first bytes of --random-source; without one the library draws them. */
static void take_seed(gs_sort_args *args)
{
    bool is_wanted = false;
    for (size_t i = 0; i < args->spec_count; i++)
        is_wanted |= (args->specs[i].letters & GS_LETTER_RANDOM) != 0;
    if (!is_wanted || !args->random_source)
        return;
    read_seed(args->seed, args->random_source);
    args->options.order.random_seed = args->seed;
}

/* What the library takes of what is kept here. */
static void fill_in(gs_sort_args *args)
{
    gpusort_sort_options *const o = &args->options;
    const bool has_delimiter = args->delimiter != GS_NO_DELIMITER;
    o->order.delimiter = has_delimiter ? args->delimiter : 0;
    o->order.has_nul_delimiter = has_delimiter && args->delimiter == 0;
    o->inputs = args->inputs;
    o->job.temp_folders = args->temp_folders;
    o->job.gpus = args->gpus;
    o->job.gpu_count = (unsigned)args->gpu_count;
}

static void refuse_check_conflicts(const gs_sort_args *args)
{
    gs_quoted q;
    if (args->options.input_count > 1)
        gs_die(0, "extra operand %s not allowed with -%c",
               gs_quote_name_always(&q, args->inputs[1]), args->check);
    if (args->options.output)
        gs_die(0, "options '-%co' are incompatible", args->check);
}

void gs_sort_resolve(gs_sort_args *args)
{
    gpusort_sort_options *const o = &args->options;
    if (args->files_from)
        gs_input_names_read(args->files_from, &args->inputs, &args->options.input_count,
                            &args->input_text);
    inherit_letters(args);
    refuse_with_locale(args);
    say_order(args);
    make_keys(args);
    resolve_table(args);
    resolve_json(args);
    refuse_contradictions(args);
    make_byte_keys(args);
    if (args->debug) {
        refuse_debug_conflicts(args);
        gs_key_warnings_print(args);
    }
    take_seed(args);
    if (o->input_count == 0) {
        args->inputs = gs_args_grow(args->inputs, 0, sizeof *args->inputs);
        args->inputs[0] = "-";
        o->input_count = 1;
    }
    fill_in(args);
    if (args->check)
        refuse_check_conflicts(args);
    gs_input_names_check(args);
    if (o->output && *o->output == '\0')
        gs_die(ENOENT, "open failed: ''");
}
