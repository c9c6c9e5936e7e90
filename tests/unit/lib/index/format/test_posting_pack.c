/* SPDX-License-Identifier: MIT */
/*
 * posting_pack: an index must have the same bytes on every machine, so writing is held
 * against a packer of single bits, and every way of reading against what was written:
 * each width, each alignment, up to the last byte that may be read.
 */
#include "lib/index/format/posting_pack.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/check.h"

enum { ROUNDS = 200, BYTES_MAX = GS_PACK_BITS_MAX * GS_PACK_COUNT / 8, GUARD = 8 };

static uint64_t state;

/* Numbers of at most `bits` bits, one of which has as many: all random, few large ones
 * among small ones, all alike, or only the largest. */
static void make_numbers(uint64_t *numbers, unsigned bits, unsigned kind)
{
    const uint64_t most = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < GS_PACK_COUNT; i++) {
        const uint64_t random = check_random(&state);
        const uint64_t choices[] = {random & most, random % 16 ? most & 1 : most, most,
                                    0};
        numbers[i] = choices[kind % 4];
    }
    if (bits > 0)
        numbers[check_random(&state) % GS_PACK_COUNT] |= UINT64_C(1) << (bits - 1);
}

/* Bit by bit, low ones first. */
static void pack_bits(uint8_t *to, const uint64_t *numbers, unsigned bits)
{
    memset(to, 0, gs_pack_bytes(bits));
    for (size_t at = 0; at < (size_t)bits * GS_PACK_COUNT; at++) {
        const unsigned bit = numbers[at / bits] >> (at % bits) & 1;
        to[at / 8] |= (uint8_t)(bit << (at % 8));
    }
}

static void bytes_are_those_of_the_format(void)
{
    for (unsigned bits = 0; bits <= GS_PACK_BITS_MAX; bits++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t numbers[GS_PACK_COUNT];
            uint8_t expected[BYTES_MAX], packed[BYTES_MAX + GUARD];
            make_numbers(numbers, bits, round);
            memset(packed, 0x5a, sizeof packed);
            pack_bits(expected, numbers, bits);
            CHECK(gs_pack_put_some(packed, numbers, GS_PACK_COUNT, bits) ==
                  packed + gs_pack_bytes(bits));
            CHECK(memcmp(packed, expected, gs_pack_bytes(bits)) == 0);
            for (size_t i = 0; i < GUARD; i++)
                CHECK(packed[gs_pack_bytes(bits) + i] == 0x5a);
        }
    }
}

/* Packed numbers come back, wherever they lie before memory that cannot be read. */
static void read_back(gs_pack_way way, uint8_t *end)
{
    for (unsigned bits = 0; bits <= GS_PACK_BITS_MAX; bits++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t numbers[GS_PACK_COUNT], got[GS_PACK_COUNT + 1];
            uint8_t *const from = end - GS_PACK_SLACK - gs_pack_bytes(bits) - round % 67;
            make_numbers(numbers, bits, round);
            memset(from, 0xff, (size_t)(end - from)); /* what is beyond must not matter */
            (void)gs_pack_put_some(from, numbers, GS_PACK_COUNT, bits);
            got[GS_PACK_COUNT] = 77;
            gs_pack_get_by(way, from, bits, got);
            CHECK(memcmp(numbers, got, sizeof numbers) == 0);
            CHECK(got[GS_PACK_COUNT] == 77);
        }
    }
}

/* The same of 32 bits each. */
static void read_back_narrow(uint8_t *end)
{
    for (unsigned bits = 0; bits <= GS_PACK_NARROW_BITS_MAX; bits++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint64_t numbers[GS_PACK_COUNT];
            uint32_t got[GS_PACK_COUNT + 1];
            uint8_t *const from = end - GS_PACK_SLACK - gs_pack_bytes(bits) - round % 67;
            make_numbers(numbers, bits, round);
            memset(from, 0xff, (size_t)(end - from));
            (void)gs_pack_put_some(from, numbers, GS_PACK_COUNT, bits);
            got[GS_PACK_COUNT] = 77;
            gs_pack_get_narrow(from, bits, got);
            for (size_t i = 0; i < GS_PACK_COUNT; i++)
                CHECK(got[i] == numbers[i]);
            CHECK(got[GS_PACK_COUNT] == 77);
        }
    }
}

static void numbers_come_back(void)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *const pages =
        mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    REQUIRE(mprotect(pages + 2 * page, page, PROT_NONE) == 0);
    CHECK(gs_pack_has_way(GS_PACK_PLAIN));
    for (gs_pack_way way = GS_PACK_PLAIN; way < GS_PACK_WAY_COUNT; way++) {
        if (gs_pack_has_way(way))
            read_back(way, pages + 2 * page);
    }
    if (gs_pack_has_way(GS_PACK_AVX2))
        read_back_narrow(pages + 2 * page);
    REQUIRE(munmap(pages, 3 * page) == 0);
}

int main(void)
{
    state = check_seed(41);
    bytes_are_those_of_the_format();
    numbers_come_back();
    return check_result();
}
