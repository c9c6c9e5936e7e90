/* SPDX-License-Identifier: MIT */
#include "lib/base/quote.h"

#include <stdbool.h>
#include <string.h>

static void put(gs_quoted *out, char c)
{
    if (out->len + 1 < sizeof out->text)
        out->text[out->len++] = c;
    out->text[out->len] = '\0';
}

static void put_text(gs_quoted *out, const char *text)
{
    while (*text)
        put(out, *text++);
}

static bool is_printable(unsigned char c)
{
    return c >= ' ' && c <= '~';
}

/* "\n", "\033" and so on. */
static void put_escape(gs_quoted *out, unsigned char c)
{
    static const char names[] = "abtnvfr"; /* of the codes 7 to 13 */
    put(out, '\\');
    if (c >= 7 && c <= 13) {
        put(out, names[c - 7]);
        return;
    }
    put(out, (char)('0' + (c >> 6)));
    put(out, (char)('0' + (c >> 3 & 7)));
    put(out, (char)('0' + (c & 7)));
}

const char *gs_quote_argument(gs_quoted *out, const char *text)
{
    out->len = 0;
    put(out, '\'');
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (!is_printable(c)) {
            put_escape(out, c);
            continue;
        }
        if (c == '\'' || c == '\\')
            put(out, '\\');
        put(out, *text);
    }
    put(out, '\'');
    return out->text;
}

/* Would a shell take this byte of a bare word for something else? */
static bool is_shell_special(const char *name, size_t i)
{
    switch (name[i]) {
    case '#':
    case '~': return i == 0;
    case '{':
    case '}': return name[1] == '\0';
    default: return strchr(" !\"$&'()*;<=>?[\\^`|", name[i]) != NULL;
    }
}

/* Can the byte stand between double quotes and mean itself, in C and in a shell? */
static bool is_plain_in_double_quotes(char c)
{
    return is_printable((unsigned char)c) && strchr("!\"#$&()*;<=>?[\\^`{|}~", c) == NULL;
}

static void put_between_apostrophes(gs_quoted *out, const char *name)
{
    bool is_escaping = false; /* inside $'...' */
    put(out, '\'');
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (!is_printable(c)) {
            if (!is_escaping)
                put_text(out, "'$'");
            is_escaping = true;
            put_escape(out, c);
        } else if (c == '\'') {
            /* Leaving the quotes ends an escape as well. */
            put_text(out, "'\\''");
            is_escaping = false;
        } else {
            if (is_escaping)
                put_text(out, "''");
            is_escaping = false;
            put(out, *name);
        }
    }
    put(out, '\'');
}

const char *gs_quote_name_always(gs_quoted *out, const char *name)
{
    bool has_apostrophe = false;
    bool fits_double_quotes = true;
    for (const char *c = name; *c; c++) {
        has_apostrophe |= *c == '\'';
        fits_double_quotes &= is_plain_in_double_quotes(*c);
    }
    out->len = 0;
    if (!has_apostrophe || !fits_double_quotes) {
        put_between_apostrophes(out, name);
        return out->text;
    }
    put(out, '"');
    put_text(out, name);
    put(out, '"');
    return out->text;
}

const char *gs_quote_name(gs_quoted *out, const char *name)
{
    bool is_bare = *name != '\0';
    for (size_t i = 0; name[i] && is_bare; i++)
        is_bare = is_printable((unsigned char)name[i]) && name[i] != ':' &&
                  !is_shell_special(name, i);
    if (!is_bare)
        return gs_quote_name_always(out, name);
    out->len = 0;
    put_text(out, name);
    return out->text;
}
