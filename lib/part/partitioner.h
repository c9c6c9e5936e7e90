/* SPDX-License-Identifier: MIT */
/*
 * partitioner: inputs sorted, and cut into parts at splitters (part_cutter.h).
 *
 * The parts, one behind the other, are what a sort writes. Where several inputs were cut
 * at the same splitters, each on its own, the parts of one number merged, and what comes
 * of that one behind the other, are what a sort of all inputs writes, whatever the order.
 *
 * The text is cut as it is written, on the way from the last merge: nothing is sorted,
 * merged or copied once more. Call from one thread. All options are borrowed.
 */
#ifndef GS_LIB_PART_PARTITIONER_H
#define GS_LIB_PART_PARTITIONER_H

#include "lib/part/part_tally.h"
#include "lib/sort/sort.h"

enum { GS_PARTS_MAX = 1 << 20 };

typedef struct gs_partition_options {
    /* As of a sort; output is the prefix of names (part_files.h). Without count, top,
     * output_zstd, checkpoint. */
    const gs_sort_options *sort;
    bool is_merge;         /* each input is in order */
    const char *splitters; /* their file */
    /* Only records that begin at bytes `from` to `to` of the one input, a plain file: no
     * table, no header, no merge. */
    bool has_range;
    uint64_t from, to;
    bool is_framed;  /* one stream (part_frame.h) to the output, not files */
    bool compresses; /* that */
    /* So many parts: one more than there are splitters, or no splitters, which is what a
     * sample of nothing gives: then all is in the first part. 0: as there are splitters.
     */
    uint64_t parts;
} gs_partition_options;

typedef struct gs_partition_result {
    gs_part_tally *parts;
    size_t part_count;
} gs_partition_result;

/* The result is released whatever comes of it. */
GS_MUST_CHECK gs_code gs_partition_run(const gs_partition_options *options,
                                       gs_partition_result *result, gs_status *st);
void gs_partition_result_release(gs_partition_result *result);

#endif
