/* SPDX-License-Identifier: MIT */
/*
 * Are neighbours in order? Each thread takes a batch of whole records, hashes them and
 * compares neighbours inside the batch; then it waits for its turn to compare the first
 * record with the last of the batch before and to add up what it found:
 *
 *      batch 0   a b c .. k        thread 1
 *                         | k <= l ?   in turn
 *      batch 1            l m .. t     thread 2
 */
#include "lib/sort/verify.h"

#include <pthread.h>
#include <string.h>
#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/sort/sort_input.h"

/* What one thread works with. */
typedef struct gs_verify_worker {
    gs_line_string first;      /* of the batch */
    gs_line_string strings[2]; /* of this record and of the one before */
} gs_verify_worker;

/* What one thread has seen of a batch. */
typedef struct gs_verify_part {
    gs_verify_result result;
    const gs_line_string *first, *last; /* strings of records; NULL: not made */
    gs_seen_string first_line;
    gs_seen_string disorder; /* the line that is counted as the first out of place */
    const gs_line_batch *batch;
} gs_verify_part;

typedef struct gs_verify_job {
    const gs_sort_options *options; /* those of `named` */
    gs_named_job named;
    const char *name; /* of the input */
    bool with_order;
    gs_record_layout layout;
    gs_key_encoder *encoder; /* NULL: records are their own strings */
    gs_line_feed *feed;
    gs_verify_worker *workers;
    gs_sort_disorder *disorder; /* NULL, or looks no further than the first */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_moved;
    uint64_t turn;
    bool is_over;      /* a thread has failed, or no one needs to look further */
    gs_status failure; /* of the first batch that was not joined as a whole */
    gs_verify_result *result;
    gs_line_string last; /* of the last record so far */
    bool has_last;
} gs_verify_job;

/* Is the second of two neighbours in its place? Counts equals, if that is wanted. */
static inline bool judge(const gs_verify_job *job, const gs_line_string *before,
                         const gs_line_string *now, uint64_t *duplicates)
{
    int d = gs_string_compare(before->data, before->bytes, now->data, now->bytes, 0);
    if (job->layout.is_backwards)
        d = -d;
    if (duplicates != NULL)
        *duplicates += d == 0;
    return d < 0 || (d == 0 && !job->options->order.unique);
}

static void note_disorder(gs_verify_part *part, gs_verify_result *result,
                          const uint8_t *line, size_t bytes, uint64_t record)
{
    if (result->disorders++ > 0)
        return;
    result->first_disorder = record;
    part->disorder = (gs_seen_string){line, bytes};
}

static void add_hash(gs_verify_result *result, const uint8_t *line, size_t bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(line, bytes);
    result->sum_low += hash.low64;
    result->sum_high += hash.high64 + (result->sum_low < hash.low64);
}

/* How long the record is that begins there, without its eol. */
static inline gs_code find_end(const gs_verify_job *job, const gs_line_batch *batch,
                               const uint8_t *at, size_t *bytes, gs_status *st)
{
    const gs_order *const order = &job->options->order;
    const size_t left = (size_t)(batch->data + batch->bytes - at);
    *bytes = order->record_size;
    if (order->record_size > 0)
        return GS_OK;
    const char *why = NULL;
    size_t broken_at = 0;
    if (gs_form_has_quotes(order->form)) {
        *bytes = gs_csv_record_end(at, left, gs_order_csv(order), &why, &broken_at);
    } else {
        const uint8_t *const eol = memchr(at, job->layout.eol, left);
        *bytes = eol != NULL ? (size_t)(eol - at) : left;
        if (gs_form_is_objects(order->form))
            why = gs_json_line_why(at, *bytes);
    }
    return why == NULL ? GS_OK
                       : gs_line_batch_fail(batch, job->name, (size_t)(at - batch->data),
                                            broken_at, why, st);
}

