/* SPDX-License-Identifier: MIT */
/*
 * saved_unpack: bytes to saved summaries, believing none of them.
 */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/stream/saved_format.h"
#include "lib/stream/saved_summary.h"

#define ROUNDING 1e-9

static const uint64_t counters_max = UINT64_C(1) << 32;

/* What is left of a file, and whether anything of it was not as it must be. */
typedef struct saved_source {
    gs_unpacker bytes;
    gs_saved_summary *to;
    bool is_bad;
} saved_source;

static void require(saved_source *in, bool is_so)
{
    in->is_bad |= !is_so || in->bytes.is_short;
}

static double take_double(saved_source *in)
{
    const uint64_t bits = gs_unpack_number(&in->bytes);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A key that a number of the type has. */
static uint64_t take_key(saved_source *in)
{
    const uint64_t key = gs_unpack_number(&in->bytes);
    require(in, (in->to->type != GS_NUMBER_U32 || key <= UINT32_MAX) &&
                    !isnan(gs_number_as_double(in->to->type, key)));
    return key;
}

/* A count of things that take so many bytes at least: they are there, or it is bad. */
static size_t take_count(saved_source *in, size_t bytes_each)
{
    const uint64_t count = gs_unpack_number(&in->bytes);
    require(in, count <= in->bytes.left / bytes_each);
    return in->is_bad ? 0 : (size_t)count;
}

static gs_code take_ranks(saved_source *in, gs_rank_summary *s, gs_status *st)
{
    const size_t count = take_count(in, 3 * sizeof(uint64_t));
    GS_TRY(gs_rank_summary_reserve(s, count, st));
    for (size_t i = 0; i < count && !in->is_bad; i++) {
        const uint64_t key = take_key(in), least = gs_unpack_number(&in->bytes);
        s->entries[i] = (gs_rank_entry){key, least, gs_unpack_number(&in->bytes)};
    }
    s->count = in->is_bad ? 0 : count;
    s->values = in->is_bad ? 0 : in->to->values;
    require(in, gs_rank_summary_is_sound(s) && (double)gs_rank_summary_error(s) <=
                                                   in->to->eps * (double)in->to->values);
    return GS_OK;
}

/* Counts that have been taken so far have such a sum. */
static uint64_t take_one_count(saved_source *in, uint64_t *sum)
{
    const uint64_t count = gs_unpack_number(&in->bytes);
    require(in, count > 0 && count <= in->to->values - *sum);
    if (!in->is_bad)
        *sum += count;
    return count;
}

static void check_lost(saved_source *in, uint64_t lost, uint64_t sum)
{
    const uint64_t counters = in->to->counters;
    require(in, counters <= counters_max &&
                    (double)counters * in->to->eps >= 1 - ROUNDING &&
                    (double)lost <= in->to->eps * (double)in->to->values);
    require(in, in->is_bad || lost <= (in->to->values - sum) / (counters + 1));
}

static gs_code take_numbers(saved_source *in, gs_status *st)
{
    gs_count_summary *const n = &in->to->numbers;
    in->to->counters = gs_unpack_number(&in->bytes);
    const uint64_t lost = gs_unpack_number(&in->bytes);
    const size_t count = take_count(in, 2 * sizeof(uint64_t));
    uint64_t sum = 0;
    GS_TRY(gs_mem_grow(&n->entries, &n->capacity, count, "counts of values", st));
    for (size_t i = 0; i < count && !in->is_bad; i++) {
        const uint64_t key = take_key(in);
        require(in, i == 0 || key > n->entries[i - 1].key);
        n->entries[i] = (gs_key_count){key, take_one_count(in, &sum)};
    }
    n->count = in->is_bad ? 0 : count;
    n->values = in->to->values;
    n->lost = lost;
    check_lost(in, lost, sum);
    return GS_OK;
}

enum { NO_LEVEL = -1 };

/* A text that is there: any, or a prefix of a level, as it is written here. */
static gs_slice take_text(saved_source *in, int level, gs_prefixes *cut)
{
    size_t bytes;
    const uint8_t *const text = gs_unpack_string(&in->bytes, &bytes);
    require(in, true);
    if (level == NO_LEVEL || in->is_bad)
        return (gs_slice){text, bytes};
    require(in,
            gs_prefix_is_one(&in->to->prefixes.by, (unsigned)level, text, bytes, cut));
    return cut->count > 0 ? cut->texts[0] : (gs_slice){text, bytes};
}

static gs_code take_texts(saved_source *in, gs_text_counts *t, int level, gs_status *st)
{
    gs_prefixes cut = {.count = 0};
    const uint64_t lost = gs_unpack_number(&in->bytes);
    const size_t count = take_count(in, 2 * sizeof(uint64_t));
    uint64_t sum = 0;
    for (size_t i = 0; i < count && !in->is_bad; i++) {
        const gs_slice text = take_text(in, level, &cut);
        const uint64_t often = take_one_count(in, &sum);
        if (!in->is_bad)
            GS_TRY(gs_text_counts_add(t, gs_text_hash(text.data, text.bytes), text.data,
                                      text.bytes, often, st));
    }
    require(in, t->count == count);
    t->values = in->to->values;
    t->lost = lost;
    check_lost(in, lost, sum);
    return GS_OK;
}

static gs_code take_prefixes(saved_source *in, gs_status *st)
{
    gs_hierarchy *const by = &in->to->prefixes.by;
    const uint64_t kind = gs_unpack_number(&in->bytes);
    const uint64_t step = gs_unpack_number(&in->bytes);
    const uint64_t levels = gs_unpack_number(&in->bytes);
    require(in, kind < GS_HIERARCHY_COUNT && levels <= GS_PREFIX_LEVELS_MAX);
    require(in, kind == GS_BY_IP ? step >= GS_IP_STEP_MIN && step <= GS_IP_STEP_MAX
                                 : step == 0);
    if (!in->is_bad)
        *by = (gs_hierarchy){(gs_hierarchy_kind)kind, (unsigned)step};
    for (int i = 0; !in->is_bad && i < (int)levels; i++)
        GS_TRY(take_texts(in, &in->to->prefixes.levels[i], i, st));
    require(in, levels == 0 || in->is_bad ||
                    gs_prefix_counts_levels(&in->to->prefixes) == levels);
    return GS_OK;
}

/* Sums only grow, up to that of all. */
static void take_sums_of(saved_source *in, const double *before, const double *totals,
                         double *to)
{
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        to[sign] = take_double(in);
        require(in, to[sign] >= (before != NULL ? before[sign] : 0) &&
                        to[sign] <= totals[sign]);
    }
}

