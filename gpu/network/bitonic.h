/* SPDX-License-Identifier: MIT */
/*
 * bitonic: the merge stages of the bitonic network, for sequences that are sorted
 * already, such as the windows of a stream. Thread-safe.
 */
#ifndef GS_GPU_BITONIC_H
#define GS_GPU_BITONIC_H

#include "gpu/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sorts keys in device memory that are made of sorted runs of `run_keys` each, a power of
 * two; the last run may be shorter. In place; waits. */
GS_MUST_CHECK gs_code gs_bitonic_merge(gs_batch_type type, const gs_batch *batch,
                                       size_t run_keys, gs_status *st);

#ifdef __cplusplus
}
#endif
#endif
