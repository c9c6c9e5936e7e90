/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_chunk.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "gpu/device/device.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"
#include "lib/sort/device/device_feed.h"
#include "lib/sort/device/device_merge.h"
#include "lib/sort/device/device_records.h"
#include "lib/sort/device/device_text.h"
#include "lib/sort/device/held_file.h"
#include "lib/sort/device/landing.h"

enum {
    SLOTS_MAX = GS_DEVICE_SLOTS_MAX,
    UPLOADS_HELD_MAX = 64,
    PIECE_BYTES = 1 << 20, /* in which held-back text goes up */
    /* Of what a chunk had room for a range is so much, and half as much again at most. */
    RANGE_SHARE = 5,
    RANGE_OF = 8,
};

/* What is read while the device starts: a third of a second of a fast disk. */
static const size_t START_BYTES = (size_t)1536 << 20;

/* A batch whose bytes the device still reads. */
typedef struct gs_upload_held {
    uint64_t ticket;
    gs_line_batch batch;
} gs_upload_held;

struct gs_device_chunk {
    const gs_forming *forming;
    gs_device_feed *feed;           /* of mapped files; NULL: batches of the line feed */
    size_t batches_held;            /* blocks of the pool that uploads may hold */
    size_t held_back_bytes;         /* host memory for text that is held back */
    bool keeps_all;                 /* the input cannot be read again */
    gs_text_sort *slots[SLOTS_MAX]; /* the first is the starter's until it is joined */
    atomic_uint slot_count;         /* some have no memory yet */
    bool is_ready;                  /* the device was waited for, and all is well */

    /* The thread that starts the device. */
    pthread_t starter;
    bool has_starter;
    atomic_bool is_started; /* the device is there, or is known not to be */
    pthread_mutex_t mutex;
    pthread_cond_t started; /* the same, with the mutex */
    gs_status start_status;
    void *pinned;
    gs_landing landing; /* of what comes down, and the blocks of the output's stream */

    /* Held back: [chunk's text already uploaded | not uploaded yet). */
    uint8_t *held;
    size_t held_bytes, held_uploaded;
    gs_held_file file; /* with keeps_all: what comes after them, all uploaded */
    bool lost_text;    /* text was uploaded that is not held back */

    gs_upload_held uploads[UPLOADS_HELD_MAX];
    size_t uploads_first, uploads_count;
    gs_line_batch pending; /* that the chunk had no room for */
    bool is_ended;
    _Atomic bool has_feed_failed; /* asked while the other slot may still be filled */
    gs_multiset read[SLOTS_MAX];  /* what the chunks there are made of */
    uint64_t full_bytes;          /* of the smallest chunk that had no more room */
    gs_device_merge *merge;       /* of runs, when all is read */
    unsigned filling;             /* the slot that is filled */
    gs_text_head head;
};

/* --- starting the device ------------------------------------------------------------ */

static size_t batch_bytes_max(const gs_device_chunk *c)
{
    if (c->feed != NULL)
        return c->forming->plan->feed_block_bytes + 1;
    return c->held_back_bytes < PIECE_BYTES ? c->held_back_bytes + 1
                                            : (size_t)PIECE_BYTES + 1;
}

static size_t held_map_bytes(const gs_device_chunk *c)
{
    return c->held_back_bytes + GS_BLOCK_SLACK;
}

/* How many slots are on the device: more than one if it is named more than once. */
static unsigned slots_there(const gs_device_chunk *c, int device)
{
    const gs_device_choice *const choice = c->forming->device;
    unsigned count = 0;
    for (size_t i = 0; i < choice->device_count && i < SLOTS_MAX; i++)
        count += choice->devices[i] == device;
    return c->keeps_all ? 1 : count;
}

