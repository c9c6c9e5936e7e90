/* SPDX-License-Identifier: MIT */
/*
 * part_files: a file for each part, PREFIX.0000, PREFIX.0001, ..., or PREFIX0000 where
 * the prefix ends with a slash. Numbers have as many digits as the last one needs, at
 * least four, so that names sort as parts do.
 *
 * All files are opened before there is anything to write, and none has its name before
 * all are written. Each appears whole or not at all, as io/output.h says.
 *
 * Call order: new, begin, put, commit, free. begin again drops what was put. One thread
 * at a time.
 */
#ifndef GS_LIB_PART_PART_FILES_H
#define GS_LIB_PART_PART_FILES_H

#include "lib/part/part_tally.h"
#include "lib/sort/sort.h"

typedef struct gs_part_files gs_part_files;

/* Of the options, output is the prefix. `tallies` counts what is put, one a part. Borrows
 * both. */
GS_MUST_CHECK gs_code gs_part_files_new(gs_part_files **out,
                                        const gs_sort_options *options, size_t part_count,
                                        gs_part_tally *tallies, gs_status *st);
/* One part, to where the options say that the output goes. */
GS_MUST_CHECK gs_code gs_part_files_new_one(gs_part_files **out,
                                            const gs_sort_options *options,
                                            gs_part_tally *tally, gs_status *st);
/* Every part has the header on top. */
GS_MUST_CHECK gs_code gs_part_files_begin(gs_part_files *f, const uint8_t *header,
                                          size_t header_bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_part_files_put(gs_part_files *f, size_t part,
                                        const uint8_t *text, size_t bytes,
                                        uint64_t records, gs_status *st);
GS_MUST_CHECK gs_code gs_part_files_commit(gs_part_files *f, gs_status *st);
void gs_part_files_free(gs_part_files *f); /* NULL is fine */

/* The name of a part, in `to`, which has room for PATH_MAX bytes; false if it is longer.
 */
bool gs_part_file_name(const char *prefix, size_t part, size_t part_count, char *to);

#endif
