/* SPDX-License-Identifier: MIT */
#include "lib/stream/sum_summary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

void gs_sum_summary_release(gs_sum_summary *s)
{
    gs_mem_free(s->entries);
    *s = (gs_sum_summary){.count = 0};
}

gs_code gs_sum_summary_reserve(gs_sum_summary *s, size_t count, gs_status *st)
{
    if (count <= s->capacity)
        return GS_OK;
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, count, sizeof *s->entries, st));
    GS_TRY(gs_mem_resize(&s->entries, bytes, "summary of sums", st));
    s->capacity = count;
    return GS_OK;
}

gs_code gs_sum_summary_take(gs_sum_summary *s, gs_number_type type, const uint64_t *pairs,
                            size_t count, gs_status *st)
{
    double sums[GS_SUM_SIGNS] = {0, 0};
    size_t n = 0;
    GS_TRY(gs_sum_summary_reserve(s, count, st));
    for (size_t i = 0; i < count; i++) {
        const double y = gs_number_as_double(type, pairs[2 * i + 1]);
        const bool is_new = i == 0 || pairs[2 * i] != pairs[2 * i - 2];
        if (!isfinite(y))
            return GS_FAIL(st, GS_ERR_FORMAT, 0, "an infinite number cannot be summed");
        if (is_new)
            s->entries[n++] =
                (gs_sum_entry){.key = pairs[2 * i], .before = {sums[0], sums[1]}};
        sums[y < 0] += fabs(y);
        memcpy(s->entries[n - 1].upto, sums, sizeof sums);
    }
    if (!isfinite(sums[0]) || !isfinite(sums[1]))
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "the sum is too large for a double");
    s->count = n;
    memcpy(s->totals, sums, sizeof sums);
    return GS_OK;
}

gs_code gs_sum_summary_copy(gs_sum_summary *to, const gs_sum_summary *from, gs_status *st)
{
    GS_TRY(gs_sum_summary_reserve(to, from->count, st));
    if (from->count > 0)
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    to->count = from->count;
    memcpy(to->totals, from->totals, sizeof to->totals);
    return GS_OK;
}

/* --- merging ------------------------------------------------------------------------ */

/* What `other` adds to an entry whose x it has not: `at` is its first greater one. */
static gs_sum_entry placed(gs_sum_entry e, const gs_sum_summary *other, size_t at)
{
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        if (at > 0)
            e.upto[sign] += other->entries[at - 1].upto[sign];
        e.before[sign] +=
            at < other->count ? other->entries[at].before[sign] : other->totals[sign];
    }
    return e;
}

static gs_sum_entry joined(gs_sum_entry a, const gs_sum_entry *b)
{
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        a.before[sign] += b->before[sign];
        a.upto[sign] += b->upto[sign];
    }
    return a;
}

gs_code gs_sum_summary_merge(gs_sum_summary *out, const gs_sum_summary *a,
                             const gs_sum_summary *b, gs_status *st)
{
    gs_assert(out != a && out != b);
    GS_TRY(gs_sum_summary_reserve(out, a->count + b->count, st));
    gs_sum_entry *to = out->entries;
    size_t i = 0, j = 0;
    while (i < a->count && j < b->count) {
        const gs_sum_entry *const x = &a->entries[i], *const y = &b->entries[j];
        *to++ = x->key == y->key  ? joined(*x, y)
                : x->key < y->key ? placed(*x, b, j)
                                  : placed(*y, a, i);
        const bool takes_a = x->key <= y->key, takes_b = y->key <= x->key;
        i += takes_a;
        j += takes_b;
    }
    for (; i < a->count; i++)
        *to++ = placed(a->entries[i], b, j);
    for (; j < b->count; j++)
        *to++ = placed(b->entries[j], a, i);
    out->count = (size_t)(to - out->entries);
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
        out->totals[sign] = a->totals[sign] + b->totals[sign];
    if (!isfinite(out->totals[0]) || !isfinite(out->totals[1]))
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "the sum is too large for a double");
    return GS_OK;
}

/* --- pruning ------------------------------------------------------------------------ */

/* In which part of the sums an entry ends: for each sign. */
typedef struct sum_part {
    uint64_t of[GS_SUM_SIGNS];
} sum_part;

static sum_part part_of(const gs_sum_summary *s, size_t i, uint64_t parts)
{
    sum_part p;
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        const double total = s->totals[sign];
        p.of[sign] =
            total > 0 ? (uint64_t)(s->entries[i].upto[sign] / total * (double)parts) : 0;
    }
    return p;
}

static bool is_same(const sum_part *a, const sum_part *b)
{
    return a->of[0] == b->of[0] && a->of[1] == b->of[1];
}

/* The first and the last entry of each part stay: between two that stay and were no
 * neighbours lies no more than a part of each sum. */
void gs_sum_summary_prune(gs_sum_summary *s, uint64_t parts)
{
    gs_assert(parts > 0);
    if (s->count <= 4 * parts + 6)
        return;
    size_t kept = 0;
    sum_part before = {{UINT64_MAX, UINT64_MAX}}, here = part_of(s, 0, parts);
    for (size_t i = 0; i < s->count; i++) {
        sum_part next = {{UINT64_MAX, UINT64_MAX}};
        if (i + 1 < s->count)
            next = part_of(s, i + 1, parts);
        if (!is_same(&before, &here) || !is_same(&here, &next))
            s->entries[kept++] = s->entries[i];
        before = here;
        here = next;
    }
    s->count = kept;
}

/* --- asking ------------------------------------------------------------------------- */

gs_sum_bounds gs_sum_summary_at(const gs_sum_summary *s, uint64_t key)
{
    size_t low = 0, high = s->count; /* the first whose key is greater */
    double least[GS_SUM_SIGNS], most[GS_SUM_SIGNS];
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->entries[middle].key <= key)
            low = middle + 1;
        else
            high = middle;
    }
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        least[sign] = low > 0 ? s->entries[low - 1].upto[sign] : 0;
        most[sign] = low < s->count ? s->entries[low].before[sign] : s->totals[sign];
    }
    return (gs_sum_bounds){least[0] - most[1], most[0] - least[1]};
}

double gs_sum_summary_total(const gs_sum_summary *s)
{
    return s->totals[0] + s->totals[1];
}
