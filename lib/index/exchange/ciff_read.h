/* SPDX-License-Identifier: MIT */
/*
 * ciff_read: a file in the Common Index File Format, as a stream, with every rule
 * checked; of those that other programs do not keep to, the breaks are counted.
 *
 *      Header | PostingsList * num_postings_lists | DocRecord * num_docs
 *
 *      Header        1 version = 1, 2 num_postings_lists, 3 num_docs,
 *                    4 total_postings_lists, 5 total_docs, 6 total_terms_in_collection,
 *                    7 average_doclength (double), 8 description
 *      PostingsList  1 term, 2 df, 3 cf, 4 Posting *
 *      Posting       1 docid (of the first; then what is added to it), 2 tf
 *      DocRecord     1 docid, 2 collection_docid, 3 doclength
 *
 * Messages are protocol buffers (proto3) behind their lengths as varints, fields in the
 * order of their numbers. What is wrong is GS_ERR_FORMAT, which names file, byte, and
 * list or document. The rules: version 1; no field that the format does not have, none
 * twice, none that is written though it is 0; numbers not negative and within their
 * types; strings in UTF-8; terms of 1 to 65535 bytes without line feed, ascending by
 * their bytes; names without line feed, since other programs make them a line each;
 * docIDs of a list ascending and below num_docs; frequencies of at least 1;
 * df and cf as the list has them; documents numbered 0, 1, 2, ...; the collection whole
 * (both totals are the numbers there are); nothing behind the end.
 *
 * And the sums: total_terms_in_collection is what the frequencies, and the lengths, add
 * up to; average_doclength is that divided by num_docs.
 *
 * Only a reader that is strict refuses sums, df, cf and totals that are others than those
 * of what is there, terms that do not ascend, fields that the format does not have and
 * zeros that are written. Terms may come as the first documents had them, Lucene knows
 * lengths only roughly, frequencies may be weights, an export may be of the
 * lists of some queries, and protocol buffers let fields be added. Else such breaks are
 * counted, and what is there is taken.
 *
 * Call order: new (reads the header), list and postings until its count is 0, list ...
 * until there is none, document until there is none, free. Memory: 0.4 MiB. One thread.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_CIFF_READ_H
#define GS_LIB_INDEX_EXCHANGE_CIFF_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* Where bytes come from: the next ones, good until the call after; *bytes 0: the end. */
typedef struct gs_byte_source {
    gs_code (*next)(void *context, const uint8_t **data, size_t *bytes, gs_status *st);
    void *context;
} gs_byte_source;

/* The description of an index of impacts, as ciff_write.h has it: the format has nowhere
 * else to say that. */
#define GS_CIFF_IMPACTS "gpusort index of impacts"

typedef struct gs_ciff_header {
    uint32_t lists, documents;
    uint64_t tokens;
    bool has_impacts; /* by its description */
} gs_ciff_header;

typedef struct gs_ciff_text {
    const uint8_t *data; /* good until the next call */
    size_t bytes;
} gs_ciff_text;

typedef struct gs_ciff_document {
    gs_ciff_text name;
    uint32_t length;
} gs_ciff_document;

typedef struct gs_ciff_reader gs_ciff_reader;

/* Borrows the name, which is for messages, until free(). */
GS_MUST_CHECK gs_code gs_ciff_reader_new(gs_ciff_reader **out,
                                         const gs_byte_source *source, const char *name,
                                         bool is_strict, gs_status *st);
void gs_ciff_reader_free(gs_ciff_reader *r); /* NULL is fine */

gs_ciff_header gs_ciff_reader_header(const gs_ciff_reader *r);

/* How many rules were broken, so far; *first is what is to be said of the first. */
unsigned gs_ciff_reader_doubts(const gs_ciff_reader *r, const char **first);

/* The next list's term; term->bytes is 0 behind the last list. */
GS_MUST_CHECK gs_code gs_ciff_reader_list(gs_ciff_reader *r, gs_ciff_text *term,
                                          gs_status *st);
/* Up to `most` of the list's next postings. */
GS_MUST_CHECK gs_code gs_ciff_reader_postings(gs_ciff_reader *r, uint64_t *docs,
                                              uint32_t *tfs, size_t most, size_t *count,
                                              gs_status *st);
/* *has_document is false behind the last one, when everything has been found good. */
GS_MUST_CHECK gs_code gs_ciff_reader_document(gs_ciff_reader *r, gs_ciff_document *out,
                                              bool *has_document, gs_status *st);

#endif
