/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * sliding_sink: quantiles or frequencies of the last values of a stream, or sums of the
 * last pairs, by a levelled sketch.
 *
 *      level 2   |      0 to 3     |      4 to 7     |
 *      level 1   |  0, 1  |  2, 3  |  4, 5  |  6, 7  |  8, 9  |
 *      level 0   |  0 | 1 | 2 | 3  | 4 | 5  | 6 | 7  | 8 | 9  | 10 | 11 ...
 *                                   '--- the last values, now ---'
 *
 * The stream is cut into blocks of a quarter of eps of the window. Two neighbours on a
 * level make one of the next, by merging, up to one as large as the window. What lies
 * within the window is put together from the largest blocks that do, at most two of each
 * level; the part of a block that sticks out of it is left out, and known by its number.
 *
 * A small block may be off by as many ranks or counts as a large one. So what is stored of
 * it has few entries, and each level takes as much memory: with L = log2(4 / eps) levels
 * about 16 (L + 1)^2 / eps entries in all. Upper levels are made of the same blocks with
 * more entries, of which one waits for its neighbour on each level. (Arasu and Manku.)
 *
 * Of sums that is not so: a small block may have nearly all of the sum. Each has as many
 * entries as the error asks for, or as it has pairs. And what an average is of, and what is
 * summed, should be the same pairs: those that are covered.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_SLIDING_SINK_H
#define GS_LIB_STREAM_SLIDING_SINK_H

#include "lib/stream/sliding_block.h"
#include "lib/stream/value_stream.h"

/* What is in the window now. */
typedef struct gs_sliding_all {
    const gs_sliding_block *covered; /* counts ranked */
    uint64_t values;                 /* of the stream so far, */
    uint64_t in_window;              /* of these in the window, */
    uint64_t uncovered;              /* and of those not in `covered` */
    uint64_t window_error;           /* `in_window` is off by no more */
    size_t bytes;                    /* that all blocks take */
} gs_sliding_all;

typedef gs_code gs_sliding_report_fn(void *context, const gs_sliding_all *all,
                                     bool is_end, gs_status *st);

enum { GS_SLIDING_LEVELS_MAX = 40 };

/* Blocks of a level, the newest ones, by their number modulo the capacity. */
typedef struct gs_sliding_level {
    gs_sliding_block *stored;
    size_t capacity;
    gs_sliding_block waiting; /* for its neighbour */
    uint64_t parts;           /* to which what is stored is thinned out */
} gs_sliding_level;

typedef struct gs_sliding_sink {
    gs_sliding_kind kind;
    gs_number_type type; /* of pairs */
    double eps;
    uint64_t window;     /* values */
    size_t memory_bytes; /* for blocks; more is GS_ERR_LIMIT */
    gs_sliding_report_fn *report;
    void *report_context;

    size_t block_values;
    unsigned level_count;
    uint64_t blocks;
    size_t stored_bytes; /* of all stored blocks */
    gs_sliding_level levels[GS_SLIDING_LEVELS_MAX];
    gs_sliding_block moving, thinned, spare, covered;
} gs_sliding_sink;

/* What stands above from `kind` to `report_context` is set before. */
GS_MUST_CHECK gs_code gs_sliding_sink_init(gs_sliding_sink *s, gs_status *st);
void gs_sliding_sink_release(gs_sliding_sink *s);
gs_value_sink gs_sliding_sink_as_sink(gs_sliding_sink *s);

#endif
