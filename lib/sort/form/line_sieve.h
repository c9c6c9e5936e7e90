/* SPDX-License-Identifier: MIT */
/*
 * line_sieve: somebody looks at the lines of batches before records are made of them, and
 * may leave some out.
 */
#ifndef GS_LIB_SORT_FORM_LINE_SIEVE_H
#define GS_LIB_SORT_FORM_LINE_SIEVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_sieve_line {
    const uint8_t *data; /* GS_KEY_READ_SLACK bytes behind it may be read */
    size_t bytes;
} gs_sieve_line;

typedef struct gs_line_sieve {
    /* Says of each line of an input whether a record is made of it; of a few at a time,
     * so that what they need can be fetched together. Any thread calls. */
    void (*pick)(void *context, size_t input, const gs_sieve_line *lines, size_t count,
                 bool *stays);
    void *context;
} gs_line_sieve;

enum { GS_SIEVE_LINES = 64 }; /* at a time, at most */

#endif
