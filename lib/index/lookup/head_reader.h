/* SPDX-License-Identifier: MIT */
/*
 * head_reader: the beginnings of the posting lists of some terms, read by one thread.
 *
 * Call order: new, (add*, find, then df and read of each, clear)*, free. Terms are looked
 * for together (lib/index/lookup/term_batch.h), and lists are fetched into the caches
 * some terms before they are read. One thread; different readers share nothing.
 */
#ifndef GS_LIB_INDEX_LOOKUP_HEAD_READER_H
#define GS_LIB_INDEX_LOOKUP_HEAD_READER_H

#include "lib/index/segment/segments.h"

enum { GS_HEAD_READER_TERMS = 1024 };

typedef struct gs_head_reader gs_head_reader;

/* Borrows the segments until free(). */
GS_MUST_CHECK gs_code gs_head_reader_new(gs_head_reader **out,
                                         const gs_segments *segments, gs_status *st);
void gs_head_reader_free(gs_head_reader *r); /* NULL is fine */

/* False, and nothing added, if it is full. One that is empty takes any term of at most
 * GS_TERM_BATCH_BYTES. */
GS_MUST_CHECK bool gs_head_reader_add(gs_head_reader *r, const void *term, size_t bytes);
size_t gs_head_reader_count(const gs_head_reader *r);
/* Finds all that were added. */
GS_MUST_CHECK gs_code gs_head_reader_find(gs_head_reader *r, gs_status *st);
/* How many documents that are left have the i-th; 0: it is not there. */
uint64_t gs_head_reader_df(const gs_head_reader *r, size_t i);
/* Its first `count` postings, of which there are so many; tfs may be NULL. In ascending
 * order of `i` that is fastest. */
GS_MUST_CHECK gs_code gs_head_reader_read(gs_head_reader *r, size_t i, uint64_t count,
                                          uint64_t *docs, uint32_t *tfs, gs_status *st);
void gs_head_reader_clear(gs_head_reader *r);

#endif
