/* SPDX-License-Identifier: MIT */
/*
 * Arrays of numbers, sorted in place, by a GPU or the cores. Signed numbers and floats
 * become unsigned ones that compare like them, and are turned back.
 */
#include <stdbool.h>
#include <string.h>

#include "gpu/engine/engine.h"
#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/api/number_sort.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum { A_THREAD_MIN = 1 << 16, /* numbers */ THREADS_MAX = 256 };

typedef struct number_job {
    void *numbers, *scratch;
    size_t count;
    gpusort_type type;
    bool is_turning_back;
    gs_team *team;
    gs_api_job job;
} number_job;

/* --- numbers that compare as unsigned ones ------------------------------------------ */

#define SIGN_32 (UINT32_C(1) << 31)
#define SIGN_64 (UINT64_C(1) << 63)

/* Every NaN loses its sign, and so is behind the greatest number. */
static uint32_t from_f32(uint32_t x)
{
    x = (x & ~SIGN_32) > UINT32_C(0xff) << 23 ? x & ~SIGN_32 : x;
    return (x & SIGN_32) != 0 ? ~x : x | SIGN_32;
}

static uint32_t to_f32(uint32_t x)
{
    return (x & SIGN_32) != 0 ? x & ~SIGN_32 : ~x;
}

static uint64_t from_f64(uint64_t x)
{
    x = (x & ~SIGN_64) > UINT64_C(0x7ff) << 52 ? x & ~SIGN_64 : x;
    return (x & SIGN_64) != 0 ? ~x : x | SIGN_64;
}

static uint64_t to_f64(uint64_t x)
{
    return (x & SIGN_64) != 0 ? x & ~SIGN_64 : ~x;
}

static size_t bytes_of(gpusort_type type)
{
    switch (type) {
    case GPUSORT_U32:
    case GPUSORT_I32:
    case GPUSORT_F32: return sizeof(uint32_t);
    case GPUSORT_U64:
    case GPUSORT_I64:
    case GPUSORT_F64: return sizeof(uint64_t);
    }
    return 0;
}

static void turn_u32(uint32_t *x, size_t count, gpusort_type type, bool back)
{
    if (type == GPUSORT_I32) {
        for (size_t i = 0; i < count; i++)
            x[i] ^= SIGN_32;
    } else if (type == GPUSORT_F32 && back) {
        for (size_t i = 0; i < count; i++)
            x[i] = to_f32(x[i]);
    } else if (type == GPUSORT_F32) {
        for (size_t i = 0; i < count; i++)
            x[i] = from_f32(x[i]);
    }
}

static void turn_u64(uint64_t *x, size_t count, gpusort_type type, bool back)
{
    if (type == GPUSORT_I64) {
        for (size_t i = 0; i < count; i++)
            x[i] ^= SIGN_64;
    } else if (type == GPUSORT_F64 && back) {
        for (size_t i = 0; i < count; i++)
            x[i] = to_f64(x[i]);
    } else if (type == GPUSORT_F64) {
        for (size_t i = 0; i < count; i++)
            x[i] = from_f64(x[i]);
    }
}

static gs_code turn_slice(void *context, unsigned worker, gs_status *st)
{
    number_job *const n = context;
    const size_t workers = gs_team_workers(n->team);
    const size_t begin = n->count / workers * worker;
    const size_t end = worker + 1 == workers ? n->count : begin + n->count / workers;
    (void)st;
    if (bytes_of(n->type) == sizeof(uint32_t))
        turn_u32((uint32_t *)n->numbers + begin, end - begin, n->type,
                 n->is_turning_back);
    else
        turn_u64((uint64_t *)n->numbers + begin, end - begin, n->type,
                 n->is_turning_back);
    return GS_OK;
}

static gs_code turn(number_job *n, bool back, gs_status *st)
{
    if (n->type == GPUSORT_U32 || n->type == GPUSORT_U64)
        return GS_OK;
    n->is_turning_back = back;
    return gs_team_run(n->team, turn_slice, n, st);
}

