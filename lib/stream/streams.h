/* SPDX-License-Identifier: MIT */
/*
 * streams: what others see of the room of streams: numbers and texts as they come, and
 * what is kept of them.
 */
#ifndef GS_LIB_STREAM_STREAMS_H
#define GS_LIB_STREAM_STREAMS_H

#include "lib/stream/column_bins.h"
#include "lib/stream/count_sink.h"
#include "lib/stream/exact_sink.h"
#include "lib/stream/pair_sink.h"
#include "lib/stream/prefix_sink.h"
#include "lib/stream/rank_histogram.h"
#include "lib/stream/rank_sink.h"
#include "lib/stream/saved_summary.h"
#include "lib/stream/sliding_sink.h"
#include "lib/stream/table_sink.h"
#include "lib/stream/time_sink.h"
#include "lib/stream/value_stream.h"

#endif
