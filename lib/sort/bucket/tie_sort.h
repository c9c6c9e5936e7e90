/* SPDX-License-Identifier: MIT */
/*
 * tie_sort: order elements whose prefixes agree by the rest of their strings.
 *
 * A group that agrees in its first `depth + 8` bytes is a segment. Records that end there
 * are settled by length; the others load the next 8 bytes as their new prefix, are sorted
 * by it, and what still ties is a deeper segment (drawn with one word; both words of an
 * element, 16 bytes, are one round where they are there):
 *
 *      depth 0          depth 8                depth 16
 *      "http://w" x5 -> "ww.a.org" x2 -------> "/x", "/y"
 *                       "ww.b.org" x3 -------> "/" (ends), "/a", "/b"
 *
 * Bytes that a whole segment shares are skipped at once, so a long common prefix costs
 * one round and not one for every 8 bytes, and both words of an element are one round
 * (word_pack.h). Small segments are compared directly.
 */
#ifndef GS_LIB_SORT_BUCKET_TIE_SORT_H
#define GS_LIB_SORT_BUCKET_TIE_SORT_H

#include "lib/sort/bucket/element.h"
#include "lib/sort/record/records.h"

/* Sorts elements[0 .. count) by their whole strings, given that all agree in the first
 * `depth` bytes and that the prefixes hold the 8 bytes from `depth` on; with has_next,
 * the next words hold those after them. Stable; `scratch` has room for `count`; one
 * thread. */
void gs_tie_sort(const gs_record_layout *layout, const uint8_t *arena,
                 gs_element *elements, gs_element *scratch, size_t count, size_t depth,
                 bool has_next);

/* How many bytes from `depth` on all the strings share, looking no further than
 * depth + limit. No string is shorter than depth. */
size_t gs_tie_common_bytes(const gs_record_layout *layout, const uint8_t *arena,
                           const gs_element *elements, size_t count, size_t depth,
                           size_t limit);

/* Less than, equal to or greater than 0, as the string of x comes before that of y in the
 * order of the layout; both agree in the first `depth` bytes. */
int gs_tie_compare(const gs_record_layout *layout, const uint8_t *arena,
                   const gs_element *x, const gs_element *y, size_t depth);

enum { GS_TIE_ENDED_MAX = 8 };

/* What is left of an element's string after `depth`, if at most GS_TIE_ENDED_MAX bytes
 * (it ends within its prefix), else GS_TIE_ENDED_MAX + 1. */
static inline size_t gs_tie_left(const gs_record_layout *layout, const uint8_t *arena,
                                 uint64_t where, size_t depth)
{
    size_t bytes = (size_t)(where & GS_WHERE_LENGTH_LONG);
    if (__builtin_expect(bytes == GS_WHERE_LENGTH_LONG, 0))
        bytes = gs_record_at(layout, arena, where).string_bytes;
    const size_t left = bytes > depth ? bytes - depth : 0;
    return left <= GS_TIE_ENDED_MAX ? left : GS_TIE_ENDED_MAX + 1;
}

/* The words of an element, of what its string has from `depth` on. */
static inline void gs_tie_put_words(const gs_record_layout *layout, gs_element *e,
                                    const uint8_t *string, size_t bytes, size_t depth)
{
    const uint64_t flip = layout->is_backwards ? UINT64_MAX : 0;
    e->prefix = gs_string_word(string, bytes, depth) ^ flip;
    e->next = gs_string_word(string, bytes, depth + 8) ^ flip;
}

/* Takes both words of an element from its record's string at `depth`. */
static inline void gs_tie_load(const gs_record_layout *layout, const uint8_t *arena,
                               gs_element *e, size_t depth)
{
    const gs_record r = gs_record_at(layout, arena, e->where);
    gs_tie_put_words(layout, e, r.string, r.string_bytes, depth);
}

#endif
