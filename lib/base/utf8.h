/* SPDX-License-Identifier: MIT */
/*
 * utf8: decode, check and write UTF-8, one code point at a time.
 *
 * Only the shortest form of a code point is valid, surrogates are not, and nothing is
 * beyond U+10FFFF.
 */
#ifndef GS_LIB_BASE_UTF8_H
#define GS_LIB_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GS_UTF8_BYTES_MAX = 4 };

/* The code point at `p`, before `end`; returns its length, or 0 if the bytes are none. */
static inline unsigned gs_utf8_decode(const uint8_t *p, const uint8_t *end, uint32_t *out)
{
    const size_t left = (size_t)(end - p);
    const uint32_t a = left > 0 ? p[0] : 0xff;
    if (a < 0x80) {
        *out = a;
        return 1;
    }
    if (a < 0xc2 || a > 0xf4)
        return 0;
    if (left < 2 || (p[1] & 0xc0) != 0x80)
        return 0;
    const uint32_t b = p[1] & 0x3f;
    if (a < 0xe0) {
        *out = (a & 0x1f) << 6 | b;
        return 2;
    }
    if (left < 3 || (p[2] & 0xc0) != 0x80)
        return 0;
    const uint32_t c = p[2] & 0x3f;
    if (a < 0xf0) {
        const uint32_t point = (a & 0x0f) << 12 | b << 6 | c;
        *out = point;
        return point < 0x800 || (point >= 0xd800 && point < 0xe000) ? 0 : 3;
    }
    if (left < 4 || (p[3] & 0xc0) != 0x80)
        return 0;
    const uint32_t point = (a & 0x07) << 18 | b << 12 | c << 6 | (p[3] & 0x3f);
    *out = point;
    return point < 0x10000 || point > 0x10ffff ? 0 : 4;
}

static inline bool gs_utf8_is_valid(const uint8_t *p, size_t bytes)
{
    const uint8_t *const end = p + bytes;
    while (p < end) {
        uint64_t word;
        while (end - p >= 8 && (memcpy(&word, p, 8), (word & 0x8080808080808080u) == 0))
            p += 8;
        uint32_t point;
        const unsigned n = p < end ? gs_utf8_decode(p, end, &point) : 0;
        if (n == 0)
            return p == end;
        p += n;
    }
    return true;
}

/* Behind a byte order mark, if one stands at `p`. Some programs begin every file with
 * one, and files are put together, so that it may come anywhere between documents. */
static inline const uint8_t *gs_utf8_skip_mark(const uint8_t *p, const uint8_t *end)
{
    return end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? p + 3 : p;
}

/* Writes a valid code point; returns the end of what was written. */
static inline uint8_t *gs_utf8_encode(uint8_t *to, uint32_t point)
{
    if (point < 0x80) {
        *to++ = (uint8_t)point;
    } else if (point < 0x800) {
        *to++ = (uint8_t)(0xc0 | point >> 6);
        *to++ = (uint8_t)(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        *to++ = (uint8_t)(0xe0 | point >> 12);
        *to++ = (uint8_t)(0x80 | (point >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (point & 0x3f));
    } else {
        *to++ = (uint8_t)(0xf0 | point >> 18);
        *to++ = (uint8_t)(0x80 | (point >> 12 & 0x3f));
        *to++ = (uint8_t)(0x80 | (point >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (point & 0x3f));
    }
    return to;
}

#endif
