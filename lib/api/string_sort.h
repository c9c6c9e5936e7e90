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

/* order[i] becomes the number of the i-th string in the order of their bytes, or against
 * it. Equal strings stay as they came. */
GS_MUST_CHECK gs_code gs_string_sort(const gs_strings *strings, bool is_backwards,
                                     uint64_t *order, gs_team *team,
                                     const volatile int *cancel, gs_status *st);

#endif
