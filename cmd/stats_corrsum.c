/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats corrsum: sums of one column where another is up to a limit that only the
 * whole stream tells.
 */
#include "cmd/commands.h"
#include "cmd/corrsum_answer.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"

static const char usage_text[] =
    "Usage: gpusort stats corrsum [OPTION]... [FILE]...\n"
    "Prints the sum of Y where X <= F * AGG(X) + C, AGG(X) being the average of all X, "
    "or\n"
    "another figure of it, in one pass and in bounded memory: a line of SUM TAB LEAST "
    "TAB\n"
    "MOST, between which the true sum lies. SUM is within eps * (the sum of all |Y|).\n\n"
    "      --sum=N|NAME         the column Y (default: 2); -k is X (default: 1)\n"
    "      --agg=FIGURE         avg (default), min, max or quantile\n"
    "      --phi=P              which quantile (default: 0.5), itself within eps * N\n"
    "      --times=F            (default: 1)\n"
    "      --plus=C             (default: 0)\n"
    "      --window=W           of the last W pairs alone, but for at most eps * W / 4\n"
    "      --eps=E              error, a share (default: 0.001)\n" STATS_SAVE_USAGE
        STATS_INPUT_USAGE STATS_WORK_USAGE;

typedef struct corrsum_request {
    stats_args args;
    corrsum_ask ask;
} corrsum_request;

static void parse(corrsum_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "sum", GS_OPT_TEXT(&a->second_column)},
        {0, "phi", STATS_OPT_SHARE(&r->ask.phi)},
        CORRSUM_OPTIONS(&r->ask),
        {0, "window", STATS_OPT_WINDOW(a)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "save", GS_OPT_TEXT(&a->save)},
        STATS_INPUT_OPTIONS(a),
        STATS_OUTPUT_OPTIONS(&a->output),
        STATS_WORK_OPTIONS(a),
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    a->has_second = true;
    if (a->is_binary && a->second_column != NULL)
        gs_die_usage("--binary has pairs of numbers, X and Y: no --sum");
    if (!a->is_binary && a->column == NULL)
        a->column = "1";
    if (!a->is_binary && a->second_column == NULL)
        a->second_column = "2";
    if (a->window_seconds > 0)
        gs_die_usage("sums have no --window of a time: the few pairs that it would leave "
                     "out may have nearly all of one");
    stats_args_settle(a);
    stats_check_save(a);
    stats_check_eps(a);
    a->stream.statistic = GPUSORT_SUMS;
    a->stream.has_ranks = r->ask.agg == GPUSORT_QUANTILE;
}

static gs_code print_report(void *request, gpusort_summary *summary, gs_status *st)
{
    corrsum_request *const r = request;
    GS_TRY(corrsum_print(&r->ask, &r->args.output, summary, st));
    return stats_save(&r->args, summary, st);
}

int gs_stats_corrsum_command(int argc, char **argv)
{
    corrsum_request r = {.args = stats_args_default(), .ask = {.phi = 0.5, .times = 1}};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, print_report, &r);
}
