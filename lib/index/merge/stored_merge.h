/* SPDX-License-Identifier: MIT */
/*
 * stored_merge: the texts of an index, behind those of others.
 *
 *      there    | block 0 | block 1 | block 2 | block 3 | last |
 *      here   ..| documents one by one        | copied  | last, which may go on
 *                                             ^ the first that begins a group
 *
 * The result is what packing all documents would give (lib/index/format/stored_text.h).
 * Where some are deleted the others come one by one.
 */
#ifndef GS_LIB_INDEX_MERGE_STORED_MERGE_H
#define GS_LIB_INDEX_MERGE_STORED_MERGE_H

#include "lib/index/read/readers.h"
#include "lib/index/write/writers.h"

GS_MUST_CHECK gs_code gs_stored_merge(gs_text_writer *to, const gs_index *from,
                                      const gs_tombstones *deleted,
                                      const volatile int *cancel, gs_status *st);

#endif
