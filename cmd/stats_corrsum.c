/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats corrsum: sums of one column where another is up to a limit that only the
 * whole stream tells.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"
#include "lib/base/quote.h"

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
    "      --eps=E              error, a share (default: 0.001)\n" STATS_INPUT_USAGE
        STATS_WORK_USAGE;

typedef enum corrsum_agg { AGG_AVG, AGG_MIN, AGG_MAX, AGG_QUANTILE } corrsum_agg;

static const gs_word aggregates[] = {
    {"avg", AGG_AVG}, {"min", AGG_MIN}, {"max", AGG_MAX}, {"quantile", AGG_QUANTILE}};

typedef struct corrsum_request {
    stats_args args;
    corrsum_agg agg;
    double phi, times, plus;
    stats_output output;
    const gs_pair_sink *sink;
} corrsum_request;

static void take_number(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    const double number = strtod(scan->argument, &end);
    if (end == scan->argument || *end != '\0' || !isfinite(number)) {
        gs_quoted q;
        gs_die_usage("--%s is a number, not %s", scan->current->name,
                     gs_quote_argument(&q, scan->argument));
    }
    *(double *)to = number;
}

static void parse(corrsum_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "sum", GS_OPT_TEXT(&a->second_column)},
        {0, "agg", GS_OPT_WORD(&r->agg, aggregates)},
        {0, "phi", STATS_OPT_SHARE(&r->phi)},
        {0, "times", GS_OPT_CALL(take_number, GS_OPT_TO(double, &r->times))},
        {0, "plus", GS_OPT_CALL(take_number, GS_OPT_TO(double, &r->plus))},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
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
    stats_args_settle(a);
    stats_check_eps(a);
    r->output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

static double aggregate(const corrsum_request *r, const gs_pair_facts *all)
{
    const gs_number_type type = r->args.values.type;
    switch (r->agg) {
    case AGG_AVG: return all->x_sum / (double)all->values;
    case AGG_MIN: return gs_number_as_double(type, all->least_key);
    case AGG_MAX: return gs_number_as_double(type, all->most_key);
    case AGG_QUANTILE: break;
    }
    const uint64_t rank = gs_rank_of_share(r->phi, all->values);
    return gs_number_as_double(type, gs_rank_summary_at(&all->ranks, rank)->key);
}

static void print_double(const corrsum_request *r, double value)
{
    stats_output_number(&r->output, GS_NUMBER_F64, gs_number_of_double(value));
}

static gs_code print_report(void *context, const gs_pair_facts *all, bool is_end,
                            gs_status *st)
{
    corrsum_request *const r = context;
    gs_sum_bounds sum = {0, 0};
    double limit = 0;
    if (all->values > 0) {
        uint64_t key;
        limit = r->times * aggregate(r, all) + r->plus;
        if (isnan(limit))
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "the limit of X is no number");
        if (gs_number_up_to(r->args.values.type, limit, &key))
            sum = gs_sum_summary_at(&all->sums, key);
    }
    if (!stats_output_begin(&r->output, all->values, is_end))
        return GS_OK;
    if (r->args.as_json) {
        printf(", \"eps\": %g, \"error_bound\": %.17g, \"summary_bytes\": %zu, "
               "\"limit\": ",
               r->args.eps, r->args.eps * gs_sum_summary_total(&all->sums),
               gs_pair_sink_bytes(r->sink));
        print_double(r, limit);
        fputs(", \"sum\": ", stdout);
    }
    print_double(r, sum.least + (sum.most - sum.least) / 2);
    fputs(r->args.as_json ? ", \"least\": " : "\t", stdout);
    print_double(r, sum.least);
    fputs(r->args.as_json ? ", \"most\": " : "\t", stdout);
    print_double(r, sum.most);
    if (!r->args.as_json)
        putchar('\n');
    return stats_output_end(&r->output, st);
}

static gs_code work(void *request, const stats_workplace *w,
                    gs_value_stream_counts *counts, gs_status *st)
{
    corrsum_request *const r = request;
    gs_pair_sink sink = {.type = r->args.values.type,
                         .eps = r->args.eps,
                         .has_ranks = r->agg == AGG_QUANTILE,
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
    corrsum_request r = {.args = stats_args_default(), .phi = 0.5, .times = 1};
    parse(&r, argc, argv);
    return stats_command_run(&r.args, work, &r);
}
