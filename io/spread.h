/* SPDX-License-Identifier: MIT */
/*
 * spread: one sequence of bytes that lies in several files, unit by unit in turn.
 *
 *      bytes    | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
 *      file 0   | 0 | 3 | 6 |
 *      file 1   | 1 | 4 |
 *      file 2   | 2 | 5 |
 *
 * The kernel lets one thread at a time write to a file in the page cache; those who write
 * units one behind the other write to files of their own here.
 */
#ifndef GS_IO_SPREAD_H
#define GS_IO_SPREAD_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_spread {
    const int *files; /* borrowed */
    unsigned count;
    size_t unit_bytes; /* of several */
} gs_spread;

/* Where a byte is. */
typedef struct gs_spread_place {
    int file;
    uint64_t offset; /* in it, from where the sequence begins there */
    size_t room;     /* bytes that follow there, this one included */
} gs_spread_place;

static inline gs_spread_place gs_spread_find(const gs_spread *s, uint64_t at)
{
    if (s->count == 1)
        return (gs_spread_place){s->files[0], at, SIZE_MAX};
    const uint64_t unit = at / s->unit_bytes;
    const size_t inside = (size_t)(at % s->unit_bytes);
    return (gs_spread_place){.file = s->files[unit % s->count],
                             .offset = unit / s->count * s->unit_bytes + inside,
                             .room = s->unit_bytes - inside};
}

/* What a sequence of so many bytes takes of each file at most. */
static inline uint64_t gs_spread_share(const gs_spread *s, uint64_t bytes)
{
    const uint64_t row = (uint64_t)s->count * s->unit_bytes;
    return (bytes + row - 1) / row * s->unit_bytes;
}

#endif
