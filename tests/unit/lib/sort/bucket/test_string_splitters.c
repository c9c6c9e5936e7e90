/* SPDX-License-Identifier: MIT */
/*
 * string_splitters: whatever strings they are chosen by, the bucket of a string never is
 * before that of a smaller one, in both directions; all strings of a bucket begin with
 * the bytes that it says, and of those of one string there is one. Strings that come
 * often, that begin alike, that end where words do, with zero bytes and with 0xFF.
 */
#include "lib/sort/bucket/string_find.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { STRINGS = 20000, STRING_MAX = 180, TEST_SLACK = 16 };

typedef struct test_string {
    uint8_t data[STRING_MAX + TEST_SLACK];
    uint32_t bytes;
    uint32_t bucket;
} test_string;

/* Pieces that strings are made of, so that they agree at many depths. */
static const char *const pieces[] = {
    "usr/share/", "usr/lib/",           "a", "ab",      "\xff\xff\xff\xff", "\n",
    "doc/lib",    "/x86_64-linux-gnu/", "}", "\t\t\t\t"};
enum { PIECES = sizeof pieces / sizeof pieces[0], KINDS = 5 };

static void put(test_string *s, const char *piece, size_t bytes)
{
    if (s->bytes + bytes > STRING_MAX)
        return;
    memcpy(s->data + s->bytes, piece, bytes);
    s->bytes += (uint32_t)bytes;
}

static void make_string(test_string *s, unsigned kind, uint64_t *state)
{
    static const char zeroes[8] = {0};
    memset(s->data, (int)check_random(state), sizeof s->data); /* nobody is to see */
    s->bytes = 0;
    for (unsigned i = 0; kind == 4 && i < 11; i++)
        put(s, pieces[0], strlen(pieces[0]));
    const unsigned parts = (unsigned)(check_random(state) % (kind == 0 ? 4 : 12));
    for (unsigned i = 0; i < parts; i++) {
        const uint64_t r = check_random(state);
        const char *const piece = pieces[(kind == 1 ? r % 3 : r) % PIECES];
        if (kind == 3 && r % 5 == 0)
            put(s, zeroes, (size_t)(r >> 20) % 9);
        else
            put(s, piece, strlen(piece));
    }
    if (kind == 2) {
        const uint64_t r = check_random(state);
        put(s, (const char *)&r, (size_t)(r % 8));
    }
}

static int compare(const void *x, const void *y)
{
    const test_string *const a = x, *const b = y;
    return gs_string_compare(a->data, a->bytes, b->data, b->bytes, 0);
}

static void find_all(const gs_string_splitters *s, test_string *strings)
{
    gs_placed_string batch[GS_STRING_BATCH];
    for (size_t at = 0; at < STRINGS;) {
        size_t n = 1 + at % GS_STRING_BATCH;
        if (n > STRINGS - at)
            n = STRINGS - at;
        for (size_t i = 0; i < n; i++)
            batch[i] = (gs_placed_string){.string = strings[at + i].data,
                                          .bytes = strings[at + i].bytes};
        gs_string_splitters_find(s, batch, n);
        for (size_t i = 0; i < n; i++)
            strings[at + i].bucket = batch[i].bucket;
        at += n;
    }
}

/* The strings are in order. */
static void check_buckets(const gs_string_splitters *s, const test_string *strings,
                          bool is_backwards, size_t *settled)
{
    for (size_t i = 0; i < STRINGS; i++) {
        const test_string *const x = &strings[i];
        REQUIRE(x->bucket < s->bucket_count);
        const gs_string_bucket *const b = &s->buckets[x->bucket];
        CHECK(x->bytes >= b->depth);
        CHECK(!b->is_one || x->bytes == b->depth);
        *settled += b->is_one;
        if (i == 0)
            continue;
        const test_string *const before = &strings[i - 1];
        CHECK(is_backwards ? before->bucket >= x->bucket : before->bucket <= x->bucket);
        CHECK(before->bucket != x->bucket ||
              memcmp(before->data, x->data, b->depth) == 0);
    }
}

/* Bytes that two strings share, of those that a sample knows; behind an end are zeros. */
static size_t shared_bytes(const test_string *a, const test_string *b)
{
    size_t n = 0;
    for (; n < GS_STRING_REACH; n++) {
        const uint8_t x = n < a->bytes ? a->data[n] : 0,
                      y = n < b->bytes ? b->data[n] : 0;
        if (x != y)
            break;
    }
    return n;
}

