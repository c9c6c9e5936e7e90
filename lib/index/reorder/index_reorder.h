/* SPDX-License-Identifier: MIT */
/*
 * index_reorder: an index with its documents in another order, one that makes it smaller
 * and faster.
 *
 * Documents get new docIDs, those that share terms close to each other
 * (lib/index/reorder/bisection.h), and keep their names: every search finds the same
 * documents with the same scores, but that of equal scores others may come first. Indexes
 * of tuples, whose docIDs are the user's own, are refused.
 *
 * Memory: 32 bytes a document; 4 a posting while the order is made, or fewer postings are
 * looked at; lists are put in order as far as there is room, and else in several parts.
 * Call from one thread; the workers are inside. All options are borrowed.
 */
#ifndef GS_LIB_INDEX_REORDER_INDEX_REORDER_H
#define GS_LIB_INDEX_REORDER_INDEX_REORDER_H

#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/index/write/writers.h"

typedef struct gs_index_reorder_options {
    const char *folder;
    bool replace;         /* an index that is there; it may be the input */
    const char *input;    /* a folder */
    const int *held_lock; /* of what is replaced (index_folder.h); or NULL */

    size_t memory_bytes; /* -S; 0: chosen from what the machine or cgroup has */
    unsigned threads;    /* --parallel; 0: every core */

    const gs_log *log;                 /* may be NULL */
    gs_trace *trace;                   /* may be NULL */
    gs_index_stats *stats;             /* filled as the job goes on; may be NULL */
    const volatile int *cancel_signal; /* becomes non-zero: stop; may be NULL */
} gs_index_reorder_options;

GS_MUST_CHECK gs_code gs_index_reorder(const gs_index_reorder_options *options,
                                       gs_status *st);

#endif
