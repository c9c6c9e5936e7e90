/* SPDX-License-Identifier: MIT */
/*
 * word_encode: postings to blocks as an index stores them, and the way back to the host.
 *
 *      postings   | apple: 0 to 299          | pear: 300 to 302 | plum: 303 to 700     |
 *      places     |  0      1   | 2 (empty)                     |  2     3     4  | ...
 *      measured   | 190    177  |                                 210 ...       bytes
 *      summed     | 0    190    | 367                             367   577 ...
 *      put        | bytes, bytes |                               | bytes ...
 *
 * A thread makes a block, twice: to measure and to put it. All lies where one array of
 * keys was, which nothing needs once there are postings: sums, last docIDs, bytes. What a
 * block holds is lib/base/block_steps.h's.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_scan.cuh>

#include "gpu/words/word_memory.cuh"
#include "lib/base/assertion.h"

namespace
{

/* Postings in order, and the room for their blocks. */
struct encode_task {
    const uint32_t *first_postings; /* terms + 1 */
    uint32_t terms;
    const uint32_t *documents, *starts, *positions;
    uint32_t places, block_bytes_max;
    uint64_t *block_starts; /* places + 1 */
    uint32_t *lasts;        /* places */
    uint8_t *bytes;
};

enum { ENCODE_THREADS = 128, ALIGN = 16 };

} // namespace

/* The last term that begins before the place ends: no other can have a block there. */
static __device__ uint32_t term_of(const encode_task &t, uint32_t place)
{
    const uint64_t end = ((uint64_t)place + 1) * GS_WORD_BLOCK;
    uint32_t low = 0, high = t.terms;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (t.first_postings[middle] < end)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* False: the place is empty. */
static __device__ bool find_block(const encode_task &t, uint32_t place, gs_step_block *b)
{
    const uint32_t term = term_of(t, place), begin = t.first_postings[term];
    const uint32_t before = (place - begin / GS_WORD_BLOCK) * GS_WORD_BLOCK;
    if (t.first_postings[term + 1] - begin < (uint64_t)before + GS_WORD_BLOCK)
        return false;
    const uint32_t first = begin + before;
    b->documents = t.documents + first;
    b->starts = t.starts + first;
    b->positions = t.positions;
    b->least = before == 0 ? 0 : t.documents[first - 1] + 1;
    return true;
}

/* --- kernels: a thread a place ------------------------------------------------------ */

static __global__ void k_measure_blocks(encode_task t)
{
    const uint64_t place = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    gs_step_block b;
    if (place > t.places)
        return;
    uint32_t bytes = 0;
    if (place < t.places && find_block(t, (uint32_t)place, &b)) {
        bytes = gs_step_block_bytes(&b, t.block_bytes_max);
        t.lasts[place] = b.documents[GS_WORD_BLOCK - 1];
    }
    t.block_starts[place] = bytes;
}

static __global__ void k_put_blocks(encode_task t)
{
    const uint64_t place = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    gs_step_block b;
    if (place >= t.places || t.block_starts[place] == t.block_starts[place + 1])
        return;
    if (find_block(t, (uint32_t)place, &b))
        gs_step_block_put(&b, t.bytes + t.block_starts[place]);
}

/* --- steps -------------------------------------------------------------------------- */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static unsigned grid_of(uint64_t threads)
{
    return (unsigned)((threads + ENCODE_THREADS - 1) / ENCODE_THREADS);
}

/* All but what has no room yet: where the bytes go. */
static encode_task make_task(const gs_word_block *w)
{
    encode_task t = {};
    t.first_postings = w->d_first_postings;
    t.terms = (uint32_t)w->sums.terms;
    t.documents = w->d_documents;
    t.starts = w->d_starts;
    t.positions = w->options.has_positions ? w->d_sorted_positions : nullptr;
    t.places = (uint32_t)(w->sums.postings / GS_WORD_BLOCK);
    t.block_bytes_max = (uint32_t)(w->options.piece_bytes - GS_WORD_BLOCK_SLACK);
    t.block_starts = (uint64_t *)(void *)w->d_free;
    t.lasts = (uint32_t *)(void *)(w->d_free +
                                   aligned(((size_t)t.places + 1) * sizeof(uint64_t)));
    t.bytes = (uint8_t *)t.lasts + aligned((size_t)t.places * sizeof(uint32_t));
    return t;
}

gs_code gs_word_block_encode(gs_word_block *w, bool *are_made, gs_status *st)
{
    const uint8_t *const end = w->d_free + w->free_bytes;
    uint64_t bytes = 0;
    size_t temp_bytes = w->temp_bytes;
    *are_made = false;
    if (w->sums.postings < GS_WORD_BLOCK || w->options.piece_bytes <= GS_WORD_BLOCK_SLACK)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(w->options.device));
    const encode_task t = make_task(w);
    if (t.bytes > end)
        return GS_OK;
    k_measure_blocks<<<grid_of((uint64_t)t.places + 1), ENCODE_THREADS, 0, w->stream>>>(
        t);
    GPU_LAUNCHED(st, w->stream, "k_measure_blocks");
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(w->d_temp, temp_bytes, t.block_starts,
                                              t.block_starts, (int64_t)t.places + 1,
                                              w->stream));
    GPU_TRY(st, cudaMemcpyAsync(&bytes, t.block_starts + t.places, sizeof bytes,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    if (bytes > (uint64_t)(end - t.bytes))
        return GS_OK;
    k_put_blocks<<<grid_of(t.places), ENCODE_THREADS, 0, w->stream>>>(t);
    GPU_LAUNCHED(st, w->stream, "k_put_blocks");
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    *are_made = true;
    return GS_OK;
}

/* How many of the blocks a lane's text has room for. */
static size_t fitting(const gs_word_lane_memory *l, size_t count, size_t room)
{
    size_t n = count;
    while (n > 0 && l->h_block_starts[n] - l->h_block_starts[0] > room)
        n--;
    return n;
}

gs_code gs_word_block_stored(gs_word_block *w, unsigned lane, uint64_t first,
                             size_t count, size_t *taken, gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const encode_task t = make_task(w);
    *taken = 0;
    gs_assert(count > 0 && first + count <= t.places && count <= GS_WORD_WINDOW_BLOCKS);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemcpyAsync(l->h_block_starts, t.block_starts + first,
                                (count + 1) * sizeof *l->h_block_starts,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st,
            cudaMemcpyAsync(l->h_block_lasts, t.lasts + first, count * sizeof *t.lasts,
                            cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    const size_t n = fitting(l, count, w->options.piece_bytes - GS_WORD_BLOCK_SLACK);
    if (n == 0)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: a block is longer than any");
    GPU_TRY(st, cudaMemcpyAsync(l->h_text, t.bytes + l->h_block_starts[0],
                                l->h_block_starts[n] - l->h_block_starts[0],
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    *taken = n;
    return GS_OK;
}
