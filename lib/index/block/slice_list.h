/* SPDX-License-Identifier: MIT */
/*
 * slice_list: very many lists of numbers that grow side by side in one arena.
 *
 *      arena      | ... | slice 16 | ... | slice 32 | slice 16 | ...
 *                         ^      \__________^
 *                         head     link     tail, used: where the list grows
 *
 * Numbers are varints. A list is slices, which double up to 4 KiB; the last bytes of each
 * are the link to the next, set when there is one. Places in the arena are 32 bits, in
 * units of 8 bytes; 0 is nowhere. Who appends has made sure that a slice, the largest, is
 * left. One thread appends; then any number read, each with a reader of its own.
 */
#ifndef GS_LIB_INDEX_BLOCK_SLICE_LIST_H
#define GS_LIB_INDEX_BLOCK_SLICE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/index/format/formats.h"

enum {
    GS_ARENA_UNIT = 8, /* of places, so that 32 bits reach 32 GiB */
    GS_ARENA_SLACK = 64,
    GS_SLICE_BYTES_FIRST = 16,
    GS_SLICE_CLASSES = 9, /* 16, 32, ..., 4096 bytes */
    GS_SLICE_BYTES_MAX = GS_SLICE_BYTES_FIRST << (GS_SLICE_CLASSES - 1),
    GS_SLICE_LINK_BYTES = 4,
};

typedef struct gs_slice_arena {
    uint8_t *data; /* GS_ARENA_SLACK bytes more than may be taken */
    size_t used, left;
} gs_slice_arena;

/* Zeroed: empty, and without a slice. */
typedef struct gs_slice_list {
    uint32_t head, tail;
    uint16_t used;      /* bytes of the tail */
    uint8_t size_class; /* of the tail */
    uint8_t spare;
} gs_slice_list;

static inline uint8_t *gs_slice_arena_at(const gs_slice_arena *arena, uint32_t where)
{
    return arena->data + (size_t)where * GS_ARENA_UNIT;
}

/* The caller has made sure that `bytes`, rounded up to units, are left. */
static inline uint32_t gs_slice_arena_take(gs_slice_arena *arena, size_t bytes)
{
    const size_t rounded = (bytes + GS_ARENA_UNIT - 1) / GS_ARENA_UNIT * GS_ARENA_UNIT;
    const uint32_t where = (uint32_t)(arena->used / GS_ARENA_UNIT);
    arena->used += rounded;
    arena->left -= rounded;
    return where;
}

/* Without the link. */
static inline size_t gs_slice_bytes(unsigned size_class)
{
    return ((size_t)GS_SLICE_BYTES_FIRST << size_class) - GS_SLICE_LINK_BYTES;
}

/* Where the next number goes, if it fits there. */
static inline uint8_t *gs_slice_list_end(const gs_slice_arena *arena,
                                         const gs_slice_list *list)
{
    return gs_slice_arena_at(arena, list->tail) + list->used;
}

/* Whatever the numbers, and over as many slices as it takes. */
void gs_slice_list_put_slow(gs_slice_arena *arena, gs_slice_list *list, uint64_t x,
                            bool has_y, uint64_t y);

/* What is stored too much lies in the slice's link, which is not set yet. */
_Static_assert((int)GS_VARINT_SHORT_BYTES <= (int)GS_SLICE_LINK_BYTES + 1,
               "in the slice");

/* Appends x, and y if there is one. */
static inline void gs_slice_list_put(gs_slice_arena *arena, gs_slice_list *list,
                                     uint64_t x, bool has_y, uint64_t y)
{
    if (__builtin_expect((x | y) < GS_VARINT_SHORT_MAX && list->head != 0, 1)) {
        const unsigned x_bytes = gs_varint_short_bytes(x);
        const unsigned bytes = x_bytes + (has_y ? gs_varint_short_bytes(y) : 0);
        if (bytes <= gs_slice_bytes(list->size_class) - list->used) {
            uint8_t *const to = gs_slice_list_end(arena, list);
            gs_varint_put_short(to, x, x_bytes);
            if (has_y)
                gs_varint_put_short(to + x_bytes, y, bytes - x_bytes);
            list->used = (uint16_t)(list->used + bytes);
            return;
        }
    }
    gs_slice_list_put_slow(arena, list, x, has_y, y);
}

/* What the numbers of a list take, followed from slice to slice where it is a long one.
 */
size_t gs_slice_list_bytes(const gs_slice_arena *arena, const gs_slice_list *list);

/* --- reading --------------------------------------------------------------------- */

typedef struct gs_slice_reader {
    const uint8_t *at, *end; /* of the slice */
    uint32_t slice, last_slice, last_used;
    unsigned size_class; /* of the slice */
} gs_slice_reader;

/* An empty list is at its end. */
void gs_slice_reader_begin(gs_slice_reader *r, const gs_slice_arena *arena,
                           const gs_slice_list *list);

static inline bool gs_slice_reader_is_end(const gs_slice_reader *r)
{
    return r->at == r->end && r->slice == r->last_slice;
}

/* A number that may go on in the next slice. Internal to number. */
uint64_t gs_slice_reader_number_slow(gs_slice_reader *r, const gs_slice_arena *arena);

/* The next number; there is one. */
static inline uint64_t gs_slice_reader_number(gs_slice_reader *r,
                                              const gs_slice_arena *arena)
{
    uint64_t value;
    if (r->at != r->end && *r->at < 0x80) /* most have one byte */
        return *r->at++;
    if (r->end - r->at < GS_VARINT_BYTES_MAX)
        return gs_slice_reader_number_slow(r, arena);
    r->at = gs_varint_get(r->at, &value);
    return value;
}

#endif
