/* SPDX-License-Identifier: MIT */
/*
 * bucket_copy: every record arrives whole, whatever its layout and length, in the same
 * order, of one bucket or of many that lie mixed over several windows of the arena; a
 * bucket for which there is no room is not touched.
 */
#include "lib/sort/bucket/bucket_copy.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    ARENA = 12 << 20,
    SLACK = 4096,
    BUCKETS = 7,
    RECORDS = 16000, /* of a bucket */
    LONG = GS_WHERE_LENGTH_LONG
};

static uint8_t arena[ARENA + SLACK];
static gs_element elements[BUCKETS][RECORDS], before[BUCKETS][RECORDS];
static size_t counts[BUCKETS];

/* Puts one record of random bytes at `at`; returns where the next may begin. */
static size_t put_record(size_t at, const gs_record_layout *layout, size_t key_bytes,
                         size_t line_bytes, bool is_long, uint64_t *where,
                         uint64_t *state)
{
    const size_t string_bytes = layout->is_key_only ? key_bytes
                                : layout->is_keyed  ? key_bytes + line_bytes
                                                    : line_bytes;
    *where = (uint64_t)at << GS_WHERE_LENGTH_BITS | (is_long ? LONG : string_bytes);
    if (is_long) {
        const uint64_t length = string_bytes;
        memcpy(arena + at, &length, sizeof length);
        at += sizeof length;
    }
    if (layout->is_keyed) {
        const uint64_t head = layout->is_key_only ? line_bytes : key_bytes;
        const uint32_t short_head = (uint32_t)head;
        if (is_long)
            memcpy(arena + at, &head, sizeof head);
        else
            memcpy(arena + at, &short_head, sizeof short_head);
        at += (is_long ? sizeof head : sizeof short_head) + key_bytes;
    }
    for (size_t i = 0; i < line_bytes; i++)
        arena[at + i] = (uint8_t)check_random(state);
    at += line_bytes;
    if (layout->has_eol)
        arena[at++] = layout->eol;
    return at;
}

/* Records of all buckets, mixed, each bucket's in order. */
static void fill_arena(const gs_record_layout *layout, uint64_t *state)
{
    size_t at = 0;
    memset(counts, 0, sizeof counts);
    while (counts[0] < RECORDS && at < ARENA - 10000) {
        /* More of the first than of the others; the last is empty. */
        const size_t b = check_random(state) % BUCKETS * (check_random(state) % 2);
        if (b == BUCKETS - 1)
            continue;
        const size_t key = layout->is_keyed ? check_random(state) % 40 : 0;
        const size_t line = check_random(state) % (at % 50 == 0 ? 900 : 70);
        const bool is_long = check_random(state) % 16 == 0;
        gs_element *const e = &elements[b][counts[b]];
        *e = (gs_element){.prefix = counts[b], .next = b};
        at = put_record(at, layout, key, line, is_long, &e->where, state);
        at += check_random(state) % (at % 64 == 0 ? 7000 : 300);
        counts[b]++;
    }
    memcpy(before, elements, sizeof before);
}

static void check_bucket(const gs_record_layout *layout, const gs_near_bucket *bucket,
                         size_t b)
{
    for (size_t i = 0; i < counts[b]; i++) {
        const gs_element *const e = &elements[b][i];
        const gs_record want = gs_record_at(layout, arena, before[b][i].where);
        const gs_record got = gs_record_at(layout, bucket->arena, e->where);
        CHECK(e->prefix == i && e->next == b && got.string_bytes == want.string_bytes);
        CHECK(got.line_bytes == want.line_bytes);
        CHECK(memcmp(got.string, want.string, want.string_bytes) == 0);
        CHECK(memcmp(got.line, want.line, want.line_bytes + layout->has_eol) == 0);
        CHECK(i == 0 || gs_where_offset(e->where) >= gs_where_offset(e[-1].where));
    }
}

/* Copies `n` buckets from the first on, with room for some or for all. */
static size_t copy_buckets(const gs_record_layout *layout, size_t n, size_t capacity)
{
    gs_status st = {.code = GS_OK};
    gs_near_bucket buckets[BUCKETS] = {{0}};
    gs_bucket_copy copy = {0};
    size_t copied = 0;
    memcpy(elements, before, sizeof elements);
    for (size_t b = 0; b < n; b++) {
        buckets[b].elements = elements[b];
        buckets[b].count = counts[b];
    }
    REQUIRE_OK(gs_bucket_copy_init(&copy, capacity, &st), &st);
    gs_bucket_copy_take(&copy, layout, arena, buckets, n);
    for (size_t b = 0; b < n; b++) {
        const bool is_left = buckets[b].arena == arena;
        CHECK(!is_left || memcmp(elements[b], before[b], sizeof before[b]) == 0);
        check_bucket(layout, &buckets[b], b);
        copied += !is_left;
    }
    gs_bucket_copy_release(&copy);
    return copied;
}

static void records_arrive_whole(const gs_record_layout *layout, uint64_t *state)
{
    fill_arena(layout, state);
    CHECK(counts[0] == RECORDS && counts[1] > 100 && counts[BUCKETS - 1] == 0);
    CHECK(copy_buckets(layout, 1, 1000) == 0);
    CHECK(copy_buckets(layout, 1, ARENA) == 1);
    CHECK(copy_buckets(layout, BUCKETS, 2 * ARENA) == BUCKETS);
    const size_t some = copy_buckets(layout, BUCKETS, 200000);
    CHECK(some > 1 && some < BUCKETS);
}

int main(void)
{
    uint64_t state = check_seed(31);
    for (unsigned i = 0; i < 8; i++) {
        const gs_record_layout layout = {.is_keyed = i & 1,
                                         .is_key_only = (i & 3) == 3,
                                         .has_eol = i & 4,
                                         .eol = '\n'};
        records_arrive_whole(&layout, &state);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
