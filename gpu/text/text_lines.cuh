/* SPDX-License-Identifier: MIT */
/*
 * text_lines: where lines begin.
 *
 * A block looks at a tile of text twice, first to count its end-of-line bytes, then, when
 * the counts of all tiles have been added up, to write where each line begins. A thread
 * takes 16 bytes at a time. Bytes moved: the text twice, 8 a line.
 */
#ifndef GS_GPU_TEXT_LINES_CUH
#define GS_GPU_TEXT_LINES_CUH

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <stdint.h>

#include "gpu/text/text_key.h"

enum {
    GS_LINE_THREADS = 256,
    GS_LINE_TURNS = 4, /* of 16 bytes a thread */
    GS_LINE_TILE = GS_LINE_THREADS * GS_LINE_TURNS * 16,
};

/* A bit for each byte of four that equals one of `wanted` (four times the same byte). */
__device__ __forceinline__ uint32_t gs_line_bits(uint32_t word, uint32_t wanted)
{
    const uint32_t found = __vcmpeq4(word, wanted) & 0x08040201;
    return (found | found >> 8 | found >> 16 | found >> 24) & 0xf;
}

/* Of 16 bits for the bytes text[at, at + 16), those from `begin` on and before `end`. */
__device__ __forceinline__ uint32_t gs_line_clip(uint32_t mask, uint64_t at,
                                                 uint64_t begin, uint64_t end)
{
    if (end - at < 16)
        mask &= 0xffffu >> (16 - (unsigned)(end - at));
    if (at < begin)
        mask &= 0xffffu << (unsigned)(begin - at);
    return mask;
}

/* 16 bits, one for each of the bytes text[at, at + 16) that is `eol` and before `end`.
 * `text` is aligned to 16 bytes and `at` a multiple of 16. */
__device__ __forceinline__ uint32_t gs_line_mask16(const uint8_t *text, uint64_t at,
                                                   uint64_t begin, uint64_t end,
                                                   uint8_t eol)
{
    if (at >= end || at + 16 <= begin)
        return 0;
    const uint4 w = *(const uint4 *)(text + at);
    const uint32_t wanted = 0x01010101u * eol;
    uint32_t mask = gs_line_bits(w.x, wanted) | gs_line_bits(w.y, wanted) << 4 |
                    gs_line_bits(w.z, wanted) << 8 | gs_line_bits(w.w, wanted) << 12;
    return gs_line_clip(mask, at, begin, end);
}

/* How many of text[at, at + 16) take two bytes in a key. */
__device__ __forceinline__ uint32_t gs_line_escaped16(const uint8_t *text, uint64_t at,
                                                      uint64_t begin, uint64_t end)
{
    static_assert(GS_TEXT_ESCAPED_MAX == 1, "bytes 0 and 1");
    return (uint32_t)__popc(gs_line_mask16(text, at, begin, end, 0) |
                            gs_line_mask16(text, at, begin, end, 1));
}

/* How many numbers begin in text[at, at + 16): at most one too many, whose beginning is
 * before. */
__device__ __forceinline__ uint32_t gs_line_numbers16(const uint8_t *text, uint64_t at,
                                                      uint64_t begin, uint64_t end)
{
    if (at >= end || at + 16 <= begin)
        return 0;
    const uint4 w = *(const uint4 *)(text + at);
    const uint32_t words[] = {w.x, w.y, w.z, w.w};
    uint32_t mask = 0;
#pragma unroll
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t digits =
            __vcmpgeu4(words[i], 0x30303030u) & __vcmpleu4(words[i], 0x39393939u);
        mask |= gs_line_bits(digits, UINT32_MAX) << (4 * i);
    }
    mask = gs_line_clip(mask, at, begin, end);
    return (uint32_t)__popc(mask & ~(mask << 1));
}

/* What is counted beside lines: costly bytes (gs_text_cost), without and with those that
 * are so for -V alone. */
enum { GS_COUNT_LINES, GS_COUNT_ESCAPED, GS_COUNT_NUMBERS };

