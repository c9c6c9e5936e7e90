/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/bucket_copy.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

size_t gs_bucket_copy_together(size_t room_bytes, size_t bucket_bytes)
{
    enum { LEAST = 8, MOST = 48 }; /* fewer or more of them do not gain anything */
    const size_t fitting = room_bytes / (bucket_bytes / 4 * 5 + 1); /* some are larger */
    return fitting < LEAST ? 0 : fitting < MOST ? fitting : MOST;
}

gs_code gs_bucket_copy_init(gs_bucket_copy *copy, size_t capacity, gs_status *st)
{
    gs_assert(capacity <= gs_arena_bytes_max);
    GS_TRY(
        gs_mem_map(&copy->data, capacity + GS_COPY_SLACK, true, "copies of buckets", st));
    copy->capacity = capacity;
    return GS_OK;
}

void gs_bucket_copy_release(gs_bucket_copy *copy)
{
    if (copy->data != NULL)
        gs_mem_unmap(copy->data, copy->capacity + GS_COPY_SLACK);
    *copy = (gs_bucket_copy){0};
}

/* All that lies in the arena of a record. */
static inline size_t record_bytes(const gs_record_layout *layout, const uint8_t *arena,
                                  uint64_t where)
{
    const uint64_t length = where & GS_WHERE_LENGTH_LONG;
    if (!layout->is_keyed && length < GS_WHERE_LENGTH_LONG)
        return (size_t)length + layout->has_eol;
    const gs_record r = gs_record_at(layout, arena, where);
    const uint8_t *const end = r.line + r.line_bytes + layout->has_eol;
    return (size_t)(end - (arena + gs_where_offset(where)));
}

/* Room for the records, and for what short copies write behind them. Their lengths are in
 * the elements, all but a part of it. */
static size_t room_for(const gs_record_layout *layout, const uint8_t *arena,
                       const gs_element *e, size_t n)
{
    size_t sum = GS_COPY_SLACK;
    const bool must_look = layout->is_keyed && layout->is_key_only;
    for (size_t i = 0; i < n; i++) {
        const uint64_t length = e[i].where & GS_WHERE_LENGTH_LONG;
        sum += must_look || length == GS_WHERE_LENGTH_LONG
                   ? record_bytes(layout, arena, e[i].where)
                   : (size_t)length + GS_RECORD_HEAD_BYTES + 1;
    }
    return sum;
}

/* Copies records until one that lies at or beyond `bound`, which is as in an element.
 * Compiled for plain and for keyed records. */
static inline __attribute__((always_inline)) void
copy_until(gs_near_bucket *b, const gs_record_layout *any_layout, bool is_keyed,
           const uint8_t *arena, uint64_t bound)
{
    gs_record_layout layout = *any_layout;
    layout.is_keyed = is_keyed;
    gs_element *e = b->elements + b->copied_count;
    gs_element *const end = b->elements + b->count;
    size_t at = b->copied_bytes;
    for (; e < end && e->where < bound; e++) {
        const gs_element *const later =
            end - e > GS_COPY_PREFETCH_AHEAD ? e + GS_COPY_PREFETCH_AHEAD : e;
        gs_record_prefetch(arena, later->where);
        const size_t bytes = record_bytes(&layout, arena, e->where);
        gs_copy_short(b->to + at, arena + gs_where_offset(e->where), bytes);
        e->where =
            (uint64_t)at << GS_WHERE_LENGTH_BITS | (e->where & GS_WHERE_LENGTH_LONG);
        at += bytes;
    }
    b->copied_bytes = at;
    b->copied_count = (size_t)(e - b->elements);
}

typedef struct gs_copy_job {
    const gs_record_layout *layout;
    const uint8_t *arena;
    gs_near_bucket *buckets;
} gs_copy_job;

static bool copy_window(void *context, size_t which, uint64_t bound)
{
    const gs_copy_job *const job = context;
    gs_near_bucket *const b = &job->buckets[which];
    if (b->to == NULL || b->copied_count == b->count)
        return false;
    if (job->layout->is_keyed)
        copy_until(b, job->layout, true, job->arena, bound);
    else
        copy_until(b, job->layout, false, job->arena, bound);
    return b->copied_count < b->count;
}

void gs_bucket_copy_take(gs_bucket_copy *copy, const gs_record_layout *layout,
                         const uint8_t *arena, gs_near_bucket *buckets,
                         size_t bucket_count)
{
    gs_copy_job job = {layout, arena, buckets};
    size_t used = 0;
    uint64_t begin = UINT64_MAX;
    for (gs_near_bucket *b = buckets; b < buckets + bucket_count; b++) {
        b->arena = arena;
        if (b->is_settled)
            continue;
        const size_t room = room_for(layout, arena, b->elements, b->count);
        if (room - GS_COPY_SLACK > copy->capacity - used)
            continue;
        b->arena = b->to = copy->data + used;
        if (b->count > 0 && gs_where_offset(b->elements->where) < begin)
            begin = gs_where_offset(b->elements->where);
        used = room < copy->capacity - used ? used + room : copy->capacity;
    }
    gs_copy_windows(begin, bucket_count, copy_window, &job);
}
