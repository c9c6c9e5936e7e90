/* SPDX-License-Identifier: MIT */
/*
 * word_sort: the tokens of a block to postings, in order, and the way back to the host.
 *
 *      terms     17 "fish"   3 "a"   5 "zoo"          numbers, as they were met
 *      ranks      1           0       2               or as the caller joins them
 *      keys      (1, 0) (0, 0) (1, 0) (2, 9) (0, 9)   rank, document
 *      sorted    (0, 0) (0, 9) (1, 0) (1, 0) (2, 9)   stable: positions ascend
 *      heads      ^      ^      ^             ^       the first tokens of postings
 *
 * What is sorted are as many bits as there are in ranks and documents.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "gpu/words/word_memory.cuh"
#include "lib/base/assertion.h"
#include "lib/base/bits.h"

namespace
{

/* Terms in the order of their bytes. */
struct item_less {
    const uint64_t *words, *terms;
    __host__ __device__ bool operator()(const gs_word_item &a,
                                        const gs_word_item &b) const
    {
        return gs_word_item_is_less(&a, &b, words, terms);
    }
};

} // namespace

/* --- kernels: a thread an item unless said otherwise -------------------------------- */

/* Items of the terms behind those that are left out. */
static __global__ void k_make_items(gs_word_table table, uint32_t count,
                                    gs_word_item *items)
{
    const uint64_t i = gs_word_thread();
    if (i >= count)
        return;
    const uint32_t number = table.left_out + (uint32_t)i;
    const uint64_t at = gs_word_term_at(table.terms[number]) / GS_WORD_TERM_PAD;
    items[i].prefix = gs_word_prefix(table.words[at]);
    items[i].number = number;
    items[i].spare = 0;
}

/* Ranks of terms; how many bytes each takes. */
static __global__ void k_set_ranks(gs_word_table table, uint32_t count,
                                   const gs_word_item *items, uint32_t *ranks,
                                   uint64_t *bytes)
{
    const uint64_t rank = gs_word_thread();
    if (rank >= count)
        return;
    const uint32_t number = items[rank].number;
    ranks[number] = (uint32_t)rank;
    bytes[rank] = (uint64_t)GS_WORD_TERM_PAD *
                  gs_word_term_words(gs_word_term_length(table.terms[number]));
}

/* The ranks that terms have when several are one. */
static __global__ void k_join_terms(const gs_word_item *items, uint32_t count,
                                    const uint32_t *to, uint32_t *ranks)
{
    const uint64_t rank = gs_word_thread();
    if (rank < count)
        ranks[items[rank].number] = to != nullptr ? to[rank] : (uint32_t)rank;
}

/* Terms to where the sums of their bytes say. */
static __global__ void k_order_terms(gs_word_table table, uint32_t count,
                                     const gs_word_item *items, uint64_t *places,
                                     uint64_t *to)
{
    const uint64_t rank = gs_word_thread();
    if (rank >= count)
        return;
    const uint64_t term = table.terms[items[rank].number], place = places[rank];
    const uint64_t from = gs_word_term_at(term) / GS_WORD_TERM_PAD;
    for (uint32_t i = 0; i < gs_word_term_words(gs_word_term_length(term)); i++)
        to[place / GS_WORD_TERM_PAD + i] = table.words[from + i];
    places[rank] = gs_word_term_pack(place, gs_word_term_length(term));
}

static __global__ void k_make_sort_keys(uint64_t *keys, uint64_t count,
                                        const uint32_t *ranks, uint32_t terms,
                                        uint32_t first_document, unsigned document_bits)
{
    const uint64_t i = gs_word_thread();
    if (i < count)
        keys[i] = gs_word_sort_key(keys[i], ranks, terms, first_document, document_bits);
}

/* How many postings begin among the thread's keys; none behind the last thread's. */
static __global__ void k_count_heads(const uint64_t *keys, uint64_t count,
                                     uint32_t *heads)
{
    const uint64_t thread = gs_word_thread(), begin = thread * GS_WORD_KEYS_A_THREAD;
    if (begin >= count + GS_WORD_KEYS_A_THREAD)
        return;
    uint32_t n = 0;
    for (uint64_t i = begin; i < begin + GS_WORD_KEYS_A_THREAD && i < count; i++)
        n += i == 0 || keys[i] != keys[i - 1];
    heads[thread] = n;
}

/* The postings that begin among the thread's keys, and terms that begin with them. Of
 * tuples `sums` are the frequencies before each, or null if all are 1. */
