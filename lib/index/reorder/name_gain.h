/* SPDX-License-Identifier: MIT */
/*
 * name_gain: how many bits a name saves that stays beside its neighbour.
 *
 * A name is written as what it does not share with the one before. In the order that
 * documents came in, neighbours often share more (the same folder, the same site) than
 * any two do; an order that parts them should save more than that elsewhere.
 *
 *      came as     src/a/x.c  src/a/y.c  src/b/x.c
 *      shared                 6          4              any two: 4 or 5
 *
 * Asked of some documents, evenly spread: the same index gives the same number.
 */
#ifndef GS_LIB_INDEX_REORDER_NAME_GAIN_H
#define GS_LIB_INDEX_REORDER_NAME_GAIN_H

#include "lib/index/read/readers.h"

/* On average, as far as an order of documents that share terms is likely to lose it. */
GS_MUST_CHECK gs_code gs_name_gain(unsigned *bits, const gs_index *index, gs_status *st);

#endif
