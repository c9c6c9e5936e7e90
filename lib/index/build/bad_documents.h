/* SPDX-License-Identifier: MIT */
/*
 * bad_documents: what is told of malformed documents, the first ones one by one.
 *
 * Who calls does so in the order of the input, one thread at a time.
 */
#ifndef GS_LIB_INDEX_BUILD_BAD_DOCUMENTS_H
#define GS_LIB_INDEX_BUILD_BAD_DOCUMENTS_H

#include "lib/index/build/index_builder.h"

typedef struct gs_bad_documents {
    const gs_index_build_options *build; /* with skip_bad they are left out, otherwise the
                                            first is an error */
    uint64_t count;                      /* so far */
} gs_bad_documents;

/* Where they are: the file and how it is read, its lines before those of the batch, and
 * the batch, if it is at hand. */
typedef struct gs_bad_place {
    size_t input_index;
    uint64_t first_line;
    const gs_line_batch *batch;
    const gs_document_options *document;
} gs_bad_place;

GS_MUST_CHECK gs_code gs_bad_documents_tell(gs_bad_documents *b,
                                            const gs_bad_place *place,
                                            const gs_bad_document *bad, size_t count,
                                            gs_status *st);
/* The batch is the beginning of a document that is too long: fails, and says which it is
 * and what would do. */
gs_code gs_bad_documents_refuse_long(const gs_bad_documents *b, const gs_bad_place *place,
                                     size_t bytes_max, gs_status *st);
/* At the end: how many there were, if not each was told. */
void gs_bad_documents_sum_up(const gs_bad_documents *b);

#endif
