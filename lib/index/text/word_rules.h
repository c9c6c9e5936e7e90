/* SPDX-License-Identifier: MIT */
/*
 * word_rules: how words become terms, as options say it or the header of an index.
 *
 * Internal to the tokenizer (lib/index/text/tokenizer.h has the calls). The header has
 * them as
 *
 *     {"words": "bigrams", "fold": true, "stem": "english", "min_len": 0, "max_len": 0,
 *      "stopwords": ["a", "the"]}
 *
 * in one line, with the stop words by their bytes. Where words are letters, marks and
 * numbers they need no escapes; others may have quotes, backslashes and control
 * characters, each of which is written as \u00 and two digits.
 */
#ifndef GS_LIB_INDEX_TEXT_WORD_RULES_H
#define GS_LIB_INDEX_TEXT_WORD_RULES_H

#include "lib/index/text/tokenizer.h"
#include "lib/index/text/word_set.h"

enum { GS_STEM_LANGUAGE_BYTES = 64 };

struct gs_word_rules {
    gs_word_kind kind;
    bool is_folding;
    size_t min_len, max_len;               /* of a word, in characters; 0: no limit */
    char language[GS_STEM_LANGUAGE_BYTES]; /* empty: no stemming */
    gs_word_set *stop_words;               /* NULL: none */
    char *json;
};

#endif
