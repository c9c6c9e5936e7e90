/* SPDX-License-Identifier: MIT */
/*
 * fold: which characters make words, and what becomes of them.
 *
 * A character belongs to a word if its Unicode category is a letter (L), a mark (M) or a
 * number (N). With folding, text is first put into NFKC with cases folded and invisible
 * characters left out (NFKC_Casefold), and the result is cut into words.
 *
 * Folding a text is more than folding its characters: marks move and join the letter
 * before them. But most characters stand alone: they become exactly one character and
 * never join another one before them, unless a mark follows. These are "plain", and a
 * table, filled page by page as characters are met, says what they become. A stretch of
 * plain characters is folded by the table; others take gs_fold_stretch. A text may be cut
 * before any plain character without changing what it is folded to, and before those that
 * stand apart: they become several characters, as the sign for "trade mark" does, of
 * which the first joins none before it either.
 *
 * A gs_fold belongs to one thread.
 */
#ifndef GS_LIB_INDEX_TEXT_FOLD_H
#define GS_LIB_INDEX_TEXT_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum {
    GS_FOLD_PAGE_POINTS = 256,
    GS_FOLD_PAGES = 0x110000 / GS_FOLD_PAGE_POINTS,
};

/* What a table says of a character: the character it becomes, and: */
#define GS_FOLD_POINT UINT32_C(0x1fffff)
#define GS_FOLD_PLAIN UINT32_C(0x40000000) /* as above */
#define GS_FOLD_WORD  UINT32_C(0x80000000) /* plain, and part of a word, */
#define GS_FOLD_DENSE                                                                    \
    UINT32_C(0x20000000) /* which is not told by spaces (gs_fold_is_dense) */
#define GS_FOLD_APART UINT32_C(0x10000000) /* as above, and nothing else */

typedef struct gs_fold {
    bool is_folding;
    uint32_t *pages[GS_FOLD_PAGES]; /* NULL: not met yet */
    int32_t *points;                /* of the last stretch */
    size_t point_capacity;
    int32_t *marks; /* to put many of them in order */
    size_t mark_capacity;
} gs_fold;

GS_MUST_CHECK gs_code gs_fold_new(gs_fold **out, bool is_folding, gs_status *st);
void gs_fold_free(gs_fold *fold); /* NULL is fine */

GS_MUST_CHECK gs_code gs_fold_fill_page(gs_fold *fold, uint32_t point, gs_status *st);

/* What the table says of `point`. */
GS_MUST_CHECK static inline gs_code gs_fold_look(gs_fold *fold, uint32_t point,
                                                 uint32_t *out, gs_status *st)
{
    const size_t page = point / GS_FOLD_PAGE_POINTS;
    if (__builtin_expect(fold->pages[page] == NULL, 0))
        GS_TRY(gs_fold_fill_page(fold, point, st));
    *out = fold->pages[page][point % GS_FOLD_PAGE_POINTS];
    return GS_OK;
}

/* Folds valid UTF-8; *points is valid until the next call. */
GS_MUST_CHECK gs_code gs_fold_stretch(gs_fold *fold, const uint8_t *text, size_t bytes,
                                      const int32_t **points, size_t *point_count,
                                      gs_status *st);

bool gs_fold_is_word(uint32_t point);
bool gs_fold_is_mark(uint32_t point);
bool gs_fold_is_space(uint32_t point);
/* A letter of a script that has no spaces between words: Han, Kana, Bopomofo, Thai, Lao,
 * Khmer, Myanmar and those like it. */
bool gs_fold_is_dense(uint32_t point);

#endif
