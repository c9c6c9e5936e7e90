/* SPDX-License-Identifier: MIT */
/*
 * tuple_find: the kernels that make tokens of tuples.
 *
 * A thread a chunk of lines, in any number of blocks, or a thread a pair. The text is
 * read twice, from the second-level cache: first each line is looked at, then, if all are
 * plain, terms are looked up and tokens put where the sums of lines by chunk say.
 */
#ifndef GS_GPU_WORDS_TUPLE_FIND_CUH
#define GS_GPU_WORDS_TUPLE_FIND_CUH

#include "gpu/words/tuple_steps.h"
#include "gpu/words/word_find.cuh"

/* A piece on the device. */
typedef struct gs_tuple_task {
    const uint8_t *text;
    uint32_t bytes;
    uint32_t *sums; /* of lines, by chunk */
    gs_word_answer *answer;
} gs_tuple_task;

/* The most so far, which most threads only have to look at. */
static __device__ void gs_tuple_note_most(unsigned *most, unsigned value)
{
    if (value > *(const volatile unsigned *)most)
        atomicMax(most, value);
}

static __device__ void gs_tuple_note_document(gs_word_answer *answer, uint32_t document)
{
    gs_tuple_note_most(&answer->first_document, UINT32_MAX - document);
    gs_tuple_note_most(&answer->last_document, document);
}

/* How many lines begin in each chunk, and none behind the last; are all plain? 32 bytes a
 * thread and the rest of its last line. */
static __global__ void k_check_tuples(gs_tuple_task task)
{
    const uint32_t chunk = (uint32_t)gs_word_thread(),
                   chunks = gs_word_chunks(task.bytes);
    if (chunk > chunks)
        return;
    uint32_t starts = gs_tuple_starts(task.text, task.bytes, chunk);
    task.sums[chunk] = gs_word_bits(starts);
    unsigned long long more = 0;
    for (; starts != 0; starts &= starts - 1) {
        const uint32_t at = chunk * GS_WORD_CHUNK + gs_word_lowest(starts);
        gs_tuple_view tuple;
        if (!gs_tuple_at(task.text, task.bytes, at, &tuple)) {
            task.answer->is_refused = 1;
            return;
        }
        gs_tuple_note_document(task.answer, tuple.document);
        more += tuple.tf - 1;
    }
    if (more > 0)
        atomicAdd(&task.answer->more, more);
}

/* The place of the piece's tokens among all: `count` tuples, or as many as there are
 * lines. One thread. */
static __global__ void k_place_tuples(gs_tuple_task task, uint32_t count,
                                      gs_word_state *state)
{
    gs_word_answer *const answer = task.answer;
    if (gs_word_thread() != 0 || answer->is_refused != 0)
        return;
    answer->words = task.sums != nullptr ? task.sums[gs_word_chunks(task.bytes)] : count;
    answer->first_token = atomicAdd(&state->tokens, (unsigned long long)answer->words);
    atomicAdd(&state->tuple_tokens, answer->words + answer->more);
}

static __device__ void gs_tuple_put(const gs_word_table *table,
                                    const gs_tuple_view *tuple, uint64_t to,
                                    uint64_t *tokens, uint64_t tokens_max)
{
    if (to < tokens_max)
        tokens[to] = gs_word_token(gs_word_number(table, &tuple->term), tuple->document);
    else
        table->state->has_failed = 1;
}

/* Tokens of the lines that begin in a chunk. */
static __global__ void k_take_lines(gs_tuple_task task, gs_word_table table,
                                    uint64_t *tokens, uint32_t *frequencies,
                                    uint64_t tokens_max)
{
    const uint32_t chunk = (uint32_t)gs_word_thread();
    if (chunk >= gs_word_chunks(task.bytes) || task.answer->is_refused != 0)
        return;
    uint32_t starts = gs_tuple_starts(task.text, task.bytes, chunk);
    uint64_t to = task.answer->first_token + task.sums[chunk];
    for (; starts != 0; starts &= starts - 1, to++) {
        const uint32_t at = chunk * GS_WORD_CHUNK + gs_word_lowest(starts);
        gs_tuple_view tuple;
        (void)gs_tuple_at(task.text, task.bytes, at, &tuple);
        gs_tuple_put(&table, &tuple, to, tokens, tokens_max);
        if (to < tokens_max)
            frequencies[to] = tuple.tf;
    }
}

/* The token of a pair. */
static __global__ void k_take_pairs(gs_tuple_task task, gs_word_table table,
                                    uint64_t *tokens, uint64_t tokens_max)
{
    const uint32_t i = (uint32_t)gs_word_thread();
    if (i >= task.bytes / GS_TUPLE_PAIR_BYTES)
        return;
    uint8_t digits[GS_TUPLE_DIGITS_MAX];
    gs_tuple_view tuple;
    gs_tuple_pair(task.text, i, digits, &tuple);
    gs_tuple_note_document(task.answer, tuple.document);
    gs_tuple_put(&table, &tuple, task.answer->first_token + i, tokens, tokens_max);
}

#endif
