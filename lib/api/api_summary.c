/* SPDX-License-Identifier: MIT */
/*
 * Summaries of streams, asked.
 */
#include "lib/api/api_summary.h"

#include <math.h>
#include <string.h>

#include "lib/api/api_call.h"

_Static_assert((int)GPUSORT_VALUES_F64 == (int)GS_NUMBER_F64 &&
                   (int)GPUSORT_VALUES_I64 == (int)GS_NUMBER_I64 &&
                   (int)GPUSORT_VALUES_U64 == (int)GS_NUMBER_U64 &&
                   (int)GPUSORT_VALUES_U32 == (int)GS_NUMBER_U32 &&
                   (int)GPUSORT_VALUES_TEXT == (int)GS_NUMBER_TYPE_COUNT,
               "the types of others are ours");
_Static_assert((int)GPUSORT_NUMBER_BYTES == (int)GS_NUMBER_TEXT_BYTES,
               "a number of others has the room of ours");

void gs_api_summary_release(gpusort_summary *s)
{
    gs_heavy_finder_release(&s->finder);
}

/* --- values ------------------------------------------------------------------------- */

static gpusort_value value_of_key(gs_number_type type, uint64_t key)
{
    gpusort_value v = {.type = (gpusort_values)type,
                       .f64 = gs_number_as_double(type, key)};
    if (type == GS_NUMBER_I64)
        v.i64 = (int64_t)(key ^ (UINT64_C(1) << 63));
    else if (type != GS_NUMBER_F64)
        v.u64 = key;
    return v;
}

static gpusort_value value_of_text(const void *text, size_t bytes)
{
    return (gpusort_value){.type = GPUSORT_VALUES_TEXT, .text = text, .bytes = bytes};
}

static uint64_t key_of_value(const gpusort_value *v)
{
    switch (v->type) {
    case GPUSORT_VALUES_I64: return (uint64_t)v->i64 ^ (UINT64_C(1) << 63);
    case GPUSORT_VALUES_U64:
    case GPUSORT_VALUES_U32: return v->u64;
    case GPUSORT_VALUES_F64:
    case GPUSORT_VALUES_TEXT: break;
    }
    return gs_number_of_double(v->f64);
}

size_t gpusort_number_text(const gpusort_value *number, char text[GPUSORT_NUMBER_BYTES])
{
    const bool is_text = number->type == GPUSORT_VALUES_TEXT;
    return gs_number_print(is_text ? GS_NUMBER_F64 : (gs_number_type)number->type,
                           key_of_value(number), text);
}

/* --- what there is ------------------------------------------------------------------ */

static uint64_t lost_of_prefixes(const gs_known_prefixes *p)
{
    uint64_t most = 0;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++) {
        const uint64_t lost =
            p->counts->levels[i].lost + (p->last != NULL ? p->last->levels[i].lost : 0);
        most = lost > most ? lost : most;
    }
    return most;
}

/* What a window has lost by its edges is in it too. */
static uint64_t error_max(const gpusort_summary *s)
{
    switch (s->info.statistic) {
    case GPUSORT_QUANTILES:
        return s->ranks == NULL /* they are exact */
                   ? 0
                   : gs_rank_summary_error(s->ranks) + (s->uncovered + 1) / 2 +
                         s->window_error;
    case GPUSORT_FREQUENT:
        return (s->numbers != NULL ? s->numbers->lost : s->texts->lost) + s->uncovered +
               s->window_error;
    case GPUSORT_PREFIXES: return lost_of_prefixes(&s->prefixes);
    case GPUSORT_SUMS: /* each says between what it lies */
    case GPUSORT_COLUMNS: break;
    }
    return 0;
}

void gpusort_summary_describe(const gpusort_summary *s, gpusort_summary_info *out)
{
    gpusort_summary_info info = s->info;
    info.error_max = error_max(s);
    info.size = out->size;
    gs_api_give(out, info.size, &info, sizeof info);
}

/* The facts of a column of a table, or NULL. */
static const gs_column_facts *column_of(const gpusort_summary *s, size_t column)
{
    return column < s->table.column_count ? &s->table.columns[column] : NULL;
}

/* --- quantiles ---------------------------------------------------------------------- */

