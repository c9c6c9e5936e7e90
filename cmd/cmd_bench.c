/* SPDX-License-Identifier: MIT */
/*
 * gpusort bench: the engines side by side on this machine.
 *
 * Every run sorts fresh keys in device memory; its time is the device's own, by events;
 * its result is checked for order and for the same records as before. The time shown is
 * the median of the runs.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_lookup.h"
#include "gpu/device.h"
#include "gpu/engine.h"
#include "gpu/generate.h"

int cmd_bench(int argc, char **argv);

enum { LIST_MAX = 64, RUNS_MAX = 101 };

typedef struct bench_list {
    const char *items[LIST_MAX];
    size_t count;
} bench_list;

typedef struct bench_setup {
    bench_list engines, distributions, types, sizes;
    const char *csv_name;
    unsigned runs;
    unsigned device;
} bench_setup;

typedef struct bench_buffers {
    void *d_fresh, *d_keys;
    uint32_t *d_fresh_values, *d_values;
} bench_buffers;

static const char *const type_names[GS_BATCH_TYPE_COUNT] = {"u64", "u128", "u64+u32"};

static void split(char *text, bench_list *list)
{
    list->count = 0;
    char *save = NULL;
    for (char *word = strtok_r(text, ",", &save); word && list->count < LIST_MAX;
         word = strtok_r(NULL, ",", &save))
        list->items[list->count++] = word;
}

/* 1000, 16M, 2^28 or 2^28+5. */
static bool parse_size(const char *text, size_t *out)
{
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text)
        return false;
    if (*end == '^') {
        char *power_end = NULL;
        const unsigned long power = strtoul(end + 1, &power_end, 10);
        if (value != 2 || power_end == end + 1 || power > 40)
            return false;
        value = 1ULL << power;
        end = power_end;
    } else if (*end == 'K' || *end == 'M' || *end == 'G') {
        value *= *end == 'K' ? 1000ULL : *end == 'M' ? 1000000ULL : 1000000000ULL;
        end++;
    }
    if (*end == '+')
        value += strtoull(end + 1, &end, 10);
    *out = (size_t)value;
    return *end == '\0' && value > 0;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void buffers_release(bench_buffers *b)
{
    gs_device_memory_free(b->d_fresh);
    gs_device_memory_free(b->d_keys);
    gs_device_memory_free(b->d_fresh_values);
    gs_device_memory_free(b->d_values);
    *b = (bench_buffers){0};
}

static gs_code buffers_init(bench_buffers *b, unsigned device, gs_batch_type type,
                            size_t count, gs_status *st)
{
    const size_t keys = count * gs_key_bytes(type), values = count * gs_value_bytes(type);
    *b = (bench_buffers){0};
    GS_TRY(gs_device_memory_new(&b->d_fresh, device, keys, st));
    GS_TRY(gs_device_memory_new(&b->d_keys, device, keys, st));
    if (values != 0) {
        void *memory = NULL;
        GS_TRY(gs_device_memory_new(&memory, device, values, st));
        b->d_fresh_values = memory;
        GS_TRY(gs_device_memory_new(&memory, device, values, st));
        b->d_values = memory;
    }
    return GS_OK;
}

/* Median device time of one engine over the fresh keys; checks every result. */
static gs_code measure(const bench_setup *setup, const char *name, gs_batch_type type,
                       size_t count, const bench_buffers *b, const gs_fingerprint *want,
                       double *out_ms, const char **out_used, gs_status *st)
{
    double ms[RUNS_MAX];
    gs_engine *engine = NULL;
    const gs_engine_options options = {.name = name,
                                       .type = type,
                                       .place = GS_PLACE_DEVICE,
                                       .count_max = count,
                                       .devices = {(int)setup->device},
                                       .device_count = 1};
    const gs_batch batch = {b->d_keys, b->d_values, count};
    GS_TRY(gs_engine_new(&engine, &options, st));
    for (unsigned run = 0; run <= setup->runs; run++) { /* the first warms up */
        GS_TRY_OR_FAIL(
            gs_device_copy(b->d_keys, b->d_fresh, count * gs_key_bytes(type), st));
        if (b->d_values)
            GS_TRY_OR_FAIL(gs_device_copy(b->d_values, b->d_fresh_values,
                                          count * gs_value_bytes(type), st));
        GS_TRY_OR_FAIL(gs_engine_submit(engine, &batch, st));
        GS_TRY_OR_FAIL(gs_engine_wait(engine, st));
        if (run > 0)
            ms[run - 1] = gs_engine_device_ms(engine);
        gs_fingerprint got;
        GS_TRY_OR_FAIL(
            gs_fingerprint_take(type, b->d_keys, b->d_values, count, &got, st));
        if (got.disorder != 0 || got.sum != want->sum) {
            (void)GS_FAIL(st, GS_ERR_FORMAT, 0,
                          "engine %s: wrong result: %llu out of order, records %s", name,
                          (unsigned long long)got.disorder,
                          got.sum == want->sum ? "all there" : "changed");
            goto fail;
        }
    }
    qsort(ms, setup->runs, sizeof *ms, compare_doubles);
    *out_ms = ms[setup->runs / 2];
    *out_used = gs_engine_used(engine);
fail:
    gs_engine_free(engine);
    return st->code;
}

