/* SPDX-License-Identifier: MIT */
/*
 * word_encode: postings to blocks as an index stores them, and the way back to the host.
 *
 *      postings   | apple: 0 to 299          | pear: 300 to 302 | plum: 303 to 700     |
 *      places     |  0      1   | (a tail)   | (a tail)         |  2     3     4  | ...
 *      measured     198    185                                    218 ...       bytes
 *      summed       0      198                                    383 ...
 *      put        | bytes, last docID, block | ... by place
 *      tails      | 256 to 299, end | 300 to 302, end | ... by term
 *
 * A thread makes a block, twice: to measure and to put it. All lies where one array of
 * keys was, which nothing needs once there are postings. What a block holds is
 * lib/base/block_steps.h's. Every call from the host waits for those of other threads, so
 * that what is fetched lies one after the other, and comes in few pieces: the host knows
 * where each group of places begins.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_scan.cuh>

#include "gpu/words/word_memory.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

/* Postings in order, and the room for their blocks and tails. */
struct encode_task {
    gs_word_postings postings;
    uint32_t places, block_bytes_max;
    uint64_t *place_starts; /* places + 1 */
    uint8_t *blocks;
    uint32_t *tail_firsts; /* terms + 1 */
    uint32_t *tail_documents, *tail_starts;
    gs_word_lengths lengths;
};

enum { ALIGN = 16 };

} // namespace

/* --- kernels ------------------------------------------------------------------------ */

/* A thread a place, and one for their end. */
static __global__ void k_measure_blocks(encode_task t)
{
    const uint64_t place = gs_word_thread();
    gs_step_block b;
    if (place > t.places)
        return;
    uint32_t bytes = 0;
    if (place < t.places && gs_word_block_at(&t.postings, (uint32_t)place, &b))
        bytes = gs_step_block_bytes(&b, t.block_bytes_max);
    t.place_starts[place] = gs_word_stored_bytes(bytes);
}

static __global__ void k_put_blocks(encode_task t)
{
    const uint64_t place = gs_word_thread();
    gs_step_block b;
    if (place >= t.places)
        return;
    uint8_t *const to = t.blocks + t.place_starts[place];
    gs_word_stored *const head = (gs_word_stored *)(void *)to;
    *head = {};
    if (t.place_starts[place + 1] - t.place_starts[place] == sizeof *head ||
        !gs_word_block_at(&t.postings, (uint32_t)place, &b))
        return;
    head->bytes =
        (uint32_t)(gs_step_block_put(&b, to + sizeof *head) - to - sizeof *head);
    gs_word_stored_make(head, &b, &t.lengths);
}

/* Where every group begins, and the last one ends. */
static __global__ void k_gather_groups(encode_task t, uint64_t groups, uint64_t *to)
{
    const uint64_t group = gs_word_thread(), place = group * GS_WORD_PLACE_GROUP;
    if (group <= groups)
        to[group] = t.place_starts[place < t.places ? place : t.places];
}

/* A thread a term, and one for their end. */
static __global__ void k_count_tails(encode_task t)
{
    const uint64_t term = gs_word_thread();
    if (term > t.postings.terms)
        return;
    t.tail_firsts[term] =
        term < t.postings.terms
            ? (t.postings.first_postings[term + 1] - t.postings.first_postings[term]) %
                      GS_WORD_BLOCK +
                  1
            : 0;
}

static __global__ void k_put_tails(encode_task t)
{
    const uint64_t term = gs_word_thread();
    if (term >= t.postings.terms)
        return;
    const uint32_t to = t.tail_firsts[term], count = t.tail_firsts[term + 1] - to - 1;
    const uint32_t from = t.postings.first_postings[term + 1] - count;
    for (uint32_t i = 0; i < count; i++) {
        t.tail_documents[to + i] = t.postings.documents[from + i];
        t.tail_starts[to + i] = t.postings.starts[from + i];
    }
    t.tail_documents[to + count] = 0;
    t.tail_starts[to + count] = t.postings.starts[from + count];
}

/* --- steps -------------------------------------------------------------------------- */

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static encode_task make_task(const gs_word_block *w)
{
    encode_task t = {};
    t.postings.first_postings = w->d_first_postings;
    t.postings.terms = (uint32_t)w->sums.terms;
    t.postings.documents = w->d_documents;
    t.postings.starts = w->d_starts;
    t.postings.positions = w->options.has_positions ? w->d_sorted_positions : nullptr;
    t.places = (uint32_t)(w->sums.postings / GS_WORD_BLOCK);
    t.block_bytes_max = gs_word_block_bytes_max(w->options.piece_bytes);
    return t;
}