static gs_code find_quantile(const gpusort_summary *s, size_t column, double phi,
                             gpusort_value *out, gs_status *st)
{
    const gs_column_facts *const facts = column_of(s, column);
    const gs_rank_summary *ranks = s->ranks;
    uint64_t in_window = s->info.in_window, key;
    if (!(phi >= 0 && phi <= 1))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a share of %g", phi);
    if (facts != NULL) {
        ranks = &facts->ranks;
        in_window = gs_column_numbers(facts);
    } else if (column > 0 || (ranks == NULL && s->exact == NULL)) {
        return GS_FAIL(st, GS_ERR_ARG, 0, "no quantiles are known of this");
    }
    if (in_window == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "quantiles of no values");
    const uint64_t rank = gs_rank_of_share(phi, facts ? ranks->values : in_window);
    if (s->exact != NULL) {
        GS_TRY(gs_exact_at(s->exact, rank, &key, st));
    } else {
        /* What is not covered may lie below or above: half of it is taken to be below. */
        const uint64_t half = s->uncovered / 2;
        const uint64_t wanted = rank > half + 1 ? rank - half : 1;
        key = gs_rank_summary_at(ranks, wanted < ranks->values ? wanted : ranks->values)
                  ->key;
    }
    *out = value_of_key(facts != NULL ? GS_NUMBER_F64 : s->type, key);
    return GS_OK;
}

gpusort_code gpusort_summary_quantile(const gpusort_summary *s, size_t column, double phi,
                                      gpusort_value *out, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(find_quantile(s, column, phi, out, &st));
    return gs_api_result(&st, error);
}

/* --- counts ------------------------------------------------------------------------- */

static int tell_text(const gs_text_counts *t, double least, size_t i, gpusort_count *out)
{
    if (i >= t->count || (double)(t->entries[i].count + t->lost) < least)
        return 0;
    out->value = value_of_text(gs_text_counts_text(t, i), t->entries[i].bytes);
    out->count = out->rest = t->entries[i].count;
    return 1;
}

int gpusort_summary_frequent(gpusort_summary *s, size_t column, double support, size_t i,
                             gpusort_count *out)
{
    const gs_column_facts *const facts = column_of(s, column);
    if (facts != NULL)
        return tell_text(&facts->counts, support * (double)s->info.in_window, i, out);
    if (column > 0 || (s->numbers == NULL && s->texts == NULL))
        return 0;
    if (!s->is_ranked && s->numbers != NULL)
        gs_count_summary_rank(s->numbers);
    else if (!s->is_ranked)
        gs_text_counts_rank(s->texts);
    s->is_ranked = true;
    const double least = support * (double)s->info.in_window;
    const size_t held = s->numbers != NULL ? s->numbers->count : s->texts->count;
    if (i >= held)
        return 0;
    const uint64_t count =
        s->numbers != NULL ? s->numbers->entries[i].count : s->texts->entries[i].count;
    if ((double)(count + error_max(s)) < least)
        return 0;
    out->value = s->numbers != NULL ? value_of_key(s->type, s->numbers->entries[i].key)
                                    : value_of_text(gs_text_counts_text(s->texts, i),
                                                    s->texts->entries[i].bytes);
    out->count = out->rest = count;
    return 1;
}

static gs_code find_prefixes(gpusort_summary *s, double support, size_t *count,
                             gs_status *st)
{
    *count = 0;
    s->heavy = (gs_heavy_prefixes){.count = 0};
    if (s->prefixes.counts == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no prefixes are known of this");
    GS_TRY(gs_heavy_find(&s->finder, s->prefixes.counts, s->prefixes.last,
                         support * (double)s->info.in_window, &s->heavy, st));
    *count = s->heavy.count;
    return GS_OK;
}

gpusort_code gpusort_summary_find_prefixes(gpusort_summary *s, double support,
                                           size_t *count, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(find_prefixes(s, support, count, &st));
    return gs_api_result(&st, error);
}

int gpusort_summary_prefix(const gpusort_summary *s, size_t i, gpusort_count *out)
{
    if (i >= s->heavy.count)
        return 0;
    const gs_heavy_prefix *const p = &s->heavy.prefixes[i];
    *out = (gpusort_count){value_of_text(p->text, p->bytes), p->count, p->own};
    return 1;
}

/* --- sums --------------------------------------------------------------------------- */

/* Of infinite numbers the average is infinite; of others their sum may be too large. */
static gs_code find_average(const gpusort_summary *s, double *out, gs_status *st)
{
    const gs_pair_facts *const all = s->pairs;
    const bool are_finite = isfinite(gs_number_as_double(s->type, all->least_key)) &&
                            isfinite(gs_number_as_double(s->type, all->most_key));
    *out = all->x_sum / (double)all->values;
    if (isfinite(all->x_sum) || !are_finite)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "the sum of X is too large for a double");
    return gs_status_hint(st, "--agg=min, max and quantile need no sum of X");
}