/* Looks at a batch alone. What is done to every record is known where this is called. */
static inline __attribute__((always_inline)) gs_code
look_at_records(const gs_verify_job *job, gs_verify_worker *worker,
                const gs_line_batch *batch, gs_verify_part *part, bool with_order,
                bool with_sum, bool is_search, gs_status *st)
{
    const size_t eol_bytes = job->options->order.record_size == 0;
    const uint8_t *const end = batch->data + batch->bytes;
    const gs_line_string *last = NULL;
    gs_verify_result result = {.bytes = batch->bytes};
    size_t bytes;
    for (const uint8_t *at = batch->data; at < end; at += bytes + eol_bytes) {
        if (find_end(job, batch, at, &bytes, st) != GS_OK)
            break; /* records before it are as good as any */
        result.records++;
        if (with_sum)
            add_hash(&result, at, bytes);
        if (!with_order)
            continue;
        gs_line_string *const string =
            last == NULL ? &worker->first : &worker->strings[result.records % 2];
        if (gs_line_string_make(string, &job->layout, job->encoder, at, bytes, st) !=
            GS_OK)
            break;
        if (last == NULL) {
            part->first = string;
            part->first_line = (gs_seen_string){at, bytes};
        } else if (!judge(job, last, string, is_search ? NULL : &result.duplicates)) {
            note_disorder(part, &result, at, bytes, result.records);
            if (is_search)
                break;
        }
        last = string;
    }
    part->last = last;
    part->result = result;
    return st->code;
}

