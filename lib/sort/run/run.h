/* SPDX-License-Identifier: MIT */
/*
 * run: a sorted sequence of records in a spill file, and where its blocks are.
 *
 * The blocks (io/run_block.h) hold records one after the other:
 *
 *      +--------+---------------+------------+---------+----------------------+
 *      | shared | key + line    | key bytes  | count   | key | line | eol     |
 *      | varint | bytes, varint | varint     | varint  |                      |
 *      +--------+---------------+------------+---------+----------------------+
 *                                 keyed only   --count
 *
 * `shared` is the index of the first symbol (lib/sort/run/ovc.h) in which the record's
 * string differs from the one before it, plus 1; 0 if they are equal. The first record of
 * a block has 1: its reader compares it with the last of the block before. So no compare
 * is done twice on the way from the sort to the end of the merge.
 *
 * The index has an entry a block, with the beginning of its first string; it stays in
 * memory, since the file has no name and does not outlive the process.
 */
#ifndef GS_LIB_SORT_RUN_RUN_H
#define GS_LIB_SORT_RUN_RUN_H

#include <stdint.h>

#include "io/spill.h"
#include "lib/base/status.h"

enum { GS_RUN_KEY_BYTES = 56 }; /* of a first string that are kept */

typedef struct gs_run_entry {
    uint64_t offset; /* of the block, from the start of the extent */
    uint32_t stored_bytes, raw_bytes, record_count;
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

#endif
