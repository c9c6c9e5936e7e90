/* SPDX-License-Identifier: MIT */
/*
 * gen_text: the pieces of text that generated records are made of.
 *
 * Each function writes at `to` and returns the place after what it wrote. Those that say
 * so write up to GS_GEN_TEXT_SLACK bytes more, which the next piece covers.
 */
#ifndef GS_LIB_DATA_GEN_TEXT_H
#define GS_LIB_DATA_GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/data/gen_random.h"

enum {
    GS_GEN_TEXT_SLACK = 16,
    GS_GEN_ALPHABET_MAX = 64,
    GS_GEN_TERM_BYTES_MAX = 12,
    GS_GEN_DECIMAL_BYTES_MAX = 20,
};

/* Up to 64 different characters, ascending, and random pairs of them: 12 bits pick one.
 */
typedef struct gs_gen_alphabet {
    uint8_t symbols[GS_GEN_ALPHABET_MAX];
    uint64_t count;
    uint8_t pairs[4096][2];
} gs_gen_alphabet;

/* False unless `symbols` holds 1 to 64 different bytes. */
bool gs_gen_alphabet_init(gs_gen_alphabet *alphabet, const char *symbols);

/* `bytes` random characters. Writes slack. */
uint8_t *gs_gen_put_random(uint8_t *to, size_t bytes, const gs_gen_alphabet *alphabet,
                           gs_gen_random *random);
/* The first `digits` digits of the fraction x / 2^64, in the alphabet's base: texts of
 * the same length compare as the numbers do. */
uint8_t *gs_gen_put_fraction(uint8_t *to, size_t digits, const gs_gen_alphabet *alphabet,
                             uint64_t x);
/* The word of a rank: 2 to 12 lower-case letters, longer for rarer words, no two alike,
 * their byte order unlike that of the ranks. */
uint8_t *gs_gen_put_term(uint8_t *to, uint64_t rank);
uint8_t *gs_gen_put_decimal(uint8_t *to, uint64_t x);
uint8_t *gs_gen_put_padded(uint8_t *to, uint64_t x, unsigned digits);
uint8_t *gs_gen_put_string(uint8_t *to, const char *text);

#endif
