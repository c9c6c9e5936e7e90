/* SPDX-License-Identifier: MIT */
/*
 * slow_words: the words of a text by the slow definition, which the tokenizer's fast ways
 * must give too: each stretch of valid UTF-8 is folded at once, then cut by category, and
 * what is not told by spaces into each two characters with their marks.
 */
#ifndef GS_TESTS_SLOW_WORDS_H
#define GS_TESTS_SLOW_WORDS_H

#include <stdbool.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "lib/index/text/fold.h"
#include "lib/index/text/token.h"
#include "lib/index/text/tokenizer.h"
#include "lib/base/utf8.h"

/* Gets every word that is short enough for a term; those that are not count as well. */
typedef void slow_words_fn(const uint8_t *word, size_t bytes, unsigned position);

typedef struct slow_reader {
    gs_word_kind kind;
    const int32_t *points;
    size_t at, count;
    uint8_t *word; /* room for all points, twice */
    unsigned position;
    slow_words_fn *found;
} slow_reader;

static bool slow_is_word(const slow_reader *r)
{
    const uint32_t point = r->at < r->count ? (uint32_t)r->points[r->at] : 0;
    if (r->at == r->count || r->kind == GS_WORDS_RAW)
        return r->at < r->count;
    return r->kind == GS_WORDS_SPACED ? !gs_fold_is_space(point) : gs_fold_is_word(point);
}

static bool slow_is_dense(const slow_reader *r)
{
    return r->kind == GS_WORDS_BIGRAMS && slow_is_word(r) &&
           gs_fold_is_dense((uint32_t)r->points[r->at]);
}

static void slow_found(slow_reader *r, const uint8_t *word, size_t bytes)
{
    if (bytes <= GS_TERM_BYTES_MAX)
        r->found(word, bytes, r->position);
    r->position++;
}

static size_t slow_put(slow_reader *r, uint8_t *to)
{
    return (size_t)(gs_utf8_encode(to, (uint32_t)r->points[r->at++]) - to);
}

static void slow_run(slow_reader *r)
{
    enum { UNIT_BYTES_MAX = 64 };
    uint8_t pair[2 * UNIT_BYTES_MAX], mark[GS_UTF8_BYTES_MAX];
    size_t before = 0, units = 0;
    for (; slow_is_dense(r); units++) {
        size_t now = slow_put(r, pair + before);
        while (slow_is_word(r) && gs_fold_is_mark((uint32_t)r->points[r->at])) {
            const size_t n = slow_put(r, mark);
            if (now + n > UNIT_BYTES_MAX)
                continue;
            memcpy(pair + before + now, mark, n);
            now += n;
        }
        if (units > 0)
            slow_found(r, pair, before + now);
        memmove(pair, pair + before, now);
        before = now;
    }
    if (units == 1)
        slow_found(r, pair, before);
}

static void slow_words_in_points(slow_reader *r)
{
    while (r->at < r->count) {
        size_t bytes = 0;
        if (slow_is_dense(r)) {
            slow_run(r);
        } else if (slow_is_word(r)) {
            while (slow_is_word(r) && !slow_is_dense(r))
                bytes += slow_put(r, r->word + bytes);
            slow_found(r, r->word, bytes);
        } else {
            r->at++;
        }
    }
}

static void slow_words_in_stretch(const uint8_t *text, size_t bytes, bool folds,
                                  slow_reader *r)
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
    r->points = points;
    r->at = 0;
    r->count = (size_t)n;
    r->word = word;
    slow_words_in_points(r);
    free(points);
    free(word);
}

static void slow_words(const uint8_t *text, size_t bytes, gs_word_kind kind, bool folds,
                       slow_words_fn *found)
{
    slow_reader r = {.kind = kind, .found = found};
    const uint8_t *const end = text + bytes;
    const uint8_t *begin = text, *p = text;
    for (;;) {
        uint32_t point;
        const unsigned n = gs_utf8_decode(p, end, &point);
        if (n != 0) {
            p += n;
            continue;
        }
        slow_words_in_stretch(begin, (size_t)(p - begin), folds, &r);
        if (p == end)
            return;
        begin = ++p;
    }
}

#endif