static gs_code new_slot(gs_device_chunk *c, unsigned slot, gs_status *st)
{
    const gs_device_choice *const choice = c->forming->device;
    const gs_sort_options *const o = c->forming->options;
    /* Of one GPU two slots take half the memory each, unless all of the input fits. */
    const bool halves = choice->device_count == 1 && !c->keeps_all;
    gs_text_sort_options options = {
        .device = choice->devices[slot % choice->device_count],
        .order = choice->order,
        .engine = choice->engine,
        .input_bytes = choice->input_bytes,
        .is_exact = c->feed != NULL, /* plain files */
        .batch_bytes_max = batch_bytes_max(c),
        .fetch_bytes_max = c->forming->plan->stream_block_bytes,
        .memory_bytes_max = o->gpu_memory_bytes,
        .chunks_there = slots_there(c, choice->devices[slot % choice->device_count]),
        .may_halve_memory = halves,
        .may_drop_equals = o->order.unique || o->count,
        .log = o->log,
        .trace = o->trace,
        .number = slot,
    };
    if (slot > 0 && halves) {
        options.memory_bytes_max = gs_text_sort_memory_bytes(c->slots[0]);
        options.may_halve_memory = false;
    }
    return gs_text_sort_new(&c->slots[slot], &options, st);
}

static void *start_device(void *arg)
{
    gs_device_chunk *const c = arg;
    gs_trace *const trace = c->forming->options->trace;
    const uint64_t begin_ns = gs_trace_begin(trace);
    if (new_slot(c, 0, &c->start_status) == GS_OK) {
        void *area = NULL;
        size_t bytes = 0;
        if (c->feed != NULL)
            gs_device_feed_area(c->feed, &area, &bytes);
        else
            gs_block_pool_area(c->forming->pool, &area, &bytes);
        gs_text_pin(area, bytes);
        c->pinned = area;
    }
    gs_trace_end(trace, GS_LANE_GPU, 0, "start", begin_ns, 0);
    pthread_mutex_lock(&c->mutex);
    atomic_store(&c->is_started, true);
    pthread_cond_broadcast(&c->started);
    pthread_mutex_unlock(&c->mutex);
    if (c->start_status.code == GS_OK)
        gs_landing_pin(&c->landing); /* uploads need not wait for it */
    return NULL;
}

static gs_code start(gs_device_chunk *c, gs_status *st)
{
    const int error = gs_thread_start(&c->starter, start_device, c, 0);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
    c->has_starter = true;
    return GS_OK;
}

static void join_starter(gs_device_chunk *c)
{
    if (c->has_starter)
        pthread_join(c->starter, NULL);
    c->has_starter = false;
}

/* Waits until the device is there. */
static gs_code await_device(gs_device_chunk *c, gs_status *st)
{
    pthread_mutex_lock(&c->mutex);
    while (!atomic_load(&c->is_started))
        pthread_cond_wait(&c->started, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    gs_status_keep_first(st, &c->start_status);
    GS_TRY(st->code);
    c->is_ready = true;
    const size_t count = c->forming->device->device_count;
    if (c->keeps_all)
        atomic_store(&c->slot_count, 1);
    else if (count > 1)
        atomic_store(&c->slot_count, count < SLOTS_MAX ? (unsigned)count : SLOTS_MAX);
    else
        atomic_store(&c->slot_count, gs_text_sort_is_half(c->slots[0]) ? 2 : 1);
    return GS_OK;
}

/* What is fed from files is not held back. */
static gs_code new_memory(gs_device_chunk *c, gs_status *st)
{
    GS_TRY(gs_text_head_new(&c->head, st));
    if (c->forming->map != NULL)
        return gs_device_feed_new(&c->feed, c->forming, &c->head, st);
    return gs_mem_map(&c->held, held_map_bytes(c), true, "text held back", st);
}

gs_code gs_device_chunk_new(gs_device_chunk **out, const gs_forming *forming,
                            gs_status *st)
{
    const size_t share = forming->plan->held_back_bytes;
    const unsigned workers = gs_team_workers(forming->team);
    *out = NULL;
    gs_device_chunk *c = NULL;
    gs_assert(forming->device->device_count > 0);
    GS_TRY(gs_mem_new(&c, sizeof *c, "GPU chunk", st));
    c->forming = forming;
    gs_held_file_init(&c->file, forming->options, forming->plan);
    c->keeps_all = !forming->device->can_read_again;
    c->held_back_bytes = c->keeps_all || share < START_BYTES ? share : START_BYTES;
    c->batches_held = workers < UPLOADS_HELD_MAX ? workers : UPLOADS_HELD_MAX;
    atomic_store(&c->slot_count, 1);
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->started, NULL);
    GS_TRY_OR_FAIL(new_memory(c, st));
    GS_TRY_OR_FAIL(gs_landing_init(
        &c->landing, forming->plan->stream_blocks * forming->plan->stream_block_bytes,
        st));
    c->file.memory = c->landing.memory;
    /* A pipe may turn out to be short: its device is started when it is not. */
    if (!c->keeps_all)
        GS_TRY_OR_FAIL(start(c, st));
    *out = c;
    return GS_OK;
fail:
    gs_device_chunk_free(c);
    return st->code;
}

