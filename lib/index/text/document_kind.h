/* SPDX-License-Identifier: MIT */
/*
 * document_kind: what the bytes at the front of a file look like.
 */
#ifndef GS_LIB_INDEX_TEXT_DOCUMENT_KIND_H
#define GS_LIB_INDEX_TEXT_DOCUMENT_KIND_H

#include "lib/index/text/document.h"

typedef enum gs_document_kind {
    GS_LOOKS_NOTHING, /* nothing but blanks */
    GS_LOOKS_UTF16,
    GS_LOOKS_BINARY,
    GS_LOOKS_WARC,
    GS_LOOKS_ARRAY,        /* of JSON */
    GS_LOOKS_OBJECTS,      /* of JSON, over several lines */
    GS_LOOKS_OBJECT_LINES, /* one a line */
    GS_LOOKS_TREC,
    GS_LOOKS_HTML,
    GS_LOOKS_XML,
    GS_LOOKS_TUPLES, /* term TAB number */
    GS_LOOKS_TABS,
    GS_LOOKS_COMMAS, /* or semicolons, as many in the second line as in the first; a
                      table whose rows differ is known by its header alone */
    GS_LOOKS_PROSE,
    GS_LOOKS_COUNT,
} gs_document_kind;

gs_document_kind gs_document_kind_of(const uint8_t *data, size_t bytes);

/* What that is and what to do about it, as a sentence for a message; NULL if it looks
 * like `format`, or like nothing known. */
const char *gs_document_kind_hint(const uint8_t *data, size_t bytes,
                                  gs_document_format format);

#endif
