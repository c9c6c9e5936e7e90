/* SPDX-License-Identifier: MIT */
/*
 * md5: RFC 1321, for -R only, whose order is defined by it. Not for security.
 *
 *     begin, put*, end
 */
#ifndef GS_LIB_ENCODE_MD5_H
#define GS_LIB_ENCODE_MD5_H

#include "lib/encode/key_text.h"

enum { GS_MD5_BYTES = 16, GS_MD5_BLOCK_BYTES = 64, GS_MD5_LENGTH_BYTES = 8 };

typedef struct gs_md5 {
    uint32_t state[4];
    uint32_t words[16]; /* of the block that is not full yet */
    uint64_t bytes;
} gs_md5;

/* Sixteen steps: `mix` of b, c and d, and the word and the turns that step i takes. */
#define GS_MD5_ROUND(first, mix, word, t0, t1, t2, t3)                                   \
    GS_UNROLL_16                                                                         \
    for (unsigned i = (first); i < (first) + 16; i++) {                                  \
        const unsigned turns = i % 4 == 0   ? (t0)                                       \
                               : i % 4 == 1 ? (t1)                                       \
                               : i % 4 == 2 ? (t2)                                       \
                                            : (t3);                                      \
        const uint32_t x = a + (mix) + words[(word) % 16] + sines[i];                    \
        a = d;                                                                           \
        d = c;                                                                           \
        c = b;                                                                           \
        b += x << turns | x >> (32 - turns);                                             \
    }
#if defined __CUDA_ARCH__
#define GS_UNROLL_16 _Pragma("unroll 16")
#elif defined __CUDACC__
#define GS_UNROLL_16  /* the host's half of a source with kernels, which runs none of it \
                       */
#elif defined __clang__
#define GS_UNROLL_16 _Pragma("clang loop unroll(full)")
#else
#define GS_UNROLL_16 _Pragma("GCC unroll 16")
#endif

GS_BOTH_CALLED void gs_md5_block(uint32_t state[4], const uint32_t words[16])
{
    /* floor(2^32 * |sin(i + 1)|), the RFC's table. */
    static const uint32_t sines[64] = {
        0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a,
        0xa8304613, 0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be,
        0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340,
        0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
        0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8,
        0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c,
        0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
        0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
        0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92,
        0xffeff47d, 0x85845dd1, 0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1,
        0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
    };
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    GS_MD5_ROUND(0, (b & c) | (~b & d), i, 7, 12, 17, 22)
    GS_MD5_ROUND(16, (d & b) | (~d & c), 5 * i + 1, 5, 9, 14, 20)
    GS_MD5_ROUND(32, b ^ c ^ d, 3 * i + 5, 4, 11, 16, 23)
    GS_MD5_ROUND(48, c ^ (b | ~d), 7 * i, 6, 10, 15, 21)
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}
#undef GS_MD5_ROUND
#undef GS_UNROLL_16

GS_BOTH void gs_md5_begin(gs_md5 *m)
{
    m->state[0] = 0x67452301;
    m->state[1] = 0xefcdab89;
    m->state[2] = 0x98badcfe;
    m->state[3] = 0x10325476;
    m->bytes = 0;
}

GS_BOTH void gs_md5_put(gs_md5 *m, uint8_t c)
{
    const unsigned at = (unsigned)(m->bytes++ % GS_MD5_BLOCK_BYTES);
    uint32_t *const word = &m->words[at / 4];
    *word = (at % 4 == 0 ? 0 : *word) | (uint32_t)c << (8 * (at % 4));
    if (at == GS_MD5_BLOCK_BYTES - 1)
        gs_md5_block(m->state, m->words);
}

/* Byte i of the digest is byte i % 4 of state[i / 4], the lowest first. */
GS_BOTH void gs_md5_end(gs_md5 *m)
{
    const uint64_t bits = 8 * m->bytes;
    gs_md5_put(m, 0x80);
    while (m->bytes % GS_MD5_BLOCK_BYTES != GS_MD5_BLOCK_BYTES - GS_MD5_LENGTH_BYTES)
        gs_md5_put(m, 0);
    for (unsigned i = 0; i < GS_MD5_LENGTH_BYTES; i++)
        gs_md5_put(m, (uint8_t)(bits >> (8 * i)));
}

GS_BOTH uint8_t gs_md5_byte(const gs_md5 *m, unsigned i)
{
    return (uint8_t)(m->state[i / 4] >> (8 * (i % 4)));
}

#endif
