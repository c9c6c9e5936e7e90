/* SPDX-License-Identifier: MIT */
/*
 * list_view: an index as the steps of list_steps.h see it, in the memory of whoever runs
 * them, and how its bytes are read.
 */
#ifndef GS_GPU_LISTS_LIST_VIEW_H
#define GS_GPU_LISTS_LIST_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/block_steps.h"
#include "lib/base/impact_steps.h"

#ifdef __CUDACC__
#define GS_LIST_BOTH static __host__ __device__ __forceinline__
#else
#define GS_LIST_BOTH static inline
#endif

/* The format's own numbers, which lib/index/lookup/head_device.c compares. */
enum {
    GS_LIST_BLOCK = GS_STEP_POSTINGS,
    GS_LIST_TERMS = 16, /* of a block of the dictionary */
    GS_LIST_TERM_MAX = 65535,
    GS_LIST_LENGTH_BITS = 4, /* of either length of a term, in one byte */
    GS_LIST_LENGTH_MORE = 15,
    GS_LIST_PLACES = 14, /* of blocks, behind the place of the first of them */
    GS_LIST_PLACES_BYTES = 64,
    GS_LIST_SKIP_COUNT_BITS = 3,
    GS_LIST_NUMBER_BITS_MAX = 40,
    GS_LIST_BLOCK_BYTES_MAX = 2 * (1 + GS_LIST_NUMBER_BITS_MAX * GS_LIST_BLOCK / 8),
    GS_LIST_SKIP_BYTES_MAX = 30 + GS_IMPACT_BYTES * GS_IMPACTS_MAX, /* of an entry */
    GS_LIST_WIDTH_MASK = 0x3f,
    GS_LIST_CHUNK_BYTES = 4096, /* of postings, held or not */
    GS_LIST_SLACK = 32,         /* bytes that may be read behind an array's end */
};

#define GS_LIST_NO_SLOT UINT32_MAX
#define GS_LIST_REFUSED UINT32_MAX /* instead of how many documents have a term */

/* An index, in the memory of whoever runs the steps. */
typedef struct gs_list_view {
    const uint64_t *prefixes; /* of the first terms of the blocks of the dictionary */
    uint64_t block_count, term_count;
    const uint8_t *terms;    /* the dictionary as it is stored, */
    uint64_t terms_bytes;    /* which ends there, */
    uint64_t places;         /* and where it has the places of its blocks */
    const uint8_t *postings; /* as they are stored, all, or the chunks that have slots */
    const uint32_t *slots;   /* of each chunk; NULL: all are held */
    uint64_t postings_end, positions_end;
    uint64_t document_count, doc_bound;
    uint32_t head; /* postings of a term that are wanted, at most */
    bool has_positions;
} gs_list_view;

/* What the dictionary says of a term. */
typedef struct gs_list_info {
    uint64_t at, bytes, skip_bytes, cf;
    uint32_t df; /* 0: the term is not there; or GS_LIST_REFUSED */
    uint32_t only_doc;
} gs_list_info;

/* --- bytes -------------------------------------------------------------------------- */

/* Eight bytes from any place, low ones first. A device reads whole words only: of those
 * the last byte is less than 16 bytes behind the first. */
GS_LIST_BOTH uint64_t gs_list_word(const uint8_t *p)
{
#ifdef __CUDA_ARCH__
    const uint64_t *const words = (const uint64_t *)((uintptr_t)p & ~(uintptr_t)7);
    const unsigned shift = (unsigned)((uintptr_t)p & 7) * 8;
    const uint64_t low = words[0];
    return shift == 0 ? low : low >> shift | words[1] << (64 - shift);
#else
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word; /* as files have it */
#endif
}

GS_LIST_BOTH uint64_t gs_list_low(uint64_t x, unsigned bits)
{
    return x & (((uint64_t)1 << bits) - 1);
}

/* A stretch of an array that is read from its beginning. */
typedef struct gs_list_reader {
    const uint8_t *p, *end;
} gs_list_reader;

GS_LIST_BOTH uint64_t gs_list_left(const gs_list_reader *r)
{
    return (uint64_t)(r->end - r->p);
}

GS_LIST_BOTH bool gs_list_varint(gs_list_reader *r, uint64_t *x)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->p < r->end && shift < 64; shift += 7) {
        const uint64_t byte = *r->p++;
        value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            *x = value;
            return shift < 63 || byte <= 1;
        }
    }
    return false;
}

#endif