/* --- the sort ----------------------------------------------------------------------- */

/* Wanted by name; "auto" goes by the cores, which are as fast as the way to a GPU and
 * back (tests/bench/RESULTS.md). */
static bool wants_gpu(const gpusort_job *job)
{
    return job->engine != NULL && strcmp(job->engine, "auto") != 0 &&
           strcmp(job->engine, "cpu") != 0;
}

/* False if there is no GPU that can: the numbers are as they were. */
static bool sort_by_gpu(number_job *n, gs_status *st)
{
    const gpusort_job *const job = n->job.job;
    gs_engine *engine = NULL;
    gs_engine_options options = {
        .name = strcmp(job->engine, "gpu") == 0 ? NULL : job->engine,
        .type = GS_BATCH_U64,
        .place = GS_PLACE_HOST,
        .count_max = n->count,
        .memory_max_bytes = job->gpu_memory_bytes,
        .log = &n->job.log,
    };
    for (; options.device_count < job->gpu_count &&
           options.device_count < GS_GPU_DEVICES_MAX;
         options.device_count++)
        options.devices[options.device_count] = job->gpus[options.device_count];
    const gs_batch batch = {
        .keys = n->numbers, .count = n->count, .sorted_keys = n->scratch};
    if (bytes_of(n->type) == sizeof(uint64_t) &&
        gs_engine_new(&engine, &options, st) == GS_OK &&
        gs_engine_submit(engine, &batch, st) == GS_OK)
        GS_NOTED(gs_engine_wait(engine, st));
    const bool is_sorted = engine != NULL && st->code == GS_OK;
    gs_engine_free(engine);
    if (is_sorted)
        memcpy(n->numbers, n->scratch, n->count * sizeof(uint64_t));
    else if (st->code != GS_OK)
        gs_log_say(&n->job.log, GS_LOG_WARNING, "%s; sorting by the cores", st->msg);
    gs_status_clear(st);
    return is_sorted;
}

static gs_code sort_turned(number_job *n, gs_status *st)
{
    const volatile int *const cancel = &n->job.cancel;
    if (wants_gpu(n->job.job) && sort_by_gpu(n, st))
        return GS_OK;
    return bytes_of(n->type) == sizeof(uint32_t)
               ? gs_number_sort_u32(n->numbers, n->scratch, n->count, n->team, cancel, st)
               : gs_number_sort_u64(n->numbers, n->scratch, n->count, n->team, cancel,
                                    st);
}

static gs_code sort_numbers(number_job *n, gs_status *st)
{
    const unsigned asked = n->job.job->threads;
    unsigned threads = asked > 0 ? asked : gs_machine_cores();
    const size_t most = n->count / A_THREAD_MIN + 1;
    threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    threads = threads > most ? (unsigned)most : threads;
    const size_t bytes = n->count * bytes_of(n->type);
    GS_TRY(gs_team_new(&n->team, threads, st));
    GS_TRY(gs_mem_map(&n->scratch, bytes, true, "numbers", st));
    if (turn(n, false, st) == GS_OK)
        GS_NOTED(sort_turned(n, st));
    /* After a failure they are numbers again, if not in order. */
    gs_status late = {.code = GS_OK};
    GS_NOTED(turn(n, true, &late));
    gs_status_keep_first(st, &late);
    gs_mem_unmap(n->scratch, bytes);
    return st->code;
}

gpusort_code gpusort_sort_numbers(void *numbers, size_t count, gpusort_type type,
                                  const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    number_job n = {.numbers = numbers, .count = count, .type = type};
    size_t bytes;
    if (bytes_of(type) == 0)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "numbers of no known type: %d", (int)type);
    else
        GS_NOTED(gs_mem_size_mul(&bytes, count, bytes_of(type), &st));
    if (st.code == GS_OK && count > 1 && gs_api_job_open(&n.job, job, &st) == GS_OK) {
        GS_NOTED(sort_numbers(&n, &st));
        gs_team_free(n.team);
        gs_api_job_close(&n.job);
    }
    return gs_api_result(&st, error);
}
