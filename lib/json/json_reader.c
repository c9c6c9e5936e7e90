/* SPDX-License-Identifier: MIT */
#include "lib/json/json_reader.h"

#include <string.h>

bool gs_json_read_word(gs_json_reader *r, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return gs_json_fail(r, "a value is missing or unknown");
    r->at += n;
    return true;
}

static size_t skip_digits(gs_json_reader *r)
{
    const uint8_t *const begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - begin);
}

bool gs_json_read_number(gs_json_reader *r, gs_text_span *out)
{
    const uint8_t *const begin = r->at;
    (void)gs_json_take(r, '-');
    const bool has_zero = r->at < r->end && *r->at == '0';
    const size_t digits = skip_digits(r);
    if (digits == 0 || (has_zero && digits > 1))
        return gs_json_fail(r, "not a number as JSON has them");
    if (gs_json_take(r, '.') && skip_digits(r) == 0)
        return gs_json_fail(r, "not a number as JSON has them");
    if (gs_json_take(r, 'e') || gs_json_take(r, 'E')) {
        if (!gs_json_take(r, '+'))
            (void)gs_json_take(r, '-');
        if (skip_digits(r) == 0)
            return gs_json_fail(r, "not a number as JSON has them");
    }
    *out = (gs_text_span){begin, (size_t)(r->at - begin)};
    return true;
}

/* A value that is neither an object nor an array. */
static bool skip_scalar(gs_json_reader *r)
{
    gs_json_string string;
    gs_text_span number;
    if (r->at == r->end)
        return gs_json_fail(r, "the object does not end");
    const uint8_t c = *r->at;
    if (c == '"')
        return gs_json_read_string(r, &string);
    if (gs_json_is_number_start(c))
        return gs_json_read_number(r, &number);
    return gs_json_read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
}

/* A key and its colon. */
bool gs_json_read_key(gs_json_reader *r, gs_json_string *out)
{
    gs_json_skip_blanks(r);
    if (r->at == r->end || *r->at != '"')
        return gs_json_fail(r, "a field has no name between quotation marks");
    if (!gs_json_read_string(r, out))
        return false;
    gs_json_skip_blanks(r);
    if (!gs_json_take(r, ':'))
        return gs_json_fail(r, "no colon after the name of a field");
    gs_json_skip_blanks(r);
    return true;
}

/* Behind a value: does the container go on? *ends tells; the closing byte is taken. */
bool gs_json_read_separator(gs_json_reader *r, bool is_object, bool *ends)
{
    gs_json_skip_blanks(r);
    *ends = gs_json_take(r, is_object ? '}' : ']');
    if (*ends || gs_json_take(r, ','))
        return true;
    return gs_json_fail(r, r->at == r->end ? "the object does not end"
                                           : "neither a comma nor an end after a value");
}

/* Any value. Containers are kept on a stack of bits, so that no input makes the
 * program's stack grow. */
bool gs_json_skip_value(gs_json_reader *r)
{
    bool is_object[GS_JSON_DEPTH_MAX];
    size_t depth = 0;
    for (;;) {
        gs_json_skip_blanks(r);
        const uint8_t c = r->at < r->end ? *r->at : 0;
        bool is_complete = true;
        if (c == '{' || c == '[') {
            if (depth == GS_JSON_DEPTH_MAX)
                return gs_json_fail(r, "values are nested more than 1024 deep");
            r->at++;
            is_object[depth++] = c == '{';
            gs_json_skip_blanks(r);
            is_complete = gs_json_take(r, c == '{' ? '}' : ']');
            depth -= is_complete;
        } else if (!skip_scalar(r)) {
            return false;
        }
        while (is_complete && depth > 0) {
            if (!gs_json_read_separator(r, is_object[depth - 1], &is_complete))
                return false;
            depth -= is_complete;
        }
        if (is_complete)
            return true;
        gs_json_string key;
        if (is_object[depth - 1] && !gs_json_read_key(r, &key))
            return false;
    }
}
