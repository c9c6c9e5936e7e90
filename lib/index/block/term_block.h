/* SPDX-License-Identifier: MIT */
/*
 * term_block: what has been gathered of the input, by one thread or on a GPU by all,
 * sorted by term.
 *
 * Three things can be looked at as a term block: a hash of terms with growing lists
 * (lib/index/block/spimi_block.h), an array of sorted tuples
 * (lib/index/block/bsbi_block.h), and what a GPU has sorted
 * (lib/index/block/device_block.h). Its terms are in byte order and distinct, and the
 * documents of a term ascend.
 *
 * A view is read-only; any number of threads read it, each with readers of its own.
 */
#ifndef GS_LIB_INDEX_BLOCK_TERM_BLOCK_H
#define GS_LIB_INDEX_BLOCK_TERM_BLOCK_H

#include <pthread.h>

#include "lib/index/block/slice_list.h"
#include "lib/index/format/formats.h"
#include "lib/sort/record/records.h"

/* What there is to fill. */
typedef struct gs_block_options {
    size_t memory_bytes; /* at least the method's least */
    bool has_positions;
    bool is_tuples;
} gs_block_options;

/* A term of a term block. */
typedef struct gs_term_view {
    uint64_t prefix;      /* the first 8 bytes, as a number (gs_string_word) */
    const uint8_t *bytes; /* readable 7 bytes beyond the end */
    size_t count;
} gs_term_view;

/* Where the reading of a term's postings stands. Zeroed before its first use, closed
 * after each, released after the last. A thread that reads the postings of one term from
 * several blocks opens them in the order of the blocks. */
typedef struct gs_term_reader {
    /* in an array, of tuples or of postings that had to be put in order: */
    size_t next, next_end;
    size_t begin, index;   /* on a GPU, the term's first, and the term */
    bool takes;            /* blocks that are made */
    uint64_t *sorted;      /* such postings: in `kept`, or mapped */
    size_t sorted_bytes;   /* of the map */
    pthread_mutex_t *held; /* the right to hold a long list of them */
    uint64_t *kept;        /* memory for short ones, GS_SORTED_KEPT of them */
    /* on a GPU, what has come down: from the first term that is opened to release */
    void *window;
    void (*window_give_back)(void *window);
    /* in a growing list: */
    gs_slice_reader list;
    uint64_t doc;   /* of the posting that comes next; on a GPU, the least it may be */
    uint32_t count; /* its position; without positions, the tf of the last posting */
    bool is_done;
} gs_term_reader;

enum { GS_SORTED_KEPT = 2 * 4096 };

/* A full block of a term's postings that is made already, and its postings, which are in
 * the arrays. */
typedef struct gs_made_block {
    gs_foreign_block block;
    gs_impacts impacts;
    uint64_t docs[GS_BLOCK_DOCS_ROOM], numbers[GS_NUMBERS_MAX];
} gs_made_block;

typedef struct gs_term_block_ops {
    void (*term)(const void *block, size_t index, gs_term_view *out);
    /* About how many postings terms [begin, end) have, for those who share them out. */
    uint64_t (*weigh)(const void *block, size_t begin, size_t end);
    /* Stands before the first posting of a term. */
    gs_code (*open)(const void *block, size_t index, gs_term_reader *reader,
                    gs_status *st);
    /* Replaces the batch by the next postings; none: the term has no more. */
    gs_code (*read)(const void *block, gs_term_reader *reader, gs_posting_batch *batch,
                    gs_status *st);
    /* Both NULL: none is made. Makes full blocks of all terms' postings, of documents of
     * these lengths, if they have any; one thread a
     * block. */
    gs_code (*make)(const void *block, const gs_length_table *lengths, gs_status *st);
    /* The block that comes next, instead of its postings, valid until the next call;
     * *is_there is false if these are to be read. */
    gs_code (*take)(const void *block, gs_term_reader *reader, gs_made_block *out,
                    bool *is_there, gs_status *st);
} gs_term_block_ops;

typedef struct gs_term_block {
    const gs_term_block_ops *ops;
    const void *block;
    size_t term_count;
} gs_term_block;

/* Forgets the last term; what is kept is kept. */
void gs_term_reader_begin(gs_term_reader *reader);
void gs_term_reader_close(gs_term_reader *reader);
void gs_term_reader_release(gs_term_reader *reader);

static inline int gs_term_view_compare(const gs_term_view *a, const gs_term_view *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    /* Equal prefixes may still hide a length: "a" and "a\0". */
    return gs_string_compare(a->bytes, a->count, b->bytes, b->count, 0);
}

#endif
