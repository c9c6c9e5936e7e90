/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/chunk_consume.h"

#include <stdatomic.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"

enum {
    PREFETCH_AHEAD = 16,
    BUCKETS_A_WORKER = 4,
    LOOK_EVERY = 4096, /* records between two looks at the signal */
};

/* --- order ---------------------------------------------------------------------- */

typedef struct order_job {
    gs_ordered_chunk *ordered;
    const volatile int *cancel;
    gs_bucket_scratch *scratch; /* one a worker, of use where pages are given back */
    atomic_size_t next_bucket;
} order_job;

static size_t choose_bucket_elements(const gs_chunk *chunk, unsigned workers)
{
    const size_t share = chunk->element_count / (BUCKETS_A_WORKER * workers);
    return share < GS_BUCKET_ELEMENTS_MIN ? GS_BUCKET_ELEMENTS_MIN
           : share > GS_BUCKET_ELEMENTS   ? GS_BUCKET_ELEMENTS
                                          : share;
}

static gs_code order_worker(void *context, unsigned worker, gs_status *st)
{
    order_job *const job = context;
    const gs_ordered_chunk *const ordered = job->ordered;
    for (;;) {
        const size_t number = atomic_fetch_add(&job->next_bucket, 1);
        if (number >= ordered->list.count)
            return GS_OK;
        GS_TRY(gs_cancel_check(job->cancel, st));
        const gs_near_bucket bucket =
            gs_bucket_near(&ordered->split, &ordered->list.buckets[number]);
        gs_near_bucket_sort(&bucket, &ordered->chunk->layout, &job->scratch[worker]);
    }
}

static gs_code open_scratch(order_job *job, unsigned workers, gs_status *st)
{
    const gs_bucket_split *const split = &job->ordered->split;
    GS_TRY(gs_mem_new_array(&job->scratch, workers, sizeof *job->scratch, "workers", st));
    if (!split->gives_back)
        return GS_OK;
    const size_t capacity = gs_bucket_scratch_capacity(split);
    for (unsigned w = 0; w < workers; w++) {
        GS_TRY(gs_mem_new_array(&job->scratch[w].elements, capacity, sizeof(gs_element),
                                "scratch elements", st));
        job->scratch[w].capacity = capacity;
    }
    return GS_OK;
}

gs_code gs_chunk_order(gs_ordered_chunk *ordered, const gs_chunk *chunk, gs_team *team,
                       const volatile int *cancel, gs_status *st)
{
    const unsigned workers = gs_team_workers(team);
    ordered->chunk = chunk;
    ordered->split = (gs_bucket_split){
        .layout = &chunk->layout,
        .arena = chunk->arena,
        .elements = chunk->elements,
        .scratch = chunk->scratch,
        .bucket_ids = chunk->bucket_ids,
        .element_count = chunk->element_count,
        .bucket_elements = choose_bucket_elements(chunk, workers),
        .is_tight = chunk->is_stretched,
        .gives_back = chunk->is_stretched,
    };
    order_job job = {.ordered = ordered, .cancel = cancel};
    if (gs_bucket_split_run(&ordered->split, team, &ordered->list, st) == GS_OK &&
        open_scratch(&job, workers, st) == GS_OK)
        GS_NOTED(gs_team_run(team, order_worker, &job, st));
    for (unsigned w = 0; job.scratch != NULL && w < workers; w++)
        gs_mem_free(job.scratch[w].elements);
    gs_mem_free(job.scratch);
    ordered->is_ordered = st->code == GS_OK;
    return st->code;
}

void gs_ordered_chunk_release(gs_ordered_chunk *ordered)
{
    gs_bucket_list_release(&ordered->list);
    *ordered = (gs_ordered_chunk){0};
}

/* --- consume -------------------------------------------------------------------- */

typedef struct consume_job {
    const gs_ordered_chunk *ordered;
    const gs_range_consumer *consumer;
    const volatile int *cancel;
    size_t bucket_slices; /* of each bucket, a portion each; 1: buckets make portions */
    size_t portion_count;
    atomic_size_t next_portion;
    atomic_bool has_failed;
} consume_job;

/* The record of an element, as a merge would show it. */
static inline void stand_on(gs_run_cursor *cursor, const gs_chunk *chunk,
                            const gs_element *e)
{
    const gs_record r = gs_record_at(&chunk->layout, chunk->arena, e->where);
    cursor->data = r.string;
    cursor->key_bytes = (size_t)(r.line - r.string);
    cursor->length = cursor->key_bytes + r.line_bytes;
}

/* How many of the first elements belong together with one that came before them. */
static size_t count_together(const consume_job *job, const gs_element *before,
                             const gs_element *elements, size_t count)
{
    const gs_chunk *const chunk = job->ordered->chunk;
    const gs_range_consumer *const consumer = job->consumer;
    gs_run_cursor a = {.count = 1}, b = {.count = 1};
    stand_on(&a, chunk, before);
    const size_t together = consumer->kept_together(a.data, a.key_bytes);
    for (size_t n = 0; n < count; n++) {
        stand_on(&b, chunk, &elements[n]);
        if (consumer->kept_together(b.data, b.key_bytes) != together ||
            memcmp(a.data, b.data, together) != 0)
            return n;
    }
    return count;
}