static gs_code find_aggregate(const gpusort_summary *s, gpusort_aggregate aggregate,
                              double phi, double *out, gs_status *st)
{
    const gs_pair_facts *const all = s->pairs;
    switch (aggregate) {
    case GPUSORT_AVERAGE: return find_average(s, out, st);
    case GPUSORT_LEAST: *out = gs_number_as_double(s->type, all->least_key); return GS_OK;
    case GPUSORT_MOST: *out = gs_number_as_double(s->type, all->most_key); return GS_OK;
    case GPUSORT_QUANTILE: break;
    }
    const uint64_t rank = gs_rank_of_share(phi, all->values);
    *out = gs_number_as_double(s->type, gs_rank_summary_at(&all->ranks, rank)->key);
    return st->code;
}

static gs_code find_sum(const gpusort_summary *s, gpusort_aggregate aggregate, double phi,
                        double times, double plus, gpusort_sum *out, gs_status *st)
{
    uint64_t key;
    double of_x;
    *out = (gpusort_sum){0};
    if (s->pairs == NULL || aggregate < GPUSORT_AVERAGE || aggregate > GPUSORT_QUANTILE)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no such sums are known of this");
    if (aggregate == GPUSORT_QUANTILE && !(phi >= 0 && phi <= 1))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a share of %g", phi);
    if (aggregate == GPUSORT_QUANTILE && !s->info.has_ranks) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "no quantile of x was saved");
        return gs_status_hint(st, "save with --agg=quantile");
    }
    out->total = gs_sum_summary_total(&s->pairs->sums);
    if (s->pairs->values == 0)
        return GS_OK;
    GS_TRY(find_aggregate(s, aggregate, phi, &of_x, st));
    out->limit = times * of_x + plus;
    if (isnan(out->limit))
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "the limit of X is no number");
    if (gs_number_up_to(s->type, out->limit, &key)) {
        const gs_sum_bounds sum = gs_sum_summary_at(&s->pairs->sums, key);
        out->least = sum.least;
        out->most = sum.most;
    }
    return GS_OK;
}

gpusort_code gpusort_summary_sum(const gpusort_summary *s, gpusort_aggregate aggregate,
                                 double phi, double times, double plus, gpusort_sum *out,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(find_sum(s, aggregate, phi, times, plus, out, &st));
    return gs_api_result(&st, error);
}

/* --- columns ------------------------------------------------------------------------ */

int gpusort_summary_column(const gpusort_summary *s, size_t column, gpusort_column *out)
{
    const gs_column_facts *const f = column_of(s, column);
    bool is_exact;
    if (f == NULL)
        return 0;
    gpusort_column c = {
        .size = out->size,
        .empty = f->kinds[GS_KIND_EMPTY],
        .integers = f->kinds[GS_KIND_INTEGER],
        .decimals = f->kinds[GS_KIND_DECIMAL],
        .dates = f->kinds[GS_KIND_DATE],
        .texts = f->kinds[GS_KIND_TEXT],
        .missing = f->missing,
        .distinct = gs_column_facts_distinct(f, &is_exact),
        .top_error = f->counts.lost,
        .has_numbers = gs_column_numbers(f) > 0,
        .has_texts = f->least.is_there,
    };
    if (s->table.names != NULL) {
        c.name = s->table.names[column].data;
        c.name_bytes = s->table.names[column].bytes;
    }
    c.distinct_error = is_exact ? 0 : GS_DISTINCT_ERROR;
    if (c.has_numbers) {
        c.least = value_of_key(GS_NUMBER_F64, f->least_key);
        c.most = value_of_key(GS_NUMBER_F64, f->most_key);
    }
    if (c.has_texts) {
        c.first = value_of_text(f->least.data, f->least.bytes);
        c.last = value_of_text(f->most.data, f->most.bytes);
    }
    gs_api_give(out, c.size, &c, sizeof c);
    return 1;
}

int gpusort_summary_bins(const gpusort_summary *s, size_t column, gpusort_bin *bins,
                         size_t count)
{
    gs_column_bin ours[GPUSORT_BINS_MAX];
    const gs_column_facts *const f = column_of(s, column);
    if (f == NULL || gs_column_numbers(f) == 0 || count == 0 ||
        count > GPUSORT_BINS_MAX || !gs_column_bins(f, ours, count))
        return 0;
    for (size_t i = 0; i < count; i++)
        bins[i] = (gpusort_bin){ours[i].begin, ours[i].end, ours[i].count};
    return 1;
}
