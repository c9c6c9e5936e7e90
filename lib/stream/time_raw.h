/* SPDX-License-Identifier: MIT */
/*
 * time_raw: values with their times as they came, so that those of any span of time can
 * be told from the others.
 *
 * Numbers are pairs of keys, (value, time); texts lie one behind the other, and the keys
 * are their times. One thread; a zeroed one is empty.
 */
#ifndef GS_LIB_STREAM_TIME_RAW_H
#define GS_LIB_STREAM_TIME_RAW_H

#include "lib/stream/sliding_block.h"

typedef struct gs_time_raw {
    bool is_text;
    uint64_t *keys;
    uint8_t *texts;
    uint32_t *ends; /* of each text */
    size_t count, text_bytes;
} gs_time_raw;

/* The last `seconds` before the latest time, and that time itself. */
typedef struct gs_time_span {
    double latest, seconds;
} gs_time_span;

static inline bool gs_time_is_in(const gs_time_span *span, double time)
{
    return time > span->latest - span->seconds || time >= span->latest;
}

void gs_time_raw_release(gs_time_raw *r);
size_t gs_time_raw_bytes(const gs_time_raw *r);

/* What a window has, where it is: not to be released. */
gs_time_raw gs_time_raw_of(const gs_window *window);
/* In just as much memory as it takes; what `to` held is gone. */
GS_MUST_CHECK gs_code gs_time_raw_copy(gs_time_raw *to, const gs_time_raw *from,
                                       gs_status *st);

/* Its first and its last time; it is not empty. */
void gs_time_raw_times(const gs_time_raw *r, double *first, double *last);

/* What is known of those in the span, of ranks, numbers or texts; numbers are in order.
 * `keys` has room for all of them, unless they are texts. */
GS_MUST_CHECK gs_code gs_time_raw_take(const gs_time_raw *r, const gs_time_span *span,
                                       gs_sliding_kind kind, uint64_t *keys,
                                       gs_sliding_block *to, gs_status *st);

#endif
