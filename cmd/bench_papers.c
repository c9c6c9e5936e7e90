/* SPDX-License-Identifier: MIT */
#include "cmd/bench_papers.h"

#include <string.h>

#include "cmd/bench_measure.h"
#include "cmd/bench_papers_data.h"
#include "cmd/bench_table.h"
#include "gpu/device/device.h"

enum { COLUMNS_MAX = 6, MEGA = 1000000 };

/* Measures the engines of one row; a time of 0 where there is none. */
static gs_code measure_row(const bench_setup *setup, gs_distribution distribution,
                           size_t count, const char *const *engines, size_t engine_count,
                           double *ms, bench_points *points, gs_status *st)
{
    bench_keys *keys = NULL;
    GS_TRY(bench_keys_new(&keys, setup, GS_BATCH_U64, distribution, count, st));
    for (size_t e = 0; e < engine_count && st->code == GS_OK; e++) {
        bench_point point;
        bench_engine engine = {.name = engines[e], .gpus = {setup->gpu}, .gpu_count = 1};
        (void)snprintf(engine.label, sizeof engine.label, "%s", engines[e]);
        ms[e] = 0;
        if (strcmp(engines[e], BENCH_QSORT) != 0 && !setup->has_gpu)
            continue;
        if (bench_keys_run(keys, &engine, &point, st) == GS_OK) {
            ms[e] = point.ms;
            point.label = engines[e]; /* which stays */
            GS_NOTED(bench_points_add(points, &point, st));
        } else if (gs_device_is_too_small(st->code)) {
            gs_status_clear(st); /* this engine cannot; the others may */
        }
    }
    bench_keys_free(keys);
    return st->code;
}

/* A time in `width` columns, or that there is none. */
static void print_ms(double ms, int width)
{
    if (ms > 0)
        printf(" %*.*f", width, ms < 100 ? 2 : 0, ms);
    else
        printf(" %*s", width, "-");
}

static void print_ratio(double over, double under, int width)
{
    if (over > 0 && under > 0)
        printf(" %*.2f", width, over / under);
    else
        printf(" %*s", width, "-");
}

static bool is_left_out(const bench_setup *setup, size_t count)
{
    return setup->size_max != 0 && count > setup->size_max;
}

/* --- bitonic sort and quicksort --------------------------------------------------- */

static const char *who_was_ahead(unsigned mega_keys)
{
    if (mega_keys > PAPER_B_QUICK_UP_TO)
        return "quick sort did not end";
    return mega_keys < PAPER_B_BITONIC_AHEAD_FROM ? "quick ahead" : "bitonic ahead";
}

static gs_code compare_with_quick(const bench_setup *setup, bench_points *points,
                                  gs_status *st)
{
    static const gs_distribution kinds[] = {GS_DIST_GAUSSIAN, GS_DIST_UNIFORM,
                                            GS_DIST_ZIPF};
    static const char *const engines[COLUMNS_MAX] = {"bitonic", "quick", BENCH_QSORT,
                                                     "sample",  "radix", "merge"};
    printf(
        "\nBitonic sort against quicksort, u64, ms (the paper: 8800 GT, 2009, keys of\n"
        "32 bits, figure 4, a drawing; its text says who was ahead, and that both\n"
        "were ahead of the C library's qsort)\n");
    printf("%-9s %6s %9s %9s %9s %9s %9s %9s %14s %13s  %s\n", "keys", "many", "bitonic",
           "quick", "qsort", "sample", "CUB radix", "CUB merge", "quick/bitonic",
           "qsort/bitonic", "the paper");
    for (size_t d = 0; d < sizeof kinds / sizeof *kinds; d++)
        for (size_t s = 0; s < PAPER_B_SIZES; s++) {
            const unsigned mega_keys = paper_b_mega_keys[s];
            const size_t count = (size_t)mega_keys << 20;
            double ms[COLUMNS_MAX];
            if (is_left_out(setup, count))
                continue;
            GS_TRY(measure_row(setup, kinds[d], count, engines, COLUMNS_MAX, ms, points,
                               st));
            printf("%-9s %4u M", gs_distribution_name(kinds[d]), mega_keys);
            for (size_t e = 0; e < COLUMNS_MAX; e++)
                print_ms(ms[e], 9);
            print_ratio(ms[1], ms[0], 14);
            print_ratio(ms[2], ms[0], 13);
            printf("  %s\n", who_was_ahead(mega_keys));
            (void)fflush(stdout);
        }
    return GS_OK;
}

