/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket_copy.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/short_copy.h"

enum {
    PREFETCH_AHEAD = 24,
    SLACK = 2 * GS_SHORT_COPY_BYTES, /* of copies, and of words read past a string */
};

gs_code gs_bucket_copy_init(gs_bucket_copy *copy, size_t capacity, gs_status *st)
{
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, capacity + SLACK, "copy of a bucket", st));
    copy->data = memory;
    copy->capacity = capacity;
    return GS_OK;
}

void gs_bucket_copy_release(gs_bucket_copy *copy)
{
    gs_mem_free(copy->data);
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

/* Do the records fit? Their lengths are in the elements, all but a part of it. */
static bool fits(const gs_bucket_copy *copy, const gs_record_layout *layout,
                 const uint8_t *arena, const gs_element *e, size_t n)
{
    uint64_t sum = 0;
    const bool must_look = layout->is_keyed && layout->is_key_only;
    for (size_t i = 0; i < n; i++) {
        const uint64_t length = e[i].where & GS_WHERE_LENGTH_LONG;
        sum += must_look || length == GS_WHERE_LENGTH_LONG
                   ? record_bytes(layout, arena, e[i].where)
                   : length + GS_RECORD_HEAD_BYTES + 1;
    }
    return sum <= copy->capacity;
}

bool gs_bucket_copy_take(gs_bucket_copy *copy, const gs_record_layout *layout,
                         const uint8_t *arena, gs_element *elements, size_t element_count)
{
    if (!fits(copy, layout, arena, elements, element_count))
        return false;
    size_t at = 0;
    for (size_t i = 0; i < element_count; i++) {
        gs_element *const e = &elements[i];
        if (i + PREFETCH_AHEAD < element_count) {
            const uint8_t *const ahead = arena + gs_where_offset(e[PREFETCH_AHEAD].where);
            __builtin_prefetch(ahead);
            __builtin_prefetch(ahead + 64);
        }
        const uint8_t *const from = arena + gs_where_offset(e->where);
        const size_t bytes = record_bytes(layout, arena, e->where);
        gs_copy_short(copy->data + at, from, bytes);
        e->where =
            (uint64_t)at << GS_WHERE_LENGTH_BITS | (e->where & GS_WHERE_LENGTH_LONG);
        at += bytes;
    }
    gs_assert(at <= copy->capacity);
    return true;
}
