/* SPDX-License-Identifier: MIT */
/*
 * stream_input: files and pipes as batches of whole records, for any number of threads.
 *
 * Files in the page cache are mapped, others and compressed ones are read ahead. A single
 * pipe or terminal gives what has come, and does not wait until a block is full; while it
 * waits, `idle` is called some times a second. Once *stop is not 0, nothing more comes: a
 * value whose end has not come is left out.
 *
 * Call order: open, next*, close.
 */
#ifndef GS_LIB_STREAM_STREAM_INPUT_H
#define GS_LIB_STREAM_STREAM_INPUT_H

#include "lib/sort/record/records.h"

typedef gs_code gs_stream_idle_fn(void *context, gs_status *st);

typedef struct gs_stream_input_options {
    const char *const *names; /* "-" is standard input; at least one */
    size_t name_count;
    size_t record_size; /* > 0: of binary records; 0: lines */
    bool has_quotes;    /* ends of lines between them end no record */
    unsigned workers;
    const volatile int *stop;   /* may be NULL */
    const volatile int *cancel; /* the same, but a failure: GS_ERR_CANCELLED */
    gs_stream_idle_fn *idle;    /* may be NULL; in the thread that waits in next */
    void *idle_context;
    const gs_log *log;
} gs_stream_input_options;

enum { GS_STREAM_BLOCK_BYTES = 1 << 20, GS_STREAM_RECORD_BYTES_MAX = 64 << 20 };

typedef struct gs_stream_input gs_stream_input;

/* Options are copied, the names borrowed until close(). */
GS_MUST_CHECK gs_code gs_stream_input_open(gs_stream_input **out,
                                           const gs_stream_input_options *options,
                                           gs_status *st);
/* As gs_line_feed_next. */
GS_MUST_CHECK gs_code gs_stream_input_next(gs_stream_input *in, gs_line_batch *out,
                                           bool *has_batch, gs_status *st);
/* All has been read: fails if that was cancelled, or a mapped file was changed meanwhile.
 */
GS_MUST_CHECK gs_code gs_stream_input_check(const gs_stream_input *in, gs_status *st);
void gs_stream_input_close(gs_stream_input *in); /* NULL is fine */

#endif
