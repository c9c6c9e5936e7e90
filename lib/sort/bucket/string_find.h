/* SPDX-License-Identifier: MIT */
/*
 * string_find: the buckets of strings, by splitters that were chosen.
 *
 * The tree of first words is walked down word by word, or, where one compare is of eight
 * words, three levels of it at a time. A knot has their words in order, and how many of
 * them are not greater is where to go:
 *
 *              4
 *          2       6      knot: 1 2 3 4 5 6 7, with eight knots below it
 *        1   3   5   7
 */
#ifndef GS_LIB_SORT_BUCKET_STRING_FIND_H
#define GS_LIB_SORT_BUCKET_STRING_FIND_H

#include "lib/sort/bucket/string_splitters.h"

/* Fills the knots by the tree. */
void gs_string_knots_tie(gs_string_splitters *s);

/* A string whose bucket is looked for. */
typedef struct gs_placed_string {
    const uint8_t *string; /* up to 16 bytes behind it may be read */
    uint32_t bytes;        /* no more of it need be there than `reach` */
    uint32_t bucket;       /* found */
} gs_placed_string;

enum { GS_STRING_BATCH = 64 };

/* Finds the buckets of up to GS_STRING_BATCH strings. */
void gs_string_splitters_find(const gs_string_splitters *s, gs_placed_string *strings,
                              size_t count);

#endif
