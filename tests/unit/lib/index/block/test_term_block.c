/* SPDX-License-Identifier: MIT */
/*
 * term_block: both methods must give, from the same random tokens, exactly the postings
 * that sorting the tokens one by one gives, however the documents were dealt out to
 * blocks, and must say when they are full without losing or doubling a token.
 */
#include "lib/index/block/block_merge.h"
#include "lib/index/block/bsbi_block.h"
#include "lib/index/block/spimi_block.h"

#include "lib/base/mem.h"
#include "lib/index/block/key_sort.h"
#include "tests/check.h"

enum { BLOCKS = 3, TOKENS_MAX = 60000, TERM_ROOM = 96, TEXT_MAX = 8 << 20 };

typedef struct item {
    uint8_t term[TERM_ROOM];
    uint32_t bytes, position, tf;
    uint64_t doc;
} item;

static item items[TOKENS_MAX];
static size_t item_count;
static char got[TEXT_MAX], wanted[TEXT_MAX];
static size_t got_bytes;

typedef struct setting {
    bool is_spimi, has_positions, is_tuples;
    size_t block_bytes;
    const char *engine;
} setting;

/* --- the reference ------------------------------------------------------------------ */

static int compare_items(const void *a, const void *b)
{
    const item *const x = a, *const y = b;
    const int d = gs_string_compare(x->term, x->bytes, y->term, y->bytes, 0);
    if (d != 0)
        return d;
    if (x->doc != y->doc)
        return x->doc < y->doc ? -1 : 1;
    return (x->position > y->position) - (x->position < y->position);
}

static size_t put_term(char *to, const uint8_t *term, size_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; i++)
        n += (size_t)sprintf(to + n, "%02x", term[i]);
    return n;
}

/* Sorts a copy of the first `count` items and writes them as postings. */
static void make_wanted(const item *from, size_t count, bool has_positions)
{
    static item sorted[TOKENS_MAX];
    size_t n = 0;
    memcpy(sorted, from, count * sizeof *from);
    qsort(sorted, count, sizeof *sorted, compare_items);
    for (size_t i = 0; i < count;) {
        const item *const first = &sorted[i];
        uint64_t tf = 0;
        n += put_term(wanted + n, first->term, first->bytes);
        n += (size_t)sprintf(wanted + n, " %llu", (unsigned long long)first->doc);
        for (; i < count; i++) {
            const item *const x = &sorted[i];
            if (x->doc != first->doc || x->bytes != first->bytes ||
                memcmp(x->term, first->term, x->bytes) != 0)
                break;
            tf += x->tf;
            if (has_positions)
                n += (size_t)sprintf(wanted + n, ",%u", x->position);
        }
        n += (size_t)sprintf(wanted + n, " x%llu\n", (unsigned long long)tf);
        REQUIRE(n + 1000 < TEXT_MAX);
    }
    wanted[n] = '\0';
}

/* --- the target --------------------------------------------------------------------- */

static uint8_t last_term[TERM_ROOM];
static size_t last_bytes;
static bool has_last;
static uint64_t last_doc;

static gs_code take_term(void *context, const uint8_t *term, size_t bytes, gs_status *st)
{
    (void)context;
    (void)st;
    if (has_last)
        CHECK(gs_string_compare(last_term, last_bytes, term, bytes, 0) < 0);
    has_last = true;
    memcpy(last_term, term, bytes);
    last_bytes = bytes;
    last_doc = UINT64_MAX;
    return GS_OK;
}

