/* SPDX-License-Identifier: MIT */
/*
 * Text is written to the front of the page while the page is read: it never overtakes,
 * since a tag or a reference to a character is longer than what it becomes.
 */
#include "lib/index/text/html_text.h"

#include <string.h>
#include <strings.h>

#include "lib/index/text/byte_find.h"
#include "lib/index/text/html_entities.h"
#include "lib/base/hex_digit.h"
#include "lib/base/utf8.h"

enum {
    NAME_BYTES_MAX = GS_HTML_ENTITY_BYTES_MAX + 1, /* with its semicolon */
    NO_POINT = 0xfffd,
};

typedef struct html_reader {
    const uint8_t *at, *end;
    uint8_t *to;
    bool is_xml;
    /* From here on there is none of these: what is not found once is not searched for
     * again. NULL: not known. */
    const uint8_t *no_quote, *no_apostrophe;
} html_reader;

/* --- references to characters ------------------------------------------------------ */

/* What numbers from 128 to 159 stand for: the characters of Windows-1252. */
static const uint16_t windows_points[32] = {
    0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
    0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
    0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
    0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178,
};

static int digit_of(uint8_t c, int base)
{
    const int digit = gs_hex_digit(c);
    return digit < base ? digit : -1;
}

/* Of the digits at `p`, as many as there are; *stop is behind them. 0: they are none. */
static uint32_t read_number(const uint8_t *p, const uint8_t *end, const uint8_t **stop)
{
    const int base = p < end && (*p | 0x20) == 'x' ? 16 : 10;
    uint32_t point = 0;
    int digit;
    p += base == 16;
    const uint8_t *const digits = p;
    for (; p < end && (digit = digit_of(*p, base)) >= 0; p++) {
        if (point <= 0x10ffff)
            point = point * (unsigned)base + (unsigned)digit;
    }
    *stop = p;
    if (p == digits)
        return 0;
    if (point >= 0x80 && point < 0xa0)
        return windows_points[point - 0x80];
    return point == 0 || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)
               ? NO_POINT
               : point;
}

