/* SPDX-License-Identifier: MIT */
/*
 * stdin_lines: the lines of standard input, as views into what was read in large pieces.
 *
 * A line ends with LF or CR LF, the last one also with the input; a byte order mark
 * before the first belongs to none.
 *
 * Call order: new, (peek, drop)*, free. Any thread, one at a time.
 */
#ifndef GS_CMD_STDIN_LINES_H
#define GS_CMD_STDIN_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/status.h"

typedef struct gs_stdin_lines gs_stdin_lines;

/* Do these operands mean the lines of standard input? No operand at all means them,
 * and so does a single "-". */
bool gs_means_stdin(char **operands, int count);

/* A line longer than `bytes_max` is GS_ERR_LIMIT, with its number. */
GS_MUST_CHECK gs_code gs_stdin_lines_new(gs_stdin_lines **out, size_t bytes_max,
                                         gs_status *st);
void gs_stdin_lines_free(gs_stdin_lines *l); /* NULL is fine */

/* The next line without its end, good until drop. *line is NULL behind the last line
 * and, unless the call may wait, while no line has come: the program that writes them
 * may be waiting for answers. */
GS_MUST_CHECK gs_code gs_stdin_lines_peek(gs_stdin_lines *l, bool may_wait,
                                          const char **line, size_t *bytes,
                                          gs_status *st);
void gs_stdin_lines_drop(gs_stdin_lines *l);

#endif
