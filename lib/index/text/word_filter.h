/* SPDX-License-Identifier: MIT */
/*
 * word_filter: which words are kept, and what they are stemmed to.
 *
 * The rules (lib/index/text/tokenizer.h) are shared; a filter belongs to one thread.
 * Stems of words met lately are remembered, since a few words make most of any text.
 */
#ifndef GS_LIB_INDEX_TEXT_WORD_FILTER_H
#define GS_LIB_INDEX_TEXT_WORD_FILTER_H

#include "lib/index/text/tokenizer.h"

typedef struct gs_word_filter gs_word_filter;

/* Stems only with `has_stems`. *out is NULL if every word is kept as it is. */
GS_MUST_CHECK gs_code gs_word_filter_new(gs_word_filter **out, const gs_word_rules *rules,
                                         bool has_stems, gs_status *st);
void gs_word_filter_free(gs_word_filter *filter); /* NULL is fine */

/* `word` is padded (lib/index/text/token.h), with room for GS_TERM_BYTES_MAX bytes and a
 * pad, and `chars` are its characters, 0 if no limit is meant for it. Puts the term in
 * its place and returns the term's length, 0 if it is left out. */
size_t gs_word_filter_apply(gs_word_filter *filter, uint8_t *word, size_t bytes,
                            size_t chars);

#endif
