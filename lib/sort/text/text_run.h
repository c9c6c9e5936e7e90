/* SPDX-License-Identifier: MIT */
/*
 * text_run: sorted lines in a temporary place, as text.
 *
 * For what must go through the user's --compress-program, and for the intermediate files
 * of -m, whose inputs need not really be sorted. Without a program a text run is an
 * extent of a spill file; with one it is a nameless file that the program wrote:
 *
 *      gs_stream --> pipe --> PROG --> nameless file --> PROG -d --> pipe --> lines
 *
 * Call order: create, write to `target` through a gs_stream, finish; later open_read,
 * next as a block source, close_read; release. One thread.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_RUN_H
#define GS_LIB_SORT_TEXT_TEXT_RUN_H

#include "io/block.h"
#include "io/child.h"
#include "io/spill.h"
#include "io/stream.h"
#include "lib/base/log.h"

/* What the runs of a sort have in common. */
typedef struct gs_text_filter {
    const char *program; /* NULL: none */
    const gs_log *log;   /* NULL is fine */
    int last_error;      /* of starting it, 0 if it ran: the same is not said again */
} gs_text_filter;

typedef struct gs_text_run {
    gs_spill *spill;
    const char *program;    /* NULL: none */
    gs_spill_extent extent; /* without a program */
    bool is_extent_open;
    uint64_t bytes;
    int file_fd; /* with a program */
    int pipe_fd; /* our end, while writing or reading */
    gs_child child;
    uint64_t read_bytes;
    gs_block_pool *pool; /* while reading */
    char failure[GS_STREAM_FAILURE_BYTES];
} gs_text_run;

/* A program that cannot be run is named in the log, and the run does without. */
GS_MUST_CHECK gs_code gs_text_run_create(gs_text_run *run, gs_spill *spill,
                                         gs_text_filter *filter, gs_stream_target *target,
                                         gs_status *st);
GS_MUST_CHECK gs_code gs_text_run_finish(gs_text_run *run, uint64_t bytes, gs_status *st);

GS_MUST_CHECK gs_code gs_text_run_open_read(gs_text_run *run, gs_block_pool *pool,
                                            gs_status *st);
/* A gs_block_source: `context` is the run. */
GS_MUST_CHECK gs_code gs_text_run_next(void *context, gs_block **out, gs_status *st);
/* Stops reading, wherever it stands; the run can be opened again. */
void gs_text_run_close_read(gs_text_run *run);
void gs_text_run_release(gs_text_run *run); /* a zeroed run is not one: create first */

#endif
