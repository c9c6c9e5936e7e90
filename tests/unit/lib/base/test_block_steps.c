/* SPDX-License-Identifier: MIT */
/*
 * block_steps: a thread of a GPU must make the bytes that the cores write, of any
 * postings: docIDs close together and far apart, from 0 and up to the last of 32 bits,
 * bits and packed numbers with and without exceptions, frequencies of one and of
 * thousands, positions that do not fill their last block of numbers. A plugin of before
 * would make the bytes of before: a sum of them stands beside the number that tells it.
 */
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "gpu/plugin/gpu_calls.h"
#include "lib/base/block_steps.h"
#include "lib/index/format/formats.h"
#include "tests/check.h"

enum { ROUNDS = 3000, TOKENS_ROOM = GS_STEP_TOKENS_MAX + (1 << 12), GUARD = 32 };

static uint64_t state;
static uint32_t documents[GS_STEP_POSTINGS], starts[GS_STEP_POSTINGS + 1];
static uint32_t positions[2 * TOKENS_ROOM];

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* Small, with a large one now and then. */
static uint32_t skewed(uint32_t small, uint32_t large)
{
    return (uint32_t)(below(40) == 0 ? below((uint64_t)large + 1)
                                     : below((uint64_t)small + 1));
}

/* Of a term that comes in every second document. */
static uint32_t run_of_misses(void)
{
    uint32_t run = 0;
    while (below(2) == 0)
        run++;
    return run;
}

static gs_step_block make_block(bool has_positions)
{
    const bool is_dense = below(4) == 0;
    const uint32_t gap = UINT32_C(1) << below(20), far = gap << below(6);
    const uint32_t tf = (uint32_t)below(4), many = (uint32_t)below(200);
    uint32_t next = (uint32_t)below(3) == 0 ? 0 : (uint32_t)below(UINT32_C(1) << 31);
    gs_step_block b = {documents, starts, has_positions ? positions : NULL, next};
    starts[0] = (uint32_t)below(TOKENS_ROOM / 2);
    for (unsigned i = 0; i < GS_STEP_POSTINGS; i++) {
        documents[i] = next + (is_dense ? run_of_misses() : skewed(gap - 1, far - 1));
        next = documents[i] + 1;
        starts[i + 1] = starts[i] + 1 + skewed(tf, many);
        uint32_t position = 0;
        for (uint32_t t = starts[i]; t < starts[i + 1]; t++) {
            positions[t] = position + skewed(60, 1 << 20);
            position = positions[t] + 1;
        }
    }
    if (below(50) == 0)
        documents[GS_STEP_POSTINGS - 1] = UINT32_MAX;
    return b;
}

/* As a part of an index has them. */
static size_t put_places(uint8_t *to, const gs_step_block *b)
{
    uint64_t numbers[GS_NUMBERS_MAX];
    size_t count = 0;
    uint8_t *end = to;
    for (unsigned i = 0; i < GS_STEP_POSTINGS; i++) {
        for (uint32_t t = starts[i]; t < starts[i + 1]; t++) {
            numbers[count++] =
                t == starts[i] ? positions[t] : positions[t] - positions[t - 1] - 1;
            if (count == GS_NUMBERS_MAX) {
                end = gs_numbers_put(end, numbers, count);
                count = 0;
            }
        }
    }
    return b->positions == NULL ? 0 : (size_t)(gs_numbers_put(end, numbers, count) - to);
}

static size_t put_by_cores(uint8_t *to, const gs_step_block *b)
{
    uint64_t docs[GS_INDEX_BLOCK], numbers[GS_INDEX_BLOCK], tfs[GS_INDEX_BLOCK];
    uint64_t next = b->least;
    for (unsigned i = 0; i < GS_INDEX_BLOCK; i++) {
        docs[i] = documents[i];
        numbers[i] = docs[i] - next;
        tfs[i] = starts[i + 1] - starts[i] - 1;
        next = docs[i] + 1;
    }
    uint8_t *const end = gs_block_put(to, b->least, docs, numbers, tfs);
    return (size_t)(end - to) + put_places(end, b);
}

static void bytes_are_those_of_the_cores(void)
{
    static uint8_t want[8 * TOKENS_ROOM], got[8 * TOKENS_ROOM];
    unsigned bits = 0, packed = 0, partial = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const gs_step_block b = make_block(round % 2 != 0);
        const size_t bytes = put_by_cores(want, &b);
        REQUIRE(starts[GS_STEP_POSTINGS] - starts[0] <= GS_STEP_TOKENS_MAX);
        CHECK(gs_step_block_bytes(&b, UINT32_MAX) == bytes);
        CHECK(gs_step_block_bytes(&b, (uint32_t)bytes) == bytes);
        CHECK(gs_step_block_bytes(&b, (uint32_t)bytes - 1) == 0);
        memset(got, 0xee, bytes + GUARD);
        gs_step_block_put(&b, got);
        CHECK(memcmp(want, got, bytes) == 0);
        for (size_t i = bytes; i < bytes + GUARD; i++)
            CHECK(got[i] == 0xee);
        bits += want[0] == GS_STEP_HEAD_IS_BITS;
        packed += (want[0] & GS_NUMBERS_HAVE_EXCEPTIONS) != 0;
        partial +=
            (starts[GS_STEP_POSTINGS] - starts[0]) % GS_NUMBERS_MAX < GS_NUMBERS_FEW;
    }
    CHECK(bits > ROUNDS / 50 && packed > ROUNDS / 50 && partial > ROUNDS / 50);
}

#define MADE_FOR_KERNELS 1 /* GS_GPU_KERNELS, which make the bytes of this sum */
#define SUM_OF_BYTES     0xdfd834915047380d

_Static_assert(GS_GPU_KERNELS == MADE_FOR_KERNELS,
               "the sum is of what kernels make, whose number goes up with it");

static void bytes_are_those_of_before(void)
{
    static uint8_t block[8 * TOKENS_ROOM];
    XXH3_state_t *const all = XXH3_createState();
    REQUIRE(all != NULL && XXH3_64bits_reset(all) == XXH_OK);
    state = 7;
    for (unsigned round = 0; round < 500; round++) {
        const gs_step_block b = make_block(round % 2 != 0);
        const size_t bytes = gs_step_block_bytes(&b, UINT32_MAX);
        gs_step_block_put(&b, block);
        CHECK(XXH3_64bits_update(all, block, bytes) == XXH_OK);
    }
    const uint64_t sum = XXH3_64bits_digest(all);
    if (sum != SUM_OF_BYTES)
        fprintf(stderr,
                "posting blocks: 0x%016llx, other bytes than before: GS_GPU_KERNELS "
                "(gpu/plugin/gpu_calls.h) goes up, and this stands here\n",
                (unsigned long long)sum);
    CHECK(sum == SUM_OF_BYTES);
    XXH3_freeState(all);
}

/* A thread that took so long would have all others wait. */
static void very_many_tokens_are_left_to_the_cores(void)
{
    gs_step_block b = make_block(true);
    starts[GS_STEP_POSTINGS] = starts[0] + GS_STEP_TOKENS_MAX + 1;
    CHECK(gs_step_block_bytes(&b, UINT32_MAX) == 0);
}

int main(void)
{
    state = check_seed(47);
    bytes_are_those_of_the_cores();
    bytes_are_those_of_before();
    very_many_tokens_are_left_to_the_cores();
    return check_result();
}
