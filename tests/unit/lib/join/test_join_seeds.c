/* SPDX-License-Identifier: MIT */
/*
 * The seeds of fuzz_join: a way to be partners without one is hardly ever found by
 * chance, with partners even less. Each way has a seed whose lines are partners, some of
 * them and not all; and every seed passes, also where nothing is fuzzed.
 */
#include "tests/fuzz_join.c"

#include "tests/check.h"
#include "tests/seed_files.h"

static size_t good_seeds[GS_JOIN_PARTNERS_COUNT];

static void look_at_seed(const char *name, const uint8_t *data, size_t bytes)
{
    static line lines[GS_JOIN_SIDES][LINES_MAX];
    gs_join_item items[2];
    gs_join_options o = {0};
    size_t counts[GS_JOIN_SIDES], pairs = 0;
    side_text sides[GS_JOIN_SIDES];
    if (bytes < HEAD_BYTES)
        fprintf(stderr, "tests/fuzz_seeds/fuzz_join/%s is too short\n", name);
    REQUIRE(bytes >= HEAD_BYTES);
    CHECK(LLVMFuzzerTestOneInput(data, bytes) == 0);
    choose(&o, data, items);
    cut_sides(data, bytes, sides);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        counts[s] = cut_lines(&sides[s], &o, (gs_join_side)s, lines[s]);
    for (size_t i = 0; i < counts[GS_JOIN_LEFT]; i++) {
        for (size_t k = 0; k < counts[GS_JOIN_RIGHT]; k++)
            pairs += are_partners(&o, &lines[GS_JOIN_LEFT][i], &lines[GS_JOIN_RIGHT][k]);
    }
    if (pairs > 0 && pairs < counts[GS_JOIN_LEFT] * counts[GS_JOIN_RIGHT])
        good_seeds[o.match]++;
}

int main(void)
{
    seed_files_walk("fuzz_join", look_at_seed);
    for (int match = 0; match < GS_JOIN_PARTNERS_COUNT; match++) {
        if (good_seeds[match] == 0)
            fprintf(stderr,
                    "tests/fuzz_seeds/fuzz_join: none that has partners by way %d\n",
                    match);
        CHECK(good_seeds[match] > 0);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
