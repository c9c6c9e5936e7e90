/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/group_feed.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/device/input_batches.h"

/* A batch on its way to a GPU. */
typedef struct group_upload {
    uint64_t ticket; /* of the GPU's chunk */
    uint64_t number; /* of the batch */
} group_upload;

/* What one thread has sent, oldest first, as much as the ring has blocks. */
typedef struct group_sender {
    group_upload *uploads;
    uint64_t sent, done;
    uint64_t bytes; /* that it took; guarded by the mutex */
} group_sender;

struct gs_group_feed {
    const gs_forming *forming;
    gs_input_batches input;
    gs_batch_ring *ring;
    size_t block_count;
    group_sender senders[GS_TEXT_CHUNKS_MAX];
    unsigned sender_count;
    gs_group_targets to;
    gs_multiset *records;

    pthread_mutex_t mutex;   /* guards what follows, and who asks the ring */
    pthread_cond_t progress; /* for who has nothing to do */
    bool *are_done;          /* batches by number % blocks, that are not released yet */
    uint64_t taken, released;
    bool is_ended, is_full, has_failed, has_reading_failed;
};

gs_code gs_group_feed_new(gs_group_feed **out, const gs_forming *forming, unsigned count,
                          gs_status *st)
{
    gs_group_feed *d = NULL;
    *out = NULL;
    gs_assert(forming->map != NULL && count <= GS_TEXT_CHUNKS_MAX);
    GS_TRY(gs_mem_new(&d, sizeof *d, "feed of GPUs", st));
    d->forming = forming;
    d->input.forming = forming;
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->progress, NULL);
    const gs_batch_source source = gs_input_batches_source(&d->input);
    GS_TRY_OR_FAIL(gs_batch_ring_new(&d->ring, forming, &source, st));
    d->block_count = gs_batch_ring_blocks(d->ring);
    GS_TRY_OR_FAIL(gs_mem_new_array(&d->are_done, d->block_count, sizeof *d->are_done,
                                    "uploads", st));
    for (; d->sender_count < count; d->sender_count++)
        GS_TRY_OR_FAIL(gs_mem_new_array(&d->senders[d->sender_count].uploads,
                                        d->block_count, sizeof(group_upload), "uploads",
                                        st));
    *out = d;
    return GS_OK;
fail:
    gs_group_feed_free(d);
    return st->code;
}

void gs_group_feed_free(gs_group_feed *d)
{
    if (d == NULL)
        return;
    gs_batch_ring_free(d->ring);
    for (unsigned i = 0; i < d->sender_count; i++)
        gs_mem_free(d->senders[i].uploads);
    gs_mem_free(d->are_done);
    pthread_cond_destroy(&d->progress);
    pthread_mutex_destroy(&d->mutex);
    gs_mem_free(d);
}

void gs_group_feed_area(const gs_group_feed *d, void **area, size_t *bytes)
{
    gs_batch_ring_area(d->ring, area, bytes);
}

bool gs_group_feed_has_failed(const gs_group_feed *d)
{
    return d->has_reading_failed;
}

/* --- a sender ------------------------------------------------------------------- */

/* Uploads of this sender that are done, and with `must_wait` the oldest: their batches
 * are released when those before them are. */
static gs_code reap(gs_group_feed *d, unsigned self, bool must_wait, gs_status *st)
{
    group_sender *const s = &d->senders[self];
    uint64_t done = 0;
    if (s->done == s->sent)
        return GS_OK;
    const group_upload *oldest = &s->uploads[s->done % d->block_count];
    GS_TRY(gs_text_sort_uploads_done(d->to.sorts[self],
                                     must_wait ? &oldest->ticket : NULL, &done, st));
    pthread_mutex_lock(&d->mutex);
    while (s->done < s->sent && oldest->ticket < done) {
        d->are_done[oldest->number % d->block_count] = true;
        oldest = &s->uploads[++s->done % d->block_count];
    }
    while (d->released < d->taken && d->are_done[d->released % d->block_count]) {
        d->are_done[d->released++ % d->block_count] = false;
        gs_batch_ring_release(d->ring);
    }
    pthread_cond_broadcast(&d->progress);
    pthread_mutex_unlock(&d->mutex);
    return GS_OK;
}

/* May it take a batch now? Not beyond its share, unless it is the last and all others
 * have theirs: files may have grown. */
static bool may_take_locked(const gs_group_feed *d, unsigned self)
{
    const uint64_t share = d->to.share_bytes;
    bool have_all = true;
    for (unsigned i = 0; i < d->sender_count; i++) {
        const bool has_share = d->senders[i].bytes >= share;
        if (d->to.is_filled_in_order && i < self && !has_share)
            return false;
        have_all = have_all && has_share;
    }
    return d->senders[self].bytes < share || (have_all && self + 1 == d->sender_count);
}

