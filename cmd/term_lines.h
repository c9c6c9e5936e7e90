/* SPDX-License-Identifier: MIT */
/*
 * term_lines: the lines of standard input, as views into what was read in large pieces.
 *
 * Call order: new, (peek, drop)*, free. Any thread, one at a time.
 */
#ifndef GS_CMD_TERM_LINES_H
#define GS_CMD_TERM_LINES_H

#include <stddef.h>

#include "lib/base/status.h"

typedef struct gs_term_lines gs_term_lines;

/* A line longer than `bytes_max` is GS_ERR_LIMIT, with its number. */
GS_MUST_CHECK gs_code gs_term_lines_new(gs_term_lines **out, size_t bytes_max,
                                        gs_status *st);
void gs_term_lines_free(gs_term_lines *l); /* NULL is fine */

/* The next line without its end, until drop; *line is NULL behind the last. */
GS_MUST_CHECK gs_code gs_term_lines_peek(gs_term_lines *l, const char **line,
                                         size_t *bytes, gs_status *st);
void gs_term_lines_drop(gs_term_lines *l);

#endif
