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

void gs_document_cursor_close(gs_document_cursor *c)
{
    gs_document_name_release(&c->made);
}

/* Where the name at `names` ends as far as its head says, if it has one. */
static gs_code check_name(const gs_document_cursor *c, gs_status *st)
{
    enum { HEAD_BYTES_MAX = 2 * GS_VARINT_BYTES_MAX };
    const uint8_t *p = c->names;
    const size_t left = (size_t)(c->end - p);
    uint64_t shared, own;
    GS_TRY(check(c, p, left < HEAD_BYTES_MAX ? left : HEAD_BYTES_MAX, st));
    if (!gs_varint_read(&p, c->end, &shared) || !gs_varint_read(&p, c->end, &own) ||
        own > (uint64_t)(c->end - p))
        return gs_index_damaged(c->index, GS_INDEX_DOCUMENTS, "a name is not there", st);
    return check(c, p, (size_t)own, st);
}

static gs_code make_name(gs_document_cursor *c, gs_status *st)
{
    gs_status inner = {.code = GS_OK};
    GS_TRY(check_name(c, st));
    if (c->in_block++ % GS_INDEX_NAME_BLOCK == 0)
        c->made.bytes = 0;
    if (gs_document_name_read(&c->made, &c->names, c->end, &inner) == GS_ERR_FORMAT)
        return gs_index_damaged(c->index, GS_INDEX_DOCUMENTS, "a name is not there", st);
    gs_status_keep_first(st, &inner);
    c->name = c->made.text;
    c->name_bytes = c->made.bytes;
    return st->code;
}

gs_code gs_document_cursor_next(gs_document_cursor *c, gs_status *st)
{
    c->has_document = false;
    if (c->left == 0)
        return GS_OK;
    let_go(c);
    GS_TRY(check(c, c->lengths, sizeof c->length, st));
    GS_TRY(make_name(c, st));
    memcpy(&c->length, c->lengths, sizeof c->length);
    c->lengths += sizeof c->length;
    c->left--;
    c->has_document = true;
    return GS_OK;
}
