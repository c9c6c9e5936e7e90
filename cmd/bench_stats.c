/* SPDX-License-Identifier: MIT */
/*
 * gpusort bench stats: as in "Fast and Approximate Stream Mining of Quantiles and
 * Frequencies", on the cores and the GPU of this machine.
 */
#include "cmd/bench_stats.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_device_stats.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "gpu/device/device.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/share.h"
#include "lib/data/gen_dist.h"
#include "lib/stream/streams.h"

enum { EPS_MAX_COUNT = 8, RUNS_MAX = 99, RANGE = 1 << 16, WINDOW = 1000000, SHARES = 9 };

static const char usage_text[] =
    "Usage: gpusort bench stats [OPTION]...\n"
    "Quantiles and frequencies of random 16-bit numbers in memory, as 64-bit keys, in\n"
    "every way there is: seconds, values a second, and the part of the work that is\n"
    "sorting, for several errors, and the figures of the paper beside them. The ranks "
    "and\n"
    "the counts that are found are checked.\n\n"
    "      --values=N      (default: 96M)\n"
    "      --eps=LIST      errors (default: 0.01,0.001,0.0001,0.00001)\n"
    "      --engine=NAME   what sorts windows, instead of the cores and of a GPU\n"
    "      --on-gpu        only quantiles of numbers that lie in a GPU's memory\n"
    "      --runs=N        of each case, medians are shown (default: 3)\n"
    "      --parallel=N    threads (default: one a core)\n"
    "      --csv=FILE      the same as comma-separated values\n"
    "  -h, --help          this text\n"
    "      --version       show the version and stop\n";

typedef enum stats_problem { QUANTILE, FREQ, FREQ_WINDOW, PROBLEMS } stats_problem;

/* What the paper says that sorting took, on a Pentium IV of 3.4 GHz. */
static const struct {
    const char *name, *paper;
} problems[PROBLEMS] = {
    [QUANTILE] = {"quantile", "85-90"},
    [FREQ] = {"freq", "80-90"},
    [FREQ_WINDOW] = {"freq of last 1M", "70-95"},
};

typedef struct stats_bench {
    double eps[EPS_MAX_COUNT];
    size_t eps_count, values, runs;
    unsigned threads;
    bool only_on_device;
    const char *engine, *csv_name;
    uint64_t *keys;
    gs_team *team;
    FILE *csv;

    /* Of the case that is measured. */
    gs_tuple_sorter *sorter;
    double now_eps;
    bool is_wrong;
    uint64_t answers[SHARES]; /* quantiles */
} stats_bench;

static void take_errors(void *to, gs_opt_scan *scan)
{
    stats_bench *const b = to;
    const char *text = scan->argument;
    b->eps_count = 0;
    for (char *end = NULL;; text = end + 1) {
        const double eps = strtod(text, &end);
        gs_quoted q;
        if (end == text || (*end != ',' && *end != '\0') ||
            !(eps >= 1e-6 && eps <= GS_EPS_MAX) || b->eps_count == EPS_MAX_COUNT)
            gs_die(0, "--eps=%s: up to %d errors from 1e-6 to %g",
                   gs_quote_argument(&q, scan->argument), EPS_MAX_COUNT, GS_EPS_MAX);
        b->eps[b->eps_count++] = eps;
        if (*end == '\0')
            return;
    }
}

/* --- reports, which are checked ----------------------------------------------------- */

static gs_code keep_quantiles(void *context, const gs_rank_summary *all, bool is_end,
                              gs_status *st)
{
    stats_bench *const b = context;
    (void)is_end;
    (void)st;
    for (int i = 0; i < SHARES; i++)
        b->answers[i] =
            gs_rank_summary_at(all, gs_rank_of_share((i + 1) / 10.0, all->values))->key;
    return GS_OK;
}

/* How often each of the numbers came among the last so many. */
static gs_code count_exactly(const stats_bench *b, size_t last, uint64_t **counts,
                             gs_status *st)
{
    GS_TRY(gs_mem_new_array(counts, RANGE, sizeof **counts, "counts", st));
    for (size_t i = b->values - last; i < b->values; i++)
        (*counts)[b->keys[i]]++;
    return GS_OK;
}

static gs_code check_counts(stats_bench *b, const gs_count_summary *found, size_t last,
                            gs_status *st)
{
    uint64_t *counts = NULL;
    const double most = b->now_eps * (double)last;
    GS_TRY(count_exactly(b, last, &counts, st));
    for (size_t i = 0; i < found->count; i++) {
        const gs_key_count e = found->entries[i];
        b->is_wrong |= e.key >= RANGE || e.count > counts[e.key] ||
                       (double)(counts[e.key] - e.count) > most;
    }
    gs_mem_free(counts);
    return GS_OK;
}

static gs_code check_frequent(void *context, const gs_frequent *all, bool is_end,
                              gs_status *st)
{
    (void)is_end;
    return check_counts(context, all->numbers, (size_t)all->values, st);
}

static gs_code check_window(void *context, const gs_sliding_all *all, bool is_end,
                            gs_status *st)
{
    (void)is_end;
    return check_counts(context, &all->covered->numbers, (size_t)all->in_window, st);
}

