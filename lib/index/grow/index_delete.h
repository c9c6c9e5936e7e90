/* SPDX-License-Identifier: MIT */
/*
 * index_delete: documents of an index by their names.
 *
 * A name stands for every document that has it. What is deleted is noted beside its
 * segment, and a merge of that drops it (merge_policy.h). All of one deletion are gone,
 * or none: until commit nothing has changed.
 *
 * Call order: open, names*, commit, close. One thread. In memory is a bit for each
 * document of the segments that something is deleted of.
 */
#ifndef GS_LIB_INDEX_GROW_INDEX_DELETE_H
#define GS_LIB_INDEX_GROW_INDEX_DELETE_H

#include "lib/index/grow/index_growth.h"
#include "lib/index/merge/merges.h"

typedef struct gs_index_deletion gs_index_deletion;

/* Of a merge: folder, memory, threads and who watches. All are borrowed. Waits for who
 * changes the index now. */
GS_MUST_CHECK gs_code gs_index_deletion_open(gs_index_deletion **out,
                                             const gs_index_merge_options *options,
                                             gs_status *st);
void gs_index_deletion_close(gs_index_deletion *d); /* NULL is fine */

/* *is_there is set for each name that some document has, or had before this deletion. */
GS_MUST_CHECK gs_code gs_index_deletion_names(gs_index_deletion *d,
                                              const gs_text_span *names, size_t count,
                                              bool *is_there, gs_status *st);
/* How many documents so far. */
uint64_t gs_index_deletion_count(const gs_index_deletion *d);
/* Durable when it returns. With `merges` what the policy picks is merged then. */
GS_MUST_CHECK gs_code gs_index_deletion_commit(gs_index_deletion *d, bool merges,
                                               gs_status *st);

#endif