static gs_code take_postings(void *context, const gs_posting_batch *b, gs_status *st)
{
    const bool has_positions = *(const bool *)context;
    size_t position = 0;
    (void)st;
    CHECK(b->count > 0);
    for (size_t i = 0; i < b->count; i++) {
        CHECK(last_doc == UINT64_MAX || b->docs[i] > last_doc);
        last_doc = b->docs[i];
        got_bytes += put_term(got + got_bytes, last_term, last_bytes);
        got_bytes +=
            (size_t)sprintf(got + got_bytes, " %llu", (unsigned long long)b->docs[i]);
        for (uint32_t k = 0; has_positions && k < b->tfs[i]; k++)
            got_bytes +=
                (size_t)sprintf(got + got_bytes, ",%u", b->positions[position++]);
        got_bytes += (size_t)sprintf(got + got_bytes, " x%u\n", b->tfs[i]);
        REQUIRE(got_bytes + 1000 < TEXT_MAX);
    }
    CHECK(position == b->position_count);
    return GS_OK;
}

/* --- random tokens ----------------------------------------------------------------- */

static void make_items(uint64_t *seed, const setting *s)
{
    uint64_t doc = check_random(seed) % 3 == 0 ? UINT64_C(1) << 38 : 0;
    uint32_t position = 0;
    const uint64_t vocabulary = 1 + check_random(seed) % 3000;
    const uint64_t doc_range = 1 + check_random(seed) % 500;
    item_count = 1 + check_random(seed) % TOKENS_MAX;
    for (size_t i = 0; i < item_count; i++) {
        const uint64_t r = check_random(seed);
        const uint64_t word = r % (1 + r / 7 % vocabulary);
        uint64_t state = word;
        const uint64_t shape = check_random(&state);
        item *const x = &items[i];
        *x = (item){.tf = 1};
        /* Long common beginnings, zero bytes, and short words. */
        x->bytes = 1 + (uint32_t)(shape >> 8) % (shape % 20 == 0 ? 80 : 9);
        for (uint32_t k = 0; k < x->bytes; k++)
            x->term[k] = shape % 5 == 0 && k + 4 < x->bytes
                             ? (uint8_t)(shape % 2)
                             : (uint8_t)('a' + check_random(&state) % 3);
        if (r >> 32 & 1 && !s->is_tuples && r % 31 == 0) {
            doc += (r >> 40) % 5000 == 0 ? 3000000 : 1 + (r >> 40) % 3;
            position = 0;
        }
        x->doc = doc;
        x->position = position;
        position += 1 + ((r >> 33) % 4000 == 0 ? 2000000 : (uint32_t)(r >> 33) % 3);
        if (s->is_tuples) {
            x->position = 0;
            x->doc = (r >> 20) % doc_range + ((r >> 50) % 3000 == 0 ? doc : 0);
            x->tf = (r >> 30) % 2000 == 0 ? 20000000 : 1 + (uint32_t)(r >> 30) % 3;
        }
    }
}

/* --- running ------------------------------------------------------------------------ */

typedef struct machine {
    const setting *s;
    gs_term_dictionary *dictionary;
    gs_tuple_sorter *sorter;
    gs_spimi_block *spimi[BLOCKS];
    gs_bsbi_block *bsbi[BLOCKS];
    gs_term_block views[BLOCKS];
} machine;

static void set_up(machine *m, const setting *s)
{
    gs_status st = {.code = GS_OK};
    const gs_tuple_sorter_options sorter = {.engine = s->engine};
    *m = (machine){.s = s};
    REQUIRE_OK(gs_tuple_sorter_new(&m->sorter, &sorter, NULL, &st), &st);
    REQUIRE_OK(
        gs_term_dictionary_new(&m->dictionary, 4 * s->block_bytes + (1 << 19), &st), &st);
    for (unsigned i = 0; i < BLOCKS; i++) {
        const gs_block_options block = {s->block_bytes, s->has_positions, s->is_tuples};
        if (s->is_spimi)
            REQUIRE_OK(gs_spimi_block_new(&m->spimi[i], &block, &st), &st);
        else
            REQUIRE_OK(
                gs_bsbi_block_new(&m->bsbi[i], &block, m->dictionary, m->sorter, &st),
                &st);
    }
}

static void tear_down(machine *m)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        gs_spimi_block_free(m->spimi[i]);
        gs_bsbi_block_free(m->bsbi[i]);
    }
    gs_term_dictionary_free(m->dictionary);
    gs_tuple_sorter_free(m->sorter);
}

