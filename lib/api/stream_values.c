/* SPDX-License-Identifier: MIT */
#include "lib/api/stream_values.h"

#include <math.h>

_Static_assert((int)GPUSORT_BY_DOTS == (int)GS_BY_DOTS &&
                   (int)GPUSORT_BY_SLASH == (int)GS_BY_SLASH &&
                   (int)GPUSORT_BY_DOMAIN == (int)GS_BY_DOMAIN &&
                   (int)GPUSORT_BY_IP == (int)GS_BY_IP,
               "the hierarchies of others are ours");
_Static_assert((int)GPUSORT_STEP_MIN == (int)GS_IP_STEP_MIN &&
                   (int)GPUSORT_STEP_MAX == (int)GS_IP_STEP_MAX &&
                   (int)GPUSORT_LEVELS_MAX == (int)GS_PREFIX_LEVELS_MAX,
               "the limits of others are ours");

#define USUAL_EPS  0.001
#define USUAL_STEP 8

static bool has_field(const gpusort_field *f)
{
    return f->name != NULL || f->number > 0;
}

/* What goes with a statistic. */
typedef struct abilities {
    bool is_there, has_window, has_window_of_time;
    bool may_be_exact, has_ranks;
    bool has_texts, is_of_texts; /* may be of them, must be */
    bool is_of_pairs, is_of_records, has_hierarchy;
} abilities;

static abilities abilities_of(gpusort_statistic statistic)
{
    switch (statistic) {
    case GPUSORT_QUANTILES:
        return (abilities){.is_there = true,
                           .has_window = true,
                           .has_window_of_time = true,
                           .may_be_exact = true};
    case GPUSORT_FREQUENT:
        return (abilities){.is_there = true,
                           .has_window = true,
                           .has_window_of_time = true,
                           .has_texts = true};
    case GPUSORT_PREFIXES:
        return (abilities){.is_there = true,
                           .has_texts = true,
                           .is_of_texts = true,
                           .has_hierarchy = true};
    case GPUSORT_SUMS:
        return (abilities){
            .is_there = true, .has_window = true, .has_ranks = true, .is_of_pairs = true};
    case GPUSORT_COLUMNS:
        return (abilities){.is_there = true, .has_texts = true, .is_of_records = true};
    }
    return (abilities){.is_there = false};
}

static gs_code check_statistic(const gpusort_stream_options *o, gs_status *st)
{
    const abilities can = abilities_of(o->statistic);
    if (!can.is_there)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no such statistic: %d", (int)o->statistic);
    if (!(o->eps >= GPUSORT_EPS_MIN && o->eps <= GPUSORT_EPS_MAX))
        return GS_FAIL(st, GS_ERR_ARG, 0, "an error is from %g to %g, not %g",
                       GPUSORT_EPS_MIN, GPUSORT_EPS_MAX, o->eps);
    if (!isfinite(o->window_seconds) || o->window_seconds < 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a window of %g seconds", o->window_seconds);
    if ((o->window > 0 && !can.has_window) ||
        (o->window_seconds > 0 && (o->window > 0 || !can.has_window_of_time)))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a window that this statistic has not");
    if (o->is_exact && (!can.may_be_exact || o->window > 0 || o->window_seconds > 0))
        return GS_FAIL(st, GS_ERR_ARG, 0, "quantiles of all values alone are exact");
    if (o->has_ranks && !can.has_ranks)
        return GS_FAIL(st, GS_ERR_ARG, 0, "ranks are asked for of sums");
    if (o->hierarchy < GPUSORT_BY_DOTS || o->hierarchy > GPUSORT_BY_IP)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no such hierarchy: %d", (int)o->hierarchy);
    if (o->step < GPUSORT_STEP_MIN || o->step > GPUSORT_STEP_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%u bits between prefixes", o->step);
    return GS_OK;
}

static gs_code check_values(const gpusort_stream_options *o, gs_status *st)
{
    const abilities can = abilities_of(o->statistic);
    const bool has_second = can.is_of_pairs || o->window_seconds > 0;
    const bool is_text = o->values == GPUSORT_VALUES_TEXT;
    if (o->values < GPUSORT_VALUES_F64 || o->values > GPUSORT_VALUES_TEXT)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no such values: %d", (int)o->values);
    if (is_text && (o->is_binary || !can.has_texts))
        return GS_FAIL(st, GS_ERR_ARG, 0, "texts where there must be numbers");
    if (o->is_binary && (o->is_csv || o->delimiter != 0 || o->has_header ||
                         has_field(&o->value) || has_field(&o->second)))
        return GS_FAIL(st, GS_ERR_ARG, 0, "binary numbers have no fields");
    if (!o->is_binary && has_second != has_field(&o->second))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a second field %s",
                       has_second ? "is lacking" : "is for sums and windows of time");
    if (!o->is_binary && has_second && !has_field(&o->value))
        return GS_FAIL(st, GS_ERR_ARG, 0, "pairs are of two fields");
    if ((o->value.name != NULL || o->second.name != NULL) && !o->has_header)
        return GS_FAIL(st, GS_ERR_ARG, 0, "names of fields are in a header");
    if (o->delimiter < 0 || o->delimiter > UINT8_MAX || o->delimiter == '\n' ||
        (o->is_csv && o->delimiter == GS_CSV_QUOTE))
        return GS_FAIL(st, GS_ERR_ARG, 0, "no delimiter: %d", o->delimiter);
    return GS_OK;
}

static gs_column column_of(const gpusort_field *f)
{
    return (gs_column){.name = f->name, .field = f->name != NULL ? 0 : f->number};
}

gs_code gs_stream_values_take(gs_value_options *out, gpusort_stream_options *o,
                              gs_status *st)
{
    if (o->eps == 0)
        o->eps = USUAL_EPS;
    if (o->step == 0)
        o->step = USUAL_STEP;
    GS_TRY(check_statistic(o, st));
    const abilities can = abilities_of(o->statistic);
    if (can.is_of_texts)
        o->values = GPUSORT_VALUES_TEXT;
    GS_TRY(check_values(o, st));
    const bool is_text = o->values == GPUSORT_VALUES_TEXT || can.is_of_records;
    const bool has_delimiter = o->is_csv || o->delimiter != 0;
    *out = (gs_value_options){
        .type =
            o->values == GPUSORT_VALUES_TEXT ? GS_NUMBER_F64 : (gs_number_type)o->values,
        .is_text = is_text,
        .is_record = can.is_of_records,
        .has_times = o->window_seconds > 0,
        .is_binary = o->is_binary != 0,
        .has_header = o->has_header != 0,
        .skips_bad = o->skips_bad != 0,
        .format = {.has_separator = has_delimiter,
                   .separator = (uint8_t)(o->delimiter != 0 ? o->delimiter : ','),
                   .is_csv = o->is_csv != 0},
        .columns = {column_of(&o->value), column_of(&o->second)},
        .column_count = can.is_of_pairs || o->window_seconds > 0 ? 2 : 1,
    };
    if (can.has_hierarchy && o->hierarchy == GPUSORT_BY_IP) {
        out->is_good = gs_prefix_is_address;
        out->good_name = "address";
    }
    return GS_OK;
}
