/* SPDX-License-Identifier: MIT */
/*
 * stats_json: the figures of a finished run, as one JSON object.
 *
 *     {"version": "0.1.0", "input_bytes": ..., "records": ..., "runs": ...,
 *      "seconds": {"total": ..., "read": ..., "sort": ..., "merge": ...}, ...}
 */
#ifndef GS_CMD_STATS_JSON_H
#define GS_CMD_STATS_JSON_H

#include <stdint.h>

#include "lib/base/status.h"
#include "lib/gpusort.h"

/* Fails if `path` (NULL is standard error) cannot be written to: a sort that takes hours
 * should not find out at its end. */
GS_MUST_CHECK gs_code gs_stats_json_try(const char *path, gs_status *st);

/* A figure that only some commands have. */
typedef struct gs_stats_extra {
    const char *name;
    const _Atomic uint64_t *number;
} gs_stats_extra;

/* `extras` come behind the engine. */
GS_MUST_CHECK gs_code gs_stats_json_write(const char *path, const gpusort_stats *stats,
                                          uint64_t total_ns, const gs_stats_extra *extras,
                                          size_t extra_count, gs_status *st);

#endif
