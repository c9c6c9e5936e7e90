/* SPDX-License-Identifier: MIT */
#include "cmd/bench_measure.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/device/device.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum { SEED = 1, TEAM_MAX = 256 };

/* The C library's sort is not repeated once it has taken so long. */
static const double qsort_ms_max = 1000;

/* Keys and values of one array, in device memory or, pinned if there is a GPU, on the
 * host. */
typedef struct key_array {
    void *keys;
    uint32_t *values;
} key_array;

struct bench_keys {
    const bench_setup *setup;
    gs_batch_type type;
    gs_distribution distribution;
    size_t count;
    gs_fingerprint d_want, h_want;
    key_array d_fresh, d_keys; /* in device memory, made when first needed */
    key_array h_fresh, h_sorted;
};

/* --- memory for them -------------------------------------------------------------- */

static gs_code allocate(const bench_keys *k, bool on_device, void **out, size_t bytes,
                        gs_status *st)
{
    if (on_device)
        return gs_device_memory_new(out, (unsigned)k->setup->gpu, bytes, st);
    if (k->setup->has_gpu)
        return gs_pinned_memory_new(out, bytes, st);
    return gs_mem_map(out, bytes, true, "keys", st);
}

static void release(const bench_keys *k, bool on_device, void *memory, size_t bytes)
{
    if (on_device)
        gs_device_memory_free(memory);
    else if (k->setup->has_gpu)
        gs_pinned_memory_free(memory);
    else
        gs_mem_unmap(memory, bytes);
}

static gs_code array_new(const bench_keys *k, bool on_device, key_array *out,
                         gs_status *st)
{
    const size_t value_bytes = k->count * gs_value_bytes(k->type);
    void *memory = NULL;
    GS_TRY(allocate(k, on_device, &out->keys, k->count * gs_key_bytes(k->type), st));
    if (value_bytes != 0) {
        GS_TRY(allocate(k, on_device, &memory, value_bytes, st));
        out->values = memory;
    }
    return GS_OK;
}

static void array_free(const bench_keys *k, bool on_device, key_array *array)
{
    release(k, on_device, array->keys, k->count * gs_key_bytes(k->type));
    release(k, on_device, array->values, k->count * gs_value_bytes(k->type));
    *array = (key_array){0};
}

/* --- keys in host memory, by all threads together --------------------------------- */

typedef struct host_job {
    bench_keys *k;
    gs_batch batch;
    bool is_check;
    gs_fingerprint prints[TEAM_MAX];
} host_job;

static gs_code do_part(void *context, unsigned worker, gs_status *st)
{
    host_job *const job = context;
    const bench_keys *const k = job->k;
    const size_t workers = gs_team_workers(k->setup->team);
    const size_t first = k->count / workers * worker,
                 end = worker + 1 == workers ? k->count : first + k->count / workers;
    (void)st;
    if (job->is_check)
        gs_fingerprint_host(k->type, &job->batch, first, end - first,
                            &job->prints[worker]);
    else
        gs_generate_host(k->type, k->distribution, SEED, &job->batch, first, end - first);
    return GS_OK;
}

/* Generates into `to`, or checks it. */
static gs_code work_on_host(bench_keys *k, const key_array *to, bool is_check,
                            gs_fingerprint *out, gs_status *st)
{
    host_job job = {.k = k,
                    .batch = {.keys = to->keys, .values = to->values, .count = k->count},
                    .is_check = is_check};
    GS_TRY(gs_team_run(k->setup->team, do_part, &job, st));
    *out = (gs_fingerprint){0, 0};
    for (unsigned i = 0; i < TEAM_MAX; i++) {
        out->disorder += job.prints[i].disorder;
        out->sum += job.prints[i].sum;
    }
    return GS_OK;
}

/* Two arrays, and records for qsort. Pinned memory is refused where there is too little;
 * plain memory would be promised. */
static gs_code check_memory(const bench_keys *k, gs_status *st)
{
    const size_t item = gs_key_bytes(k->type) + gs_value_bytes(k->type),
                 record = gs_value_bytes(k->type) ? sizeof(gs_u128) : 0,
                 bytes = k->count * (2 * item + record),
                 available = gs_machine_memory_available();
    if (k->setup->has_gpu || bytes <= available)
        return GS_OK;
    return GS_FAIL(st, GS_ERR_NOMEM, 0, "%zu bytes are needed, %zu are free", bytes,
                   available);
}