static int fail(const gs_status *st)
{
    fprintf(stderr, "gpusort bench: %s\n", st->msg);
    return 2;
}

static bool find_type(const char *name, gs_batch_type *out)
{
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++)
        if (strcmp(name, type_names[t]) == 0) {
            *out = (gs_batch_type)t;
            return true;
        }
    return false;
}

static bool find_distribution(const char *name, gs_distribution *out)
{
    for (unsigned d = 0; d < GS_DIST_COUNT; d++)
        if (strcmp(name, gs_distribution_name((gs_distribution)d)) == 0) {
            *out = (gs_distribution)d;
            return true;
        }
    return false;
}

/* One line of the table for each engine. */
static int bench_case(const bench_setup *setup, gs_batch_type type, gs_distribution dist,
                      size_t count, FILE *csv)
{
    gs_status st = {.code = GS_OK};
    bench_buffers b;
    gs_fingerprint want = {0, 0};
    int result = 0;
    double first_ms = 0;
    if (buffers_init(&b, setup->device, type, count, &st) != GS_OK ||
        gs_generate(type, dist, 1, false, b.d_fresh, b.d_fresh_values, count, &st) !=
            GS_OK ||
        gs_fingerprint_take(type, b.d_fresh, b.d_fresh_values, count, &want, &st) !=
            GS_OK)
        result = fail(&st);
    for (size_t e = 0; e < setup->engines.count && result == 0; e++) {
        const char *const name = setup->engines.items[e];
        const char *used = name;
        double ms = 0;
        gs_status_clear(&st);
        if (measure(setup, name, type, count, &b, &want, &ms, &used, &st) != GS_OK) {
            printf("%-8s %-10s %12zu  %-8s failed: %s\n", type_names[type],
                   gs_distribution_name(dist), count, name, st.msg);
            if (st.code != GS_ERR_NOMEM && st.code != GS_ERR_LIMIT)
                result = 2;
            continue;
        }
        if (first_ms == 0)
            first_ms = ms;
        printf("%-8s %-10s %12zu  %-8s %10.3f ms  %8.2f Gkeys/s  %6.2fx%s%s\n",
               type_names[type], gs_distribution_name(dist), count, name, ms,
               (double)count / ms / 1e6, first_ms / ms,
               strcmp(used, name) ? "  used " : "", strcmp(used, name) ? used : "");
        (void)fflush(stdout);
        if (csv)
            fprintf(csv, "%s,%s,%zu,%s,%.6f\n", type_names[type],
                    gs_distribution_name(dist), count, name, ms);
    }
    buffers_release(&b);
    return result;
}

static void usage(FILE *to)
{
    (void)fprintf(
        to,
        "Usage: gpusort bench [OPTION]...\n"
        "Times the GPU engines on generated keys in device memory and checks results.\n\n"
        "      --engine=LIST        engines, or 'all' (default: all)\n"
        "      --distribution=LIST  of keys, or 'all' (default: uniform,zipf)\n"
        "      --type=LIST          u64, u128, u64+u32 (default: u64)\n"
        "      --size=LIST          keys, such as 1000, 16M or 2^28 (default: "
        "2^24,2^28)\n"
        "      --runs=N             timed runs of each, median shown (default: 5)\n"
        "      --gpu=N              which GPU (default: 0)\n"
        "      --csv=FILE           also as comma-separated values, times in ms\n"
        "      --list               engines and distributions, then stop\n"
        "      --help               this text\n"
        "The last column is the speed relative to the first engine of the list.\n");
}

