/* SPDX-License-Identifier: MIT */
#include "lib/index/posting_pack.h"

#include <endian.h>
#include <string.h>

#include "lib/base/assertion.h"

unsigned gs_pack_width(const uint64_t *numbers)
{
    uint64_t all = 0;
    for (size_t i = 0; i < GS_PACK_COUNT; i++)
        all |= numbers[i];
    return all == 0 ? 0 : 64 - (unsigned)__builtin_clzll(all);
}

uint8_t *gs_pack_put(uint8_t *to, const uint64_t *numbers, unsigned bits)
{
    gs_assert(bits <= GS_PACK_BITS_MAX);
    uint64_t word = 0;
    unsigned used = 0;
    for (size_t i = 0; i < GS_PACK_COUNT; i++) {
        word |= numbers[i] << used;
        used += bits;
        if (used >= 64) {
            const uint64_t full = htole64(word);
            memcpy(to, &full, sizeof full);
            to += sizeof full;
            used -= 64;
            word = used > 0 ? numbers[i] >> (bits - used) : 0;
        }
    }
    gs_assert(used == 0); /* 128 numbers fill whole words: two for each bit */
    return to;
}

void gs_pack_get(const uint8_t *from, unsigned bits, uint64_t *numbers)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < GS_PACK_COUNT; i++) {
        const size_t at = i * bits;
        uint64_t word;
        memcpy(&word, from + at / 8, sizeof word);
        numbers[i] = le64toh(word) >> (at % 8) & mask;
    }
}
