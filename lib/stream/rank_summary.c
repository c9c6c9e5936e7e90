/* SPDX-License-Identifier: MIT */
#include "lib/stream/rank_summary.h"

#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

void gs_rank_summary_release(gs_rank_summary *s)
{
    gs_mem_free(s->entries);
    *s = (gs_rank_summary){0};
}

gs_code gs_rank_summary_reserve(gs_rank_summary *s, size_t count, gs_status *st)
{
    if (count <= s->capacity)
        return GS_OK;
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, count, sizeof *s->entries, st));
    GS_TRY(gs_mem_resize(&s->entries, bytes, "summary of ranks", st));
    s->capacity = count;
    return GS_OK;
}

gs_code gs_rank_summary_copy(gs_rank_summary *to, const gs_rank_summary *from,
                             gs_status *st)
{
    GS_TRY(gs_rank_summary_reserve(to, from->count, st));
    if (from->count > 0)
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    to->count = from->count;
    to->values = from->values;
    return GS_OK;
}

gs_code gs_rank_summary_take(gs_rank_summary *s, const uint64_t *keys, size_t count,
                             uint64_t stride, gs_status *st)
{
    gs_assert(stride > 0);
    s->count = 0;
    s->values = count;
    if (count == 0)
        return GS_OK;
    GS_TRY(gs_rank_summary_reserve(s, (count - 1) / stride + 2, st));
    gs_rank_entry *to = s->entries;
    for (size_t i = 0; i < count; i += stride)
        *to++ = (gs_rank_entry){keys[i], i + 1, i + 1};
    if (to[-1].least < count)
        *to++ = (gs_rank_entry){keys[count - 1], count, count};
    s->count = (size_t)(to - s->entries);
    return GS_OK;
}

/* --- merging ------------------------------------------------------------------------ */

/* What comes before an entry of the other set at least, and at most: `at` is the first of
 * `other` that does not. */
static inline gs_rank_entry placed(gs_rank_entry e, const gs_rank_summary *other,
                                   size_t at)
{
    if (at > 0)
        e.least += other->entries[at - 1].least;
    e.most += at < other->count ? other->entries[at].most - 1 : other->values;
    return e;
}

gs_code gs_rank_summary_merge(gs_rank_summary *out, const gs_rank_summary *a,
                              const gs_rank_summary *b, gs_status *st)
{
    gs_assert(out != a && out != b);
    GS_TRY(gs_rank_summary_reserve(out, a->count + b->count, st));
    gs_rank_entry *to = out->entries;
    size_t i = 0, j = 0;
    /* Of equal keys those of `a` come first. */
    while (i < a->count && j < b->count) {
        const bool is_a = a->entries[i].key <= b->entries[j].key;
        *to++ = is_a ? placed(a->entries[i], b, j) : placed(b->entries[j], a, i);
        i += is_a;
        j += !is_a;
    }
    for (; i < a->count; i++)
        *to++ = placed(a->entries[i], b, j);
    for (; j < b->count; j++)
        *to++ = placed(b->entries[j], a, i);
    out->count = (size_t)(to - out->entries);
    out->values = a->values + b->values;
    return GS_OK;
}

/* --- asking ------------------------------------------------------------------------- */

/* How far the entry may be from a rank. */
static inline uint64_t distance(const gs_rank_entry *e, uint64_t rank)
{
    const uint64_t below = rank > e->least ? rank - e->least : 0;
    const uint64_t above = e->most > rank ? e->most - rank : 0;
    return below > above ? below : above;
}

/* The nearest of those from `from` on: their least and most ranks grow, so the distance
 * falls first and then only grows. */
static size_t nearest_from(const gs_rank_summary *s, size_t from, uint64_t rank)
{
    size_t best = from;
    uint64_t best_distance = distance(&s->entries[from], rank);
    for (size_t i = from + 1; i < s->count; i++) {
        const uint64_t d = distance(&s->entries[i], rank);
        if (d <= best_distance) {
            best = i;
            best_distance = d;
        } else if (s->entries[i].most > rank && s->entries[i].least > rank) {
            break;
        }
    }
    return best;
}

