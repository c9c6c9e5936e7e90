/* SPDX-License-Identifier: MIT */
/*
 * Each thread takes a batch of whole records, hashes them and compares neighbours inside
 * the batch; then it waits for its turn to compare the first record with the last of the
 * batch before and to add up what it found:
 *
 *      batch 0   a b c .. k        thread 1
 *                         | k <= l ?   in turn
 *      batch 1            l m .. t     thread 2
 */
#include "lib/sort/verify.h"

#include <pthread.h>
#include <string.h>
#include <xxhash.h>

#include "io/input.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"
#include "lib/sort/plan/plans.h"

typedef struct gs_text {
    uint8_t *data;
    size_t bytes, capacity;
} gs_text;

/* What one thread works with. */
typedef struct gs_verify_worker {
    gs_text made[2]; /* strings of this record and of the one before */
    gs_text first;   /* string of the batch's first record, if made */
} gs_verify_worker;

typedef struct gs_verify_job {
    const gs_sort_options *options;
    bool with_order;
    gs_record_layout layout;
    gs_key_encoder *encoder; /* NULL: records are their own strings */
    gs_line_feed *feed;
    gs_verify_worker *workers;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_moved;
    uint64_t turn;
    bool is_over; /* a thread has failed */
    gs_verify_result *result;
    gs_text last; /* string of the last record so far */
    bool has_last;
} gs_verify_job;

/* A string that is compared: borrowed from a batch or from a gs_text. */
typedef struct gs_span {
    const uint8_t *data;
    size_t bytes;
} gs_span;

static gs_code text_reserve(gs_text *text, size_t bytes, gs_status *st)
{
    if (bytes <= text->capacity && text->data != NULL)
        return GS_OK;
    const size_t capacity = bytes + bytes / 2 + 256;
    GS_TRY(gs_mem_resize(&text->data, capacity, "string of a record", st));
    text->capacity = capacity;
    return GS_OK;
}

static gs_code text_copy(gs_text *to, gs_span from, gs_status *st)
{
    GS_TRY(text_reserve(to, from.bytes, st));
    if (from.bytes > 0)
        memcpy(to->data, from.data, from.bytes);
    to->bytes = from.bytes;
    return GS_OK;
}

static gs_code make_string(const gs_verify_job *job, gs_text *room, gs_span line,
                           gs_span *out, gs_status *st)
{
    *out = line;
    if (job->encoder == NULL)
        return GS_OK;
    const size_t bound = gs_key_encode_bound(job->encoder, line.bytes);
    GS_TRY(text_reserve(room, bound + line.bytes, st));
    size_t bytes = gs_key_encode(job->encoder, line.data, line.bytes, room->data);
    if (!job->layout.is_key_only) {
        memcpy(room->data + bytes, line.data, line.bytes);
        bytes += line.bytes;
    }
    *out = (gs_span){room->data, bytes};
    return GS_OK;
}

/* Adds one pair of neighbours to the result; `record` is the number of the second. */
static void judge(const gs_verify_job *job, gs_verify_result *result, gs_span before,
                  gs_span now, uint64_t record)
{
    int d = gs_string_compare(before.data, before.bytes, now.data, now.bytes, 0);
    if (job->layout.is_backwards)
        d = -d;
    if (d == 0)
        result->duplicates++;
    if (d > 0 || (d == 0 && job->options->order.unique)) {
        result->disorders++;
        if (result->first_disorder == 0)
            result->first_disorder = record;
    }
}

static void add_hash(gs_verify_result *result, gs_span line)
{
    const XXH128_hash_t hash = XXH3_128bits(line.data, line.bytes);
    result->sum_low += hash.low64;
    result->sum_high += hash.high64 + (result->sum_low < hash.low64);
}

/* Fills `result` for the batch alone, and its first and last strings. */
static gs_code look_at_batch(const gs_verify_job *job, gs_verify_worker *worker,
                             const gs_line_batch *batch, gs_verify_result *result,
                             gs_span *first, gs_span *last, gs_status *st)
{
    const size_t record_size = job->options->order.record_size;
    const uint8_t *at = batch->data;
    const uint8_t *const end = at + batch->bytes;
    unsigned turn = 0;
    result->bytes = batch->bytes;
    while (at < end) {
        gs_span line = {at, record_size};
        if (record_size == 0) {
            const uint8_t *const eol = memchr(at, job->layout.eol, (size_t)(end - at));
            line.bytes = (size_t)((eol ? eol : end) - at);
        }
        at += line.bytes + (record_size == 0);
        add_hash(result, line);
        result->records++;
        if (!job->with_order)
            continue;
        gs_span string;
        GS_TRY(make_string(job, &worker->made[turn], line, &string, st));
        if (result->records > 1)
            judge(job, result, *last, string, result->records);
        else if (job->encoder == NULL)
            *first = string;
        else { /* its room is needed for the next but one */
            GS_TRY(text_copy(&worker->first, string, st));
            *first = (gs_span){worker->first.data, worker->first.bytes};
        }
        *last = string;
        turn ^= 1;
    }
    return GS_OK;
}

static void add_up(gs_verify_result *total, const gs_verify_result *part)
{
    if (total->first_disorder == 0 && part->first_disorder != 0)
        total->first_disorder = total->records + part->first_disorder;
    total->records += part->records;
    total->bytes += part->bytes;
    total->sum_low += part->sum_low;
    total->sum_high += part->sum_high + (total->sum_low < part->sum_low);
    total->duplicates += part->duplicates;
    total->disorders += part->disorders;
}

