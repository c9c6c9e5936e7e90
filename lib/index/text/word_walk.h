/* SPDX-License-Identifier: MIT */
/*
 * word_walk: the terms of a text and where in it they stand, for who shows it.
 *
 *      The café's 東京都  ->  the [0,3)  café [4,9)  s [10,11)  東京 [12,18)  京都
 * [15,21)
 *
 * The text is cut where words may end, and each piece takes the way of the tokenizer
 * (lib/index/text/tokenizer.h), so terms are those of the index. What is not ASCII is
 * folded before it is cut, as the tokenizer does it, for folding makes words of symbols
 * and joins marks to letters (lib/index/text/folded_text.h). With terms that are whole
 * texts there is no place to tell.
 *
 * One thread.
 */
#ifndef GS_LIB_INDEX_TEXT_WORD_WALK_H
#define GS_LIB_INDEX_TEXT_WORD_WALK_H

#include "lib/index/text/tokenizer.h"

/* A term that stands at these bytes of the text. */
typedef void gs_word_fn(void *context, const gs_token *token, size_t begin, size_t end);

typedef struct gs_word_walk gs_word_walk;

/* Borrows the rules; without (NULL) there are no words. */
GS_MUST_CHECK gs_code gs_word_walk_new(gs_word_walk **out, const gs_word_rules *rules,
                                       gs_status *st);
void gs_word_walk_free(gs_word_walk *w); /* NULL is fine */

/* Only those words are wanted that may become terms that begin so: what no term is to be
 * found by costs little then. None, until it is asked for. */
void gs_word_walk_want_none(gs_word_walk *w);
void gs_word_walk_want(gs_word_walk *w, const uint8_t *term, size_t bytes);

/* Where a text that goes on behind `bytes` may be cut, from `least` up to there: between
 * words, or if none ends there between characters. */
size_t gs_word_walk_seam(const uint8_t *text, size_t least, size_t bytes);
/* Calls `fn` for what is wanted, in order. The text is readable GS_TEXT_SLACK bytes
 * beyond its end. */
GS_MUST_CHECK gs_code gs_word_walk_text(gs_word_walk *w, const uint8_t *text,
                                        size_t bytes, gs_word_fn *fn, void *context,
                                        gs_status *st);

#endif