static void note_taken_locked(gs_group_feed *d, const gs_ring_batch *batch)
{
    gs_sort_stats *const stats = d->forming->options->stats;
    gs_multiset_join(d->records, &batch->records);
    gs_exchange_sample_add(d->to.sample, batch->data, batch->bytes);
    gs_text_head_add(d->to.head, batch->data, batch->bytes);
    if (stats != NULL)
        atomic_fetch_add(&stats->text_bytes, batch->bytes);
}

/* The next batch, if there is one and it is for this sender. Waits for it only if nobody
 * has one: else the ring may wait for what those have. */
static gs_code take_locked(gs_group_feed *d, unsigned self, gs_ring_batch *batch,
                           uint64_t *number, gs_status *st)
{
    const gs_ring_batch *next = NULL;
    if (!may_take_locked(d, self))
        return GS_OK;
    if (gs_batch_ring_next(d->ring, d->taken == d->released, &next, &d->is_ended, st) !=
        GS_OK) {
        d->has_reading_failed = true;
        return st->code;
    }
    if (next == NULL)
        return GS_OK;
    *batch = *next;
    *number = d->taken++;
    d->senders[self].bytes += batch->bytes;
    note_taken_locked(d, batch);
    gs_batch_ring_give(d->ring);
    return GS_OK;
}

static bool goes_on_locked(const gs_group_feed *d)
{
    return !d->is_ended && !d->is_full && !d->has_failed;
}

/* The next batch for this sender, with no bytes when there is no more. */
static gs_code await_batch(gs_group_feed *d, unsigned self, gs_ring_batch *batch,
                           uint64_t *number, gs_status *st)
{
    const group_sender *const s = &d->senders[self];
    *batch = (gs_ring_batch){0};
    for (bool goes_on = true; goes_on && batch->bytes == 0 && st->code == GS_OK;) {
        GS_TRY(gs_cancel_check(d->forming->options->cancel_signal, st));
        pthread_mutex_lock(&d->mutex);
        if (goes_on_locked(d))
            GS_NOTED(take_locked(d, self, batch, number, st));
        goes_on = goes_on_locked(d);
        const bool is_idle = goes_on && st->code == GS_OK && batch->bytes == 0;
        if (is_idle && s->done == s->sent)
            pthread_cond_wait(&d->progress, &d->mutex); /* somebody else has batches */
        pthread_mutex_unlock(&d->mutex);
        if (is_idle && s->done < s->sent)
            GS_TRY(reap(d, self, true, st));
    }
    return st->code;
}

static gs_code send(gs_group_feed *d, unsigned self, const gs_ring_batch *batch,
                    uint64_t number, gs_status *st)
{
    group_sender *const s = &d->senders[self];
    uint64_t ticket = 0;
    bool is_full = false;
    GS_TRY(gs_text_sort_upload(d->to.sorts[self], batch->data, batch->bytes,
                               batch->lacks_final_eol, &is_full, &ticket, st));
    if (is_full) {
        pthread_mutex_lock(&d->mutex);
        d->is_full = true;
        pthread_mutex_unlock(&d->mutex);
        return GS_OK;
    }
    s->uploads[s->sent++ % d->block_count] = (group_upload){ticket, number};
    return reap(d, self, false, st);
}

static gs_code send_all(gs_group_feed *d, unsigned self, gs_status *st)
{
    gs_ring_batch batch;
    uint64_t number = 0;
    for (;;) {
        GS_TRY(await_batch(d, self, &batch, &number, st));
        if (batch.bytes == 0)
            break;
        GS_TRY(send(d, self, &batch, number, st));
    }
    while (d->senders[self].done < d->senders[self].sent)
        GS_TRY(reap(d, self, true, st));
    return GS_OK;
}

/* Who ends, wakes those who wait for what it might have done. */
static gs_code send_main(void *context, unsigned worker, gs_status *st)
{
    gs_group_feed *const d = context;
    GS_NOTED(send_all(d, worker, st));
    pthread_mutex_lock(&d->mutex);
    d->has_failed |= st->code != GS_OK;
    pthread_cond_broadcast(&d->progress);
    pthread_mutex_unlock(&d->mutex);
    return st->code;
}

gs_code gs_group_feed_fill(gs_group_feed *d, gs_team *team, const gs_group_targets *to,
                           gs_multiset *records, bool *is_all, gs_status *st)
{
    gs_assert(to->count == d->sender_count && gs_team_workers(team) >= to->count);
    d->to = *to;
    d->records = records;
    GS_NOTED(gs_team_run(team, send_main, d, st));
    *is_all = st->code == GS_OK && !d->is_full;
    return st->code;
}
