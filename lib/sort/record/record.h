/* SPDX-License-Identifier: MIT */
/*
 * record: how a record lies in memory, and the string that orders it.
 *
 *      plain           line ... eol
 *      keyed           u32 key length | key | line ... eol
 *      key only        u32 line length | key | line ... eol
 *      each, long      u64 string length | as above, but u64   (length field 0xFFFFFF)
 *
 * The string that orders a record is key + line when there is a last resort and the key
 * alone when not (-s, -u); keys are prefix-free, so plain memcmp of these strings is the
 * whole comparison. A plain record's string is its line. Backwards orders compare the
 * same strings the other way round.
 *
 * `where` packs the offset into the arena (40 bits) and the length of the string (24
 * bits, all ones: the true length is stored in front), so that the length is known
 * without a look at the arena. Fixed-size records have no end-of-line byte. Keys of a
 * line may together be longer than 4 GiB, but the line is not: see gs_record_head_bytes.
 */
#ifndef GS_LIB_SORT_RECORD_RECORD_H
#define GS_LIB_SORT_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct gs_record_layout {
    bool is_keyed;
    bool is_key_only; /* the string is the key: no last resort */
    bool is_backwards;
    bool has_eol;
    uint8_t eol;
} gs_record_layout;

typedef struct gs_record {
    const uint8_t *string;
    size_t string_bytes;
    const uint8_t *line;
    size_t line_bytes; /* without the end-of-line byte, which follows */
} gs_record;

enum {
    GS_WHERE_LENGTH_BITS = 24,
    GS_WHERE_OFFSET_BITS = 64 - GS_WHERE_LENGTH_BITS,
    GS_WHERE_LENGTH_LONG = (1 << GS_WHERE_LENGTH_BITS) - 1,
    GS_RECORD_LONG_BYTES = 8,
    GS_RECORD_HEAD_BYTES = 4, /* the u32 of keyed records */
    GS_RECORD_LONG_HEAD_BYTES = 8,
};

/* No arena is larger: this is what offsets reach. The maker of an arena sees to it, so
 * that no record has to be looked at for it. */
static const size_t gs_arena_bytes_max = (size_t)1 << GS_WHERE_OFFSET_BITS;

static inline uint64_t gs_where_pack(uint64_t offset, size_t length)
{
    const uint64_t field = length < GS_WHERE_LENGTH_LONG ? length : GS_WHERE_LENGTH_LONG;
    return offset << GS_WHERE_LENGTH_BITS | field;
}

static inline uint64_t gs_where_offset(uint64_t where)
{
    return where >> GS_WHERE_LENGTH_BITS;
}

/* What stands before a record's string. Strings that are not long have shorter keys;
 * lines by themselves are shorter than 4 GiB (gs_memory_plan's record_bytes_max). */
static inline size_t gs_record_head_bytes(const gs_record_layout *layout,
                                          size_t string_bytes)
{
    const bool is_long = __builtin_expect(string_bytes >= GS_WHERE_LENGTH_LONG, 0);
    if (!layout->is_keyed)
        return is_long ? GS_RECORD_LONG_BYTES : 0;
    return is_long ? GS_RECORD_LONG_BYTES + GS_RECORD_LONG_HEAD_BYTES
                   : GS_RECORD_HEAD_BYTES;
}

/* Writes that; `head` is the length of the key, or of the line if the key is all of the
 * string. */
static inline void gs_record_put_head(const gs_record_layout *layout, uint8_t *record,
                                      uint64_t string_bytes, uint64_t head)
{
    if (__builtin_expect(string_bytes >= GS_WHERE_LENGTH_LONG, 0)) {
        memcpy(record, &string_bytes, sizeof string_bytes);
        if (layout->is_keyed)
            memcpy(record + GS_RECORD_LONG_BYTES, &head, sizeof head);
    } else if (layout->is_keyed) {
        const uint32_t short_head = (uint32_t)head;
        memcpy(record, &short_head, sizeof short_head);
    }
}

/* A record that is looked at soon: its first 64 bytes, which lie in two lines of the
 * cache most often. */
static inline void gs_record_prefetch(const uint8_t *arena, uint64_t where)
{
    const uint8_t *const record = arena + gs_where_offset(where);
    __builtin_prefetch(record);
    __builtin_prefetch(record + 63);
}

/* The record as a view into the arena. */
static inline gs_record gs_record_at(const gs_record_layout *layout, const uint8_t *arena,
                                     uint64_t where)
{
    const uint8_t *p = arena + gs_where_offset(where);
    uint64_t length = where & GS_WHERE_LENGTH_LONG;
    if (__builtin_expect(length == GS_WHERE_LENGTH_LONG, 0)) {
        memcpy(&length, p, sizeof length);
        p += GS_RECORD_LONG_BYTES;
        if (!layout->is_keyed)
            return (gs_record){p, length, p, length};
        uint64_t head;
        memcpy(&head, p, sizeof head);
        p += GS_RECORD_LONG_HEAD_BYTES;
        if (layout->is_key_only)
            return (gs_record){p, length, p + length, head};
        return (gs_record){p, length, p + head, length - head};
    }
    if (!layout->is_keyed)
        return (gs_record){p, length, p, length};
    uint32_t head;
    memcpy(&head, p, sizeof head);
    p += GS_RECORD_HEAD_BYTES;
    if (layout->is_key_only)
        return (gs_record){p, length, p + length, head};
    return (gs_record){p, length, p + head, length - head};
}

/* Eight bytes of a string from `depth` on as a big-endian number, zero-padded. May read
 * seven bytes past the end. */
static inline uint64_t gs_string_word(const uint8_t *string, size_t bytes, size_t depth)
{
    if (depth >= bytes)
        return 0;
    uint64_t word;
    memcpy(&word, string + depth, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    const size_t left = bytes - depth;
    return left >= 8 ? word : word & ~(UINT64_MAX >> (8 * left));
}

/* Eight bytes as they lie in memory, of which `left` belong to a string, as such a
 * number; 0 if none does. */
static inline uint64_t gs_word_cut(uint64_t word, int left)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    const unsigned others = left >= 8 ? 0 : left <= 0 ? 8 : 8 - (unsigned)left;
    return others == 8 ? 0 : word >> 8 * others << 8 * others;
}

/* Order of two strings that agree in their first `depth` bytes. */
static inline int gs_string_compare(const uint8_t *a, size_t a_bytes, const uint8_t *b,
                                    size_t b_bytes, size_t depth)
{
    const size_t common = a_bytes < b_bytes ? a_bytes : b_bytes;
    if (depth < common) {
        const int d = memcmp(a + depth, b + depth, common - depth);
        if (d != 0)
            return d;
    }
    return (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

#endif