/* The last entry whose most is at most the rank, or the first of all. */
static size_t last_before(const gs_rank_summary *s, uint64_t rank)
{
    size_t low = 0, high = s->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (s->entries[middle].most <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint64_t gs_rank_of_share(double share, uint64_t values)
{
    const double rank = ceil(share * (double)values);
    if (rank < 1)
        return 1;
    return rank < (double)values ? (uint64_t)rank : values;
}

const gs_rank_entry *gs_rank_summary_at(const gs_rank_summary *s, uint64_t rank)
{
    gs_assert(s->count > 0);
    return &s->entries[nearest_from(s, last_before(s, rank), rank)];
}

void gs_rank_summary_prune(gs_rank_summary *s, uint64_t parts)
{
    gs_assert(parts > 0);
    if (s->count < 2 || s->count - 1 <= parts)
        return;
    const uint64_t span = s->values - 1;
    const uint64_t whole = span / parts, rest = span % parts;
    uint64_t rank = 1, carry = 0;
    size_t kept = 0, at = 0;
    for (uint64_t i = 0; i <= parts; i++) {
        at = nearest_from(s, at, rank);
        if (kept == 0 || s->entries[at].key != s->entries[kept - 1].key ||
            s->entries[at].least != s->entries[kept - 1].least ||
            s->entries[at].most != s->entries[kept - 1].most)
            s->entries[kept++] = s->entries[at];
        rank += whole;
        if (carry >= parts - rest) {
            carry -= parts - rest;
            rank++;
        } else {
            carry += rest;
        }
    }
    s->count = kept;
}

gs_code gs_rank_summary_trim(gs_rank_summary *s, gs_status *st)
{
    if (s->capacity == s->count || s->count == 0)
        return GS_OK;
    GS_TRY(gs_mem_resize(&s->entries, s->count * sizeof *s->entries, "summary of ranks",
                         st));
    s->capacity = s->count;
    return GS_OK;
}

void gs_rank_summary_shrink(gs_rank_summary *s, uint64_t error)
{
    const uint64_t now = gs_rank_summary_error(s);
    if (now < error && s->count > 1)
        gs_rank_summary_prune(s, s->values / (2 * (error - now)) + 1);
}

/* Of the entries whose most is at most rank + g / 2, where g is the widest gap, the last
 * is at least rank - g / 2: the next one's most is beyond, and no further than g from its
 * least. */
uint64_t gs_rank_summary_error(const gs_rank_summary *s)
{
    uint64_t widest = 0;
    for (size_t i = 1; i < s->count; i++) {
        const uint64_t gap = s->entries[i].most - s->entries[i - 1].least;
        if (gap > widest)
            widest = gap;
    }
    return widest / 2;
}

void gs_rank_summary_bounds(const gs_rank_summary *s, uint64_t key, uint64_t *least,
                            uint64_t *most)
{
    size_t low = 0, high = s->count; /* the first whose key is greater */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->entries[middle].key <= key)
            low = middle + 1;
        else
            high = middle;
    }
    *least = low > 0 ? s->entries[low - 1].least : 0;
    *most = low < s->count ? s->entries[low].most - 1 : s->values;
}

bool gs_rank_summary_is_sound(const gs_rank_summary *s)
{
    if (s->values == 0 || s->count == 0)
        return s->values == 0 && s->count == 0;
    uint64_t rank = 0; /* the least that entries so far leave for the last of them */
    for (size_t i = 0; i < s->count; i++) {
        const gs_rank_entry *const e = &s->entries[i];
        if (e->least == 0 || e->least > e->most || e->most > s->values)
            return false;
        rank = e->least > rank ? e->least : rank + 1;
        if (rank > e->most)
            return false;
        if (i > 0 &&
            (e->key < e[-1].key || e->least < e[-1].least || e->most < e[-1].most))
            return false;
    }
    return s->entries[0].most == 1 && s->entries[s->count - 1].least == s->values;
}
