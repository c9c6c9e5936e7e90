/* SPDX-License-Identifier: MIT */
/*
 * writers: what others see of the room of writers: sorted postings to an index
 * folder.
 */
#ifndef GS_LIB_INDEX_WRITE_WRITERS_H
#define GS_LIB_INDEX_WRITE_WRITERS_H

#include "lib/index/write/index_stats.h"
#include "lib/index/write/index_writer.h"

#endif
