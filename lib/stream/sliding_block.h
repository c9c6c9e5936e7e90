/* SPDX-License-Identifier: MIT */
/*
 * sliding_block: what is known of a part of a stream, of whichever kind, so that sketches
 * of its last values are written once: blocks are taken, put together, thinned out and
 * stored.
 *
 * One thread a block; a zeroed one is empty.
 */
#ifndef GS_LIB_STREAM_SLIDING_BLOCK_H
#define GS_LIB_STREAM_SLIDING_BLOCK_H

#include "lib/stream/count_summary.h"
#include "lib/stream/pair_sink.h"
#include "lib/stream/rank_summary.h"
#include "lib/stream/text_counts.h"

typedef enum gs_sliding_kind {
    GS_SLIDING_RANKS,
    GS_SLIDING_NUMBERS, /* their counts */
    GS_SLIDING_TEXTS,
    GS_SLIDING_SUMS,
    GS_SLIDING_SUMS_AND_RANKS, /* of x */
} gs_sliding_kind;

bool gs_sliding_kind_has_ranks(gs_sliding_kind kind);
bool gs_sliding_kind_is_of_texts(gs_sliding_kind kind);

/* One of these, by the kind, which all that is done with it is told. */
typedef union gs_sliding_block {
    gs_rank_summary ranks;
    gs_count_summary numbers;
    gs_text_counts texts;
    gs_pair_facts pairs;
} gs_sliding_block;

void gs_sliding_block_release(gs_sliding_kind kind, gs_sliding_block *b);
/* Empty again; memory is kept. */
void gs_sliding_block_clear(gs_sliding_kind kind, gs_sliding_block *b);
/* What it takes. */
size_t gs_sliding_block_bytes(gs_sliding_kind kind, const gs_sliding_block *b);
/* Of how many values it is. */
uint64_t gs_sliding_block_values(gs_sliding_kind kind, const gs_sliding_block *b);
void gs_sliding_block_swap(gs_sliding_block *a, gs_sliding_block *b);

/* Of a window, sorted if of numbers. `type` is that of pairs. */
GS_MUST_CHECK gs_code gs_sliding_block_take(gs_sliding_kind kind, gs_number_type type,
                                            gs_sliding_block *b, const gs_window *window,
                                            gs_status *st);
/* Adds what `from` knows to `to`; what `spare` held is gone. */
GS_MUST_CHECK gs_code gs_sliding_block_append(gs_sliding_kind kind, gs_sliding_block *to,
                                              const gs_sliding_block *from,
                                              gs_sliding_block *spare, gs_status *st);
/* `parts` are ranks between which there is one entry, or counters; sums have their own.
 */
GS_MUST_CHECK gs_code gs_sliding_block_prune(gs_sliding_kind kind, gs_sliding_block *b,
                                             uint64_t parts, uint64_t sum_parts,
                                             gs_status *st);
/* To be stored: it takes no more than it must, can be pruned and appended to others, and
 * nothing can be added to it. `to` may hold another one. */
GS_MUST_CHECK gs_code gs_sliding_block_store(gs_sliding_kind kind, gs_sliding_block *to,
                                             const gs_sliding_block *from, gs_status *st);
/* Of one that is stored, and was pruned: gives back what it needs no more. */
GS_MUST_CHECK gs_code gs_sliding_block_trim(gs_sliding_kind kind, gs_sliding_block *b,
                                            gs_status *st);
/* Counts to the most frequent first; nothing may be added then until it is cleared. */
void gs_sliding_block_rank(gs_sliding_kind kind, gs_sliding_block *b);

#endif
