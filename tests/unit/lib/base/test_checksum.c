/* SPDX-License-Identifier: MIT */
/*
 * checksum: the numbers are the library's, of any length, seed and place, at once or in
 * pieces, whatever the processor has.
 */
#include "lib/base/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "tests/check.h"

enum { BYTES = 300 * 1000, LENGTHS = 3000 };

static uint8_t *text;

static void is_the_librarys(size_t at, size_t bytes, uint64_t seed)
{
    CHECK(gs_checksum(text + at, bytes, seed) ==
          XXH3_64bits_withSeed(text + at, bytes, seed));
    if (seed == 0)
        CHECK(gs_checksum(text + at, bytes, 0) == XXH3_64bits(text + at, bytes));
}

/* A state that both add to in turn is one of theirs, and one of ours. */
static void in_pieces(uint64_t *random, size_t bytes)
{
    XXH3_state_t *const state = XXH3_createState();
    REQUIRE(state != NULL);
    (void)XXH3_64bits_reset(state);
    for (size_t at = 0, n; at < bytes; at += n) {
        n = check_random(random) % 5000;
        n = n < bytes - at ? n : bytes - at;
        if (check_random(random) % 4 == 0)
            (void)XXH3_64bits_update(state, text + at, n);
        else
            gs_checksum_add(state, text + at, n);
    }
    CHECK(XXH3_64bits_digest(state) == XXH3_64bits(text, bytes));
    (void)XXH3_freeState(state);
}

int main(void)
{
    uint64_t random = check_seed(5);
    text = malloc(BYTES);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < BYTES; i++)
        text[i] = (uint8_t)check_random(&random);
    for (size_t bytes = 0; bytes < LENGTHS; bytes++)
        is_the_librarys(bytes % 61, bytes, bytes % 3 == 0 ? 0 : check_random(&random));
    for (int i = 0; i < 200; i++) {
        const size_t bytes = check_random(&random) % BYTES;
        is_the_librarys(0, bytes, i % 2 == 0 ? 0 : check_random(&random));
        in_pieces(&random, bytes);
    }
    free(text);
    return check_result();
}
