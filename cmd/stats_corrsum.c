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
    const gs_pair_sink *sink;
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
        STATS_WORK_OPTIONS(a),
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    a->values.column_count = 2;
    if (a->values.is_binary && a->second_column != NULL)
        gs_die_usage("--binary has pairs of numbers, X and Y: no --sum");
    if (!a->values.is_binary && a->column == NULL)
        a->column = "1";
    if (!a->values.is_binary && a->second_column == NULL)
        a->second_column = "2";
    if (a->window_seconds > 0)
        gs_die_usage("sums have no --window of a time: the few pairs that it would leave "
                     "out may have nearly all of one");
    stats_args_settle(a);
    stats_check_save(a);
    stats_check_eps(a);
    r->ask.type = a->values.type;
    r->ask.eps = a->eps;
    r->ask.output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

static gs_code print_report(void *context, const gs_pair_facts *all, bool is_end,
                            gs_status *st)
{
    corrsum_request *const r = context;
    GS_TRY(corrsum_print(&r->ask, all, all->values, gs_pair_sink_bytes(r->sink), is_end,
                         st));
    gs_saved_summary s = {.kind = GS_SAVED_SUMS,
                          .values = all->values,
                          .has_ranks = r->sink->has_ranks,
                          .pairs = *all};
    return is_end ? stats_save(&r->args, &s, st) : GS_OK;
}

static gs_code print_sliding(void *context, const gs_sliding_all *all, bool is_end,
                             gs_status *st)
{
    corrsum_request *const r = context;
    return corrsum_print(&r->ask, &all->covered->pairs, all->values, all->bytes, is_end,
                         st);
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    corrsum_request *const r = request;
    if (r->args.window > 0)
        return stats_run_sliding(r->ask.agg == AGG_QUANTILE ? GS_SLIDING_SUMS_AND_RANKS
                                                            : GS_SLIDING_SUMS,
                                 &r->args, w, print_sliding, r, counts, st);
    gs_pair_sink sink = {.type = r->args.values.type,
                         .eps = r->args.eps,
                         .has_ranks = r->ask.agg == AGG_QUANTILE,
                         .memory_bytes = w->memory_bytes / 2,
                         .report = print_report,
                         .report_context = r};
    r->sink = &sink;
    const size_t window = gs_rank_window_values(r->args.eps, sink.memory_bytes / 2);
    gs_pair_sink_init(&sink, window);
    const gs_value_stream_options options = stats_stream_options(&r->args, w, window);
    const gs_value_sink as_sink = gs_pair_sink_as_sink(&sink);
    GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_pair_sink_release(&sink);
    return st->code;
}

int gs_stats_corrsum_command(int argc, char **argv)
{
    corrsum_request r = {.args = stats_args_default(), .ask = {.phi = 0.5, .times = 1}};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
