/* SPDX-License-Identifier: MIT */
/*
 * number_side: a side of a band join whose text stays where it was read, and whose lines
 * are sorted by their numbers apart from it.
 *
 *      text     | 70,x | 3,yy | 70,z | ...      the mapped file, or a copy in memory
 *      lines    | 70, 0 | 3, 5 | 70, 10 | ...   number, and where in the text
 *      sorted   | 3, 5 | 70, 0 | 70, 10 | ...
 *
 * A number is kept as 64 bits, in units of 10^-decimals. That is not for every input: one
 * that does not fit, or has a line without a number, is left to those who can
 * (band_join.c).
 *
 * Call order: read, until they are found or it is not for this; split, and sort the
 * cells; release. One thread calls; the workers are inside.
 */
#ifndef GS_LIB_JOIN_NUMBER_SIDE_H
#define GS_LIB_JOIN_NUMBER_SIDE_H

#include "lib/join/band_keys.h"
#include "lib/join/join_job.h"
#include "lib/join/number_order.h"
#include "lib/sort/sort_input.h"

/* Numbers are less than this many units, either way: so the difference of two of them
 * and an end of a band fit into 64 bits. */
#define GS_NUMBER_SIDE_FAR ((int64_t)1 << 61)

enum { GS_NUMBER_DECIMALS_MAX = 18 };

/* Zeroed at first. */
typedef struct gs_number_side {
    gs_sort_input in;
    gs_band_key key;
    const uint8_t *text; /* offsets count from here; GS_KEY_READ_SLACK bytes more */
    uint8_t *room;       /* for what is copied, a part of the text */
    size_t room_bytes, room_used;
    uint8_t *own; /* of that, if no file is mapped */
    gs_number_line *lines;
    size_t capacity, count;
    gs_number_cells cells; /* of these, once they are split */
    unsigned decimals;
    int64_t least, greatest; /* number, if there is a line */
    uint64_t input_bytes;    /* of the file, when it was opened */
    uint64_t text_bytes, line_count, skipped;
} gs_number_side;

/* What comes of reading a side. */
typedef enum gs_number_finding {
    GS_NUMBERS_FOUND,
    GS_NUMBERS_FINER, /* they need as many decimals as the side has now: read it again */
    GS_NUMBERS_OTHER, /* it is not for this */
} gs_number_finding;

/* Reads all of it, in units of s->decimals, to s->lines, which are the caller's as are
 * s->capacity and s->decimals. */
GS_MUST_CHECK gs_code gs_number_side_read(gs_number_side *s, gs_join_job *job,
                                          gs_join_side side, gs_number_finding *finding,
                                          gs_status *st);
/* Splits its lines, so that cells of them can be sorted. `scratch` has room for as many,
 * and may be exchanged for them. */
GS_MUST_CHECK gs_code gs_number_side_split(gs_number_side *s, gs_number_line **scratch,
                                           gs_team *team, gs_status *st);
/* Finer units for what was read; false if they do not fit. */
bool gs_number_side_refine(gs_number_side *s, unsigned decimals);
void gs_number_side_release(gs_number_side *s);

/* What its numbers count. */
gs_join_number gs_number_side_unit(const gs_number_side *s);

/* The first of the sorted lines that has no smaller number. */
size_t gs_number_side_seek(const gs_number_side *s, int64_t number);

static inline const uint8_t *gs_number_side_line(const gs_number_side *s, size_t line,
                                                 size_t *bytes)
{
    const uint64_t where = s->lines[line].where;
    *bytes = (size_t)(where & GS_WHERE_LENGTH_LONG);
    return s->text + gs_where_offset(where);
}
/* Where it begins and ends: no line of the cache is fetched that has nothing of it. It is
 * always inlined: else GCC finds that it does nothing, and leaves it out. */
static inline __attribute__((always_inline)) void
gs_number_side_prefetch(const gs_number_side *s, size_t line)
{
    const uint64_t where = s->lines[line].where;
    const uint8_t *const text = s->text + gs_where_offset(where);
    __builtin_prefetch(text);
    __builtin_prefetch(text + (where & GS_WHERE_LENGTH_LONG));
}

#endif
