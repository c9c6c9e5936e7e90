/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * text_view: the records of a chunk as strings, read word by word on the device.
 *
 *      starts      | 0 | 17 | 43 | ...          n + 1 of them; none for records of one size
 *      text        line 0 eol line 1 eol line 2 eol ...
 *      key_starts  | 0 | 9 | 21 | ...           only with keys
 *      keys        key 0 key 1 key 2 ...
 *
 * The string of a record is its key and then, unless the key is all, its line. The memory
 * of text and keys may be read GS_TEXT_SLACK bytes beyond what is used.
 *
 * A view may be of some records only: those of `rows`, or from first_row on. They are
 * numbered from 0 in the view, and so are their keys.
 */
/* clang-format on */
#ifndef GS_GPU_TEXT_VIEW_CUH
#define GS_GPU_TEXT_VIEW_CUH

#include <stdint.h>

enum { GS_TEXT_SLACK = 64 };

struct gs_text_view {
    const uint8_t *text;
    const uint64_t *starts; /* NULL: fixed-size records */
    const uint8_t *keys;
    const uint64_t *key_starts; /* NULL: no keys */
    const uint32_t *rows;       /* NULL: from first_row on */
    uint64_t first_row;
    uint64_t record_size;
    bool is_key_only, is_backwards, has_eol;
};

/* A record as it was found: two pieces that are one string. */
struct gs_text_string {
    const uint8_t *key, *line;
    uint64_t key_bytes, line_bytes;
    bool is_key_only;

    __device__ __forceinline__ uint64_t bytes() const
    {
        return key_bytes + (is_key_only ? 0 : line_bytes);
    }
};

__device__ __forceinline__ gs_text_string gs_text_at(const gs_text_view &v, uint64_t i)
{
    const uint64_t row = v.rows != nullptr ? v.rows[i] : v.first_row + i;
    gs_text_string s;
    if (v.starts != nullptr) {
        const uint64_t begin = v.starts[row];
        s.line = v.text + begin;
        s.line_bytes = v.starts[row + 1] - begin - 1;
    } else {
        s.line = v.text + row * v.record_size;
        s.line_bytes = v.record_size;
    }
    s.key = nullptr;
    s.key_bytes = 0;
    s.is_key_only = v.is_key_only;
    if (v.key_starts != nullptr) {
        const uint64_t begin = v.key_starts[i];
        s.key = v.keys + begin;
        s.key_bytes = v.key_starts[i + 1] - begin;
    }
    return s;
}

/* Eight bytes at p as a big-endian number, of which `left` are there and the rest 0. */
__device__ __forceinline__ uint64_t gs_text_load(const uint8_t *p, uint64_t left)
{
    if (left == 0)
        return 0;
    const uint64_t at = (uint64_t)p;
    const uint64_t *const aligned = (const uint64_t *)(at & ~(uint64_t)7);
    const unsigned shift = (unsigned)(at & 7) * 8;
    uint64_t word = aligned[0] >> shift;
    if (shift != 0)
        word |= aligned[1] << (64 - shift);
    const uint32_t low = (uint32_t)word, high = (uint32_t)(word >> 32);
    word = (uint64_t)__byte_perm(low, 0, 0x0123) << 32 | __byte_perm(high, 0, 0x0123);
    return left >= 8 ? word : word & ~(UINT64_MAX >> (8 * left));
}

/* Eight bytes of the string from `depth` on, 0 beyond its end. */
__device__ __forceinline__ uint64_t gs_text_word(const gs_text_string &s, uint64_t depth)
{
    uint64_t word = 0, in_key = 0;
    if (depth < s.key_bytes) {
        in_key = s.key_bytes - depth;
        word = gs_text_load(s.key + depth, in_key);
        if (in_key >= 8 || s.is_key_only)
            return word;
        depth = s.key_bytes;
    } else if (s.is_key_only) {
        return 0;
    }
    const uint64_t at = depth - s.key_bytes;
    if (at >= s.line_bytes)
        return word;
    return word | gs_text_load(s.line + at, s.line_bytes - at) >> (8 * in_key);
}

/* The order of two strings that are the same before `depth`: < 0, 0 or > 0. */
__device__ __forceinline__ int gs_text_compare(const gs_text_string &a,
                                               const gs_text_string &b, uint64_t depth)
{
    const uint64_t a_bytes = a.bytes(), b_bytes = b.bytes();
    const uint64_t common = a_bytes < b_bytes ? a_bytes : b_bytes;
    for (uint64_t at = depth; at < common; at += 8) {
        const uint64_t x = gs_text_word(a, at), y = gs_text_word(b, at);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return a_bytes < b_bytes ? -1 : a_bytes > b_bytes;
}

/* How many bytes two strings share from `depth` on, at most `limit`. */
__device__ __forceinline__ uint32_t gs_text_shared(const gs_text_string &a,
                                                   const gs_text_string &b,
                                                   uint64_t depth, uint32_t limit)
{
    const uint64_t a_bytes = a.bytes(), b_bytes = b.bytes();
    const uint64_t common = a_bytes < b_bytes ? a_bytes : b_bytes;
    if (depth >= common)
        return 0;
    const uint64_t most = common - depth < limit ? common - depth : limit;
    for (uint64_t at = 0; at < most; at += 8) {
        const uint64_t d = gs_text_word(a, depth + at) ^ gs_text_word(b, depth + at);
        if (d != 0) {
            const uint64_t same = at + (uint64_t)(__clzll((long long)d) / 8);
            return (uint32_t)(same < most ? same : most);
        }
    }
    return (uint32_t)most;
}

#endif
