/* SPDX-License-Identifier: MIT */
#include "lib/index/document_cursor.h"

#include <string.h>

#include "lib/base/assertion.h"

enum { HELD_BYTES = 1 << 20 };

gs_code gs_document_cursor_open(gs_document_cursor *c, const gs_index *index,
                                gs_status *st)
{
    const uint8_t *file = NULL;
    const gs_index_head *const head = gs_index_documents_head(index);
    gs_assert(gs_index_header_of(index)->has_names);
    GS_TRY(gs_index_bytes(index, GS_INDEX_DOCUMENTS, 0, sizeof *head, &file, st));
    *c = (gs_document_cursor){
        .index = index,
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

gs_code gs_document_cursor_next(gs_document_cursor *c, gs_status *st)
{
    uint64_t bytes;
    c->has_document = c->left > 0;
    if (!c->has_document)
        return GS_OK;
    let_go(c);
    if (!gs_varint_read(&c->names, c->end, &bytes) ||
        bytes > (uint64_t)(c->end - c->names))
        return gs_index_damaged(c->index, GS_INDEX_DOCUMENTS, "a name is not there", st);
    c->name = c->names;
    c->name_bytes = (size_t)bytes;
    c->names += bytes;
    memcpy(&c->length, c->lengths, sizeof c->length);
    c->lengths += sizeof c->length;
    c->left--;
    return GS_OK;
}
