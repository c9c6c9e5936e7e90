/* SPDX-License-Identifier: MIT */
/*
 * api_stats: what gpusort.h calls gpusort_stats: where a job counts and keeps its spans.
 */
#ifndef GS_LIB_API_API_STATS_H
#define GS_LIB_API_API_STATS_H

#include "lib/base/trace.h"
#include "lib/gpusort.h"
#include "lib/index/write/writers.h"

struct gpusort_stats {
    gs_index_stats index; /* of a sort only what is of sorts in it */
    gs_trace *trace;      /* NULL: no spans are kept */
};

#endif
