/* SPDX-License-Identifier: MIT */
#include "lib/stream/value_kind.h"

#include <stdbool.h>

#include "lib/stream/number_text.h"

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* Does it look like `shape`, in which 0 is any digit? */
static bool has_shape(const uint8_t *text, const char *shape)
{
    for (; *shape != '\0'; shape++, text++)
        if (*shape == '0' ? !is_digit(*text) : *text != (uint8_t)*shape)
            return false;
    return true;
}

static bool is_date(const uint8_t *p, size_t bytes)
{
    static const uint8_t days[13] = {0, 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (bytes < 10 || !has_shape(p, "0000-00-00"))
        return false;
    const unsigned month = (p[5] - '0') * 10u + (p[6] - '0');
    const unsigned day = (p[8] - '0') * 10u + (p[9] - '0');
    if (month < 1 || month > 12 || day < 1 || day > days[month])
        return false;
    return bytes == 10 ||
           (bytes >= 16 && (p[10] == 'T' || p[10] == ' ') && has_shape(p + 11, "00:00"));
}

static bool is_integer(const uint8_t *p, size_t bytes)
{
    const bool is_signed = *p == '-' || *p == '+';
    if (bytes == is_signed)
        return false;
    for (size_t i = is_signed; i < bytes; i++)
        if (!is_digit(p[i]))
            return false;
    return true;
}

/* What no number begins with is looked at no further: most texts. */
static bool may_be_number(uint8_t c)
{
    return is_digit(c) || c == '-' || c == '+' || c == '.' || (c | 0x20) == 'i';
}

gs_value_kind gs_value_kind_of(const uint8_t *text, size_t bytes, uint64_t *key)
{
    while (bytes > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        bytes--;
    }
    while (bytes > 0 &&
           (text[bytes - 1] == ' ' || text[bytes - 1] == '\t' || text[bytes - 1] == '\r'))
        bytes--;
    if (bytes == 0)
        return GS_KIND_EMPTY;
    if (!may_be_number(*text))
        return GS_KIND_TEXT;
    if (gs_number_parse_text(GS_NUMBER_F64, text, bytes, key))
        return is_integer(text, bytes) ? GS_KIND_INTEGER : GS_KIND_DECIMAL;
    return is_date(text, bytes) ? GS_KIND_DATE : GS_KIND_TEXT;
}
