/* SPDX-License-Identifier: MIT */
/*
 * word_block: the owner of a block's memory, and pieces to tokens.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_scan.cuh>

#include "gpu/device/device_use.cuh"
#include "gpu/words/word_find.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

enum {
    ALIGN = 256,
    TERM_BYTES = 24,   /* of a term's own, expected */
    SLOT_SHARE = 4,    /* terms get so much of the memory, at most, */
    INPUT_A_TERM = 64, /* and one for so many bytes of the input */
    INPUT_A_TOKEN = 3,
};

/* One term, of two slots. */
const size_t term_all_bytes = 2 * sizeof(uint64_t) + sizeof(uint64_t) + 2 * TERM_BYTES +
                              2 * sizeof(gs_word_item) + 2 * sizeof(uint32_t) +
                              sizeof(uint64_t);
const uint64_t terms_most = UINT64_C(1) << 30;
const uint64_t tokens_most = (UINT64_C(1) << 32) - (UINT64_C(1) << 27);

/* Lays arrays out one after the other; without memory it only counts. */
struct layout {
    uint8_t *base;
    size_t used;

    template <typename T> void take(T **out, size_t count)
    {
        *out = (T *)(base != nullptr ? base + used : nullptr);
        used += (count * sizeof **out + ALIGN - 1) / ALIGN * ALIGN;
    }
};

size_t token_bytes(const gs_word_options *o)
{
    return 2 * sizeof(uint64_t) + (gs_word_has_numbers(o) ? 2 * sizeof(uint32_t) : 0) + 1;
}

} // namespace

unsigned gs_word_grid(uint64_t threads)
{
    const uint64_t blocks = (threads + GS_WORD_THREADS - 1) / GS_WORD_THREADS;
    gs_assert(blocks <= INT32_MAX);
    return blocks != 0 ? (unsigned)blocks : 1;
}

/* --- new and free ------------------------------------------------------------------- */

static size_t chunks_max(const gs_word_block *w)
{
    return w->options.piece_bytes / GS_WORD_CHUNK + 2;
}

static void lay_out_lane(gs_word_block *w, gs_word_lane_memory *lane, layout *on_device,
                         layout *on_host)
{
    const gs_word_options *const o = &w->options;
    const size_t documents = o->piece_documents, windows = o->window_postings;
    const size_t answer_bytes = sizeof *lane->d_answer + documents * sizeof(uint32_t);
    uint8_t *answer;
    on_device->take(&lane->d_text, o->piece_bytes);
    on_device->take(&lane->d_starts, documents + 1);
    on_device->take(&lane->d_sums, chunks_max(w));
    on_device->take(&lane->d_firsts, documents);
    on_device->take(&answer, answer_bytes);
    lane->d_answer = (gs_word_answer *)answer;
    on_device->take((uint8_t **)&lane->d_temp, w->lane_temp_bytes);
    on_host->take(&lane->h_text, o->piece_bytes);
    on_host->take(&lane->h_starts, documents + 1);
    on_host->take(&answer, answer_bytes);
    lane->h_answer = (gs_word_answer *)answer;
    on_host->take(&lane->h_state, 1);
    on_host->take(&lane->h_documents, windows);
    on_host->take(&lane->h_tokens, windows + 1);
    on_host->take(&lane->h_positions, o->has_positions ? o->window_positions : 0);
}

static void lay_out_terms(gs_word_block *w, layout *l)
{
    const size_t terms = (size_t)w->room.terms, words = (size_t)w->room.term_bytes / 8;
    l->take(&w->table.slots, (size_t)w->table.slot_mask + 1);
    l->take(&w->table.terms, terms);
    l->take(&w->table.words, words);
    l->take(&w->table.state, 1);
    l->take(&w->d_items, terms);
    l->take(&w->d_ranks, terms);
    l->take(&w->d_places, terms + 1);
    l->take(&w->d_first_postings, terms + 1);
    l->take(&w->d_ordered, words);
}

static void lay_out_tokens(gs_word_block *w, layout *l)
{
    const size_t tokens = (size_t)w->room.tokens;
    for (unsigned i = 0; i < 2; i++) {
        l->take(&w->d_keys[i], tokens + 1);
        l->take(&w->d_positions[i], gs_word_has_numbers(&w->options) ? tokens : 0);
        if (!gs_word_has_numbers(&w->options))
            w->d_positions[i] = nullptr;
    }
    l->take(&w->d_heads, tokens / GS_WORD_KEYS_A_THREAD + 2);
    l->take((uint8_t **)&w->d_temp, w->temp_bytes);
}

