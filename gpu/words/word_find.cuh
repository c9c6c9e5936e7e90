/* SPDX-License-Identifier: MIT */
/*
 * word_find: the kernels that make tokens of a piece of text.
 *
 * Each is a thread a chunk or a document, in any number of blocks. The text is read three
 * times, byte by byte, from the caches: a piece is smaller than the second level, and
 * what the threads of a warp read lies side by side.
 */
#ifndef GS_GPU_WORDS_WORD_FIND_CUH
#define GS_GPU_WORDS_WORD_FIND_CUH

#include "gpu/words/word_table.cuh"

/* A piece on the device. */
typedef struct gs_word_task {
    const uint8_t *text;
    const uint32_t *starts;
    uint32_t *sums, *firsts, *lengths;
    gs_word_answer *answer;
    gs_word_piece piece;
    bool is_folding;
    size_t ascii_bytes_min, ascii_bytes_max;
} gs_word_task;

/* How many words begin in each chunk, and none behind the last: 32 bytes a thread. */
static __global__ void k_count_words(gs_word_task task)
{
    const uint32_t chunk = (uint32_t)gs_word_thread(),
                   chunks = gs_word_chunks(task.piece.bytes);
    if (chunk <= chunks)
        task.sums[chunk] =
            gs_word_bits(gs_word_starts(task.text, task.piece.bytes, chunk));
}

/* The first word of each document and the end of the last; lengths; the place of the
 * piece's tokens among all. Two chunks a thread. */
static __global__ void k_find_documents(gs_word_task task, gs_word_state *state)
{
    const uint32_t d = (uint32_t)gs_word_thread(), count = task.piece.document_count;
    const uint32_t words = task.sums[gs_word_chunks(task.piece.bytes)];
    if (d >= count)
        return;
    const uint32_t bytes = task.piece.bytes,
                   first = gs_word_before(task.text, bytes, task.sums, task.starts[d]),
                   end = d + 1 < count ? gs_word_before(task.text, bytes, task.sums,
                                                        task.starts[d + 1])
                                       : words;
    task.firsts[d] = first;
    task.lengths[d] = end - first;
    if (d + 1 == count)
        task.answer->last_words = end - first;
    if (d > 0)
        return;
    task.answer->words = words;
    task.answer->first_token = atomicAdd(&state->tokens, (unsigned long long)words);
}

/* Notes a word that is left out. */
static __device__ void gs_word_leave_out(const gs_word_task *task, gs_word_state *state,
                                         uint32_t document, bool is_long)
{
    atomicSub(&task->lengths[document], 1u);
    atomicAdd(&state->left_out, 1ull);
    if (!is_long)
        return;
    atomicAdd(&task->answer->long_words, 1u);
    atomicMax(&task->answer->long_document, UINT32_MAX - document);
}

/* The number of a word's term; GS_WORD_NO_TERM and a note if it is left out. */
static __device__ uint32_t gs_word_keep(const gs_word_task *task,
                                        const gs_word_table *table, uint32_t document,
                                        const gs_word_view *word)
{
    const bool is_long = word->count > GS_WORD_BYTES_MAX;
    if (!is_long && !gs_word_is_gap(word) &&
        !gs_word_is_beyond(word, task->ascii_bytes_min, task->ascii_bytes_max)) {
        const uint32_t number = gs_word_number(table, word);
        if (number >= table->left_out)
            return number;
    }
    gs_word_leave_out(task, table->state, document, is_long);
    return GS_WORD_NO_TERM;
}

/* Tokens of the words that begin in a chunk. */
static __global__ void k_take_words(gs_word_task task, gs_word_table table,
                                    uint64_t *tokens, uint32_t *positions,
                                    uint64_t tokens_max)
{
    const uint32_t chunk = (uint32_t)gs_word_thread();
    if (chunk >= gs_word_chunks(task.piece.bytes))
        return;
    uint32_t starts = gs_word_starts(task.text, task.piece.bytes, chunk);
    if (starts == 0)
        return;
    const uint32_t count = task.piece.document_count;
    uint32_t at = chunk * GS_WORD_CHUNK + gs_word_lowest(starts);
    uint32_t d = gs_word_holder(task.starts, count, at), index = task.sums[chunk];
    for (; starts != 0; starts &= starts - 1, index++) {
        at = chunk * GS_WORD_CHUNK + gs_word_lowest(starts);
        while (d + 1 < count && task.starts[d + 1] <= at)
            d++;
        const gs_word_view word =
            gs_word_at(task.text, task.piece.bytes, at, task.is_folding);
        const uint32_t number = gs_word_keep(&task, &table, d, &word);
        const uint64_t to = task.answer->first_token + index;
        if (to >= tokens_max) {
            table.state->has_failed = 1;
            return;
        }
        tokens[to] = gs_word_token(number, task.piece.first_document + d);
        if (positions != nullptr)
            positions[to] =
                index - task.firsts[d] + (d == 0 ? task.piece.first_position : 0);
    }
}

#endif
