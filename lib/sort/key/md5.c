/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/md5.h"

#include <string.h>

enum { BLOCK_BYTES = 64, LENGTH_BYTES = 8, ROUNDS = 64 };

typedef struct gs_md5 {
    uint32_t state[4];
    uint64_t bytes;
    uint8_t block[BLOCK_BYTES];
} gs_md5;

/* floor(2^32 * |sin(i + 1)|), the RFC's table. */
static const uint32_t sines[ROUNDS] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
    0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
    0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
    0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
    0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
    0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391,
};

static const uint8_t turns[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t word_at(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

static void add_block(gs_md5 *m, const uint8_t *block)
{
    uint32_t a = m->state[0], b = m->state[1], c = m->state[2], d = m->state[3];
    for (unsigned i = 0; i < ROUNDS; i++) {
        uint32_t f;
        unsigned k;
        switch (i / 16) {
        case 0:
            f = (b & c) | (~b & d);
            k = i;
            break;
        case 1:
            f = (d & b) | (~d & c);
            k = (5 * i + 1) % 16;
            break;
        case 2:
            f = b ^ c ^ d;
            k = (3 * i + 5) % 16;
            break;
        default: f = c ^ (b | ~d); k = (7 * i) % 16;
        }
        const uint32_t x = a + f + sines[i] + word_at(block + 4 * k);
        const unsigned turn = turns[i / 16][i % 4];
        a = d;
        d = c;
        c = b;
        b += x << turn | x >> (32 - turn);
    }
    m->state[0] += a;
    m->state[1] += b;
    m->state[2] += c;
    m->state[3] += d;
}

static void add(gs_md5 *m, const uint8_t *data, size_t bytes)
{
    while (bytes > 0) {
        const size_t at = (size_t)(m->bytes % BLOCK_BYTES);
        const size_t n = bytes < BLOCK_BYTES - at ? bytes : BLOCK_BYTES - at;
        memcpy(m->block + at, data, n);
        m->bytes += n;
        data += n;
        bytes -= n;
        if (at + n == BLOCK_BYTES)
            add_block(m, m->block);
    }
}

void gs_md5_of_two(const uint8_t *first, size_t first_bytes, const uint8_t *second,
                   size_t second_bytes, uint8_t digest[GS_MD5_BYTES])
{
    static const uint8_t padding[BLOCK_BYTES] = {0x80};
    gs_md5 m = {.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    add(&m, first, first_bytes);
    add(&m, second, second_bytes);
    const uint64_t bits = 8 * m.bytes;
    const size_t used = (size_t)(m.bytes % BLOCK_BYTES);
    const size_t last = BLOCK_BYTES - LENGTH_BYTES;
    add(&m, padding, used < last ? last - used : last + BLOCK_BYTES - used);
    uint8_t length[LENGTH_BYTES];
    for (unsigned i = 0; i < LENGTH_BYTES; i++)
        length[i] = (uint8_t)(bits >> (8 * i));
    add(&m, length, LENGTH_BYTES);
    for (unsigned i = 0; i < GS_MD5_BYTES; i++)
        digest[i] = (uint8_t)(m.state[i / 4] >> (8 * (i % 4)));
}
