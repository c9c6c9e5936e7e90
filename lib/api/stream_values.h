/* SPDX-License-Identifier: MIT */
/*
 * stream_values: which values a stream has, checked and translated.
 */
#ifndef GS_LIB_API_STREAM_VALUES_H
#define GS_LIB_API_STREAM_VALUES_H

#include "lib/gpusort.h"
#include "lib/stream/streams.h"

/* In `asked' what zero stands for is filled in. */
GS_MUST_CHECK gs_code gs_stream_values_take(gs_value_options *out,
                                            gpusort_stream_options *asked, gs_status *st);

#endif