static gs_code take_sum_entries(saved_source *in, gs_status *st)
{
    gs_sum_summary *const s = &in->to->pairs.sums;
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++) {
        s->totals[sign] = take_double(in);
        require(in, s->totals[sign] >= 0 && isfinite(s->totals[sign]));
    }
    const size_t count = take_count(in, 5 * sizeof(uint64_t));
    require(in, (count > 0) == (in->to->values > 0));
    GS_TRY(gs_sum_summary_reserve(s, count, st));
    for (size_t i = 0; i < count && !in->is_bad; i++) {
        gs_sum_entry *const e = &s->entries[i];
        e->key = take_key(in);
        require(in, i == 0 || e->key > e[-1].key);
        take_sums_of(in, i > 0 ? e[-1].before : NULL, s->totals, e->before);
        take_sums_of(in, i > 0 ? e[-1].upto : NULL, s->totals, e->upto);
    }
    s->count = in->is_bad ? 0 : count;
    return GS_OK;
}

static gs_code take_sums(saved_source *in, gs_status *st)
{
    gs_pair_facts *const f = &in->to->pairs;
    f->values = in->to->values;
    f->least_key = f->values > 0 ? take_key(in) : gs_unpack_number(&in->bytes);
    f->most_key = f->values > 0 ? take_key(in) : gs_unpack_number(&in->bytes);
    f->x_sum = take_double(in);
    const uint64_t has_ranks = gs_unpack_number(&in->bytes);
    require(in, f->least_key <= f->most_key && has_ranks <= 1);
    in->to->has_ranks = has_ranks == 1;
    if (has_ranks == 1)
        GS_TRY(take_ranks(in, &f->ranks, st));
    return take_sum_entries(in, st);
}

