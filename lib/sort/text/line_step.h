/* SPDX-License-Identifier: MIT */
/*
 * line_step: from a line of a sorted text to the one behind it, of lines that are their
 * own strings: where it ends, and how the two differ, by one look at both.
 */
#ifndef GS_LIB_SORT_TEXT_LINE_STEP_H
#define GS_LIB_SORT_TEXT_LINE_STEP_H

#include "lib/sort/record/records.h"
#include "lib/sort/run/runs.h"

/* The processor sees coming what follows, but not of many texts, nor in the next page. */
enum { GS_LINE_AHEAD_BYTES = 1024 };

typedef struct gs_line_step {
    size_t bytes;  /* of the second line */
    size_t differ; /* the first symbol in which it differs from the first, */
    int order;     /* and whether the first one is smaller, the same or greater */
} gs_line_step;

/* What gs_line_find and gs_ovc_first_difference say. The second line, or what there is of
 * it, is in `left` bytes from `line` on. Up to 63 bytes more of both are read. */
static inline gs_line_step gs_line_step_to(const uint8_t *last, size_t last_bytes,
                                           const uint8_t *line, size_t left, uint8_t eol)
{
    size_t differ = SIZE_MAX, bytes = left;
    for (size_t at = 0; at < left; at += 64) {
        if (differ == SIZE_MAX) {
            const uint64_t others = ~gs_same_mask(line + at, last + at);
            if (others != 0)
                differ = at + (size_t)__builtin_ctzll(others);
        }
        const uint64_t ends = gs_line_mask(line + at, eol);
        if (ends != 0) {
            bytes = at + (size_t)__builtin_ctzll(ends);
            break;
        }
    }
    if (bytes > left)
        bytes = left;
    const size_t common = last_bytes < bytes ? last_bytes : bytes;
    if (differ < common)
        return (gs_line_step){bytes, differ / GS_OVC_SYMBOL_BYTES,
                              last[differ] < line[differ] ? -1 : 1};
    return (gs_line_step){bytes, common / GS_OVC_SYMBOL_BYTES,
                          (last_bytes > bytes) - (last_bytes < bytes)};
}

/* Asks for what comes soon behind `at`. */
static inline void gs_line_ask_ahead(const uint8_t *at)
{
    __builtin_prefetch(at + GS_LINE_AHEAD_BYTES);
    __builtin_prefetch(at + GS_LINE_AHEAD_BYTES + 64);
}

#endif
