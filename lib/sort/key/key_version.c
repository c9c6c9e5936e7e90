/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/key_version.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/sort/key/key_digits.h"
#include "lib/sort/key/key_text.h"

enum {
    CODE_TILDE = 1,
    CODE_STOP = 2, /* T */
    CODE_LETTERS = 3,
    CODE_OTHERS = 3 + 52,
    COUNT_LONG = 0xff, /* a u64 follows */
};

typedef enum gs_version_class {
    CLASS_EMPTY = 1,
    CLASS_DOT,
    CLASS_DOT_DOT,
    CLASS_HIDDEN,
    CLASS_REST,
} gs_version_class;

static uint8_t code_of(uint8_t c)
{
    if (c == '~')
        return CODE_TILDE;
    if (c >= 'A' && c <= 'Z')
        return (uint8_t)(CODE_LETTERS + (c - 'A'));
    if (c >= 'a' && c <= 'z')
        return (uint8_t)(CODE_LETTERS + 26 + (c - 'a'));
    /* How many smaller bytes are among the others: those below, less the digits, the
     * letters and the tilde that are below too. */
    unsigned rank = c;
    if (c > '9')
        rank -= 10;
    if (c > 'Z')
        rank -= 26;
    if (c > 'z')
        rank -= 26;
    if (c > '~')
        rank -= 1;
    return (uint8_t)(CODE_OTHERS + rank);
}

static uint8_t *put_number(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    const size_t digits = (size_t)(end - from);
    if (digits < COUNT_LONG) {
        *to++ = (uint8_t)digits;
    } else {
        *to++ = COUNT_LONG;
        to = gs_digits_put_u64(to, digits);
    }
    memcpy(to, from, digits);
    return to + digits;
}

static uint8_t *put_parts(uint8_t *to, const uint8_t *text, size_t bytes)
{
    const uint8_t *p = text;
    const uint8_t *const end = text + bytes;
    while (p < end) {
        while (p < end && !gs_text_is_digit(*p))
            *to++ = code_of(*p++);
        *to++ = CODE_STOP;
        while (p < end && *p == '0')
            p++;
        const uint8_t *const number = p;
        while (p < end && gs_text_is_digit(*p))
            p++;
        to = put_number(to, number, p);
    }
    *to++ = CODE_STOP;
    if (bytes == 0) { /* as if a number of no digits had ended it */
        *to++ = 0;
        *to++ = CODE_STOP;
    }
    return to;
}

/* How long the name is without a suffix of the form (\.[A-Za-z~][A-Za-z0-9~]*)*$, which
 * never takes its first byte. */
static size_t length_without_suffix(const uint8_t *text, size_t bytes)
{
    gs_assert(bytes > 0);
    for (size_t i = 1;; i++) {
        const size_t without = i;
        while (i + 1 < bytes && text[i] == '.' &&
               (gs_text_is_letter(text[i + 1]) || text[i + 1] == '~')) {
            for (i += 2;
                 i < bytes && (gs_text_is_alphanumeric(text[i]) || text[i] == '~');)
                i++;
        }
        if (i >= bytes)
            return without;
    }
}

size_t gs_version_encode(const uint8_t *text, size_t bytes, uint8_t *to)
{
    uint8_t *p = to;
    if (bytes == 0) {
        *p = CLASS_EMPTY;
        return 1;
    }
    if (text[0] == '.' && (bytes == 1 || (bytes == 2 && text[1] == '.'))) {
        *p = bytes == 1 ? CLASS_DOT : CLASS_DOT_DOT;
        return 1;
    }
    *p++ = text[0] == '.' ? CLASS_HIDDEN : CLASS_REST;
    p = put_parts(p, text, length_without_suffix(text, bytes));
    p = put_parts(p, text, bytes);
    return (size_t)(p - to);
}
