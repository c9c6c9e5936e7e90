/* SPDX-License-Identifier: MIT */
/*
 * run_store: where the runs of a sort are kept, and how they are merged. Whoever forms
 * runs does not know which of these it is:
 *
 *      block_store    blocks of records, merged by ranges on all cores
 *      text_store     lib/sort/text: text that goes through the user's program
 *      mapped_store   lib/sort/text: text in memory and files, sorted again by a GPU
 *
 * Call order: see_sample at any time before the first run; then for each run open,
 * records into the sink, close; with a checkpoint keep, after each. When there is no more
 * to come: reduce, merge_last, free. One thread at a time, but not always the same one.
 *
 * To write another: a struct that begins with a gs_run_store, and functions as described
 * here. What is borrowed is borrowed until free().
 */
#ifndef GS_LIB_SORT_RUN_RUN_STORE_H
#define GS_LIB_SORT_RUN_RUN_STORE_H

#include "lib/base/team.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/run/checkpoint.h"
#include "lib/sort/run/sink.h"

/* All borrowed. */
typedef struct gs_run_store_options {
    const gs_sort_options *options;
    const gs_memory_plan *plan;
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* NULL: lines are their own strings */
    gs_team *team;                 /* merges */
    uint64_t input_bytes;          /* that all runs will have, about; 0: unknown */
    gs_witness *witness;           /* sees what is left out of runs as equal */
    gs_checkpoint *checkpoint; /* keeps the runs, and has some to begin with; or NULL */
} gs_run_store_options;

typedef struct gs_run_store gs_run_store;

typedef struct gs_run_store_kind {
    /* Records have counts in a run. If not, those who are counted are all to be there. */
    bool holds_counts;
    void (*see_sample)(gs_run_store *s, const uint8_t *data, size_t bytes);
    gs_code (*open)(gs_run_store *s, gs_sink **sink, gs_status *st);
    gs_code (*close)(gs_run_store *s, gs_status *st);
    gs_code (*keep)(gs_run_store *s, const gs_input_place *place, const void *extra,
                    size_t extra_bytes, gs_status *st);
    /* Memory that runs are in goes to who forms the next ones. NULL: there is none. */
    gs_code (*give_memory)(gs_run_store *s, gs_status *st);
    gs_code (*reduce)(gs_run_store *s, gs_status *st);
    gs_code (*merge_last)(gs_run_store *s, gs_sink *sink, uint64_t ticket, gs_status *st);
    void (*free)(gs_run_store *s);
} gs_run_store_kind;

struct gs_run_store {
    const gs_run_store_kind *kind;
    gs_run_store_options options;
    size_t run_count; /* so far; those that are merged by then are still counted */
    size_t merge_piece_bytes; /* what a piece of the last merge's sink should hold */
    uint8_t *stream_memory;   /* for the blocks of streams of text, as the plan has them;
                                 of the next open's caller. NULL: it is allocated */
};

/* Some of the records that the runs will hold: by the first sample a codec is chosen. */
static inline void gs_run_store_see_sample(gs_run_store *s, const uint8_t *data,
                                           size_t bytes)
{
    s->kind->see_sample(s, data, bytes);
}

/* Begins a run, after those that are there; *sink is the store's, and good until close.
 */
GS_MUST_CHECK static inline gs_code gs_run_store_open(gs_run_store *s, gs_sink **sink,
                                                      gs_status *st)
{
    return s->kind->open(s, sink, st);
}

/* Waits for the writes. With a failure, in `st` before or met here, the run does not
 * count. */
GS_MUST_CHECK static inline gs_code gs_run_store_close(gs_run_store *s, gs_status *st)
{
    return s->kind->close(s, st);
}

/* The runs hold all of the input up to `place`: the checkpoint, of which there is one, is
 * told so, with what else its owner wants to know again. */
GS_MUST_CHECK static inline gs_code gs_run_store_keep(gs_run_store *s,
                                                      const gs_input_place *place,
                                                      const void *extra,
                                                      size_t extra_bytes, gs_status *st)
{
    return s->kind->keep(s, place, extra, extra_bytes, st);
}

/* Runs that are in memory go to temporary files: somebody needs that memory. */
GS_MUST_CHECK static inline gs_code gs_run_store_give_memory(gs_run_store *s,
                                                             gs_status *st)
{
    return s->kind->give_memory != NULL ? s->kind->give_memory(s, st) : GS_OK;
}

/* Makes the runs few enough for one merge. */
GS_MUST_CHECK static inline gs_code gs_run_store_reduce(gs_run_store *s, gs_status *st)
{
    return s->kind->reduce(s, st);
}

/* That merge, as pieces of the sink from number `ticket` on. */
GS_MUST_CHECK static inline gs_code
gs_run_store_merge_last(gs_run_store *s, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    return s->kind->merge_last(s, sink, ticket, st);
}

/* NULL is fine. */
static inline void gs_run_store_free(gs_run_store *s)
{
    if (s != NULL)
        s->kind->free(s);
}

#endif