static gs_code look_at_batch(const gs_verify_job *job, gs_verify_worker *worker,
                             const gs_line_batch *batch, gs_verify_part *part,
                             gs_status *st)
{
    if (job->disorder != NULL)
        return look_at_records(job, worker, batch, part, true, false, true, st);
    if (job->with_order)
        return look_at_records(job, worker, batch, part, true, true, false, st);
    return look_at_records(job, worker, batch, part, false, true, false, st);
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

/* The first that is out of place of all: nobody needs to look further. */
static gs_code keep_disorder(gs_verify_job *job, const gs_line_batch *batch,
                             gs_seen_string line, gs_status *st)
{
    gs_sort_disorder *const out = job->disorder;
    if (batch->first_line > 0) /* records may have several lines */
        out->line_number =
            batch->first_line +
            gs_line_count(batch->data, (size_t)(line.data - batch->data), GS_LINE_END);
    job->is_over = true;
    GS_TRY(gs_mem_new(&out->line, line.bytes, "line out of order", st));
    memcpy(out->line, line.data, line.bytes);
    out->line_bytes = line.bytes;
    out->found = true;
    return GS_OK;
}

/* The caller holds the mutex and has the turn. */
static gs_code join_batch(gs_verify_job *job, gs_verify_part *part, gs_status *st)
{
    gs_verify_result *const total = job->result;
    if (part->first != NULL) {
        if (job->has_last && !judge(job, &job->last, part->first, &total->duplicates))
            note_disorder(part, total, part->first_line.data, part->first_line.bytes,
                          total->records + 1);
        job->last.data = part->last->data;
        job->last.bytes = part->last->bytes;
        GS_TRY(gs_line_string_keep(&job->last, st)); /* the batch goes */
        job->has_last = true;
    }
    add_up(total, &part->result);
    return job->disorder != NULL && total->disorders > 0
               ? keep_disorder(job, part->batch, part->disorder, st)
               : GS_OK;
}

/* Waits for the turn of a batch, unless all is over; always lets the next one go. A batch
 * of which only a part could be looked at, as `st` says, is the last that is joined. */
static gs_code take_turn(gs_verify_job *job, uint64_t ticket, gs_verify_part *part,
                         bool *goes_on, gs_status *st)
{
    gs_status own = {.code = GS_OK};
    pthread_mutex_lock(&job->mutex);
    while (job->turn != ticket && !job->is_over)
        pthread_cond_wait(&job->turn_moved, &job->mutex);
    if (!job->is_over) {
        GS_NOTED(join_batch(job, part, &own));
        gs_status_keep_first(&own, st);
        gs_status_keep_first(&job->failure, &own);
        job->is_over |= own.code != GS_OK;
    }
    *goes_on = !job->is_over;
    job->turn++;
    pthread_cond_broadcast(&job->turn_moved);
    pthread_mutex_unlock(&job->mutex);
    return own.code;
}

static gs_code work(void *context, unsigned number, gs_status *st)
{
    gs_verify_job *const job = context;
    for (bool goes_on = true; goes_on;) {
        gs_line_batch batch;
        gs_verify_part part = {.batch = &batch};
        bool has_batch = false;
        GS_TRY(gs_cancel_check(job->options->cancel_signal, st));
        /* If that fails, what comes before it is still looked at, by who has it. */
        GS_TRY(gs_line_feed_next(job->feed, &batch, &has_batch, st));
        if (!has_batch) /* an input that was cut off looks as if it had ended */
            return gs_cancel_check(job->options->cancel_signal, st);
        GS_NOTED(look_at_batch(job, &job->workers[number], &batch, &part, st));
        GS_NOTED(take_turn(job, batch.ticket, &part, &goes_on, st));
        gs_line_batch_release(&batch);
    }
    return st->code;
}

static gs_code run_team(gs_verify_job *job, unsigned threads, gs_status *st)
{
    gs_team *team = NULL;
    GS_TRY(gs_mem_new_array(&job->workers, threads, sizeof *job->workers,
                            "verify workers", st));
    GS_TRY_OR_FAIL(gs_team_new(&team, threads, st));
    GS_NOTED(gs_team_run(team, work, job, st));
    if (job->failure.code != GS_OK)
        *st = job->failure; /* the first in the order of the input */
fail:
    gs_team_free(team);
    for (unsigned i = 0; i < threads; i++) {
        gs_line_string_release(&job->workers[i].first);
        gs_line_string_release(&job->workers[i].strings[0]);
        gs_line_string_release(&job->workers[i].strings[1]);
    }
    gs_mem_free(job->workers);
    gs_line_string_release(&job->last);
    return st->code;
}

/* A team is worth it for much that is surely there: of a pipe that is not in order the
 * rest may be long in coming. */
static unsigned choose_workers(const gs_verify_job *job, const gs_input *input,
                               const gs_memory_plan *plan)
{
    const bool may_wait = job->disorder != NULL && !gs_input_is_sized(input);
    return may_wait || gs_input_is_small(input) ? 1 : plan->workers;
}

static gs_code look_at_input(gs_verify_job *job, size_t which, gs_status *st)
{
    GS_TRY(gs_named_job_init(&job->named, job->options, st));
    job->options = &job->named.options;
    gs_sort_options one = *job->options;
    const gs_memory_plan plan =
        gs_memory_plan_make(one.memory_bytes, one.threads, job->layout.is_keyed);
    gs_sort_input in = {0};
    one.inputs += which;
    one.input_count = 1;
    job->named.options.inputs += which;
    job->name = one.inputs[0];
    pthread_mutex_init(&job->mutex, NULL);
    pthread_cond_init(&job->turn_moved, NULL);
    if (job->with_order && job->layout.is_keyed)
        GS_TRY_OR_FAIL(gs_key_encoder_new(&job->encoder, &job->options->order,
                                          job->layout.is_backwards, st));
    GS_TRY_OR_FAIL(gs_sort_input_open(&in, &one, &plan, &job->layout, st));
    GS_TRY_OR_FAIL(gs_input_begin(in.input, st));
    if (one.has_columns)
        GS_TRY_OR_FAIL(gs_sort_input_name_columns(&in, &job->named, st));
    job->feed = in.feed;
    GS_NOTED(run_team(job, choose_workers(job, in.input, &plan), st));
fail:
    gs_sort_input_release(&in);
    gs_key_encoder_free(job->encoder);
    gs_named_job_release(&job->named);
    pthread_cond_destroy(&job->turn_moved);
    pthread_mutex_destroy(&job->mutex);
    return st->code;
}

gs_code gs_verify_run(const gs_sort_options *options, size_t which, bool with_order,
                      gs_verify_result *out, gs_status *st)
{
    *out = (gs_verify_result){0};
    gs_verify_job job = {
        .options = options,
        .with_order = with_order,
        .layout = gs_order_layout(&options->order, options->order.unique),
        .result = out,
    };
    return look_at_input(&job, which, st);
}

gs_code gs_sort_check(const gs_sort_options *options, gs_sort_disorder *out,
                      gs_status *st)
{
    gs_assert(options->input_count == 1);
    *out = (gs_sort_disorder){0};
    gs_verify_result result = {0};
    gs_verify_job job = {
        .options = options,
        .with_order = true,
        .layout = gs_order_layout(&options->order, false),
        .disorder = out,
        .result = &result,
    };
    GS_NOTED(look_at_input(&job, 0, st));
    if (out->found) {
        if (out->line_number == 0)
            out->line_number = options->header_lines + result.first_disorder;
        gs_status_clear(st); /* what comes after that line may be as it is */
    }
    return st->code;
}
