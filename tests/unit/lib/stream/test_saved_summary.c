/* SPDX-License-Identifier: MIT */
/*
 * saved_summary: a file that says what it must not would be merged into good ones. Every
 * kind there and back, from the first version that has it on, and twice as much of it
 * when it is merged with itself; a seed of each for the fuzzer; every bit that is turned
 * is noticed; and with the checksum put right again what is accepted is sound, and
 * whatever it is, it can be merged, asked and saved.
 */
#include <string.h>

#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/stream/saved_format.h"
#include "lib/stream/saved_summary.h"
#include "tests/check.h"
#include "tests/seed_files.h"

static uint64_t state;

static void make_ranks(gs_rank_summary *s, size_t count)
{
    uint64_t keys[1000];
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < count; i++)
        keys[i] = gs_number_of_double((double)(i / 3));
    REQUIRE_OK(gs_rank_summary_take(s, keys, count, 1 + count / 50, &st), &st);
}

/* Values of a hierarchy that the count chooses, some levels deep. */
static void make_prefixes(gs_saved_summary *s, size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_text_counts values = {.count = 0};
    gs_hierarchy *const by = &s->prefixes.by;
    *by = (gs_hierarchy){.kind = (gs_hierarchy_kind)(count % GS_HIERARCHY_COUNT)};
    by->step = by->kind == GS_BY_IP ? 12 : 0;
    const char between = by->kind == GS_BY_SLASH ? '/' : '.';
    for (size_t i = 0; i < count; i++) {
        char text[40];
        const int bytes = by->kind == GS_BY_IP && i % 3 == 0
                              ? snprintf(text, sizeof text, "2001:%zx::%zx", i % 5, i % 2)
                              : snprintf(text, sizeof text, "%zu%c%zu%c%zu%c7", i % 2,
                                         between, i % 3, between, i % 7, between);
        REQUIRE_OK(gs_text_counts_add(&values, gs_text_hash(text, (size_t)bytes),
                                      (const uint8_t *)text, (size_t)bytes, 1, &st),
                   &st);
    }
    REQUIRE_OK(gs_prefix_counts_take(&s->prefixes, &values, &st), &st);
    REQUIRE_OK(gs_prefix_counts_prune(&s->prefixes, 50, &st), &st);
    gs_text_counts_release(&values);
}

static void make_numbers(gs_count_summary *numbers, uint64_t *keys, size_t count)
{
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < count; i++)
        keys[i] = gs_number_of_double((double)(i * i / count));
    REQUIRE_OK(gs_count_summary_take(numbers, keys, count, &st), &st);
    REQUIRE_OK(gs_count_summary_prune(numbers, 50, &st), &st);
    gs_count_summary_rank(numbers);
}

static void make_texts(gs_text_counts *texts, size_t count)
{
    gs_status st = {.code = GS_OK};
    for (size_t i = 0; i < count; i++) {
        char text[16];
        const int bytes = snprintf(text, sizeof text, "%zu", i * i / count / 5);
        const size_t n = i == 0 ? 0 : (size_t)bytes;
        REQUIRE_OK(gs_text_counts_add(texts, gs_text_hash(text, n), (const uint8_t *)text,
                                      n, 1, &st),
                   &st);
        texts->values++;
    }
}

static void make_sums(gs_saved_summary *s, uint64_t *pairs, size_t count)
{
    gs_status st = {.code = GS_OK};
    s->pairs.values = count;
    s->pairs.least_key = pairs[0];
    s->pairs.most_key = pairs[count > 0 ? 2 * count - 2 : 0];
    s->pairs.x_sum = 12.5;
    if (s->has_ranks)
        make_ranks(&s->pairs.ranks, count);
    REQUIRE_OK(gs_sum_summary_take(&s->pairs.sums, GS_NUMBER_F64, pairs, count, &st),
               &st);
}