static size_t lay_out(gs_word_block *w)
{
    layout l = {w->d_memory, 0};
    for (unsigned i = 0; i < w->options.lanes; i++) {
        layout host = {w->lanes[i].h_memory, 0};
        lay_out_lane(w, &w->lanes[i], &l, &host);
    }
    lay_out_terms(w, &l);
    lay_out_tokens(w, &l);
    return l.used;
}

/* A piece, and words that are left out, fit whatever they are. */
static gs_word_room least_room(const gs_word_options *o)
{
    const gs_word_room piece = gs_word_most_of(o->piece_bytes);
    return {piece.tokens, piece.terms + o->left_out.terms,
            piece.term_bytes + o->left_out.term_bytes};
}

/* Terms take a part of what there is, tokens the rest; of little input both take less. */
static gs_code choose_room(gs_word_block *w, size_t available, gs_status *st)
{
    const gs_word_options *const o = &w->options;
    const gs_word_room least = least_room(o);
    const uint64_t flight = o->lanes * least.terms;
    uint64_t terms = available / SLOT_SHARE / term_all_bytes;
    if (o->input_bytes > 0 && terms > o->input_bytes / INPUT_A_TERM + flight)
        terms = o->input_bytes / INPUT_A_TERM + flight;
    if (terms > terms_most)
        terms = terms_most;
    if (terms < least.terms)
        terms = least.terms;
    uint32_t slots = 1024;
    while (slots / 2 < terms)
        slots *= 2;
    w->table.slot_mask = slots - 1;
    w->table.terms_max = (uint32_t)terms;
    w->room.terms = terms;
    w->room.term_bytes = (terms * TERM_BYTES + least.term_bytes) / 8 * 8;
    w->table.words_max = w->room.term_bytes / 8;
    w->room.tokens = least.tokens;
    GS_TRY(gs_word_sort_temp(&w->room, gs_word_has_numbers(o), &w->temp_bytes, st));
    const size_t fixed = lay_out(w);
    if (fixed + GS_DEVICE_PAGE_BYTES > available)
        return GS_FAIL(st, GS_ERR_NOMEM, 0,
                       "GPU: %zu bytes are too few for pieces of %zu bytes", available,
                       o->piece_bytes);
    uint64_t tokens =
        least.tokens + (available - fixed - GS_DEVICE_PAGE_BYTES) / token_bytes(o);
    if (o->input_bytes > 0 &&
        tokens > o->input_bytes / INPUT_A_TOKEN + o->lanes * least.tokens)
        tokens = o->input_bytes / INPUT_A_TOKEN + o->lanes * least.tokens;
    w->room.tokens = tokens < tokens_most ? tokens : tokens_most;
    return GS_OK;
}

/* As much as can be had with what sorting it needs. */
static gs_code fit_room(gs_word_block *w, size_t available, gs_status *st)
{
    const gs_word_room least = least_room(&w->options);
    GS_TRY(choose_room(w, available, st));
    for (;;) {
        GS_TRY(gs_word_sort_temp(&w->room, gs_word_has_numbers(&w->options),
                                 &w->temp_bytes, st));
        if (gs_device_taken(lay_out(w)) <= available)
            return GS_OK;
        gs_assert(w->room.tokens > least.tokens);
        const uint64_t fewer = w->room.tokens / 64 * 63;
        w->room.tokens = fewer > least.tokens ? fewer : least.tokens;
    }
}

static gs_code choose_memory(const gs_word_options *o, size_t *available, gs_status *st)
{
    size_t free_bytes = 0, total = 0;
    GPU_TRY(st, cudaMemGetInfo(&free_bytes, &total));
    *available = free_bytes > 2 * GS_DEVICE_RESERVE_BYTES
                     ? free_bytes - GS_DEVICE_RESERVE_BYTES
                     : free_bytes / 2;
    if (o->memory_bytes_max > 0 && o->memory_bytes_max < *available)
        *available = o->memory_bytes_max;
    return GS_OK;
}

static gs_code new_lanes(gs_word_block *w, gs_status *st)
{
    for (unsigned i = 0; i < w->options.lanes; i++) {
        gs_word_lane_memory *const lane = &w->lanes[i];
        void *memory = nullptr;
        layout none = {nullptr, 0}, host = {nullptr, 0};
        lay_out_lane(w, lane, &none, &host);
        GPU_TRY(st, cudaMallocHost(&memory, host.used));
        lane->h_memory = (uint8_t *)memory;
        GPU_TRY(st, cudaStreamCreateWithFlags(&lane->stream, cudaStreamNonBlocking));
    }
    return GS_OK;
}

