/* SPDX-License-Identifier: MIT */
/*
 * string_sort: strings in memory, put in order by all threads. They stay where they are;
 * what comes out is their numbers.
 */
#ifndef GS_LIB_API_STRING_SORT_H
#define GS_LIB_API_STRING_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/team.h"

typedef struct gs_strings {
    const uint8_t *text;
    const uint64_t *offsets; /* one more than there are strings; ascending */
    size_t count;
} gs_strings;

/* What is wanted: either `order` or `offsets`, with `text`, may be NULL. */
typedef struct gs_sorted_strings {
    uint64_t *order;   /* of each its number among those that were given */
    uint8_t *text;     /* one behind the other */
    uint64_t *offsets; /* where each begins there, and the last one ends */
} gs_sorted_strings;

/* In the order of their bytes, or against it. Equal strings stay as they came. */
GS_MUST_CHECK gs_code gs_string_sort(const gs_strings *strings, bool is_backwards,
                                     const gs_sorted_strings *sorted, gs_team *team,
                                     const volatile int *cancel, gs_status *st);

#endif