static void make(gs_saved_summary *s, gs_saved_kind kind, size_t count)
{
    uint64_t pairs[2000];
    *s = (gs_saved_summary){.kind = kind,
                            .eps = 0.02,
                            .values = count,
                            .counters = 50,
                            .has_ranks = count % 2};
    for (size_t i = 0; i < 2 * count; i++)
        pairs[i] = gs_number_of_double((double)i - 77);
    switch (kind) {
    case GS_SAVED_QUANTILES: make_ranks(&s->ranks, count); break;
    case GS_SAVED_NUMBERS: make_numbers(&s->numbers, pairs, count); break;
    case GS_SAVED_TEXTS: make_texts(&s->texts, count); break;
    case GS_SAVED_PREFIXES: make_prefixes(s, count); break;
    case GS_SAVED_SUMS: make_sums(s, pairs, count); break;
    case GS_SAVED_KINDS: REQUIRE(false);
    }
}

/* Of counts with this sum no more was lost than the header promises. */
static bool has_lost_little(const gs_saved_summary *s, uint64_t sum, uint64_t lost)
{
    return sum <= s->values && lost <= (s->values - sum) / (s->counters + 1);
}

static uint64_t sum_of(const gs_text_counts *t)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < t->count; i++)
        sum += t->entries[i].count;
    return sum;
}

static bool are_sound_numbers(const gs_saved_summary *s)
{
    const gs_count_summary *const n = &s->numbers;
    uint64_t sum = 0;
    bool is_good = true;
    for (size_t i = 0; i < n->count; i++) {
        is_good &= i == 0 || n->entries[i].key > n->entries[i - 1].key;
        is_good &= n->entries[i].count > 0;
        sum += n->entries[i].count;
    }
    return is_good && has_lost_little(s, sum, n->lost);
}

static bool are_sound_texts(const gs_saved_summary *s, const gs_text_counts *t)
{
    bool is_good = has_lost_little(s, sum_of(t), t->lost);
    for (size_t i = 0; i < t->count; i++)
        is_good &= t->entries[i].count > 0;
    return is_good;
}

/* Each is of its level. */
static bool are_sound_prefixes(const gs_saved_summary *s)
{
    bool is_good = true;
    for (unsigned k = 0; k < GS_PREFIX_LEVELS_MAX; k++) {
        const gs_text_counts *const level = &s->prefixes.levels[k];
        gs_prefixes cut;
        for (size_t i = 0; i < level->count; i++) {
            const size_t bytes = level->entries[i].bytes;
            const uint8_t *const text = gs_text_counts_text(level, i);
            gs_prefix_cut(&s->prefixes.by, text, bytes, &cut);
            is_good &= cut.count > 0 && cut.levels[0] == k &&
                       cut.texts[0].bytes == bytes &&
                       memcmp(cut.texts[0].data, text, bytes) == 0;
        }
        is_good &= are_sound_texts(s, level);
    }
    return is_good;
}

static bool are_sound_sums(const gs_pair_facts *f)
{
    bool is_good = gs_rank_summary_is_sound(&f->ranks);
    for (size_t i = 0; i < f->sums.count; i++) {
        const gs_sum_entry *const e = &f->sums.entries[i];
        is_good &= i == 0 || (e->key > e[-1].key && e->before[0] >= e[-1].before[0] &&
                              e->upto[1] >= e[-1].upto[1]);
        is_good &= e->before[1] <= f->sums.totals[1] && e->upto[0] >= 0;
    }
    return is_good;
}

/* What the header promises of it. */
static bool is_sound(const gs_saved_summary *s)
{
    switch (s->kind) {
    case GS_SAVED_QUANTILES: return gs_rank_summary_is_sound(&s->ranks);
    case GS_SAVED_NUMBERS: return are_sound_numbers(s);
    case GS_SAVED_TEXTS: return are_sound_texts(s, &s->texts);
    case GS_SAVED_SUMS: return are_sound_sums(&s->pairs);
    case GS_SAVED_PREFIXES: return are_sound_prefixes(s);
    case GS_SAVED_KINDS: break;
    }
    return false;
}

