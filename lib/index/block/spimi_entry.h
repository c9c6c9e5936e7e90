/* SPDX-License-Identifier: MIT */
/*
 * spimi_entry: what a spimi block is made of: spimi_block.c fills it, spimi_read.c reads
 * it. For those two only.
 */
#ifndef GS_LIB_INDEX_BLOCK_SPIMI_ENTRY_H
#define GS_LIB_INDEX_BLOCK_SPIMI_ENTRY_H

#include "lib/index/block/slice_list.h"
#include "lib/index/block/spimi_block.h"
#include "lib/index/format/formats.h"
#include "lib/sort/bucket/buckets.h"

/* A posting of a list that is out of order is packed: its document, then its tf. */
enum {
    GS_SPIMI_TF_BITS = 24,
    GS_SPIMI_TF_MAX = (1 << GS_SPIMI_TF_BITS) - 1,
    GS_SPIMI_POSTING_BYTES =
        2 * sizeof(uint64_t), /* a posting of the longest list to be sorted */
};

typedef struct gs_spimi_entry {
    gs_slice_list list;
    uint32_t last_doc; /* its low bits */
    uint32_t count;    /* tf of the last document; with positions, the last position */
    uint16_t term_bytes;
    uint8_t last_doc_high;
    uint8_t is_out_of_order;
} gs_spimi_entry;

_Static_assert(sizeof(gs_spimi_entry) == 24, "the term follows");

/* Of tuples between entry and term: elements needed to sort the list. */
typedef struct gs_spimi_more {
    uint64_t element_count;
} gs_spimi_more;

struct gs_spimi_block {
    gs_block_options options;
    size_t entry_bytes;   /* up to the term */
    gs_slice_arena arena; /* left: memory that nothing is counted against yet */
    size_t arena_mapped;
    uint64_t *slots; /* hash << 32 | place in the arena; 0: free */
    size_t slot_count, term_count;
    uint64_t longest_list; /* elements, of tuples */
    gs_element *elements;  /* after sort */
    size_t elements_mapped;
    pthread_mutex_t *long_lists;
};

static inline gs_spimi_entry *gs_spimi_entry_at(const gs_spimi_block *b, uint32_t where)
{
    return (gs_spimi_entry *)(void *)gs_slice_arena_at(&b->arena, where);
}

static inline gs_spimi_more *gs_spimi_more_of(gs_spimi_entry *e)
{
    return (gs_spimi_more *)(void *)(e + 1);
}

static inline uint64_t gs_spimi_last_doc(const gs_spimi_entry *e)
{
    return (uint64_t)e->last_doc_high << 32 | e->last_doc;
}

/* The block's terms in order, as a term block. */
extern const gs_term_block_ops gs_spimi_read_ops;

/* A term comes too often in a document. */
GS_MUST_CHECK gs_code gs_spimi_fail_tf(uint64_t doc, gs_status *st);

#endif
