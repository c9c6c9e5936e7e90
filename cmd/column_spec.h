/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * column_spec: keys of tables (--csv, --tsv), by the names of columns or as ever.
 *
 *     -k NAME[:LETTERS]...       NAME ends before a ':' or ','; a ',' may stand for that ':'
 *     -k '"NAME"[:LETTERS]...'   any name, with "" for a quote in it
 *     -k NUMBER:LETTERS...       the column of that number, from 1
 *     -k POS1[,POS2]             as in cmd/key_spec.h, if it begins with a digit
 */
/* clang-format on */
#ifndef GS_CMD_COLUMN_SPEC_H
#define GS_CMD_COLUMN_SPEC_H

#include "cmd/key_spec.h"

/* Sets spec->column, from gs_mem_new, if it is by name. Ends the program with a message
 * when the text will not do. */
void gs_column_spec_parse(gs_key_spec *spec, const char *text);

/* A key of JSON lines, PATH[:LETTERS]..., with a PATH of .NAME or ."NAME" once or more:
 * sets spec->column, as above, to the names, each with its zero, and returns how many. */
size_t gs_path_spec_parse(gs_key_spec *spec, const char *text);

#endif