/* The oldest batch that goes up is there. */
static void release_upload(gs_device_chunk *c)
{
    gs_line_batch_release(&c->uploads[c->uploads_first].batch);
    c->uploads_first = (c->uploads_first + 1) % UPLOADS_HELD_MAX;
    c->uploads_count--;
}

void gs_device_chunk_free(gs_device_chunk *c)
{
    if (c == NULL)
        return;
    join_starter(c);
    /* Waits for what the device still reads, before the batches go. */
    for (unsigned i = 0; i < SLOTS_MAX; i++)
        gs_text_sort_free(c->slots[i]);
    gs_device_merge_free(c->merge);
    if (c->pinned != NULL)
        gs_text_unpin(c->pinned);
    gs_held_file_release(&c->file); /* its blocks are in the landing */
    gs_landing_release(&c->landing);
    while (c->uploads_count > 0)
        release_upload(c);
    gs_line_batch_release(&c->pending);
    gs_device_feed_free(c->feed);
    if (c->held != NULL)
        gs_mem_unmap(c->held, held_map_bytes(c));
    gs_mem_free(c->head.text);
    pthread_cond_destroy(&c->started);
    pthread_mutex_destroy(&c->mutex);
    gs_mem_free(c);
}

/* --- uploads ------------------------------------------------------------------------ */

/* Gives back the batches that have been copied; with `all` waits for every one. */
static gs_code reap_uploads(gs_device_chunk *c, gs_text_sort *sort, bool all,
                            gs_status *st)
{
    const bool must_wait = all || c->uploads_count >= c->batches_held;
    if (c->uploads_count == 0)
        return GS_OK;
    const size_t wait_at = all ? c->uploads_count - 1 : 0;
    const uint64_t ticket =
        c->uploads[(c->uploads_first + wait_at) % UPLOADS_HELD_MAX].ticket;
    uint64_t done = 0;
    GS_TRY(gs_text_sort_uploads_done(sort, must_wait ? &ticket : NULL, &done, st));
    while (c->uploads_count > 0 && c->uploads[c->uploads_first].ticket < done)
        release_upload(c);
    return GS_OK;
}

static void note_uploaded(gs_device_chunk *c, const uint8_t *text, size_t bytes)
{
    gs_multiset_add_text(&c->read[c->filling], &c->forming->watched->form, text, bytes);
}

