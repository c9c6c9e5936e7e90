/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats freq: the most frequent values of a stream.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "cmd/commands.h"
#include "cmd/json_text.h"
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
    "      --window=W           of the last W values alone, which N is "
    "then\n" STATS_TEXT_INPUT_USAGE STATS_WORK_USAGE;

typedef struct freq_request {
    stats_args args;
    double support;
    size_t top; /* 0: all */
    stats_output output;
} freq_request;

static void parse(freq_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "support", STATS_OPT_SHARE(&r->support)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "top", GS_OPT_COUNT(&r->top)},
        {0, "window", GS_OPT_COUNT(&a->window)},
        STATS_INPUT_OPTIONS(a),
        STATS_WORK_OPTIONS(a),
    };
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    stats_args_settle_texts(a);
    stats_settle_support(a, r->support);
    r->output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

static void print_value(const freq_request *r, const gs_frequent *all, size_t i)
{
    if (all->numbers != NULL)
        stats_output_number(&r->output, r->args.values.type,
                            all->numbers->entries[i].key);
    else
        stats_output_text(&r->output, gs_text_counts_text(all->texts, i),
                          all->texts->entries[i].bytes);
}

static gs_code print_report(void *context, const gs_frequent *all, bool is_end,
                            gs_status *st)
{
    freq_request *const r = context;
    const bool as_json = r->args.as_json;
    const size_t held = all->numbers ? all->numbers->count : all->texts->count;
    const double least = r->support * (double)all->in_window;
    if (!stats_output_begin(&r->output, all->values, is_end))
        return GS_OK;
    if (as_json)
        printf(", \"window\": %" PRIu64
               ", \"support\": %g, \"eps\": %g, \"error_max\": %" PRIu64
               ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %zu, \"values\": [",
               all->in_window, r->support, r->args.eps, all->lost,
               (uint64_t)(r->args.eps * (double)all->in_window), all->bytes);
    for (size_t i = 0; i < held && (r->top == 0 || i < r->top); i++) {
        const uint64_t count =
            all->numbers ? all->numbers->entries[i].count : all->texts->entries[i].count;
        if ((double)(count + all->lost) < least)
            break;
        if (as_json)
            printf("%s{\"value\": ", i > 0 ? ", " : "");
        print_value(r, all, i);
        printf(as_json ? ", \"count\": %" PRIu64 "}" : "\t%" PRIu64 "\n", count);
    }
    if (as_json)
        putchar(']');
    return stats_output_end(&r->output, st);
}

static gs_code print_sliding(void *context, const gs_sliding_all *all, bool is_end,
                             gs_status *st)
{
    const freq_request *const r = context;
    const gs_sliding_block *const b = all->covered;
    const bool is_text = r->args.values.is_text;
    const gs_frequent frequent = {.numbers = is_text ? NULL : &b->numbers,
                                  .texts = is_text ? &b->texts : NULL,
                                  .values = all->values,
                                  .in_window = all->in_window,
                                  .lost = all->uncovered +
                                          (is_text ? b->texts.lost : b->numbers.lost),
                                  .bytes = all->bytes};
    return print_report(context, &frequent, is_end, st);
}

/* --- ways --------------------------------------------------------------------------- */

static gs_code run_all(freq_request *r, const stats_workplace *w,
                       gs_value_stream_counts *counts, gs_status *st)
{
    gs_count_sink sink = {.is_text = r->args.values.is_text,
                          .counters = (size_t)ceil(1 / r->args.eps),
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
    if (r->args.window == 0)
        return run_all(r, w, counts, st);
    return stats_run_sliding(r->args.values.is_text ? GS_SLIDING_TEXTS
                                                    : GS_SLIDING_NUMBERS,
                             &r->args, w, print_sliding, r, counts, st);
}

int gs_stats_freq_command(int argc, char **argv)
{
    freq_request r = {.args = stats_args_default(), .support = 0.01};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
