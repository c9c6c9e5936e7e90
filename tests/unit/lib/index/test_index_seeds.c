/* SPDX-License-Identifier: MIT */
/*
 * The seeds of fuzz_index are good indexes of the format as it is now. Of another format
 * they would be refused at once, and the fuzzer would see nothing behind that; so they
 * are made anew with it.
 */
#include "tests/fuzz_index.c"
#include "tests/seed_files.h"

static unsigned flags_seen;

static void is_good(const char *name, const uint8_t *data, size_t bytes)
{
    (void)LLVMFuzzerTestOneInput(data, bytes);
    flags_seen |= bytes > 0 ? data[0] : 0;
    if (!was_good)
        fprintf(stderr,
                "tests/fuzz_seeds/fuzz_index/%s is no good index: make them anew by "
                "tests/fuzz_seeds/make_index_seeds.py\n",
                name);
    CHECK(was_good);
}

int main(int argc, char **argv)
{
    REQUIRE(LLVMFuzzerInitialize(&argc, &argv) == 0);
    seed_files_walk("fuzz_index", is_good);
    /* Positions, names, both kinds, texts, impacts. */
    CHECK(flags_seen == (1 | 2 | 4 | 16 | 32));
    return check_result();
}
