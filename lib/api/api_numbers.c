/* SPDX-License-Identifier: MIT */
/*
 * Arrays of numbers, sorted in place, by a GPU or the cores. Signed numbers and floats
 * become unsigned ones that compare like them, and are turned back.
 */
#include <stdatomic.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/api/number_choice.h"
#include "lib/api/number_device.h"
#include "lib/api/number_sort.h"
#include "lib/api/number_turn.h"
#include "lib/base/fresh_memory.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum { A_THREAD_MIN = 1 << 16, /* numbers */ THREADS_MAX = 256 };

typedef struct number_job {
    void *numbers;
    gs_fresh_memory scratch; /* as many bytes */
    size_t count;
    gpusort_type type;
    bool is_turning_back;
    gs_team *team;
    gs_api_job job;
} number_job;

/* --- by the cores ----------------------------------------------------------------- */

static gs_code turn_slice(void *context, unsigned worker, gs_status *st)
{
    number_job *const n = context;
    const size_t workers = gs_team_workers(n->team);
    const size_t begin = n->count / workers * worker;
    const size_t end = worker + 1 == workers ? n->count : begin + n->count / workers;
    (void)st;
    gs_number_turn((uint8_t *)n->numbers + begin * gs_number_width(n->type), end - begin,
                   n->type, n->is_turning_back);
    return GS_OK;
}

static gs_code turn(number_job *n, bool back, gs_status *st)
{
    if (!gs_number_is_turned(n->type))
        return GS_OK;
    n->is_turning_back = back;
    return gs_team_run(n->team, turn_slice, n, st);
}

static gs_code take_pages(void *context, unsigned worker, gs_status *st)
{
    number_job *const n = context;
    (void)st;
    for (size_t at = worker; at * GS_FRESH_STEP < n->scratch.size;
         at += gs_team_workers(n->team))
        gs_fresh_memory_take(&n->scratch, at * GS_FRESH_STEP);
    return GS_OK;
}

static gs_code leave_pages(void *context, unsigned worker, gs_status *st)
{
    const number_job *const n = context;
    (void)st;
    gs_fresh_memory_leave(&n->scratch, n->scratch.size, worker, gs_team_workers(n->team));
    return GS_OK;
}

static gs_code sort_turned(number_job *n, gs_status *st)
{
    const volatile int *const cancel = &n->job.cancel;
    void *const scratch = n->scratch.bytes;
    return gs_number_width(n->type) == sizeof(uint32_t)
               ? gs_number_sort_u32(n->numbers, scratch, n->count, n->team, cancel, st)
               : gs_number_sort_u64(n->numbers, scratch, n->count, n->team, cancel, st);
}

static gs_code sort_by_cores(number_job *n, gs_status *st)
{
    GS_TRY(gs_team_run(n->team, take_pages, n, st));
    if (turn(n, false, st) == GS_OK)
        GS_NOTED(sort_turned(n, st));
    /* After a failure they are numbers again, if not in order. */
    gs_status late = {.code = GS_OK};
    GS_NOTED(turn(n, true, &late));
    gs_status_keep_first(st, &late);
    return st->code;
}

/* --- by a GPU ----------------------------------------------------------------------- */

/* A GPU has sorted for this process: what its start takes is paid. */
static atomic_bool has_gpu_started;

static bool wants_gpu(const number_job *n, unsigned threads)
{
    const char *const engine = n->job.job->engine;
    if (gs_engine_is_auto(engine))
        return gs_number_gpu_pays(n->count, gs_number_width(n->type), threads,
                                  atomic_load(&has_gpu_started)) &&
               gs_device_is_likely();
    return gs_engine_is_of_gpu(engine);
}

/* False if there is no GPU that can: the numbers are as they were. */
static bool sort_by_gpu(number_job *n)
{
    gs_status st = {.code = GS_OK};
    const gs_number_array array = {n->numbers, n->scratch.bytes, n->count, n->type};
    if (gs_number_device_sort(&array, n->job.job, n->team, &n->job.log, &n->job.cancel,
                              &st) == GS_OK) {
        atomic_store(&has_gpu_started, true);
        return true;
    }
    if (st.code != GS_ERR_CANCELLED)
        gs_log_say(&n->job.log,
                   gs_engine_is_auto(n->job.job->engine) ? GS_LOG_INFO : GS_LOG_WARNING,
                   "%s; sorting by the cores", st.msg);
    gs_status_clear(&st);
    return false;
}

static gs_code sort_numbers(number_job *n, gs_status *st)
{
    const unsigned asked = n->job.job->threads;
    unsigned threads = asked > 0 ? asked : gs_machine_cores();
    const size_t most = n->count / A_THREAD_MIN + 1;
    threads = threads > THREADS_MAX ? THREADS_MAX : threads;
    threads = threads > most ? (unsigned)most : threads;
    const size_t bytes = n->count * gs_number_width(n->type);
    GS_TRY(gs_team_new(&n->team, threads, st));
    GS_TRY(gs_fresh_memory_init(&n->scratch, bytes, "numbers", st));
    if (!wants_gpu(n, threads) || !sort_by_gpu(n))
        GS_NOTED(sort_by_cores(n, st));
    gs_status left = {.code = GS_OK};
    GS_NOTED(gs_team_run(n->team, leave_pages, n, &left));
    gs_fresh_memory_release(&n->scratch);
    return st->code;
}

/* One number is in order, but as one of many a NaN loses its sign. */
static void turn_one(number_job *n)
{
    gs_number_turn(n->numbers, 1, n->type, false);
    gs_number_turn(n->numbers, 1, n->type, true);
}

gpusort_code gpusort_sort_numbers(void *numbers, size_t count, gpusort_type type,
                                  const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    number_job n = {.numbers = numbers, .count = count, .type = type};
    size_t bytes;
    if (gs_number_width(type) == 0)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "numbers of no known type: %d", (int)type);
    else
        GS_NOTED(gs_mem_size_mul(&bytes, count, gs_number_width(type), &st));
    if (st.code == GS_OK && count == 1)
        turn_one(&n);
    if (st.code == GS_OK && count > 1 && gs_api_job_open(&n.job, job, &st) == GS_OK) {
        GS_NOTED(sort_numbers(&n, &st));
        gs_team_free(n.team);
        gs_api_job_close(&n.job);
    }
    return gs_api_result(&st, error);
}
