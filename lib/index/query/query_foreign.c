/* SPDX-License-Identifier: MIT */
#include "lib/index/query/query_foreign.h"

#include <stdbool.h>

static const char weights[] = "weights, as in word^2, are not known";

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
    const uint8_t lower = c | 0x20;
    return (lower >= 'a' && lower <= 'z') || c == '_';
}

/* As far as bytes tell: all beyond ASCII may be letters. */
static bool is_of_word(uint8_t c)
{
    return is_letter(c) || is_digit(c) || c >= 0x80;
}

/* Where the number that ends at `end` begins, or `end`. */
static const uint8_t *number_before(const uint8_t *begin, const uint8_t *end)
{
    const uint8_t *p = end;
    while (p > begin && (is_digit(p[-1]) || p[-1] == '.'))
        p--;
    return p;
}

/* word^2, word~ and word~1 */
static const char *look_behind(const uint8_t *begin, const uint8_t *end,
                               const uint8_t **at)
{
    const uint8_t *const number = number_before(begin, end);
    if (number < begin + 2)
        return NULL;
    const uint8_t mark = number[-1];
    const bool is_mark = mark == '~' || (mark == '^' && number < end);
    if (!is_mark || number[-2] == '\\')
        return NULL;
    *at = number - 1;
    return mark == '^' ? weights : "words that are alike, as in word~1, are not known";
}

/* title:word, title:"words" and title:(words), but neither std::sort nor http:// */
static const char *look_before(const uint8_t *begin, const uint8_t *end,
                               const uint8_t *query_end, const uint8_t **at)
{
    const uint8_t *p = begin;
    if (!is_letter(*p))
        return NULL;
    while (p < end && (is_letter(*p) || is_digit(*p) || *p == '.' || *p == '-'))
        p++;
    if (p == end || *p != ':')
        return NULL;
    const uint8_t *const value = p + 1;
    const size_t bytes = (size_t)(end - value);
    const bool is_path = bytes >= 2 && value[0] == '/' && value[1] == '/';
    const bool is_quoted =
        bytes == 0 && value < query_end && (*value == '"' || *value == '(');
    if (is_path || (bytes == 0 && !is_quoted) || (bytes > 0 && *value == ':'))
        return NULL;
    *at = p;
    return "fields, as in title:word, are not known";
}

/* Something inside of the word, or at its beginning. */
static const char *look_inside(const uint8_t *begin, const uint8_t *end,
                               const uint8_t *query_end, const uint8_t **at)
{
    for (const uint8_t *p = begin; p < end; p++) {
        const uint8_t next = p + 1 < end ? p[1] : 0;
        *at = p;
        if (*p == '\\') {
            p++;
            continue;
        }
        if (*p == '*' && is_of_word(next))
            return "'*' can only stand at the end of a word";
        if (*p == '?' && p > begin && is_of_word(p[-1]) && is_of_word(next))
            return "'?' does not stand for a letter";
        if (*p == '&' && next == '&')
            return "'&&' is no operator: write AND";
        if (*p == '|' && next == '|')
            return "'||' is no operator: write OR";
        const uint8_t follows = p + 1 < query_end ? p[1] : 0;
        if (*p == '!' && p == begin &&
            (is_of_word(follows) || follows == '"' || follows == '('))
            return "'!' is no operator: write NOT";
    }
    return NULL;
}

const char *gs_query_foreign_word(const uint8_t *begin, const uint8_t *end,
                                  const uint8_t *query_end, const uint8_t **at)
{
    const char *what = look_before(begin, end, query_end, at);
    if (what == NULL)
        what = look_inside(begin, end, query_end, at);
    return what != NULL ? what : look_behind(begin, end, at);
}

const char *gs_query_foreign_suffix(const uint8_t *p, const uint8_t *query_end)
{
    if (p == query_end || (*p != '^' && *p != '~'))
        return NULL;
    return *p == '^' ? weights : "words near each other, as in \"a b\"~2, are not known";
}
