/* SPDX-License-Identifier: MIT */
/*
 * report_times: when a stream is to be reported on before it ends: every so many values,
 * every so many seconds, and when somebody asks.
 */
#ifndef GS_LIB_STREAM_REPORT_TIMES_H
#define GS_LIB_STREAM_REPORT_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_report_times {
    uint64_t every_values;     /* 0: not so */
    uint64_t every_ns;         /* 0: not so */
    const volatile int *asked; /* grows each time somebody asks; may be NULL */

    int answered;
    uint64_t next_ns;
} gs_report_times;

/* Is it time now, whatever came? What was due is taken as done. */
bool gs_report_times_is_due(gs_report_times *t);

/* How many values, of `count` that follow `values`, come before the next report is due;
 * at most `count`. */
static inline size_t gs_report_times_room(const gs_report_times *t, uint64_t values,
                                          size_t count)
{
    if (t->every_values == 0)
        return count;
    const uint64_t left = t->every_values - values % t->every_values;
    return left < count ? (size_t)left : count;
}

/* Is one due because so many have come? */
static inline bool gs_report_times_is_reached(const gs_report_times *t, uint64_t values)
{
    return t->every_values != 0 && values % t->every_values == 0;
}

#endif
