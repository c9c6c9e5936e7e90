/* SPDX-License-Identifier: MIT */
/*
 * key_search.cuh: searches among keys that are on the device, for queries that are there
 * too: for kernels of other rooms.
 */
#ifndef GS_GPU_KEY_SEARCH_CUH
#define GS_GPU_KEY_SEARCH_CUH

#include <cuda_runtime.h>

#include "gpu/search/key_search.h"

/* The keys in the device's memory, ascending as they were given. */
const uint64_t *gs_key_search_keys(const gs_key_search *s);
/* Puts the search on a stream of the caller's, whose device is current; any number of
 * queries. Any thread: nothing of the search is changed. */
GS_MUST_CHECK gs_code gs_key_search_on_device(const gs_key_search *s,
                                              const uint64_t *queries, uint32_t count,
                                              uint32_t *ranks, cudaStream_t stream,
                                              gs_status *st);

#endif
