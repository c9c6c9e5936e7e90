/* SPDX-License-Identifier: MIT */
/*
 * trace_file: --trace, a timeline in the Chrome trace format (chrome://tracing,
 * Perfetto).
 *
 *     {"traceEvents": [
 *       {"name": "merge", "ph": "B" or "E", "ts": MICROSECONDS, "pid": 1, "tid": 1},
 *       {"name": "bytes", "ph": "C", "ts": ..., "pid": 1, "args": {"input": N, ...}},
 *       {"name": "parse", "ph": "X", "ts": ..., "dur": ..., "pid": 1, "tid": LANE,
 *        "args": {"bytes": N}}, ...
 *     ]}
 *
 * A thread of its own samples the counters of the run: one bar for each phase, and curves
 * of bytes read, spilled, merged and written. What each worker, read and write did (its
 * spans) has a line for each lane. Borrows `stats` until finish.
 */
#ifndef GS_CMD_TRACE_FILE_H
#define GS_CMD_TRACE_FILE_H

#include "lib/base/status.h"
#include "lib/gpusort.h"

typedef struct gs_trace_file gs_trace_file;

/* With `path` NULL *out is NULL and nothing is traced. */
GS_MUST_CHECK gs_code gs_trace_file_start(gs_trace_file **out, const char *path,
                                          const gpusort_stats *stats, gs_status *st);
/* Takes and frees `t`, also on failure. NULL is fine. */
GS_MUST_CHECK gs_code gs_trace_file_finish(gs_trace_file *t, gs_status *st);

#endif
