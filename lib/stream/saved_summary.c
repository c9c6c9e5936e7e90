/* SPDX-License-Identifier: MIT */
#include "lib/stream/saved_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { VERSION = 1, MAGIC_BYTES = 8, SUM_BYTES = 8 };

#define ROUNDING 1e-9

static const char magic[MAGIC_BYTES + 1] = "GSSTATS\n";
static const uint64_t counters_max = UINT64_C(1) << 32;
static const uint64_t values_max = UINT64_C(1) << 62;

const char *gs_saved_kind_name(gs_saved_kind kind)
{
    static const char *const names[GS_SAVED_KINDS] = {
        [GS_SAVED_QUANTILES] = "quantile",
        [GS_SAVED_NUMBERS] = "freq",
        [GS_SAVED_TEXTS] = "freq",
        [GS_SAVED_SUMS] = "corrsum",
    };
    return names[kind];
}

void gs_saved_summary_release(gs_saved_summary *s)
{
    gs_rank_summary_release(&s->ranks);
    gs_count_summary_release(&s->numbers);
    gs_text_counts_release(&s->texts);
    gs_rank_summary_release(&s->pairs.ranks);
    gs_sum_summary_release(&s->pairs.sums);
    *s = (gs_saved_summary){.values = 0};
}

size_t gs_saved_summary_bytes(const gs_saved_summary *s)
{
    return (s->ranks.capacity + s->pairs.ranks.capacity) * sizeof(gs_rank_entry) +
           gs_count_summary_bytes(&s->numbers) + gs_text_counts_bytes(&s->texts) +
           s->pairs.sums.capacity * sizeof(gs_sum_entry);
}

/* --- packing ------------------------------------------------------------------------ */

static gs_code pack_double(gs_packer *p, double value, gs_status *st)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return gs_pack_number(p, bits, st);
}

static gs_code pack_numbers(gs_packer *p, const uint64_t *numbers, size_t count,
                            gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        GS_TRY(gs_pack_number(p, numbers[i], st));
    return GS_OK;
}

static gs_code pack_ranks(gs_packer *p, gs_rank_summary *s, double eps, gs_status *st)
{
    gs_rank_summary_shrink(s, (uint64_t)(eps * (double)s->values));
    GS_TRY(gs_pack_number(p, s->count, st));
    for (size_t i = 0; i < s->count; i++) {
        const gs_rank_entry *const e = &s->entries[i];
        GS_TRY(pack_numbers(p, (const uint64_t[]){e->key, e->least, e->most}, 3, st));
    }
    return GS_OK;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = ((const gs_key_count *)a)->key, y = ((const gs_key_count *)b)->key;
    return (x > y) - (x < y);
}

/* Those that were ranked are put in the order of their keys again. */
static gs_code pack_counts(gs_packer *p, gs_saved_summary *s, gs_status *st)
{
    gs_count_summary *const n = &s->numbers;
    if (n->count > 1)
        qsort(n->entries, n->count, sizeof *n->entries, compare_keys);
    GS_TRY(pack_numbers(p, (const uint64_t[]){s->counters, n->lost, n->count}, 3, st));
    for (size_t i = 0; i < n->count; i++)
        GS_TRY(pack_numbers(p, (const uint64_t[]){n->entries[i].key, n->entries[i].count},
                            2, st));
    return GS_OK;
}

static gs_code pack_texts(gs_packer *p, const gs_saved_summary *s, gs_status *st)
{
    const gs_text_counts *const t = &s->texts;
    GS_TRY(pack_numbers(p, (const uint64_t[]){s->counters, t->lost, t->count}, 3, st));
    for (size_t i = 0; i < t->count; i++) {
        GS_TRY(gs_pack_string(p, gs_text_counts_text(t, i), t->entries[i].bytes, st));
        GS_TRY(gs_pack_number(p, t->entries[i].count, st));
    }
    return GS_OK;
}