/* --- Fine Sample Sort ------------------------------------------------------------- */

static gs_code compare_sample_sorts(const bench_setup *setup, bench_points *points,
                                    gs_status *st)
{
    static const char *const engines[] = {"fss", "ssort", "sample"};
    printf("\nFine Sample Sort (fss) against plain sample sort (ssort), u64, ms (the\n"
           "paper: GTX 480, 2012, averages of its tables; `sample` is this program's)\n");
    for (size_t k = 0; k < PAPER_F_KINDS; k++) {
        const paper_f_kind *const kind = &paper_f_kinds[k];
        printf("%s keys; the paper's tables %s (ssort) and %s (fss)\n",
               gs_distribution_name(kind->distribution), kind->tables_plain,
               kind->tables_fine);
        printf("%6s %9s %9s %9s %10s | %10s %10s %10s\n", "many", "fss", "ssort",
               "sample", "ssort/fss", "paper fss", "ssort", "ssort/fss");
        for (size_t s = 0; s < PAPER_F_SIZES; s++) {
            const size_t count = (s + 1) * PAPER_F_STEP;
            double ms[3];
            if (is_left_out(setup, count))
                continue;
            GS_TRY(measure_row(setup, kind->distribution, count, engines, 3, ms, points,
                               st));
            printf("%4zu M", count / MEGA);
            for (size_t e = 0; e < 3; e++)
                print_ms(ms[e], 9);
            print_ratio(ms[1], ms[0], 10);
            printf(" |");
            print_ms(kind->fine_ms[s], 10);
            print_ms(kind->plain_ms[s], 10);
            print_ratio(kind->plain_ms[s], kind->fine_ms[s], 10);
            putchar('\n');
            (void)fflush(stdout);
        }
    }
    return GS_OK;
}

/* --- the two networks ------------------------------------------------------------- */

static gs_code compare_networks(const bench_setup *setup, bench_points *points,
                                gs_status *st)
{
    static const char *const engines[] = {"pbsn", "bitonic"};
    printf(
        "\nThe periodic balanced network (PBSN) against the bitonic network, uniform "
        "u64,\n"
        "ms (the paper: GeForce 6800 Ultra, 2005, random floats, figure 9 and text)\n");
    printf("%6s %9s %9s %13s %13s | %13s %14s\n", "many", "pbsn", "bitonic",
           "pbsn/bitonic", "bitonic Mk/s", "paper's ratio", "bitonic Mk/s");
    for (size_t s = 0; s < PAPER_C_SIZES; s++) {
        const size_t count = (size_t)paper_c_mega_keys[s] << 20;
        double ms[2];
        if (is_left_out(setup, count))
            continue;
        GS_TRY(measure_row(setup, GS_DIST_UNIFORM, count, engines, 2, ms, points, st));
        printf("%4u M", paper_c_mega_keys[s]);
        print_ms(ms[0], 9);
        print_ms(ms[1], 9);
        print_ratio(ms[0], ms[1], 13);
        print_ratio((double)count / 1e3, ms[1], 13);
        printf(" | %6.1f to %.1f %14.0f\n", paper_c_ratio_min, paper_c_ratio_max,
               paper_c_mega_keys_a_second);
        (void)fflush(stdout);
    }
    return GS_OK;
}

gs_code bench_papers_run(const bench_setup *setup, bench_points *points, gs_status *st)
{
    GS_TRY(compare_with_quick(setup, points, st));
    GS_TRY(compare_sample_sorts(setup, points, st));
    return compare_networks(setup, points, st);
}
