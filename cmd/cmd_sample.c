/* SPDX-License-Identifier: MIT */
/*
 * gpusort sample: some of the records of files, and records that cut them into even
 * parts.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/opt_kinds.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

typedef struct sample_request {
    const char *count, *seed, *splitters, *range;
    gs_sort_args args;
    gpusort_sample_options options;
} sample_request;

enum { SPLITTERS_TIMES = 100, SPLITTERS_MIN = 10000 };

static const char usage_text[] =
    "Usage: gpusort sample [OPTION]... [FILE]...\n"
    "Writes some records of all FILEs, or of standard input, each with the same chance.\n"
    "Of plain files only some blocks are read.\n\n"
    "  -n, --records=N         so many, or all if there are fewer; K, M: of 1024\n"
    "      --splitters=R       instead, in the order asked for, R - 1 records that cut\n"
    "                          all into R even parts, for `gpusort partition'; of N\n"
    "                          records (default: 100 R, at least 10000)\n"
    "      --seed=N            another seed, another sample (default: 1)\n"
    "      --range=FROM:TO     only records that begin at these bytes of the one FILE\n"
    "  -o, --output=FILE       instead of standard output\n"
    "  -v, --verbose           say how many records were looked at\n"
    "      --help              this text\n"
    "      --version           show the version and stop\n\n"
    "What a record is and what order means is said with the options of `gpusort sort':\n"
    "-b -d -f -g -i -h -M -R -r -V -k -t -s -u -z --numeric-sort --sort --random-source\n"
    "--record-size --key-bytes --csv --tsv --no-quotes --jsonl-key --locale-order\n"
    "--header --no-header, as are -S, -T, --parallel, --no-decompress and --no-uring. "
    "-n\n"
    "is no order here.\n";

static void settle(sample_request *r)
{
    gpusort_sample_options *const o = &r->options;
    o->seed = r->seed != NULL ? gs_own_number("--seed", r->seed, 0) : 1;
    if (r->splitters != NULL)
        o->parts = gs_own_number("--splitters", r->splitters, 1);
    if (r->count != NULL)
        o->records = gs_own_number("-n", r->count, 1);
    else if (r->splitters == NULL)
        gs_die_usage("say how many: -n N, or --splitters=R");
    else if (__builtin_mul_overflow(o->parts, SPLITTERS_TIMES, &o->records))
        o->records = UINT64_MAX;
    if (r->count == NULL && o->records < SPLITTERS_MIN)
        o->records = SPLITTERS_MIN;
    if (o->parts > GPUSORT_PARTS_MAX)
        gs_die(0, "--splitters=%" PRIu64 ": more than %d parts", o->parts,
               GPUSORT_PARTS_MAX);
    if (o->parts > o->records)
        gs_die(0, "%" PRIu64 " records cannot cut anything into %" PRIu64 " parts",
               o->records, o->parts);
    o->has_range = gs_own_range(&r->args, r->range, &o->range_begin, &o->range_end);
}

static void say(void *context, gpusort_level level, const char *text)
{
    const sample_request *const r = context;
    if (r->args.verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

int cmd_sample(int argc, char **argv)
{
    static const char *const allowed[] = {"-o", NULL};
    sample_request r = {.options = GPUSORT_SAMPLE_OPTIONS};
    const gs_own_option own[] = {
        {"-n", &r.count, NULL},
        {"--records", &r.count, NULL},
        {"--splitters", &r.splitters, NULL},
        {"--seed", &r.seed, NULL},
        {"--range", &r.range, NULL},
    };
    argc = gs_own_options_take(own, sizeof own / sizeof *own, argc, argv);
    if (!gs_own_options_parse_rest(&r.args, usage_text, allowed, argc, argv))
        return gs_stdout_close(GS_EXIT_GOOD);
    settle(&r);
    r.args.options.output = gs_args_output(r.args.options.output);
    r.args.options.job.log = say;
    r.args.options.job.context = &r;
    r.args.options.job.flags |= GPUSORT_ENDS_BY_PIPE;
    r.options.sort = &r.args.options;
    uint64_t records, seen;
    gpusort_error error = GPUSORT_NO_ERROR;
    const gpusort_code code = gpusort_sample(&r.options, &records, &seen, &error);
    if (code != GPUSORT_OK)
        (void)gs_report_error(&error);
    else if (r.args.verbose)
        gs_report(0, "%" PRIu64 " of the %" PRIu64 " records that were looked at",
                  records, seen);
    gs_sort_args_release(&r.args);
    return code == GPUSORT_OK ? GS_EXIT_GOOD : GS_EXIT_TROUBLE;
}
