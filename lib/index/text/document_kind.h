/* SPDX-License-Identifier: MIT */
/*
 * document_kind: what the input looks like, if it is not of the format that it is read
 * as.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_KIND_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_KIND_H

#include "lib/index/text/document.h"

/* What the bytes at the front of a file look like, and what to do about it, as a sentence
 * for a message; NULL if they look like `format`, or like nothing known. */
const char *gs_document_kind_hint(const uint8_t *data, size_t bytes,
                                  gs_document_format format);

#endif
