/* SPDX-License-Identifier: MIT */
/*
 * name_find: the documents that have names.
 *
 * Names are not sorted: all of them are gone through once, for all that are looked for.
 */
#ifndef GS_LIB_INDEX_READ_NAME_FIND_H
#define GS_LIB_INDEX_READ_NAME_FIND_H

#include "lib/base/text_span.h"
#include "lib/index/read/index_reader.h"

#define GS_NO_SUCH_NAME UINT64_MAX

/* docs[i] is the first document with the name names[i], or GS_NO_SUCH_NAME. The index has
 * names. */
GS_MUST_CHECK gs_code gs_index_find_names(const gs_index *index,
                                          const gs_text_span *names, size_t count,
                                          uint64_t *docs, gs_status *st);

/* Told of a document with the name names[number], in the order of documents. */
typedef gs_code gs_named_fn(void *context, uint64_t doc, uint32_t length, size_t number,
                            gs_status *st);
/* Every document that has one of the names. */
GS_MUST_CHECK gs_code gs_index_each_named(const gs_index *index,
                                          const gs_text_span *names, size_t count,
                                          gs_named_fn *fn, void *context, gs_status *st);

#endif
