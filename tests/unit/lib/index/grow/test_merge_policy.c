/* SPDX-License-Identifier: MIT */
/*
 * merge_policy: segments that are not merged make every search slower, and postings that
 * are written too often every append. Both have a bound, for any sizes.
 */
#include "lib/index/grow/merge_policy.h"
#include "tests/check.h"

enum { APPENDS = 4000, SEGMENTS_MAX = 64, SIZE_BITS = 12 };

static void examples(void)
{
    gs_segment_size sizes[] = {{100, 10, 0}, {9, 9, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0},
                               {1, 1, 0},    {1, 1, 0}, {1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    size_t from, to;
    CHECK(!gs_merge_policy_pick(sizes, 9, &from, &to));
    CHECK(gs_merge_policy_pick(sizes, 10, &from, &to) && from == 2 && to == 10);
    sizes[1].bytes = 8;
    CHECK(gs_merge_policy_pick(sizes, 10, &from, &to) && from == 1 && to == 10);
    CHECK(!gs_merge_policy_pick(sizes, 1, &from, &to));
    sizes[0].deleted = 2;
    CHECK(!gs_merge_policy_pick(sizes, 9, &from, &to) || from == 1);
    sizes[0].deleted = 3;
    CHECK(gs_merge_policy_pick(sizes, 3, &from, &to) && from == 0 && to == 1);
    sizes[0].deleted = 10;
    CHECK(gs_merge_policy_pick(sizes, 1, &from, &to) && from == 0 && to == 1);
    sizes[1] = (gs_segment_size){0, 0, 0};
    sizes[0].deleted = 0;
    CHECK(gs_merge_policy_pick(sizes, 2, &from, &to) && from == 1 && to == 2);
    CHECK(!gs_merge_policy_pick(sizes + 1, 1, &from, &to));
}

/* As one append does, until nothing is picked: how many bytes were written. */
static uint64_t append(gs_segment_size *sizes, size_t *count, uint64_t bytes)
{
    size_t from, to;
    uint64_t written = bytes;
    sizes[(*count)++] = (gs_segment_size){.bytes = bytes, .documents = 1};
    while (gs_merge_policy_pick(sizes, *count, &from, &to)) {
        uint64_t all = 0;
        REQUIRE(from < to && to == *count);
        for (size_t i = from; i < to; i++)
            all += sizes[i].bytes;
        sizes[from].bytes = all;
        *count = from + 1;
        written += all;
    }
    return written;
}

static void has_bounds(uint64_t *state, unsigned bits)
{
    gs_segment_size sizes[SEGMENTS_MAX];
    size_t count = 0;
    uint64_t all = 0, written = 0;
    for (unsigned i = 0; i < check_often(APPENDS); i++) {
        const uint64_t bytes = 1 + (bits > 0 ? check_random(state) >> (64 - bits) : 0);
        all += bytes;
        written += append(sizes, &count, bytes);
        const unsigned doublings = 64 - (unsigned)__builtin_clzll(all);
        REQUIRE(count <= GS_MERGE_SEGMENTS_MIN + doublings);
        CHECK(written <= all * (1 + doublings));
    }
}

int main(void)
{
    uint64_t state = check_seed(79);
    examples();
    for (unsigned bits = 0; bits <= SIZE_BITS; bits += 4)
        has_bounds(&state, bits);
    return check_result();
}
