/* SPDX-License-Identifier: MIT */
#include "lib/data/gen_write.h"

#include <pthread.h>

#include "io/write_all.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

typedef struct gen_job {
    const gs_gen_data *data;
    const gs_gen_target *target;
    uint64_t slice_count;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_moved;
    uint64_t next_slice, turn;
    uint64_t total; /* bytes whose place is decided */
    bool is_over;   /* enough bytes, or a failure */
} gen_job;

static gs_code write_all(const gs_gen_target *target, const uint8_t *bytes, size_t count,
                         uint64_t offset, gs_status *st)
{
    GS_TRY(gs_cancel_check(target->cancel, st));
    if (target->take != NULL) {
        GS_TRY(target->take(target->take_context, bytes, count, st));
    } else {
        const int error = target->is_seekable
                              ? gs_pwrite_all(target->fd, bytes, count, offset)
                              : gs_write_all(target->fd, bytes, count);
        if (error != 0)
            return GS_FAIL(st, GS_ERR_IO, error, "%s", target->failure);
    }
    if (target->written != NULL)
        atomic_fetch_add(target->written, count);
    return GS_OK;
}

/* False when no slice is left to make. */
static bool take_slice(gen_job *job, uint64_t *slice)
{
    pthread_mutex_lock(&job->mutex);
    const bool has = !job->is_over && job->next_slice < job->slice_count;
    if (has)
        *slice = job->next_slice++;
    pthread_mutex_unlock(&job->mutex);
    return has;
}

/* Waits for the turn and decides where the slice goes and how much of it. */
static bool begin_turn(gen_job *job, uint64_t slice, const uint8_t *bytes, size_t *count,
                       uint64_t *offset)
{
    pthread_mutex_lock(&job->mutex);
    while (job->turn != slice && !job->is_over)
        pthread_cond_wait(&job->turn_moved, &job->mutex);
    const bool is_wanted = !job->is_over;
    if (is_wanted) {
        const uint64_t limit = job->target->bytes_limit;
        if (limit != UINT64_MAX)
            *count = gs_gen_slice_cut(job->data, bytes, *count, limit - job->total);
        *offset = job->target->offset + job->total;
        job->total += *count;
    }
    pthread_mutex_unlock(&job->mutex);
    return is_wanted;
}

static void end_turn(gen_job *job, bool failed)
{
    pthread_mutex_lock(&job->mutex);
    job->turn++;
    if (failed || job->total >= job->target->bytes_limit)
        job->is_over = true;
    pthread_cond_broadcast(&job->turn_moved);
    pthread_mutex_unlock(&job->mutex);
}

static gs_code work(void *context, unsigned worker, gs_status *st)
{
    (void)worker;
    gen_job *const job = context;
    const size_t capacity = gs_gen_slice_bytes_max(job->data);
    uint8_t *bytes = NULL;
    if (gs_mem_map(&bytes, capacity, false, "slice buffer", st) != GS_OK) {
        end_turn(job, true);
        return st->code;
    }
    uint64_t slice, offset;
    while (st->code == GS_OK && take_slice(job, &slice)) {
        size_t count = gs_gen_slice(job->data, slice, bytes);
        if (!begin_turn(job, slice, bytes, &count, &offset))
            break;
        if (job->target->is_seekable) {
            end_turn(job, false);
            if (write_all(job->target, bytes, count, offset, st) != GS_OK)
                end_turn(job, true); /* nobody waits for the turn any more */
        } else {
            const gs_code code = write_all(job->target, bytes, count, offset, st);
            end_turn(job, code != GS_OK);
        }
    }
    gs_mem_unmap(bytes, capacity);
    return st->code;
}

gs_code gs_gen_write(const gs_gen_data *data, const gs_gen_target *target,
                     unsigned threads, uint64_t *total, gs_status *st)
{
    *total = 0;
    const uint64_t slice_count = gs_gen_slice_count(data);
    if (slice_count == 0 || target->bytes_limit == 0)
        return GS_OK;
    if (threads > slice_count)
        threads = (unsigned)slice_count;
    gen_job job = {.data = data,
                   .target = target,
                   .slice_count = slice_count,
                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                   .turn_moved = PTHREAD_COND_INITIALIZER};
    gs_team *team = NULL;
    GS_TRY(gs_team_new(&team, threads > 0 ? threads : 1, st));
    GS_NOTED(gs_team_run(team, work, &job, st));
    gs_team_free(team);
    *total = job.total;
    return st->code;
}
