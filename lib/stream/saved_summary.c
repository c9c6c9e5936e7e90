/* SPDX-License-Identifier: MIT */
#include "lib/stream/saved_summary.h"

#include <string.h>

#include <xxhash.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/stream/saved_format.h"

void gs_saved_summary_release(gs_saved_summary *s)
{
    gs_rank_summary_release(&s->ranks);
    gs_count_summary_release(&s->numbers);
    gs_text_counts_release(&s->texts);
    gs_rank_summary_release(&s->pairs.ranks);
    gs_sum_summary_release(&s->pairs.sums);
    gs_prefix_counts_release(&s->prefixes);
    *s = (gs_saved_summary){.values = 0};
}

size_t gs_saved_summary_bytes(const gs_saved_summary *s)
{
    switch (s->kind) {
    case GS_SAVED_QUANTILES: return s->ranks.capacity * sizeof(gs_rank_entry);
    case GS_SAVED_NUMBERS: return gs_count_summary_bytes(&s->numbers);
    case GS_SAVED_TEXTS: return gs_text_counts_bytes(&s->texts);
    case GS_SAVED_SUMS:
        return s->pairs.ranks.capacity * sizeof(gs_rank_entry) +
               s->pairs.sums.capacity * sizeof(gs_sum_entry);
    case GS_SAVED_PREFIXES: return gs_prefix_counts_bytes(&s->prefixes);
    case GS_SAVED_KINDS: break;
    }
    gs_assert(false);
    return 0;
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

static gs_code pack_counts(gs_packer *p, gs_saved_summary *s, gs_status *st)
{
    gs_count_summary *const n = &s->numbers;
    gs_count_summary_order(n);
    GS_TRY(pack_numbers(p, (const uint64_t[]){s->counters, n->lost, n->count}, 3, st));
    for (size_t i = 0; i < n->count; i++)
        GS_TRY(pack_numbers(p, (const uint64_t[]){n->entries[i].key, n->entries[i].count},
                            2, st));
    return GS_OK;
}

static gs_code pack_texts(gs_packer *p, const gs_text_counts *t, gs_status *st)
{
    GS_TRY(pack_numbers(p, (const uint64_t[]){t->lost, t->count}, 2, st));
    for (size_t i = 0; i < t->count; i++) {
        GS_TRY(gs_pack_string(p, gs_text_counts_text(t, i), t->entries[i].bytes, st));
        GS_TRY(gs_pack_number(p, t->entries[i].count, st));
    }
    return GS_OK;
}

static gs_code pack_prefixes(gs_packer *p, const gs_prefix_counts *c, gs_status *st)
{
    const size_t levels = gs_prefix_counts_levels(c);
    GS_TRY(pack_numbers(p, (const uint64_t[]){(uint64_t)c->by.kind, c->by.step, levels},
                        3, st));
    for (size_t i = 0; i < levels; i++)
        GS_TRY(pack_texts(p, &c->levels[i], st));
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
    case GS_SAVED_TEXTS:
        GS_TRY(gs_pack_number(p, s->counters, st));
        return pack_texts(p, &s->texts, st);
    case GS_SAVED_SUMS: return pack_sums(p, s, st);
    case GS_SAVED_PREFIXES:
        GS_TRY(gs_pack_number(p, s->counters, st));
        return pack_prefixes(p, &s->prefixes, st);
    case GS_SAVED_KINDS: break;
    }
    gs_assert(false);
    return GS_OK;
}

uint64_t gs_saved_version_of(gs_saved_kind kind)
{
    switch (kind) {
    case GS_SAVED_QUANTILES:
    case GS_SAVED_NUMBERS:
    case GS_SAVED_TEXTS:
    case GS_SAVED_SUMS:
    case GS_SAVED_PREFIXES: return 1;
    case GS_SAVED_KINDS: break;
    }
    gs_assert(false);
    return 0;
}

gs_code gs_saved_summary_pack(gs_saved_summary *s, gs_packer *p, gs_status *st)
{
    uint64_t start;
    memcpy(&start, GS_SAVED_MAGIC, sizeof start);
    GS_TRY(pack_numbers(p,
                        (const uint64_t[]){start, gs_saved_version_of(s->kind),
                                           (uint64_t)s->kind, (uint64_t)s->type},
                        4, st));
    GS_TRY(pack_double(p, s->eps, st));
    GS_TRY(gs_pack_number(p, s->values, st));
    GS_TRY(pack_body(s, p, st));
    return gs_pack_number(p, XXH3_64bits(p->data, p->bytes), st);
}

/* --- merging ------------------------------------------------------------------------ */

static gs_code fail(const char *name, const char *what, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: %s", gs_quote_name(&quoted, name), what);
}

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

/* Were both cut in the same way? What else they must agree in, all kinds have. */
static bool are_cut_alike(const gs_saved_summary *a, const gs_saved_summary *b)
{
    switch (a->kind) {
    case GS_SAVED_QUANTILES:
    case GS_SAVED_NUMBERS:
    case GS_SAVED_TEXTS:
    case GS_SAVED_SUMS: return true;
    case GS_SAVED_PREFIXES:
        return a->prefixes.by.kind == b->prefixes.by.kind &&
               a->prefixes.by.step == b->prefixes.by.step;
    case GS_SAVED_KINDS: break;
    }
    return false;
}

gs_code gs_saved_summary_merge(gs_saved_summary *s, const gs_saved_summary *other,
                               const char *name, gs_status *st)
{
    if (s->kind != other->kind)
        return fail(name, "this is a summary of another kind", st);
    if (s->type != other->type)
        return fail(name, "this is a summary of numbers of another type", st);
    if (!are_cut_alike(s, other))
        return fail(name, "this is a summary of prefixes of another hierarchy", st);
    if (other->values > GS_SAVED_VALUES_MAX - s->values)
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
    case GS_SAVED_PREFIXES:
        return gs_prefix_counts_merge(&s->prefixes, &other->prefixes, (size_t)s->counters,
                                      st);
    case GS_SAVED_KINDS: break;
    }
    return GS_OK;
}
