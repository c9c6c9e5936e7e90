/* SPDX-License-Identifier: MIT */
/*
 * index_documents: the lengths and names of the documents of an open index. Any thread.
 */
#ifndef GS_LIB_INDEX_READ_INDEX_DOCUMENTS_H
#define GS_LIB_INDEX_READ_INDEX_DOCUMENTS_H

#include "lib/index/read/index_reader.h"

/* A name, put together; its memory is kept for the next one. */
typedef struct gs_document_name {
    uint8_t *text;
    size_t bytes, capacity;
} gs_document_name;

void gs_document_name_release(gs_document_name *name); /* a zeroed one is fine */
/* Makes the name at *p, which is behind that of the one before, and goes behind it.
 * GS_ERR_FORMAT: there is none, and the caller knows where. */
GS_MUST_CHECK gs_code gs_document_name_read(gs_document_name *name, const uint8_t **p,
                                            const uint8_t *end, gs_status *st);

/* The name of a document; of one that is only a number it has 0 bytes, and its length is
 * 0, too. */
GS_MUST_CHECK gs_code gs_index_document_name(const gs_index *index, uint64_t doc,
                                             gs_document_name *name, gs_status *st);
/* It is asked for soon. Nothing is checked, and nothing happens where it is not there. */
void gs_index_document_name_soon(const gs_index *index, uint64_t doc);
GS_MUST_CHECK gs_code gs_index_document_length(const gs_index *index, uint64_t doc,
                                               uint32_t *length, gs_status *st);

/* By docID; NULL if documents are only numbers. Their pages, of `documents`, must be
 * compared before they are used. */
const uint32_t *gs_index_document_lengths(const gs_index *index);

#endif