/* The caller holds the mutex and has the turn. */
static gs_code join_batch(gs_verify_job *job, const gs_verify_result *part, gs_span first,
                          gs_span last, gs_status *st)
{
    if (job->with_order && part->records > 0) {
        if (job->has_last) {
            const gs_span before = {job->last.data, job->last.bytes};
            judge(job, job->result, before, first, job->result->records + 1);
        }
        GS_TRY(text_copy(&job->last, last, st));
        job->has_last = true;
    }
    add_up(job->result, part);
    return GS_OK;
}

/* Waits for the turn of a batch, unless somebody failed; always lets the next one go. */
static gs_code take_turn(gs_verify_job *job, uint64_t ticket,
                         const gs_verify_result *part, gs_span first, gs_span last,
                         gs_status *st)
{
    pthread_mutex_lock(&job->mutex);
    while (job->turn != ticket && !job->is_over)
        pthread_cond_wait(&job->turn_moved, &job->mutex);
    if (!job->is_over && join_batch(job, part, first, last, st) != GS_OK)
        job->is_over = true;
    job->turn++;
    pthread_cond_broadcast(&job->turn_moved);
    pthread_mutex_unlock(&job->mutex);
    return st->code;
}

static gs_code work_on_batches(gs_verify_job *job, gs_verify_worker *worker,
                               gs_status *st)
{
    for (;;) {
        gs_line_batch batch;
        bool has_batch = false;
        GS_TRY(gs_line_feed_next(job->feed, &batch, &has_batch, st));
        if (!has_batch)
            return GS_OK;
        gs_verify_result part = {0};
        gs_span first = {NULL, 0}, last = {NULL, 0};
        if (look_at_batch(job, worker, &batch, &part, &first, &last, st) == GS_OK)
            GS_NOTED(take_turn(job, batch.ticket, &part, first, last, st));
        gs_line_batch_release(&batch);
        if (st->code != GS_OK)
            return st->code;
    }
}

static gs_code work(void *context, unsigned number, gs_status *st)
{
    gs_verify_job *const job = context;
    if (work_on_batches(job, &job->workers[number], st) != GS_OK) {
        pthread_mutex_lock(&job->mutex);
        job->is_over = true;
        pthread_cond_broadcast(&job->turn_moved);
        pthread_mutex_unlock(&job->mutex);
    }
    return st->code;
}

static gs_code run_team(gs_verify_job *job, unsigned threads, gs_status *st)
{
    gs_team *team = NULL;
    GS_TRY(
        gs_mem_new(&job->workers, threads * sizeof *job->workers, "verify workers", st));
    GS_TRY_OR_FAIL(gs_team_new(&team, threads, st));
    GS_NOTED(gs_team_run(team, work, job, st));
fail:
    gs_team_free(team);
    for (unsigned i = 0; i < threads; i++) {
        gs_mem_free(job->workers[i].made[0].data);
        gs_mem_free(job->workers[i].made[1].data);
        gs_mem_free(job->workers[i].first.data);
    }
    gs_mem_free(job->workers);
    gs_mem_free(job->last.data);
    return st->code;
}

gs_code gs_verify_run(const gs_sort_options *options, size_t which, bool with_order,
                      gs_verify_result *out, gs_status *st)
{
    *out = (gs_verify_result){0};
    const unsigned threads = options->threads ? options->threads : gs_machine_cores();
    gs_verify_job job = {.options = options,
                         .with_order = with_order,
                         .layout =
                             gs_order_layout(&options->order, options->order.unique),
                         .mutex = PTHREAD_MUTEX_INITIALIZER,
                         .turn_moved = PTHREAD_COND_INITIALIZER,
                         .result = out};
    const gs_memory_plan plan =
        gs_memory_plan_make(options->memory_bytes, threads, job.layout.is_keyed);
    gs_block_pool *pool = NULL;
    gs_input *input = NULL;
    if (with_order && job.layout.is_keyed)
        GS_TRY_OR_FAIL(gs_key_encoder_new(&job.encoder, &options->order,
                                          job.layout.is_backwards, st));
    GS_TRY_OR_FAIL(gs_block_pool_new(&pool, plan.block_bytes, plan.block_count, st));
    const gs_input_options input_options = {
        .pool = pool,
        .blocks_in_flight = GS_BLOCKS_IN_FLIGHT,
        .decode_threads = 1,
        .keep_compressed = options->keep_compressed,
        .no_uring = options->no_uring,
        .log = options->log,
    };
    GS_TRY_OR_FAIL(gs_input_new(&input, options->inputs + which, 1, &input_options, st));
    const gs_line_feed_options feed_options = {
        .eol = options->order.eol,
        .record_size = options->order.record_size,
        .record_bytes_max = plan.record_bytes_max,
        .too_long_hint = plan.too_long_hint,
        .header_lines = options->header_lines,
        .names = options->inputs + which,
    };
    const gs_block_source blocks = gs_block_source_input(input);
    GS_TRY_OR_FAIL(gs_line_feed_new(&job.feed, &blocks, &feed_options, st));
    GS_NOTED(run_team(&job, plan.workers, st));
fail:
    gs_line_feed_free(job.feed);
    gs_input_free(input);
    gs_block_pool_free(pool);
    gs_key_encoder_free(job.encoder);
    return st->code;
}
