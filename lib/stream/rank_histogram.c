/* SPDX-License-Identifier: MIT */
#include "lib/stream/rank_histogram.h"

#include <math.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

/* So many sort fast, in the second-level cache; so many for each 1 / eps keep the levels
 * few. */
enum { WINDOW_MIN = 1 << 16, WINDOW_TIMES = 16 };

size_t gs_rank_window_values(double eps, size_t memory_bytes)
{
    const size_t fit = memory_bytes / 2 / (2 * sizeof(uint64_t));
    size_t values = WINDOW_MIN;
    while ((double)values < WINDOW_TIMES / eps && values <= fit / 2)
        values *= 2;
    return values;
}

uint64_t gs_rank_window_stride(double eps, size_t values)
{
    const double stride = floor(eps * (double)values / 2);
    return stride < 1 ? 1 : (uint64_t)stride;
}

void gs_rank_histogram_init(gs_rank_histogram *h, double eps, size_t window_values)
{
    gs_assert(eps >= GS_EPS_MIN && eps <= GS_EPS_MAX && window_values > 0);
    *h = (gs_rank_histogram){.eps = eps, .window_values = window_values};
}

void gs_rank_histogram_release(gs_rank_histogram *h)
{
    for (size_t i = 0; i < GS_RANK_LEVELS_MAX; i++) {
        gs_rank_summary_release(&h->levels[i]);
        gs_rank_summary_release(&h->finished[i]);
    }
    gs_rank_summary_release(&h->spare);
}

static uint64_t parts_of_level(double eps, unsigned phase)
{
    return (uint64_t)ceil(2.0 * (phase > 0 ? phase : 1) / eps);
}

static uint64_t parts_of_phase(double eps)
{
    return (uint64_t)ceil(2.0 / eps);
}

static void swap(gs_rank_summary *a, gs_rank_summary *b)
{
    const gs_rank_summary other = *a;
    *a = *b;
    *b = other;
}

static gs_code end_phase(gs_rank_histogram *h, gs_status *st)
{
    gs_rank_summary *const whole = &h->levels[h->phase];
    gs_assert(h->finished[h->phase].count == 0);
    gs_rank_summary_prune(whole, parts_of_phase(h->eps));
    GS_TRY(gs_rank_summary_trim(whole, st));
    swap(whole, &h->finished[h->phase]);
    h->phase++;
    h->windows = 0;
    return GS_OK;
}

gs_code gs_rank_histogram_add(gs_rank_histogram *h, gs_rank_summary *window,
                              gs_status *st)
{
    unsigned level = 0;
    gs_assert(window->values > 0 && window->values <= h->window_values);
    gs_assert(h->phase < GS_RANK_LEVELS_MAX - 1);
    h->values += window->values;
    for (; h->levels[level].count > 0; level++) {
        GS_TRY(gs_rank_summary_merge(&h->spare, &h->levels[level], window, st));
        gs_rank_summary_prune(&h->spare, parts_of_level(h->eps, h->phase));
        GS_TRY(gs_rank_summary_copy(window, &h->spare, st));
        h->levels[level].count = 0;
    }
    swap(&h->levels[level], window);
    window->count = 0;
    return ++h->windows == (uint64_t)1 << h->phase ? end_phase(h, st) : GS_OK;
}

gs_code gs_rank_histogram_all(const gs_rank_histogram *h, const gs_rank_summary *last,
                              gs_rank_summary *out, gs_status *st)
{
    gs_rank_summary other = {0};
    out->count = 0;
    out->values = 0;
    /* Small ones first: each is moved once for each that is larger. */
    for (size_t i = 0; i <= 2 * (size_t)GS_RANK_LEVELS_MAX && st->code == GS_OK; i++) {
        const size_t at = (i - 1) / 2;
        const gs_rank_summary *const next = i == 0  ? last
                                            : i % 2 ? &h->levels[at]
                                                    : &h->finished[at];
        if (next == NULL || next->count == 0)
            continue;
        if (gs_rank_summary_merge(&other, out, next, st) == GS_OK)
            swap(&other, out);
    }
    gs_rank_summary_release(&other);
    return st->code;
}

size_t gs_rank_histogram_entries(const gs_rank_histogram *h)
{
    size_t sum = h->spare.capacity;
    for (size_t i = 0; i < GS_RANK_LEVELS_MAX; i++)
        sum += h->levels[i].capacity + h->finished[i].capacity;
    return sum;
}

size_t gs_rank_histogram_entries_max(double eps, size_t window_values, uint64_t values)
{
    unsigned phases = 1;
    while (phases < GS_RANK_LEVELS_MAX - 1 &&
           (double)window_values * ldexp(1, (int)phases) <= (double)values)
        phases++;
    const double window = 2 / eps + 2, level = 2 * phases / eps + 2;
    const double most = window * (phases + 2) + (4 + phases) * level;
    return most < (double)SIZE_MAX ? (size_t)most : SIZE_MAX;
}
