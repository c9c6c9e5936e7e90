/* SPDX-License-Identifier: MIT */
/*
 * saved_summary, merged: a half that is forgotten, in part or as a whole, is not seen
 * when a summary is merged with itself. So of every kind two halves are merged that
 * differ in how many values they have, where these lie and how far they are thinned out,
 * and what they come to is held against all values: no answer is off by more than the
 * kind allows.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/stream/saved_summary.h"
#include "tests/check.h"

enum { VALUES_MAX = 2000, TEXT_BYTES = 40 };

/* Values in order, and how far a summary of them is thinned out: 0 counters, not at all.
 */
typedef struct half {
    size_t count;
    uint64_t counters;
    double eps;
    unsigned values[VALUES_MAX];
} half;

static int compare_values(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Every fourth is 50, which is frequent in both halves; the others lie from `least` on,
 * and close together there. */
static void draw(half *h, unsigned least, size_t count, uint64_t counters, double eps)
{
    *h = (half){.count = count, .counters = counters, .eps = eps};
    for (size_t i = 0; i < count; i++)
        h->values[i] = i % 4 == 0 ? 50 : least + (unsigned)(i * i / 2 / count);
    qsort(h->values, count, sizeof *h->values, compare_values);
}

static void join(half *whole, const half *a, const half *b)
{
    *whole = (half){.count = a->count + b->count};
    memcpy(whole->values, a->values, a->count * sizeof *a->values);
    memcpy(whole->values + a->count, b->values, b->count * sizeof *b->values);
    qsort(whole->values, whole->count, sizeof *whole->values, compare_values);
}

/* --- what is known of some values --------------------------------------------------- */

static uint64_t key_of(const half *h, size_t i)
{
    return gs_number_of_double(h->values[i]);
}

static void make_ranks(gs_rank_summary *s, const half *h)
{
    uint64_t keys[VALUES_MAX];
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < h->count; i++)
        keys[i] = key_of(h, i);
    const uint64_t stride = h->counters == 0 ? 1 : 1 + h->count / h->counters;
    REQUIRE_OK(gs_rank_summary_take(s, keys, h->count, stride, &st), &st);
}

static void make_numbers(gs_count_summary *s, const half *h)
{
    uint64_t keys[VALUES_MAX];
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < h->count; i++)
        keys[i] = key_of(h, i);
    REQUIRE_OK(gs_count_summary_take(s, keys, h->count, &st), &st);
    if (h->counters > 0)
        REQUIRE_OK(gs_count_summary_prune(s, (size_t)h->counters, &st), &st);
}

/* Each as a text of three levels. */
static void make_texts(gs_text_counts *t, const half *h)
{
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < h->count; i++) {
        char text[TEXT_BYTES];
        const unsigned v = h->values[i];
        const size_t n = (size_t)snprintf(text, sizeof text, "%u/%u/%u", v % 2, v % 5, v);
        REQUIRE_OK(gs_text_counts_add(t, gs_text_hash(text, n), (const uint8_t *)text, n,
                                      1, &st),
                   &st);
        t->values++;
    }
}

static void thin_texts(gs_text_counts *t, const half *h)
{
    gs_status st = {.code = GS_OK};
    if (h->counters > 0)
        REQUIRE_OK(gs_text_counts_prune(t, (size_t)h->counters, &st), &st);
}

static void make_prefixes(gs_prefix_counts *c, const half *h)
{
    gs_status st = {.code = GS_OK};
    gs_text_counts values = {.count = 0};
    make_texts(&values, h);
    c->by = (gs_hierarchy){.kind = GS_BY_SLASH};
    REQUIRE_OK(gs_prefix_counts_take(c, &values, &st), &st);
    if (h->counters > 0)
        REQUIRE_OK(gs_prefix_counts_prune(c, (size_t)h->counters, &st), &st);
    gs_text_counts_release(&values);
}

/* y is x less 77. */
static void make_sums(gs_pair_facts *f, const half *h)
{
    uint64_t pairs[2 * VALUES_MAX];
    gs_status st = {.code = GS_OK};
    f->values = h->count;
    for (size_t i = 0; i < h->count; i++) {
        pairs[2 * i] = key_of(h, i);
        pairs[2 * i + 1] = gs_number_of_double((double)h->values[i] - 77);
        f->x_sum += h->values[i];
    }
    f->least_key = h->count > 0 ? key_of(h, 0) : 0;
    f->most_key = h->count > 0 ? key_of(h, h->count - 1) : 0;
    make_ranks(&f->ranks, h);
    REQUIRE_OK(gs_sum_summary_take(&f->sums, GS_NUMBER_F64, pairs, h->count, &st), &st);
    if (h->counters > 0)
        gs_sum_summary_prune(&f->sums, (uint64_t)(1 / h->eps));
}

static void make(gs_saved_summary *s, gs_saved_kind kind, const half *h)
{
    *s = (gs_saved_summary){.kind = kind,
                            .eps = h->eps,
                            .values = h->count,
                            .counters = h->counters,
                            .has_ranks = true};
    switch (kind) {
    case GS_SAVED_QUANTILES: make_ranks(&s->ranks, h); break;
    case GS_SAVED_NUMBERS: make_numbers(&s->numbers, h); break;
    case GS_SAVED_TEXTS:
        make_texts(&s->texts, h);
        thin_texts(&s->texts, h);
        break;
    case GS_SAVED_PREFIXES: make_prefixes(&s->prefixes, h); break;
    case GS_SAVED_SUMS: make_sums(&s->pairs, h); break;
    case GS_SAVED_KINDS: REQUIRE(false);
    }
}

/* --- held against what is known of all of them -------------------------------------- */

