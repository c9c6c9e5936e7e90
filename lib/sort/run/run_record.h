/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * run_record: how a record lies in a block of a run.
 *
 *      +--------+---------------+------------+---------+----------------------------+
 *      | shared | key + line    | key bytes  | count   | key | line | eol, but what |
 *      | varint | bytes, varint | varint     | varint  | the record before has too  |
 *      +--------+---------------+------------+---------+----------------------------+
 *                                 keyed only   --count
 *
 * `shared` is the index of the first symbol (lib/sort/run/ovc.h) in which the record's
 * string differs from the one before it, plus 1; 0 if they are equal. The first record of
 * a block has 1: its reader compares it with the last of the block before. So no compare
 * is done twice on the way from the sort to the end of the merge.
 *
 * The symbols before that one, or all of the string if they are equal, are left out: they
 * are in the record before. What follows begins with the symbol that differs:
 *
 *      usr/share/doc/libfoo/README         1   usr/share/doc/libfoo/README
 *      usr/share/doc/libfoo/changelog.gz   4   oo/changelog.gz
 *      usr/share/doc/libfoo/copyright      4   oo/copyright
 *
 * A record that is long is whole, so that a reader needs little room to put one together.
 */
/* clang-format on */
#ifndef GS_LIB_SORT_RUN_RUN_RECORD_H
#define GS_LIB_SORT_RUN_RUN_RECORD_H

#include "lib/sort/record/records.h"
#include "lib/sort/run/ovc.h"

enum {
    GS_RUN_RECORD_HEAD_MAX = 4 * 10, /* what stands before the key takes at most */
    GS_RUN_SHARED_FIRST = 1,         /* of the first record of a block */
    GS_RUN_SHARING_MAX = 4096,       /* a longer record, key and line, is whole */
};

static inline uint8_t *gs_run_put_varint(uint8_t *p, uint64_t x)
{
    while (x >= 0x80) {
        *p++ = (uint8_t)(x | 0x80);
        x >>= 7;
    }
    *p++ = (uint8_t)x;
    return p;
}

static inline const uint8_t *gs_run_get_varint(const uint8_t *p, uint64_t *x)
{
    uint64_t value = *p & 0x7f;
    unsigned shift = 7;
    while (__builtin_expect(*p++ & 0x80, 0)) {
        value |= (uint64_t)(*p & 0x7f) << shift;
        shift += 7;
    }
    *x = value;
    return p;
}

/* Returns where key, line and eol go; `length` counts key and line. */
static inline uint8_t *gs_run_put_head(uint8_t *to, const gs_record_layout *layout,
                                       bool has_counts, uint64_t shared, uint64_t length,
                                       uint64_t key_bytes, uint64_t count)
{
    to = gs_run_put_varint(to, shared);
    to = gs_run_put_varint(to, length);
    if (layout->is_keyed)
        to = gs_run_put_varint(to, key_bytes);
    if (has_counts)
        to = gs_run_put_varint(to, count);
    return to;
}

/* Returns where key, line and eol are. What a record lacks is left as it is. The block's
 * checksum was right, so its numbers are the ones that were written. */
static inline const uint8_t *
gs_run_get_head(const uint8_t *from, const gs_record_layout *layout, bool has_counts,
                uint64_t *shared, uint64_t *length, uint64_t *key_bytes, uint64_t *count)
{
    from = gs_run_get_varint(from, shared);
    from = gs_run_get_varint(from, length);
    if (layout->is_keyed)
        from = gs_run_get_varint(from, key_bytes);
    if (has_counts)
        from = gs_run_get_varint(from, count);
    return from;
}

/* How many of a record's bytes are its string. */
static inline size_t gs_run_string_bytes(const gs_record_layout *layout, size_t length,
                                         size_t key_bytes)
{
    return layout->is_keyed && layout->is_key_only ? key_bytes : length;
}

/* How many bytes of a record are left out. Of records that share nothing, none. */
static inline size_t gs_run_left_out(uint64_t shared, uint64_t length,
                                     size_t string_bytes)
{
    if (shared == GS_RUN_SHARED_FIRST || length > GS_RUN_SHARING_MAX)
        return 0;
    return shared == 0 ? string_bytes : (size_t)(shared - 1) * GS_OVC_SYMBOL_BYTES;
}

#endif
