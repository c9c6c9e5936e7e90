/* SPDX-License-Identifier: MIT */
/*
 * ascii_word: which ASCII bytes make words, and what folding makes of them; for the
 * tokenizer and, as C that a kernel can call, for the words that a GPU finds.
 */
#ifndef GS_LIB_BASE_ASCII_WORD_H
#define GS_LIB_BASE_ASCII_WORD_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GS_WORD_BOTH static __host__ __device__ __forceinline__
#else
#define GS_WORD_BOTH static inline
#endif

/* A letter or a digit. */
GS_WORD_BOTH bool gs_ascii_is_word(uint8_t c)
{
    const uint8_t letter = (uint8_t)((c | 0x20) - 'a'), digit = (uint8_t)(c - '0');
    return letter < 26 || digit < 10;
}

/* A letter in lower case; another byte as it is. */
GS_WORD_BOTH uint8_t gs_ascii_fold(uint8_t c)
{
    return (uint8_t)(c - 'A') < 26 ? (uint8_t)(c | 0x20) : c;
}

#endif
