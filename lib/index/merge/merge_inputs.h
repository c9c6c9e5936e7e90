/* SPDX-License-Identifier: MIT */
/*
 * merge_inputs: the indexes of a merge, opened, and whether they go together.
 *
 * An index that has grown is as many inputs as it has segments. One thread opens; then
 * any reads.
 */
#ifndef GS_LIB_INDEX_MERGE_MERGE_INPUTS_H
#define GS_LIB_INDEX_MERGE_MERGE_INPUTS_H

#include "lib/index/merge/index_merger.h"
#include "lib/index/segment/segments.h"

typedef struct gs_merge_inputs {
    const gs_index_merge_options *asked;
    const gs_index_merge_options *options; /* the same, but each segment is an input */
    gs_segments **sets;                    /* of each input that was asked for */
    gs_index **indexes;                    /* borrowed from there, as what follows */
    const gs_tombstones **deleted;
    const char **names; /* of their folders */
    uint64_t *shifts;   /* of the docIDs of each */
    uint64_t documents; /* in all */
    bool keeps_ids;
} gs_merge_inputs;

static inline const gs_index_header *gs_merge_inputs_header(const gs_merge_inputs *in,
                                                            size_t i)
{
    return gs_index_header_of(in->indexes[i]);
}

/* The docID of the first document of all. */
uint64_t gs_merge_inputs_base(const gs_merge_inputs *in);

/* `own` is a copy of `asked`, whose inputs become the segments; both are borrowed. What
 * was opened is to be released, also after a failure. */
GS_MUST_CHECK gs_code gs_merge_inputs_open(gs_merge_inputs *in,
                                           const gs_index_merge_options *asked,
                                           gs_index_merge_options *own, gs_status *st);
void gs_merge_inputs_release(gs_merge_inputs *in); /* a zeroed one is fine */

#endif
