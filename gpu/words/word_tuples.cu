/* SPDX-License-Identifier: MIT */
/*
 * word_tuples: pieces of ready tuples to tokens.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/device/device_scan.cuh>

#include "gpu/words/tuple_find.cuh"
#include "lib/base/assertion.h"

static gs_code take_lines(gs_word_block *w, const gs_word_lane_memory *lane,
                          const gs_tuple_task *task, gs_status *st)
{
    const uint32_t chunks = gs_word_chunks(task->bytes);
    size_t temp_bytes = w->lane_temp_bytes;
    k_check_tuples<<<gs_word_grid(chunks + 1), GS_WORD_THREADS, 0, lane->stream>>>(*task);
    GPU_LAUNCHED(st, lane->stream, "k_check_tuples");
    GPU_TRY(st,
            cub::DeviceScan::ExclusiveSum(lane->d_temp, temp_bytes, task->sums,
                                          task->sums, (int64_t)chunks + 1, lane->stream));
    k_place_tuples<<<1, GS_WORD_THREADS, 0, lane->stream>>>(*task, 0, w->table.state);
    GPU_LAUNCHED(st, lane->stream, "k_place_tuples");
    k_take_lines<<<gs_word_grid(chunks), GS_WORD_THREADS, 0, lane->stream>>>(
        *task, w->table, w->d_keys[0], w->d_positions[0], w->room.tokens);
    GPU_LAUNCHED(st, lane->stream, "k_take_lines");
    return GS_OK;
}

static gs_code take_pairs(gs_word_block *w, const gs_word_lane_memory *lane,
                          const gs_tuple_task *task, gs_status *st)
{
    const uint32_t count = task->bytes / GS_TUPLE_PAIR_BYTES;
    k_place_tuples<<<1, GS_WORD_THREADS, 0, lane->stream>>>(*task, count, w->table.state);
    GPU_LAUNCHED(st, lane->stream, "k_place_tuples");
    k_take_pairs<<<gs_word_grid(count), GS_WORD_THREADS, 0, lane->stream>>>(
        *task, w->table, w->d_keys[0], w->room.tokens);
    GPU_LAUNCHED(st, lane->stream, "k_take_pairs");
    return GS_OK;
}

gs_code gs_word_block_add_tuples(gs_word_block *w, unsigned lane, uint32_t bytes,
                                 gs_tuple_counts *out, gs_status *st)
{
    const gs_word_lane_memory *const l = &w->lanes[lane];
    const gs_word_answer *const a = l->h_answer;
    const bool are_lines = w->options.source == GS_WORD_LINES;
    gs_assert(w->options.source != GS_WORD_TEXTS && lane < w->options.lanes);
    gs_assert(bytes > 0 && bytes <= w->options.piece_bytes);
    gs_assert(are_lines || bytes % GS_TUPLE_PAIR_BYTES == 0);
    GPU_TRY(st, cudaSetDevice(w->options.device));
    const gs_tuple_task task = {l->d_text, bytes, are_lines ? l->d_sums : nullptr,
                                l->d_answer};
    GPU_TRY(st, cudaMemcpyAsync(l->d_text, l->h_text, bytes, cudaMemcpyHostToDevice,
                                l->stream));
    GPU_TRY(st, cudaMemsetAsync(l->d_answer, 0, sizeof *l->d_answer, l->stream));
    GS_TRY(are_lines ? take_lines(w, l, &task, st) : take_pairs(w, l, &task, st));
    GS_TRY(gs_word_take_answer(w, l, sizeof *a, st));
    const gs_word_state *const s = l->h_state;
    *out = {a->is_refused != 0,
            a->words,
            UINT32_MAX - a->first_document,
            a->last_document,
            a->words + a->more,
            s->tuple_tokens,
            {s->tokens, s->terms, s->term_bytes}};
    return GS_OK;
}
