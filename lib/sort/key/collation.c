/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/collation.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/encode/key_text.h"

enum { MONTHS = 12, MONTH_BYTES = 32, NAME_BYTES = 64, NO_BYTE = -1 };

struct gs_collation {
    locale_t locale;
    int decimal_point, thousands; /* NO_BYTE: there is none, or of more than one byte */
    char months[MONTHS][MONTH_BYTES]; /* in upper case, without blanks */
    char name[NAME_BYTES];
};

/* What follows the terminator of a piece. */
enum { IS_NO_TEXT = 0, IS_LAST = 1, IS_FOLLOWED = 2 };

static void copy_name(gs_collation *c, const char *name)
{
    const size_t bytes = strnlen(name, sizeof c->name - 1);
    memcpy(c->name, name, bytes);
    c->name[bytes] = '\0';
}

static int only_byte(const char *text)
{
    return text[0] != '\0' && text[1] == '\0' ? (uint8_t)text[0] : NO_BYTE;
}

static void learn_months(gs_collation *c)
{
    static const nl_item items[MONTHS] = {ABMON_1, ABMON_2,  ABMON_3,  ABMON_4,
                                          ABMON_5, ABMON_6,  ABMON_7,  ABMON_8,
                                          ABMON_9, ABMON_10, ABMON_11, ABMON_12};
    for (size_t i = 0; i < MONTHS; i++) {
        const char *name = nl_langinfo_l(items[i], c->locale);
        size_t at = 0;
        for (; *name != '\0' && at + 1 < MONTH_BYTES; name++) {
            if (!gs_text_is_blank((uint8_t)*name))
                c->months[i][at++] = (char)gs_text_upper((uint8_t)*name);
        }
    }
}

gs_code gs_collation_new(gs_collation **out, gs_status *st)
{
    *out = NULL;
    gs_collation *c = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "locale", st));
    c->locale = newlocale(LC_ALL_MASK, "", (locale_t)0);
    if (c->locale == (locale_t)0) {
        gs_mem_free(c);
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "the locale of the environment is not there");
        return gs_status_hint(st, "'locale -a' lists those that are, LC_ALL chooses one");
    }
    copy_name(c, nl_langinfo_l(_NL_LOCALE_NAME(LC_COLLATE), c->locale));
    if (strcmp(c->name, "C") == 0 || strcmp(c->name, "POSIX") == 0) {
        gs_collation_free(c);
        return GS_OK;
    }
    /* Which bytes are letters, blanks or printed does not depend on a locale there. */
    if (strcmp(nl_langinfo_l(CODESET, c->locale), "UTF-8") != 0) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "the locale %s is not one of UTF-8", c->name);
        gs_collation_free(c);
        return st->code;
    }
    c->decimal_point = only_byte(nl_langinfo_l(RADIXCHAR, c->locale));
    if (c->decimal_point == NO_BYTE)
        c->decimal_point = '.';
    c->thousands = only_byte(nl_langinfo_l(THOUSEP, c->locale));
    learn_months(c);
    *out = c;
    return GS_OK;
}

void gs_collation_free(gs_collation *c)
{
    if (c == NULL)
        return;
    freelocale(c->locale);
    gs_mem_free(c);
}

const char *gs_collation_name(const gs_collation *c)
{
    return c->name;
}

uint8_t *gs_collation_put(const gs_collation *c, uint8_t *text, size_t bytes, uint8_t *to)
{
    uint8_t *const end = to + GS_COLLATION_FACTOR * bytes + GS_COLLATION_EXTRA_BYTES;
    if (bytes == 0) {
        *to++ = 0;
        *to++ = IS_NO_TEXT;
        return to;
    }
    text[bytes] = '\0';
    for (size_t at = 0;;) {
        const char *const piece = (const char *)text + at;
        const size_t n = strlen(piece);
        const size_t room = (size_t)(end - to);
        const size_t made = strxfrm_l((char *)to, piece, room, c->locale);
        gs_assert(made + 2 <= room);
        to += made;
        *to++ = 0;
        at += n;
        *to++ = at < bytes ? IS_FOLLOWED : IS_LAST;
        if (at == bytes)
            return to;
        at++; /* over the zero */
    }
}

bool gs_collation_has_plain_numbers(const gs_collation *c)
{
    return c->decimal_point == '.' && c->thousands == NO_BYTE;
}

static const uint8_t *copy_digits(const uint8_t *p, const uint8_t *end, int skipped,
                                  uint8_t **to)
{
    for (; p < end && (gs_text_is_digit(*p) || *p == skipped); p++) {
        if (*p != skipped)
            *(*to)++ = *p;
    }
    return p;
}

/* Where the digits end as those see it that look for a unit: one separator may stand
 * between two of them. */
static const uint8_t *find_unit(const gs_collation *c, const uint8_t *p,
                                const uint8_t *end)
{
    bool ends_with_separator = false;
    while (p < end && gs_text_is_digit(*p)) {
        p++;
        ends_with_separator = p < end && *p == c->thousands;
        p += ends_with_separator;
    }
    if (ends_with_separator)
        return end;
    if (p < end && *p == c->decimal_point) {
        p++;
        while (p < end && gs_text_is_digit(*p))
            p++;
    }
    return p;
}

size_t gs_collation_number(const gs_collation *c, gs_key_type type, const uint8_t *from,
                           const uint8_t *end, uint8_t *to)
{
    uint8_t *const begin = to;
    if (type == GS_KEY_GENERAL) {
        for (; from < end; from++) /* no separators, and a point that is none ends it */
            *to++ = *from == c->decimal_point ? '.' : *from == '.' ? '_' : *from;
        return (size_t)(to - begin);
    }
    from = gs_text_skip_blanks(from, end);
    if (from < end && *from == '-')
        *to++ = *from++;
    const uint8_t *const unit = find_unit(c, from, end);
    from = copy_digits(from, end, c->thousands, &to);
    if (from < end && *from == c->decimal_point) {
        *to++ = '.';
        (void)copy_digits(from + 1, end, NO_BYTE, &to);
    }
    if (type == GS_KEY_HUMAN && unit < end)
        *to++ = gs_text_is_letter(*unit) ? *unit : ' ';
    return (size_t)(to - begin);
}

uint8_t gs_collation_month(const gs_collation *c, const uint8_t *from, const uint8_t *end)
{
    from = gs_text_skip_blanks(from, end);
    for (size_t i = 0; i < MONTHS; i++) {
        const char *const name = c->months[i];
        size_t at = 0;
        while (name[at] != '\0' && from + at < end &&
               gs_text_upper(from[at]) == (uint8_t)name[at])
            at++;
        if (name[at] == '\0')
            return (uint8_t)(i + 1);
    }
    return 0;
}

/* In gs_collation_number. */
_Static_assert(GS_KEY_TYPE_COUNT == 7, "are digits of another type those of a locale?");