static bool are_ranks_of(const gs_rank_summary *s, const gs_rank_summary *all, double eps)
{
    const double error = eps * (double)all->values;
    bool is_so = s->values == all->values && gs_rank_summary_is_sound(s) &&
                 (double)gs_rank_summary_error(s) <= error;
    for (size_t i = 0; i < all->count; i++) {
        uint64_t least, most, low, high;
        gs_rank_summary_bounds(s, all->entries[i].key, &least, &most);
        gs_rank_summary_bounds(all, all->entries[i].key, &low, &high);
        is_so &= least <= low && high <= most && (double)(most - least) <= 2 * error;
    }
    return is_so;
}

/* Is this a count that may be said of a value that came so often? */
static bool may_be_said(uint64_t said, uint64_t came, uint64_t lost)
{
    return said <= came && came - said <= lost;
}

/* Of so many values by so many counters no more was lost than it must be. */
static bool has_lost_little(uint64_t lost, uint64_t values, uint64_t counters)
{
    return lost <= values / (counters + 1);
}

static bool are_numbers_of(const gs_saved_summary *s, const gs_count_summary *all)
{
    const gs_count_summary *const n = &s->numbers;
    size_t found = 0;
    bool is_so = n->values == all->values && n->count <= 2 * s->counters &&
                 has_lost_little(n->lost, n->values, s->counters);
    for (size_t i = 0; i < all->count; i++) {
        uint64_t said = 0;
        if (found < n->count && n->entries[found].key == all->entries[i].key)
            said = n->entries[found++].count;
        is_so &= may_be_said(said, all->entries[i].count, n->lost);
    }
    return is_so && found == n->count;
}

static bool are_texts_of(const gs_text_counts *t, const gs_text_counts *all,
                         uint64_t counters)
{
    size_t found = 0;
    bool is_so = t->values == all->values && t->count <= 2 * counters &&
                 has_lost_little(t->lost, t->values, counters);
    for (size_t i = 0; i < all->count; i++) {
        const gs_text_count *const e = &all->entries[i];
        const size_t at =
            gs_text_counts_find(t, e->hash, gs_text_counts_text(all, i), e->bytes);
        found += at != SIZE_MAX;
        is_so &=
            may_be_said(at == SIZE_MAX ? 0 : t->entries[at].count, e->count, t->lost);
    }
    return is_so && found == t->count;
}

static bool are_prefixes_of(const gs_saved_summary *s, const gs_prefix_counts *all)
{
    bool is_so = gs_prefix_counts_levels(&s->prefixes) == gs_prefix_counts_levels(all);
    for (size_t k = 0; k < gs_prefix_counts_levels(all); k++)
        is_so &= are_texts_of(&s->prefixes.levels[k], &all->levels[k], s->counters);
    return is_so;
}

static bool are_sums_of(const gs_saved_summary *s, const gs_pair_facts *all)
{
    const gs_pair_facts *const f = &s->pairs;
    const double error = s->eps * gs_sum_summary_total(&all->sums);
    bool is_so = f->values == all->values && f->x_sum == all->x_sum &&
                 f->least_key == all->least_key && f->most_key == all->most_key &&
                 s->has_ranks && are_ranks_of(&f->ranks, &all->ranks, s->eps);
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
        is_so &= f->sums.totals[sign] == all->sums.totals[sign];
    for (size_t i = 0; i < all->sums.count; i++) {
        const uint64_t key = all->sums.entries[i].key;
        const gs_sum_bounds said = gs_sum_summary_at(&f->sums, key);
        const gs_sum_bounds is = gs_sum_summary_at(&all->sums, key);
        is_so &= said.least <= is.least && is.most <= said.most &&
                 said.most - said.least <= error;
    }
    return is_so;
}

static bool is_of(const gs_saved_summary *s, const gs_saved_summary *all)
{
    switch (s->kind) {
    case GS_SAVED_QUANTILES: return are_ranks_of(&s->ranks, &all->ranks, s->eps);
    case GS_SAVED_NUMBERS: return are_numbers_of(s, &all->numbers);
    case GS_SAVED_TEXTS: return are_texts_of(&s->texts, &all->texts, s->counters);
    case GS_SAVED_PREFIXES: return are_prefixes_of(s, &all->prefixes);
    case GS_SAVED_SUMS: return are_sums_of(s, &all->pairs);
    case GS_SAVED_KINDS: break;
    }
    return false;
}

static void merge(gs_saved_kind kind, const half *a, const half *b)
{
    static half whole;
    gs_status st = {.code = GS_OK};
    gs_saved_summary s, other, all;
    join(&whole, a, b);
    make(&s, kind, a);
    make(&other, kind, b);
    make(&all, kind, &whole);
    REQUIRE_OK(gs_saved_summary_merge(&s, &other, "x", &st), &st);
    CHECK(s.values == whole.count && s.eps == (a->eps > b->eps ? a->eps : b->eps) &&
          s.counters == (a->counters < b->counters ? a->counters : b->counters));
    if (!is_of(&s, &all))
        fprintf(stderr, "kind %d: %zu values and %zu are not %zu\n", (int)kind, a->count,
                b->count, whole.count);
    CHECK(is_of(&s, &all));
    gs_saved_summary_release(&s);
    gs_saved_summary_release(&other);
    gs_saved_summary_release(&all);
}

static void two_halves_are_the_whole(void)
{
    static half left, right;
    draw(&left, 0, 400, 50, 0.04);
    draw(&right, 120, 900, 40, 0.06);
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        merge((gs_saved_kind)kind, &left, &right);
        merge((gs_saved_kind)kind, &right, &left);
    }
}

int main(void)
{
    two_halves_are_the_whole();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