static gs_code pack_sums(gs_packer *p, gs_saved_summary *s, gs_status *st)
{
    gs_pair_facts *const f = &s->pairs;
    GS_TRY(gs_pack_number(p, f->least_key, st));
    GS_TRY(gs_pack_number(p, f->most_key, st));
    GS_TRY(pack_double(p, f->x_sum, st));
    GS_TRY(gs_pack_number(p, s->has_ranks, st));
    if (s->has_ranks)
        GS_TRY(pack_ranks(p, &f->ranks, s->eps, st));
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
        GS_TRY(pack_double(p, f->sums.totals[sign], st));
    GS_TRY(gs_pack_number(p, f->sums.count, st));
    for (size_t i = 0; i < f->sums.count; i++) {
        const gs_sum_entry *const e = &f->sums.entries[i];
        GS_TRY(gs_pack_number(p, e->key, st));
        for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
            GS_TRY(pack_double(p, e->before[sign], st));
        for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
            GS_TRY(pack_double(p, e->upto[sign], st));
    }
    return GS_OK;
}

static gs_code pack_body(gs_saved_summary *s, gs_packer *p, gs_status *st)
{
    switch (s->kind) {
    case GS_SAVED_QUANTILES: return pack_ranks(p, &s->ranks, s->eps, st);
    case GS_SAVED_NUMBERS: return pack_counts(p, s, st);
    case GS_SAVED_TEXTS: return pack_texts(p, s, st);
    case GS_SAVED_SUMS: return pack_sums(p, s, st);
    case GS_SAVED_KINDS: break;
    }
    gs_assert(false);
    return GS_OK;
}

gs_code gs_saved_summary_pack(gs_saved_summary *s, gs_packer *p, gs_status *st)
{
    uint64_t start;
    memcpy(&start, magic, sizeof start);
    GS_TRY(pack_numbers(
        p, (const uint64_t[]){start, VERSION, (uint64_t)s->kind, (uint64_t)s->type}, 4,
        st));
    GS_TRY(pack_double(p, s->eps, st));
    GS_TRY(gs_pack_number(p, s->values, st));
    GS_TRY(pack_body(s, p, st));
    return gs_pack_number(p, XXH3_64bits(p->data, p->bytes), st);
}

/* --- unpacking ---------------------------------------------------------------------- */

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

static gs_code take_texts(saved_source *in, gs_status *st)
{
    gs_text_counts *const t = &in->to->texts;
    in->to->counters = gs_unpack_number(&in->bytes);
    const uint64_t lost = gs_unpack_number(&in->bytes);
    const size_t count = take_count(in, 2 * sizeof(uint64_t));
    uint64_t sum = 0;
    for (size_t i = 0; i < count && !in->is_bad; i++) {
        size_t bytes;
        const uint8_t *const text = gs_unpack_string(&in->bytes, &bytes);
        const uint64_t often = take_one_count(in, &sum);
        if (!in->is_bad)
            GS_TRY(
                gs_text_counts_add(t, gs_text_hash(text, bytes), text, bytes, often, st));
    }
    require(in, t->count == count);
    t->values = in->to->values;
    t->lost = lost;
    check_lost(in, lost, sum);
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
    case GS_SAVED_TEXTS: return take_texts(in, st);
    case GS_SAVED_SUMS: return take_sums(in, st);
    case GS_SAVED_KINDS: break;
    }
    return GS_OK;
}

static gs_code fail_damaged(const char *name, const char *what, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: %s", gs_quote_name(&quoted, name), what);
}