static gs_code make_host_keys(bench_keys *k, gs_status *st)
{
    GS_TRY(check_memory(k, st));
    GS_TRY(array_new(k, false, &k->h_fresh, st));
    GS_TRY(array_new(k, false, &k->h_sorted, st));
    GS_TRY(work_on_host(k, &k->h_fresh, false, &k->h_want, st));
    return work_on_host(k, &k->h_fresh, true, &k->h_want, st);
}

/* --- keys in device memory -------------------------------------------------------- */

static gs_code make_device_keys(bench_keys *k, gs_status *st)
{
    GS_TRY(array_new(k, true, &k->d_fresh, st));
    GS_TRY(array_new(k, true, &k->d_keys, st));
    GS_TRY(gs_generate(k->type, k->distribution, SEED, false, k->d_fresh.keys,
                       k->d_fresh.values, k->count, st));
    return gs_fingerprint_take(k->type, k->d_fresh.keys, k->d_fresh.values, k->count,
                               &k->d_want, st);
}

/* Makes the keys there if that was not done. */
static gs_code need_keys(bench_keys *k, bool on_device, gs_status *st)
{
    key_array *const fresh = on_device ? &k->d_fresh : &k->h_fresh;
    key_array *const sorted = on_device ? &k->d_keys : &k->h_sorted;
    if (sorted->keys != NULL ||
        (on_device ? make_device_keys : make_host_keys)(k, st) == GS_OK)
        return st->code;
    array_free(k, on_device, fresh);
    array_free(k, on_device, sorted);
    return st->code;
}

static gs_code refresh_device_keys(const bench_keys *k, gs_status *st)
{
    GS_TRY(gs_device_copy(k->d_keys.keys, k->d_fresh.keys,
                          k->count * gs_key_bytes(k->type), st));
    if (k->d_keys.values != NULL)
        GS_TRY(gs_device_copy(k->d_keys.values, k->d_fresh.values,
                              k->count * gs_value_bytes(k->type), st));
    return GS_OK;
}

/* --- one run ---------------------------------------------------------------------- */

static gs_code compare_prints(const char *engine, const gs_fingerprint *want,
                              const gs_fingerprint *got, gs_status *st)
{
    if (got->disorder == 0 && got->sum == want->sum)
        return GS_OK;
    return GS_FAIL(st, GS_ERR_FORMAT, 0,
                   "engine %s: wrong result: %llu out of order, records %s", engine,
                   (unsigned long long)got->disorder,
                   got->sum == want->sum ? "all there" : "changed");
}

static double now_ms(void)
{
    return (double)gs_machine_now_ns() * 1e-6;
}

