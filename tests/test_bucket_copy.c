/* SPDX-License-Identifier: MIT */
/*
 * bucket_copy: every record arrives whole, whatever its layout and length, in the same
 * order, and nothing is touched if the bucket does not fit.
 */
#include "lib/sort/bucket_copy.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { ARENA = 1 << 20, SLACK = 4096, RECORDS = 2000, LONG = GS_WHERE_LENGTH_LONG };

/* Puts one record of random bytes at `at`; returns where the next may begin. */
static size_t put_record(uint8_t *arena, size_t at, const gs_record_layout *layout,
                         size_t key_bytes, size_t line_bytes, bool is_long,
                         uint64_t *where, uint64_t *state)
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
        const uint32_t head = (uint32_t)(layout->is_key_only ? line_bytes : key_bytes);
        memcpy(arena + at, &head, sizeof head);
        at += sizeof head + key_bytes;
    }
    for (size_t i = 0; i < line_bytes; i++)
        arena[at + i] = (uint8_t)check_random(state);
    at += line_bytes;
    if (layout->has_eol)
        arena[at++] = layout->eol;
    return at;
}

static void records_arrive_whole(const gs_record_layout *layout, uint64_t *state)
{
    static uint8_t arena[ARENA + SLACK];
    static gs_element e[RECORDS], before[RECORDS];
    gs_status st = {.code = GS_OK};
    size_t at = 0, count = 0;
    while (count < RECORDS && at < ARENA - 2000) {
        const size_t key = layout->is_keyed ? check_random(state) % 40 : 0;
        const size_t line = check_random(state) % (count % 50 == 0 ? 900 : 70);
        const bool is_long = check_random(state) % 16 == 0;
        e[count].prefix = count;
        at = put_record(arena, at, layout, key, line, is_long, &e[count].where, state);
        count++;
        at += check_random(state) % 300; /* records of other buckets */
    }
    memcpy(before, e, sizeof e);
    gs_bucket_copy copy = {0};
    REQUIRE_OK(gs_bucket_copy_init(&copy, 1000, &st), &st);
    CHECK(!gs_bucket_copy_take(&copy, layout, arena, e, count));
    CHECK(memcmp(before, e, sizeof e) == 0);
    gs_bucket_copy_release(&copy);
    REQUIRE_OK(gs_bucket_copy_init(&copy, ARENA, &st), &st);
    CHECK(gs_bucket_copy_take(&copy, layout, arena, e, count));
    for (size_t i = 0; i < count; i++) {
        const gs_record want = gs_record_at(layout, arena, before[i].where);
        const gs_record got = gs_record_at(layout, copy.data, e[i].where);
        CHECK(e[i].prefix == i && got.string_bytes == want.string_bytes);
        CHECK(got.line_bytes == want.line_bytes);
        CHECK(memcmp(got.string, want.string, want.string_bytes) == 0);
        CHECK(memcmp(got.line, want.line, want.line_bytes + layout->has_eol) == 0);
        CHECK(i == 0 || gs_where_offset(e[i].where) >= gs_where_offset(e[i - 1].where));
    }
    gs_bucket_copy_release(&copy);
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
