/* SPDX-License-Identifier: MIT */
/*
 * run_list: the runs that were spilled so far, in the order of the input, how one more is
 * written, and how they become fewer.
 *
 * Call order for each: writer_open, records into writer.sink, writer_close, add. When
 * there is no more to come: reduce, and what is left is merged by the owner.
 * One thread at a time.
 */
#ifndef GS_LIB_SORT_RUN_RUN_LIST_H
#define GS_LIB_SORT_RUN_RUN_LIST_H

#include "lib/sort/plan/plans.h"
#include "lib/sort/run/sink.h"

typedef struct gs_run_list {
    const gs_sort_options *options; /* these four are set by the owner, borrowed */
    const gs_memory_plan *plan;
    const gs_record_layout *layout;
    gs_witness *witness; /* sees what is left out of runs as equal; may be NULL */
    gs_run_codec codec;  /* of the blocks; chosen before the first run */
    gs_spill *spill;
    gs_run *runs;
    size_t count, capacity;
} gs_run_list;

void gs_run_list_release(gs_run_list *list);

/* Makes list->spill if there is none yet. */
GS_MUST_CHECK gs_code gs_run_list_need_spill(gs_run_list *list, gs_status *st);

typedef struct gs_run_writer {
    gs_run_list *list;
    gs_sink sink;
    gs_run run;
    char failure[GS_STREAM_FAILURE_BYTES]; /* message of a failed write */
} gs_run_writer;

GS_MUST_CHECK gs_code gs_run_writer_open(gs_run_writer *w, gs_run_list *list,
                                         size_t piece_bytes, gs_status *st);
/* Waits for the writes. With a failure, in `st` before or met here, there is no run. */
GS_MUST_CHECK gs_code gs_run_writer_close(gs_run_writer *w, gs_status *st);

/* Appends; takes what `run` holds, also on failure. */
GS_MUST_CHECK gs_code gs_run_list_add(gs_run_list *list, gs_run *run, gs_status *st);

/* `run`, which it takes, is now in the place of runs [first, first + count). */
void gs_run_list_replace(gs_run_list *list, size_t first, size_t count,
                         const gs_run *run);

uint64_t gs_run_list_stored_bytes(const gs_run_list *list);

/* Merges runs, which lie one after the other in the list, into the sink of another. */
typedef gs_code gs_run_merge_fn(void *context, const gs_run *runs, size_t run_count,
                                gs_sink *sink, gs_status *st);

typedef struct gs_run_reduction {
    size_t memory_bytes;              /* of a merge */
    size_t open_bytes;                /* raw, that a run has open in it: a block */
    size_t piece_bytes;               /* of the runs that are written */
    struct gs_checkpoint *checkpoint; /* keeps the runs; NULL: none does */
    gs_run_merge_fn *merge;
    void *context;
} gs_run_reduction;

/* Merges neighbours until one merge can take all that are left, as the memory allows and
 * the --batch-size of the options. */
GS_MUST_CHECK gs_code gs_run_list_reduce(gs_run_list *list, const gs_run_reduction *how,
                                         gs_status *st);
/* A merge of all runs begins: notes it in the statistics. */
void gs_run_list_begin_pass(const gs_run_list *list);

#endif
