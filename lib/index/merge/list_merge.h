/* SPDX-License-Identifier: MIT */
/*
 * list_merge: the posting lists that several indexes have of a term, as one list.
 *
 *      shifted    a: 0 3 | 7        docIDs of later indexes come behind those of earlier
 *                 b: 1 2            ones: the lists follow each other, and blocks that
 *                 ->  0 3 7 11 12   would be the same bytes again are copied
 *
 *      kept       a: 0 3 | 7        docIDs mean the same documents everywhere: a merge,
 *                 b: 1 3            and the frequencies of equals are added up
 *                 ->  0 1 3 7
 *
 *      shifted,   a: 0 3 | 7        those that are left are numbered on; no block is the
 *      3 deleted  b: 1 2            same bytes
 *                 ->  0 6 9 10
 *
 * A list is a stream: a block of each index is in hand. Of the mapped files no more than
 * `window_bytes` stay in memory. Call order: new, (begin, term*, end)*, free. One thread.
 */
#ifndef GS_LIB_INDEX_MERGE_LIST_MERGE_H
#define GS_LIB_INDEX_MERGE_LIST_MERGE_H

#include "lib/index/write/writers.h"
#include "lib/index/merge/term_merge.h"

typedef struct gs_list_merge gs_list_merge;

typedef struct gs_list_merge_options {
    gs_index *const *indexes;
    size_t count;
    const uint64_t *shifts;              /* of each index; NULL: docIDs are kept */
    const gs_tombstones *const *deleted; /* of each index, if they are shifted */
    bool has_positions;                  /* not with docIDs that are kept */
    size_t window_bytes;
    _Atomic uint64_t *passed_bytes; /* of the files; may be NULL */
    const volatile int *cancel;     /* may be NULL */
} gs_list_merge_options;

/* Borrows what the options point to until free(). */
GS_MUST_CHECK gs_code gs_list_merge_new(gs_list_merge **out,
                                        const gs_list_merge_options *options,
                                        gs_status *st);
void gs_list_merge_free(gs_list_merge *l); /* NULL is fine */

/* A range of terms begins; its postings go to the part. */
void gs_list_merge_begin(gs_list_merge *l, gs_index_part *part);
/* The term at which the merge of terms stands, and that so many indexes have. */
GS_MUST_CHECK gs_code gs_list_merge_term(gs_list_merge *l, const gs_term_merge *terms,
                                         size_t source_count, gs_status *st);
/* Does the part have that term: is something left of it? */
bool gs_list_merge_has_term(const gs_list_merge *l);
void gs_list_merge_end(gs_list_merge *l);

/* Memory of one index in one of these, if docIDs are kept. */
enum { GS_LIST_MERGE_SOURCE_BYTES = 8 << 10 };

#endif
