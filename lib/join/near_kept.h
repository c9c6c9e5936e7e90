/* SPDX-License-Identifier: MIT */
/*
 * near_kept: the pairs of a band join, and whatever else it may show, of two sides that
 * are sorted apart from their text: its right lines are kept in order on a shelf, as far
 * as they count, and left lines find them there (band_fill.h, band_match.h).
 */
#ifndef GS_LIB_JOIN_NEAR_KEPT_H
#define GS_LIB_JOIN_NEAR_KEPT_H

#include "lib/join/near_match.h"

/* Portions have so many left lines, but where right lines without a partner count. */
GS_MUST_CHECK gs_code gs_near_kept_match(const gs_near_sides *sides, size_t portion_lines,
                                         gs_sink *sink, uint64_t ticket, gs_status *st);

#endif