static __global__ void k_put_postings(const uint64_t *keys, uint64_t count,
                                      const uint32_t *heads, uint32_t first_document,
                                      unsigned document_bits, const uint32_t *sums,
                                      uint32_t *documents, uint32_t *starts,
                                      uint32_t *first_postings)
{
    const uint64_t thread = gs_word_thread(), begin = thread * GS_WORD_KEYS_A_THREAD;
    const uint64_t mask = ((uint64_t)1 << document_bits) - 1;
    if (begin >= count)
        return;
    uint32_t p = heads[thread];
    for (uint64_t i = begin; i < begin + GS_WORD_KEYS_A_THREAD && i < count; i++) {
        const uint64_t key = keys[i];
        if (i > 0 && key == keys[i - 1])
            continue;
        documents[p] = first_document + (uint32_t)(key & mask);
        starts[p] = sums != nullptr ? sums[i] : (uint32_t)i;
        if (i == 0 || key >> document_bits != keys[i - 1] >> document_bits)
            first_postings[key >> document_bits] = p;
        p++;
    }
}

/* --- steps -------------------------------------------------------------------------- */

gs_code gs_word_sort_temp(const gs_word_room *room, bool has_numbers, size_t *bytes,
                          gs_status *st)
{
    const int64_t terms = (int64_t)room->terms, tokens = (int64_t)room->tokens;
    cub::DoubleBuffer<uint64_t> keys;
    cub::DoubleBuffer<uint32_t> positions;
    size_t needs[6] = {0, 0, 0, 0, 0, 0};
    GPU_TRY(st, cub::DeviceMergeSort::SortKeys(nullptr, needs[0], (gs_word_item *)nullptr,
                                               terms, item_less{nullptr, nullptr}));
    GPU_TRY(st, cub::DeviceRadixSort::SortKeys(nullptr, needs[1], keys, tokens, 0, 64));
    if (has_numbers)
        GPU_TRY(st, cub::DeviceRadixSort::SortPairs(nullptr, needs[4], keys, positions,
                                                    tokens, 0, 64));
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(nullptr, needs[2], (uint64_t *)nullptr,
                                              (uint64_t *)nullptr, terms + 1));
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(
                    nullptr, needs[3], (uint32_t *)nullptr, (uint32_t *)nullptr,
                    has_numbers ? tokens + 1 : tokens / GS_WORD_KEYS_A_THREAD + 2));
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(nullptr, needs[5], (uint64_t *)nullptr,
                                              (uint64_t *)nullptr,
                                              tokens / GS_WORD_BLOCK + 1));
    *bytes = GS_WORD_RANGES * sizeof(gs_word_weight);
    for (unsigned i = 0; i < 6; i++)
        *bytes = needs[i] > *bytes ? needs[i] : *bytes;
    return GS_OK;
}

