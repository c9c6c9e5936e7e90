/* SPDX-License-Identifier: MIT */
/*
 * gpusort partition: inputs sorted and cut into parts at splitters, for several machines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

typedef struct partition_request {
    const char *splitters, *parts, *part, *range;
    bool is_framed, compresses, unframes;
    gs_sort_args args;
    gpusort_partition_options options;
    gpusort_parts result;
    _Atomic uint64_t part_count, records_max, bytes_max; /* of parts, for --stats */
} partition_request;

static const char usage_text[] =
    "Usage: gpusort partition --splitters=FILE [OPTION]... -o PREFIX [FILE]...\n"
    "   or: gpusort partition --splitters=FILE --framed [OPTION]... [FILE]...\n"
    "   or: gpusort partition --unframe [--part=I] [-o PREFIX] [FILE]\n"
    "Sorts all FILEs, or standard input, and writes the result in parts to PREFIX.0000,\n"
    "PREFIX.0001 and so on. Parts of one number, made of several inputs with the same\n"
    "splitters, are merged with `gpusort sort -m'; what that gives for each number, one\n"
    "behind the other, is what a sort of all inputs gives.\n\n"
    "      --splitters=FILE    records in order, as `gpusort sample --splitters=R' "
    "writes\n"
    "                          them: each part but the first begins at one of these\n"
    "      --parts=R           so many parts, one more than splitters: else an error\n"
    "  -o, --output=PREFIX     of the names of the parts\n"
    "      --range=FROM:TO     only records that begin at these bytes of the one FILE,\n"
    "                          which is plain\n"
    "      --framed            all parts in one stream with checksums, to standard "
    "output\n"
    "                          or the file that -o names\n"
    "      --compress          that stream packed by zstd\n"
    "      --unframe           nothing is sorted: the FILE is such a stream, whose "
    "parts\n"
    "                          become files\n"
    "      --part=I            of that only this part, to standard output or the file\n"
    "                          that -o names\n"
    "  -m, --merge             each FILE is in order already\n"
    "  -v, --verbose           say what is in each part\n"
    "      --help              this text\n"
    "      --version           show the version and stop\n\n"
    "What a record is and what order means is said with the options of `gpusort sort':\n"
    "-b -d -f -g -i -h -M -n -R -r -V -k -t -s -u -z --sort --random-source\n"
    "--record-size --key-bytes --csv --tsv --no-quotes --jsonl-key --locale-order\n"
    "--header --no-header, as are -S, -T, --parallel, --engine, --sync, --verify,\n"
    "--stats and the others.\n";