/* Merged with itself, packed and unpacked: nothing but a limit is in the way. */
static bool is_usable(gs_saved_summary *s)
{
    gs_status st = {.code = GS_OK};
    gs_packer bytes = {.bytes = 0}, again = {.bytes = 0};
    gs_saved_summary other = {.values = 0};
    bool is_good = gs_saved_summary_pack(s, &bytes, &st) == GS_OK;
    is_good = is_good &&
              gs_saved_summary_unpack(&other, bytes.data, bytes.bytes, "x", &st) == GS_OK;
    is_good = is_good && gs_saved_summary_pack(&other, &again, &st) == GS_OK &&
              again.bytes == bytes.bytes &&
              memcmp(again.data, bytes.data, bytes.bytes) == 0;
    if (is_good && gs_saved_summary_merge(&other, s, "x", &st) == GS_OK) {
        gs_saved_summary whole = {.values = 0};
        again.bytes = 0;
        is_good =
            other.values == 2 * s->values &&
            gs_saved_summary_pack(&other, &again, &st) == GS_OK &&
            gs_saved_summary_unpack(&whole, again.data, again.bytes, "x", &st) == GS_OK;
        gs_saved_summary_release(&whole);
    } else {
        is_good = is_good && st.code == GS_ERR_LIMIT;
    }
    gs_packer_release(&bytes);
    gs_packer_release(&again);
    gs_saved_summary_release(&other);
    return is_good;
}

static void there_and_back(void)
{
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        for (size_t count = 0; count < 1000; count = 2 * count + 1 + count % 3) {
            gs_saved_summary s;
            make(&s, (gs_saved_kind)kind, count);
            CHECK(is_usable(&s));
            gs_saved_summary_release(&s);
        }
    }
}

static bool are_twice_texts(const gs_text_counts *whole, const gs_text_counts *half)
{
    return whole->values == 2 * half->values && whole->count == half->count &&
           whole->lost == 2 * half->lost && sum_of(whole) == 2 * sum_of(half);
}

static bool are_twice_ranks(const gs_rank_summary *whole, const gs_rank_summary *half)
{
    const gs_rank_entry *const e = whole->entries, *const f = half->entries;
    return whole->values == 2 * half->values && whole->count > 1 &&
           e[0].key == f[0].key && e[whole->count - 1].key == f[half->count - 1].key &&
           gs_rank_summary_is_sound(whole);
}

static bool are_twice_numbers(const gs_count_summary *whole, const gs_count_summary *half)
{
    bool is_so = whole->values == 2 * half->values && whole->count == half->count &&
                 whole->count > 1 && whole->lost == 2 * half->lost;
    for (size_t i = 0; is_so && i < half->count; i++)
        is_so = whole->entries[i].key == half->entries[i].key &&
                whole->entries[i].count == 2 * half->entries[i].count;
    return is_so;
}

static bool are_twice_sums(const gs_pair_facts *whole, const gs_pair_facts *half)
{
    bool is_so = whole->values == 2 * half->values && whole->x_sum == 2 * half->x_sum &&
                 whole->least_key == half->least_key &&
                 whole->most_key == half->most_key && whole->sums.count > 1;
    for (int sign = 0; sign < GS_SUM_SIGNS; sign++)
        is_so &= whole->sums.totals[sign] == 2 * half->sums.totals[sign];
    return is_so && are_twice_ranks(&whole->ranks, &half->ranks);
}

static bool are_twice_prefixes(const gs_prefix_counts *whole,
                               const gs_prefix_counts *half)
{
    bool is_so = gs_prefix_counts_levels(whole) == gs_prefix_counts_levels(half) &&
                 gs_prefix_counts_levels(half) > 1;
    for (size_t i = 0; i < gs_prefix_counts_levels(half); i++)
        is_so &= are_twice_texts(&whole->levels[i], &half->levels[i]);
    return is_so;
}

/* All figures of a kind, and no other kind's. */
static bool is_twice(const gs_saved_summary *whole, const gs_saved_summary *half)
{
    switch (whole->kind) {
    case GS_SAVED_QUANTILES: return are_twice_ranks(&whole->ranks, &half->ranks);
    case GS_SAVED_NUMBERS: return are_twice_numbers(&whole->numbers, &half->numbers);
    case GS_SAVED_TEXTS:
        return half->texts.count > 1 && are_twice_texts(&whole->texts, &half->texts);
    case GS_SAVED_SUMS: return are_twice_sums(&whole->pairs, &half->pairs);
    case GS_SAVED_PREFIXES: return are_twice_prefixes(&whole->prefixes, &half->prefixes);
    case GS_SAVED_KINDS: break;
    }
    return false;
}

