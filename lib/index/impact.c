/* SPDX-License-Identifier: MIT */
#include "lib/index/impact.h"

#include <string.h>

#include "lib/index/index_reader.h"
#include "lib/index/varint.h"

/* Makes one of the two neighbours whose lengths are closest. */
static void coarsen(gs_impacts *impacts, gs_impact *pairs)
{
    unsigned at = 0, closest = UINT8_MAX;
    for (unsigned i = 0; i < GS_IMPACTS_MAX; i++) {
        const unsigned gap = (unsigned)(pairs[i + 1].code - pairs[i].code);
        if (gap < closest) {
            closest = gap;
            at = i;
        }
    }
    pairs[at].tf = pairs[at + 1].tf;
    memmove(&pairs[at + 1], &pairs[at + 2], (GS_IMPACTS_MAX - at - 1) * sizeof *pairs);
    memcpy(impacts->pairs, pairs, GS_IMPACTS_MAX * sizeof *pairs);
    impacts->count = GS_IMPACTS_MAX;
}

static void add(gs_impacts *impacts, uint32_t tf, uint8_t code)
{
    gs_impact pairs[GS_IMPACTS_MAX + 1];
    unsigned count = 0, i = 0;
    for (; i < impacts->count && impacts->pairs[i].tf < tf; i++) {
        if (impacts->pairs[i].code < code)
            pairs[count++] = impacts->pairs[i];
    }
    if (i < impacts->count && impacts->pairs[i].code <= code)
        return; /* one with as many, and no longer */
    pairs[count++] = (gs_impact){tf, code};
    for (; i < impacts->count; i++) {
        if (impacts->pairs[i].tf > tf)
            pairs[count++] = impacts->pairs[i];
    }
    if (count > GS_IMPACTS_MAX) {
        coarsen(impacts, pairs);
        return;
    }
    memcpy(impacts->pairs, pairs, count * sizeof *pairs);
    impacts->count = count;
}

void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *codes,
                   size_t count)
{
    /* The shortest document of each small frequency; 256: none. */
    enum { SMALL = 16, NONE = UINT8_MAX + 1 };
    uint16_t least[SMALL];
    for (unsigned i = 0; i < SMALL; i++)
        least[i] = NONE;
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        if (__builtin_expect(tfs_less_one[i] >= SMALL, 0)) {
            add(out, (uint32_t)(tfs_less_one[i] + 1), codes[i]);
            continue;
        }
        uint16_t *const slot = &least[tfs_less_one[i]];
        *slot = codes[i] < *slot ? codes[i] : *slot;
    }
    for (unsigned i = SMALL; i-- > 0;) {
        if (least[i] != NONE)
            add(out, i + 1, (uint8_t)least[i]);
    }
}

void gs_impacts_join(gs_impacts *to, const gs_impacts *more)
{
    for (unsigned i = 0; i < more->count; i++)
        add(to, more->pairs[i].tf, more->pairs[i].code);
}

bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t code)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        if (impacts->pairs[i].tf >= tf && impacts->pairs[i].code <= code)
            return true;
    }
    return false;
}

uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts, bool has_lengths)
{
    uint32_t tf = 0;
    int code = -1;
    for (unsigned i = has_lengths ? 0 : impacts->count - 1; i < impacts->count; i++) {
        const gs_impact *const pair = &impacts->pairs[i];
        const bool has_more = i + 1 < impacts->count;
        to = gs_varint_put(to, (uint64_t)(pair->tf - tf - 1) << 1 | has_more);
        if (has_lengths)
            *to++ = (uint8_t)(pair->code - code - 1);
        tf = pair->tf;
        code = pair->code;
    }
    return to;
}

bool gs_impacts_read(const uint8_t **p, const uint8_t *end, bool has_lengths,
                     gs_impacts *impacts)
{
    uint64_t tf = 0;
    int code = -1;
    for (unsigned i = 0; i < GS_IMPACTS_MAX; i++) {
        uint64_t number;
        if (!gs_varint_read(p, end, &number) || number >> 1 > UINT32_MAX)
            return false;
        tf += (number >> 1) + 1;
        if (has_lengths) {
            if (*p == end)
                return false;
            code += *(*p)++ + 1;
        } else {
            code = 0;
        }
        if (tf > UINT32_MAX || code > UINT8_MAX)
            return false;
        impacts->pairs[i] = (gs_impact){(uint32_t)tf, (uint8_t)code};
        impacts->count = i + 1;
        if ((number & 1) == 0)
            return true;
    }
    return false;
}

bool gs_impacts_skip(const uint8_t **p, const uint8_t *end, bool has_lengths)
{
    const uint8_t *at = *p;
    for (unsigned i = 0; i < GS_IMPACTS_MAX; i++) {
        if (at == end)
            return false;
        const bool has_more = (*at & 1) != 0;
        while ((*at & 0x80) != 0) {
            if (++at == end)
                return false;
        }
        at += has_lengths ? 2 : 1;
        if (at > end)
            return false;
        if (!has_more) {
            *p = at;
            return true;
        }
    }
    return false;
}
