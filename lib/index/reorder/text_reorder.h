/* SPDX-License-Identifier: MIT */
/*
 * text_reorder: the texts of an index in another order of its documents.
 */
#ifndef GS_LIB_INDEX_REORDER_TEXT_REORDER_H
#define GS_LIB_INDEX_REORDER_TEXT_REORDER_H

#include "lib/index/read/readers.h"
#include "lib/index/write/writers.h"

typedef struct gs_text_reorder_options {
    const gs_index *index;
    const uint32_t *order; /* the documents */
    uint32_t doc_count;
    size_t memory_bytes; /* for blocks that are kept */
    const volatile int *cancel;
} gs_text_reorder_options;

GS_MUST_CHECK gs_code gs_text_reorder(gs_text_writer *to,
                                      const gs_text_reorder_options *options,
                                      gs_status *st);

#endif
