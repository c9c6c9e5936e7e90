/* SPDX-License-Identifier: MIT */
/*
 * text_gather: the records of a result, one after the other in their order.
 *
 * Where a record begins in the result is kept for one in GS_GROUP of them: sums[g] is for
 * the first of group g, and behind the last group stands the length of the whole. A block
 * makes one tile of the result:
 *
 *      one warp    finds the group in which the tile begins
 *      a thread    a record: its piece of text and its length, added up over the block
 *      a thread    16 bytes of the tile at a time: finds the record in which they begin
 *                  and takes words of it and of those behind it, to shared memory
 *      all         write the tile
 *
 * Bytes moved: the text once read, once written, and 12 a record; reads are of lines that
 * lie anywhere, so they cost whole sectors of 32 bytes.
 */
#ifndef GS_GPU_TEXT_GATHER_CUH
#define GS_GPU_TEXT_GATHER_CUH

#include <cub/block/block_scan.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <stdint.h>

#include "gpu/text/text_key.h"
#include "gpu/text/text_sort.h"
#include "gpu/text/text_view.cuh"

enum {
    GS_GROUP = 32, /* records: a warp's */
    GS_GATHER_THREADS = 256,
    GS_GATHER_UNIT = 16, /* bytes */
    GS_GATHER_TILE = 8192,
};

GS_BOTH uint64_t gs_groups(uint64_t records)
{
    return (records + GS_GROUP - 1) / GS_GROUP;
}

/* --- lengths ------------------------------------------------------------------------ */

/* Bytes of a record in the result. Its key, if it is wanted and not at hand, is measured.
 */
template <bool IS_PLAIN>
__device__ __forceinline__ uint64_t gs_record_bytes(const gs_text_view &view,
                                                    const gs_text_order &order,
                                                    bool with_keys, uint64_t i)
{
    const gs_text_string s = gs_text_at(view, i);
    uint64_t key_bytes = s.key_bytes;
    if (with_keys && view.key_starts == nullptr && order.key_count > 0)
        key_bytes = gs_text_key_encode(&order, IS_PLAIN, s.line, s.line_bytes, nullptr);
    return (with_keys ? key_bytes : 0) + s.line_bytes + view.has_eol;
}

/* sums[g] = bytes of group g, and 0 behind the last one. Grid: a thread a record, and a
 * warp more. */
template <bool IS_PLAIN>
static __global__ void k_group_bytes(gs_text_view view,
                                     const __grid_constant__ gs_text_order order,
                                     bool with_keys, uint64_t count, uint64_t *sums)
{
    typedef cub::WarpReduce<uint64_t> reduce;
    __shared__ typename reduce::TempStorage storage[GS_GATHER_THREADS / 32];
    const uint64_t i = (uint64_t)blockIdx.x * GS_GATHER_THREADS + threadIdx.x;
    const uint64_t bytes =
        i < count ? gs_record_bytes<IS_PLAIN>(view, order, with_keys, i) : 0;
    const uint64_t sum = reduce(storage[threadIdx.x / 32]).Sum(bytes);
    static_assert(GS_GROUP == 32, "a warp's");
    if (threadIdx.x % 32 == 0 && i / GS_GROUP <= gs_groups(count))
        sums[i / GS_GROUP] = sum;
}

/* The group that byte `at` of the result belongs to: the last whose sum is not greater.
 * By a warp, which looks at 32 of them at a time. */
__device__ __forceinline__ uint64_t gs_gather_find(const uint64_t *sums, uint64_t groups,
                                                   uint64_t at)
{
    const unsigned lane = threadIdx.x % 32;
    uint64_t low = 0, size = groups; /* sums[low] <= at < sums[low + size] */
    while (size > 1) {
        const uint64_t step = (size + 31) / 32;
        const bool is_there = lane * step < size && sums[low + lane * step] <= at;
        const unsigned last =
            31 - (unsigned)__clz((int)__ballot_sync(UINT32_MAX, is_there));
        low += last * step;
        size = size - last * step < step ? size - last * step : step;
    }
    return low;
}

/* Where records are cut: out[0] of them from `first` on have at most `bytes` bytes,
 * out[1]; at least one, and no more than count_max, of which some are left. One warp. */