/* Uploads what is held back and has not gone up; *is_full when there is no room. */
static gs_code upload_held(gs_device_chunk *c, gs_text_sort *sort, bool *is_full,
                           gs_status *st)
{
    const gs_text_order *const order = &c->forming->device->order;
    const gs_part_form form = {order->record_size, order->eol, batch_bytes_max(c) - 1};
    *is_full = false;
    uint64_t ticket = 0, done;
    bool has_ticket = false;
    while (c->held_uploaded < c->held_bytes && !*is_full) {
        const uint8_t *const from = c->held + c->held_uploaded;
        const size_t left = c->held_bytes - c->held_uploaded;
        const size_t n = gs_part_cut(&form, from, left);
        uint64_t next;
        GS_TRY(gs_text_sort_upload(sort, from, n, false, is_full, &next, st));
        if (*is_full)
            break;
        ticket = next;
        has_ticket = true;
        note_uploaded(c, from, n);
        c->held_uploaded += n;
    }
    if (has_ticket)
        GS_TRY(gs_text_sort_uploads_done(sort, &ticket, &done, st));
    if (!c->keeps_all && c->held_uploaded > 0) {
        c->lost_text = true;
        memmove(c->held, c->held + c->held_uploaded, c->held_bytes - c->held_uploaded);
        c->held_bytes -= c->held_uploaded;
        c->held_uploaded = 0;
    }
    return GS_OK;
}

/* Appends a batch to what is held back, with the end-of-line byte it may lack; false if
 * there is no room. */
static bool hold_back(gs_device_chunk *c, const gs_line_batch *batch)
{
    const size_t room = c->held_back_bytes - c->held_bytes;
    if (batch->bytes + batch->lacks_final_eol > room)
        return false;
    memcpy(c->held + c->held_bytes, batch->data, batch->bytes);
    c->held_bytes += batch->bytes;
    if (batch->lacks_final_eol)
        c->held[c->held_bytes++] = c->forming->device->order.eol;
    return true;
}

static gs_code next_batch(gs_device_chunk *c, gs_line_batch *batch, bool *has_batch,
                          gs_status *st)
{
    GS_TRY(gs_cancel_check(c->forming->options->cancel_signal, st));
    if (c->pending.bytes > 0) {
        *batch = c->pending;
        c->pending = (gs_line_batch){0};
        *has_batch = true;
        return GS_OK;
    }
    if (gs_line_feed_next(c->forming->feed, batch, has_batch, st) != GS_OK) {
        c->has_feed_failed = true;
        return st->code;
    }
    if (!*has_batch)
        c->is_ended = true;
    if (*has_batch && c->forming->options->stats != NULL)
        atomic_fetch_add(&c->forming->options->stats->text_bytes, batch->bytes);
    if (*has_batch)
        gs_text_head_add(&c->head, batch->data, batch->bytes);
    return GS_OK;
}

static void put_aside(gs_device_chunk *c, gs_line_batch *batch)
{
    c->pending = *batch;
    *batch = (gs_line_batch){0};
}

/* The GPU has the only copy. It goes on, and a failure would be one of the sort. */
static void lose_text(gs_device_chunk *c, gs_status *why)
{
    if (!c->lost_text)
        gs_log_say(c->forming->options->log, GS_LOG_WARNING,
                   "what is read cannot be kept for a second try: %s", why->msg);
    gs_status_clear(why);
    c->lost_text = true;
}

/* A batch that has gone up and is not in the memory for what is held back. */
static void keep_in_file(gs_device_chunk *c, const gs_line_batch *batch)
{
    gs_status st = {.code = GS_OK};
    if (!c->lost_text &&
        gs_held_file_append(&c->file, batch->data, batch->bytes, batch->lacks_final_eol,
                            c->forming->device->order.eol, &st) != GS_OK)
        lose_text(c, &st);
}

/* Can a batch be kept somewhere that goes up now? */
static bool can_keep(gs_device_chunk *c, const gs_line_batch *batch)
{
    return !c->keeps_all || c->lost_text ||
           gs_held_file_has_room(&c->file, batch->bytes + batch->lacks_final_eol);
}