static gs_token token_of(const item *x, uint64_t first_doc)
{
    return (gs_token){.term = x->term,
                      .bytes = x->bytes,
                      .hash = gs_term_hash(x->term, x->bytes),
                      .position = x->position,
                      .document = (uint32_t)(x->doc - first_doc)};
}

static size_t add(machine *m, unsigned block, const item *from, size_t count)
{
    static gs_tuple tuples[GS_TOKENS_MAX];
    static gs_token tokens[GS_TOKENS_MAX];
    gs_status st = {.code = GS_OK};
    size_t taken = 0;
    for (size_t i = 0; i < count; i++) {
        tokens[i] = token_of(&from[i], from->doc);
        tuples[i] = (gs_tuple){tokens[i], from[i].tf, from[i].doc};
    }
    if (m->s->is_spimi && m->s->is_tuples)
        REQUIRE_OK(gs_spimi_block_add_tuples(m->spimi[block], tuples, count, &taken, &st),
                   &st);
    else if (m->s->is_spimi)
        REQUIRE_OK(
            gs_spimi_block_add(m->spimi[block], from->doc, tokens, count, &taken, &st),
            &st);
    else if (m->s->is_tuples)
        REQUIRE_OK(gs_bsbi_block_add_tuples(m->bsbi[block], tuples, count, &taken, &st),
                   &st);
    else
        REQUIRE_OK(
            gs_bsbi_block_add(m->bsbi[block], from->doc, tokens, count, &taken, &st),
            &st);
    return taken;
}

/* Sorts and merges what the blocks hold, and holds it against items [begin, end). */
static void compare_epoch(machine *m, size_t begin, size_t end)
{
    gs_status st = {.code = GS_OK};
    gs_block_ranges ranges = {0};
    gs_block_merger *merger = NULL;
    gs_posting_gather gather;
    bool has_positions = m->s->has_positions;
    const gs_posting_target target = {
        .term = take_term, .postings = take_postings, .context = &has_positions};
    REQUIRE_OK(gs_term_dictionary_rank(m->dictionary, &st), &st);
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (m->s->is_spimi)
            REQUIRE_OK(gs_spimi_block_sort(m->spimi[i], &m->views[i], &st), &st);
        else
            REQUIRE_OK(gs_bsbi_block_sort(m->bsbi[i], &m->views[i], &st), &st);
    }
    gs_team *team = NULL;
    REQUIRE_OK(gs_team_new(&team, 1, &st), &st);
    REQUIRE_OK(gs_block_ranges_cut(&ranges, m->views, BLOCKS, 5, team, &st), &st);
    gs_team_free(team);
    REQUIRE_OK(gs_block_merger_new(&merger, m->views, BLOCKS, &st), &st);
    gs_posting_gather_init(&gather, &target, has_positions);
    got_bytes = 0;
    got[0] = '\0';
    has_last = false;
    for (size_t r = 0; r < ranges.range_count; r++)
        REQUIRE_OK(gs_block_merger_run(merger, &ranges, r, &gather, &st), &st);
    gs_posting_gather_release(&gather);
    gs_block_merger_free(merger);
    gs_block_ranges_release(&ranges);
    make_wanted(items + begin, end - begin, has_positions);
    if (strcmp(got, wanted) != 0) {
        size_t k = 0;
        while (got[k] == wanted[k])
            k++;
        k = k > 60 ? k - 60 : 0;
        fprintf(stderr,
                "spimi %d, positions %d, tuples %d, %zu bytes\n%.150s\n---\n%.150s\n",
                m->s->is_spimi, has_positions, m->s->is_tuples, m->s->block_bytes,
                wanted + k, got + k);
        check_failures++;
    }
    const bool new_dictionary = gs_term_dictionary_bytes(m->dictionary) * 2 >
                                gs_term_dictionary_bytes_max(m->dictionary);
    if (new_dictionary)
        gs_term_dictionary_reset(m->dictionary);
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (m->s->is_spimi)
            gs_spimi_block_reset(m->spimi[i]);
        else
            gs_bsbi_block_reset(m->bsbi[i], new_dictionary);
    }
}

