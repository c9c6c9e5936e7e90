/* SPDX-License-Identifier: MIT */
/*
 * word_steps: what one thread of a kernel does with the text of a piece, as C that the
 * host runs too: the GPU of tests (tests/fake_gpu) is made of it.
 *
 * A thread looks at a chunk of GS_WORD_CHUNK bytes: the words that begin there are its
 * own, wherever they end. Sums of words by chunk say which word of the piece is which.
 */
#ifndef GS_GPU_WORDS_WORD_STEPS_H
#define GS_GPU_WORDS_WORD_STEPS_H

#include "gpu/words/word_block.h"
#include "lib/base/ascii_word.h"

enum { GS_WORD_CHUNK = 32 };

#define GS_WORD_NO_TERM UINT32_MAX /* a token of a word that is left out */

GS_WORD_BOTH uint32_t gs_word_chunks(uint32_t bytes)
{
    return (bytes + GS_WORD_CHUNK - 1) / GS_WORD_CHUNK;
}

GS_WORD_BOTH bool gs_word_has(uint8_t c)
{
    return c >= 0x80 || gs_ascii_is_word(c);
}

GS_WORD_BOTH uint32_t gs_word_bits(uint32_t mask)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__popc(mask);
#else
    return (uint32_t)__builtin_popcount(mask);
#endif
}

GS_WORD_BOTH uint32_t gs_word_lowest(uint32_t mask)
{
#ifdef __CUDA_ARCH__
    return (uint32_t)__ffs((int)mask) - 1;
#else
    return (uint32_t)__builtin_ctz(mask);
#endif
}

/* A bit for each byte of the chunk that begins a word, the lowest for the first. */
GS_WORD_BOTH uint32_t gs_word_starts(const uint8_t *text, uint32_t bytes, uint32_t chunk)
{
    const uint32_t begin = chunk * GS_WORD_CHUNK;
    uint32_t starts = 0;
    bool was_in = begin > 0 && begin < bytes && gs_word_has(text[begin - 1]);
    for (uint32_t i = 0; i < GS_WORD_CHUNK && begin + i < bytes; i++) {
        const bool is_in = gs_word_has(text[begin + i]);
        starts |= (uint32_t)(is_in && !was_in) << i;
        was_in = is_in;
    }
    return starts;
}

/* The words that begin before `at`; sums[c] is how many do before chunk c. */
GS_WORD_BOTH uint32_t gs_word_before(const uint8_t *text, uint32_t bytes,
                                     const uint32_t *sums, uint32_t at)
{
    const uint32_t chunk = at / GS_WORD_CHUNK;
    const uint32_t below = ((uint32_t)1 << at % GS_WORD_CHUNK) - 1;
    return sums[chunk] + gs_word_bits(gs_word_starts(text, bytes, chunk) & below);
}

/* The last of `count` that begins at `at` or before: the document that holds a byte, or
 * the term that has a posting. */