static gs_code check_quantiles(stats_bench *b, gs_status *st)
{
    uint64_t *counts = NULL, sum = 0;
    const double most = b->now_eps * (double)b->values;
    GS_TRY(count_exactly(b, b->values, &counts, st));
    for (uint64_t key = 0; key < RANGE; key++) {
        const double least_rank = (double)sum + 1,
                     most_rank = (double)(sum += counts[key]);
        for (int i = 0; i < SHARES; i++) {
            const double rank = (double)gs_rank_of_share((i + 1) / 10.0, b->values);
            b->is_wrong |= b->answers[i] == key &&
                           (rank > most_rank + most || rank < least_rank - most);
        }
    }
    gs_mem_free(counts);
    return GS_OK;
}

/* --- measuring ---------------------------------------------------------------------- */

static gs_code run_sink(stats_bench *b, const gs_value_sink *sink, size_t window_values,
                        gs_value_stream_counts *counts, gs_status *st)
{
    const gs_value_stream_options o = {
        .values = {.type = GS_NUMBER_U64, .column_count = 1},
        .window_values = window_values,
        .memory_bytes = gs_machine_memory_share(0).usable_bytes / 4,
        .sorter = b->sorter,
        .team = b->team,
    };
    return gs_value_stream_keys(&o, sink, b->keys, b->values, counts, st);
}

static gs_code run_problem(stats_bench *b, stats_problem problem,
                           gs_value_stream_counts *counts, gs_status *st)
{
    const size_t memory = gs_machine_memory_share(0).usable_bytes / 4;
    if (problem == QUANTILE) {
        gs_rank_sink sink;
        gs_rank_sink_init(&sink, b->now_eps, memory, keep_quantiles, b);
        const gs_value_sink as_sink = gs_rank_sink_as_sink(&sink);
        GS_NOTED(run_sink(b, &as_sink, sink.histogram.window_values, counts, st));
        gs_rank_sink_release(&sink);
    } else if (problem == FREQ) {
        gs_count_sink sink = {.counters = (size_t)ceil(1 / b->now_eps),
                              .memory_bytes = memory,
                              .report = check_frequent,
                              .report_context = b};
        const gs_value_sink as_sink = gs_count_sink_as_sink(&sink);
        GS_NOTED(run_sink(b, &as_sink, gs_count_window_values(sink.counters, memory),
                          counts, st));
        gs_count_sink_release(&sink);
    } else {
        gs_sliding_sink sink = {.kind = GS_SLIDING_NUMBERS,
                                .eps = b->now_eps,
                                .window = WINDOW,
                                .memory_bytes = memory,
                                .report = check_window,
                                .report_context = b};
        const gs_value_sink as_sink = gs_sliding_sink_as_sink(&sink);
        if (gs_sliding_sink_init(&sink, st) == GS_OK)
            GS_NOTED(run_sink(b, &as_sink, sink.block_values, counts, st));
        gs_sliding_sink_release(&sink);
    }
    return st->code;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the runs: each took so long, with so much of a hundred of it in sorting. */
static gs_code tell(stats_bench *b, stats_problem problem, const char *engine,
                    double *seconds, double share, gs_status *st)
{
    if (problem == QUANTILE)
        GS_TRY(check_quantiles(b, st));
    if (b->is_wrong)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s of eps %g by %s: a wrong answer",
                       problems[problem].name, b->now_eps, engine);
    qsort(seconds, b->runs, sizeof *seconds, compare);
    const double median = seconds[b->runs / 2], rate = (double)b->values / median / 1e6;
    printf("%-15s %-8s %8g %9.3f %10.1f %7.0f %8s\n", problems[problem].name, engine,
           b->now_eps, median, rate, share, problems[problem].paper);
    (void)fflush(stdout);
    if (b->csv != NULL)
        fprintf(b->csv, "\"%s\",%s,%g,%zu,%.6f,%.1f\n", problems[problem].name, engine,
                b->now_eps, b->values, median, share);
    return GS_OK;
}

static gs_code measure(stats_bench *b, stats_problem problem, gs_status *st)
{
    double seconds[RUNS_MAX], share = 0;
    for (size_t i = 0; i < b->runs; i++) {
        gs_value_stream_counts c;
        const uint64_t begin = gs_machine_now_ns();
        GS_TRY(run_problem(b, problem, &c, st));
        seconds[i] = (double)(gs_machine_now_ns() - begin) / 1e9;
        share =
            100 * (double)c.sort_ns / (double)(c.sort_ns + c.digest_ns + c.add_ns + 1);
    }
    return tell(b, problem, gs_tuple_sorter_name(b->sorter), seconds, share, st);
}

