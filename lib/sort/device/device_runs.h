/* SPDX-License-Identifier: MIT */
/*
 * device_runs: an input larger than the GPU's memory, as runs sorted there.
 *
 *      slot 0   | fill chunk 0 | sort, encode, write | fill chunk 2 | ...
 *      slot 1                  | fill chunk 1        | sort, ...
 *
 * A slot is a part of a GPU's memory; several GPUs have one each and take chunks in turn.
 * The calling thread reads and fills one slot after the other, a thread beside it sorts
 * and spills full ones in their order. So reading, uploads, sorts, downloads, compression
 * and writes all go on at once.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_RUNS_H
#define GS_LIB_SORT_DEVICE_DEVICE_RUNS_H

#include "lib/sort/device/device_chunk.h"
#include "lib/sort/run/runs.h"

/* Reads everything. *fits: nothing was spilled, and what there is waits in slot 0 to be
 * emitted. `emit` is for the runs. */
GS_MUST_CHECK gs_code gs_device_runs_form(gs_device_chunk *chunk, gs_run_store *runs,
                                          const gs_device_emit *emit, bool *fits,
                                          gs_status *st);

#endif
