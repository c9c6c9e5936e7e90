/* SPDX-License-Identifier: MIT */
/*
 * api_build: what is read into an index and how, as another program says it.
 */
#ifndef GS_LIB_API_API_BUILD_H
#define GS_LIB_API_API_BUILD_H

#include "lib/gpusort.h"
#include "lib/index/build/builds.h"

/* The options of `asked`, which is ours already; without log, statistics and cancel. */
GS_MUST_CHECK gs_code gs_api_build_make(gs_index_build_options *out,
                                        const gpusort_build_options *asked,
                                        gs_status *st);

#endif
