/* SPDX-License-Identifier: MIT */
/*
 * segments: what others see of the room of segments: an index that has grown, as one.
 */
#ifndef GS_LIB_INDEX_SEGMENT_SEGMENTS_H
#define GS_LIB_INDEX_SEGMENT_SEGMENTS_H

#include "lib/index/segment/segment_set.h"
#include "lib/index/segment/segment_terms.h"
#include "lib/index/segment/segment_text.h"

#endif
