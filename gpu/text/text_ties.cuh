/* SPDX-License-Identifier: MIT */
/*
 * text_ties: strings to numbers that a batch engine sorts, and what comes out of that.
 *
 * Every string becomes a number of 128 bits that ends with its row, so that the engine
 * moves nothing else and equal strings stay in input order:
 *
 *       127                              40 39   32 31         0
 *      +-----------------------------------+-------+------------+
 *      | bytes 0 .. 10 of the string       | left  | row        |     first round
 *      +------------------+----------------+-------+------------+
 *      | segment          | 7 more bytes   | left  | row        |     later rounds
 *      +------------------+----------------+-------+------------+
 *       127             96 95            40 39   32
 *
 * `left` is how many bytes of the string there are from the first byte of the number's
 * on, at most one more than it holds; so "a" and "a\0" differ, and a string that has
 * ended needs no further round. Neighbours whose numbers agree but for the row and whose
 * strings go on are a segment: their places in the order are a list, in which each round
 * sorts by (segment, next bytes, row). What all strings of a segment share from there on
 * is skipped first, so that long common beginnings cost one round and not one for every
 * seven bytes. Backwards orders complement everything but segment and row.
 */
#ifndef GS_GPU_TEXT_TIES_CUH
#define GS_GPU_TEXT_TIES_CUH

#include <stdint.h>

#include "gpu/engine/engine.h"
#include "gpu/text/text_view.cuh"

enum {
    GS_FIRST_BYTES = 11, /* of a string in the number of the first round */
    GS_NEXT_BYTES = 7,
    GS_TIE_THREADS = 256,
};

__device__ __forceinline__ uint64_t gs_tie_index()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

/* The numbers of the first round. */
static __global__ void k_first_numbers(gs_text_view view, uint64_t count,
                                       gs_u128 *numbers)
{
    const uint64_t i = gs_tie_index();
    if (i >= count)
        return;
    const gs_text_string s = gs_text_at(view, (uint32_t)i);
    const uint64_t bytes = s.bytes();
    const uint64_t left = bytes < GS_FIRST_BYTES + 1 ? bytes : GS_FIRST_BYTES + 1;
    uint64_t hi = gs_text_word(s, 0);
    uint64_t lo = (gs_text_word(s, 8) >> 40) << 8 | left;
    if (view.is_backwards) {
        hi = ~hi;
        lo = ~lo;
    }
    numbers[i] = {hi, lo << 32 | i};
}

__device__ __forceinline__ bool gs_tie_same(const gs_u128 &a, const gs_u128 &b)
{
    return a.hi == b.hi && a.lo >> 32 == b.lo >> 32;
}

/* Is the string of a number longer than what all numbers up to this one hold? */
__device__ __forceinline__ bool gs_tie_goes_on(const gs_u128 &a, bool is_backwards,
                                               uint32_t held)
{
    const uint32_t left = (uint32_t)(a.lo >> 32) & 0xff;
    return (is_backwards ? left ^ 0xff : left) > held;
}

/* After the first round: the order so far, who equals the one before (as far as is known)
 * and who needs another round. */
static __global__ void k_take_first(const gs_u128 *numbers, uint64_t count,
                                    bool is_backwards, uint32_t *order, uint8_t *same,
                                    uint8_t *goes_on)
{
    const uint64_t i = gs_tie_index();
    if (i >= count)
        return;
    const gs_u128 x = numbers[i];
    const bool as_before = i > 0 && gs_tie_same(numbers[i - 1], x);
    const bool as_after = i + 1 < count && gs_tie_same(x, numbers[i + 1]);
    order[i] = (uint32_t)x.lo;
    same[i] = as_before;
    goes_on[i] =
        (as_before || as_after) && gs_tie_goes_on(x, is_backwards, GS_FIRST_BYTES);
}

/* The list of a round: head_marks[j] = j where a segment begins, else 0, whose running
 * maximum is the segment of every item. */
static __global__ void k_mark_heads(const uint32_t *places, uint64_t count,
                                    const uint8_t *same, uint32_t *head_marks,
                                    uint32_t *skips)
{
    const uint64_t j = gs_tie_index();
    if (j >= count)
        return;
    head_marks[j] = same[places[j]] ? 0 : (uint32_t)j;
    skips[j] = UINT32_MAX;
}

/* skips[head]: the least that any string of a segment shares with the first one. */
static __global__ void k_find_skips(gs_text_view view, const uint32_t *places,
                                    uint64_t count, const uint32_t *order,
                                    const uint32_t *heads, const uint32_t *depths,
                                    uint32_t limit, uint32_t *skips)
{
    const uint64_t j = gs_tie_index();
    if (j >= count)
        return;
    const uint32_t head = heads[j];
    if (head == (uint32_t)j)
        return;
    volatile uint32_t *const skip = &skips[head];
    const uint32_t least = *skip;
    if (least == 0)
        return;
    const gs_text_string a = gs_text_at(view, order[places[j]]);
    const gs_text_string b = gs_text_at(view, order[places[head]]);
    const uint32_t shared =
        gs_text_shared(a, b, depths[j], least < limit ? least : limit);
    /* Most threads of a large segment find that another one was there before. */
    if (shared < *skip)
        atomicMin(&skips[head], shared);
}

/* The numbers of a later round; depths move past what is skipped. */
static __global__ void k_next_numbers(gs_text_view view, const uint32_t *places,
                                      uint64_t count, const uint32_t *order,
                                      const uint32_t *heads, const uint32_t *skips,
                                      uint32_t *depths, gs_u128 *numbers)
{
    const uint64_t j = gs_tie_index();
    if (j >= count)
        return;
    const uint32_t head = heads[j], row = order[places[j]];
    const uint32_t skip = skips[head];
    const uint32_t depth = depths[j] + (skip == UINT32_MAX ? 0 : skip);
    depths[j] = depth;
    const gs_text_string s = gs_text_at(view, row);
    const uint64_t bytes = s.bytes();
    uint64_t left = bytes > depth ? bytes - depth : 0;
    if (left > GS_NEXT_BYTES + 1)
        left = GS_NEXT_BYTES + 1;
    uint64_t word = (gs_text_word(s, depth) & ~(uint64_t)0xff) | left;
    if (view.is_backwards)
        word = ~word;
    numbers[j] = {(uint64_t)head << 32 | word >> 32, word << 32 | row};
}

/* After a later round: the same as k_take_first for the items of the list. */
static __global__ void k_take_next(const gs_u128 *numbers, const uint32_t *places,
                                   uint64_t count, bool is_backwards, uint32_t *order,
                                   uint8_t *same, uint8_t *goes_on, uint32_t *depths)
{
    const uint64_t j = gs_tie_index();
    if (j >= count)
        return;
    const gs_u128 x = numbers[j];
    const bool as_before = j > 0 && gs_tie_same(numbers[j - 1], x);
    const bool as_after = j + 1 < count && gs_tie_same(x, numbers[j + 1]);
    const uint32_t place = places[j];
    order[place] = (uint32_t)x.lo;
    same[place] = as_before;
    goes_on[j] =
        (as_before || as_after) && gs_tie_goes_on(x, is_backwards, GS_NEXT_BYTES);
    depths[j] += GS_NEXT_BYTES;
}

#endif
