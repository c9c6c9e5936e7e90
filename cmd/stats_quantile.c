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
    const gs_rank_sink *sink;
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
    r->ask.type = a->values.type;
    r->ask.eps = a->eps;
    r->ask.output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

static gs_code print_report(void *context, const gs_rank_summary *all, bool is_end,
                            gs_status *st)
{
    quantile_request *const r = context;
    const gs_rank_histogram *const h = &r->sink->histogram;
    const size_t most =
        gs_rank_histogram_entries_max(h->eps, h->window_values, all->values);
    const quantile_view v = {.all = all,
                             .values = all->values,
                             .in_window = all->values,
                             .bytes =
                                 gs_rank_histogram_entries(h) * sizeof(gs_rank_entry),
                             .bytes_max = most * sizeof(gs_rank_entry)};
    GS_TRY(quantile_print(&r->ask, &v, is_end, st));
    gs_saved_summary s = {
        .kind = GS_SAVED_QUANTILES, .values = all->values, .ranks = *all};
    return is_end ? stats_save(&r->args, &s, st) : GS_OK;
}

static gs_code print_sliding(void *context, const gs_sliding_all *all, bool is_end,
                             gs_status *st)
{
    quantile_request *const r = context;
    const quantile_view v = {.all = &all->covered->ranks,
                             .values = all->values,
                             .in_window = all->in_window,
                             .uncovered = all->uncovered,
                             .window_error = all->window_error,
                             .bytes = all->bytes};
    return quantile_print(&r->ask, &v, is_end, st);
}

static gs_code print_exact(void *context, gs_exact_sink *all, bool is_end, gs_status *st)
{
    quantile_request *const r = context;
    const quantile_view v = {.exact = all,
                             .values = all->values,
                             .in_window = all->values,
                             .bytes = gs_key_runs_held_bytes(&all->runs),
                             .spilled_bytes = gs_key_runs_spilled_bytes(&all->runs)};
    return quantile_print(&r->ask, &v, is_end, st);
}

/* --- ways --------------------------------------------------------------------------- */

static gs_code run_all(quantile_request *r, const stats_workplace *w,
                       gs_value_stream_counts *counts, gs_status *st)
{
    gs_rank_sink sink;
    gs_rank_sink_init(&sink, r->args.eps, w->memory_bytes / 2, print_report, r);
    r->sink = &sink;
    const gs_value_stream_options options =
        stats_stream_options(&r->args, w, sink.histogram.window_values);
    const gs_value_sink as_sink = gs_rank_sink_as_sink(&sink);
    GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_rank_sink_release(&sink);
    return st->code;
}

/* Windows take no more than a half of the memory; runs have what they leave. */
static gs_code run_exact(quantile_request *r, const stats_workplace *w,
                         gs_value_stream_counts *counts, gs_status *st)
{
    gs_exact_sink sink = {.report = print_exact, .report_context = r};
    const size_t window_values =
        gs_exact_window_values(w->memory_bytes, gs_tuple_sorter_uses_gpu(w->sorter));
    gs_value_stream_options options = stats_stream_options(&r->args, w, window_values);
    const size_t windows_bytes =
        (gs_team_workers(w->team) + 1) * 2 * window_values * sizeof(uint64_t);
    if (windows_bytes < options.memory_bytes)
        options.memory_bytes = windows_bytes;
    const gs_value_sink as_sink = gs_exact_sink_as_sink(&sink);
    if (gs_exact_sink_init(&sink, window_values, w->memory_bytes - options.memory_bytes,
                           r->temp_folders, r->temp_folder_count, st) == GS_OK)
        GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_exact_sink_release(&sink);
    return st->code;
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    quantile_request *const r = request;
    if (r->is_exact)
        return run_exact(r, w, counts, st);
    if (r->args.window_seconds > 0)
        return stats_run_of_time(GS_SLIDING_RANKS, &r->args, w, print_sliding, r, counts,
                                 st);
    if (r->args.window == 0)
        return run_all(r, w, counts, st);
    return stats_run_sliding(GS_SLIDING_RANKS, &r->args, w, print_sliding, r, counts, st);
}

int gs_stats_quantile_command(int argc, char **argv)
{
    quantile_request r = {.args = stats_args_default(), .ask.phi_text = QUANTILE_PHIS};
    parse(&r, argc, argv);
    const int exit_code = stats_command_run(&r.args, work, &r);
    quantile_ask_release(&r.ask);
    gs_mem_free(r.temp_folders);
    return exit_code;
}
