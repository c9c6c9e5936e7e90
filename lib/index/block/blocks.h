/* SPDX-License-Identifier: MIT */
/*
 * blocks: what others see of the room of blocks: what one thread gathers of the
 * input, sorted by term.
 */
#ifndef GS_LIB_INDEX_BLOCK_BLOCKS_H
#define GS_LIB_INDEX_BLOCK_BLOCKS_H

#include "lib/index/block/block_merge.h"
#include "lib/index/block/block_set.h"
#include "lib/index/block/key_sort.h"
#include "lib/index/block/term_block.h"
#include "lib/index/block/term_dictionary.h"
#include "lib/index/block/tuple_sort.h"

#endif
