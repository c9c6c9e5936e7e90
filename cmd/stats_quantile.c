/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats quantile: quantiles of a stream of numbers.
 */
#include "cmd/commands.h"
#include "cmd/quantile_answer.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"
#include "lib/base/mem.h"

static const char usage_text[] =
    "Usage: gpusort stats quantile [OPTION]... [FILE]...\n"
    "Prints quantiles of numbers, in one pass and in bounded memory: a line of\n"
    "PHI TAB VALUE for each. Of N values the rank of VALUE is within eps * N of PHI * "
    "N.\n\n"
    "      --phi=LIST           shares of the values that are less or equal (default:\n"
    "                           0.5,0.9,0.99)\n"
    "      --window=W|TIME      of the last W values alone, which N is then, or of those "
    "of\n"
    "                           the last 10s, 5m, 2h, 1d before the latest "
    "time\n" STATS_TIMES_USAGE
    "      --exact              the very values: all are kept, sorted, in memory and\n"
    "                           behind that in temporary files\n"
    "  -T, --temporary-directory=DIR\n"
    "                           for these; may be given more than once\n"
    "      --eps=E              error of the rank, a share of N (default: "
    "0.001)\n" STATS_SAVE_USAGE STATS_INPUT_USAGE STATS_WORK_USAGE;

typedef struct quantile_request {
    stats_args args;
    quantile_ask ask;
    bool is_exact;
    const char **temp_folders;
    size_t temp_folder_count;
} quantile_request;

static void parse(quantile_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "phi", GS_OPT_TEXT(&r->ask.phi_text)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "window", STATS_OPT_WINDOW(a)},
        {0, "time-column", GS_OPT_TEXT(&a->second_column)},
        {0, "exact", GS_OPT_FLAG(&r->is_exact)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&r->temp_folders, &r->temp_folder_count)},
        {0, "save", GS_OPT_TEXT(&a->save)},
        STATS_INPUT_OPTIONS(a),
        STATS_OUTPUT_OPTIONS(&a->output),
        STATS_WORK_OPTIONS(a),
    };
    const double usual_eps = a->eps;
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    stats_settle_times(a);
    stats_args_settle(a);
    if (r->is_exact &&
        (a->eps >= 0 || a->window > 0 || a->window_seconds > 0 || a->save != NULL))
        gs_die_usage("--exact is of all values and has no error: neither --window, "
                     "--eps nor --save");
    stats_check_save(a);
    if (a->eps < 0)
        a->eps = usual_eps;
    stats_check_eps(a);
    quantile_ask_take(&r->ask);
    a->stream.statistic = GPUSORT_QUANTILES;
    a->stream.is_exact = r->is_exact;
    a->stream.job.temp_folders = r->temp_folders;
    a->stream.job.temp_folder_count = r->temp_folder_count;
}

static gs_code print_report(void *request, gpusort_summary *summary, gs_status *st)
{
    quantile_request *const r = request;
    GS_TRY(quantile_print(&r->ask, &r->args.output, summary, st));
    return stats_save(&r->args, summary, st);
}

int gs_stats_quantile_command(int argc, char **argv)
{
    quantile_request r = {.args = stats_args_default(), .ask.phi_text = QUANTILE_PHIS};
    parse(&r, argc, argv);
    const int exit_code = stats_command_run(&r.args, print_report, &r);
    quantile_ask_release(&r.ask);
    gs_mem_free(r.temp_folders);
    return exit_code;
}
