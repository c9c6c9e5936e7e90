/* SPDX-License-Identifier: MIT */
#include "lib/stream/sum_histogram.h"

#include <math.h>

#include "lib/base/assertion.h"

void gs_sum_histogram_init(gs_sum_histogram *h, double eps)
{
    *h = (gs_sum_histogram){.eps = eps};
}

void gs_sum_histogram_release(gs_sum_histogram *h)
{
    for (size_t i = 0; i < GS_SUM_LEVELS_MAX; i++) {
        gs_sum_summary_release(&h->levels[i]);
        gs_sum_summary_release(&h->finished[i]);
    }
    gs_sum_summary_release(&h->spare);
}

uint64_t gs_sum_window_parts(double eps)
{
    return (uint64_t)ceil(2.0 / eps);
}

static void swap(gs_sum_summary *a, gs_sum_summary *b)
{
    const gs_sum_summary other = *a;
    *a = *b;
    *b = other;
}

gs_code gs_sum_histogram_add(gs_sum_histogram *h, gs_sum_summary *window, gs_status *st)
{
    const double phases = h->phase > 0 ? h->phase : 1;
    unsigned level = 0;
    gs_assert(window->count > 0 && h->phase < GS_SUM_LEVELS_MAX - 1);
    for (; h->levels[level].count > 0; level++) {
        GS_TRY(gs_sum_summary_merge(&h->spare, &h->levels[level], window, st));
        gs_sum_summary_prune(&h->spare, (uint64_t)ceil(2 * phases / h->eps));
        GS_TRY(gs_sum_summary_copy(window, &h->spare, st));
        h->levels[level].count = 0;
    }
    swap(&h->levels[level], window);
    window->count = 0;
    if (++h->windows < (uint64_t)1 << h->phase)
        return GS_OK;
    gs_sum_summary *const whole = &h->levels[h->phase];
    gs_sum_summary_prune(whole, gs_sum_window_parts(h->eps));
    GS_TRY(gs_sum_summary_copy(&h->finished[h->phase], whole, st));
    whole->count = 0;
    h->phase++;
    h->windows = 0;
    return GS_OK;
}

gs_code gs_sum_histogram_all(const gs_sum_histogram *h, const gs_sum_summary *last,
                             gs_sum_summary *out, gs_status *st)
{
    gs_sum_summary other = {.count = 0};
    out->count = 0;
    out->totals[0] = out->totals[1] = 0;
    for (size_t i = 0; i <= 2 * (size_t)GS_SUM_LEVELS_MAX && st->code == GS_OK; i++) {
        const size_t at = (i - 1) / 2;
        const gs_sum_summary *const next = i == 0  ? last
                                           : i % 2 ? &h->levels[at]
                                                   : &h->finished[at];
        if (next == NULL || next->count == 0)
            continue;
        if (gs_sum_summary_merge(&other, out, next, st) == GS_OK)
            swap(&other, out);
    }
    gs_sum_summary_release(&other);
    return st->code;
}

size_t gs_sum_histogram_bytes(const gs_sum_histogram *h)
{
    size_t sum = h->spare.capacity;
    for (size_t i = 0; i < GS_SUM_LEVELS_MAX; i++)
        sum += h->levels[i].capacity + h->finished[i].capacity;
    return sum * sizeof(gs_sum_entry);
}