/* The sum of what the scan went over. */
template <typename T>
static gs_code scan(gs_word_block *w, T *numbers, uint64_t count, T *sum, gs_status *st)
{
    size_t temp_bytes = w->temp_bytes;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(w->d_temp, temp_bytes, numbers, numbers,
                                              (int64_t)count + 1, w->stream));
    GPU_TRY(st, cudaMemcpyAsync(sum, numbers + count, sizeof *sum, cudaMemcpyDeviceToHost,
                                w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

/* The sums of heads are not needed any more. */
static gs_code fetch_groups(gs_word_block *w, const encode_task *t, gs_word_made *out,
                            gs_status *st)
{
    uint64_t *const starts = (uint64_t *)(void *)w->d_heads;
    void *memory = nullptr;
    out->groups = (t->places + (uint64_t)GS_WORD_PLACE_GROUP - 1) / GS_WORD_PLACE_GROUP;
    gs_mem_free(w->group_starts);
    w->group_starts = nullptr;
    GS_TRY(gs_mem_new_array(&memory, out->groups + 1, sizeof *starts, "GPU words", st));
    w->group_starts = (uint64_t *)memory;
    k_gather_groups<<<gs_word_grid(out->groups + 1), GS_WORD_THREADS, 0, w->stream>>>(
        *t, out->groups, starts);
    GPU_LAUNCHED(st, w->stream, "k_gather_groups");
    GPU_TRY(st,
            cudaMemcpyAsync(w->group_starts, starts, (out->groups + 1) * sizeof *starts,
                            cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    out->group_starts = w->group_starts;
    return GS_OK;
}

/* From *to on, which is behind what is made then. */
static gs_code make_blocks(gs_word_block *w, encode_task *t, uint8_t **to,
                           gs_word_made *out, gs_status *st)
{
    const uint8_t *const end = w->d_free + w->free_bytes;
    const size_t sums_bytes = aligned(((size_t)t->places + 1) * sizeof(uint64_t));
    uint64_t bytes = 0;
    if (t->places == 0 || t->block_bytes_max == 0 || *to > end ||
        sums_bytes > (size_t)(end - *to))
        return GS_OK;
    t->place_starts = (uint64_t *)(void *)*to;
    t->blocks = *to + sums_bytes;
    k_measure_blocks<<<gs_word_grid((uint64_t)t->places + 1), GS_WORD_THREADS, 0,
                       w->stream>>>(*t);
    GPU_LAUNCHED(st, w->stream, "k_measure_blocks");
    GS_TRY(scan(w, t->place_starts, t->places, &bytes, st));
    if (bytes > (uint64_t)(end - t->blocks))
        return GS_OK;
    k_put_blocks<<<gs_word_grid(t->places), GS_WORD_THREADS, 0, w->stream>>>(*t);
    GPU_LAUNCHED(st, w->stream, "k_put_blocks");
    GS_TRY(fetch_groups(w, t, out, st));
    *to = t->blocks + aligned((size_t)bytes);
    w->d_blocks = t->blocks;
    out->has_blocks = true;
    return GS_OK;
}

/* Their list begins where items of terms were. */
static gs_code make_tails(gs_word_block *w, encode_task *t, uint8_t *to,
                          gs_word_made *out, gs_status *st)
{
    const uint8_t *const end = w->d_free + w->free_bytes;
    uint32_t count = 0;
    t->tail_firsts = (uint32_t *)(void *)w->d_items;
    if (w->sums.postings + w->sums.terms > UINT32_MAX)
        return GS_OK;
    k_count_tails<<<gs_word_grid((uint64_t)t->postings.terms + 1), GS_WORD_THREADS, 0,
                    w->stream>>>(*t);
    GPU_LAUNCHED(st, w->stream, "k_count_tails");
    GS_TRY(scan(w, t->tail_firsts, t->postings.terms, &count, st));
    const size_t bytes = aligned(count * sizeof(uint32_t));
    if (to > end || 2 * bytes > (size_t)(end - to))
        return GS_OK;
    t->tail_documents = (uint32_t *)(void *)to;
    t->tail_starts = (uint32_t *)(void *)(to + bytes);
    k_put_tails<<<gs_word_grid(t->postings.terms), GS_WORD_THREADS, 0, w->stream>>>(*t);
    GPU_LAUNCHED(st, w->stream, "k_put_tails");
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    w->d_tail_firsts = t->tail_firsts;
    w->d_tail_documents = t->tail_documents;
    w->d_tail_starts = t->tail_starts;
    out->has_tails = true;
    return GS_OK;
}

/* Copied to *to, and that goes behind them; without room there are none. */
static gs_code take_lengths(gs_word_block *w, const gs_word_lengths *lengths,
                            uint8_t **to, encode_task *t, bool *has_room, gs_status *st)
{
    const uint64_t codes =
        lengths->count > 0 ? ((lengths->count - 1) >> lengths->shift) + 1 : 0;
    *has_room = codes <= w->free_bytes;
    t->lengths = *lengths;
    t->lengths.codes = *to;
    if (!*has_room || codes == 0)
        return GS_OK;
    GPU_TRY(st, cudaMemcpyAsync(*to, lengths->codes, codes, cudaMemcpyHostToDevice,
                                w->stream));
    *to += aligned((size_t)codes);
    return GS_OK;
}

gs_code gs_word_block_encode(gs_word_block *w, const gs_word_lengths *lengths,
                             gs_word_made *out, gs_status *st)
{
    uint8_t *to = w->d_free;
    bool has_room = false;
    encode_task t = make_task(w);
    *out = {false, false, 0, nullptr};
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GS_TRY(take_lengths(w, lengths, &to, &t, &has_room, st));
    if (has_room)
        GS_TRY(make_blocks(w, &t, &to, out, st));
    return out->has_blocks ? make_tails(w, &t, to, out, st) : GS_OK;
}

/* --- the way back ------------------------------------------------------------------- */

gs_code gs_word_block_stored(gs_word_block *w, unsigned lane, uint64_t first,
                             size_t count, gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const uint64_t begin = w->group_starts[first], end = w->group_starts[first + count];
    gs_assert(end - begin <= w->options.piece_bytes);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemcpyAsync(l->h_text, w->d_blocks + begin, end - begin,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    return GS_OK;
}

gs_code gs_word_block_tail_firsts(gs_word_block *w, uint32_t *firsts, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemcpyAsync(firsts, w->d_tail_firsts,
                                (w->sums.terms + 1) * sizeof *firsts,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

gs_code gs_word_block_tails(gs_word_block *w, unsigned lane, uint64_t first, size_t count,
                            gs_status *st)
{
    gs_assert(count <= w->options.window_postings);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    return gs_word_fetch_postings(&w->lanes[lane], w->d_tail_documents + first,
                                  w->d_tail_starts + first, count, st);
}
