/* SPDX-License-Identifier: MIT */
/*
 * json_reader: JSON (RFC 8259), piece by piece.
 *
 * All that is read is checked: syntax, numbers, escapes, surrogates in pairs, UTF-8.
 * Reading functions return false where it is no JSON; then `why` says why. A value begins
 * where the reader stands once blanks are skipped.
 *
 *     object    take '{', blanks; unless '}' comes: read_key, a value, read_separator,
 * ...
 */
#ifndef GS_LIB_JSON_JSON_READER_H
#define GS_LIB_JSON_JSON_READER_H

#include <stdbool.h>

#include "lib/base/text_span.h"

enum { GS_JSON_DEPTH_MAX = 1024 };

/* Where the reader stands. GS_JSON_SLACK bytes behind the end may be read. */
typedef struct gs_json_reader {
    const uint8_t *at, *end;
    const char *why; /* the first failure; static */
} gs_json_reader;

enum { GS_JSON_SLACK = 16 };

/* A string between its quotation marks, as it is written. */
typedef struct gs_json_string {
    gs_text_span raw;
    bool has_escapes;
} gs_json_string;

static inline bool gs_json_fail(gs_json_reader *r, const char *why)
{
    if (r->why == NULL)
        r->why = why;
    return false;
}

static inline void gs_json_skip_blanks(gs_json_reader *r)
{
    while (r->at < r->end && *r->at <= ' ' &&
           (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n'))
        r->at++;
}

/* Goes over the byte if it comes next. */
static inline bool gs_json_take(gs_json_reader *r, uint8_t c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static inline bool gs_json_is_number_start(uint8_t c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Stands on the quotation mark that begins a string. */
bool gs_json_read_string(gs_json_reader *r, gs_json_string *out);
/* Writes the string that checked escapes stand for, which never is longer and may be
 * where they are; returns its end. */
uint8_t *gs_json_unescape(gs_text_span raw, uint8_t *to);
bool gs_json_read_number(gs_json_reader *r, gs_text_span *out);
bool gs_json_read_word(gs_json_reader *r, const char *word); /* null, true, false */

/* A key and its colon. */
bool gs_json_read_key(gs_json_reader *r, gs_json_string *out);
/* Behind a value: does the object or array go on? *ends tells; the closing byte is taken.
 */
bool gs_json_read_separator(gs_json_reader *r, bool is_object, bool *ends);
/* Any value. The program's stack does not grow with it. */
bool gs_json_skip_value(gs_json_reader *r);

#endif