static gs_code read_state(gs_word_block *w, gs_status *st)
{
    GPU_TRY(st, cudaMemcpyAsync(w->h_state, w->table.state, sizeof *w->h_state,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

static gs_code sort_terms(gs_word_block *w, uint32_t count, gs_status *st)
{
    const unsigned grid = gs_word_grid(count);
    size_t temp_bytes = w->temp_bytes;
    k_make_items<<<grid, GS_WORD_THREADS, 0, w->stream>>>(w->table, count, w->d_items);
    GPU_LAUNCHED(st, w->stream, "k_make_items");
    GPU_TRY(st, cub::DeviceMergeSort::SortKeys(
                    w->d_temp, temp_bytes, w->d_items, (int64_t)count,
                    item_less{w->table.words, w->table.terms}, w->stream));
    k_set_ranks<<<grid, GS_WORD_THREADS, 0, w->stream>>>(w->table, count, w->d_items,
                                                         w->d_ranks, w->d_places);
    GPU_LAUNCHED(st, w->stream, "k_set_ranks");
    temp_bytes = w->temp_bytes;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(w->d_temp, temp_bytes, w->d_places,
                                              w->d_places, (int64_t)count, w->stream));
    k_order_terms<<<grid, GS_WORD_THREADS, 0, w->stream>>>(w->table, count, w->d_items,
                                                           w->d_places, w->d_ordered);
    GPU_LAUNCHED(st, w->stream, "k_order_terms");
    return GS_OK;
}

bool gs_word_moves_numbers(const gs_word_block *w)
{
    const gs_word_state *const s = w->h_state;
    return w->options.has_positions ||
           (s->tuple_tokens > 0 && s->tuple_tokens != s->tokens);
}

/* Tokens in order; *keys are they, *other is the array that is free now. */
static gs_code sort_tokens(gs_word_block *w, uint32_t terms, uint32_t first_document,
                           unsigned document_bits, uint64_t **keys, uint64_t **other,
                           gs_status *st)
{
    const uint64_t count = w->h_state->tokens;
    const int bits = (int)(document_bits + gs_bit_length(terms));
    size_t temp_bytes = w->temp_bytes;
    gs_assert(bits <= 64);
    if (w->is_exchanged) {
        gs_assert(w->exchanged_first == first_document);
        gs_assert(w->exchanged_bits == document_bits);
    } else {
        k_make_sort_keys<<<gs_word_grid(count), GS_WORD_THREADS, 0, w->stream>>>(
            w->d_keys[0], count, w->d_ranks, terms, first_document, document_bits);
        GPU_LAUNCHED(st, w->stream, "k_make_sort_keys");
    }
    cub::DoubleBuffer<uint64_t> k(w->d_keys[0], w->d_keys[1]);
    cub::DoubleBuffer<uint32_t> p(w->d_positions[0], w->d_positions[1]);
    if (gs_word_moves_numbers(w))
        GPU_TRY(st, cub::DeviceRadixSort::SortPairs(w->d_temp, temp_bytes, k, p,
                                                    (int64_t)count, 0, bits, w->stream));
    else
        GPU_TRY(st, cub::DeviceRadixSort::SortKeys(w->d_temp, temp_bytes, k,
                                                   (int64_t)count, 0, bits, w->stream));
    *keys = k.Current();
    *other = k.Alternate();
    w->d_sorted_positions = p.Current();
    return GS_OK;
}

/* Frequencies of tuples become sums of those before each; *sums is null if all are 1. */
static gs_code sum_frequencies(gs_word_block *w, const uint32_t **sums, gs_status *st)
{
    size_t temp_bytes = w->temp_bytes;
    *sums = nullptr;
    if (w->options.has_positions || !gs_word_moves_numbers(w))
        return GS_OK;
    *sums = w->d_sorted_positions;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(
                    w->d_temp, temp_bytes, w->d_sorted_positions, w->d_sorted_positions,
                    (int64_t)w->h_state->tokens, w->stream));
    return GS_OK;
}

static gs_code make_postings(gs_word_block *w, uint64_t *keys, uint64_t *other,
                             uint32_t first_document, unsigned document_bits,
                             gs_status *st)
{
    const uint64_t count = w->h_state->tokens - w->h_state->left_out,
                   threads = count / GS_WORD_KEYS_A_THREAD + 2;
    const uint32_t *sums = nullptr;
    uint32_t *const documents = (uint32_t *)other, *const starts =
                                                       documents + w->room.tokens;
    uint32_t ends[2] = {0, (uint32_t)w->sums.tokens};
    size_t temp_bytes = w->temp_bytes;
    GS_TRY(sum_frequencies(w, &sums, st));
    k_count_heads<<<gs_word_grid(threads), GS_WORD_THREADS, 0, w->stream>>>(keys, count,
                                                                            w->d_heads);
    GPU_LAUNCHED(st, w->stream, "k_count_heads");
    const uint64_t parts = (count + GS_WORD_KEYS_A_THREAD - 1) / GS_WORD_KEYS_A_THREAD;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(w->d_temp, temp_bytes, w->d_heads,
                                              w->d_heads, (int64_t)parts + 1, w->stream));
    k_put_postings<<<gs_word_grid(threads), GS_WORD_THREADS, 0, w->stream>>>(
        keys, count, w->d_heads, first_document, document_bits, sums, documents, starts,
        w->d_first_postings);
    GPU_LAUNCHED(st, w->stream, "k_put_postings");
    GPU_TRY(st, cudaMemcpyAsync(&ends[0], w->d_heads + parts, sizeof ends[0],
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    GPU_TRY(st, cudaMemcpyAsync(starts + ends[0], &ends[1], sizeof ends[1],
                                cudaMemcpyHostToDevice, w->stream));
    GPU_TRY(st, cudaMemcpyAsync(w->d_first_postings + w->sums.terms, &ends[0],
                                sizeof ends[0], cudaMemcpyHostToDevice, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    w->sums.postings = ends[0];
    w->d_documents = documents;
    w->d_starts = starts;
    w->d_free = (uint8_t *)keys;
    w->free_bytes = (size_t)w->room.tokens * sizeof *keys;
    return GS_OK;
}

gs_code gs_word_block_sort_terms(gs_word_block *w, gs_word_sums *out, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GS_TRY(read_state(w, st));
    const gs_word_state *const s = w->h_state;
    w->sums = {s->terms - w->table.left_out, s->term_bytes - w->left_out_bytes, 0,
               s->tuple_tokens > 0 ? s->tuple_tokens : s->tokens - s->left_out};
    w->own_terms = (uint32_t)w->sums.terms;
    if (w->sums.terms > 0)
        GS_TRY(sort_terms(w, (uint32_t)w->sums.terms, st));
    *out = w->sums;
    return GS_OK;
}

/* The ranks come by way of the array of first postings, which nothing is in yet. */
gs_code gs_word_block_join_terms(gs_word_block *w, const uint32_t *to, uint32_t count,
                                 gs_status *st)
{
    const uint32_t terms = w->own_terms;
    gs_assert(to != nullptr || count == terms);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    if (to != nullptr)
        GPU_TRY(st, cudaMemcpyAsync(w->d_first_postings, to, terms * sizeof *to,
                                    cudaMemcpyHostToDevice, w->stream));
    k_join_terms<<<gs_word_grid(terms), GS_WORD_THREADS, 0, w->stream>>>(
        w->d_items, terms, to != nullptr ? w->d_first_postings : nullptr, w->d_ranks);
    GPU_LAUNCHED(st, w->stream, "k_join_terms");
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    w->sums.terms = count;
    return GS_OK;
}

gs_code gs_word_block_sort(gs_word_block *w, uint32_t first, uint32_t last,
                           gs_word_sums *out, gs_status *st)
{
    gs_assert(first <= last);
    gs_assert(w->sums.terms <= w->room.terms);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    if (w->sums.terms > 0) {
        const unsigned document_bits = gs_bit_length(last - first);
        uint64_t *keys = nullptr, *other = nullptr;
        GS_TRY(sort_tokens(w, (uint32_t)w->sums.terms, first, document_bits, &keys,
                           &other, st));
        GS_TRY(make_postings(w, keys, other, first, document_bits, st));
    }
    *out = w->sums;
    return GS_OK;
}

/* --- the way back ------------------------------------------------------------------- */

gs_code gs_word_block_terms(gs_word_block *w, uint8_t *bytes, gs_word_term *terms,
                            gs_status *st)
{
    const gs_word_sums *const s = &w->sums;
    GPU_TRY(st, cudaSetDevice(w->options.device));
    if (s->terms == 0)
        return GS_OK;
    GPU_TRY(st, cudaMemcpyAsync(bytes, w->d_ordered, s->term_bytes,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaMemcpyAsync(terms, w->d_places, s->terms * sizeof *terms,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

gs_code gs_word_block_first_postings(gs_word_block *w, uint32_t *first_postings,
                                     gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(w->options.device));
    if (w->sums.terms == 0)
        return GS_OK;
    GPU_TRY(st, cudaMemcpyAsync(first_postings, w->d_first_postings,
                                (w->sums.terms + 1) * sizeof *first_postings,
                                cudaMemcpyDeviceToHost, w->stream));
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    return GS_OK;
}

gs_code gs_word_fetch_postings(const gs_word_lane_memory *l, const uint32_t *documents,
                               const uint32_t *starts, size_t count, gs_status *st)
{
    GPU_TRY(st, cudaMemcpyAsync(l->h_documents, documents, count * sizeof *documents,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaMemcpyAsync(l->h_tokens, starts, (count + 1) * sizeof *starts,
                                cudaMemcpyDeviceToHost, l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    return GS_OK;
}

gs_code gs_word_block_documents(gs_word_block *w, unsigned lane, uint64_t first,
                                size_t count, gs_status *st)
{
    gs_assert(first + count <= w->sums.postings && count <= w->options.window_postings);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    return gs_word_fetch_postings(&w->lanes[lane], w->d_documents + first,
                                  w->d_starts + first, count, st);
}

gs_code gs_word_block_positions(gs_word_block *w, unsigned lane, uint64_t first,
                                size_t count, gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    gs_assert(first + count <= w->sums.tokens && count <= w->options.window_positions);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemcpyAsync(l->h_positions, w->d_sorted_positions + first,
                                count * sizeof *l->h_positions, cudaMemcpyDeviceToHost,
                                l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    return GS_OK;
}
