/* SPDX-License-Identifier: MIT */
/*
 * trace: a timeline. Who did what, from when to when, and on how many bytes.
 *
 * Each span belongs to a lane: a worker, a read or a write in flight, a GPU stream. Spans
 * of one lane do not overlap. Adding one is a store into memory reserved in the
 * beginning, without a lock; when that is full, further spans are counted and dropped.
 * Any thread adds; the spans are read when everybody is done. Every call takes a NULL
 * trace and then does nothing, so callers need not ask.
 */
#ifndef GS_LIB_BASE_TRACE_H
#define GS_LIB_BASE_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gs_trace gs_trace;

typedef enum gs_trace_lane {
    GS_LANE_READ,
    GS_LANE_WORKER,
    GS_LANE_UPLOAD,
    GS_LANE_GPU,
    GS_LANE_DOWNLOAD,
    GS_LANE_WRITE,
    GS_LANE_COUNT,
} gs_trace_lane;

typedef struct gs_trace_span {
    const char *name; /* static string */
    gs_trace_lane lane;
    unsigned number; /* which worker, which read in flight */
    uint64_t begin_ns, end_ns;
    uint64_t bytes; /* 0: says nothing */
} gs_trace_span;

GS_MUST_CHECK gs_code gs_trace_new(gs_trace **out, gs_status *st);
void gs_trace_free(gs_trace *t); /* NULL is fine */

/* The time now, to be given to end. */
uint64_t gs_trace_begin(const gs_trace *t);
/* What began at begin_ns has ended now. */
void gs_trace_end(gs_trace *t, gs_trace_lane lane, unsigned number, const char *name,
                  uint64_t begin_ns, uint64_t bytes);
/* A span whose end is known already (device events). */
void gs_trace_add(gs_trace *t, const gs_trace_span *span);

size_t gs_trace_span_count(const gs_trace *t);
const gs_trace_span *gs_trace_span_at(const gs_trace *t, size_t i);
uint64_t gs_trace_dropped_count(const gs_trace *t);

#ifdef __cplusplus
}
#endif
#endif
