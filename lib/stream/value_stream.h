/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * value_stream: a stream of values as windows, one after the other: of numbers, which are
 * sorted, or of texts, which are not.
 *
 *      batches of input   | parsed beside each other |
 *      windows            | filled in order | sorted and digested beside each other | added in order
 *
 * Where a window begins and ends depends on the stream alone, so an answer does not depend
 * on the number of threads, or on which engine sorts.
 *
 * `sink` is what becomes of windows: its digest is what a thread makes of a sorted window
 * in its own memory, and adding a digest to what is there is all that is done in turn.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_VALUE_STREAM_H
#define GS_LIB_STREAM_VALUE_STREAM_H

#include "lib/base/team.h"
#include "lib/stream/report_times.h"
#include "lib/stream/stream_input.h"
#include "lib/stream/value_batch.h"
#include "lib/stream/window_sort.h"

typedef struct gs_value_sink {
    void *context;
    size_t digest_bytes; /* of one, zeroed in the beginning */
    /* Of text: the first record, a header or not, before all else; of binary numbers, an
     * empty one. May be NULL. */
    gs_code (*begin)(void *context, const uint8_t *record, size_t bytes, gs_status *st);
    /* Keys in the order of the input, before they go to windows; may be NULL. */
    void (*arrange)(void *context, uint64_t *keys, size_t count);
    /* Of a window, sorted if of numbers, `is_whole` or the last one. Any thread. */
    gs_code (*digest)(void *context, const gs_window *window, bool is_whole, void *digest,
                      gs_status *st);
    /* In the order of windows, one at a time. */
    gs_code (*add)(void *context, void *digest, gs_status *st);
    /* Everything so far, and `last`, of a window that is not whole yet; NULL: none. */
    gs_code (*report)(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st);
    void (*digest_release)(void *digest);
} gs_value_sink;

typedef struct gs_value_stream_options {
    gs_stream_input_options input;
    gs_value_options values;
    gs_report_times times;
    size_t window_values;
    size_t text_bytes_max; /* end a window of texts as well; 0: GS_WINDOW_TEXT_BYTES */
    size_t memory_bytes;   /* for windows */
    gs_tuple_sorter *sorter;
    gs_team *team;
} gs_value_stream_options;

typedef struct gs_value_stream_counts {
    uint64_t values, bad;
    uint64_t sort_ns, digest_ns, add_ns; /* of all threads together */
} gs_value_stream_counts;

/* Until the end of the input, which is reported on too. */
GS_MUST_CHECK gs_code gs_value_stream_run(const gs_value_stream_options *options,
                                          const gs_value_sink *sink,
                                          gs_value_stream_counts *counts, gs_status *st);

/* The same of batches that the caller has, one after the other: those of one file, which
 * is the only name of the input; where a batch is in it, its offset says. Call order:
 * open, put*, report*, close; options and sink are borrowed until close. Batches are
 * parsed by the calling thread; full windows wait until all are, and then all threads
 * sort them. */
typedef struct gs_value_stream gs_value_stream;
GS_MUST_CHECK gs_code gs_value_stream_open(gs_value_stream **out,
                                           const gs_value_stream_options *options,
                                           const gs_value_sink *sink, gs_status *st);
GS_MUST_CHECK gs_code gs_value_stream_put(gs_value_stream *s, const gs_line_batch *batch,
                                          gs_status *st);
GS_MUST_CHECK gs_code gs_value_stream_report(gs_value_stream *s, bool is_end,
                                             gs_status *st);
/* Instead of all that is put: the input of the options, to its end, which is reported on
 * too; what is told stays until close. */
GS_MUST_CHECK gs_code gs_value_stream_read(gs_value_stream *s, gs_status *st);
uint64_t gs_value_stream_bad(const gs_value_stream *s);
void gs_value_stream_close(gs_value_stream *s); /* NULL is fine */

/* Windows of keys that are in memory already, in the same way: for benchmarks. */
GS_MUST_CHECK gs_code gs_value_stream_keys(const gs_value_stream_options *options,
                                           const gs_value_sink *sink,
                                           const uint64_t *keys, size_t count,
                                           gs_value_stream_counts *counts, gs_status *st);

#endif
