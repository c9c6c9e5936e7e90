/* SPDX-License-Identifier: MIT */
#include "lib/index/read/document_cursor.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/index/format/formats.h"

enum { HELD_BYTES = 1 << 20 };

gs_code gs_document_cursor_open(gs_document_cursor *c, const gs_index *index,
                                gs_status *st)
{
    const uint8_t *file = NULL;
    const gs_index_head *const head = gs_index_documents_head(index);
    gs_assert(gs_index_header_of(index)->has_names);
    GS_TRY(gs_index_place(index, GS_INDEX_DOCUMENTS, 0, sizeof *head, &file, st));
    *c = (gs_document_cursor){
        .index = index,
        .pages = gs_index_pages(index, GS_INDEX_DOCUMENTS),
        .left = head->count,
        .lengths = file + sizeof *head,
        .names = file + head->offsets,
        .end = file + head->end,
        .held_lengths = file,
        .held_names = file + head->offsets,
    };
    return GS_OK;
}

static void let_go(gs_document_cursor *c)
{
    if (c->names - c->held_names < HELD_BYTES)
        return;
    gs_index_let_go(c->held_lengths, c->lengths);
    gs_index_let_go(c->held_names, c->names);
    c->held_lengths = c->lengths;
    c->held_names = c->names;
}

static gs_code check(const gs_document_cursor *c, const uint8_t *at, size_t bytes,
                     gs_status *st)
{
    return gs_index_check_pages(c->index, GS_INDEX_DOCUMENTS, c->pages, at, at + bytes,
                                st);
}

gs_code gs_document_cursor_next(gs_document_cursor *c, gs_status *st)
{
    uint64_t bytes;
    c->has_document = c->left > 0;
    if (!c->has_document)
        return GS_OK;
    let_go(c);
    const size_t left = (size_t)(c->end - c->names);
    GS_TRY(check(c, c->lengths, sizeof c->length, st));
    GS_TRY(
        check(c, c->names, left < GS_VARINT_BYTES_MAX ? left : GS_VARINT_BYTES_MAX, st));
    if (!gs_varint_read(&c->names, c->end, &bytes) ||
        bytes > (uint64_t)(c->end - c->names))
        return gs_index_damaged(c->index, GS_INDEX_DOCUMENTS, "a name is not there", st);
    GS_TRY(check(c, c->names, (size_t)bytes, st));
    c->name = c->names;
    c->name_bytes = (size_t)bytes;
    c->names += bytes;
    memcpy(&c->length, c->lengths, sizeof c->length);
    c->lengths += sizeof c->length;
    c->left--;
    return GS_OK;
}
