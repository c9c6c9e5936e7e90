/* SPDX-License-Identifier: MIT */
/*
 * number_order: lines put in order by their numbers, without a look at the lines.
 *
 * A line is 16 bytes here: its number, and where it lies. Lines are first split, by the
 * digit that is highest, into cells that fit into a core's cache; then each cell is
 * sorted by its other digits, the last one first:
 *
 *      lines    | 52 13 57 11 31 |        split     | 13 11 | 31 | 52 57 |
 *                                         sorted    | 11 13 | 31 | 52 57 |
 *
 * Who goes through the lines once may sort a cell just before. Where most lines are in a
 * few cells all digits are gone over by all threads instead, and the cells come in order.
 */
#ifndef GS_LIB_JOIN_NUMBER_ORDER_H
#define GS_LIB_JOIN_NUMBER_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/team.h"

typedef struct gs_number_line {
    int64_t number;
    uint64_t where; /* gs_where_pack, of a text that others know */
} gs_number_line;

/* Lines, split. Zeroed at first; released at the end. */
typedef struct gs_number_cells {
    gs_number_line *lines, *scratch; /* borrowed, as much of the one as of the other */
    size_t *begins;                  /* of each cell, and the end of the last */
    size_t count;                    /* of cells */
    unsigned shift;                  /* so many bits are sorted yet */
    uint64_t least;
    bool is_ordered; /* the lines are in order */
} gs_number_cells;

/* Numbers are from `least` to `greatest`; lines of equal ones stay as they are. *lines
 * and *scratch have room for `count` each, and may be the one the other afterwards. */
GS_MUST_CHECK gs_code gs_number_split(gs_number_cells *cells, gs_number_line **lines,
                                      gs_number_line **scratch, size_t count,
                                      int64_t least, int64_t greatest, gs_team *team,
                                      gs_status *st);
/* Of cells that are not ordered, this one is from now on. Each may be another thread's.
 */
void gs_number_cells_sort(const gs_number_cells *cells, size_t cell);
/* All of them are. */
GS_MUST_CHECK gs_code gs_number_cells_sort_all(gs_number_cells *cells, gs_team *team,
                                               gs_status *st);
void gs_number_cells_release(gs_number_cells *cells);

#endif
