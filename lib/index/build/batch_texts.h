/* SPDX-License-Identifier: MIT */
/*
 * batch_texts: the texts of a batch's documents, where they are stored.
 *
 *      blocks of texts    | 0 1 2 | 3 | 4 5 6 ...
 *      batches            | 0 1 | 2 3 4 | 5 6 ...    each packs its own, knowing how much
 *                                                    of a block those before leave open
 *
 * How much is open goes from batch to batch in the order of the input; all else is done
 * side by side. One batch is one thread's.
 */
#ifndef GS_LIB_INDEX_BUILD_BATCH_TEXTS_H
#define GS_LIB_INDEX_BUILD_BATCH_TEXTS_H

#include "lib/index/text/documents.h"
#include "lib/index/write/writers.h"

/* What the texts of a batch do to the block that is open. */
typedef struct gs_batch_texts {
    bool begins_group; /* some document does: what was open before is of no matter */
    size_t open_after; /* then */
} gs_batch_texts;

gs_batch_texts gs_batch_texts_of(const gs_document_list *list);

/* Bytes of the block that is open behind the batch, with so many before it. */
size_t gs_batch_texts_after(const gs_batch_texts *texts, const gs_document_list *list,
                            size_t open_before);

/* Packs them, behind a block that has `open_before` bytes. The items are the pack's. */
GS_MUST_CHECK gs_code gs_batch_texts_pack(const gs_document_list *list,
                                          size_t open_before, gs_text_pack *pack,
                                          const gs_text_item **items, size_t *item_count,
                                          gs_status *st);

#endif
