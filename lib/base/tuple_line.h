/* SPDX-License-Identifier: MIT */
/*
 * tuple_line: the numbers of `term TAB docID [TAB tf]`, and the term that stands for a
 * number; for the reader of the cores (lib/index/text/tuple.h) and, as C that a kernel
 * can call, for tuples that go to a GPU as they are.
 */
#ifndef GS_LIB_BASE_TUPLE_LINE_H
#define GS_LIB_BASE_TUPLE_LINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define GS_TUPLE_BOTH static __host__ __device__ __forceinline__
#else
#define GS_TUPLE_BOTH static inline
#endif

#define GS_TUPLE_DOCS_MAX ((uint64_t)1 << 40) /* docIDs are below, */
#define GS_TUPLE_TFS_MAX  ((uint64_t)1 << 32) /* and frequencies, which are not 0 */

enum {
    GS_TUPLE_PAIR_BYTES = 8,  /* a termID and a docID, the least byte of each first */
    GS_TUPLE_DIGITS_MAX = 10, /* of the term that stands for a termID */
};

typedef enum gs_tuple_fault {
    GS_TUPLE_IS_FINE,
    GS_TUPLE_BAD_DOC,
    GS_TUPLE_BAD_TF,
} gs_tuple_fault;

/* A decimal number below `limit`, without sign or blanks, that takes all up to `end` or a
 * TAB, where it stops; NULL: there is none. */
GS_TUPLE_BOTH const uint8_t *gs_tuple_number(const uint8_t *p, const uint8_t *end,
                                             uint64_t limit, uint64_t *out)
{
    const uint8_t *const begin = p;
    uint64_t value = 0;
    for (; p < end && *p != '\t'; p++) {
        const uint8_t digit = (uint8_t)(*p - '0');
        if (digit > 9)
            return NULL;
        value = value * 10 + digit;
        if (value >= limit)
            return NULL;
    }
    *out = value;
    return p > begin ? p : NULL;
}

/* What is behind the first TAB of a line that ends at `end`, perhaps with a CR. */
GS_TUPLE_BOTH gs_tuple_fault gs_tuple_numbers(const uint8_t *p, const uint8_t *end,
                                              uint64_t *doc, uint32_t *tf)
{
    uint64_t value = 0;
    if (p < end && end[-1] == '\r')
        end--;
    p = gs_tuple_number(p, end, GS_TUPLE_DOCS_MAX, doc);
    *tf = 1;
    if (p == NULL)
        return GS_TUPLE_BAD_DOC;
    if (p == end)
        return GS_TUPLE_IS_FINE;
    p = gs_tuple_number(p + 1, end, GS_TUPLE_TFS_MAX, &value);
    *tf = (uint32_t)value;
    return p == end && value > 0 ? GS_TUPLE_IS_FINE : GS_TUPLE_BAD_TF;
}

/* The term of a termID, in decimal digits; how many they are. */
GS_TUPLE_BOTH uint32_t gs_tuple_digits(uint32_t id, uint8_t digits[GS_TUPLE_DIGITS_MAX])
{
    uint32_t count = 1;
    for (uint32_t left = id; left > 9; left /= 10)
        count++;
    for (uint32_t i = count; i > 0; i--, id /= 10)
        digits[i - 1] = (uint8_t)('0' + id % 10);
    return count;
}

GS_TUPLE_BOTH uint32_t gs_tuple_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
           (uint32_t)p[3] << 24;
}

#endif
