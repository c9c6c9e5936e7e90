/* SPDX-License-Identifier: MIT */
/*
 * value_headers: the headers of files, and in which of their fields the values are.
 *
 * A column that is asked for by its name is looked for in the header of each file, and
 * may be another field in each. Whole records are told of by the header of the first
 * file: the others must have the same one, or what is told of a column would be of
 * several.
 *
 * Call order: init, see of the first batch of each file, then apply of any batch of that
 * file; release. One thread at a time sees; who gets a later batch of the file from that
 * thread, under a mutex, may apply beside it.
 */
#ifndef GS_LIB_STREAM_VALUE_HEADERS_H
#define GS_LIB_STREAM_VALUE_HEADERS_H

#include "lib/sort/column_names.h"
#include "lib/stream/value_batch.h"

typedef struct gs_value_headers {
    const gs_value_options *values;
    const char *const *names; /* of the files */
    gs_order order;           /* that columns are found by */
    gs_csv_form csv;
    gs_line_feed_options form; /* how a header ends */
    gs_file_header first;
    size_t (*fields)[GS_VALUE_COLUMNS_MAX]; /* for each file: of the columns with names */
} gs_value_headers;

/* Zeroed it may be released. Borrows the options and the names, and is not to be moved.
 */
GS_MUST_CHECK gs_code gs_value_headers_init(gs_value_headers *h,
                                            const gs_value_options *values,
                                            const char *const *names, size_t name_count,
                                            gs_status *st);
void gs_value_headers_release(gs_value_headers *h);

/* The first batch of a file, which begins with its header. */
GS_MUST_CHECK gs_code gs_value_headers_see(gs_value_headers *h,
                                           const gs_line_batch *batch, gs_status *st);

/* The options with the columns that the header of the file names. */
gs_value_options gs_value_headers_apply(const gs_value_headers *h,
                                        const gs_line_batch *batch);

#endif
