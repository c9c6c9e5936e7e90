/* SPDX-License-Identifier: MIT */
/*
 * lookups: what others see of the room of lookups: many terms at once.
 */
#ifndef GS_LIB_INDEX_LOOKUP_LOOKUPS_H
#define GS_LIB_INDEX_LOOKUP_LOOKUPS_H

#include "lib/index/lookup/batch_answer.h"
#include "lib/index/lookup/prefix_search.h"
#include "lib/index/lookup/term_heads.h"

#endif
