/* SPDX-License-Identifier: MIT */
/*
 * list_find: the kernels that find terms and read the beginnings of their lists.
 *
 * A thread takes a term and does the steps of list_steps.h one after the other: terms are
 * thousands, each reads some hundred bytes at a place of its own, and what the device has
 * more than cores have is how many of such reads are under way at once.
 */
#ifndef GS_GPU_LIST_FIND_CUH
#define GS_GPU_LIST_FIND_CUH

#include "gpu/lists/list_steps.h"

enum { GS_LIST_THREADS = 128 };

/* The terms of a lane and what becomes of them, in memory of the device. */
struct gs_list_batch {
    const uint8_t *text;
    const uint32_t *ends;
    uint32_t count;
    uint64_t *prefixes;
    uint32_t *ranks; /* of those */
    gs_list_info *infos;
    uint32_t *dfs;
    uint32_t *wanted; /* postings of each term, and of one more, 0 */
    uint32_t *firsts; /* their sums */
    uint32_t *docs, *tfs;
};

static __device__ __forceinline__ const uint8_t *gs_list_term(const gs_list_batch &b,
                                                              uint32_t i, uint32_t *bytes)
{
    const uint32_t begin = i > 0 ? b.ends[i - 1] : 0;
    *bytes = b.ends[i] - begin;
    return b.text + begin;
}

/* A thread a term: 12 bytes read, 8 written. */
static __global__ void k_take_prefixes(gs_list_batch b)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t bytes;
    if (i >= b.count)
        return;
    const uint8_t *const term = gs_list_term(b, i, &bytes);
    b.prefixes[i] = gs_list_prefix(term, bytes);
}

/* A thread a term, and one more: a block of the dictionary is read, half of it on
 * average, and 56 bytes written. */
static __global__ void k_find_terms(const __grid_constant__ gs_list_view v,
                                    gs_list_batch b)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t bytes;
    if (i == b.count)
        b.wanted[i] = 0;
    if (i >= b.count)
        return;
    const uint8_t *const term = gs_list_term(b, i, &bytes);
    gs_list_info info = {};
    gs_list_find(&v, b.ranks[i], term, bytes, &info);
    b.infos[i] = info;
    b.dfs[i] = info.df;
    b.wanted[i] = gs_list_wanted(&v, &info);
}

/* A thread a term: a list is read, up to where its last wanted posting is, and 8 bytes
 * written for each of those. */
static __global__ void k_read_lists(const __grid_constant__ gs_list_view v,
                                    gs_list_batch b)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= b.count || b.wanted[i] == 0)
        return;
    const gs_list_info info = b.infos[i];
    if (!gs_list_read(&v, &info, b.docs + b.firsts[i], b.tfs + b.firsts[i]))
        b.dfs[i] = GS_LIST_REFUSED;
}

#endif
