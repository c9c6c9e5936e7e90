/* SPDX-License-Identifier: MIT */
/* block_store: runs as blocks of records, merged by ranges on all cores. */
#ifndef GS_LIB_SORT_RUN_BLOCK_STORE_H
#define GS_LIB_SORT_RUN_BLOCK_STORE_H

#include "lib/sort/run/run_store.h"

GS_MUST_CHECK gs_code gs_block_store_new(gs_run_store **out,
                                         const gs_run_store_options *options,
                                         gs_status *st);

#endif
