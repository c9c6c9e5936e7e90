/* SPDX-License-Identifier: MIT */
/*
 * text_gather: the records of a result, one after the other in their order.
 *
 * offsets[i] is where record i begins in the result, offsets[count] its length. A block
 * makes one tile of the result: it finds the first record of the tile by binary search,
 * then its warps take records in turn, a warp a record, so that reads and writes of a
 * line are each in one piece. Bytes moved: the text once read, once written, and 16 a
 * record; reads are of lines that lie anywhere, so they cost whole sectors of 32 bytes.
 */
#ifndef GS_GPU_TEXT_GATHER_CUH
#define GS_GPU_TEXT_GATHER_CUH

#include <stdint.h>

#include "gpu/text/text_sort.h"
#include "gpu/text/text_view.cuh"

enum { GS_GATHER_THREADS = 256, GS_GATHER_TILE = 8192 };

/* The record that byte `at` of the result belongs to: the last whose offset is not
 * greater. */
__device__ __forceinline__ uint64_t gs_gather_find(const uint64_t *offsets,
                                                   uint64_t count, uint64_t at)
{
    uint64_t lo = 0, hi = count; /* offsets[lo] <= at < offsets[hi] */
    while (hi - lo > 1) {
        const uint64_t middle = lo + (hi - lo) / 2;
        if (offsets[middle] <= at)
            lo = middle;
        else
            hi = middle;
    }
    return lo;
}

/* Bytes of a record in the result. */
static __global__ void k_result_bytes(gs_text_view view, const uint32_t *order,
                                      uint64_t count, bool with_keys, uint64_t *bytes)
{
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i > count)
        return;
    if (i == count) {
        bytes[i] = 0;
        return;
    }
    const gs_text_string s = gs_text_at(view, order[i]);
    bytes[i] = (with_keys ? s.key_bytes : 0) + s.line_bytes + view.has_eol;
}

/* Copies a part of one record, byte [from, end) of it, by one warp. */
__device__ __forceinline__ void gs_gather_copy(const gs_text_string &s, bool with_keys,
                                               uint64_t from, uint64_t end, uint8_t *to)
{
    const uint64_t key_bytes = with_keys ? s.key_bytes : 0;
    for (uint64_t i = from + (threadIdx.x & 31); i < end; i += 32)
        to[i - from] = i < key_bytes ? s.key[i] : s.line[i - key_bytes];
}

/* Bytes [begin, end) of the result to `to`. The end-of-line byte stands behind each line
 * in the text already. Grid: a block a tile. */
static __global__ void k_gather(gs_text_view view, const uint32_t *order,
                                const uint64_t *offsets, uint64_t count, bool with_keys,
                                uint64_t begin, uint64_t end, uint8_t *to)
{
    __shared__ uint64_t first;
    const uint64_t tile = begin + (uint64_t)blockIdx.x * GS_GATHER_TILE;
    const uint64_t tile_end = tile + GS_GATHER_TILE < end ? tile + GS_GATHER_TILE : end;
    if (threadIdx.x == 0)
        first = gs_gather_find(offsets, count, tile);
    __syncthreads();
    for (uint64_t i = first + threadIdx.x / 32; i < count; i += GS_GATHER_THREADS / 32) {
        const uint64_t at = offsets[i], next = offsets[i + 1];
        if (at >= tile_end)
            break;
        const uint64_t from = at < tile ? tile : at;
        const uint64_t until = next < tile_end ? next : tile_end;
        if (from < until)
            gs_gather_copy(gs_text_at(view, order[i]), with_keys, from - at, until - at,
                           to + (from - begin));
    }
}

/* What a run file keeps of records [first, first + count). `counts` may be NULL. */
static __global__ void k_describe(gs_text_view view, const uint32_t *order,
                                  const uint32_t *counts, uint64_t first, uint64_t count,
                                  gs_text_record *records)
{
    enum { SYMBOL_BYTES = 6 };
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const gs_text_string s = gs_text_at(view, order[first + i]);
    gs_text_record r;
    r.bytes = (uint32_t)(s.key_bytes + s.line_bytes);
    r.key_bytes = (uint32_t)s.key_bytes;
    r.count = counts ? counts[first + i] : 1;
    r.shared = 1;
    if (i > 0) {
        const gs_text_string before = gs_text_at(view, order[first + i - 1]);
        const uint32_t same = gs_text_shared(before, s, 0, UINT32_MAX);
        r.shared =
            same == s.bytes() && same == before.bytes() ? 0 : same / SYMBOL_BYTES + 1;
    }
    records[i] = r;
}

/* How many records from `first` on have at most `bytes` bytes: out[0], and what they
 * have: out[1]. One thread. */
static __global__ void k_cut(const uint64_t *offsets, uint64_t count, uint64_t first,
                             uint64_t bytes, uint64_t count_max, uint64_t *out)
{
    const uint64_t base = offsets[first];
    uint64_t end = count;
    if (offsets[count] - base > bytes) {
        /* The record that goes beyond; empty ones at the bound may stay for later. */
        end = gs_gather_find(offsets, count, base + bytes);
        if (end <= first)
            end = first + 1;
    }
    if (end - first > count_max)
        end = first + count_max;
    out[0] = end - first;
    out[1] = offsets[end] - base;
}

#endif
