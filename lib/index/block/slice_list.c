/* SPDX-License-Identifier: MIT */
#include "lib/index/block/slice_list.h"

#include <string.h>

enum { NEAR_BYTES = 256 };

_Static_assert(sizeof(gs_slice_list) == 12, "entries of terms are small");

static void add_slice(gs_slice_arena *arena, gs_slice_list *list)
{
    unsigned size_class = 0;
    if (list->head != 0 && list->size_class + 1u < GS_SLICE_CLASSES)
        size_class = list->size_class + 1u;
    else if (list->head != 0)
        size_class = GS_SLICE_CLASSES - 1u;
    const uint32_t where =
        gs_slice_arena_take(arena, gs_slice_bytes(size_class) + GS_SLICE_LINK_BYTES);
    if (list->head == 0)
        list->head = where;
    else
        memcpy(gs_slice_arena_at(arena, list->tail) + gs_slice_bytes(list->size_class),
               &where, GS_SLICE_LINK_BYTES);
    list->tail = where;
    list->size_class = (uint8_t)size_class;
    list->used = 0;
}

static void put_bytes(gs_slice_arena *arena, gs_slice_list *list, const uint8_t *bytes,
                      size_t n)
{
    while (n > 0) {
        if (list->head == 0 || list->used == gs_slice_bytes(list->size_class))
            add_slice(arena, list);
        const size_t room = gs_slice_bytes(list->size_class) - list->used;
        const size_t part = n < room ? n : room;
        memcpy(gs_slice_list_end(arena, list), bytes, part);
        list->used = (uint16_t)(list->used + part);
        bytes += part;
        n -= part;
    }
}

__attribute__((noinline)) void gs_slice_list_put_slow(gs_slice_arena *arena,
                                                      gs_slice_list *list, uint64_t x,
                                                      bool has_y, uint64_t y)
{
    uint8_t bytes[2 * GS_VARINT_BYTES_MAX];
    uint8_t *end = gs_varint_put(bytes, x);
    if (has_y)
        end = gs_varint_put(end, y);
    put_bytes(arena, list, bytes, (size_t)(end - bytes));
}

/* The link behind the bytes of a slice. */
static uint32_t link_at(const uint8_t *end)
{
    uint32_t link;
    memcpy(&link, end, GS_SLICE_LINK_BYTES);
    return link;
}

static uint32_t next_slice(const gs_slice_arena *arena, uint32_t slice,
                           unsigned size_class)
{
    return link_at(gs_slice_arena_at(arena, slice) + gs_slice_bytes(size_class));
}

size_t gs_slice_list_bytes(const gs_slice_arena *arena, const gs_slice_list *list)
{
    const unsigned last_class = GS_SLICE_CLASSES - 1;
    size_t bytes = list->used;
    for (unsigned i = 0; i < list->size_class; i++)
        bytes += gs_slice_bytes(i);
    if (list->size_class < last_class)
        return bytes;
    uint32_t slice = list->head;
    for (unsigned i = 0; i < last_class; i++)
        slice = next_slice(arena, slice, i);
    for (; slice != list->tail; slice = next_slice(arena, slice, last_class))
        bytes += gs_slice_bytes(last_class);
    return bytes;
}

static void enter_slice(gs_slice_reader *r, const gs_slice_arena *arena, uint32_t slice)
{
    r->slice = slice;
    r->at = gs_slice_arena_at(arena, slice);
    const size_t bytes = gs_slice_bytes(r->size_class);
    r->end = r->at + (slice == r->last_slice ? r->last_used : bytes);
    if (slice == r->last_slice || bytes > NEAR_BYTES)
        return;
    __builtin_prefetch(gs_slice_arena_at(arena, link_at(r->end)));
}

void gs_slice_reader_begin(gs_slice_reader *r, const gs_slice_arena *arena,
                           const gs_slice_list *list)
{
    *r = (gs_slice_reader){.last_slice = list->tail, .last_used = list->used};
    enter_slice(r, arena, list->head);
}

static uint8_t get_byte(gs_slice_reader *r, const gs_slice_arena *arena)
{
    if (r->at == r->end) {
        const uint32_t link = link_at(r->end);
        if (r->size_class + 1 < GS_SLICE_CLASSES)
            r->size_class++;
        enter_slice(r, arena, link);
    }
    return *r->at++;
}

uint64_t gs_slice_reader_number_slow(gs_slice_reader *r, const gs_slice_arena *arena)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t byte = get_byte(r, arena);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}
