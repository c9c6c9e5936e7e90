/* SPDX-License-Identifier: MIT */
/*
 * saved_format: what begins and ends a saved summary; saved_summary.h describes it.
 */
#ifndef GS_LIB_STREAM_SAVED_FORMAT_H
#define GS_LIB_STREAM_SAVED_FORMAT_H

#include <stdint.h>

enum { GS_SAVED_VERSION = 1, GS_SAVED_MAGIC_BYTES = 8, GS_SAVED_SUM_BYTES = 8 };

#define GS_SAVED_MAGIC      "GSSTATS\n"
#define GS_SAVED_VALUES_MAX (UINT64_C(1) << 62)

#endif
