/* SPDX-License-Identifier: MIT */
/*
 * gpusort stats quantile: quantiles of a stream of numbers.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/stats_args.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { PHIS_MAX = 1024 };

static const char usage_text[] =
    "Usage: gpusort stats quantile [OPTION]... [FILE]...\n"
    "Prints quantiles of numbers, in one pass and in bounded memory: a line of\n"
    "PHI TAB VALUE for each. Of N values the rank of VALUE is within eps * N of PHI * "
    "N.\n\n"
    "      --phi=LIST           shares of the values that are less or equal (default:\n"
    "                           0.5,0.9,0.99)\n"
    "      --window=W           of the last W values alone, which N is then\n"
    "      --exact              the very values: all are kept, sorted, in memory and\n"
    "                           behind that in temporary files\n"
    "  -T, --temporary-directory=DIR\n"
    "                           for these; may be given more than once\n"
    "      --eps=E              error of the rank, a share of N (default: "
    "0.001)\n" STATS_INPUT_USAGE STATS_WORK_USAGE;

typedef struct quantile_request {
    stats_args args;
    const char *phi_text;
    char *phi_copy; /* cut into its parts */
    const char *phi_texts[PHIS_MAX];
    double phis[PHIS_MAX];
    size_t phi_count;
    bool is_exact;
    const char **temp_folders;
    size_t temp_folder_count;
    stats_output output;
    const gs_rank_sink *sink;
} quantile_request;

static void take_phis(quantile_request *r)
{
    gs_status st = {.code = GS_OK};
    gs_quoted q;
    if (gs_mem_copy_string(&r->phi_copy, r->phi_text, &st) != GS_OK)
        exit(gs_report_failure(&st));
    for (char *text = r->phi_copy, *next; text != NULL; text = next) {
        char *end = NULL;
        next = strchr(text, ',');
        if (next != NULL)
            *next++ = '\0';
        const double phi = strtod(text, &end);
        if (end == text || *end != '\0' || !(phi >= 0 && phi <= 1))
            gs_die_usage("--phi is a list of numbers from 0 to 1, not %s",
                         gs_quote_argument(&q, r->phi_text));
        if (r->phi_count == PHIS_MAX)
            gs_die_usage("--phi has more than %d numbers", PHIS_MAX);
        r->phi_texts[r->phi_count] = text;
        r->phis[r->phi_count++] = phi;
    }
}

static void parse(quantile_request *r, int argc, char **argv)
{
    stats_args *const a = &r->args;
    const gs_opt options[] = {
        {0, "phi", GS_OPT_TEXT(&r->phi_text)},
        {0, "eps", STATS_OPT_SHARE(&a->eps)},
        {0, "window", GS_OPT_COUNT(&a->window)},
        {0, "exact", GS_OPT_FLAG(&r->is_exact)},
        {'T', "temporary-directory",
         GS_OPT_LIST(&r->temp_folders, &r->temp_folder_count)},
        STATS_INPUT_OPTIONS(a),
        STATS_WORK_OPTIONS(a),
    };
    const double usual_eps = a->eps;
    a->eps = -1;
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    stats_args_settle(a);
    if (r->is_exact && (a->eps >= 0 || a->window > 0))
        gs_die_usage("--exact is of all values and has no error: neither --window nor "
                     "--eps");
    if (a->eps < 0)
        a->eps = usual_eps;
    stats_check_eps(a);
    take_phis(r);
    r->output = stats_args_output(a);
}

/* --- answers ------------------------------------------------------------------------ */

/* What is asked for, and how sure it is. */
typedef struct quantile_view {
    const gs_rank_summary *all;
    gs_exact_sink *exact; /* or this, which has them all */
    uint64_t values;      /* of the stream, */
    uint64_t in_window;   /* those of these that count, */
    uint64_t uncovered;   /* and of those the ones that are not in `all` */
    size_t bytes, bytes_max;
    uint64_t spilled_bytes;
} quantile_view;

static void print_bounds(const quantile_request *r, const quantile_view *v)
{
    const double eps = v->exact != NULL ? 0 : r->args.eps;
    const uint64_t most =
        v->exact != NULL ? 0 : gs_rank_summary_error(v->all) + (v->uncovered + 1) / 2;
    printf(", \"window\": %" PRIu64 ", \"eps\": %g, \"error_max\": %" PRIu64
           ", \"error_bound\": %" PRIu64 ", \"summary_bytes\": %zu",
           v->in_window, eps, most, (uint64_t)(eps * (double)v->in_window), v->bytes);
    if (v->bytes_max > 0)
        printf(", \"summary_bytes_bound\": %zu", v->bytes_max);
    if (v->exact != NULL)
        printf(", \"spilled_bytes\": %" PRIu64, v->spilled_bytes);
    fputs(", \"quantiles\": [", stdout);
}

/* What is not covered may lie below or above: half of it is taken to be below. */
static gs_code find_answer(const quantile_view *v, double phi, uint64_t *key,
                           gs_status *st)
{
    const uint64_t rank = gs_rank_of_share(phi, v->in_window), half = v->uncovered / 2;
    if (v->exact != NULL)
        return gs_exact_at(v->exact, rank, key, st);
    const uint64_t wanted = rank > half + 1 ? rank - half : 1;
    *key = gs_rank_summary_at(v->all, wanted < v->all->values ? wanted : v->all->values)
               ->key;
    return GS_OK;
}

static gs_code print_view(quantile_request *r, const quantile_view *v, bool is_end,
                          gs_status *st)
{
    const bool as_json = r->args.as_json;
    if (!stats_output_begin(&r->output, v->values, is_end))
        return GS_OK;
    if (as_json)
        print_bounds(r, v);
    for (size_t i = 0; i < r->phi_count && v->in_window > 0; i++) {
        uint64_t key;
        GS_TRY(find_answer(v, r->phis[i], &key, st));
        if (as_json)
            printf("%s{\"phi\": %g, \"value\": ", i > 0 ? ", " : "", r->phis[i]);
        else
            printf("%s\t", r->phi_texts[i]);
        stats_output_number(&r->output, r->args.values.type, key);
        putchar(as_json ? '}' : '\n');
    }
    if (as_json)
        putchar(']');
    return stats_output_end(&r->output, st);
}

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
    return print_view(r, &v, is_end, st);
}

static gs_code print_sliding(void *context, const gs_sliding_all *all, bool is_end,
                             gs_status *st)
{
    const quantile_view v = {.all = &all->covered->ranks,
                             .values = all->values,
                             .in_window = all->in_window,
                             .uncovered = all->uncovered,
                             .bytes = all->bytes};
    return print_view(context, &v, is_end, st);
}

static gs_code print_exact(void *context, gs_exact_sink *all, bool is_end, gs_status *st)
{
    const quantile_view v = {.exact = all,
                             .values = all->values,
                             .in_window = all->values,
                             .bytes = gs_key_runs_held_bytes(&all->runs),
                             .spilled_bytes = gs_key_runs_spilled_bytes(&all->runs)};
    return print_view(context, &v, is_end, st);
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
    if (r->args.window == 0)
        return run_all(r, w, counts, st);
    return stats_run_sliding(GS_SLIDING_RANKS, &r->args, w, print_sliding, r, counts, st);
}

int gs_stats_quantile_command(int argc, char **argv)
{
    quantile_request r = {.args = stats_args_default(), .phi_text = "0.5,0.9,0.99"};
    parse(&r, argc, argv);
    const int exit_code = stats_command_run(&r.args, work, &r);
    gs_mem_free(r.phi_copy);
    gs_mem_free(r.temp_folders);
    return exit_code;
}
