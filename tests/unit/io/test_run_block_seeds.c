/* SPDX-License-Identifier: MIT */
/*
 * The seeds of fuzz_run_block that are blocks are good ones, of the version as it is now,
 * and there is one of every codec. Of another version they would be refused at once, and
 * the fuzzer would see no payload but by chance.
 */
#include "tests/fuzz_run_block.c"
#include "tests/seed_files.h"

static size_t good_seeds[GS_RUN_CODEC_COUNT];

static void look_at(const char *name, const uint8_t *data, size_t bytes)
{
    (void)LLVMFuzzerTestOneInput(data, bytes);
    if (bytes == 0 || data[0] >= 2) /* a payload */
        return;
    if (!was_sound)
        fprintf(stderr,
                "tests/fuzz_seeds/fuzz_run_block/%s is no good block: its version, now "
                "%d, is in bytes %zu and %zu; its sum is put right if the first byte is "
                "1\n",
                name, GS_RUN_BLOCK_VERSION,
                HEAD_BYTES + offsetof(gs_run_block_header, version),
                HEAD_BYTES + offsetof(gs_run_block_header, version) + 1);
    CHECK(was_sound);
    if (was_sound)
        good_seeds[data[HEAD_BYTES + offsetof(gs_run_block_header, codec)]]++;
}

int main(void)
{
    seed_files_walk("fuzz_run_block", look_at);
    for (unsigned codec = 0; codec < GS_RUN_CODEC_COUNT; codec++) {
        if (good_seeds[codec] == 0)
            fprintf(stderr, "tests/fuzz_seeds/fuzz_run_block: no block by %s\n",
                    gs_run_codec_name((gs_run_codec)codec));
        CHECK(good_seeds[codec] > 0);
    }
    gs_run_coder_free(coder);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
