/* SPDX-License-Identifier: MIT */
/*
 * spill_map: an extent of a spill file, seen where it is instead of read.
 *
 * Pages count as ours once looked at, until they are left (io/file_map.h). A disk that
 * cannot give one sends SIGBUS, which is known to be of a temporary file
 * (io/map_names.h). Nobody else has the file.
 */
#ifndef GS_IO_SPILL_MAP_H
#define GS_IO_SPILL_MAP_H

#include "io/map_names.h"
#include "io/spill.h"

/* Puts an extent that is closed in the place of what is at `at`, page-aligned and in a
 * map of the caller's (gs_mem_map), with room for all of it. *name is the caller's, and
 * goes before the map does. After a failure there may be some of the extent already. */
GS_MUST_CHECK gs_code gs_spill_map_over(uint8_t *at, const gs_spill *spill,
                                        const gs_spill_extent *extent, gs_map_name **name,
                                        gs_status *st);

#endif
