/* SPDX-License-Identifier: MIT */
/*
 * word_table: the terms of a block, by their bytes: numbers for them, given in the order
 * in which threads meet them.
 *
 *      slot     0               free
 *               tag, BUSY       its term is being written, by the thread that took it
 *               tag, number+1   a term with that part of its hash
 *
 * Slots are looked at one after the other from where the hash says. A thread that meets a
 * busy slot of its own tag waits for it; the thread that took it goes on whatever others
 * of its warp do, which holds from compute capability 7.0 on. Bytes are compared, always.
 * What other multiprocessors have written is read past the first-level cache, which may
 * hold the line from before.
 */
#ifndef GS_GPU_WORDS_WORD_TABLE_CUH
#define GS_GPU_WORDS_WORD_TABLE_CUH

#include "gpu/words/word_memory.cuh"

const uint32_t GS_WORD_BUSY = UINT32_MAX;

static __device__ unsigned long long gs_word_look(const unsigned long long *slot)
{
    return *(const volatile unsigned long long *)slot;
}

static __device__ bool gs_word_is_term(const gs_word_table *t, uint32_t number,
                                       const gs_word_view *word)
{
    const uint64_t term = __ldcg((const unsigned long long *)t->terms + number);
    if (gs_word_term_length(term) != word->count)
        return false;
    const uint64_t at = gs_word_term_at(term) / GS_WORD_TERM_PAD;
    for (uint32_t i = 0; i < gs_word_term_words(word->count); i++) {
        if (__ldcg((const unsigned long long *)t->words + at + i) !=
            gs_word_term_word(word, i))
            return false;
    }
    return true;
}

/* A number for a term that is new; GS_WORD_NO_TERM if there is no room, which callers of
 * the block have made sure of. */
static __device__ uint32_t gs_word_add_term(const gs_word_table *t,
                                            const gs_word_view *word)
{
    const uint32_t words = gs_word_term_words(word->count);
    const uint32_t number = atomicAdd(&t->state->terms, 1u);
    const uint64_t at =
        atomicAdd(&t->state->term_bytes, (unsigned long long)words * GS_WORD_TERM_PAD) /
        GS_WORD_TERM_PAD;
    if (number >= t->terms_max || at + words > t->words_max) {
        t->state->has_failed = 1;
        return GS_WORD_NO_TERM;
    }
    for (uint32_t i = 0; i < words; i++)
        t->words[at + i] = gs_word_term_word(word, i);
    t->terms[number] = gs_word_term_pack(at * GS_WORD_TERM_PAD, word->count);
    return number;
}

static __device__ uint32_t gs_word_number(const gs_word_table *t,
                                          const gs_word_view *word)
{
    const uint64_t hash = gs_word_hash(word);
    const unsigned long long tag = hash >> 32 << 32;
    for (uint32_t i = (uint32_t)hash & t->slot_mask, tries = 0;; tries++) {
        unsigned long long have = gs_word_look(&t->slots[i]);
        if (have == 0) {
            have = atomicCAS(&t->slots[i], 0ull, tag | GS_WORD_BUSY);
            if (have == 0) {
                const uint32_t number = gs_word_add_term(t, word);
                __threadfence();
                if (number == GS_WORD_NO_TERM) {
                    atomicExch(&t->slots[i], 0ull);
                    return GS_WORD_NO_TERM;
                }
                atomicExch(&t->slots[i], tag | (number + 1));
                return number;
            }
        }
        while (have == (tag | GS_WORD_BUSY))
            have = gs_word_look(&t->slots[i]);
        if (have != 0 && (have >> 32 << 32) == tag &&
            gs_word_is_term(t, (uint32_t)have - 1, word))
            return (uint32_t)have - 1;
        if (tries > t->slot_mask || t->state->has_failed != 0) {
            t->state->has_failed = 1;
            return GS_WORD_NO_TERM;
        }
        if (have != 0) /* or it was given up, and is looked at again */
            i = (i + 1) & t->slot_mask;
    }
}

/* The terms that are left out, which keep their numbers, in a table without others: a
 * term a thread. */
static __global__ void k_put_again(gs_word_table table)
{
    const uint32_t number = blockIdx.x * blockDim.x + threadIdx.x;
    if (number >= table.left_out)
        return;
    const gs_word_view word = gs_word_of_term(table.words, table.terms[number]);
    const uint64_t hash = gs_word_hash(&word);
    const unsigned long long slot = hash >> 32 << 32 | (number + 1);
    uint32_t i = (uint32_t)hash & table.slot_mask;
    while (atomicCAS(&table.slots[i], 0ull, slot) != 0)
        i = (i + 1) & table.slot_mask;
}

#endif
