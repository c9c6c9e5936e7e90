/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_feed.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/device/input_batches.h"

struct gs_device_feed {
    const gs_forming *forming;
    gs_input_batches input;
    gs_batch_ring *ring;
    uint64_t *tickets; /* of batches that go up; as many as blocks of the ring */
    size_t ticket_count;
    uint64_t sent, done; /* batches */
    _Atomic bool has_failed;
    gs_text_head *head;
};

bool gs_device_feed_map(const gs_forming *forming, int output_fd, gs_file_map *map)
{
    return forming->device->can_read_again &&
           gs_input_batches_map(forming, output_fd, map);
}

/* Begins to read; *out has the feed then, else it is gone. */
static gs_code begin(gs_device_feed **out, gs_device_feed *d,
                     const gs_batch_source *source, gs_status *st)
{
    GS_TRY_OR_FAIL(gs_batch_ring_new(&d->ring, d->forming, source, st));
    d->ticket_count = gs_batch_ring_blocks(d->ring);
    GS_TRY_OR_FAIL(gs_mem_new_array(&d->tickets, d->ticket_count, sizeof *d->tickets,
                                    "uploads", st));
    *out = d;
    return GS_OK;
fail:
    gs_device_feed_free(d);
    return st->code;
}

gs_code gs_device_feed_new(gs_device_feed **out, const gs_forming *forming,
                           gs_text_head *head, gs_status *st)
{
    gs_device_feed *d = NULL;
    *out = NULL;
    gs_assert(forming->map != NULL);
    GS_TRY(gs_mem_new(&d, sizeof *d, "GPU feed", st));
    d->forming = forming;
    d->head = head;
    d->input.forming = forming;
    const gs_batch_source source = gs_input_batches_source(&d->input);
    return begin(out, d, &source, st);
}

gs_code gs_device_feed_new_of(gs_device_feed **out, const gs_forming *forming,
                              const gs_batch_source *source, gs_status *st)
{
    gs_device_feed *d = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&d, sizeof *d, "GPU feed", st));
    d->forming = forming;
    return begin(out, d, source, st);
}

void gs_device_feed_free(gs_device_feed *d)
{
    if (d == NULL)
        return;
    gs_batch_ring_free(d->ring);
    gs_mem_free(d->tickets);
    gs_mem_free(d);
}

void gs_device_feed_area(const gs_device_feed *d, void **area, size_t *bytes)
{
    gs_batch_ring_area(d->ring, area, bytes);
}

bool gs_device_feed_has_failed(const gs_device_feed *d)
{
    return atomic_load(&d->has_failed);
}

/* Frees the blocks of uploads that are done, and waits for the oldest one. */
static gs_code reap(gs_device_feed *d, gs_text_sort *sort, bool must_wait, gs_status *st)
{
    uint64_t done = 0;
    if (d->done == d->sent)
        return GS_OK;
    const uint64_t *const oldest = &d->tickets[d->done % d->ticket_count];
    GS_TRY(gs_text_sort_uploads_done(sort, must_wait ? oldest : NULL, &done, st));
    while (d->done < d->sent && d->tickets[d->done % d->ticket_count] < done) {
        gs_batch_ring_release(d->ring);
        d->done++;
    }
    return GS_OK;
}

/* The next batch, or NULL at the end of the input. While it is not there yet, blocks are
 * made free that threads may wait for. */
static gs_code await_batch(gs_device_feed *d, gs_text_sort *sort,
                           const gs_ring_batch **batch, gs_status *st)
{
    for (;;) {
        const bool may_wait = d->done == d->sent;
        bool is_ended = false;
        GS_TRY(gs_cancel_check(d->forming->options->cancel_signal, st));
        if (gs_batch_ring_next(d->ring, may_wait, batch, &is_ended, st) != GS_OK) {
            atomic_store(&d->has_failed, true);
            return st->code;
        }
        GS_TRY(reap(d, sort, *batch == NULL && !is_ended, st));
        if (*batch != NULL || is_ended)
            return GS_OK;
    }
}

static void note_sent(gs_device_feed *d, const gs_ring_batch *batch)
{
    gs_sort_stats *const stats = d->forming->options->stats;
    gs_text_head_add(d->head, batch->data, batch->bytes);
    if (stats != NULL)
        atomic_fetch_add(&stats->text_bytes, batch->bytes);
}

/* Starts to send the next batch up, unless the chunk is full. */
static gs_code send(gs_device_feed *d, gs_text_sort *sort, const gs_ring_batch *batch,
                    bool *is_full, gs_status *st)
{
    uint64_t ticket = 0;
    GS_TRY(gs_text_sort_upload(sort, batch->data, batch->bytes, batch->lacks_final_eol,
                               is_full, &ticket, st));
    if (*is_full)
        return GS_OK;
    d->tickets[d->sent++ % d->ticket_count] = ticket;
    gs_batch_ring_give(d->ring);
    return GS_OK;
}

static gs_code reap_all(gs_device_feed *d, gs_text_sort *sort, gs_status *st)
{
    while (d->done < d->sent)
        GS_TRY(reap(d, sort, true, st));
    return GS_OK;
}

gs_code gs_device_feed_fill(gs_device_feed *d, gs_text_sort *sort, gs_multiset *records,
                            bool *is_last, gs_status *st)
{
    const gs_ring_batch *batch = NULL;
    *is_last = false;
    for (bool is_full = false; !is_full && !*is_last;) {
        GS_TRY(await_batch(d, sort, &batch, st));
        *is_last = batch == NULL;
        if (*is_last)
            break;
        GS_TRY(send(d, sort, batch, &is_full, st));
        if (is_full)
            break;
        gs_multiset_join(records, &batch->records); /* still there */
        note_sent(d, batch);
    }
    return reap_all(d, sort, st);
}

gs_code gs_device_feed_fill_bytes(gs_device_feed *d, gs_text_sort *sort, uint64_t bytes,
                                  bool *fits, gs_status *st)
{
    const gs_ring_batch *batch = NULL;
    uint64_t passed = 0;
    *fits = true;
    while (passed < bytes) {
        GS_TRY(await_batch(d, sort, &batch, st));
        gs_assert(batch != NULL && batch->bytes <= bytes - passed);
        passed += batch->bytes;
        if (*fits) {
            bool is_full = false;
            GS_TRY(send(d, sort, batch, &is_full, st));
            *fits = !is_full;
            if (is_full)
                GS_TRY(reap_all(d, sort, st));
        }
        if (!*fits) { /* this one and what comes behind it go nowhere */
            gs_batch_ring_give(d->ring);
            gs_batch_ring_release(d->ring);
        }
    }
    return reap_all(d, sort, st);
}
