/* SPDX-License-Identifier: MIT */
/*
 * range_merge: merge runs on all cores, by cutting the keys into ranges.
 *
 *      run 0    |  a..c  |  d..k  |  l..z  |
 *      run 1    | a..c |    d..k    | l..z |
 *      range    |   0    |   1    |   2    |     each is one piece of the sink
 *
 * The bounds come from the runs' block indexes, so that ranges are about equally long. A
 * worker takes the next range, merges its parts of all the runs with a loser tree, and
 * meanwhile the parts of the range after that are read. Equal keys never lie in two
 * ranges, so dropping or counting equals needs no look across. Workers share which range
 * is next, counters, what space is to be given back and some more, all of which range_job
 * (range_merge.c) lists; cursors, windows, the loser tree and the coder are each one's
 * own.
 *
 * Where only the first N records are wanted (--top), as many ranges are merged on all
 * cores as surely hold no more than that: blocks know how many records they have. What is
 * then missing is taken in the same way from the rest, and in the end from a single
 * range.
 *
 * Records go to a sink, a piece a range, or to a consumer: then several ranges make a
 * portion, which one worker goes through in order, so that what belongs together but
 * needs more than one range is seen by one worker.
 */
#ifndef GS_LIB_SORT_RUN_RANGE_MERGE_H
#define GS_LIB_SORT_RUN_RANGE_MERGE_H

#include "io/spill.h"
#include "lib/base/team.h"
#include "lib/sort/run/run.h"
#include "lib/sort/run/run_cursor.h"
#include "lib/sort/run/sink.h"

typedef struct gs_range_merge_options {
    const gs_record_layout *layout;
    bool has_counts; /* records carry counts; equals are added up */
    bool is_unique;  /* of equals only the first */
    bool has_top;    /* stop after top_count records */
    uint64_t top_count;
    size_t memory_bytes; /* for windows and decoded blocks of all workers */
    bool no_uring;
    uint64_t first_ticket;
    gs_spill *spill;
    bool gives_space_back; /* of what is merged, at once */
    const volatile int *cancel;
    _Atomic uint64_t *progress_bytes; /* stored bytes merged so far; may be NULL */
} gs_range_merge_options;

/* Takes merged records. Calls for one worker come from one thread; portions are numbered
 * in the order of their keys, and each is begun and ended by one worker. */
typedef struct gs_range_consumer {
    size_t portion_max; /* no more than this many */
    /* Of what is in memory, no more than some such number of records each, as far as
     * portion_max allows that; of runs, a range at least. 0: any number. */
    size_t portion_records;
    /* How many bytes of a key, or of the beginning of one, tell which records belong
     * together; no portion ends between such. */
    size_t (*kept_together)(const uint8_t *key, size_t bytes);
    gs_code (*begin)(void *context, unsigned worker, size_t portion, gs_status *st);
    gs_code (*add)(void *context, unsigned worker, const gs_run_cursor *record,
                   gs_status *st);
    gs_code (*end)(void *context, unsigned worker, gs_status *st);
    /* After a failure, of this worker (`why` says which) or of another (`why` is good).
     */
    void (*abandon)(void *context, unsigned worker, const gs_status *why);
    void *context;
} gs_range_consumer;

GS_MUST_CHECK gs_code gs_range_merge_run(const gs_run *runs, size_t run_count,
                                         gs_team *team, gs_sink *sink,
                                         const gs_range_merge_options *options,
                                         uint64_t *next_ticket, gs_status *st);
/* The same for a consumer; is_unique, has_top and has_counts are not set. */
GS_MUST_CHECK gs_code gs_range_merge_consume(const gs_run *runs, size_t run_count,
                                             gs_team *team,
                                             const gs_range_consumer *consumer,
                                             const gs_range_merge_options *options,
                                             gs_status *st);

#endif
