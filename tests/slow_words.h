/* SPDX-License-Identifier: MIT */
/*
 * slow_words: the words of a text by the slow definition, which the tokenizer's fast ways
 * must give too: each stretch of valid UTF-8 is folded at once, then cut by category.
 */
#ifndef GS_TESTS_SLOW_WORDS_H
#define GS_TESTS_SLOW_WORDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "lib/index/text/fold.h"
#include "lib/index/text/token.h"
#include "lib/base/utf8.h"

/* Gets every word that is short enough for a term; those that are not count as well. */
typedef void slow_words_fn(const uint8_t *word, size_t bytes, unsigned position);

static void slow_words_in_stretch(const uint8_t *text, size_t bytes, bool folds,
                                  unsigned *position, slow_words_fn *found)
{
    /* No character folds to more than 18, and each takes at most 4 bytes. */
    const size_t points_max = 20 * bytes + 1;
    int32_t *const points = calloc(points_max, sizeof *points);
    uint8_t *const word = calloc(points_max, 4);
    const utf8proc_option_t options = folds ? UTF8PROC_STABLE | UTF8PROC_COMPAT |
                                                  UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD |
                                                  UTF8PROC_IGNORE
                                            : 0;
    if (points == NULL || word == NULL)
        abort();
    utf8proc_ssize_t n = utf8proc_decompose(text, (utf8proc_ssize_t)bytes, points,
                                            (utf8proc_ssize_t)points_max, options);
    if (n < 0 || (size_t)n >= points_max)
        abort();
    if (folds)
        n = utf8proc_normalize_utf32(points, n, options);
    size_t used = 0;
    for (utf8proc_ssize_t i = 0; i <= n; i++) {
        if (i < n && gs_fold_is_word((uint32_t)points[i])) {
            used = (size_t)(gs_utf8_encode(word + used, (uint32_t)points[i]) - word);
        } else if (used > 0) {
            if (used <= GS_TERM_BYTES_MAX)
                found(word, used, *position);
            (*position)++;
            used = 0;
        }
    }
    free(points);
    free(word);
}

static void slow_words(const uint8_t *text, size_t bytes, bool folds,
                       slow_words_fn *found)
{
    const uint8_t *const end = text + bytes;
    const uint8_t *begin = text, *p = text;
    unsigned position = 0;
    for (;;) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        if (n != 0) {
            p += n;
            continue;
        }
        slow_words_in_stretch(begin, (size_t)(p - begin), folds, &position, found);
        if (p == end)
            return;
        begin = ++p;
    }
}

#endif
