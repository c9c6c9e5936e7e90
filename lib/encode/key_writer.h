/* SPDX-License-Identifier: MIT */
/*
 * key_writer: counts the bytes of a string, and writes them where there is a place for
 * them. So one function measures and writes.
 */
#ifndef GS_LIB_ENCODE_KEY_WRITER_H
#define GS_LIB_ENCODE_KEY_WRITER_H

#include "lib/encode/key_text.h"

/* How long a string is: a device takes none of more than 32 bits. */
#ifdef __CUDACC__
typedef uint32_t gs_key_size;
#else
typedef size_t gs_key_size;
#endif

typedef struct gs_key_writer {
    uint8_t *to; /* NULL: only count */
    gs_key_size bytes;
    unsigned mask; /* complemented keys: 0xff */
} gs_key_writer;

GS_BOTH void gs_key_put(gs_key_writer *w, unsigned c)
{
    if (w->to)
        w->to[w->bytes] = (uint8_t)(c ^ w->mask);
    w->bytes++;
}

/* The last `bytes` bytes of a number, the highest first. */
GS_BOTH void gs_key_put_u64(uint64_t value, unsigned bytes, gs_key_writer *w)
{
    for (; bytes > 0; bytes--)
        gs_key_put(w, (unsigned)(value >> (8 * (bytes - 1))) & 0xff);
}

#endif
