/* SPDX-License-Identifier: MIT */
/*
 * text_output: the final text, from a function that fills a sink to a committed file.
 *
 * Opens the sink on the output (header first), calls `make` with the ticket of the first
 * piece, waits for the writes and gives the output its name. On failure nothing is left.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_OUTPUT_H
#define GS_LIB_SORT_TEXT_TEXT_OUTPUT_H

#include "io/output.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/run/runs.h"

/* Opens the output of a sort or merge. What is there stays until all inputs were read. */
GS_MUST_CHECK gs_code gs_text_output_open(gs_output **out, const gs_sort_options *options,
                                          gs_status *st);

typedef struct gs_text_output {
    const gs_sort_options *options;
    const gs_memory_plan *plan;
    const gs_record_layout *layout;
    gs_output *output;
    size_t piece_bytes;
    bool fills_cache;       /* there is room for all of it in the page cache, where it is
                               written in less time than a disk takes */
    uint8_t *stream_memory; /* of the plan's stream blocks; NULL: it is allocated */
    const uint8_t *header;  /* kept on top; may be NULL */
    size_t header_bytes;
    gs_witness *witness;     /* of what is written; may be NULL */
    gs_code wrong_code;      /* of what it finds */
    uint64_t *written_bytes; /* of an output that takes nothing back: those that an
                                earlier try has written, and after a failure this one.
                                Text goes on behind them. May be NULL */
} gs_text_output;

typedef gs_code gs_text_output_fn(void *context, gs_sink *sink, uint64_t ticket,
                                  gs_status *st);

GS_MUST_CHECK gs_code gs_text_output_write(const gs_text_output *out,
                                           gs_text_output_fn *make, void *context,
                                           gs_status *st);

/* The output's file has all of it, `records` in `bytes`: what remains to be done. Without
 * a taker. */
GS_MUST_CHECK gs_code gs_text_output_settle(const gs_text_output *out, uint64_t records,
                                            uint64_t bytes, gs_status *st);

#endif
