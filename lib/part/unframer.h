/* SPDX-License-Identifier: MIT */
/*
 * unframer: parts out of a stream of frames: all of them to files, or one to an output.
 *
 * Nothing of a frame is written before its checksum was found good. Files have their
 * names when all of the stream was read, and all of it was good; of one part only what
 * comes up to its end is read. Call from one thread. All options are borrowed.
 */
#ifndef GS_LIB_PART_UNFRAMER_H
#define GS_LIB_PART_UNFRAMER_H

#include "lib/part/partitioner.h"

typedef struct gs_unframe_options {
    /* The one input is the stream; output is the prefix of names, or that of the part. */
    const gs_sort_options *sort;
    bool has_part; /* only this one */
    uint64_t part;
} gs_unframe_options;

/* The result, of one part what it has, is released whatever comes of it. */
GS_MUST_CHECK gs_code gs_unframe_run(const gs_unframe_options *options,
                                     gs_partition_result *result, gs_status *st);

#endif
