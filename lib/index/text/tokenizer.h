/* SPDX-License-Identifier: MIT */
/*
 * tokenizer: text to terms.
 *
 *      "The café's 3 Doors"  ->  the 0   café 1   s 2   3 3   doors 4
 *      "東京都 2020"         ->  東京 0   京都 1   2020 2
 *
 * Text is folded and cut into words (lib/index/text/fold.h); every word takes a position.
 * Words of scripts without spaces cannot be told: each two characters that follow each
 * other, with the marks behind them, are a term, and one that is alone. No limit of
 * length is meant for those. Text may also be cut at white space alone, or not at all.
 * Then words that are too short, too long or stop words are left out, and the others
 * stemmed. Bytes that are not UTF-8 separate words. Words longer than 65535 bytes are
 * left out.
 *
 * ASCII, which is most of most texts, is classified 64 bytes at a time; only stretches
 * around other characters take the slow way, character by character.
 *
 * gs_word_rules are read-only once made and shared; a gs_tokenizer belongs to one thread.
 * For each text: begin, then next until a batch comes out empty. Texts lie in memory that
 * is readable GS_TEXT_SLACK bytes beyond their end.
 */
#ifndef GS_LIB_INDEX_TEXT_TOKENIZER_H
#define GS_LIB_INDEX_TEXT_TOKENIZER_H

#include <stdbool.h>

#include "lib/index/text/token.h"

enum { GS_TEXT_SLACK = 64 };

/* What is a word. */
typedef enum gs_word_kind {
    GS_WORDS_BIGRAMS, /* letters, marks and numbers; two characters where no spaces are */
    GS_WORDS_LETTERS, /* letters, marks and numbers */
    GS_WORDS_SPACED,  /* what stands between white space */
    GS_WORDS_RAW,     /* a text, whole */
    GS_WORD_KINDS,
} gs_word_kind;

/* "bigrams", "words", "whitespace", "raw"; NULL if there is none of that number. */
const char *gs_word_kind_name(gs_word_kind kind);

typedef struct gs_word_rules_options {
    gs_word_kind kind;
    bool is_folding;
    const char *stem_language; /* a name Snowball knows; NULL: no stemming */
    const char *stop_file;     /* a word a line, '#' begins a comment; NULL: none */
    size_t min_len, max_len;   /* of a word, in characters; 0: no limit */
} gs_word_rules_options;

typedef struct gs_word_rules gs_word_rules;

/* Fails with GS_ERR_ARG for an unknown language, naming those there are. */
GS_MUST_CHECK gs_code gs_word_rules_new(gs_word_rules **out,
                                        const gs_word_rules_options *options,
                                        gs_status *st);
/* Those of an index, as its header has them; *out is NULL if it says nothing of words, or
 * that terms came with weights: then they are what they were given as. */
GS_MUST_CHECK gs_code gs_word_rules_read(gs_word_rules **out, const char *json,
                                         gs_status *st);
/* What stands in place of rules in an index of documents that came with weights of their
 * terms (document_vector.h). */
void gs_weight_rules_json(char *to, size_t capacity, double scale);
void gs_word_rules_free(gs_word_rules *rules); /* NULL is fine */
/* The rules as a JSON object, for the header of an index. Valid until free(). */
const char *gs_word_rules_json(const gs_word_rules *rules);
bool gs_word_rules_fold(const gs_word_rules *rules); /* do they fold case? */
bool gs_word_rules_stem(const gs_word_rules *rules); /* are words stemmed? */
/* Of words, in characters; 0: no limit. */
void gs_word_rules_limits(const gs_word_rules *rules, size_t *min_len, size_t *max_len);
/* One stop word after the other, in no order: *slot starts from 0; false behind the last.
 */
bool gs_word_rules_next_stop(const gs_word_rules *rules, size_t *slot,
                             const uint8_t **word, size_t *bytes);
gs_word_kind gs_word_rules_kind(const gs_word_rules *rules);

typedef struct gs_tokenizer gs_tokenizer;

/* Borrows the rules. */
GS_MUST_CHECK gs_code gs_tokenizer_new(gs_tokenizer **out, const gs_word_rules *rules,
                                       gs_status *st);
/* The same, but words are not stemmed: that is left to who has them all. */
GS_MUST_CHECK gs_code gs_tokenizer_new_stemless(gs_tokenizer **out,
                                                const gs_word_rules *rules,
                                                gs_status *st);
void gs_tokenizer_free(gs_tokenizer *t); /* NULL is fine */

/* How many words were too long so far. */
uint64_t gs_tokenizer_long_words(const gs_tokenizer *t);

/* The words of the document so far, those that were left out too. */
uint32_t gs_tokenizer_position(const gs_tokenizer *t);

/* A new document: positions start from 0, and a text that was not read to its end is
 * forgotten. */
void gs_tokenizer_begin_document(gs_tokenizer *t);
/* The next text of it; positions go on. */
void gs_tokenizer_begin_text(gs_tokenizer *t, const uint8_t *text, size_t bytes);
/* Adds words to the batch until it is full or the text is done: the text is done if there
 * is room afterwards. */
GS_MUST_CHECK gs_code gs_tokenizer_add(gs_tokenizer *t, gs_token_batch *batch,
                                       gs_status *st);
/* Clears and fills the batch; it is empty when the text is done. */
GS_MUST_CHECK gs_code gs_tokenizer_next(gs_tokenizer *t, gs_token_batch *batch,
                                        gs_status *st);

#endif
