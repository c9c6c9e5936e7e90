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

/* Of each file of the index, as it lies in a seed, the last bytes are not there. */
static void cut_is_seen(const char *name, const uint8_t *data, size_t bytes)
{
    static uint8_t copy[1 << 16];
    REQUIRE(bytes <= sizeof copy);
    const size_t sizes_at = 17, packed = GS_INDEX_SUMS - 1;
    size_t at = HEAD_BYTES;
    for (size_t file = 0; file <= packed; file++) {
        const size_t n = file < packed ? get(data + sizes_at + 2 * file, 2) : bytes - at;
        at += n;
        for (size_t cut = 1; cut <= 64 && cut <= n; cut *= 4) {
            memcpy(copy, data, at - cut);
            memcpy(copy + at - cut, data + at, bytes - at);
            if (file < packed)
                memcpy(copy + sizes_at + 2 * file, &(uint16_t){(uint16_t)(n - cut)}, 2);
            (void)LLVMFuzzerTestOneInput(copy, bytes - cut);
            if (was_good)
                fprintf(stderr, "%s: good without the last %zu bytes of file %zu\n", name,
                        cut, file);
            CHECK(!was_good);
        }
    }
}

int main(int argc, char **argv)
{
    REQUIRE(LLVMFuzzerInitialize(&argc, &argv) == 0);
    seed_files_walk("fuzz_index", is_good);
    seed_files_walk("fuzz_index", cut_is_seen);
    /* Positions, names, both kinds, texts, impacts. */
    CHECK(flags_seen == (1 | 2 | 4 | 16 | 32));
    return check_result();
}
