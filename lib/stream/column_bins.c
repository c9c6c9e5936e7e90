/* SPDX-License-Identifier: MIT */
#include "lib/stream/column_bins.h"

#include <math.h>

#include "lib/stream/number_text.h"

static double number_of_rank(const gs_rank_summary *ranks, double share)
{
    const uint64_t rank = gs_rank_of_share(share, ranks->values);
    return gs_number_as_double(GS_NUMBER_F64, gs_rank_summary_at(ranks, rank)->key);
}

/* The first number above zero that is known from the first percent on. */
static double first_above_zero(const gs_rank_summary *ranks)
{
    const gs_rank_entry *first =
        gs_rank_summary_at(ranks, gs_rank_of_share(0.01, ranks->values));
    while (first + 1 < ranks->entries + ranks->count &&
           !(gs_number_as_double(GS_NUMBER_F64, first->key) > 0))
        first++;
    return gs_number_as_double(GS_NUMBER_F64, first->key);
}

static bool set_ends(const gs_column_facts *f, gs_column_bin *bins, size_t count)
{
    const double least = gs_number_as_double(GS_NUMBER_F64, f->least_key);
    const double most = gs_number_as_double(GS_NUMBER_F64, f->most_key);
    const double parts = (double)count, width = (most - least) / parts;
    if (!isfinite(least) || !isfinite(most) || !isfinite(width) || !(width > 0))
        return false;
    for (size_t i = 0; i < count; i++)
        bins[i].end = least + width * (double)(i + 1);
    if (least < 0 || number_of_rank(&f->ranks, 0.5) >= bins[0].end)
        return true;
    const double from = first_above_zero(&f->ranks);
    for (size_t i = 1; from < most / parts && i < count; i++)
        bins[i - 1].end = pow(from, 1 - (double)i / parts) * pow(most, (double)i / parts);
    return true;
}

bool gs_column_bins(const gs_column_facts *f, gs_column_bin *bins, size_t count)
{
    const gs_rank_summary *const ranks = &f->ranks;
    uint64_t before = 0;
    if (!set_ends(f, bins, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        uint64_t low, high;
        bins[i].begin =
            i > 0 ? bins[i - 1].end : gs_number_as_double(GS_NUMBER_F64, f->least_key);
        gs_rank_summary_bounds(ranks, gs_number_of_double(bins[i].end), &low, &high);
        const uint64_t up_to = i + 1 == count ? ranks->values : low + (high - low) / 2;
        bins[i].count = up_to > before ? up_to - before : 0;
        before = up_to > before ? up_to : before;
    }
    return true;
}
