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

#endif