static gs_code new_memory(gs_word_block *w, gs_status *st)
{
    void *memory = nullptr;
    size_t available = 0;
    GPU_TRY(st, cub::DeviceScan::ExclusiveSum(nullptr, w->lane_temp_bytes,
                                              (uint32_t *)nullptr, (uint32_t *)nullptr,
                                              (int64_t)chunks_max(w)));
    GS_TRY(choose_memory(&w->options, &available, st));
    GS_TRY(fit_room(w, available, st));
    GS_TRY(new_lanes(w, st));
    GPU_TRY(st, cudaStreamCreateWithFlags(&w->stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaMallocHost(&memory, sizeof *w->h_state));
    w->h_state = (gs_word_state *)memory;
    w->device_bytes = lay_out(w);
    GPU_TRY(st, cudaMalloc(&memory, w->device_bytes));
    w->d_memory = (uint8_t *)memory;
    (void)lay_out(w);
    return gs_word_block_reset(w, st);
}

gs_code gs_word_block_new(gs_word_block **out, const gs_word_options *options,
                          gs_status *st)
{
    gs_assert(options->lanes > 0 && options->piece_documents > 0);
    gs_assert(options->piece_bytes <= GS_WORD_PIECE_BYTES_MAX);
    *out = nullptr;
    gs_device device;
    GS_TRY(gs_device_use(options->device, GS_ERR_GPU, &device, st));
    void *memory = nullptr;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_word_block), "GPU words", st));
    gs_word_block *const w = (gs_word_block *)memory;
    w->options = *options;
    GS_TRY_OR_FAIL(
        gs_mem_new(&memory, options->lanes * sizeof *w->lanes, "GPU words", st));
    w->lanes = (gs_word_lane_memory *)memory;
    GS_TRY_OR_FAIL(new_memory(w, st));
    *out = w;
    return GS_OK;
fail:
    gs_word_block_free(w);
    return st->code;
}

void gs_word_block_free(gs_word_block *w)
{
    if (w == nullptr)
        return;
    /* Nothing useful can be done if the device refuses to give something back. */
    (void)cudaSetDevice(w->options.device);
    (void)cudaDeviceSynchronize();
    for (unsigned i = 0; w->lanes != nullptr && i < w->options.lanes; i++) {
        if (w->lanes[i].stream)
            (void)cudaStreamDestroy(w->lanes[i].stream);
        (void)cudaFreeHost(w->lanes[i].h_memory);
    }
    if (w->stream)
        (void)cudaStreamDestroy(w->stream);
    (void)cudaFreeHost(w->h_state);
    (void)cudaFree(w->d_memory);
    (void)cudaGetLastError();
    gs_mem_free(w->group_starts);
    gs_mem_free(w->lanes);
    gs_mem_free(w);
}

gs_code gs_word_block_reset(gs_word_block *w, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(w->options.device));
    GPU_TRY(st, cudaMemsetAsync(w->table.slots, 0,
                                ((size_t)w->table.slot_mask + 1) * sizeof *w->table.slots,
                                w->stream));
    *w->h_state = {};
    w->h_state->terms = w->table.left_out;
    w->h_state->term_bytes = w->left_out_bytes;
    GPU_TRY(st, cudaMemcpyAsync(w->table.state, w->h_state, sizeof *w->h_state,
                                cudaMemcpyHostToDevice, w->stream));
    if (w->table.left_out > 0) {
        k_put_again<<<gs_word_grid(w->table.left_out), GS_WORD_THREADS, 0, w->stream>>>(
            w->table);
        GPU_LAUNCHED(st, w->stream, "k_put_again");
    }
    GPU_TRY(st, cudaStreamSynchronize(w->stream));
    w->sums = {0, 0, 0, 0};
    w->is_exchanged = false;
    return GS_OK;
}

gs_word_lane gs_word_block_lane(const gs_word_block *w, unsigned lane)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const uint32_t *const lengths = (const uint32_t *)(const void *)(l->h_answer + 1);
    return {l->h_text, l->h_starts, lengths, l->h_documents, l->h_tokens, l->h_positions};
}

gs_word_room gs_word_block_room(const gs_word_block *w)
{
    return w->room;
}

size_t gs_word_block_device_bytes(const gs_word_block *w)
{
    return w->device_bytes;
}

/* --- pieces ------------------------------------------------------------------------- */

