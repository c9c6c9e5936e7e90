/* SPDX-License-Identifier: MIT */
/*
 * builds: what others see of the room of builds: documents to an index, larger than
 * memory.
 */
#ifndef GS_LIB_INDEX_BUILD_BUILDS_H
#define GS_LIB_INDEX_BUILD_BUILDS_H

#include "lib/index/build/index_builder.h"
#include "lib/index/build/index_plan.h"

#endif
