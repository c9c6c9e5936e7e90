/* SPDX-License-Identifier: MIT */
/*
 * index_verify: is everything in an index as it should be?
 *
 * Every checksum, of files and of their pages, then every term (in order, found where its
 * prefix says), every posting (in order, of a document that is there) and position, and
 * all counts against the header.
 */
#ifndef GS_LIB_INDEX_READ_INDEX_VERIFY_H
#define GS_LIB_INDEX_READ_INDEX_VERIFY_H

#include "lib/index/read/index_reader.h"

/* GS_ERR_FORMAT says what is wrong first. */
GS_MUST_CHECK gs_code gs_index_verify(const gs_index *index, const volatile int *cancel,
                                      gs_status *st);

#endif