template <bool IS_PLAIN>
static __global__ void k_cut(gs_text_view view,
                             const __grid_constant__ gs_text_order order, bool with_keys,
                             const uint64_t *sums, uint64_t count, uint64_t first,
                             uint64_t bytes, uint64_t count_max, uint64_t *out)
{
    typedef cub::WarpScan<uint64_t> scan;
    __shared__ typename scan::TempStorage storage;
    const unsigned lane = threadIdx.x;
    /* Where record i begins, if it is of group g. */
    const auto place = [&](uint64_t g, uint64_t *begin, uint64_t *end) {
        const uint64_t i = g * GS_GROUP + lane;
        const uint64_t own =
            i < count ? gs_record_bytes<IS_PLAIN>(view, order, with_keys, i) : 0;
        scan(storage).ExclusiveSum(own, *begin);
        __syncwarp();
        *begin += sums[g];
        *end = *begin + own;
    };
    uint64_t begin, end;
    place(first / GS_GROUP, &begin, &end);
    const uint64_t base = __shfl_sync(UINT32_MAX, begin, (int)(first % GS_GROUP));
    const uint64_t groups = gs_groups(count);
    uint64_t until = count;
    if (sums[groups] - base > bytes) {
        /* The first record that ends beyond; empty ones at the bound may stay for later.
         */
        const uint64_t g = gs_gather_find(sums, groups, base + bytes);
        place(g, &begin, &end);
        const unsigned beyond = __ballot_sync(UINT32_MAX, end > base + bytes);
        until =
            g * GS_GROUP + (beyond != 0 ? (unsigned)__ffs((int)beyond) - 1 : GS_GROUP);
        if (until <= first)
            until = first + 1;
    }
    if (until - first > count_max)
        until = first + count_max;
    /* The end of the last one. */
    place((until - 1) / GS_GROUP, &begin, &end);
    const uint64_t last = __shfl_sync(UINT32_MAX, end, (int)((until - 1) % GS_GROUP));
    if (lane == 0) {
        out[0] = until - first;
        out[1] = last - base;
    }
}

/* --- the bytes ---------------------------------------------------------------------- */

/* Up to 8 bytes at p as they lie, `left` of which are there and the rest 0. */
__device__ __forceinline__ uint64_t gs_gather_load(const uint8_t *p, unsigned left)
{
    const uint64_t at = (uint64_t)p;
    const uint64_t *const aligned = (const uint64_t *)(at & ~(uint64_t)7);
    const unsigned shift = (unsigned)(at & 7) * 8;
    uint64_t word = aligned[0] >> shift;
    if (shift != 0 && left > 8 - shift / 8)
        word |= aligned[1] << (64 - shift);
    return left >= 8 ? word : word & ~(UINT64_MAX << (8 * left));
}

/* Records that a block has in hand. */
struct gs_gather_hand {
    uint64_t begins[GS_GATHER_THREADS + 1]; /* in the result; beyond the last: its end */
    const uint8_t *keys[GS_GATHER_THREADS], *lines[GS_GATHER_THREADS];
    uint32_t key_bytes[GS_GATHER_THREADS];
};

/* The last of them that begins at or before a byte; those that are empty are passed. */
__device__ __forceinline__ unsigned gs_hand_find(const gs_gather_hand &hand, uint64_t at)
{
    unsigned low = 0;
    for (unsigned step = GS_GATHER_THREADS / 2; step > 0; step /= 2)
        if (hand.begins[low + step] <= at)
            low += step;
    return low;
}

/* Bytes [at, end) of the result, at most a unit, to two words. */
__device__ __forceinline__ ulonglong2 gs_hand_take(const gs_gather_hand &hand,
                                                   uint64_t at, uint64_t end)
{
    uint64_t low = 0, high = 0;
    unsigned r = gs_hand_find(hand, at), done = 0;
    while (at < end) {
        while (hand.begins[r + 1] <= at)
            r++;
        const uint64_t inside = at - hand.begins[r];
        const uint32_t key_bytes = hand.key_bytes[r];
        const bool is_key = inside < key_bytes;
        const uint8_t *const p =
            is_key ? hand.keys[r] + inside : hand.lines[r] + (inside - key_bytes);
        uint64_t left = (is_key ? hand.begins[r] + key_bytes : hand.begins[r + 1]) - at;
        left = left < end - at ? left : end - at;
        const unsigned n = left < 8 ? (unsigned)left : 8;
        const uint64_t word = gs_gather_load(p, n);
        const unsigned shift = done % 8 * 8;
        if (done >= 8)
            high |= word << shift;
        else
            low |= word << shift;
        if (done < 8 && shift != 0)
            high |= word >> (64 - shift);
        done += n;
        at += n;
    }
    return make_ulonglong2(low, high);
}

/* Takes records [first, first + GS_GATHER_THREADS) of `count` in hand, which begin at
 * `begin` of the result; returns where they end. */