/* Adds the lines that end in text[begin, end) to counts[0], and the bytes that are costly
 * to counts[1]. Grid: a block for each tile from `begin` rounded down to 16. */
template <unsigned WHAT>
static __global__ void k_count_lines(const uint8_t *text, uint64_t begin, uint64_t end,
                                     uint8_t eol, unsigned long long *counts)
{
    typedef cub::BlockReduce<uint32_t, GS_LINE_THREADS> reduce;
    __shared__ typename reduce::TempStorage storage;
    const uint64_t first =
        begin / 16 * 16 + (uint64_t)blockIdx.x * GS_LINE_TILE + threadIdx.x * 16;
    uint32_t found = 0, costly = 0;
    for (unsigned i = 0; i < GS_LINE_TURNS; i++) {
        const uint64_t at = first + (uint64_t)i * GS_LINE_THREADS * 16;
        found += (uint32_t)__popc(gs_line_mask16(text, at, begin, end, eol));
        if (WHAT >= GS_COUNT_ESCAPED)
            costly += gs_line_escaped16(text, at, begin, end);
        if (WHAT >= GS_COUNT_NUMBERS)
            costly += gs_line_numbers16(text, at, begin, end);
    }
    /* Both at once: a tile has fewer bytes than fit into half a word. */
    static_assert(GS_LINE_TILE < 1 << 16, "halves of a word");
    const uint32_t sum = reduce(storage).Sum(found | costly << 16);
    if (threadIdx.x == 0 && sum != 0) {
        atomicAdd(&counts[0], (unsigned long long)(sum & 0xffff));
        if (WHAT >= GS_COUNT_ESCAPED && sum >> 16 != 0)
            atomicAdd(&counts[1], (unsigned long long)(sum >> 16));
    }
}

/* Lines that end in each tile of text[0, end). */
static __global__ void k_count_tile_lines(const uint8_t *text, uint64_t end, uint8_t eol,
                                          uint64_t *tile_counts)
{
    typedef cub::BlockReduce<uint32_t, GS_LINE_THREADS> reduce;
    __shared__ typename reduce::TempStorage storage;
    const uint64_t first = (uint64_t)blockIdx.x * GS_LINE_TILE + threadIdx.x * 16;
    uint32_t found = 0;
    for (unsigned i = 0; i < GS_LINE_TURNS; i++)
        found += (uint32_t)__popc(gs_line_mask16(
            text, first + (uint64_t)i * GS_LINE_THREADS * 16, 0, end, eol));
    const uint32_t sum = reduce(storage).Sum(found);
    if (threadIdx.x == 0)
        tile_counts[blockIdx.x] = sum;
}

/* starts[k + 1] = one beyond the k-th end-of-line byte; starts[0] = 0. `tile_firsts`:
 * how many lines end before each tile. */
static __global__ void k_write_starts(const uint8_t *text, uint64_t end, uint8_t eol,
                                      const uint64_t *tile_firsts, uint64_t *starts)
{
    typedef cub::BlockScan<uint32_t, GS_LINE_THREADS> scan;
    __shared__ typename scan::TempStorage storage;
    const uint64_t tile = (uint64_t)blockIdx.x * GS_LINE_TILE;
    uint64_t next = tile_firsts[blockIdx.x] + 1;
    if (tile == 0 && threadIdx.x == 0)
        starts[0] = 0;
    for (unsigned i = 0; i < GS_LINE_TURNS; i++) {
        const uint64_t at = tile + ((uint64_t)i * GS_LINE_THREADS + threadIdx.x) * 16;
        uint32_t mask = gs_line_mask16(text, at, 0, end, eol);
        uint32_t before, sum;
        scan(storage).ExclusiveSum((uint32_t)__popc(mask), before, sum);
        for (uint64_t k = next + before; mask != 0; mask &= mask - 1)
            starts[k++] = at + (uint64_t)__ffs((int)mask);
        next += sum;
        __syncthreads(); /* the storage is used again */
    }
}

#endif
