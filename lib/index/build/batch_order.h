/* SPDX-License-Identifier: MIT */
/*
 * batch_order: what batches give on, in the order of the input.
 *
 * Of documents these are their names and lengths, as they are stored, and where their
 * texts were packed to if those are stored; of tuples, what was malformed. Threads are
 * done with batches in any order: what comes before its turn waits, so that no thread
 * does. Any thread.
 */
#ifndef GS_LIB_INDEX_BUILD_BATCH_ORDER_H
#define GS_LIB_INDEX_BUILD_BATCH_ORDER_H

#include "lib/index/build/bad_documents.h"

/* Gets each document once, in order, from one thread at a time. */
typedef gs_code gs_documents_fn(void *context, const gs_name_pack *names, gs_status *st);

typedef struct gs_batch_order gs_batch_order;

/* Documents go to `fn`, and their texts to `texts`, which may be NULL. Of tuples both
 * are, and what is malformed is told by `bad`, which nobody else uses meanwhile. */
GS_MUST_CHECK gs_code gs_batch_order_new(gs_batch_order **out, gs_documents_fn *fn,
                                         void *context, gs_text_writer *texts,
                                         gs_bad_documents *bad, gs_status *st);
void gs_batch_order_free(gs_batch_order *o); /* NULL is fine */

/* A batch that has been worked through. Its ticket is its number, from 0. */
typedef struct gs_done_batch {
    const gs_line_batch *batch;
    uint64_t first_line;
    const gs_document_list *list;
    gs_name_pack *names;       /* of documents; taken if they have to wait */
    const gs_text_item *items; /* of their texts */
    size_t item_count;
} gs_done_batch;

GS_MUST_CHECK gs_code gs_batch_order_give(gs_batch_order *o, const gs_done_batch *done,
                                          gs_status *st);
/* While no batch is worked on: has everything been given on? */
bool gs_batch_order_is_empty(const gs_batch_order *o);

#endif
