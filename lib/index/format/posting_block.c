/* SPDX-License-Identifier: MIT */
#include "lib/index/format/posting_block.h"

#include <endian.h>
#include <string.h>

enum { HEAD_IS_BITS = 0x80, WORD_BITS = 64, WORD_BYTES = 8 };

/* Bits of all but the last docID. */
static uint64_t bit_bytes(uint64_t first, uint64_t last)
{
    return (last - first + 7) / 8;
}

static uint8_t *put_bits(uint8_t *to, uint64_t first, const uint64_t *docs)
{
    const size_t bytes = (size_t)bit_bytes(first, docs[GS_INDEX_BLOCK - 1]);
    *to++ = HEAD_IS_BITS;
    memset(to, 0, bytes);
    for (size_t i = 0; i < GS_INDEX_BLOCK - 1; i++) {
        const uint64_t bit = docs[i] - first;
        to[bit / 8] |= (uint8_t)(1U << (bit % 8));
    }
    return to + bytes;
}

uint8_t *gs_block_put(uint8_t *to, uint64_t first, const uint64_t *docs,
                      const uint64_t *numbers, const uint64_t *tfs_less_one)
{
    const uint64_t bits = bit_bytes(first, docs[GS_INDEX_BLOCK - 1]);
    /* More would not be shorter, however wide the numbers are. */
    if (bits < GS_NUMBERS_BYTES_MAX &&
        1 + (size_t)bits < gs_numbers_bytes(numbers, GS_INDEX_BLOCK))
        to = put_bits(to, first, docs);
    else
        to = gs_numbers_put(to, numbers, GS_INDEX_BLOCK);
    return gs_numbers_put(to, tfs_less_one, GS_INDEX_BLOCK);
}

static bool get_bits(const uint8_t **p, const uint8_t *end, uint64_t first, uint64_t last,
                     uint64_t *docs)
{
    const uint64_t bytes = bit_bytes(first, last);
    size_t n = 0;
    if (bytes > (uint64_t)(end - *p))
        return false;
    for (uint64_t at = 0; at < last - first; at += WORD_BITS) {
        uint64_t word;
        memcpy(&word, *p + at / 8, WORD_BYTES);
        word = le64toh(word);
        if (last - first - at < WORD_BITS)
            word &= (UINT64_C(1) << (last - first - at)) - 1;
        __asm__("" : "+r"(word)); /* is read once, whoever else writes to it */
        if (n + (size_t)__builtin_popcountll(word) >= GS_INDEX_BLOCK)
            return false;
        for (; word != 0; word &= word - 1)
            docs[n++] = first + at + (uint64_t)__builtin_ctzll(word);
    }
    docs[GS_INDEX_BLOCK - 1] = last;
    *p += bytes;
    return n == GS_INDEX_BLOCK - 1;
}

/* Numbers to docIDs, two at a time: a sum waits for the one before only half as often. A
 * number has at most 41 bits and a block 128 of them: no overflow here. */
static void settle(uint64_t first, uint64_t *docs)
{
    for (size_t i = 0; i < GS_INDEX_BLOCK; i += 2) {
        const uint64_t one = docs[i], both = one + docs[i + 1] + 1;
        docs[i] = first + one;
        docs[i + 1] = first + both;
        first += both + 1;
    }
}

bool gs_block_get_docs(const uint8_t **p, const uint8_t *end, uint64_t first,
                       uint64_t last, uint64_t *docs)
{
    if (*p >= end || last < first)
        return false;
    unsigned head = **p;
    __asm__("" : "+r"(head));
    if (head == HEAD_IS_BITS) {
        (*p)++;
        return get_bits(p, end, first, last, docs);
    }
    if (!gs_numbers_get(p, end, GS_INDEX_BLOCK, docs))
        return false;
    settle(first, docs);
    return docs[GS_INDEX_BLOCK - 1] == last;
}
