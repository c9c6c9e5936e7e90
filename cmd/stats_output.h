/* SPDX-License-Identifier: MIT */
/*
 * stats_output: groups of answers on standard output, as lines or as JSON objects.
 */
#ifndef GS_CMD_STATS_OUTPUT_H
#define GS_CMD_STATS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/opt_kinds.h"
#include "lib/base/status.h"
#include "lib/gpusort.h"

typedef struct stats_output {
    bool as_json;
    bool has_groups;   /* more than one report may come: each begins with "# N values" */
    uint64_t reported; /* N of the last one */
    bool has_reported;
} stats_output;

/* Rows of an option table: what changes the output, of every command of `stats`. What
 * changes lines, as another end of them would, says beside `as_json` what it means there:
 * an object a report is JSON's only line, ends as lines do, and has no others within. */
#define STATS_OUTPUT_OPTIONS(o)                                                          \
    {                                                                                    \
        0, "json", GS_OPT_FLAG(&(o)->as_json)                                            \
    }

/* The head of a report; false: the last report has told of just these values. */
bool stats_output_begin(stats_output *o, uint64_t values, bool is_end);
/* A number; JSON has no infinite ones, which are strings there: "inf" and "-inf". */
void stats_output_number(const stats_output *o, const gpusort_value *number);
void stats_output_double(const stats_output *o, double number);
/* A text, as it is but for what ends a line, which is escaped (\n), or as JSON. */
void stats_output_text(const stats_output *o, const void *text, size_t bytes);
/* Whichever of these it is. */
void stats_output_value(const stats_output *o, const gpusort_value *value);
/* The end of a line, which JSON has not; nobody else ends one (tests/lint.sh). */
void stats_output_end_line(const stats_output *o);
/* Its end: what was printed is on its way. */
GS_MUST_CHECK gs_code stats_output_end(stats_output *o, gs_status *st);

#endif