/* All these elements, to the consumer. */
static gs_code take_elements(const consume_job *job, unsigned worker,
                             const gs_element *elements, size_t count, gs_status *st)
{
    const gs_range_consumer *const consumer = job->consumer;
    const gs_chunk *const chunk = job->ordered->chunk;
    gs_run_cursor record = {.count = 1};
    for (size_t i = 0; i < count; i++) {
        if (i + PREFETCH_AHEAD < count)
            gs_record_prefetch(chunk->arena, elements[i + PREFETCH_AHEAD].where);
        if (i % LOOK_EVERY == 0)
            GS_TRY(gs_cancel_check(job->cancel, st));
        stand_on(&record, chunk, &elements[i]);
        GS_TRY(consumer->add(consumer->context, worker, &record, st));
    }
    return GS_OK;
}

static const gs_element *elements_of(const consume_job *job, size_t bucket)
{
    return gs_bucket_here(&job->ordered->split, &job->ordered->list.buckets[bucket]);
}

/* The last element before a bucket; NULL: there is none. */
static const gs_element *last_before(const consume_job *job, size_t bucket)
{
    const gs_bucket *const buckets = job->ordered->list.buckets;
    while (bucket > 0 && buckets[bucket - 1].count == 0)
        bucket--;
    return bucket > 0 ? elements_of(job, bucket - 1) + buckets[bucket - 1].count - 1
                      : NULL;
}

/* Between two elements of the order, or at an end of it. */
typedef struct spot {
    size_t bucket, at; /* an element of this bucket is the next one */
} spot;

/* The element before; NULL: there is none. */
static const gs_element *element_before(const consume_job *job, spot s)
{
    return s.at > 0 ? elements_of(job, s.bucket) + s.at - 1 : last_before(job, s.bucket);
}

/* What is between two spots and what belongs together with its last record, without what
 * belongs together with one before it. */
static gs_code consume_portion(const consume_job *job, unsigned worker, spot first,
                               spot end, gs_status *st)
{
    const gs_bucket_list *const list = &job->ordered->list;
    const gs_element *const before = element_before(job, first);
    bool goes_on = before != NULL;
    for (size_t b = first.bucket; b <= end.bucket && b < list->count; b++) {
        const size_t from = b == first.bucket ? first.at : 0;
        const size_t count = (b == end.bucket ? end.at : list->buckets[b].count) - from;
        const gs_element *const here = elements_of(job, b) + from;
        const size_t skipped = goes_on ? count_together(job, before, here, count) : 0;
        goes_on = goes_on && skipped == count;
        GS_TRY(take_elements(job, worker, here + skipped, count - skipped, st));
    }
    const gs_element *const last = element_before(job, end);
    for (size_t b = end.bucket; !goes_on && last != NULL && b < list->count; b++) {
        const size_t from = b == end.bucket ? end.at : 0;
        const size_t count = list->buckets[b].count - from;
        const gs_element *const here = elements_of(job, b) + from;
        const size_t more = count_together(job, last, here, count);
        GS_TRY(take_elements(job, worker, here, more, st));
        if (more < count)
            break;
    }
    return GS_OK;
}

/* Where a portion begins. */
static spot begin_of(const consume_job *job, size_t portion)
{
    const gs_bucket_list *const list = &job->ordered->list;
    const size_t slices = job->bucket_slices;
    if (slices == 1)
        return (spot){.bucket = list->count * portion / job->portion_count};
    const size_t bucket = portion / slices, slice = portion % slices;
    return bucket == list->count
               ? (spot){.bucket = bucket}
               : (spot){bucket, list->buckets[bucket].count * slice / slices};
}

static gs_code consume_portions(consume_job *job, unsigned worker, gs_status *st)
{
    const gs_range_consumer *const consumer = job->consumer;
    while (!atomic_load(&job->has_failed)) {
        const size_t number = atomic_fetch_add(&job->next_portion, 1);
        if (number >= job->portion_count)
            return GS_OK;
        GS_TRY(consumer->begin(consumer->context, worker, number, st));
        GS_TRY(consume_portion(job, worker, begin_of(job, number),
                               begin_of(job, number + 1), st));
        GS_TRY(consumer->end(consumer->context, worker, st));
    }
    return GS_OK;
}

static gs_code consume_worker(void *context, unsigned worker, gs_status *st)
{
    consume_job *const job = context;
    GS_NOTED(consume_portions(job, worker, st));
    if (st->code != GS_OK)
        atomic_store(&job->has_failed, true);
    if (atomic_load(&job->has_failed))
        job->consumer->abandon(job->consumer->context, worker, st);
    return st->code;
}

/* So many that no portion has many more records than the consumer wants. */
static size_t choose_slices(const gs_bucket_list *list, const gs_range_consumer *consumer)
{
    size_t largest = 0;
    if (consumer->portion_records == 0 || list->count == 0)
        return 1;
    for (size_t b = 0; b < list->count; b++)
        largest = list->buckets[b].count > largest ? list->buckets[b].count : largest;
    const size_t wanted = largest / consumer->portion_records + 1;
    const size_t most = consumer->portion_max / list->count;
    return wanted < most ? wanted : most > 0 ? most : 1;
}

gs_code gs_chunk_consume(const gs_ordered_chunk *ordered, gs_team *team,
                         const gs_range_consumer *consumer, const volatile int *cancel,
                         gs_status *st)
{
    const size_t slices = choose_slices(&ordered->list, consumer);
    const size_t portions = ordered->list.count * slices;
    consume_job job = {
        .ordered = ordered,
        .consumer = consumer,
        .cancel = cancel,
        .bucket_slices = slices,
        .portion_count =
            portions < consumer->portion_max ? portions : consumer->portion_max,
    };
    return gs_team_run(team, consume_worker, &job, st);
}
