/* SPDX-License-Identifier: MIT */
/*
 * gpusort bench: the engines side by side on this machine.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/bench_args.h"
#include "cmd/bench_lookup.h"
#include "cmd/bench_measure.h"
#include "cmd/bench_papers.h"
#include "cmd/bench_stats.h"
#include "cmd/bench_svg.h"
#include "cmd/bench_table.h"
#include "cmd/commands.h"
#include "cmd/report.h"
#include "gpu/device/device.h"
#include "lib/base/machine.h"

enum { THREADS_MAX = 128 };

/* All engines on the same keys, a line each. */
static gs_code measure_engines(const bench_setup *setup, bench_keys *keys,
                               bench_points *points, gs_status *st)
{
    double first_ms = 0;
    for (size_t e = 0; e < setup->engine_count; e++) {
        bench_point point;
        if (bench_keys_run(keys, &setup->engines[e], &point, st) == GS_OK) {
            first_ms = first_ms > 0 ? first_ms : point.ms;
            bench_table_row(&point, first_ms);
            GS_TRY(bench_points_add(points, &point, st));
            continue;
        }
        bench_table_failure(&point, st->msg);
        if (!gs_device_is_too_small(st->code))
            return st->code; /* the next engine would fail as well */
        gs_status_clear(st);
    }
    return GS_OK;
}

static gs_code measure_all(const bench_setup *setup, bench_points *points, gs_status *st)
{
    bench_table_head(setup);
    for (size_t t = 0; t < setup->type_count; t++)
        for (size_t d = 0; d < setup->distribution_count; d++)
            for (size_t s = 0; s < setup->size_count; s++) {
                bench_keys *keys = NULL;
                GS_TRY(bench_keys_new(&keys, setup, setup->types[t],
                                      setup->distributions[d], setup->sizes[s], st));
                GS_NOTED(measure_engines(setup, keys, points, st));
                bench_keys_free(keys);
                GS_TRY(st->code);
            }
    return GS_OK;
}

/* --- what the files get ----------------------------------------------------------- */

static void write_csv(FILE *to, const bench_points *points)
{
    bench_csv_head(to);
    for (size_t i = 0; i < points->count; i++)
        bench_csv_row(to, &points->items[i]);
}

static FILE *open_file(const char *name)
{
    FILE *const file = name ? fopen(name, "we") : NULL;
    if (name && file == NULL)
        gs_die(errno, "cannot open '%s'", name);
    return file;
}

static int close_file(FILE *file, const char *name)
{
    const bool is_bad = ferror(file) != 0;
    errno = 0;
    if (fclose(file) == 0 && !is_bad)
        return GS_EXIT_GOOD;
    gs_report(errno, "cannot write '%s'", name);
    return GS_EXIT_TROUBLE;
}

/* The first line of what the machine is: the title of a picture. */
static void describe_machine(char text[BENCH_MACHINE_BYTES], const bench_setup *setup)
{
    gs_device device;
    gs_status st = {.code = GS_OK};
    const unsigned cores = gs_machine_cores();
    if (setup->has_gpu && gs_device_get((unsigned)setup->gpu, &device, &st) == GS_OK)
        (void)snprintf(text, BENCH_MACHINE_BYTES, "%s, %u cores", device.name, cores);
    else
        (void)snprintf(text, BENCH_MACHINE_BYTES, "no GPU, %u cores", cores);
}

static int write_files(const bench_setup *setup, const bench_points *points, FILE *csv,
                       FILE *svg)
{
    char machine[BENCH_MACHINE_BYTES];
    int result = GS_EXIT_GOOD;
    if (csv) {
        write_csv(csv, points);
        result |= close_file(csv, setup->csv_name);
    }
    if (svg) {
        describe_machine(machine, setup);
        bench_svg_write(svg, machine, setup->runs, points);
        result |= close_file(svg, setup->svg_name);
    }
    return result;
}

int cmd_bench(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "lookup") == 0) {
        char name[] = "gpusort bench lookup";
        program_invocation_name = name;
        return gs_bench_lookup(argc - 1, argv + 1);
    }
    if (argc > 1 && strcmp(argv[1], "stats") == 0) {
        char name[] = "gpusort bench stats";
        program_invocation_name = name;
        return gs_bench_stats(argc - 1, argv + 1);
    }
    bench_setup setup;
    bench_points points = {0};
    gs_status st = {.code = GS_OK};
    bench_args_parse(argc, argv, &setup);
    FILE *const csv = open_file(setup.csv_name), *const svg = open_file(setup.svg_name);
    const unsigned cores = gs_machine_cores();
    char text[BENCH_MACHINE_BYTES];
    fputs(gs_device_describe(text, sizeof text), stdout);
    if (gs_team_new(&setup.team, cores < THREADS_MAX ? cores : THREADS_MAX, &st) ==
        GS_OK) {
        if (setup.wants_papers)
            GS_NOTED(bench_papers_run(&setup, &points, &st));
        else
            GS_NOTED(measure_all(&setup, &points, &st));
    }
    int result = write_files(&setup, &points, csv, svg);
    if (st.code != GS_OK) {
        gs_report_status(&st, true);
        result = GS_EXIT_TROUBLE;
    }
    bench_points_release(&points);
    gs_team_free(setup.team);
    return gs_stdout_close(result);
}
