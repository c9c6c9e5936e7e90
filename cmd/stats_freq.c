/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats freq: the most frequent values of a stream.
 */
#include "cmd/commands.h"
#include "cmd/freq_answer.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"

static const char usage_text[] =
    "Usage: gpusort stats freq [OPTION]... [FILE]...\n"
    "Prints the most frequent values, in one pass and in bounded memory: a line of\n"
    "VALUE TAB COUNT for each, the most frequent first. Of N values all that came S * N\n"
    "times or more are there, none that came less than (S - eps) * N times; a count is\n"
    "never high, and low by at most eps * N.\n\n"
    "      --support=S          share of the values (default: 0.01)\n"
    "      --eps=E              error, a share of N (default: a tenth of S)\n"
    "      --top=K              no more than the first K\n"
    "      --window=W|TIME      of the last W values alone, which N is then, or of those "
    "of\n"
    "                           the last 10s, 5m, 2h, 1d before the latest "
    "time\n" STATS_TIMES_USAGE STATS_SAVE_USAGE STATS_TEXT_INPUT_USAGE STATS_WORK_USAGE;

typedef struct freq_request {
    stats_args args;
    freq_ask ask;
} freq_request;

static void parse(freq_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "support", STATS_OPT_SHARE(&r->ask.support)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "top", GS_OPT_COUNT(&r->ask.top)},
        {0, "window", STATS_OPT_WINDOW(a)},
        {0, "time-column", GS_OPT_TEXT(&a->second_column)},
        {0, "save", GS_OPT_TEXT(&a->save)},
        STATS_INPUT_OPTIONS(a),
        STATS_OUTPUT_OPTIONS(&a->output),
        STATS_WORK_OPTIONS(a),
    };
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    stats_settle_times(a);
    stats_args_settle_texts(a);
    stats_check_save(a);
    stats_settle_support(a, r->ask.support);
    a->stream.statistic = GPUSORT_FREQUENT;
}

static gs_code print_report(void *request, gpusort_summary *summary, gs_status *st)
{
    freq_request *const r = request;
    GS_TRY(freq_print(&r->ask, &r->args.output, summary, st));
    return stats_save(&r->args, summary, st);
}

int gs_stats_freq_command(int argc, char **argv)
{
    freq_request r = {.args = stats_args_default(), .ask.support = FREQ_SUPPORT};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, print_report, &r);
}
