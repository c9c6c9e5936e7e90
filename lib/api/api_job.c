/* SPDX-License-Identifier: MIT */
#include "lib/api/api_job.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/api/api_call.h"
#include "lib/base/thread.h"

enum { LOOK_NS = 50 * 1000 * 1000 };

_Static_assert((int)GPUSORT_SAYS_ERROR == (int)GS_LOG_ERROR &&
                   (int)GPUSORT_SAYS_WARNING == (int)GS_LOG_WARNING &&
                   (int)GPUSORT_SAYS_INFO == (int)GS_LOG_INFO,
               "the levels of others are ours");

static void say(void *context, gs_log_level level, const char *text)
{
    gs_api_job *const j = context;
    pthread_mutex_lock(&j->mutex);
    j->job->log(j->job->context, (gpusort_level)level, text);
    pthread_mutex_unlock(&j->mutex);
}

static int tell_progress(const gs_api_job *j)
{
    const gs_sort_stats *const stats = &j->stats->index.sort;
    const gpusort_progress now = {
        .size = sizeof now,
        .input_bytes = atomic_load(&stats->input_bytes),
        .input_bytes_total = atomic_load(&stats->input_bytes_total),
        .records = atomic_load(&stats->records),
        .output_bytes = atomic_load(&stats->output_bytes),
        .spilled_bytes = atomic_load(&stats->spill_bytes),
    };
    return j->job->progress(j->job->context, &now);
}

void gs_api_job_stop(gs_api_job *j)
{
    /* The number of a signal is what the library knows for "stop". */
    __atomic_store_n(&j->cancel, SIGTERM, __ATOMIC_RELAXED);
}

static void look(gs_api_job *j)
{
    const volatile int *const asked = j->job->cancel;
    const bool is_wanted =
        (asked != NULL && __atomic_load_n(asked, __ATOMIC_RELAXED) != 0) ||
        (j->job->progress != NULL && tell_progress(j) != 0);
    if (is_wanted)
        gs_api_job_stop(j);
}

static void *watch(void *context)
{
    gs_api_job *const j = context;
    struct timespec until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&j->mutex);
    while (!j->is_over) {
        until.tv_nsec += LOOK_NS;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (pthread_cond_timedwait(&j->over, &j->mutex, &until) == ETIMEDOUT)
            look(j);
    }
    pthread_mutex_unlock(&j->mutex);
    return NULL;
}

static gs_code check_engine(const char *name, gs_status *st)
{
    if (!gs_engine_is_of_gpu(name))
        return GS_OK;
    if (!gs_engine_is_known(name))
        return GS_FAIL(st, GS_ERR_ARG, 0, "unknown engine '%.100s'", name);
    return gs_device_count() > 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_GPU, 0,
                         "engine '%.100s' needs a GPU, and there is none", name);
}

static gs_code check(const gpusort_job *job, gs_status *st)
{
    enum { FLAGS = GPUSORT_NO_URING | GPUSORT_ENDS_BY_PIPE };
    GS_TRY(gs_api_check_reserved(job->reserved,
                                 sizeof job->reserved / sizeof *job->reserved, st));
    if ((job->flags & ~(unsigned)FLAGS) != 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a job with unknown flags: %u", job->flags);
    if (job->gpu_count > 0 && job->gpus == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%u GPUs without their numbers",
                       job->gpu_count);
    return check_engine(job->engine, st);
}

gs_code gs_api_job_open(gs_api_job *j, const gpusort_job *job, gs_status *st)
{
    static const gpusort_job no_wishes;
    if (job == NULL)
        job = &no_wishes;
    *j = (gs_api_job){.job = job};
    j->stats = job->stats != NULL ? job->stats : &j->own;
    j->log = (gs_log){.fn = job->log != NULL ? say : NULL, .context = j};
    GS_TRY(check(job, st));
    pthread_mutex_init(&j->mutex, NULL);
    pthread_cond_init(&j->over, NULL);
    look(j);
    if (j->cancel != 0)
        (void)GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
    else if (job->progress != NULL || job->cancel != NULL)
        j->has_watcher = true;
    if (j->has_watcher) {
        const int error = gs_thread_start(&j->watcher, watch, j, 0);
        j->has_watcher = error == 0;
        if (error != 0)
            (void)GS_FAIL(st, GS_ERR_NOMEM, error, "a thread that reports progress");
    }
    if (st->code != GS_OK)
        gs_api_job_close(j);
    return st->code;
}

void gs_api_job_close(gs_api_job *j)
{
    if (j->has_watcher) {
        pthread_mutex_lock(&j->mutex);
        j->is_over = true;
        pthread_cond_signal(&j->over);
        pthread_mutex_unlock(&j->mutex);
        (void)pthread_join(j->watcher, NULL);
    }
    pthread_cond_destroy(&j->over);
    pthread_mutex_destroy(&j->mutex);
}
