/* SPDX-License-Identifier: MIT */
/*
 * document_cursor: the documents of an index one after the other, with name and length.
 *
 * Call order: open, then next until there is none, close. Pages that are passed are let
 * go. Only of an index with names.
 */
#ifndef GS_LIB_INDEX_READ_DOCUMENT_CURSOR_H
#define GS_LIB_INDEX_READ_DOCUMENT_CURSOR_H

#include "lib/index/read/index_documents.h"

typedef struct gs_document_cursor {
    const gs_index *index;
    const gs_page_checks *pages;
    uint64_t left;         /* documents behind the present one */
    unsigned in_block;     /* those since a name began anew */
    gs_document_name made; /* the name */
    const uint8_t *lengths, *names, *end;
    const uint8_t *held_lengths, *held_names; /* the first pages not let go */

    bool has_document;
    const uint8_t *name;
    size_t name_bytes;
    uint32_t length;
} gs_document_cursor;

GS_MUST_CHECK gs_code gs_document_cursor_open(gs_document_cursor *c,
                                              const gs_index *index, gs_status *st);
void gs_document_cursor_close(gs_document_cursor *c); /* a zeroed one is fine */
GS_MUST_CHECK gs_code gs_document_cursor_next(gs_document_cursor *c, gs_status *st);

#endif
