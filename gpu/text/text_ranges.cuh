/* SPDX-License-Identifier: MIT */
/*
 * text_ranges: which range of strings each record of a chunk is in.
 *
 * Splitters are strings of a sample, in order. Between and on them are the buckets:
 *
 *      splitters         s0        s1        s2
 *      buckets       0   1    2    3    4    5    6
 *
 * so that strings that are many and equal have a bucket of their own, which needs no
 * sort. A thread looks for the bucket of a record among the first 16 bytes of all
 * splitters, in shared memory, and goes to the strings only where those agree.
 */
#ifndef GS_GPU_TEXT_RANGES_CUH
#define GS_GPU_TEXT_RANGES_CUH

#include <stdint.h>

#include "gpu/text/text_ties.cuh"
#include "gpu/text/text_view.cuh"

enum {
    GS_SPLITTERS_MAX = 1023,
    GS_BUCKETS_MAX = 2 * GS_SPLITTERS_MAX + 1,
    GS_SAMPLE_MAX = 1 << 16,
    GS_SAMPLE_LEAST = 16, /* for each splitter */
};

/* What is in a bucket. */
typedef struct gs_text_bucket {
    unsigned long long records, key_bytes;
} gs_text_bucket;

/* Rows of a sample: one at random of each stretch of `count / sampled` rows. */
static __global__ void k_sample_rows(uint64_t count, uint32_t sampled, uint32_t *rows)
{
    const uint64_t i = gs_tie_index();
    if (i >= sampled)
        return;
    const uint64_t begin = (uint64_t)((unsigned __int128)count * i / sampled);
    const uint64_t end = (uint64_t)((unsigned __int128)count * (i + 1) / sampled);
    uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 32) * 0xd6e8feb86659fd93u;
    rows[i] = (uint32_t)(begin + (x >> 20) % (end - begin));
}

/* Of a sorted sample, `count` rows that cut it into equal parts. */
static __global__ void k_take_splitters(const uint32_t *rows, const uint32_t *order,
                                        uint32_t sampled, uint32_t count, uint32_t *to)
{
    const uint64_t i = gs_tie_index();
    if (i < count)
        to[i] = rows[order[(i + 1) * sampled / (count + 1)]];
}

/* The words of a splitter that are looked at first. */
struct gs_splitter_head {
    uint64_t words[2];
};

/* ids[i] = the bucket of record i of the view; and what is in the buckets. */
template <bool HAS_KEYS>
static __global__ void __launch_bounds__(GS_TIE_THREADS)
    k_classify(gs_text_view view, uint64_t count, gs_text_view splitters,
               uint32_t splitter_count, uint16_t *ids, gs_text_bucket *buckets)
{
    __shared__ gs_splitter_head heads[GS_SPLITTERS_MAX];
    __shared__ uint32_t records[GS_BUCKETS_MAX + 1];
    __shared__ unsigned long long key_bytes[HAS_KEYS ? GS_BUCKETS_MAX + 1 : 1];
    for (unsigned i = threadIdx.x; i < splitter_count; i += GS_TIE_THREADS) {
        const gs_text_string s = gs_text_at(splitters, i);
        heads[i] = {{gs_text_word(s, 0), gs_text_word(s, 8)}};
    }
    for (unsigned i = threadIdx.x; i <= GS_BUCKETS_MAX; i += GS_TIE_THREADS) {
        records[i] = 0;
        if (HAS_KEYS)
            key_bytes[i] = 0;
    }
    __syncthreads();
    const uint64_t threads = (uint64_t)gridDim.x * GS_TIE_THREADS;
    for (uint64_t i = gs_tie_index(); i < count; i += threads) {
        const gs_text_string s = gs_text_at(view, i);
        const uint64_t x = gs_text_word(s, 0), y = gs_text_word(s, 8);
        uint32_t low = 0, high = splitter_count;
        bool is_equal = false;
        while (low < high) {
            const uint32_t middle = (low + high) / 2;
            const gs_splitter_head head = heads[middle];
            int order = x < head.words[0] ? -1 : x > head.words[0];
            if (order == 0)
                order = y < head.words[1] ? -1 : y > head.words[1];
            if (order == 0)
                order = gs_text_compare(s, gs_text_at(splitters, middle), 16);
            if (view.is_backwards)
                order = -order;
            if (order > 0)
                low = middle + 1;
            else
                high = middle;
            is_equal |= order == 0;
        }
        const uint32_t id = 2 * low + is_equal;
        ids[i] = (uint16_t)id;
        atomicAdd(&records[id], 1u);
        if (HAS_KEYS)
            atomicAdd(&key_bytes[id], (unsigned long long)s.key_bytes);
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i <= GS_BUCKETS_MAX; i += GS_TIE_THREADS) {
        if (records[i] == 0)
            continue;
        atomicAdd(&buckets[i].records, (unsigned long long)records[i]);
        if (HAS_KEYS)
            atomicAdd(&buckets[i].key_bytes, key_bytes[i]);
    }
}

/* Is a row in one of buckets [low, high)? With `owners`: in one that belongs to `low`. */
struct gs_in_buckets {
    const uint16_t *ids;
    uint32_t low, high;
    const uint8_t *owners;
    __device__ __forceinline__ bool operator()(uint32_t row) const
    {
        const uint32_t id = ids[row];
        return owners != nullptr ? owners[id] == low : id >= low && id < high;
    }
};

/* Where the records of a range come to stand in the result. */
static __global__ void k_place_rows(const uint32_t *rows, const uint32_t *order,
                                    uint64_t count, uint32_t *to)
{
    const uint64_t i = gs_tie_index();
    if (i < count)
        to[i] = rows[order[i]];
}

#endif
