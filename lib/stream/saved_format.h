/* SPDX-License-Identifier: MIT */
/*
 * saved_format: what begins and ends a saved summary; saved_summary.h describes it.
 */
#ifndef GS_LIB_STREAM_SAVED_FORMAT_H
#define GS_LIB_STREAM_SAVED_FORMAT_H

#include <stdint.h>

#include "lib/stream/saved_summary.h"

/* GS_SAVED_VERSION is the newest one: all from 1 to it are read. */
enum { GS_SAVED_VERSION = 1, GS_SAVED_MAGIC_BYTES = 8, GS_SAVED_SUM_BYTES = 8 };

#define GS_SAVED_MAGIC      "GSSTATS\n"
#define GS_SAVED_VALUES_MAX (UINT64_C(1) << 62)

/* The first version that has this kind as it is written now, and so the one it is written
 * with: an older gpusort reads whatever it can know. */
uint64_t gs_saved_version_of(gs_saved_kind kind);

#endif