/* The sort of a GPU engine and, if the keys are on the host, the time with copies. */
static gs_code run_gpu(bench_keys *k, gs_engine *engine, const char *name, double *ms,
                       double *copies_ms, gs_status *st)
{
    const bool on_host = k->setup->on_host;
    gs_fingerprint got;
    gs_batch batch = {
        .keys = k->d_keys.keys, .values = k->d_keys.values, .count = k->count};
    if (on_host)
        batch = (gs_batch){.keys = k->h_fresh.keys,
                           .values = k->h_fresh.values,
                           .count = k->count,
                           .sorted_keys = k->h_sorted.keys,
                           .sorted_values = k->h_sorted.values};
    else
        GS_TRY(refresh_device_keys(k, st));
    const double begin_ms = now_ms();
    GS_TRY(gs_engine_submit(engine, &batch, st));
    GS_TRY(gs_engine_wait(engine, st));
    *copies_ms = on_host ? now_ms() - begin_ms : 0;
    *ms = gs_engine_device_ms(engine);
    if (on_host)
        GS_TRY(work_on_host(k, &k->h_sorted, true, &got, st));
    else
        GS_TRY(gs_fingerprint_take(k->type, k->d_keys.keys, k->d_keys.values, k->count,
                                   &got, st));
    return compare_prints(name, on_host ? &k->h_want : &k->d_want, &got, st);
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_u128(const void *a, const void *b)
{
    const gs_u128 *const x = a, *const y = b;
    const int high = (x->hi > y->hi) - (x->hi < y->hi);
    return high != 0 ? high : (x->lo > y->lo) - (x->lo < y->lo);
}

/* qsort moves whole records: with a value, key and value go into one of 16 bytes. */
static gs_code run_qsort(bench_keys *k, double *ms, gs_status *st)
{
    const bool has_values = gs_value_bytes(k->type) != 0;
    const bool is_wide = k->type != GS_BATCH_U64;
    const size_t record_bytes = is_wide ? sizeof(gs_u128) : sizeof(uint64_t);
    const uint64_t *const keys = k->h_fresh.keys;
    gs_u128 *records = NULL;
    void *memory = k->h_sorted.keys;
    if (has_values) {
        GS_TRY(gs_mem_map(&records, k->count * sizeof *records, true, "records", st));
        memory = records;
        for (size_t i = 0; i < k->count; i++)
            records[i] = (gs_u128){keys[i], k->h_fresh.values[i]};
    } else {
        memcpy(memory, keys, k->count * record_bytes);
    }
    const double begin_ms = now_ms();
    qsort(memory, k->count, record_bytes, is_wide ? compare_u128 : compare_u64);
    *ms = now_ms() - begin_ms;
    for (size_t i = 0; i < k->count && has_values; i++) {
        ((uint64_t *)k->h_sorted.keys)[i] = records[i].hi;
        k->h_sorted.values[i] = (uint32_t)records[i].lo;
    }
    if (has_values)
        gs_mem_unmap(records, k->count * sizeof *records);
    gs_fingerprint got;
    GS_TRY(work_on_host(k, &k->h_sorted, true, &got, st));
    return compare_prints(BENCH_QSORT, &k->h_want, &got, st);
}

/* --- many runs -------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, compare_doubles);
    return values[count / 2];
}

static gs_code repeat_qsort(bench_keys *k, bench_point *out, gs_status *st)
{
    double ms[BENCH_RUNS_MAX], spent_ms = 0;
    GS_TRY(need_keys(k, false, st));
    while (out->runs < k->setup->runs && (out->runs == 0 || spent_ms < qsort_ms_max)) {
        GS_TRY(run_qsort(k, &ms[out->runs], st));
        spent_ms += ms[out->runs++];
    }
    out->ms = median(ms, out->runs);
    return GS_OK;
}

static gs_code repeat_gpu(bench_keys *k, gs_engine *engine, bench_point *out,
                          gs_status *st)
{
    double ms[BENCH_RUNS_MAX], copies_ms[BENCH_RUNS_MAX];
    for (unsigned run = 0; run <= k->setup->runs; run++) { /* the first warms up */
        const unsigned at = run > 0 ? run - 1 : 0;
        GS_TRY(run_gpu(k, engine, out->engine, &ms[at], &copies_ms[at], st));
    }
    out->runs = k->setup->runs;
    out->ms = median(ms, out->runs);
    out->copies_ms = median(copies_ms, out->runs);
    out->used = gs_engine_used(engine);
    return GS_OK;
}

gs_code bench_keys_run(bench_keys *k, const bench_engine *which, bench_point *out,
                       gs_status *st)
{
    const char *const name = which->name;
    *out = (bench_point){.type = k->type,
                         .distribution = k->distribution,
                         .count = k->count,
                         .engine = name,
                         .label = which->label,
                         .used = name};
    if (strcmp(name, BENCH_QSORT) == 0)
        return repeat_qsort(k, out, st);
    gs_engine_options options = {.name = name,
                                 .type = k->type,
                                 .place =
                                     k->setup->on_host ? GS_PLACE_HOST : GS_PLACE_DEVICE,
                                 .count_max = k->count,
                                 .device_count = which->gpu_count,
                                 .spread_count_min = 2};
    memcpy(options.devices, which->gpus, sizeof options.devices);
    gs_engine *engine = NULL;
    GS_TRY(need_keys(k, !k->setup->on_host, st));
    GS_TRY(gs_engine_new(&engine, &options, st));
    GS_NOTED(repeat_gpu(k, engine, out, st));
    gs_engine_free(engine);
    return st->code;
}

gs_code bench_keys_new(bench_keys **out, const bench_setup *setup, gs_batch_type type,
                       gs_distribution distribution, size_t count, gs_status *st)
{
    *out = NULL;
    GS_TRY(gs_mem_new(out, sizeof(bench_keys), "keys to sort", st));
    **out = (bench_keys){
        .setup = setup, .type = type, .distribution = distribution, .count = count};
    return GS_OK;
}

void bench_keys_free(bench_keys *k)
{
    if (k == NULL)
        return;
    array_free(k, true, &k->d_fresh);
    array_free(k, true, &k->d_keys);
    array_free(k, false, &k->h_fresh);
    array_free(k, false, &k->h_sorted);
    gs_mem_free(k);
}
