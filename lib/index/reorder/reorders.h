/* SPDX-License-Identifier: MIT */
/*
 * reorders: what others see of the room of reordering: the documents of an index in an
 * order that makes it small and fast.
 */
#ifndef GS_LIB_INDEX_REORDER_REORDERS_H
#define GS_LIB_INDEX_REORDER_REORDERS_H

#include "lib/index/reorder/index_reorder.h"

#endif
