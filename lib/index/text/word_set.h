/* SPDX-License-Identifier: MIT */
/*
 * word_set: the stop words, asked for each word of the input.
 *
 * Filled by one thread, then read by any number.
 */
#ifndef GS_LIB_INDEX_TEXT_WORD_SET_H
#define GS_LIB_INDEX_TEXT_WORD_SET_H

#include <stdbool.h>

#include "lib/index/text/token.h"

typedef struct gs_word_set gs_word_set;

GS_MUST_CHECK gs_code gs_word_set_new(gs_word_set **out, gs_status *st);
void gs_word_set_free(gs_word_set *set); /* NULL is fine */

/* Copies the word. */
GS_MUST_CHECK gs_code gs_word_set_add(gs_word_set *set, const gs_token *word,
                                      gs_status *st);
/* `word` is padded (lib/index/text/token.h). */
bool gs_word_set_has(const gs_word_set *set, const uint8_t *word, size_t bytes,
                     uint32_t hash);
size_t gs_word_set_count(const gs_word_set *set);
/* One word after the other, in no order: *slot starts from 0; false behind the last. */
bool gs_word_set_next(const gs_word_set *set, size_t *slot, const uint8_t **word,
                      size_t *bytes);

#endif
