/* SPDX-License-Identifier: MIT */
/*
 * run: a sorted sequence of records in a spill file, and where its blocks are.
 *
 * The blocks (io/run_block.h) hold records one after the other (run_record.h). The index
 * has an entry a block, with the beginning of its first string; it stays in memory, since
 * the file has no name and does not outlive the process, unless there is a checkpoint.
 */
#ifndef GS_LIB_SORT_RUN_RUN_H
#define GS_LIB_SORT_RUN_RUN_H

#include <stdint.h>

#include "io/spill.h"
#include "lib/base/pack.h"
#include "lib/base/status.h"

enum { GS_RUN_KEY_BYTES = 56 }; /* of a first string that are kept */

typedef struct gs_run_entry {
    uint64_t offset; /* of the block, from the start of the extent */
    uint32_t stored_bytes, raw_bytes, record_count;
    uint32_t record_bytes; /* raw, and what is left out of records (run_record.h) */
    uint8_t key_bytes;
    uint8_t key[GS_RUN_KEY_BYTES + 7]; /* zero-padded */
} gs_run_entry;

typedef struct gs_run {
    gs_spill_extent extent;
    uint64_t stored_bytes;
    uint64_t record_count;
    uint32_t raw_bytes_max; /* of a block */
    gs_run_entry *entries;  /* by offset */
    size_t entry_count, entry_capacity;
} gs_run;

void gs_run_release(gs_run *run); /* a zeroed run is fine */

/* The run as bytes, for a checkpoint: where it lies in its spill file, and its index. */
GS_MUST_CHECK gs_code gs_run_pack(gs_packer *p, const gs_run *run, gs_status *st);

/* And back. What is read is believed only as far as it fits: blocks that follow each
 * other within the extent, and an extent within a file of `file_bytes`; if not, *is_sound
 * is false and there is no run. The blocks have checksums of their own. The run's extent
 * has neither a file nor a folder yet. */
GS_MUST_CHECK gs_code gs_run_unpack(gs_unpacker *u, uint64_t file_bytes, gs_run *run,
                                    bool *is_sound, gs_status *st);

#endif