static void with_itself_it_is_twice_as_much(void)
{
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        gs_status st = {.code = GS_OK};
        gs_packer p = {.bytes = 0};
        gs_saved_summary s, other;
        make(&s, (gs_saved_kind)kind, 71);
        REQUIRE_OK(gs_saved_summary_pack(&s, &p, &st), &st);
        gs_saved_summary_release(&s);
        REQUIRE_OK(gs_saved_summary_unpack(&s, p.data, p.bytes, "x", &st), &st);
        REQUIRE_OK(gs_saved_summary_unpack(&other, p.data, p.bytes, "x", &st), &st);
        REQUIRE_OK(gs_saved_summary_merge(&s, &other, "x", &st), &st);
        CHECK(s.values == 2 * other.values && is_twice(&s, &other));
        CHECK(gs_saved_summary_bytes(&s) > 0 && gs_saved_summary_bytes(&other) > 0);
        gs_packer_release(&p);
        gs_saved_summary_release(&s);
        gs_saved_summary_release(&other);
    }
}

/* What is known of no values changes nothing, in either order. */
static void none_are_no_more(void)
{
    for (int order = 0; order < 2; order++) {
        gs_status st = {.code = GS_OK};
        gs_saved_summary some, none;
        make(&some, GS_SAVED_SUMS, 70);
        make(&none, GS_SAVED_SUMS, 0);
        none.pairs = (gs_pair_facts){.values = 0};
        const uint64_t least = some.pairs.least_key, most = some.pairs.most_key;
        gs_saved_summary *const to = order == 0 ? &some : &none;
        REQUIRE_OK(gs_saved_summary_merge(to, order == 0 ? &none : &some, "x", &st), &st);
        CHECK(to->pairs.values == 70 && to->pairs.least_key == least &&
              to->pairs.most_key == most);
        gs_saved_summary_release(&some);
        gs_saved_summary_release(&none);
    }
}

static void put_sum(gs_packer *p)
{
    const uint64_t sum = XXH3_64bits(p->data, p->bytes - sizeof sum);
    memcpy(p->data + p->bytes - sizeof sum, &sum, sizeof sum);
}

static gs_code unpack_version(gs_packer *p, uint64_t version)
{
    gs_status st = {.code = GS_OK};
    gs_saved_summary s;
    memcpy(p->data + GS_SAVED_MAGIC_BYTES, &version, sizeof version);
    put_sum(p);
    const gs_code code = gs_saved_summary_unpack(&s, p->data, p->bytes, "x", &st);
    CHECK(code == GS_OK ||
          (strstr(st.msg, "another version") != NULL && st.hint != NULL));
    gs_saved_summary_release(&s);
    return code;
}

/* The first version that has a kind. A program of version 1 takes a kind that came later
 * for damage, unless it is written with a version that this program does not know. */
static void each_kind_has_its_first_version(void)
{
    static const uint64_t first_versions[] = {
        [GS_SAVED_QUANTILES] = 1, [GS_SAVED_NUMBERS] = 1,  [GS_SAVED_TEXTS] = 1,
        [GS_SAVED_SUMS] = 1,      [GS_SAVED_PREFIXES] = 1,
    };
    enum { LAST_OF_VERSION_1 = GS_SAVED_PREFIXES };
    _Static_assert(sizeof first_versions / sizeof *first_versions == GS_SAVED_KINDS,
                   "each kind has a first version: a new kind that of a new version");
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        const uint64_t version = gs_saved_version_of((gs_saved_kind)kind);
        CHECK(version == first_versions[kind] && version <= GS_SAVED_VERSION);
        CHECK(kind <= LAST_OF_VERSION_1 ? version == 1 : version > 1);
    }
}

