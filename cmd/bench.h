/* SPDX-License-Identifier: MIT */
/*
 * bench: what the parts of `gpusort bench` share: what is to be measured, and a
 * measurement.
 */
#ifndef GS_CMD_BENCH_H
#define GS_CMD_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "gpu/engine/engine.h"
#include "gpu/generate/generate.h"
#include "lib/base/team.h"

enum {
    BENCH_LIST_MAX = 64,
    BENCH_RUNS_MAX = 101,
    BENCH_MACHINE_BYTES = 4096,
    BENCH_LABEL_BYTES = 64
};

/* The name of the C library's sort among the engines. */
#define BENCH_QSORT "qsort"

/* An engine, and the GPUs that it sorts on together. */
typedef struct bench_engine {
    const char *name;
    int gpus[GS_GPU_DEVICES_MAX];
    unsigned gpu_count;
    char label[BENCH_LABEL_BYTES]; /* the name, and the GPUs where that is a question */
} bench_engine;

typedef struct bench_setup {
    bench_engine engines[BENCH_LIST_MAX];
    size_t engine_count;
    gs_distribution distributions[GS_DIST_COUNT];
    size_t distribution_count;
    gs_batch_type types[GS_BATCH_TYPE_COUNT];
    size_t type_count;
    size_t sizes[BENCH_LIST_MAX];
    size_t size_count;
    bool on_host; /* keys come from host memory and go back there */
    bool has_gpu;
    int gpu; /* the first of those named */
    unsigned runs;
    const char *csv_name, *svg_name;
    bool wants_papers;
    size_t size_max; /* of the papers' sizes; 0: all */
    gs_team *team;   /* makes and checks keys in host memory */
} bench_setup;

/* One engine on one set of keys. */
typedef struct bench_point {
    gs_batch_type type;
    gs_distribution distribution;
    size_t count;
    const char *engine, *label; /* label: as bench_engine has it */
    const char *used;           /* what `auto` took */
    double ms;                  /* the sort alone, median */
    double copies_ms;           /* with copies from and to the host; 0: not measured */
    unsigned runs;
} bench_point;

typedef struct bench_points {
    bench_point *items;
    size_t count, capacity;
} bench_points;

const char *bench_type_name(gs_batch_type type);

#endif
