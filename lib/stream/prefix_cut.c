/* SPDX-License-Identifier: MIT */
#include "lib/stream/prefix_cut.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(32 / GS_IP_STEP_MIN + 128 / GS_IP_STEP_MIN <= GS_PREFIX_LEVELS_MAX,
               "levels of addresses");

/* --- parts -------------------------------------------------------------------------- */

static void put(gs_prefixes *out, const uint8_t *text, size_t bytes, unsigned level)
{
    out->texts[out->count] = (gs_slice){text, bytes};
    out->levels[out->count++] = level;
}

/* From the left, up to each separator: they come shortest first, and are turned round. */
static void cut_left(uint8_t separator, const uint8_t *text, size_t bytes,
                     gs_prefixes *out)
{
    for (size_t i = 1; i < bytes && out->count < GS_PREFIX_LEVELS_MAX; i++)
        if (text[i] == separator)
            put(out, text, i, (unsigned)out->count);
    if (out->count < GS_PREFIX_LEVELS_MAX)
        put(out, text, bytes, (unsigned)out->count);
    for (size_t i = 0, j = out->count - 1; i < j; i++, j--) {
        const gs_slice other = out->texts[i];
        out->texts[i] = out->texts[j];
        out->texts[j] = other;
        out->levels[i] = (unsigned)j;
        out->levels[j] = (unsigned)i;
    }
}

/* From the right, behind each dot. */
static void cut_right(const uint8_t *text, size_t bytes, gs_prefixes *out)
{
    const uint8_t *starts[GS_PREFIX_LEVELS_MAX];
    size_t n = 0;
    for (size_t i = bytes; i > 0 && n < GS_PREFIX_LEVELS_MAX; i--)
        if (text[i - 1] == '.' && i < bytes)
            starts[n++] = text + i;
    if (n < GS_PREFIX_LEVELS_MAX)
        starts[n++] = text;
    while (n-- > 0)
        put(out, starts[n], bytes - (size_t)(starts[n] - text), (unsigned)n);
}

/* --- addresses ---------------------------------------------------------------------- */

/* The bytes of an address: 4 or 16, or 0 if it is none. *bits is how many of it count. */
static size_t read_address(const uint8_t *text, size_t bytes, uint8_t address[16],
                           unsigned *bits)
{
    char copy[GS_PREFIX_TEXT_BYTES];
    if (bytes >= sizeof copy || memchr(text, '\0', bytes) != NULL)
        return 0;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    char *const slash = strchr(copy, '/');
    if (slash != NULL)
        *slash = '\0';
    const size_t n = inet_pton(AF_INET, copy, address) == 1    ? 4
                     : inet_pton(AF_INET6, copy, address) == 1 ? 16
                                                               : 0;
    *bits = (unsigned)n * 8;
    if (slash != NULL) {
        char *end = NULL;
        const unsigned long length = strtoul(slash + 1, &end, 10);
        if (slash[1] < '0' || slash[1] > '9' || *end != '\0' || length > *bits)
            return 0;
        *bits = (unsigned)length;
    }
    return n;
}

bool gs_prefix_is_address(const uint8_t *text, size_t bytes)
{
    uint8_t address[16];
    unsigned bits = 0;
    const size_t n = read_address(text, bytes, address, &bits);
    return n > 0 && bits == 8 * n;
}

static void cut_address(unsigned step, const uint8_t *text, size_t bytes,
                        gs_prefixes *out)
{
    uint8_t address[16];
    unsigned bits = 0;
    const size_t n = read_address(text, bytes, address, &bits);
    const unsigned first_level = n == 16 ? (32 + step - 1) / step : 0;
    while (n > 0 && bits > 0) {
        for (unsigned i = bits; i < 8 * n; i++)
            address[i / 8] &= (uint8_t) ~(0x80u >> i % 8);
        char *const to = out->room[out->count];
        (void)inet_ntop(n == 4 ? AF_INET : AF_INET6, address, to, GS_PREFIX_TEXT_BYTES);
        const size_t length = strlen(to);
        (void)snprintf(to + length, GS_PREFIX_TEXT_BYTES - length, "/%u", bits);
        put(out, (const uint8_t *)to, strlen(to),
            first_level + (bits + step - 1) / step - 1);
        bits = (bits - 1) / step * step;
    }
}

void gs_prefix_cut(const gs_hierarchy *by, const uint8_t *text, size_t bytes,
                   gs_prefixes *out)
{
    out->count = 0;
    switch (by->kind) {
    case GS_BY_DOTS: cut_left('.', text, bytes, out); break;
    case GS_BY_SLASH: cut_left('/', text, bytes, out); break;
    case GS_BY_DOMAIN: cut_right(text, bytes, out); break;
    case GS_BY_IP: cut_address(by->step, text, bytes, out); break;
    case GS_HIERARCHY_COUNT: break;
    }
}

bool gs_prefix_is_one(const gs_hierarchy *by, unsigned level, const uint8_t *text,
                      size_t bytes, gs_prefixes *cut)
{
    uint8_t address[16];
    unsigned bits = 0;
    if (by->kind == GS_BY_IP) {
        const size_t n = read_address(text, bytes, address, &bits);
        if (bits % by->step != 0 && bits != 8 * n)
            return false;
    }
    gs_prefix_cut(by, text, bytes, cut);
    return cut->count > 0 && cut->levels[0] == level &&
           (by->kind == GS_BY_IP || cut->texts[0].bytes == bytes);
}
