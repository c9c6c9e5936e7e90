/* SPDX-License-Identifier: MIT */
/*
 * number_order: lines put in order by their numbers, without a look at the lines.
 *
 * A line is 16 bytes here: its number, and where it lies. A radix sort goes over the
 * digits in which the numbers differ, the last one first, each time with all threads:
 * every one counts and then moves a stretch of its own.
 */
#ifndef GS_LIB_JOIN_NUMBER_ORDER_H
#define GS_LIB_JOIN_NUMBER_ORDER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/team.h"

typedef struct gs_number_line {
    int64_t number;
    uint64_t where; /* gs_where_pack, of a text that others know */
} gs_number_line;

/* Numbers are from `least` to `greatest`; lines of equal ones stay as they are. *lines
 * and *scratch have room for `count` each, and may be the one the other afterwards. */
GS_MUST_CHECK gs_code gs_number_order(gs_number_line **lines, gs_number_line **scratch,
                                      size_t count, int64_t least, int64_t greatest,
                                      gs_team *team, gs_status *st);

#endif
