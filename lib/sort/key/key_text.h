/* SPDX-License-Identifier: MIT */
/*
 * key_text: what a byte is, in the C locale and whatever the process's locale says.
 */
#ifndef GS_LIB_SORT_KEY_KEY_TEXT_H
#define GS_LIB_SORT_KEY_KEY_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* What separates fields without -t; a newline is one too, which matters with -z. */
static inline bool gs_text_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static inline const uint8_t *gs_text_skip_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && gs_text_is_blank(*p))
        p++;
    return p;
}

static inline bool gs_text_is_letter(uint8_t c)
{
    return (uint8_t)((c | 0x20) - 'a') < 26;
}

static inline bool gs_text_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

static inline bool gs_text_is_alphanumeric(uint8_t c)
{
    return gs_text_is_letter(c) || gs_text_is_digit(c);
}

static inline bool gs_text_is_printing(uint8_t c)
{
    return c >= 0x20 && c < 0x7f;
}

static inline uint8_t gs_text_upper(uint8_t c)
{
    return (uint8_t)(c - 'a') < 26 ? (uint8_t)(c - 'a' + 'A') : c;
}

#endif