/* What was saved once can be read: the versions before, and none that is to come. */
static void all_versions_are_read(void)
{
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        gs_status st = {.code = GS_OK};
        gs_packer p = {.bytes = 0};
        gs_saved_summary s;
        uint64_t version;
        make(&s, (gs_saved_kind)kind, 20);
        REQUIRE_OK(gs_saved_summary_pack(&s, &p, &st), &st);
        memcpy(&version, p.data + GS_SAVED_MAGIC_BYTES, sizeof version);
        CHECK(version == gs_saved_version_of((gs_saved_kind)kind));
        for (; version <= GS_SAVED_VERSION; version++)
            CHECK(unpack_version(&p, version) == GS_OK);
        CHECK(unpack_version(&p, version) == GS_ERR_FORMAT);
        CHECK(unpack_version(&p, 0) == GS_ERR_FORMAT);
        gs_packer_release(&p);
        gs_saved_summary_release(&s);
    }
}

/* --- the seeds of fuzz_saved_summary ------------------------------------------------ */

static size_t good_seeds[GS_SAVED_KINDS];

static void look_at_seed(const char *name, const uint8_t *data, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_packer p = {.bytes = 0};
    gs_saved_summary s;
    REQUIRE_OK(gs_mem_grow(&p.data, &p.capacity, bytes + 16, name, &st), &st);
    memcpy(p.data, GS_SAVED_MAGIC, GS_SAVED_MAGIC_BYTES);
    memcpy(p.data + GS_SAVED_MAGIC_BYTES, data, bytes);
    p.bytes = bytes + GS_SAVED_MAGIC_BYTES + GS_SAVED_SUM_BYTES;
    put_sum(&p);
    if (gs_saved_summary_unpack(&s, p.data, p.bytes, name, &st) == GS_OK && s.values > 0)
        good_seeds[s.kind]++;
    gs_saved_summary_release(&s);
    gs_packer_release(&p);
}

/* A kind without one is hardly ever found by chance. They are of the first version that
 * has the kind, and are kept: so it stays readable. */
static void each_kind_has_a_good_seed(void)
{
    seed_files_walk("fuzz_saved_summary", look_at_seed);
    for (int kind = 0; kind < GS_SAVED_KINDS; kind++) {
        if (good_seeds[kind] == 0)
            fprintf(stderr, "tests/fuzz_seeds/fuzz_saved_summary: none of kind %d\n",
                    kind);
        CHECK(good_seeds[kind] > 0);
    }
}

/* Is what these bytes say refused, or else good to go on with? */
static bool is_refused_or_usable(const gs_packer *p, bool *is_refused)
{
    gs_status st = {.code = GS_OK};
    gs_saved_summary s;
    *is_refused = gs_saved_summary_unpack(&s, p->data, p->bytes, "x", &st) != GS_OK;
    const bool is_good =
        *is_refused ? st.code == GS_ERR_FORMAT : is_sound(&s) && is_usable(&s);
    gs_packer again = {.bytes = 0};
    bool is_same = *is_refused || s.kind == GS_SAVED_QUANTILES ||
                   s.kind == GS_SAVED_SUMS || s.prefixes.by.kind == GS_BY_IP;
    if (!is_same && gs_saved_summary_pack(&s, &again, &st) == GS_OK)
        is_same = again.bytes == p->bytes && memcmp(again.data, p->data, p->bytes) == 0;
    gs_packer_release(&again);
    gs_saved_summary_release(&s);
    return is_good && is_same;
}

static void damage_is_noticed(void)
{
    gs_status st = {.code = GS_OK};
    size_t accepted = 0;
    for (int i = 0; i < GS_SAVED_KINDS + 1; i++) {
        const int kind = i < GS_SAVED_KINDS ? i : GS_SAVED_PREFIXES;
        gs_packer p = {.bytes = 0};
        gs_saved_summary s;
        bool is_refused;
        make(&s, (gs_saved_kind)kind,
             i < GS_SAVED_KINDS ? 71 : 70); /* addresses; domains */
        REQUIRE_OK(gs_saved_summary_pack(&s, &p, &st), &st);
        const uint64_t sum = XXH3_64bits(p.data, p.bytes - sizeof sum);
        /* Of each byte every seventh bit, one after the other, where time is short. */
        for (size_t bit = 0; bit < 8 * p.bytes; bit += check_is_short() ? 7 : 1) {
            p.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            CHECK(is_refused_or_usable(&p, &is_refused) && is_refused);
            put_sum(&p);
            CHECK(is_refused_or_usable(&p, &is_refused));
            accepted += !is_refused;
            p.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            memcpy(p.data + p.bytes - sizeof sum, &sum, sizeof sum);
        }
        for (const size_t whole = p.bytes; p.bytes-- > 0;) {
            CHECK(is_refused_or_usable(&p, &is_refused) && is_refused);
            if (p.bytes < sizeof sum || p.bytes + 40 < whole)
                continue;
            put_sum(&p);
            CHECK(is_refused_or_usable(&p, &is_refused) && is_refused);
        }
        gs_packer_release(&p);
        gs_saved_summary_release(&s);
    }
    CHECK(accepted > 0);
}