static void say(void *context, gpusort_level level, const char *text)
{
    const partition_request *const r = context;
    if (r->args.verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

static void refuse(bool is_there, const char *option, const char *other)
{
    if (is_there)
        gs_die_incompatible(option, other, NULL);
}

static void settle_unframe(const partition_request *r)
{
    refuse(r->splitters != NULL, "--splitters", "--unframe");
    refuse(r->parts != NULL, "--parts", "--unframe");
    refuse(r->is_framed, "--framed", "--unframe");
    refuse(r->compresses, "--compress", "--unframe");
    refuse(r->args.merge, "-m", "--unframe");
    refuse(r->range != NULL, "--range", "--unframe");
    if (r->args.options.input_count > 1)
        gs_die(0, "--unframe is of one stream");
    if (r->part == NULL && r->args.options.output == NULL)
        gs_die_usage(
            "say where parts are to go: -o PREFIX, or which is wanted: --part=I");
}

/* Where a table is cut nobody can tell if a quote is open there. */
static void settle_range(partition_request *r)
{
    const gpusort_sort_options *const sort = &r->args.options;
    gpusort_partition_options *const o = &r->options;
    o->has_range = gs_own_range(&r->args, r->range, &o->range_begin, &o->range_end);
    if (!o->has_range)
        return;
    refuse(r->args.merge, "-m", "--range");
    refuse(sort->order.form == GPUSORT_CSV, "--csv", "--range");
    refuse(sort->header_lines > 0, "--header", "--range");
}

static void settle(partition_request *r)
{
    gpusort_sort_options *const sort = &r->args.options;
    if (r->is_framed || r->part != NULL) /* of parts it is the beginning of their names */
        sort->output = gs_args_output(sort->output);
    if (r->unframes) {
        settle_unframe(r);
        return;
    }
    refuse(r->part != NULL, "--part", "--splitters");
    if (r->compresses && !r->is_framed)
        gs_die_usage("--compress is of a stream: --framed");
    if (r->splitters == NULL)
        gs_die_usage("say where to cut: --splitters=FILE");
    if (sort->output == NULL && !r->is_framed)
        gs_die_usage("say where parts are to go: -o PREFIX, or --framed");
    r->options.is_framed = r->is_framed;
    r->options.packs = r->compresses;
    r->options.splitters = r->splitters;
    r->options.is_merge = r->args.merge;
    settle_range(r);
    if (r->parts != NULL)
        r->options.parts = gs_own_number("--parts", r->parts, 1);
    if (strcmp(r->splitters, "-") == 0 &&
        gs_args_have_stdin(sort->inputs, sort->input_count))
        gs_die(0, "standard input cannot be both splitters and what is to be sorted");
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void tell_parts(const partition_request *r)
{
    const uint64_t first = r->part != NULL ? gs_own_number("--part", r->part, 0) : 0;
    for (size_t i = 0; i < r->result.count; i++) {
        const gpusort_part *const t = &r->result.parts[i];
        gs_report(0, "part %" PRIu64 ": %" PRIu64 " record%s, %" PRIu64 " byte%s",
                  first + i, t->records, plural(t->records), t->bytes, plural(t->bytes));
    }
}

static void count_parts(partition_request *r)
{
    r->part_count = r->result.count;
    for (size_t i = 0; i < r->result.count; i++) {
        const gpusort_part *const t = &r->result.parts[i];
        if (t->records > r->records_max)
            r->records_max = t->records;
        if (t->bytes > r->bytes_max)
            r->bytes_max = t->bytes;
    }
}

static gs_code work(void *context, gs_status *st)
{
    partition_request *const r = context;
    gpusort_error error = GPUSORT_NO_ERROR;
    const uint64_t part = r->part != NULL ? gs_own_number("--part", r->part, 0) : 0;
    const gpusort_code code =
        r->unframes ? gpusort_unframe(&r->args.options, r->part != NULL ? &part : NULL,
                                      &r->result, &error)
                    : gpusort_partition(&r->options, &r->result, &error);
    count_parts(r);
    return code == GPUSORT_OK ? GS_OK : gs_status_of_error(st, &error);
}

int cmd_partition(int argc, char **argv)
{
    static const char *const allowed[] = {"-o", "-m", "--stats", "--trace", NULL};
    partition_request r = {.options = GPUSORT_PARTITION_OPTIONS};
    r.options.sort = &r.args.options;
    const gs_own_option own[] = {
        {"--splitters", &r.splitters, NULL}, {"--parts", &r.parts, NULL},
        {"--framed", NULL, &r.is_framed},    {"--compress", NULL, &r.compresses},
        {"--unframe", NULL, &r.unframes},    {"--part", &r.part, NULL},
        {"--range", &r.range, NULL},
    };
    argc = gs_own_options_take(own, sizeof own / sizeof *own, argc, argv);
    if (!gs_own_options_parse_rest(&r.args, usage_text, allowed, argc, argv))
        return gs_stdout_close(GS_EXIT_GOOD);
    settle(&r);
    gpusort_stats *const stats = gs_watch_stats_new(&r.args.watch);
    gpusort_job *const job = &r.args.options.job;
    job->log = say;
    job->context = &r;
    job->stats = stats;
    job->flags |= GPUSORT_ENDS_BY_PIPE;
    gs_status st = {.code = GS_OK};
    const gs_stats_extra extras[] = {
        {"parts", &r.part_count},
        {"part_records_max", &r.records_max},
        {"part_bytes_max", &r.bytes_max},
    };
    const size_t extra_count = sizeof extras / sizeof *extras;
    if (gs_watch_run(&r.args.watch, stats, extras, extra_count, work, &r, &st) != GS_OK)
        gs_report_status(&st, true);
    else if (r.args.verbose)
        tell_parts(&r);
    gpusort_stats_free(stats);
    gpusort_parts_free(&r.result);
    gs_sort_args_release(&r.args);
    return st.code == GS_OK ? GS_EXIT_GOOD : GS_EXIT_TROUBLE;
}
