/* SPDX-License-Identifier: MIT */
#include "lib/index/format/impact.h"

#include <string.h>

/* Makes one of the two neighbours whose lengths are closest. */
static void coarsen(gs_impacts *impacts, gs_impact *pairs)
{
    unsigned at = 0, closest = UINT8_MAX;
    for (unsigned i = 0; i < GS_IMPACTS_MAX; i++) {
        const unsigned gap = (unsigned)(pairs[i + 1].length - pairs[i].length);
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

static void add(gs_impacts *impacts, gs_impact added)
{
    gs_impact pairs[GS_IMPACTS_MAX + 1];
    unsigned count = 0, i = 0;
    for (; i < impacts->count && impacts->pairs[i].tf < added.tf; i++) {
        if (impacts->pairs[i].length < added.length)
            pairs[count++] = impacts->pairs[i];
    }
    if (i < impacts->count && impacts->pairs[i].length <= added.length)
        return; /* one with as many, and no longer */
    pairs[count++] = added;
    for (; i < impacts->count; i++) {
        if (impacts->pairs[i].tf > added.tf)
            pairs[count++] = impacts->pairs[i];
    }
    if (count > GS_IMPACTS_MAX) {
        coarsen(impacts, pairs);
        return;
    }
    memcpy(impacts->pairs, pairs, count * sizeof *pairs);
    impacts->count = count;
}

void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *lengths,
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
            add(out, (gs_impact){gs_code_above(tfs_less_one[i] + 1), lengths[i]});
            continue;
        }
        uint16_t *const slot = &least[tfs_less_one[i]];
        *slot = lengths[i] < *slot ? lengths[i] : *slot;
    }
    for (unsigned i = SMALL; i-- > 0;) {
        if (least[i] != NONE)
            add(out, (gs_impact){(uint8_t)(i + 1), (uint8_t)least[i]});
    }
}

void gs_impacts_join(gs_impacts *to, const gs_impacts *more)
{
    for (unsigned i = 0; i < more->count; i++)
        add(to, more->pairs[i]);
}

bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t length)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        if (impacts->pairs[i].tf >= gs_code_above(tf) &&
            impacts->pairs[i].length <= length)
            return true;
    }
    return false;
}

uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        *to++ = impacts->pairs[i].tf;
        *to++ = impacts->pairs[i].length;
    }
    return to;
}