static gs_code take_body(saved_source *in, gs_status *st)
{
    switch (in->to->kind) {
    case GS_SAVED_QUANTILES: return take_ranks(in, &in->to->ranks, st);
    case GS_SAVED_NUMBERS: return take_numbers(in, st);
    case GS_SAVED_TEXTS:
        in->to->counters = gs_unpack_number(&in->bytes);
        return take_texts(in, &in->to->texts, NO_LEVEL, st);
    case GS_SAVED_SUMS: return take_sums(in, st);
    case GS_SAVED_PREFIXES:
        in->to->counters = gs_unpack_number(&in->bytes);
        return take_prefixes(in, st);
    case GS_SAVED_KINDS: break;
    }
    return GS_OK;
}

static gs_code fail_damaged(const char *name, const char *what, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: %s", gs_quote_name(&quoted, name), what);
}

/* May a summary of this kind have such an error? */
static bool is_error_of(uint64_t kind, double eps)
{
    switch ((gs_saved_kind)kind) {
    case GS_SAVED_QUANTILES:
    case GS_SAVED_NUMBERS:
    case GS_SAVED_TEXTS:
    case GS_SAVED_SUMS:
    case GS_SAVED_PREFIXES: return eps >= GS_EPS_MIN && eps <= GS_EPS_MAX;
    case GS_SAVED_KINDS: break;
    }
    return false;
}

gs_code gs_saved_summary_unpack(gs_saved_summary *out, const uint8_t *data, size_t bytes,
                                const char *name, gs_status *st)
{
    *out = (gs_saved_summary){.values = 0};
    if (bytes < GS_SAVED_MAGIC_BYTES + GS_SAVED_SUM_BYTES ||
        memcmp(data, GS_SAVED_MAGIC, GS_SAVED_MAGIC_BYTES) != 0)
        return fail_damaged(name, "this is no saved summary", st);
    uint64_t sum;
    memcpy(&sum, data + bytes - GS_SAVED_SUM_BYTES, sizeof sum);
    saved_source in = {{data + GS_SAVED_MAGIC_BYTES,
                        bytes - GS_SAVED_MAGIC_BYTES - GS_SAVED_SUM_BYTES, false},
                       out,
                       false};
    if (sum != XXH3_64bits(data, bytes - GS_SAVED_SUM_BYTES))
        return fail_damaged(name, "the saved summary is damaged", st);
    const uint64_t version = gs_unpack_number(&in.bytes);
    if (version < 1 || version > GS_SAVED_VERSION) {
        GS_NOTED(fail_damaged(name, "the saved summary has another version", st));
        return gs_status_hint(st, "a newer gpusort may read it");
    }
    const uint64_t kind = gs_unpack_number(&in.bytes);
    const uint64_t type = gs_unpack_number(&in.bytes);
    require(&in, type < GS_NUMBER_TYPE_COUNT);
    out->eps = take_double(&in);
    out->values = gs_unpack_number(&in.bytes);
    require(&in, kind < GS_SAVED_KINDS && is_error_of(kind, out->eps) &&
                     out->values <= GS_SAVED_VALUES_MAX);
    if (!in.is_bad) {
        out->kind = (gs_saved_kind)kind;
        out->type = (gs_number_type)type;
        GS_TRY(take_body(&in, st));
    }
    if (in.is_bad || in.bytes.is_short || in.bytes.left > 0)
        return fail_damaged(name, "the saved summary contradicts itself", st);
    return GS_OK;
}