/* Numbers anywhere that are as small, as large or as odd as can be. */
static void hostile_numbers(void)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   2,
                                   UINT64_MAX,
                                   UINT64_MAX - 1,
                                   UINT64_C(1) << 63,
                                   UINT64_C(1) << 62,
                                   UINT64_C(1) << 32,
                                   0x7ff0000000000000,
                                   0x7ff8000000000000,
                                   0x3ff0000000000000};
    gs_status st = {.code = GS_OK};
    const unsigned often = check_often(40000);
    for (unsigned i = 0; i < often; i++) {
        gs_packer p = {.bytes = 0};
        gs_saved_summary s;
        bool is_refused;
        make(&s, (gs_saved_kind)(i % GS_SAVED_KINDS), check_random(&state) % 60);
        REQUIRE_OK(gs_saved_summary_pack(&s, &p, &st), &st);
        for (unsigned n = 0; n <= i / GS_SAVED_KINDS % 3; n++) {
            const size_t words = p.bytes / 8 - 1;
            const uint64_t word = odd[check_random(&state) % (sizeof odd / sizeof *odd)];
            memcpy(p.data + 8 * (1 + check_random(&state) % (words - 1)), &word, 8);
        }
        put_sum(&p);
        CHECK(is_refused_or_usable(&p, &is_refused));
        gs_packer_release(&p);
        gs_saved_summary_release(&s);
    }
}

/* Words of a summary of prefixes: of no values, behind those that all kinds have. */
static bool is_taken(const uint64_t *words, size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_packer p = {.bytes = 0};
    gs_saved_summary s;
    make(&s, GS_SAVED_PREFIXES, 0);
    REQUIRE_OK(gs_saved_summary_pack(&s, &p, &st), &st);
    gs_saved_summary_release(&s);
    p.bytes = 7 * sizeof *words; /* up to the counters */
    for (size_t i = 0; i < count; i++)
        REQUIRE_OK(gs_pack_number(&p, words[i], &st), &st);
    REQUIRE_OK(gs_pack_number(&p, 0, &st), &st);
    put_sum(&p);
    const bool is_good = gs_saved_summary_unpack(&s, p.data, p.bytes, "x", &st) == GS_OK;
    gs_saved_summary_release(&s);
    gs_packer_release(&p);
    return is_good;
}

static void hierarchies(void)
{
    CHECK(is_taken((const uint64_t[]){GS_BY_DOMAIN, 0, 0}, 3));
    CHECK(!is_taken((const uint64_t[]){GS_BY_DOMAIN, 8, 0}, 3));
    CHECK(
        !is_taken((const uint64_t[]){GS_BY_DOMAIN, 0, 1, 0, 0}, 5)); /* an empty level */
    CHECK(!is_taken((const uint64_t[]){GS_HIERARCHY_COUNT, 0, 0}, 3));
    CHECK(is_taken((const uint64_t[]){GS_BY_IP, GS_IP_STEP_MAX, 0}, 3));
    CHECK(!is_taken((const uint64_t[]){GS_BY_IP, GS_IP_STEP_MAX + 1, 0}, 3));
    CHECK(!is_taken((const uint64_t[]){GS_BY_IP, GS_IP_STEP_MIN - 1, 0}, 3));
}

int main(void)
{
    state = check_seed(31);
    there_and_back();
    with_itself_it_is_twice_as_much();
    each_kind_has_its_first_version();
    all_versions_are_read();
    each_kind_has_a_good_seed();
    none_are_no_more();
    damage_is_noticed();
    hostile_numbers();
    hierarchies();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