/* How many items from `at` on go in one call, of however many documents. */
static size_t next_count(size_t at, uint64_t random)
{
    const size_t n = 1 + random % GS_TOKENS_MAX;
    return n < item_count - at ? n : item_count - at;
}

static void run(uint64_t *seed, const setting *s, unsigned *epochs)
{
    machine m;
    set_up(&m, s);
    make_items(seed, s);
    size_t begin = 0, at = 0, taken_since = 1;
    unsigned block = 0;
    while (at < item_count) {
        const size_t n = next_count(at, check_random(seed));
        const size_t taken = add(&m, block, items + at, n);
        REQUIRE(taken <= n);
        at += taken;
        taken_since += taken;
        if (taken < n) {
            REQUIRE(taken_since > 0); /* an empty block takes something */
            compare_epoch(&m, begin, at);
            begin = at;
            taken_since = 0;
            ++*epochs;
            continue;
        }
        /* A document stays with its block. */
        if (at < item_count && (s->is_tuples || items[at].doc != items[at - 1].doc))
            block = (unsigned)(check_random(seed) % BLOCKS);
    }
    compare_epoch(&m, begin, at);
    tear_down(&m);
}

static void wide_keys_sort(uint64_t seed)
{
    enum { COUNT = 200000 };
    static gs_u128 keys[COUNT], scratch[COUNT];
    static uint64_t narrow[COUNT], narrow_scratch[COUNT];
    for (unsigned round = 0; round < check_often(12) + 1; round++) {
        const size_t n = round % 3 == 0 ? check_random(&seed) % 40 : COUNT;
        const unsigned low = (unsigned)(check_random(&seed) % 100);
        const uint64_t mask = UINT64_MAX >> check_random(&seed) % 60;
        for (size_t i = 0; i < n; i++) {
            keys[i] = (gs_u128){check_random(&seed) & mask, check_random(&seed)};
            keys[i].lo =
                low >= 32 ? (keys[i].lo & ~(uint64_t)UINT32_MAX) | i : keys[i].lo;
            narrow[i] = (check_random(&seed) & mask) << 20 | i;
        }
        gs_key_sort_u128(keys, scratch, n, low);
        gs_key_sort_u64(narrow, narrow_scratch, n, 20);
        bool is_sorted = true;
        for (size_t i = 1; i < n; i++) {
            const gs_u128 a = keys[i - 1], b = keys[i];
            const uint64_t a_hi = low >= 64 ? a.hi >> (low - 64) : a.hi;
            const uint64_t b_hi = low >= 64 ? b.hi >> (low - 64) : b.hi;
            const uint64_t a_lo = low >= 64 ? 0 : a.lo >> low;
            const uint64_t b_lo = low >= 64 ? 0 : b.lo >> low;
            is_sorted &= a_hi < b_hi || (a_hi == b_hi && a_lo <= b_lo);
            if (low >= 32 && a_hi == b_hi && a_lo == b_lo) /* stable */
                is_sorted &= (uint32_t)a.lo < (uint32_t)b.lo;
            is_sorted &= narrow[i - 1] < narrow[i];
        }
        CHECK(is_sorted);
    }
}

int main(void)
{
    uint64_t seed = check_seed(31);
    const unsigned rounds = 5 + check_often(55);
    unsigned epochs = 0;
    for (unsigned round = 0; round < rounds; round++) {
        const uint64_t r = check_random(&seed);
        setting s = {
            .is_spimi = round % 2 == 0,
            .has_positions = r % 3 == 0,
            .is_tuples = r % 3 == 1,
            .block_bytes = r % 4 == 0 ? 8 << 20 : GS_SPIMI_BYTES_MIN,
            .engine = "cpu",
        };
        run(&seed, &s, &epochs);
    }
    CHECK(epochs > rounds / 3);
    wide_keys_sort(seed);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
