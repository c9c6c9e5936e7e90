/* SPDX-License-Identifier: MIT */
/*
 * growths: what others see of the room of growing: an index is changed without being
 * written anew.
 */
#ifndef GS_LIB_INDEX_GROW_GROWTHS_H
#define GS_LIB_INDEX_GROW_GROWTHS_H

#include "lib/index/grow/index_append.h"
#include "lib/index/grow/index_compact.h"
#include "lib/index/grow/index_delete.h"
#include "lib/index/grow/whole_index.h"

#endif
