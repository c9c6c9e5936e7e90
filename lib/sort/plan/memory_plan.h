/* SPDX-License-Identifier: MIT */
/*
 * memory_plan: how the memory that -S allows is shared out, before the first read. A plan
 * is made once; what depends on what is found out later (can the input be mapped, is a
 * GPU used) is asked of it, and does not change it.
 *
 *      forming runs   | input blocks | thread scratch | output blocks | chunk ........ |
 *      merging        |       thread pieces           | output blocks | windows ...... |
 *
 * The process may take S + 64 MiB; the plan shares out S and a part of those 64, and
 * leaves the rest to code, stacks and small objects.
 */
#ifndef GS_LIB_SORT_PLAN_MEMORY_PLAN_H
#define GS_LIB_SORT_PLAN_MEMORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/sort/plan/sort_options.h"

typedef struct gs_memory_plan {
    bool is_space_limited;     /* addresses are scarce: nothing is mapped beyond need */
    size_t limit_bytes;        /* S */
    unsigned workers;          /* fewer than asked for when the memory is very small */
    size_t block_bytes;        /* input blocks */
    size_t block_count;        /* input */
    size_t stream_block_bytes; /* output: large writes, where the memory allows them */
    size_t stream_blocks;
    size_t piece_bytes;     /* what a thread gathers before it must wait for its turn */
    size_t copy_bytes;      /* a thread's, of buckets' records (bucket_copy.h); 0: none */
    size_t run_block_bytes; /* raw, of a run */
    size_t decode_bytes;    /* to decode several files at once */
    size_t chunk_bytes;
    size_t chunk_soft_bytes;       /* a chunk that holds this much is full */
    size_t first_soft_bytes;       /* the first one; of a tiny S less, S itself */
    size_t mapped_more_bytes;      /* that a chunk of mapped text may take beyond that, */
    size_t mapped_more_soft_bytes; /* and hold before it is full */
    size_t held_back_bytes;        /* of a chunk's share: text that a GPU may yet lose */
    size_t feed_block_bytes;       /* of what a GPU is fed from, of a chunk's share, */
    size_t feed_blocks;            /* in so many blocks */
    size_t merge_piece_bytes;      /* piece_bytes of a merge: a range should fit */
    size_t merge_bytes;            /* for windows and decoded blocks */
    size_t record_bytes_max;       /* of the longest record; may be more than S */
    const char *too_long_hint;     /* what to do about a longer one */
    size_t first_copies_max; /* of the first records of a chunk, whatever its size */
    size_t part_bytes;       /* of text that is given out where it is */
    /* Of files that stay in the page cache, beside -S, until they are gone: no more than
     * the kernel lets lie there before it writes to the disk. */
    size_t cached_bytes;
} gs_memory_plan;

enum { GS_BLOCKS_IN_FLIGHT = 6 };

/* `memory_bytes` 0: a share of what is available. `threads` 0: every core. */
gs_memory_plan gs_memory_plan_make(size_t memory_bytes, unsigned threads, bool is_keyed);

/* The plan of a sort. */
gs_memory_plan gs_memory_plan_sort(const gs_sort_options *options, bool is_keyed);
/* That of one of plain lines in files, which go to buckets as they are read and perhaps
 * from there to other files (lib/sort/form/early_keep.h): all workers have something to
 * do, where runs are better formed and merged by fewer with larger blocks. */
gs_memory_plan gs_memory_plan_lists(const gs_sort_options *options);
/* That of one whose input is known to be small: the machine is not asked what it has,
 * which would take longer than the sort. */
gs_memory_plan gs_memory_plan_small(const gs_sort_options *options, bool is_keyed);

/* What the chunks of a sort may take, once it is known how it goes. */
typedef struct gs_chunk_share {
    size_t bytes, soft_bytes, first_soft_bytes; /* as in the plan */
} gs_chunk_share;

/* `is_mapped`: records stay where they are, in mapped inputs. `holds_back`: what a GPU
 * has of the input cannot be read again, and is kept. */
gs_chunk_share gs_memory_plan_chunk(const gs_memory_plan *plan, bool is_mapped,
                                    bool holds_back);

/* Are files in memory better written by filling their pages, by all workers? */
bool gs_memory_plan_fills_pages(const gs_memory_plan *plan);

/* Is what is merged to the page cache better written by who merges it? Not while a core
 * has nothing else to do than to write, and many would wait for each other. */
bool gs_memory_plan_mergers_write(const gs_memory_plan *plan);

/* What runs of text may take of a chunk's share while a GPU has the chunks. `is_fed`: it
 * gets them from files, and nothing is held back. */
size_t gs_memory_plan_texts(const gs_memory_plan *plan, bool is_fed);

#endif
