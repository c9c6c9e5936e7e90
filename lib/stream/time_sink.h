/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * time_sink: quantiles or frequencies of the values of the last so many seconds of a
 * stream, by their times, however many these are.
 *
 *      level 2   |      0 to 3     |      4 to 7     |
 *      level 1   |  0, 1  |  2, 3  |  4, 5  |  6, 7  |  8, 9  |
 *      level 0                               | 6 | 7  | 8 | 9  | 10 | 11 ...
 *                              '--- the last ten minutes, now ---'
 *
 * A value whose time is before that of one that came earlier counts as of the same time as
 * that: so the values that count are always the last ones of the stream, and only their
 * number is not known beforehand.
 *
 * Blocks are those of sliding_sink, but there are as many levels as the stream needs, each
 * with the newest C = 8 / eps + 2 blocks. A window that reaches to the blocks of level 0
 * ends within one of them: these are kept as they came, so that what it has of that is
 * known. One that reaches further ends within a block of the lowest level that reaches as
 * far: that is left out, and is at most eps / 4 of the window, since the level below, with
 * blocks half as large, does not reach as far.
 *
 * A block that is a time of j times its size old is needed by windows alone that have as
 * many values, of which it may be off by more: it is thinned out when j is 2, 4, 8, ...
 * With L = log2 C + 2 levels in a window, that are 4 L / (eps j) entries, so
 * about 4 L log2(C) / eps a level, and 64 / eps of one that waits for its neighbour, or of
 * counts 8 / eps. All the values that are left out may be one and the same: what a count
 * may lack by that is reckoned in.
 *
 * There is no such sketch of sums: what is left out may have nearly all of one, however
 * few its values are. Nor is there one of prefixes, each level of which would need it.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_TIME_SINK_H
#define GS_LIB_STREAM_TIME_SINK_H

#include "lib/stream/sliding_sink.h"
#include "lib/stream/time_raw.h"

enum { GS_TIME_LEVELS_MAX = 32 };

/* Blocks of a level, the newest ones, by their number modulo the capacity. */
typedef struct gs_time_block {
    double first, last; /* times */
    gs_sliding_block facts;
} gs_time_block;

typedef struct gs_time_sink {
    gs_sliding_kind kind; /* ranks, numbers or texts */
    double eps, seconds;
    size_t memory_bytes; /* for blocks; more is GS_ERR_LIMIT */
    gs_sliding_report_fn *report;
    void *report_context;

    size_t block_values, capacity;
    double arranged; /* latest time that came in turn */
    bool has_arranged;
    gs_time_span window; /* of a report */
    uint64_t blocks;
    unsigned level_count;
    gs_time_raw *raws;                         /* of level 0, as they came */
    gs_time_block *levels[GS_TIME_LEVELS_MAX]; /* stored, */
    gs_time_block waiting[GS_TIME_LEVELS_MAX]; /* and for their neighbours */
    gs_time_block moving;
    gs_sliding_block spare, covered;
    uint64_t *keys;    /* of a part of a block */
    size_t held_bytes; /* of what is stored, and as it came */
} gs_time_sink;

/* What stands above from `kind` to `report_context` is set before. Values are pairs: the
 * second is the time, as a key of GS_NUMBER_F64; or texts that have such. */
GS_MUST_CHECK gs_code gs_time_sink_init(gs_time_sink *s, gs_status *st);
void gs_time_sink_release(gs_time_sink *s);
gs_value_sink gs_time_sink_as_sink(gs_time_sink *s);

#endif
