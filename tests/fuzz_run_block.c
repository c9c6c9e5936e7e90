/* SPDX-License-Identifier: MIT */
/*
 * Blocks of runs: any bytes are one sound block or an error that names the place, and
 * never more than the room for them; what is written comes back, and no bit of it can
 * change unseen.
 *
 *      how u8 | capacity u16 | the rest
 *
 * How: 0 the rest is a block; 1 the same with a checksum that is right; from 2 on the
 * rest is a payload, stored by the codec how - 2.
 */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "io/run_block.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { HEAD_BYTES = 3, ROOM = 1 << 17 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static gs_run_coder *coder;
static bool was_sound; /* the last block; for test_run_block_seeds */

/* Decodes into exactly so much room; true if the block is sound. */
static bool decode(const uint8_t *from, size_t size, size_t capacity, uint8_t *keep,
                   size_t *raw_bytes, uint32_t *records)
{
    void *room = NULL, *copy = NULL;
    gs_status st = {.code = GS_OK};
    size_t stored = 0;
    REQUIRE(gs_mem_new(&room, capacity + 1, "room", &st) == GS_OK &&
            gs_mem_new(&copy, size + 1, "block", &st) == GS_OK);
    memcpy(copy, from, size);
    const gs_code code = gs_run_block_decode(coder, copy, size, "here", room, capacity,
                                             raw_bytes, records, &stored, &st);
    REQUIRE(code == GS_OK || (code == GS_ERR_FORMAT && strstr(st.msg, "here") != NULL) ||
            code == GS_ERR_NOMEM);
    if (code == GS_OK) {
        REQUIRE(*raw_bytes <= capacity && stored <= size);
        memcpy(keep, room, *raw_bytes);
    }
    gs_mem_free(room);
    gs_mem_free(copy);
    return code == GS_OK;
}

/* The sum that io/run_block.h speaks of, by its words. */
static void put_checksum(uint8_t *block, size_t size)
{
    gs_run_block_header header;
    if (size < sizeof header)
        return;
    memcpy(&header, block, sizeof header);
    size_t stored = header.stored_bytes;
    if (stored > size - sizeof header)
        stored = size - sizeof header;
    const uint64_t seed = XXH3_64bits(block, offsetof(gs_run_block_header, checksum));
    header.checksum = XXH3_64bits_withSeed(block + sizeof header, stored, seed);
    memcpy(block, &header, sizeof header);
}

static void there_and_back(const uint8_t *raw, size_t size, gs_run_codec how, size_t flip)
{
    static uint8_t block[ROOM], summed[ROOM], back[ROOM];
    gs_status st = {.code = GS_OK};
    size_t stored = 0, bytes = 0;
    uint32_t records = 0;
    if (gs_run_block_bound(size) > sizeof block)
        return;
    REQUIRE(gs_run_block_encode(coder, how, raw, size, 7, block, &stored, &st) == GS_OK);
    REQUIRE(stored <= gs_run_block_bound(size));
    memcpy(summed, block, stored);
    put_checksum(summed, stored); /* which is what mode 1 is worth */
    REQUIRE(memcmp(summed, block, stored) == 0);
    REQUIRE(decode(block, stored, size, back, &bytes, &records));
    REQUIRE(bytes == size && records == 7 && memcmp(back, raw, size) == 0);
    REQUIRE(!decode(block, stored - 1, size, back, &bytes, &records));
    REQUIRE(size == 0 || !decode(block, stored, size - 1, back, &bytes, &records));
    flip %= 8 * stored;
    block[flip / 8] ^= (uint8_t)(1U << flip % 8);
    REQUIRE(!decode(block, stored, size, back, &bytes, &records));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t block[ROOM], back[ROOM];
    gs_status st = {.code = GS_OK};
    was_sound = false;
    if (size < HEAD_BYTES || size > ROOM)
        return 0;
    if (coder == NULL)
        REQUIRE(gs_run_coder_new(&coder, &st) == GS_OK);
    const size_t number = (size_t)data[1] | (size_t)data[2] << 8;
    const uint8_t *const rest = data + HEAD_BYTES;
    size -= HEAD_BYTES;
    const unsigned how = data[0] % (2 + GS_RUN_CODEC_COUNT);
    if (how >= 2) {
        there_and_back(rest, size, (gs_run_codec)(how - 2), number);
        return 0;
    }
    size_t raw_bytes;
    uint32_t records;
    memcpy(block, rest, size);
    if (how == 1)
        put_checksum(block, size);
    was_sound = decode(block, size, number, back, &raw_bytes, &records);
    return 0;
}