/* Puts a batch into the chunk, taking it; *is_full if it has no room. */
static gs_code add_batch(gs_device_chunk *c, gs_text_sort *sort, gs_line_batch *batch,
                         bool *is_full, gs_status *st)
{
    *is_full = false;
    if (c->keeps_all && c->file.bytes == 0 && hold_back(c, batch)) {
        gs_line_batch_release(batch);
        return upload_held(c, sort, is_full, st);
    }
    if (!can_keep(c, batch)) {
        if (c->held_bytes == 0 && c->file.bytes == 0)
            return GS_FAIL(st, GS_ERR_GPU, 0,
                           "GPU: a batch of %zu bytes is more than can be held back",
                           batch->bytes);
        *is_full = true;
        put_aside(c, batch);
        return GS_OK;
    }
    uint64_t ticket;
    GS_TRY(gs_text_sort_upload(sort, batch->data, batch->bytes, batch->lacks_final_eol,
                               is_full, &ticket, st));
    if (*is_full) {
        put_aside(c, batch);
        return GS_OK;
    }
    if (c->keeps_all)
        keep_in_file(c, batch);
    else
        c->lost_text = true;
    note_uploaded(c, batch->data, batch->bytes);
    gs_assert(c->uploads_count < UPLOADS_HELD_MAX);
    c->uploads[(c->uploads_first + c->uploads_count) % UPLOADS_HELD_MAX] =
        (gs_upload_held){ticket, *batch};
    c->uploads_count++;
    *batch = (gs_line_batch){0};
    return reap_uploads(c, sort, false, st);
}

/* Reads into what is held back until the device is there, or `most` bytes are, or the
 * input ends. */
static gs_code read_ahead(gs_device_chunk *c, size_t most, bool until_started,
                          gs_status *st)
{
    while (!c->is_ended && c->held_bytes < most &&
           !(until_started && atomic_load(&c->is_started))) {
        gs_line_batch batch = {0};
        bool has_batch = false;
        GS_TRY(next_batch(c, &batch, &has_batch, st));
        if (!has_batch)
            break;
        if (!hold_back(c, &batch)) {
            put_aside(c, &batch);
            break;
        }
        gs_line_batch_release(&batch);
    }
    return GS_OK;
}

gs_code gs_device_chunk_peek(gs_device_chunk *c, size_t bytes, bool *is_all,
                             gs_status *st)
{
    GS_TRY(read_ahead(c, bytes, false, st));
    *is_all = c->is_ended && c->pending.bytes == 0;
    return GS_OK;
}

unsigned gs_device_chunk_slots(gs_device_chunk *c)
{
    return atomic_load(&c->slot_count);
}

bool gs_device_chunk_need_slot(gs_device_chunk *c, unsigned slot)
{
    gs_assert(slot < atomic_load(&c->slot_count));
    if (slot == 0 || c->slots[slot] != NULL)
        return true; /* the first is made by the starter */
    gs_status st = {.code = GS_OK};
    if (new_slot(c, slot, &st) == GS_OK)
        return true;
    /* Slots are first needed in their order, so no chunk is in one beyond. */
    atomic_store(&c->slot_count, slot);
    gs_log_say(c->forming->options->log, GS_LOG_INFO, "GPU: %u slots only: %s", slot,
               st.msg);
    return false;
}

/* Makes sure that the device has started. */
static gs_code make_ready(gs_device_chunk *c, unsigned slot, gs_status *st)
{
    if (c->is_ready)
        return GS_OK;
    gs_assert(slot == 0);
    if (!c->has_starter)
        GS_TRY(start(c, st));
    if (c->feed == NULL)
        GS_TRY(read_ahead(c, c->held_back_bytes, true, st));
    return await_device(c, st);
}