static void split(test_string *strings, gs_string_splitters *s, size_t sampled,
                  size_t buckets, bool is_backwards, size_t *settled, size_t *deepest)
{
    gs_status st = {.code = GS_OK};
    gs_string_sample sample;
    size_t samples = 0;
    REQUIRE_OK(gs_string_sample_init(&sample, 2 * sampled + 1, &st), &st);
    /* In three parts, of which the second is left half empty, and the third has the rest.
     */
    const size_t firsts[] = {0, sampled / 3, sampled - sampled / 3};
    const size_t counts[] = {sampled / 3, sampled / 6,
                             sampled - sampled / 3 - sampled / 6};
    size_t taken = 0;
    for (size_t p = 0; p < 3; p++) {
        gs_string_sample_part part = {.of = &sample, .first = firsts[p]};
        for (size_t i = 0; i < counts[p]; i++, taken++) {
            const test_string *const x = &strings[taken * STRINGS / sampled];
            gs_string_sample_add(&part, x->data, x->bytes);
        }
        gs_string_sample_join(&sample, &part);
    }
    CHECK(sample.count == sampled);
    size_t shared = 0;
    for (size_t i = 0; i + 1 < sampled; i++)
        shared += shared_bytes(&strings[i * STRINGS / sampled],
                               &strings[(i + 1) * STRINGS / sampled]);
    CHECK(gs_string_sample_shared(&sample) == (sampled > 1 ? shared / (sampled - 1) : 0));
    REQUIRE_OK(gs_string_splitters_choose(s, &sample, buckets, is_backwards, &st), &st);
    for (size_t i = 0; i < s->bucket_count; i++)
        samples += s->buckets[i].sampled;
    CHECK(samples == sampled && s->bucket_count >= 1);
    *deepest = s->reach > *deepest ? s->reach : *deepest;
    find_all(s, strings);
    check_buckets(s, strings, is_backwards, settled);
    gs_string_sample_release(&sample);
}

/* Random words, of which none comes often: as many buckets as asked for, about as large.
 */
static void words_are_even(test_string *strings, gs_string_splitters *s, uint64_t *state)
{
    size_t settled = 0, deepest = 0;
    static size_t counts[GS_STRING_BUCKETS_MAX];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < STRINGS; i++) {
        strings[i].bytes = 0;
        const uint64_t r = check_random(state);
        put(&strings[i], "a common beginning, ", i % 2 ? 20 : 10);
        put(&strings[i], (const char *)&r, sizeof r);
    }
    qsort(strings, STRINGS, sizeof *strings, compare);
    split(strings, s, STRINGS / 4, 100, false, &settled, &deepest);
    CHECK(s->bucket_count >= 90 && s->bucket_count < 150 && deepest >= 24);
    for (size_t i = 0; i < STRINGS; i++)
        counts[strings[i].bucket]++;
    for (size_t i = 0; i < s->bucket_count; i++)
        CHECK(counts[i] < 3 * STRINGS / 100);
}

int main(void)
{
    uint64_t state = check_seed(11);
    gs_status st = {.code = GS_OK};
    test_string *strings = NULL;
    gs_string_splitters *s = NULL;
    size_t settled = 0, deepest = 0;
    REQUIRE_OK(gs_mem_new(&strings, STRINGS * sizeof *strings, "strings", &st), &st);
    REQUIRE_OK(gs_mem_new(&s, sizeof *s, "splitters", &st), &st);
    for (unsigned kind = 0; kind < KINDS; kind++) {
        for (size_t i = 0; i < STRINGS; i++)
            make_string(&strings[i], kind, &state);
        qsort(strings, STRINGS, sizeof *strings, compare);
        static const size_t sampled[] = {0, 1, 50, 3000, STRINGS};
        for (unsigned i = 0; i < sizeof sampled / sizeof sampled[0]; i++) {
            const bool is_backwards = check_random(&state) % 2;
            split(strings, s, sampled[i], 1, is_backwards, &settled, &deepest);
            split(strings, s, sampled[i], 1 + check_random(&state) % 300, !is_backwards,
                  &settled, &deepest);
            split(strings, s, sampled[i], 2048, is_backwards, &settled, &deepest);
        }
    }
    CHECK(settled > STRINGS && deepest > 100 && deepest <= GS_STRING_REACH);
    words_are_even(strings, s, &state);
    gs_mem_free(strings);
    gs_mem_free(s);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