static gs_code upload(const gs_word_lane_memory *lane, const gs_word_piece *piece,
                      gs_status *st)
{
    GPU_TRY(st, cudaMemcpyAsync(lane->d_text, lane->h_text, piece->bytes,
                                cudaMemcpyHostToDevice, lane->stream));
    GPU_TRY(st, cudaMemcpyAsync(lane->d_starts, lane->h_starts,
                                piece->document_count * sizeof *lane->h_starts,
                                cudaMemcpyHostToDevice, lane->stream));
    GPU_TRY(st, cudaMemsetAsync(lane->d_answer, 0, sizeof *lane->d_answer, lane->stream));
    return GS_OK;
}

static gs_code find_words(gs_word_block *w, const gs_word_lane_memory *lane,
                          const gs_word_task *task, gs_status *st)
{
    const uint32_t chunks = gs_word_chunks(task->piece.bytes);
    size_t temp_bytes = w->lane_temp_bytes;
    k_count_words<<<gs_word_grid(chunks + 1), GS_WORD_THREADS, 0, lane->stream>>>(*task);
    GPU_LAUNCHED(st, lane->stream, "k_count_words");
    GPU_TRY(st,
            cub::DeviceScan::ExclusiveSum(lane->d_temp, temp_bytes, task->sums,
                                          task->sums, (int64_t)chunks + 1, lane->stream));
    k_find_documents<<<gs_word_grid(task->piece.document_count), GS_WORD_THREADS, 0,
                       lane->stream>>>(*task, w->table.state);
    GPU_LAUNCHED(st, lane->stream, "k_find_documents");
    k_take_words<<<gs_word_grid(chunks), GS_WORD_THREADS, 0, lane->stream>>>(
        *task, w->table, w->d_keys[0], w->d_positions[0], w->room.tokens);
    GPU_LAUNCHED(st, lane->stream, "k_take_words");
    return GS_OK;
}

gs_code gs_word_take_answer(const gs_word_block *w, const gs_word_lane_memory *lane,
                            size_t answer_bytes, gs_status *st)
{
    GPU_TRY(st, cudaMemcpyAsync(lane->h_answer, lane->d_answer, answer_bytes,
                                cudaMemcpyDeviceToHost, lane->stream));
    GPU_TRY(st, cudaMemcpyAsync(lane->h_state, w->table.state, sizeof *lane->h_state,
                                cudaMemcpyDeviceToHost, lane->stream));
    GPU_TRY(st, cudaStreamSynchronize(lane->stream));
    if (lane->h_state->has_failed != 0)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU: words did not fit that had room");
    return GS_OK;
}

gs_code gs_word_block_add(gs_word_block *w, unsigned lane, const gs_word_piece *piece,
                          gs_word_counts *out, gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const gs_word_answer *const a = l->h_answer;
    gs_assert(w->options.source == GS_WORD_TEXTS && lane < w->options.lanes);
    gs_assert(piece->document_count > 0);
    gs_assert(piece->bytes <= w->options.piece_bytes &&
              piece->document_count <= w->options.piece_documents);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    const gs_word_task task = {
        l->d_text,
        l->d_starts,
        l->d_sums,
        l->d_firsts,
        (uint32_t *)(void *)(l->d_answer + 1),
        l->d_answer,
        *piece,
        w->options.is_folding,
        w->options.ascii_bytes_min,
        w->options.ascii_bytes_max,
    };
    GS_TRY(upload(l, piece, st));
    GS_TRY(find_words(w, l, &task, st));
    GS_TRY(gs_word_take_answer(w, l, sizeof *a + piece->document_count * sizeof(uint32_t),
                               st));
    const gs_word_state *const s = l->h_state;
    *out = {a->words,
            a->last_words,
            a->long_words,
            UINT32_MAX - a->long_document,
            {s->tokens, s->terms, s->term_bytes}};
    return GS_OK;
}

/* They are the first terms, and their tokens are forgotten. */
gs_code gs_word_block_leave_out(gs_word_block *w, unsigned lane, uint32_t bytes,
                                gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const gs_word_piece piece = {bytes, 1, 0, 0};
    gs_word_counts counts;
    l->h_starts[0] = 0;
    GS_TRY(gs_word_block_add(w, lane, &piece, &counts, st));
    GPU_TRY(st, cudaMemsetAsync(&w->table.state->tokens, 0, sizeof l->h_state->tokens,
                                l->stream));
    GPU_TRY(st, cudaMemsetAsync(&w->table.state->left_out, 0, sizeof l->h_state->left_out,
                                l->stream));
    GPU_TRY(st, cudaStreamSynchronize(l->stream));
    w->table.left_out = (uint32_t)counts.used.terms;
    w->left_out_bytes = counts.used.term_bytes;
    return GS_OK;
}