static gs_code fill_slot(gs_device_chunk *c, unsigned slot, gs_status *st)
{
    bool is_full = false;
    gs_text_sort *const sort = c->slots[slot];
    c->filling = slot;
    GS_TRY(upload_held(c, sort, &is_full, st));
    while (!is_full) {
        gs_line_batch batch = {0};
        bool has_batch = false;
        GS_TRY(next_batch(c, &batch, &has_batch, st));
        if (!has_batch)
            break;
        if (add_batch(c, sort, &batch, &is_full, st) != GS_OK) {
            if (batch.bytes > 0)
                put_aside(c, &batch); /* it did not go up: for give_back */
            return st->code;
        }
    }
    return reap_uploads(c, sort, true, st);
}

/* Fills it from files, or from batches. */
static gs_code fill_any(gs_device_chunk *c, unsigned slot, bool *is_last, gs_status *st)
{
    gs_status unkept = {.code = GS_OK};
    GS_NOTED(make_ready(c, slot, st));
    if (st->code == GS_OK && c->feed != NULL)
        return gs_device_feed_fill(c->feed, c->slots[slot], &c->read[slot], is_last, st);
    if (st->code == GS_OK)
        GS_NOTED(fill_slot(c, slot, st));
    /* Also after a failure: what is kept is needed then. */
    if (gs_held_file_close(&c->file, &unkept) != GS_OK)
        lose_text(c, &unkept);
    *is_last = c->is_ended && c->pending.bytes == 0 && c->held_uploaded == c->held_bytes;
    return st->code;
}

gs_code gs_device_chunk_fill(gs_device_chunk *c, unsigned slot, bool *is_last,
                             gs_status *st)
{
    GS_TRY(fill_any(c, slot, is_last, st));
    const uint64_t bytes = gs_text_sort_bytes(c->slots[slot]);
    if (!*is_last && (c->full_bytes == 0 || bytes < c->full_bytes))
        c->full_bytes = bytes;
    return GS_OK;
}

bool gs_device_chunk_is_empty(const gs_device_chunk *c, unsigned slot)
{
    return !c->is_ready || gs_text_sort_bytes(c->slots[slot]) == 0;
}

bool gs_device_chunk_can_do_without(const gs_device_chunk *c, const gs_status *st)
{
    const bool is_gone = c->keeps_all && c->lost_text;
    const bool has_failed =
        c->feed != NULL ? gs_device_feed_has_failed(c->feed) : c->has_feed_failed;
    return gs_device_is_to_blame(st->code) && !has_failed && !is_gone;
}

bool gs_device_chunk_is_started(const gs_device_chunk *c)
{
    return atomic_load(&c->is_started) && c->start_status.code == GS_OK;
}

void gs_device_chunk_sample(const gs_device_chunk *c, const uint8_t **text, size_t *bytes)
{
    *text = c->head.text;
    *bytes = c->head.bytes;
}

bool gs_device_chunk_give_back(gs_device_chunk *c)
{
    join_starter(c);
    gs_assert(!c->keeps_all || !c->lost_text); /* nobody can read it again */
    if (c->lost_text || c->feed != NULL)
        return false;
    /* They will be counted again. */
    if (c->forming->options->stats != NULL)
        atomic_fetch_sub(&c->forming->options->stats->text_bytes,
                         c->held_bytes + c->file.bytes + c->pending.bytes);
    gs_replay replay = {
        .memory = c->held, .map_bytes = held_map_bytes(c), .bytes = c->held_bytes};
    if (c->file.bytes > 0)
        replay.fd = gs_held_file_take(&c->file, &replay.file_bytes);
    gs_line_feed_replay(c->forming->feed, &replay, &c->pending);
    c->held = NULL;
    return true;
}

/* --- out again ---------------------------------------------------------------------- */

double gs_device_chunk_kept(gs_device_chunk *c, unsigned slot)
{
    gs_status st = {.code = GS_OK};
    gs_text_result result = {0};
    join_starter(c);
    if (gs_text_sort_run(c->slots[slot], GS_TEXT_RECORDS, true, UINT64_MAX, &result,
                         &st) != GS_OK)
        return 0; /* what is wrong shows when it is emitted */
    return result.input_count > 0
               ? (double)result.record_count / (double)result.input_count
               : 1;
}