GS_WORD_BOTH uint32_t gs_word_holder(const uint32_t *starts, uint32_t count, uint32_t at)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (starts[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Postings of a block in order. */
typedef struct gs_word_postings {
    const uint32_t *first_postings; /* terms + 1 */
    uint32_t terms;
    const uint32_t *documents, *starts, *positions;
} gs_word_postings;

/* The full block that is at a place, of as many as there are full blocks in all postings;
 * false: it is empty. No term but the last that begins before the place ends can have a
 * block there. */
GS_WORD_BOTH bool gs_word_block_at(const gs_word_postings *p, uint32_t place,
                                   gs_step_block *b)
{
    const uint32_t last = place * GS_WORD_BLOCK + (GS_WORD_BLOCK - 1);
    const uint32_t term = gs_word_holder(p->first_postings, p->terms, last);
    const uint32_t begin = p->first_postings[term];
    const uint32_t before = (place - begin / GS_WORD_BLOCK) * GS_WORD_BLOCK;
    if (p->first_postings[term + 1] - begin < (uint64_t)before + GS_WORD_BLOCK)
        return false;
    const uint32_t first = begin + before;
    b->documents = p->documents + first;
    b->starts = p->starts + first;
    b->positions = p->positions;
    b->least = before == 0 ? 0 : p->documents[first - 1] + 1;
    return true;
}

/* A word, as a thread goes through it. */
typedef struct gs_word_view {
    const uint8_t *bytes;
    uint32_t count;
    bool is_folding;
} gs_word_view;

GS_WORD_BOTH gs_word_view gs_word_at(const uint8_t *text, uint32_t bytes, uint32_t at,
                                     bool is_folding)
{
    uint32_t end = at + 1;
    while (end < bytes && gs_word_has(text[end]))
        end++;
    const gs_word_view word = {text + at, end - at, is_folding};
    return word;
}

GS_WORD_BOTH bool gs_word_is_gap(const gs_word_view *word)
{
    return word->count == 1 && word->bytes[0] == GS_WORD_GAP;
}

/* Is the word one of ASCII that is shorter or longer than allowed? No limit is 0. */
GS_WORD_BOTH bool gs_word_is_beyond(const gs_word_view *word, size_t bytes_min,
                                    size_t bytes_max)
{
    if (word->count >= bytes_min && (bytes_max == 0 || word->count <= bytes_max))
        return false;
    for (uint32_t i = 0; i < word->count; i++) {
        if (word->bytes[i] >= 0x80)
            return false;
    }
    return true;
}

/* Bytes [8 i, 8 i + 8) of the term that the word is, the first lowest, padded with
 * zeros. */
GS_WORD_BOTH uint64_t gs_word_term_word(const gs_word_view *word, uint32_t i)
{
    uint64_t out = 0;
    for (uint32_t k = 0; k < 8 && 8 * i + k < word->count; k++) {
        const uint8_t c = word->bytes[8 * i + k];
        out |= (uint64_t)(word->is_folding ? gs_ascii_fold(c) : c) << 8 * k;
    }
    return out;
}

GS_WORD_BOTH uint32_t gs_word_term_words(uint32_t bytes)
{
    return (bytes + GS_WORD_TERM_PAD - 1) / GS_WORD_TERM_PAD;
}

GS_WORD_BOTH uint64_t gs_word_hash(const gs_word_view *word)
{
    uint64_t h = word->count * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = 0; i < gs_word_term_words(word->count); i++) {
        h = (h ^ gs_word_term_word(word, i)) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    h *= UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ h >> 29;
}

/* A token: the number of its term, or what stands for none, and its document. */
GS_WORD_BOTH uint64_t gs_word_token(uint32_t term, uint32_t document)
{
    return (uint64_t)term << 32 | document;
}

/* The same for sorting: the rank of its term, of `terms`, above the bits of documents,
 * which are counted from the first one. What stands for none comes last. */
GS_WORD_BOTH uint64_t gs_word_sort_key(uint64_t token, const uint32_t *ranks,
                                       uint32_t terms, uint32_t first_document,
                                       unsigned document_bits)
{
    const uint32_t term = (uint32_t)(token >> 32);
    const uint64_t rank = term == GS_WORD_NO_TERM ? terms : ranks[term];
    return rank << document_bits | ((uint32_t)token - first_document);
}

/* A number that compares as the first eight bytes do. */
GS_WORD_BOTH uint64_t gs_word_prefix(uint64_t term_word)
{
    uint64_t out = 0;
    for (unsigned i = 0; i < 8; i++)
        out = out << 8 | (term_word >> 8 * i & 0xff);
    return out;
}

GS_WORD_BOTH uint64_t gs_word_term_at(uint64_t term)
{
    return term >> GS_WORD_TERM_BITS;
}

GS_WORD_BOTH uint32_t gs_word_term_length(uint64_t term)
{
    return (uint32_t)(term & (((uint64_t)1 << GS_WORD_TERM_BITS) - 1));
}

GS_WORD_BOTH uint64_t gs_word_term_pack(uint64_t at, uint32_t bytes)
{
    return at << GS_WORD_TERM_BITS | bytes;
}

/* The term as a word that is folded already; `words` are all terms' bytes. */
GS_WORD_BOTH gs_word_view gs_word_of_term(const uint64_t *words, uint64_t term)
{
    const gs_word_view word = {
        (const uint8_t *)(words + gs_word_term_at(term) / GS_WORD_TERM_PAD),
        gs_word_term_length(term), false};
    return word;
}

/* A term on its way to its rank. */
typedef struct gs_word_item {
    uint64_t prefix;
    uint32_t number, spare;
} gs_word_item;

/* Is the term a before b? Their words are those of `bytes`, each at its place. */
GS_WORD_BOTH bool gs_word_item_is_less(const gs_word_item *a, const gs_word_item *b,
                                       const uint64_t *words, const uint64_t *terms)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    const uint64_t x = terms[a->number], y = terms[b->number];
    const uint32_t x_words = gs_word_term_words(gs_word_term_length(x)),
                   y_words = gs_word_term_words(gs_word_term_length(y));
    const uint32_t both = x_words < y_words ? x_words : y_words;
    for (uint32_t i = 1; i < both; i++) {
        const uint64_t p = gs_word_prefix(words[gs_word_term_at(x) / 8 + i]),
                       q = gs_word_prefix(words[gs_word_term_at(y) / 8 + i]);
        if (p != q)
            return p < q;
    }
    return gs_word_term_length(x) < gs_word_term_length(y);
}

#endif
