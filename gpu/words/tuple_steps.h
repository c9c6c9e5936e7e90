/* SPDX-License-Identifier: MIT */
/*
 * tuple_steps: what one thread of a kernel does with lines and pairs, as C that the host
 * runs too: the GPU of tests (tests/fake_gpu) is made of it.
 *
 * A line is plain if it is a tuple that the reader of the cores takes
 * (lib/index/text/tuple.h), its docID below 2^32, and what is behind its term short. What
 * is to be said of another, or done with it, is for that reader.
 */
#ifndef GS_GPU_WORDS_TUPLE_STEPS_H
#define GS_GPU_WORDS_TUPLE_STEPS_H

#include "gpu/words/word_steps.h"
#include "lib/base/tuple_line.h"

enum { GS_TUPLE_NUMBERS_BYTES = 64 }; /* behind the term, of a plain line */

/* A bit for each byte of the chunk that begins a line, the lowest for the first. */
GS_WORD_BOTH uint32_t gs_tuple_starts(const uint8_t *text, uint32_t bytes, uint32_t chunk)
{
    const uint32_t begin = chunk * GS_WORD_CHUNK;
    uint32_t starts = 0;
    bool begins = begin == 0 || (begin < bytes && text[begin - 1] == '\n');
    for (uint32_t i = 0; i < GS_WORD_CHUNK && begin + i < bytes; i++) {
        starts |= (uint32_t)begins << i;
        begins = text[begin + i] == '\n';
    }
    return starts;
}

typedef struct gs_tuple_view {
    gs_word_view term;
    uint32_t document, tf;
} gs_tuple_view;

/* The tuple whose line begins at `at`; false: it is not plain. */
GS_WORD_BOTH bool gs_tuple_at(const uint8_t *text, uint32_t bytes, uint32_t at,
                              gs_tuple_view *out)
{
    uint32_t tab = at;
    while (tab < bytes && text[tab] != '\t' && text[tab] != '\n' &&
           tab - at <= GS_WORD_BYTES_MAX)
        tab++;
    if (tab == at || tab == bytes || text[tab] != '\t' || tab - at > GS_WORD_BYTES_MAX)
        return false;
    uint32_t end = tab + 1;
    while (end < bytes && text[end] != '\n' && end - tab <= GS_TUPLE_NUMBERS_BYTES)
        end++;
    if (end - tab > GS_TUPLE_NUMBERS_BYTES)
        return false;
    uint64_t document = 0;
    out->term.bytes = text + at;
    out->term.count = tab - at;
    out->term.is_folding = false;
    const gs_tuple_fault fault =
        gs_tuple_numbers(text + tab + 1, text + end, &document, &out->tf);
    out->document = (uint32_t)document;
    return fault == GS_TUPLE_IS_FINE && document <= UINT32_MAX;
}

/* The tuple of pair i, its term in `digits`. */
GS_WORD_BOTH void gs_tuple_pair(const uint8_t *pairs, uint32_t i,
                                uint8_t digits[GS_TUPLE_DIGITS_MAX], gs_tuple_view *out)
{
    const uint8_t *const pair = pairs + (size_t)i * GS_TUPLE_PAIR_BYTES;
    out->term.count = gs_tuple_digits(gs_tuple_u32(pair), digits);
    out->term.bytes = digits;
    out->term.is_folding = false;
    out->document = gs_tuple_u32(pair + 4);
    out->tf = 1;
}

#endif
