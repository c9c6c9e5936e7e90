/* SPDX-License-Identifier: MIT */
#include "cmd/column_spec.h"

#include <ctype.h>
#include <string.h>

#include "cmd/report.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static _Noreturn void refuse(const char *whole, const char *why)
{
    gs_quoted q;
    gs_die(0, "invalid key %s: %s", gs_quote_argument(&q, whole), why);
}

static _Noreturn void refuse_letters(const char *whole)
{
    char letters[GS_LETTERS_TEXT_BYTES];
    gs_quoted q;
    gs_die(0, "invalid key %s: letters from %s belong behind the ':'",
           gs_quote_argument(&q, whole), gs_letters_text(~0U, letters));
}

/* The letters behind a key, as they follow it here: ":n:r" or ",nr"; `whole` is the key
 * as it was given. */
static void parse_letters(unsigned *letters, const char *text, const char *whole)
{
    while (*text != '\0') {
        if (*text != ':' && *text != ',')
            refuse_letters(whole);
        const char *const from = text + 1;
        text = gs_letters_add(letters, from, GS_LETTERS_OF_BOTH);
        if (text == from)
            refuse_letters(whole);
    }
}

/* Copies a name, which one of these bytes ends unless it is between quotes, with its zero
 * to where there is room for all of the text, and moves behind it; returns what follows.
 */
static const char *take_name(char **to, const char *text, const char *ends,
                             const char *whole)
{
    if (*text != '"') {
        const size_t bytes = strcspn(text, ends);
        if (bytes == 0)
            refuse(whole, "a name is missing");
        memcpy(*to, text, bytes);
        *to += bytes;
        *(*to)++ = '\0';
        return text + bytes;
    }
    for (text++; *text != '\0'; text++) {
        if (*text == '"' && text[1] != '"') {
            *(*to)++ = '\0';
            return text + 1;
        }
        text += *text == '"';
        *(*to)++ = *text;
    }
    refuse(whole, "a quote is not closed");
}

/* Room for names that come in the text, each with its zero. */
static char *new_names(const char *text)
{
    gs_status st = {.code = GS_OK};
    char *names = NULL;
    if (gs_mem_new(&names, strlen(text) + 1, "names of a key", &st) != GS_OK)
        gs_die(st.sys, "%s", st.msg);
    return names;
}

void gs_column_spec_parse(gs_key_spec *spec, const char *text)
{
    *spec = (gs_key_spec){.end_field = SIZE_MAX};
    if (isdigit((unsigned char)*text)) {
        const size_t digits = strspn(text, "0123456789");
        if (text[digits] != ':') {
            gs_key_spec_parse(spec, text);
            return;
        }
        char number[32] = "";
        if (digits < sizeof number)
            memcpy(number, text, digits);
        gs_key_spec_parse(spec, digits < sizeof number ? number : text);
        spec->end_field = spec->start_field;
        parse_letters(&spec->letters, text + digits, text);
        return;
    }
    char *to = spec->column = new_names(text);
    const char *const rest = take_name(&to, text, ":,", text);
    spec->start_field = spec->end_field = 0;
    parse_letters(&spec->letters, rest, text);
}

size_t gs_path_spec_parse(gs_key_spec *spec, const char *text)
{
    *spec = (gs_key_spec){.column = new_names(text)};
    size_t depth = 0;
    char *to = spec->column;
    const char *rest = text;
    if (*text != '.')
        refuse(text, "a path begins with a '.', as in .price:n");
    while (*rest == '.') {
        const char *const name = to;
        rest = take_name(&to, rest + 1, ".:,", text);
        if (strlen(name) > GPUSORT_JSON_NAME_BYTES_MAX)
            refuse(text, "a name is longer than 255 bytes");
        if (++depth > GPUSORT_JSON_DEPTH_MAX)
            refuse(text, "a path has more than 32 names");
    }
    parse_letters(&spec->letters, rest, text);
    return depth;
}
