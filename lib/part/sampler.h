/* SPDX-License-Identifier: MIT */
/*
 * sampler: an even sample of the records of files, and records that cut them into parts.
 *
 * Of plain files some blocks are read (sample_places.h); what has to be read from its
 * beginning to know where records begin (pipes, compressed files, tables) is read whole,
 * in bounded memory. Either way each record has the same chance (sample_pick.h).
 *
 * Call from one thread. All options are borrowed.
 */
#ifndef GS_LIB_PART_SAMPLER_H
#define GS_LIB_PART_SAMPLER_H

#include "lib/sort/sort.h"

typedef struct gs_sample_options {
    /* Order, inputs, headers, memory, output: as of a sort. What a sort leaves out
     * (order.unique, count, top) counts here as any other record. */
    const gs_sort_options *sort;
    uint64_t count; /* records at most, at least 1 */
    uint64_t seed;
    /* > 0: instead of the sample, parts - 1 records of it, in order, between which are as
     * many of it, to one or two. They may be equal. None if there are no records. */
    uint64_t parts;
    /* Only records that begin at bytes `from` to `to` of the one input, unpacked, its
     * header counted too. */
    bool has_range;
    uint64_t from, to;
} gs_sample_options;

typedef struct gs_sample_result {
    uint64_t records; /* of the sample */
    uint64_t seen;    /* of which it was taken */
} gs_sample_result;

/* Writes each record as it stands, lines with an end, in the order of the inputs or, of
 * `parts`, in that asked for. */
GS_MUST_CHECK gs_code gs_sample_run(const gs_sample_options *options,
                                    gs_sample_result *result, gs_status *st);

#endif
