/* SPDX-License-Identifier: MIT */
/*
 * ciff_write: an index as one file in the Common Index File Format.
 *
 *      Header | PostingsList * num_postings_lists | DocRecord * num_docs
 *
 * Protocol buffer messages (proto3, package io.osirrc.ciff), each behind its length as a
 * varint. A posting list is written as a stream: its length is added up in a first pass
 * over the postings. What the format cannot hold (docIDs of more than 31 bits, messages
 * of 2 GiB, terms that are not UTF-8 or have a line feed) is an error that names it.
 */
#ifndef GS_LIB_INDEX_EXCHANGE_CIFF_WRITE_H
#define GS_LIB_INDEX_EXCHANGE_CIFF_WRITE_H

#include "lib/index/read/readers.h"

GS_MUST_CHECK gs_code gs_ciff_write(const gs_index *index, gs_text_out *out,
                                    const volatile int *cancel, gs_status *st);

#endif
