/* SPDX-License-Identifier: MIT */
/*
 * record_fail: what is said of a record that is broken, too long, or not whole.
 */
#ifndef GS_LIB_SORT_RECORD_RECORD_FAIL_H
#define GS_LIB_SORT_RECORD_RECORD_FAIL_H

#include "lib/sort/record/line_feed.h"

/* What a record gets that is broken, which begins at a byte of the batch, at one of its
 * own: its file, the line of that byte and, if it is another, of its beginning, and why.
 */
GS_MUST_CHECK gs_code gs_line_batch_fail(const gs_line_batch *batch, const char *name,
                                         size_t record_at, size_t broken_at,
                                         const char *why, gs_status *st);

/* What a record gets that is too long, of the file `name`: `what` is "line" or
 * "document". */
GS_MUST_CHECK gs_code gs_line_feed_fail_too_long(const gs_line_feed_options *options,
                                                 const char *name, const char *what,
                                                 uint64_t offset, gs_status *st);

/* What a last record gets that is not whole. */
GS_MUST_CHECK gs_code gs_line_feed_fail_partial(const char *name, uint64_t offset,
                                                size_t bytes, size_t record_size,
                                                gs_status *st);

#endif
