/* SPDX-License-Identifier: MIT */
/*
 * file_header: the header that each of several files has, taken off their records.
 *
 * The header of the first file that is not empty is kept; those of the others have to be
 * the same, but for a CR at the end of a line and the mark that some programs write
 * before the first one. Batches come file by file; the line feed owns one of these, and
 * calls it under its mutex.
 */
#ifndef GS_LIB_SORT_RECORD_FILE_HEADER_H
#define GS_LIB_SORT_RECORD_FILE_HEADER_H

#include "lib/sort/record/line_feed.h"

typedef struct gs_file_header {
    const gs_line_feed_options *options;
    uint8_t *data; /* the header, each line with its eol */
    size_t bytes, capacity;
    size_t input_index; /* of the file whose header is taken or compared */
    uint64_t left;      /* so many lines are to come */
    size_t at;          /* so much of what is kept is the same */
    bool is_kept;       /* it is this file's */
} gs_file_header;

/* Borrows the options. */
void gs_file_header_init(gs_file_header *h, const gs_line_feed_options *options);
void gs_file_header_release(gs_file_header *h); /* a zeroed one is fine */

/* Takes the first record off the batch, unless it is a broken one of CSV: *bytes is how
 * long it is, its eol with it if it has one. */
GS_MUST_CHECK gs_code gs_file_header_cut(const gs_line_feed_options *options,
                                         gs_line_batch *batch, size_t *bytes,
                                         gs_status *st);

/* Moves the header's lines off the front of the batch. */
GS_MUST_CHECK gs_code gs_file_header_take(gs_file_header *h, gs_line_batch *batch,
                                          gs_status *st);
/* A header from before; reading goes on at this place. */
GS_MUST_CHECK gs_code gs_file_header_set(gs_file_header *h, size_t input_index,
                                         uint64_t offset, const uint8_t *data,
                                         size_t bytes, gs_status *st);

#endif
