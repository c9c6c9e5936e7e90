/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats freq: the most frequent values of a stream.
 */
#include <math.h>

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
        STATS_WORK_OPTIONS(a),
    };
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    stats_settle_times(a);
    stats_args_settle_texts(a);
    stats_check_save(a);
    stats_settle_support(a, r->ask.support);
    r->ask.eps = a->eps;
    r->ask.type = a->values.type;
    r->ask.output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

static size_t counters_of(const freq_request *r)
{
    return (size_t)ceil(1 / r->args.eps);
}

static gs_code print_report(void *context, const gs_frequent *all, bool is_end,
                            gs_status *st)
{
    freq_request *const r = context;
    GS_TRY(freq_print(&r->ask, all, is_end, st));
    const bool is_text = all->texts != NULL;
    gs_saved_summary s = {.kind = is_text ? GS_SAVED_TEXTS : GS_SAVED_NUMBERS,
                          .values = all->values,
                          .counters = counters_of(r)};
    if (is_text)
        s.texts = *all->texts;
    else
        s.numbers = *all->numbers;
    return is_end ? stats_save(&r->args, &s, st) : GS_OK;
}

static gs_code print_sliding(void *context, const gs_sliding_all *all, bool is_end,
                             gs_status *st)
{
    freq_request *const r = context;
    const gs_sliding_block *const b = all->covered;
    const bool is_text = r->args.values.is_text;
    const gs_frequent frequent = {.numbers = is_text ? NULL : &b->numbers,
                                  .texts = is_text ? &b->texts : NULL,
                                  .values = all->values,
                                  .in_window = all->in_window,
                                  .lost = all->uncovered + all->window_error +
                                          (is_text ? b->texts.lost : b->numbers.lost),
                                  .bytes = all->bytes};
    return freq_print(&r->ask, &frequent, is_end, st);
}

/* --- ways --------------------------------------------------------------------------- */

static gs_code run_all(freq_request *r, const stats_workplace *w,
                       gs_value_stream_counts *counts, gs_status *st)
{
    gs_count_sink sink = {.is_text = r->args.values.is_text,
                          .counters = counters_of(r),
                          .memory_bytes = w->memory_bytes / 2,
                          .report = print_report,
                          .report_context = r};
    const size_t window = sink.is_text
                              ? GS_WINDOW_TEXTS
                              : gs_count_window_values(sink.counters, sink.memory_bytes);
    const gs_value_stream_options options = stats_stream_options(&r->args, w, window);
    const gs_value_sink as_sink = gs_count_sink_as_sink(&sink);
    GS_NOTED(gs_value_stream_run(&options, &as_sink, counts, st));
    gs_count_sink_release(&sink);
    return st->code;
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    freq_request *const r = request;
    const gs_sliding_kind kind =
        r->args.values.is_text ? GS_SLIDING_TEXTS : GS_SLIDING_NUMBERS;
    if (r->args.window_seconds > 0)
        return stats_run_of_time(kind, &r->args, w, print_sliding, r, counts, st);
    if (r->args.window > 0)
        return stats_run_sliding(kind, &r->args, w, print_sliding, r, counts, st);
    return run_all(r, w, counts, st);
}

int gs_stats_freq_command(int argc, char **argv)
{
    freq_request r = {.args = stats_args_default(), .ask.support = FREQ_SUPPORT};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