__device__ __forceinline__ uint64_t gs_hand_fill(gs_gather_hand *hand,
                                                 const gs_text_view &view, bool with_keys,
                                                 uint64_t first, uint64_t count,
                                                 uint64_t begin)
{
    typedef cub::BlockScan<uint64_t, GS_GATHER_THREADS> scan;
    __shared__ typename scan::TempStorage storage;
    const uint64_t i = first + threadIdx.x;
    uint64_t bytes = 0, before, sum;
    if (i < count) {
        const gs_text_string s = gs_text_at(view, i);
        const uint64_t key_bytes = with_keys ? s.key_bytes : 0;
        hand->keys[threadIdx.x] = s.key;
        hand->lines[threadIdx.x] = s.line;
        hand->key_bytes[threadIdx.x] = (uint32_t)key_bytes;
        bytes = key_bytes + s.line_bytes + view.has_eol;
    }
    scan(storage).ExclusiveSum(bytes, before, sum);
    hand->begins[threadIdx.x] = begin + before;
    if (threadIdx.x == 0)
        hand->begins[GS_GATHER_THREADS] = begin + sum;
    __syncthreads();
    return begin + sum;
}

/* Bytes [begin, end) of the result to `to`, which is aligned to a unit. The end-of-line
 * byte stands behind each line in the text already. Grid: a block a tile. */
static __global__ void __launch_bounds__(GS_GATHER_THREADS)
    k_gather(gs_text_view view, const uint64_t *sums, uint64_t count, bool with_keys,
             uint64_t begin, uint64_t end, uint8_t *to)
{
    __shared__ gs_gather_hand hand;
    __shared__ ulonglong2 made[GS_GATHER_TILE / GS_GATHER_UNIT];
    __shared__ uint64_t first_group;
    const uint64_t tile = begin + (uint64_t)blockIdx.x * GS_GATHER_TILE;
    const uint64_t tile_end = tile + GS_GATHER_TILE < end ? tile + GS_GATHER_TILE : end;
    if (threadIdx.x < 32) {
        const uint64_t g = gs_gather_find(sums, gs_groups(count), tile);
        if (threadIdx.x == 0)
            first_group = g;
    }
    __syncthreads();
    uint64_t i = first_group * GS_GROUP, from = sums[first_group];
    while (from < tile_end && i < count) {
        const uint64_t until = gs_hand_fill(&hand, view, with_keys, i, count, from);
        const uint64_t low = from > tile ? from : tile;
        const uint64_t high = until < tile_end ? until : tile_end;
        for (uint64_t unit = (low - tile) / GS_GATHER_UNIT + threadIdx.x;
             low < high && unit * GS_GATHER_UNIT < high - tile;
             unit += GS_GATHER_THREADS) {
            const uint64_t unit_at = tile + unit * GS_GATHER_UNIT;
            const uint64_t at = unit_at > low ? unit_at : low;
            const uint64_t stop =
                unit_at + GS_GATHER_UNIT < high ? unit_at + GS_GATHER_UNIT : high;
            const ulonglong2 words = gs_hand_take(hand, at, stop);
            if (at == unit_at) {
                made[unit] = words; /* what is behind it comes later */
            } else {
                /* The unit begins with records that were in hand before. */
                const unsigned shift = (unsigned)(at - unit_at) * 8;
                const uint64_t x = words.x, y = words.y;
                made[unit].x |= shift < 64 ? x << shift : 0;
                made[unit].y |= shift < 64 ? (shift ? x >> (64 - shift) : 0) | y << shift
                                           : x << (shift - 64);
            }
        }
        from = until;
        i += GS_GATHER_THREADS;
        __syncthreads(); /* the hand is filled again */
    }
    const uint64_t whole = (tile_end - tile) / GS_GATHER_UNIT;
    ulonglong2 *const out = (ulonglong2 *)(to + (tile - begin));
    for (uint64_t unit = threadIdx.x; unit < whole; unit += GS_GATHER_THREADS)
        out[unit] = made[unit];
    const uint64_t rest = tile_end - tile - whole * GS_GATHER_UNIT;
    if (threadIdx.x < rest)
        ((uint8_t *)(out + whole))[threadIdx.x] =
            ((const uint8_t *)(made + whole))[threadIdx.x];
}

/* What a run file keeps of the records of a view. `counts` may be NULL. */
static __global__ void k_describe(gs_text_view view, const uint32_t *counts,
                                  uint64_t count, gs_text_record *records)
{
    enum { SYMBOL_BYTES = 6 };
    const uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    const gs_text_string s = gs_text_at(view, i);
    gs_text_record r;
    r.bytes = (uint32_t)(s.key_bytes + s.line_bytes);
    r.key_bytes = (uint32_t)s.key_bytes;
    r.count = counts ? counts[i] : 1;
    r.shared = 1;
    if (i > 0) {
        const gs_text_string before = gs_text_at(view, i - 1);
        const uint32_t same = gs_text_shared(before, s, 0, UINT32_MAX);
        r.shared =
            same == s.bytes() && same == before.bytes() ? 0 : same / SYMBOL_BYTES + 1;
    }
    records[i] = r;
}

#endif
