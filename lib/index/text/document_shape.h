/* SPDX-License-Identifier: MIT */
/*
 * document_shape: what each input file is, found by looking at its front.
 *
 * The name's ending and the bytes are asked, in this order: what can be nothing else
 * (WARC, TREC, JSON objects with a name and text), then what the ending says, then what
 * it looks like: columns whose header has names of ours, lines of name and TAB, else
 * plain text, a file a document. Standard input is never taken for plain text. A file
 * that was named and is unclear or binary is an error. One that was found in a folder is
 * then taken as plain text; if it is binary it is left out.
 *
 * Objects a line that have a vector of weights are read as vectors. These and documents
 * of text do not go together: the first file that holds something decides, and one of the
 * other kind is an error.
 *
 * gs_document_shapes_look is called by one thread at a time, once for each file, before
 * anybody asks for the shape of it. Then any thread may ask.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_SHAPE_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_SHAPE_H

#include "lib/base/log.h"
#include "lib/index/text/document.h"

typedef struct gs_document_shapes gs_document_shapes;

typedef struct gs_document_shapes_options {
    gs_document_options document;  /* a format, of all files, or GS_FORMAT_ANY */
    const char *const *names;      /* of the files */
    const unsigned char *is_found; /* which were found in folders; NULL: none */
    size_t count;
    const gs_log *log;
} gs_document_shapes_options;

/* Copies the options; what they point to is borrowed. */
GS_MUST_CHECK gs_code gs_document_shapes_new(gs_document_shapes **out,
                                             const gs_document_shapes_options *options,
                                             gs_status *st);
void gs_document_shapes_free(gs_document_shapes *shapes); /* NULL is fine */

/* Looks at a file of documents, from its first byte on. With `goes_on` it is read from a
 * later document on. */
GS_MUST_CHECK gs_code gs_document_shapes_look(gs_document_shapes *shapes,
                                              const gs_file_front *front, bool goes_on,
                                              gs_record_ends *ends, gs_status *st);

/* How that file is read. What the options point to is valid until free(). */
gs_document_options gs_document_shape_of(const gs_document_shapes *shapes,
                                         size_t input_index);

/* What was read before has decided. Before the first look. */
void gs_document_shapes_decide(gs_document_shapes *shapes, bool has_weights);
/* Do the files hold vectors of weights? To be asked once a batch has been cut, or there
 * is none; where no file has decided, they hold text. */
bool gs_document_shapes_have_weights(gs_document_shapes *shapes);

/* At the end: how many files of folders were taken how, or not. */
void gs_document_shapes_tell(const gs_document_shapes *shapes);

#endif
