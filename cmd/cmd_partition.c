/* SPDX-License-Identifier: MIT */
/*
 * gpusort partition: inputs sorted and cut into parts at splitters, for several machines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "cmd/sort_resolve.h"
#include "lib/part/parts.h"

typedef struct partition_request {
    const char *splitters, *parts;
    gs_sort_args args;
    gs_partition_options options;
    gs_partition_result result;
} partition_request;

static const char usage_text[] =
    "Usage: gpusort partition --splitters=FILE [OPTION]... -o PREFIX [FILE]...\n"
    "Sorts all FILEs, or standard input, and writes the result in parts to PREFIX.0000,\n"
    "PREFIX.0001 and so on. Parts of one number, made of several inputs with the same\n"
    "splitters, are merged with `gpusort sort -m'; what that gives for each number, one\n"
    "behind the other, is what a sort of all inputs gives.\n\n"
    "      --splitters=FILE    records in order, as `gpusort sample --splitters=R' "
    "writes\n"
    "                          them: each part but the first begins at one of these\n"
    "      --parts=R           so many parts, one more than splitters: else an error\n"
    "  -o, --output=PREFIX     of the names of the parts\n"
    "  -m, --merge             each FILE is in order already\n"
    "  -v, --verbose           say what is in each part\n"
    "      --help              this text\n"
    "      --version           show the version and stop\n\n"
    "What a record is and what order means is said with the options of `gpusort sort':\n"
    "-b -d -f -g -i -h -M -n -R -r -V -k -t -s -u -z --record-size --key-bytes --csv "
    "--tsv\n"
    "--jsonl-key --header, as are -S, -T, --parallel, --engine, --sync, --verify, "
    "--stats\n"
    "and the others.\n";

static void say(void *context, gs_log_level level, const char *text)
{
    const partition_request *const r = context;
    if (r->args.verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static void settle(partition_request *r)
{
    const gs_sort_options *const sort = &r->args.options;
    if (r->splitters == NULL)
        gs_die_usage("say where to cut: --splitters=FILE");
    if (sort->output == NULL)
        gs_die_usage("say where parts are to go: -o PREFIX");
    r->options.sort = sort;
    r->options.splitters = r->splitters;
    r->options.is_merge = r->args.merge;
    if (r->parts != NULL)
        r->options.parts = gs_own_number("--parts", r->parts, 1);
    bool reads_stdin = false;
    for (size_t i = 0; i < sort->input_count; i++)
        reads_stdin |= strcmp(sort->inputs[i], "-") == 0;
    if (reads_stdin && strcmp(r->splitters, "-") == 0)
        gs_die(0, "standard input cannot be both splitters and what is to be sorted");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void tell_parts(const partition_request *r)
{
    for (size_t i = 0; i < r->result.part_count; i++) {
        const gs_part_tally *const t = &r->result.parts[i];
        gs_report(0, "part %zu: %" PRIu64 " record%s, %" PRIu64 " byte%s", i, t->records,
                  plural(t->records), t->bytes, plural(t->bytes));
    }
}

static gs_code work(void *context, gs_trace *trace, gs_status *st)
{
    partition_request *const r = context;
    r->args.options.trace = trace;
    return gs_partition_run(&r->options, &r->result, st);
}

int cmd_partition(int argc, char **argv)
{
    static const char *const allowed[] = {"-o", "-m", "--stats", "--trace", NULL};
    partition_request r = {.splitters = NULL};
    const gs_own_option own[] = {
        {"--splitters", &r.splitters, NULL},
        {"--parts", &r.parts, NULL},
    };
    argc = gs_own_options_take(own, sizeof own / sizeof *own, argc, argv);
    gs_sort_args_parse(&r.args, argc, argv);
    if (r.args.wish != GS_WISH_SORT) {
        (void)fputs(r.args.wish == GS_WISH_HELP ? usage_text : "gpusort " GS_VERSION "\n",
                    stdout);
        gs_sort_args_release(&r.args);
        return gs_stdout_close(GS_EXIT_GOOD);
    }
    gs_own_options_refuse(&r.args, allowed);
    gs_sort_resolve(&r.args);
    settle(&r);
    gs_sort_stats stats;
    memset(&stats, 0, sizeof stats);
    const gs_log log = {.fn = say, .context = &r};
    r.args.options.log = &log;
    r.args.options.stats = &stats;
    gs_status st = {.code = GS_OK};
    if (gs_watch_run(&r.args.watch, &stats, NULL, 0, work, &r, &st) != GS_OK)
        gs_report_status(&st, true);
    else if (r.args.verbose)
        tell_parts(&r);
    gs_partition_result_release(&r.result);
    gs_sort_args_release(&r.args);
    return st.code == GS_OK ? GS_EXIT_GOOD : GS_EXIT_TROUBLE;
}
