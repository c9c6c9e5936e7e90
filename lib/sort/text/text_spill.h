/* SPDX-License-Identifier: MIT */
/*
 * text_spill: chunks to runs of text, and those to the output: for --compress-program.
 *
 * The way of run_list and range_merge for who wants a program of his own between them and
 * the disk. Call order: add*, plan_merge, reduce, merge, release. One thread calls.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_SPILL_H
#define GS_LIB_SORT_TEXT_TEXT_SPILL_H

#include "lib/base/team.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/text/file_merge.h"
#include "lib/sort/key/keys.h"

typedef struct gs_text_spill {
    const gs_sort_options *options; /* these five are set by the owner, borrowed */
    const gs_memory_plan *plan;
    const gs_record_layout *layout;
    gs_witness *witness; /* sees what is left out of runs as equal */
    gs_spill *spill;
    gs_file_merge merge; /* its inputs are the runs */
    size_t capacity;
} gs_text_spill;

/* Sorts the chunk into one more run. Equals are counted by the merge, so all stay. */
GS_MUST_CHECK gs_code gs_text_spill_add(gs_text_spill *s, gs_chunk *chunk, gs_team *team,
                                        gs_status *st);
/* No more runs come: makes them few enough for one merge. `encoder` as for the chunks. */
GS_MUST_CHECK gs_code gs_text_spill_reduce(gs_text_spill *s,
                                           const gs_key_encoder *encoder, gs_status *st);
/* The last merge, as piece `ticket` of the sink. */
GS_MUST_CHECK gs_code gs_text_spill_merge(gs_text_spill *s, gs_sink *sink,
                                          uint64_t ticket, gs_status *st);
void gs_text_spill_release(gs_text_spill *s); /* a zeroed one is fine */

#endif
