/* SPDX-License-Identifier: MIT */
/* block_store: runs as blocks of records, merged by ranges on all cores. */
#ifndef GS_LIB_SORT_RUN_BLOCK_STORE_H
#define GS_LIB_SORT_RUN_BLOCK_STORE_H

#include "lib/sort/run/range_merge.h"
#include "lib/sort/run/run_store.h"

GS_MUST_CHECK gs_code gs_block_store_new(gs_run_store **out,
                                         const gs_run_store_options *options,
                                         gs_status *st);

/* Instead of merge_last: the merged records go to the consumer. They may be consumed
 * again, unless is_last. */
GS_MUST_CHECK gs_code gs_block_store_consume(gs_run_store *store,
                                             const gs_range_consumer *consumer,
                                             bool is_last, gs_status *st);

#endif
