/* SPDX-License-Identifier: MIT */
/*
 * text_reader: the texts of documents of an open index (lib/index/format/stored_text.h).
 *
 * A text comes in pieces, as it lies in blocks. The last blocks are kept for what is read
 * next. One thread.
 */
#ifndef GS_LIB_INDEX_READ_TEXT_READER_H
#define GS_LIB_INDEX_READ_TEXT_READER_H

#include "lib/base/text_span.h"
#include "lib/index/read/index_reader.h"

/* Blocks of texts that there are. */
uint64_t gs_index_text_blocks(const gs_index *index);
/* Those numbers of a block, and where its compressed bytes lie. */
GS_MUST_CHECK gs_code gs_index_text_entry(const gs_index *index, uint64_t block,
                                          gs_text_entry *entry, gs_status *st);
GS_MUST_CHECK gs_code gs_index_text_stored(const gs_index *index, uint64_t block,
                                           gs_text_span *stored, gs_status *st);
/* How many documents begin in it. */
GS_MUST_CHECK gs_code gs_index_text_docs(const gs_index *index, uint64_t block,
                                         uint64_t *docs, gs_status *st);

typedef struct gs_text_reader gs_text_reader;

/* Borrows the index, which must have texts; keeps up to so many blocks, at least 1. */
GS_MUST_CHECK gs_code gs_text_reader_new(gs_text_reader **out, const gs_index *index,
                                         size_t blocks_kept, gs_status *st);
void gs_text_reader_free(gs_text_reader *r); /* NULL is fine */

/* The text of a document: begin, then next until a piece has 0 bytes. A piece is valid
 * until the next call. */
GS_MUST_CHECK gs_code gs_text_reader_begin(gs_text_reader *r, uint64_t doc,
                                           uint64_t *bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_text_reader_next(gs_text_reader *r, gs_text_span *piece,
                                          gs_status *st);
/* A block of the stream. */
GS_MUST_CHECK gs_code gs_text_reader_block(gs_text_reader *r, uint64_t block,
                                           gs_text_span *bytes, gs_status *st);
/* Is every text where it should be? */
GS_MUST_CHECK gs_code gs_text_reader_verify(gs_text_reader *r, const volatile int *cancel,
                                            gs_status *st);

#endif
