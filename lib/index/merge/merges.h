/* SPDX-License-Identifier: MIT */
/*
 * merges: what others see of the room of merges: several indexes to one.
 */
#ifndef GS_LIB_INDEX_MERGE_MERGES_H
#define GS_LIB_INDEX_MERGE_MERGES_H

#include "lib/index/merge/index_merger.h"

#endif
