/* SPDX-License-Identifier: MIT */
/* run_block: what is stored comes back, and any damage is found, not merged. */
#include "io/run_block.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { RAW_MAX = 70000 };

static uint8_t raw[RAW_MAX], back[RAW_MAX], stored[2 * RAW_MAX];

/* What gets smaller is stored by this codec, what does not as it is. */
static void round_trip(gs_run_coder *coder, gs_run_codec how, size_t n, gs_run_codec by)
{
    gs_status st = {.code = GS_OK};
    size_t bytes = 0, got = 0, used = 0;
    uint32_t records = 0;
    REQUIRE_OK(gs_run_block_encode(coder, how, raw, n, 17, stored, &bytes, &st), &st);
    CHECK(bytes <= gs_run_block_bound(n));
    CHECK(stored[offsetof(gs_run_block_header, codec)] == by);
    REQUIRE_OK(gs_run_block_decode(coder, stored, sizeof stored, "here", back, RAW_MAX,
                                   &got, &records, &used, &st),
               &st);
    CHECK(got == n && used == bytes && records == 17 && memcmp(raw, back, n) == 0);
}

/* Every byte of header and payload matters. */
static void damage_is_found(gs_run_coder *coder, gs_run_codec how, size_t n)
{
    gs_status st = {.code = GS_OK};
    size_t bytes = 0, got, used;
    uint32_t records;
    REQUIRE_OK(gs_run_block_encode(coder, how, raw, n, 3, stored, &bytes, &st), &st);
    for (size_t i = 0; i < bytes; i++) {
        stored[i] ^= 0x10;
        CHECK(gs_run_block_decode(coder, stored, bytes, "here", back, RAW_MAX, &got,
                                  &records, &used, &st) == GS_ERR_FORMAT);
        CHECK(strstr(st.msg, "here") != NULL && st.hint != NULL);
        gs_status_clear(&st);
        stored[i] ^= 0x10;
    }
    for (size_t cut = 0; cut < bytes; cut += 1 + cut / 7) {
        CHECK(gs_run_block_decode(coder, stored, cut, "here", back, RAW_MAX, &got,
                                  &records, &used, &st) == GS_ERR_FORMAT);
        gs_status_clear(&st);
    }
    CHECK(gs_run_block_decode(coder, stored, bytes, "here", back, n - 1, &got, &records,
                              &used, &st) == GS_ERR_FORMAT);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    gs_run_coder *coder = NULL;
    REQUIRE_OK(gs_run_coder_new(&coder, &st), &st);
    uint64_t state = check_seed(3);
    for (unsigned compressible = 0; compressible < 2; compressible++) {
        for (size_t i = 0; i < RAW_MAX; i++)
            raw[i] = (uint8_t)(compressible ? i % 8 : check_random(&state));
        for (unsigned how = 0; how < GS_RUN_CODEC_COUNT; how++) {
            CHECK(gs_run_codec_named(gs_run_codec_name((gs_run_codec)how)) == how);
            round_trip(coder, (gs_run_codec)how, 0, GS_RUN_CODEC_RAW);
            round_trip(coder, (gs_run_codec)how, 1, GS_RUN_CODEC_RAW);
            round_trip(coder, (gs_run_codec)how, RAW_MAX,
                       compressible ? (gs_run_codec)how : GS_RUN_CODEC_RAW);
            damage_is_found(coder, (gs_run_codec)how, 300);
            for (unsigned bits = 1; bits <= 32; bits++) {
                const size_t most = (size_t)(((uint64_t)1 << bits) - 1);
                CHECK(gs_run_codec_bound((gs_run_codec)how, most) >= most);
            }
        }
    }
    gs_run_coder_free(coder);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