static void list_all(void)
{
    printf("engines:\n");
    for (size_t i = 0; i < gs_engine_count(); i++)
        printf("  %-10s %s\n", gs_engine_name(i), gs_engine_summary(i));
    printf("distributions:\n");
    for (unsigned d = 0; d < GS_DIST_COUNT; d++)
        printf("  %s\n", gs_distribution_name((gs_distribution)d));
}

static void fill_defaults(bench_setup *setup)
{
    static char distributions[] = "uniform,zipf", types[] = "u64", sizes[] = "2^24,2^28";
    if (setup->engines.count == 0 ||
        (setup->engines.count == 1 && strcmp(setup->engines.items[0], "all") == 0)) {
        setup->engines.count = gs_engine_count();
        for (size_t i = 0; i < setup->engines.count; i++)
            setup->engines.items[i] = gs_engine_name(i);
    }
    if (setup->distributions.count == 0)
        split(distributions, &setup->distributions);
    if (strcmp(setup->distributions.items[0], "all") == 0) {
        setup->distributions.count = GS_DIST_COUNT;
        for (unsigned d = 0; d < GS_DIST_COUNT; d++)
            setup->distributions.items[d] = gs_distribution_name((gs_distribution)d);
    }
    if (setup->types.count == 0)
        split(types, &setup->types);
    if (setup->sizes.count == 0)
        split(sizes, &setup->sizes);
}

static int run_all(const bench_setup *setup, FILE *csv)
{
    for (size_t t = 0; t < setup->types.count; t++)
        for (size_t d = 0; d < setup->distributions.count; d++)
            for (size_t s = 0; s < setup->sizes.count; s++) {
                gs_batch_type type = GS_BATCH_U64;
                gs_distribution dist = GS_DIST_UNIFORM;
                size_t count = 0;
                if (!find_type(setup->types.items[t], &type) ||
                    !find_distribution(setup->distributions.items[d], &dist) ||
                    !parse_size(setup->sizes.items[s], &count)) {
                    fprintf(stderr, "gpusort bench: not understood: %s %s %s\n",
                            setup->types.items[t], setup->distributions.items[d],
                            setup->sizes.items[s]);
                    return 2;
                }
                const int result = bench_case(setup, type, dist, count, csv);
                if (result != 0)
                    return result;
            }
    return 0;
}

int cmd_bench(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "lookup") == 0)
        return gs_bench_lookup(argc - 1, argv + 1);
    static const struct option long_options[] = {
        {"engine", required_argument, NULL, 'e'},
        {"distribution", required_argument, NULL, 'd'},
        {"type", required_argument, NULL, 't'},
        {"size", required_argument, NULL, 's'},
        {"runs", required_argument, NULL, 'r'},
        {"gpu", required_argument, NULL, 'g'},
        {"csv", required_argument, NULL, 'c'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0}};
    bench_setup setup = {.runs = 5};
    int option;
    while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        switch (option) {
        case 'e': split(optarg, &setup.engines); break;
        case 'd': split(optarg, &setup.distributions); break;
        case 't': split(optarg, &setup.types); break;
        case 's': split(optarg, &setup.sizes); break;
        case 'r': setup.runs = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'g': setup.device = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'c': setup.csv_name = optarg; break;
        case 'l': list_all(); return 0;
        case 'h': usage(stdout); return 0;
        default: usage(stderr); return 2;
        }
    }
    if (setup.runs < 1 || setup.runs > RUNS_MAX) {
        fprintf(stderr, "gpusort bench: --runs is from 1 to %d\n", RUNS_MAX);
        return 2;
    }
    fill_defaults(&setup);
    char text[4096];
    printf("%s", gs_device_describe(text, sizeof text));
    if (gs_device_count() == 0) {
        fprintf(stderr, "gpusort bench: there is no GPU to measure\n");
        return 2;
    }
    FILE *csv = NULL;
    if (setup.csv_name) {
        csv = fopen(setup.csv_name, "we");
        if (csv == NULL) {
            fprintf(stderr, "gpusort bench: cannot open '%s'\n", setup.csv_name);
            return 2;
        }
        fprintf(csv, "type,distribution,keys,engine,ms\n");
    }
    int result = run_all(&setup, csv);
    if (csv && fclose(csv) != 0) {
        fprintf(stderr, "gpusort bench: cannot write '%s'\n", setup.csv_name);
        result = 2;
    }
    return result;
}
