/* SPDX-License-Identifier: MIT */
/*
 * term_prefix: what the dictionary's array of prefixes holds of a term.
 */
#ifndef GS_LIB_INDEX_FORMAT_TERM_PREFIX_H
#define GS_LIB_INDEX_FORMAT_TERM_PREFIX_H

#include <stddef.h>
#include <stdint.h>

/* The first eight bytes as a number that compares like them. */
static inline uint64_t gs_term_prefix(const uint8_t *term, size_t bytes)
{
    uint64_t prefix = 0;
    for (size_t i = 0; i < 8; i++)
        prefix = prefix << 8 | (i < bytes ? term[i] : 0);
    return prefix;
}

#endif