static gs_code measure_on_device(stats_bench *b, bench_device_keys *keys, gs_status *st)
{
    double seconds[RUNS_MAX], share = 0;
    for (size_t i = 0; i < b->runs; i++) {
        gs_rank_summary all = {0};
        bench_device_time time;
        if (bench_device_quantiles(keys, b->now_eps, &all, &time, st) == GS_OK)
            GS_NOTED(keep_quantiles(b, &all, true, st));
        gs_rank_summary_release(&all);
        if (st->code != GS_OK)
            return st->code;
        seconds[i] = time.seconds;
        share = 100 * time.sorting / time.seconds;
    }
    return tell(b, QUANTILE, "on gpu", seconds, share, st);
}

/* The numbers lie in a GPU's memory. */
static gs_code measure_device(stats_bench *b, gs_status *st)
{
    bench_device_keys *keys = NULL;
    GS_TRY(bench_device_keys_new(&keys, b->keys, b->values, st));
    for (size_t i = 0; i < b->eps_count && st->code == GS_OK; i++) {
        b->now_eps = b->eps[i];
        GS_NOTED(measure_on_device(b, keys, st));
    }
    bench_device_keys_free(keys);
    return st->code;
}

static gs_code measure_engine(stats_bench *b, const char *engine, gs_status *st)
{
    const gs_tuple_sorter_options sorter = {.engine = engine};
    GS_TRY(gs_tuple_sorter_new(&b->sorter, &sorter, NULL, st));
    for (int p = 0; p < PROBLEMS; p++)
        for (size_t i = 0; i < b->eps_count && st->code == GS_OK; i++) {
            b->now_eps = b->eps[i];
            if (p != FREQ_WINDOW || b->now_eps * WINDOW >= 16)
                GS_NOTED(measure(b, (stats_problem)p, st));
        }
    gs_tuple_sorter_free(b->sorter);
    return st->code;
}

static gs_code make_keys(stats_bench *b, gs_status *st)
{
    const gs_gen_dist_options options = {
        .shape = GS_GEN_UNIFORM, .seed = 1, .range = RANGE};
    gs_gen_dist dist;
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, b->values, sizeof *b->keys, st));
    GS_TRY(gs_mem_map(&b->keys, bytes, true, "values", st));
    GS_TRY(gs_gen_dist_init(&dist, &options, st));
    gs_gen_random random = gs_gen_random_start(1, 0);
    for (size_t i = 0; i < b->values; i++)
        b->keys[i] = gs_gen_dist_draw(&dist, &random, i);
    gs_gen_dist_release(&dist);
    return GS_OK;
}

static gs_code open_csv(stats_bench *b, gs_status *st)
{
    gs_quoted q;
    if (b->csv_name == NULL)
        return GS_OK;
    b->csv = fopen(b->csv_name, "we");
    if (b->csv == NULL)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot open %s",
                       gs_quote_name(&q, b->csv_name));
    fputs("problem,engine,eps,values,seconds,sorting_percent\n", b->csv);
    return GS_OK;
}

static gs_code close_csv(stats_bench *b, gs_status *st)
{
    gs_quoted q;
    if (b->csv == NULL)
        return GS_OK;
    const bool has_failed = ferror(b->csv) != 0;
    if (fclose(b->csv) != 0 || has_failed)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot write %s",
                       gs_quote_name(&q, b->csv_name));
    return GS_OK;
}

static gs_code measure_all(stats_bench *b, gs_status *st)
{
    GS_TRY(open_csv(b, st));
    GS_TRY(make_keys(b, st));
    GS_TRY(gs_team_new(&b->team, gs_share_workers(b->threads), st));
    printf("%zu values, %u threads\n"
           "problem         engine        eps   seconds  M values/s  sorting  paper's\n"
           "                                                              %%        %%\n",
           b->values, gs_team_workers(b->team));
    if (b->only_on_device)
        return measure_device(b, st);
    if (b->engine != NULL)
        return measure_engine(b, b->engine, st);
    GS_TRY(measure_engine(b, "cpu", st));
    if (gs_device_count() == 0)
        return GS_OK;
    GS_TRY(measure_engine(b, "gpu", st));
    return measure_device(b, st);
}

int gs_bench_stats(int argc, char **argv)
{
    stats_bench b = {.eps = {0.01, 0.001, 0.0001, 0.00001},
                     .eps_count = 4,
                     .values = 96 << 20,
                     .runs = 3};
    gs_status st = {.code = GS_OK};
    const gs_opt options[] = {
        {0, "values", GS_OPT_COUNT(&b.values)},
        {0, "eps", GS_OPT_CALL(take_errors, &b)},
        {0, "engine", GS_OPT_ENGINE(&b.engine)},
        {0, "on-gpu", GS_OPT_FLAG(&b.only_on_device)},
        {0, "runs", GS_OPT_COUNT(&b.runs)},
        {0, "parallel", GS_OPT_THREADS(&b.threads)},
        {0, "csv", GS_OPT_TEXT(&b.csv_name)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (b.runs > RUNS_MAX)
        gs_die(0, "--runs is up to %d", RUNS_MAX);
    GS_NOTED(measure_all(&b, &st));
    GS_NOTED(close_csv(&b, &st));
    gs_team_free(b.team);
    if (b.keys != NULL)
        gs_mem_unmap(b.keys, b.values * sizeof *b.keys);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(GS_EXIT_GOOD);
}
