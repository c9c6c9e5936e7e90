/* SPDX-License-Identifier: MIT */
/*
 * word_memory: what a block of words is on the device, shared by its sources.
 *
 *      lanes    | text, starts, sums, firsts, answer and lengths, temp, windows | ...
 *      terms    | slots | terms | bytes | in order: items, ranks, places, firsts, bytes |
 *      tokens   | keys | keys | positions | positions | sums of heads | temp |
 *
 * One allocation, laid out by new. Of the two arrays of keys one holds tokens; when these
 * are sorted, one holds them and the other the postings: the documents, then where the
 * tokens of each begin. Of 64 bits a slot, of which half may be taken, a term takes 128
 * bytes in all, and a token 16 to 24. Of lines the frequencies of tuples are where else
 * positions are.
 */
#ifndef GS_GPU_WORDS_WORD_MEMORY_CUH
#define GS_GPU_WORDS_WORD_MEMORY_CUH

#include "gpu/device/gpu_try.cuh"
#include "gpu/words/word_steps.h"

enum { GS_WORD_THREADS = 256, GS_WORD_KEYS_A_THREAD = 16 };

/* What all pieces add to. */
typedef struct gs_word_state {
    unsigned long long tokens, term_bytes, left_out;
    unsigned long long tuple_tokens; /* frequencies of tuples together */
    unsigned terms, has_failed;
} gs_word_state;

/* What one piece gives. Lengths of documents follow. */
typedef struct gs_word_answer {
    unsigned long long first_token;
    unsigned words, last_words, long_words;
    unsigned long_document; /* counted back from UINT32_MAX; 0: none */
    /* Of tuples: */
    unsigned is_refused;
    unsigned first_document; /* counted back from UINT32_MAX */
    unsigned last_document;
    unsigned spare;
    unsigned long long more; /* frequencies together, each less one */
} gs_word_answer;

/* The terms, as a kernel sees them. */
typedef struct gs_word_table {
    unsigned long long *slots;
    uint32_t slot_mask, terms_max;
    uint64_t *terms, *words; /* gs_word_term of each number; their bytes */
    uint64_t words_max;
    uint32_t left_out; /* the first so many terms are of words that are left out */
    gs_word_state *state;
} gs_word_table;

typedef struct gs_word_lane_memory {
    cudaStream_t stream;
    uint8_t *h_text, *d_text;
    uint32_t *h_starts, *d_starts;
    uint32_t *d_sums, *d_firsts;
    gs_word_answer *h_answer, *d_answer;
    gs_word_state *h_state;
    uint32_t *h_documents, *h_tokens, *h_positions;
    void *d_temp;
    uint8_t *h_memory; /* all of the host's */
} gs_word_lane_memory;

struct gs_word_block {
    gs_word_options options;
    gs_word_room room;
    uint8_t *d_memory;
    size_t device_bytes;
    gs_word_lane_memory *lanes;
    size_t lane_temp_bytes;
    cudaStream_t stream;
    gs_word_state *h_state;

    gs_word_table table;
    uint64_t left_out_bytes; /* of its terms that are left out */
    gs_word_item *d_items;
    uint32_t *d_ranks;
    uint64_t *d_places;         /* of terms in their order */
    uint32_t *d_first_postings; /* room.terms + 1 */
    uint64_t *d_ordered;        /* bytes of terms in their order */

    uint64_t *d_keys[2];
    uint32_t *d_positions[2];
    uint32_t *d_heads; /* sums, by GS_WORD_KEYS_A_THREAD keys */
    void *d_temp;
    size_t temp_bytes;

    uint32_t own_terms; /* that sort_terms has put in order */
    bool is_exchanged;  /* then keys are made, of documents from there on, */
    uint32_t exchanged_first;
    unsigned exchanged_bits; /* and of so many bits of them */

    /* After sort: */
    gs_word_sums sums;
    const uint32_t *d_documents, *d_starts;
    uint32_t *d_sorted_positions;
    uint8_t *d_free; /* the array of keys that neither holds postings nor is needed */
    size_t free_bytes;
    /* After encode: */
    uint64_t *group_starts; /* the host's, of d_blocks */
    const uint8_t *d_blocks;
    uint32_t *d_tail_firsts, *d_tail_documents, *d_tail_starts;
};

/* Does a number go with each token? A position, or a frequency. */
static inline bool gs_word_has_numbers(const gs_word_options *o)
{
    return o->has_positions || o->source == GS_WORD_LINES;
}

/* Does a number have to come along with each token? */
bool gs_word_moves_numbers(const gs_word_block *w);

/* What a lane's piece gave, and the block so far; waits. */
gs_code gs_word_take_answer(const gs_word_block *w, const gs_word_lane_memory *lane,
                            size_t answer_bytes, gs_status *st);

/* Blocks of a launch of so many threads, at least one; and which of them runs. */
unsigned gs_word_grid(uint64_t threads);
static __device__ inline uint64_t gs_word_thread()
{
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
/* So many postings, and where the tokens of the last one end, to the lane. Waits. */
gs_code gs_word_fetch_postings(const gs_word_lane_memory *lane, const uint32_t *documents,
                               const uint32_t *starts, size_t count, gs_status *st);
/* What the steps of a sort need beside the arrays, for blocks of so much. */
gs_code gs_word_sort_temp(const gs_word_room *room, bool has_numbers, size_t *bytes,
                          gs_status *st);

#endif
