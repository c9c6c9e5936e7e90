/* SPDX-License-Identifier: MIT */
/*
 * tuple: ready pairs of term and document.
 *
 *      tuples       term TAB docID [TAB tf]       a line each
 *      tuples-bin   u32 termID, u32 docID         little endian, 8 bytes each
 *
 * Blank lines are skipped. A term is 1 to 65535 bytes without TAB or newline; a docID is
 * a decimal number below 2^40; a tf is from 1 to 2^32 - 1, and 1 if it is not there. The
 * term of a binary tuple is its termID as a decimal number, so that "10" comes before "9"
 * as bytes do. A tuple that comes again adds its tf. Documents may come in any order.
 * Weights that documents have of their terms become tuples as well, their impacts the tf.
 */
#ifndef GS_LIB_INDEX_TEXT_TUPLE_H
#define GS_LIB_INDEX_TEXT_TUPLE_H

#include "lib/index/text/document.h"
#include "lib/index/text/token.h"

typedef struct gs_tuple {
    gs_token term; /* position unused */
    uint32_t tf;
    uint64_t doc;
} gs_tuple;

typedef struct gs_tuple_batch {
    gs_token_batch terms; /* holds their bytes; its tokens are not used */
    gs_tuple tuples[GS_TOKENS_MAX];
    size_t count;
} gs_tuple_batch;

void gs_tuple_batch_clear(gs_tuple_batch *batch);
/* Adds one of the term that stands, padded, at the end of the batch's bytes. */
void gs_tuple_batch_add(gs_tuple_batch *batch, size_t term_bytes, uint64_t doc,
                        uint32_t tf);

/* Adds what is left of a document's weights, as long as there is room; false: there may
 * be more of them. */
bool gs_tuple_batch_add_vector(gs_tuple_batch *batch, gs_vector_reader *vector,
                               uint64_t doc);

/* Where a reader stands in a batch of input. */
typedef struct gs_tuple_reader {
    gs_document_format format;
    const uint8_t *at, *end;
    uint64_t line; /* within the batch of input, from 0 */
} gs_tuple_reader;

void gs_tuple_reader_begin(gs_tuple_reader *r, gs_document_format format,
                           const gs_line_batch *input);
/* Replaces the batch by the next tuples; none: the input ends. Stops early at a line that
 * is no tuple: *bad has its line and why, else bad->why is NULL; the next call goes on
 * behind it. */
void gs_tuple_reader_next(gs_tuple_reader *r, gs_tuple_batch *batch,
                          gs_bad_document *bad);

#endif