gs_code gs_device_chunk_emit(gs_device_chunk *c, unsigned slot, gs_sink *sink,
                             const gs_emit_options *emit, gs_status *st)
{
    /* What is left out as equal is only known of records; runs of text have all. */
    const bool drops = emit->is_unique && !sink->is_passing;
    const bool is_text = gs_emit_is_text(sink) && !drops;
    gs_text_sort *const sort = c->slots[slot];
    gs_text_result result;
    join_starter(c); /* who locks the memory for what comes down */
    GS_TRY(gs_text_sort_run(sort, is_text ? GS_TEXT_OUTPUT : GS_TEXT_RECORDS, drops,
                            emit->has_top ? emit->top_count : UINT64_MAX, &result, st));
    gs_log_say(c->forming->options->log, GS_LOG_INFO,
               "GPU: %llu records sorted in %u rounds, %.1f GiB of its memory",
               (unsigned long long)result.input_count, result.rounds,
               (double)gs_text_sort_device_bytes(sort) / (1 << 30));
    uint64_t ticket = emit->first_ticket;
    if (is_text && sink->is_passing) {
        GS_TRY(gs_device_text_keep(c->forming, sort, &result, &c->read[slot], &c->landing,
                                   sink, st));
    } else if (is_text) {
        const gs_text_stretch all = {0, result.bytes};
        const gs_sorted_text text = {&sort, 1, &all, 1};
        GS_TRY(gs_device_text_emit(c->forming, &text, &c->landing, sink->stream, &ticket,
                                   st));
        atomic_fetch_add(&sink->record_count, result.record_count);
    } else {
        GS_TRY(gs_device_records_emit(c->forming, sort, result.record_count,
                                      &c->read[slot], &c->landing, sink, emit, &ticket,
                                      st));
    }
    gs_witness_read(c->forming->witness, &c->read[slot]);
    if (c->forming->options->stats != NULL)
        atomic_fetch_add(&c->forming->options->stats->records, result.input_count);
    return GS_OK;
}

/* What was for reading the input is not needed any more: its memory goes to the merge. */
static void end_reading(gs_device_chunk *c)
{
    if (c->feed == NULL)
        return;
    gs_text_unpin(c->pinned);
    c->pinned = NULL;
    gs_device_feed_free(c->feed);
    c->feed = NULL;
}

gs_code gs_device_chunk_merge(gs_device_chunk *c, gs_mapped_store *runs, gs_sink *sink,
                              uint64_t ticket, gs_status *st)
{
    unsigned slots = 0;
    gs_assert(c->full_bytes > 0); /* or all of the input is in one chunk */
    while (slots < atomic_load(&c->slot_count) && c->slots[slots] != NULL)
        slots++;
    end_reading(c);
    const gs_device_merge_options options = {
        .forming = c->forming,
        .runs = runs,
        .slots = c->slots,
        .slot_count = slots,
        .range_bytes = (size_t)(c->full_bytes / RANGE_OF * RANGE_SHARE) + 1,
        .landing = &c->landing,
    };
    GS_TRY(gs_device_merge_new(&c->merge, &options, st));
    return gs_device_merge_run(c->merge, sink, ticket, st);
}

uint8_t *gs_device_chunk_stream_memory(const gs_device_chunk *c)
{
    return c->landing.memory;
}

void gs_device_chunk_clear(gs_device_chunk *c, unsigned slot)
{
    gs_text_sort_reset(c->slots[slot]);
    c->read[slot] = (gs_multiset){0};
    if (!c->keeps_all)
        return; /* another slot is being filled, from what is held back, too */
    memmove(c->held, c->held + c->held_uploaded, c->held_bytes - c->held_uploaded);
    c->held_bytes -= c->held_uploaded;
    c->held_uploaded = 0;
    gs_held_file_clear(&c->file);
    c->lost_text = false;
}
