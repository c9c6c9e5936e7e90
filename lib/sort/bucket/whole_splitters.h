/* SPDX-License-Identifier: MIT */
/*
 * whole_splitters: strings that cut a bucket, compared as a whole.
 *
 * Splitters that are words (splitters.h) look at 8 bytes of each string. Where strings
 * begin each other, that parts only those that end there from all others:
 *
 *      aaaaaaaa aaaa             by words: 7 of 8 go on together, three times
 *      aaaaaaaa aaaaaaaa aa      whole:    3 splitters, 4 buckets of 2, once
 *      aaaaaaaa aaaaaaaa aaaa
 *      ...
 *
 * A compare goes through all that two strings share, so these are only for buckets that
 * words do not get through.
 */
#ifndef GS_LIB_SORT_BUCKET_WHOLE_SPLITTERS_H
#define GS_LIB_SORT_BUCKET_WHOLE_SPLITTERS_H

#include "lib/sort/bucket/element.h"
#include "lib/sort/record/records.h"

enum {
    GS_WHOLE_SPLITTERS_MAX = 255,
    GS_WHOLE_SPLITTERS_OVERSAMPLING = 16, /* elements of a sample for each part */
};

typedef struct gs_whole_splitters {
    const gs_record_layout *layout;
    const uint8_t *arena;
    size_t depth; /* all strings agree before it */
    size_t count;
    gs_element elements[GS_WHOLE_SPLITTERS_MAX]; /* in order, all different */
} gs_whole_splitters;

/* Of a sample of `n` elements, which is sorted for that, those that cut it into at most
 * `bucket_count` parts of about one size. The elements' words are as gs_tie_sort wants
 * them; `scratch` has room for `n`. The layout, arena and depth are set by the caller. */
void gs_whole_splitters_choose(gs_whole_splitters *s, size_t bucket_count,
                               gs_element *sample, gs_element *scratch, size_t n,
                               bool has_next);

/* How many splitters do not come after the element. */
size_t gs_whole_splitters_find(const gs_whole_splitters *s, const gs_element *e);

#endif
