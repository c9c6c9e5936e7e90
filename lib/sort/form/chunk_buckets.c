/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/chunk_buckets.h"

enum {
    BUCKETS_A_WORKER = 4,
    SHARE_MIN = 4096,  /* elements of one that is worth it */
    RECORD_MAX = 1024, /* bytes, on average: longer records have pages of their own */
};

/* A bucket should fit the cache, and what it gives the piece of the sink; and there
 * should be some for every worker. */
static size_t choose_bucket_elements(const gs_chunk *chunk, const gs_sink *sink,
                                     unsigned workers)
{
    const size_t record_bytes =
        gs_chunk_record_bytes(chunk) / (chunk->element_count + 1) + 1;
    size_t fitting = sink->buffer_bytes / 4 * 3 / record_bytes;
    size_t share = chunk->element_count / (BUCKETS_A_WORKER * workers);
    share = share < SHARE_MIN ? SHARE_MIN : share;
    if (workers > 1 && share < fitting)
        fitting = share;
    return fitting < GS_BUCKET_ELEMENTS_MIN ? GS_BUCKET_ELEMENTS_MIN
           : fitting > GS_BUCKET_ELEMENTS   ? GS_BUCKET_ELEMENTS
                                            : fitting;
}

/* Records lie so far apart that many buckets are to be copied together. */
static bool is_arena_large(const gs_chunk *chunk)
{
    const size_t bytes = gs_chunk_record_bytes(chunk);
    const size_t copied_from =
        chunk->mapped_bytes > 0 ? GS_BUCKET_COPY_ARENA_MIN / 2 : GS_BUCKET_COPY_ARENA_MIN;
    return bytes >= copied_from && bytes / (chunk->element_count + 1) < RECORD_MAX;
}

/* How buckets are brought close. With has_top few buckets are looked at, and where the
 * last record lies in the chunk must be known: they stay there. */
static void plan_copies(gs_chunk_buckets *b, const gs_chunk *chunk, unsigned workers,
                        const gs_sink *sink, const gs_emit_options *options)
{
    gs_buckets *const to = &b->buckets;
    const size_t bytes = gs_chunk_record_bytes(chunk);
    const bool is_keyed_text = to->layout.is_keyed && gs_emit_is_text(sink);
    if (options->has_top)
        return;
    b->copies_alone =
        to->room_bytes > 0 &&
        bytes >= (is_keyed_text ? GS_BUCKET_COPY_KEYED_MIN : GS_BUCKET_COPY_ARENA_MIN);
    if (!is_arena_large(chunk)) {
        to->room_bytes = b->copies_alone ? to->room_bytes : 0;
        return;
    }
    const size_t more = gs_chunk_spare_bytes(chunk) / workers;
    to->room_bytes += more < GS_BUCKET_COPY_ROOM_MAX ? more : GS_BUCKET_COPY_ROOM_MAX;
    to->together = gs_bucket_copy_together(to->room_bytes, bytes / (to->count + 1));
}

static gs_code bring(const gs_buckets *buckets, gs_bucket_copy *room, size_t first,
                     size_t count, gs_near_bucket *out, gs_status *st)
{
    const gs_chunk_buckets *const b = (const gs_chunk_buckets *)(const void *)buckets;
    for (size_t i = 0; i < count; i++)
        out[i] = gs_bucket_near(&b->split, &b->list.buckets[first + i]);
    if (buckets->together > 0 || b->copies_alone)
        gs_bucket_copy_take(room, &buckets->layout, b->split.arena, out, count);
    return st->code;
}

static void drop(const gs_buckets *buckets, gs_near_bucket *bucket)
{
    const gs_chunk_buckets *const b = (const gs_chunk_buckets *)(const void *)buckets;
    gs_bucket_drop(&b->split, bucket);
    *bucket = (gs_near_bucket){0};
}

gs_code gs_chunk_buckets_init(gs_chunk_buckets *b, gs_chunk *chunk, gs_team *team,
                              const gs_sink *sink, const gs_emit_options *options,
                              size_t room_bytes, gs_status *st)
{
    const unsigned workers = gs_team_workers(team);
    *b = (gs_chunk_buckets){
        .buckets = {.bring = bring,
                    .drop = drop,
                    .layout = chunk->layout,
                    .room_bytes = room_bytes,
                    .may_change = chunk->mapped_bytes > 0},
        .split = {.layout = &chunk->layout,
                  .arena = chunk->arena,
                  .elements = chunk->elements,
                  .scratch = chunk->scratch,
                  .bucket_ids = chunk->bucket_ids,
                  .element_count = chunk->element_count,
                  .bucket_elements = choose_bucket_elements(chunk, sink, workers),
                  .is_tight = chunk->is_stretched,
                  .gives_back =
                      chunk->is_stretched || (options->is_last_use &&
                                              chunk->element_count * sizeof(gs_element) >=
                                                  GS_BUCKET_GIVE_BACK_MIN)},
    };
    GS_TRY(gs_bucket_split_run(&b->split, team, &b->list, st));
    b->buckets.count = b->list.count;
    if (b->split.gives_back)
        b->buckets.scratch_elements = gs_bucket_scratch_capacity(&b->split);
    plan_copies(b, chunk, b->list.count < 2 ? 1 : workers, sink, options);
    return GS_OK;
}

void gs_chunk_buckets_release(gs_chunk_buckets *b)
{
    gs_bucket_list_release(&b->list);
}
