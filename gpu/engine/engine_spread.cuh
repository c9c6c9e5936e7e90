/* SPDX-License-Identifier: MIT */
/*
 * engine_spread: one batch sorted by several GPUs.
 *
 * Every GPU takes an equal part of the batch, whatever is in it, and the GPUs together
 * draw a sample. Splitters from the sample cut the keys into one range a GPU. Each GPU
 * parts its keys by range and sends them to where they belong; what a GPU has then, its
 * share, it sorts. The shares stand in order, so nothing is merged.
 *
 *      batch     | 7 1 9 4 3 | 8 2 6 3 5 |         splitter: the second 4
 *      parted    | 1 4 3 . 7 9 | 2 3 . 8 6 5 |     to GPU 0 . to GPU 1
 *      sent      | 1 4 3 2 3 | 7 9 8 6 5 |
 *      sorted    | 1 2 3 3 4 | 5 6 7 8 9 |
 *
 * Equal keys are told apart by where they stand in the batch: a splitter is a key and a
 * place, so that a batch of one value, too, is cut into equal shares. Equal records are
 * the same bytes, so the result is the same however they were cut.
 *
 * On each GPU two arrays of a share's size are enough: the parts are made in the engine's
 * scratch, and the shares come into the array that the batch came to. Every step is a job
 * of a team with one thread a GPU, and each thread waits for its GPU: no GPU writes to
 * another that is not ready.
 */
#ifndef GS_GPU_ENGINE_SPREAD_CUH
#define GS_GPU_ENGINE_SPREAD_CUH

#include "gpu/engine/engine_share.cuh"

struct gs_spread;

/* Keys that a share has room for, and scratch that sending them takes, for batches of
 * `count` keys on `share_count` GPUs. */
size_t gs_spread_share_count_max(size_t count, unsigned share_count);
size_t gs_spread_scratch_bytes(gs_batch_type type, size_t share_count_max);
/* Bytes on each device besides its share. */
size_t gs_spread_device_bytes(void);
/* Bytes of pinned host memory. */
size_t gs_spread_pinned_bytes(unsigned share_count);

/* Borrows the shares, which have keys. */
GS_MUST_CHECK gs_code gs_spread_new(gs_spread **out, gs_share *shares,
                                    unsigned share_count, const gs_engine_ops *ops,
                                    gs_place place, gs_status *st);
void gs_spread_free(gs_spread *s); /* NULL is fine */

/* Sorts the batch and waits. What was in host memory is still there, untouched, after a
 * failure before the first result came back. */
GS_MUST_CHECK gs_code gs_spread_sort(gs_spread *s, const gs_batch *batch, gs_status *st);
/* From when all keys were on the GPUs to when all shares were sorted, by the host's
 * clock: clocks of different GPUs cannot be compared. */
double gs_spread_ms(const gs_spread *s);

#endif