static uint32_t find_entity(const uint8_t *name, size_t bytes)
{
    size_t low = 0, high = sizeof gs_html_entities / sizeof *gs_html_entities;
    if (bytes > GS_HTML_ENTITY_BYTES_MAX)
        return 0;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        const gs_html_entity *const e = &gs_html_entities[middle];
        const int order = strncmp(e->name, (const char *)name, bytes);
        if (order == 0 && e->name[bytes] == '\0')
            return e->point;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* Stands on '&', which goes to the text if nothing follows that it belongs to. */
static void take_reference(html_reader *r)
{
    const uint8_t *const name = r->at + 1;
    const uint8_t *semicolon = NULL;
    uint32_t point = 0;
    if (name < r->end && *name == '#') {
        point = read_number(name + 1, r->end, &semicolon);
    } else if (name < r->end) {
        const size_t left = (size_t)(r->end - name);
        semicolon = memchr(name, ';', left < NAME_BYTES_MAX ? left : NAME_BYTES_MAX);
        if (semicolon != NULL)
            point = find_entity(name, (size_t)(semicolon - name));
    }
    if (point == 0 || semicolon == r->end || *semicolon != ';') {
        *r->to++ = *r->at++;
        return;
    }
    r->at = semicolon + 1;
    r->to = gs_utf8_encode(r->to, point);
}

/* --- tags -------------------------------------------------------------------------- */

static bool is_letter(uint8_t c)
{
    const uint8_t lower = c | 0x20;
    return lower >= 'a' && lower <= 'z';
}

static bool is_name(const uint8_t *name, size_t bytes, const char *wanted)
{
    return strlen(wanted) == bytes && strncasecmp((const char *)name, wanted, bytes) == 0;
}

static bool is_one_of(const uint8_t *name, size_t bytes, const char *const *names)
{
    while (*names != NULL && !is_name(name, bytes, *names))
        names++;
    return *names != NULL;
}

/* Tags that stand within words. */
static const char *const inline_names[] = {
    "a",    "abbr", "acronym", "b",    "bdi",   "bdo",  "big",    "cite",   "code",
    "data", "del",  "dfn",     "em",   "font",  "i",    "ins",    "kbd",    "mark",
    "nobr", "q",    "s",       "samp", "small", "span", "strike", "strong", "sub",
    "sup",  "time", "tt",      "u",    "var",   "wbr",  NULL,
};

/* What stands between these is no text, and no mark-up but their end. */
static const char *const raw_names[] = {"script", "style", "noframes", "noembed",
                                        "iframe", "xmp",   NULL};

/* The quotation mark that closes a value of an attribute; NULL if none does. */
static const uint8_t *find_quote(html_reader *r, const uint8_t *p, uint8_t quote)
{
    const uint8_t **const none = quote == '"' ? &r->no_quote : &r->no_apostrophe;
    if (*none != NULL && p >= *none)
        return NULL;
    const uint8_t *const found = memchr(p, quote, (size_t)(r->end - p));
    if (found == NULL)
        *none = p;
    return found;
}

/* Behind the tag that begins at `p`, attributes and all; the end of the page if it does
 * not end. */
static const uint8_t *end_of_tag(html_reader *r, const uint8_t *p)
{
    while (p < r->end && *p != '>') {
        const bool has_value = *p == '=';
        p++;
        if (!has_value)
            continue;
        while (p < r->end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
            p++;
        if (p == r->end || (*p != '"' && *p != '\''))
            continue;
        const uint8_t *const close = find_quote(r, p + 1, *p);
        p = close != NULL ? close + 1 : p + 1;
    }
    return p < r->end ? p + 1 : p;
}

/* Is the tag that was read up to `p` an element without content, as XML has them? */
static bool is_empty_element(const html_reader *r, const uint8_t *p)
{
    return r->is_xml && p[-1] == '>' && p[-2] == '/';
}

/* Where the end tag of such an element begins. */
static const uint8_t *find_raw_end(const html_reader *r, const uint8_t *p,
                                   const uint8_t *name, size_t bytes)
{
    while (p < r->end && (p = memchr(p, '<', (size_t)(r->end - p))) != NULL) {
        const size_t left = (size_t)(r->end - p);
        if (left > bytes + 2 && p[1] == '/' &&
            strncasecmp((const char *)p + 2, (const char *)name, bytes) == 0 &&
            !is_letter(p[2 + bytes]))
            return p;
        p++;
    }
    return r->end;
}

/* Behind the comment that begins at `p`, with --> or, as browsers take it, with --!>; the
 * end of the page if it does not end. <!--> is one, too. */
static const uint8_t *end_of_comment(const uint8_t *p, const uint8_t *end)
{
    const uint8_t *const content = p + 4;
    for (p += 2; (p = memmem(p, (size_t)(end - p), "--", 2)) != NULL;) {
        while (p < end && *p == '-')
            p++;
        if (p < end && *p == '>')
            return p + 1;
        if (end - p >= 2 && p[0] == '!' && p[1] == '>' && p - 2 >= content)
            return p + 2;
    }
    return end;
}

static const uint8_t *end_of_declaration(const html_reader *r)
{
    const size_t left = (size_t)(r->end - r->at);
    const bool is_comment = left >= 4 && memcmp(r->at, "<!--", 4) == 0;
    const bool is_data = left >= 9 && memcmp(r->at, "<![CDATA[", 9) == 0;
    if (is_comment)
        return end_of_comment(r->at, r->end);
    if (is_data)
        return r->at + 9; /* the text within is text */
    const uint8_t *const found = memchr(r->at, '>', left);
    return found != NULL ? found + 1 : r->end;
}

/* Stands on '<', which goes to the text if no mark-up begins there. */
static void take_markup(html_reader *r)
{
    const uint8_t *name = r->at + 1;
    const bool is_end = name < r->end && *name == '/';
    name += is_end;
    if (name < r->end && !is_end && (*name == '!' || *name == '?')) {
        r->at = end_of_declaration(r);
        return;
    }
    if (name == r->end || !is_letter(*name)) {
        *r->to++ = *r->at++;
        return;
    }
    size_t bytes = 0;
    while (name + bytes < r->end &&
           (is_letter(name[bytes]) || (name[bytes] >= '0' && name[bytes] <= '9')))
        bytes++;
    const bool is_raw = !is_end && is_one_of(name, bytes, raw_names);
    const bool is_inline = is_one_of(name, bytes, inline_names);
    r->at = end_of_tag(r, name + bytes);
    if (is_raw && !is_empty_element(r, r->at))
        r->at = find_raw_end(r, r->at, name, bytes);
    if (!is_inline)
        *r->to++ = '\n';
}

bool gs_html_is_xml(const uint8_t *page, size_t bytes)
{
    static const char begin[] = "<?xml";
    const uint8_t *const end = page + bytes;
    const uint8_t *p = gs_utf8_skip_mark(page, end);
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
        p++;
    return (size_t)(end - p) >= sizeof begin - 1 &&
           memcmp(p, begin, sizeof begin - 1) == 0;
}

size_t gs_html_to_text(uint8_t *page, size_t bytes, bool is_xml)
{
    html_reader r = {.at = page, .end = page + bytes, .to = page, .is_xml = is_xml};
    while (r.at < r.end) {
        const uint8_t *const stop = gs_find_either(r.at, r.end, '<', '&');
        const size_t plain = (size_t)(stop - r.at);
        if (plain > 0)
            memmove(r.to, r.at, plain);
        r.to += plain;
        r.at = stop;
        if (stop < r.end && *stop == '<')
            take_markup(&r);
        else if (stop < r.end)
            take_reference(&r);
    }
    return (size_t)(r.to - page);
}