gs_code gs_saved_summary_unpack(gs_saved_summary *out, const uint8_t *data, size_t bytes,
                                const char *name, gs_status *st)
{
    *out = (gs_saved_summary){.values = 0};
    if (bytes < MAGIC_BYTES + SUM_BYTES || memcmp(data, magic, MAGIC_BYTES) != 0)
        return fail_damaged(name, "this is no saved summary", st);
    uint64_t sum;
    memcpy(&sum, data + bytes - SUM_BYTES, sizeof sum);
    saved_source in = {
        {data + MAGIC_BYTES, bytes - MAGIC_BYTES - SUM_BYTES, false}, out, false};
    if (sum != XXH3_64bits(data, bytes - SUM_BYTES))
        return fail_damaged(name, "the saved summary is damaged", st);
    if (gs_unpack_number(&in.bytes) != VERSION) {
        GS_NOTED(fail_damaged(name, "the saved summary has another version", st));
        return gs_status_hint(st, "a newer gpusort may read it");
    }
    const uint64_t kind = gs_unpack_number(&in.bytes);
    const uint64_t type = gs_unpack_number(&in.bytes);
    require(&in, kind < GS_SAVED_KINDS && type < GS_NUMBER_TYPE_COUNT);
    out->eps = take_double(&in);
    out->values = gs_unpack_number(&in.bytes);
    require(&in, out->eps >= GS_EPS_MIN && out->eps <= GS_EPS_MAX &&
                     out->values <= values_max);
    if (!in.is_bad) {
        out->kind = (gs_saved_kind)kind;
        out->type = (gs_number_type)type;
        GS_TRY(take_body(&in, st));
    }
    if (in.is_bad || in.bytes.is_short || in.bytes.left > 0)
        return fail_damaged(name, "the saved summary contradicts itself", st);
    return GS_OK;
}

/* --- merging ------------------------------------------------------------------------ */

static gs_code merge_ranks(gs_rank_summary *to, const gs_rank_summary *from, double eps,
                           gs_status *st)
{
    gs_rank_summary both = {.count = 0};
    if (gs_rank_summary_merge(&both, to, from, st) == GS_OK) {
        gs_rank_summary_release(to);
        *to = both;
        gs_rank_summary_shrink(to, (uint64_t)(eps * (double)to->values));
        return GS_OK;
    }
    gs_rank_summary_release(&both);
    return st->code;
}

static gs_code merge_numbers(gs_saved_summary *s, const gs_saved_summary *other,
                             gs_status *st)
{
    gs_count_summary both = {.count = 0};
    GS_NOTED(gs_count_summary_merge(&both, &s->numbers, &other->numbers, st));
    if (st->code == GS_OK && both.count > 2 * s->counters)
        GS_NOTED(gs_count_summary_prune(&both, (size_t)s->counters, st));
    gs_count_summary_release(&s->numbers);
    s->numbers = both;
    return st->code;
}

static gs_code merge_texts(gs_saved_summary *s, const gs_saved_summary *other,
                           gs_status *st)
{
    GS_TRY(gs_text_counts_merge(&s->texts, &other->texts, st));
    return s->texts.count > 2 * s->counters
               ? gs_text_counts_prune(&s->texts, (size_t)s->counters, st)
               : GS_OK;
}

static gs_code merge_sums(gs_saved_summary *s, const gs_saved_summary *other,
                          gs_status *st)
{
    gs_pair_facts *const to = &s->pairs;
    const gs_pair_facts *const from = &other->pairs;
    gs_sum_summary both = {.count = 0};
    s->has_ranks &= other->has_ranks;
    if (s->has_ranks)
        GS_TRY(merge_ranks(&to->ranks, &from->ranks, s->eps, st));
    gs_pair_facts_add(to, from);
    GS_NOTED(gs_sum_summary_merge(&both, &to->sums, &from->sums, st));
    gs_sum_summary_release(&to->sums);
    to->sums = both;
    return st->code;
}

gs_code gs_saved_summary_merge(gs_saved_summary *s, const gs_saved_summary *other,
                               const char *name, gs_status *st)
{
    if (s->kind != other->kind)
        return fail_damaged(name, "this is a summary of another kind", st);
    if (s->type != other->type)
        return fail_damaged(name, "this is a summary of numbers of another type", st);
    if (other->values > values_max - s->values)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "these are more than 2^62 values");
    s->values += other->values;
    if (other->eps > s->eps)
        s->eps = other->eps;
    if (other->counters < s->counters)
        s->counters = other->counters;
    switch (s->kind) {
    case GS_SAVED_QUANTILES: return merge_ranks(&s->ranks, &other->ranks, s->eps, st);
    case GS_SAVED_NUMBERS: return merge_numbers(s, other, st);
    case GS_SAVED_TEXTS: return merge_texts(s, other, st);
    case GS_SAVED_SUMS: return merge_sums(s, other, st);
    case GS_SAVED_KINDS: break;
    }
    return GS_OK;
}
