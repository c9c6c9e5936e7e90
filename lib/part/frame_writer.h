/* SPDX-License-Identifier: MIT */
/*
 * frame_writer: parts as one stream of frames (part_frame.h), to a file or a pipe.
 *
 * Call order: new, begin, put, commit, free. begin again drops what was put, which fails
 * where it has left. One thread at a time.
 */
#ifndef GS_LIB_PART_FRAME_WRITER_H
#define GS_LIB_PART_FRAME_WRITER_H

#include "lib/part/part_frame.h"
#include "lib/part/part_tally.h"
#include "lib/sort/sort.h"

typedef struct gs_frame_writer gs_frame_writer;

/* To where the options say that the output goes. `tallies` counts what is put, one a
 * part. Borrows both. */
GS_MUST_CHECK gs_code gs_frame_writer_new(gs_frame_writer **out,
                                          const gs_sort_options *options,
                                          size_t part_count, bool compresses,
                                          gs_part_tally *tallies, gs_status *st);
GS_MUST_CHECK gs_code gs_frame_writer_begin(gs_frame_writer *w, const uint8_t *header,
                                            size_t header_bytes, gs_status *st);
/* Parts in order. */
GS_MUST_CHECK gs_code gs_frame_writer_put(gs_frame_writer *w, size_t part,
                                          const uint8_t *text, size_t bytes,
                                          uint64_t records, gs_status *st);
GS_MUST_CHECK gs_code gs_frame_writer_commit(gs_frame_writer *w, gs_status *st);
void gs_frame_writer_free(gs_frame_writer *w); /* NULL is fine */

#endif
