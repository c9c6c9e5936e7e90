/* SPDX-License-Identifier: MIT */
/*
 * text_piece: texts of documents, as a GPU finds words in them (gpu/words/word_block.h).
 *
 *      text     Fish, chips:  crème brûlée.  12 peas
 *      cut      |           |             |         |       before ASCII that is in no
 * word piece    Fish, chips:  crème brûlée .  12 peas ^ as the tokenizer folds and cuts
 * it: a term, a space, ...
 *
 * What is ASCII is copied as it is. A stretch with other characters, from the last ASCII
 * character before them that is in no word up to the next one behind them, goes through
 * the tokenizer, and its terms stand in its place: a text may be cut before such a
 * character without changing its terms (lib/index/text/fold.h). So the words of the piece
 * are the terms of the texts, in their order, and the tokenizer is one. A word that is
 * left out leaves a gap; which words of ASCII are is for the GPU to see.
 *
 * Call order: bind, (clear, (begin_document, (begin_text, take*)*)*)*. What take could
 * not place is gone on with in the next piece. One thread. The tokenizer does not stem.
 */
#ifndef GS_LIB_INDEX_BLOCK_TEXT_PIECE_H
#define GS_LIB_INDEX_BLOCK_TEXT_PIECE_H

#include "lib/base/text_span.h"
#include "lib/index/text/documents.h"

/* A piece has room for a word of any length. */
enum { GS_TEXT_PIECE_BYTES_MIN = 4 * (GS_TERM_BYTES_MAX + 1) };

/* Zeroed before its first use. */
typedef struct gs_text_piece {
    uint8_t *text;
    uint32_t *starts; /* of documents, and the end of the last */
    size_t bytes, byte_capacity;
    size_t document_count, document_capacity;
    bool goes_on; /* the first document has begun in a piece before */

    gs_tokenizer *tokenizer;
    gs_token_batch *tokens;
    const uint8_t *at, *end; /* what is left of the text */
    bool in_stretch;         /* some of its terms are not placed yet */
    bool is_read;            /* and those at hand are the last */
    size_t placed;           /* of the tokens at hand */
    uint32_t position;       /* that comes next, counted in the stretch */
} gs_text_piece;

/* Where the piece is from now on, and what cuts its stretches; borrowed. At least
 * GS_TEXT_PIECE_BYTES_MIN bytes. */
void gs_text_piece_bind(gs_text_piece *p, uint8_t *text, size_t byte_capacity,
                        uint32_t *starts, size_t document_capacity);
void gs_text_piece_use(gs_text_piece *p, gs_tokenizer *tokenizer, gs_token_batch *tokens);

/* Empties it; a document whose text is not at its end goes on as the first of the next.
 */
void gs_text_piece_clear(gs_text_piece *p, bool goes_on);
/* False: no more documents fit. */
bool gs_text_piece_begin_document(gs_text_piece *p);
void gs_text_piece_begin_text(gs_text_piece *p, const uint8_t *text, size_t bytes);
/* Places what fits of the text; *is_done if that is all. An empty piece takes some. */
GS_MUST_CHECK gs_code gs_text_piece_take(gs_text_piece *p, bool *is_done, gs_status *st);

#endif
