/* SPDX-License-Identifier: MIT */
/*
 * run_cursor: read the records of one run that lie in a range of keys, one by one, each
 * with its offset-value code relative to the one before.
 *
 *      run file   | b0 | b1 | b2 | b3 | b4 | b5 | ...
 *      range           [lo .......... hi)
 *      window          | b1 | b2 | b3 |            read at once, ahead of use
 *      raw                  | b2 |                 decoded: the block in use
 *      raw'            | b1 |                      the one before, for one compare
 *      front                 record                put together, if a part is left out
 *
 * The window is normally the whole part of the run that a range needs and is read while
 * the range before is being merged (gs_run_window_submit, then _start). A part that is
 * longer goes on with plain reads, window by window.
 */
#ifndef GS_LIB_SORT_RUN_RUN_CURSOR_H
#define GS_LIB_SORT_RUN_RUN_CURSOR_H

#include "io/aio.h"
#include "io/run_block.h"
#include "lib/sort/run/merge_tree.h"
#include "lib/sort/run/run.h"

/* A bound of a range: any byte string. */
typedef struct gs_range_bound {
    bool is_open; /* no bound */
    const uint8_t *string;
    size_t bytes;
} gs_range_bound;

/* Part of a run file in memory. */
typedef struct gs_run_window {
    uint8_t *memory; /* aligned */
    size_t capacity;
    uint64_t file_offset; /* of memory[0] */
    size_t bytes;
    size_t first_entry, end_entry; /* blocks it holds */
} gs_run_window;

typedef struct gs_run_cursor {
    /* The record the cursor stands on. */
    gs_merge_head *head; /* the caller's; its code is GS_OVC_EXHAUSTED at the end */
    const uint8_t *data; /* key, line and eol, until the cursor goes on */
    size_t length;       /* of key and line */
    size_t key_bytes;
    uint64_t count;

    const uint8_t *at, *end; /* what is left of the decoded block */
    bool checks_stop;        /* records of this block may lie beyond the range */

    const gs_run *run;
    const gs_record_layout *layout;
    bool has_counts;
    gs_run_coder *coder;
    const char *folder; /* for messages */
    gs_range_bound stop;
    size_t next_entry, end_entry;
    gs_run_window *window;
    uint8_t *raw[2];
    size_t raw_capacity[2];
    unsigned raw_now;
    uint8_t *front; /* room for a record that has a part of the one before */
} gs_run_cursor;

/* The blocks of the run that may hold records in [lo, hi). */
void gs_run_find_range(const gs_run *run, const gs_record_layout *layout,
                       const gs_range_bound *lo, const gs_range_bound *hi, size_t *first,
                       size_t *end);

/* Starts reading the beginning of blocks [first, end) into `window` through `aio`, with
 * the window as the tag; *is_submitted is false if there is nothing to read. */
GS_MUST_CHECK gs_code gs_run_window_submit(gs_run_window *window, const gs_run *run,
                                           size_t first, size_t end, gs_aio *aio,
                                           bool *is_submitted, gs_status *st);
/* Checks what came back. */
GS_MUST_CHECK gs_code gs_run_window_done(gs_run_window *window, const gs_run *run,
                                         int64_t result, const char *folder,
                                         gs_status *st);

/* Stands on the first record not before `lo`. The window holds the first blocks. */
GS_MUST_CHECK gs_code gs_run_cursor_start(gs_run_cursor *c, const gs_range_bound *lo,
                                          const gs_range_bound *hi, size_t first,
                                          size_t end, gs_status *st);
void gs_run_cursor_release(gs_run_cursor *c); /* a zeroed cursor is fine */

/* Goes on to the next record. */
GS_MUST_CHECK gs_code gs_run_cursor_advance(gs_run_cursor *c, gs_status *st);

#endif
