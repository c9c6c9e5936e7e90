/* SPDX-License-Identifier: MIT */
#include "lib/index/read/index_documents.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/read/index_state.h"

gs_code gs_index_document_length(const gs_index *index, uint64_t doc, uint32_t *length,
                                 gs_status *st)
{
    if (doc >= index->documents.count)
        return gs_index_damaged(index, GS_INDEX_DOCUMENTS, "a docID is not there", st);
    *length = 0;
    if (index->documents.blocks == 0)
        return GS_OK;
    const uint64_t offset = sizeof(gs_index_head) + doc * sizeof *length;
    const uint8_t *const at = index->files[GS_INDEX_DOCUMENTS] + offset;
    if (!gs_page_checks_know_at(&index->pages[GS_INDEX_DOCUMENTS], offset))
        GS_TRY(gs_index_compare_pages(index, GS_INDEX_DOCUMENTS, at, at + sizeof *length,
                                      st));
    memcpy(length, at, sizeof *length);
    return GS_OK;
}

const uint32_t *gs_index_document_lengths(const gs_index *index)
{
    /* Aligned, and all there: the head was checked. */
    return index->documents.blocks == 0
               ? NULL
               : (const uint32_t *)(const void *)(index->files[GS_INDEX_DOCUMENTS] +
                                                  sizeof(gs_index_head));
}

/* Where the names of a block of documents lie, behind where all of them begin. */
static gs_code find_names(const gs_index *index, uint64_t block, uint64_t *at,
                          uint64_t *behind, gs_status *st)
{
    const gs_index_head *const d = &index->documents;
    const bool is_last = block == (d->count - 1) / GS_INDEX_NAME_BLOCK;
    const uint8_t *const entry =
        index->files[GS_INDEX_DOCUMENTS] + d->table + block * sizeof *at;
    GS_TRY(gs_index_check_own_pages(index, GS_INDEX_DOCUMENTS, entry,
                                    entry + (is_last ? 1 : 2) * sizeof *at, st));
    memcpy(at, entry, sizeof *at);
    *at = gs_index_once(*at);
    *behind = d->end - d->offsets;
    if (!is_last)
        memcpy(behind, entry + sizeof *at, sizeof *behind);
    *behind = gs_index_once(*behind);
    return *at <= *behind && *behind <= d->end - d->offsets
               ? GS_OK
               : gs_index_damaged(index, GS_INDEX_DOCUMENTS, "a name is not there", st);
}

gs_code gs_document_name_read(gs_document_name *name, const uint8_t **p,
                              const uint8_t *end, gs_status *st)
{
    uint64_t shared, own;
    if (!gs_varint_read(p, end, &shared) || !gs_varint_read(p, end, &own) ||
        own > (uint64_t)(end - *p) || shared > name->bytes)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "a name is not there");
    GS_TRY(gs_mem_grow(&name->text, &name->capacity, (size_t)(shared + own) + 1,
                       "name of a document", st));
    memcpy(name->text + shared, *p, (size_t)own);
    name->bytes = (size_t)(shared + own);
    *p += own;
    return GS_OK;
}

void gs_document_name_release(gs_document_name *name)
{
    gs_mem_free(name->text);
    *name = (gs_document_name){0};
}

void gs_index_document_name_soon(const gs_index *index, uint64_t doc)
{
    const gs_index_head *const d = &index->documents;
    const uint8_t *const file = index->files[GS_INDEX_DOCUMENTS];
    uint64_t at;
    if (doc >= d->count || d->blocks == 0)
        return;
    memcpy(&at, file + d->table + doc / GS_INDEX_NAME_BLOCK * sizeof at, sizeof at);
    __builtin_prefetch(file + d->offsets + at);
}

/* A block of names whose lengths are bytes, as most are, from `p` on: the one behind
 * `before` others is put together from its end, so that of those only what it shares is
 * copied. False: it is read one by one, which also says what is wrong with it. */
static bool read_short_names(gs_document_name *name, const uint8_t *p, const uint8_t *end,
                             size_t before)
{
    const uint8_t *at[GS_INDEX_NAME_BLOCK]; /* what is each name's own */
    size_t shares[GS_INDEX_NAME_BLOCK];     /* of the first none */
    size_t bytes = 0;
    for (size_t i = 0; i <= before; i++) {
        if (end - p < 2)
            return false;
        const size_t shared = gs_index_once(p[0]), own = gs_index_once(p[1]);
        if ((shared | own) >= 0x80 || shared > bytes || own > (size_t)(end - p - 2))
            return false;
        at[i] = p + 2;
        shares[i] = shared;
        bytes = shared + own;
        p += 2 + own;
    }
    if (bytes >= name->capacity)
        return false;
    name->bytes = bytes;
    for (size_t i = before, wanted = bytes; wanted > 0; i--) {
        const size_t shared = shares[i];
        if (shared < wanted) {
            memcpy(name->text + shared, at[i], wanted - shared);
            wanted = shared;
        }
    }
    return true;
}

static __attribute__((noinline)) gs_code read_names(const gs_index *index,
                                                    gs_document_name *name,
                                                    const uint8_t *p, const uint8_t *end,
                                                    size_t before, gs_status *st)
{
    gs_status inner = {.code = GS_OK};
    for (size_t i = 0; i <= before && inner.code == GS_OK; i++)
        GS_NOTED(gs_document_name_read(name, &p, end, &inner));
    if (inner.code == GS_ERR_FORMAT)
        return gs_index_damaged(index, GS_INDEX_DOCUMENTS, "a name is not there", st);
    gs_status_keep_first(st, &inner);
    return st->code;
}

gs_code gs_index_document_name(const gs_index *index, uint64_t doc,
                               gs_document_name *name, gs_status *st)
{
    const gs_index_head *const d = &index->documents;
    name->bytes = 0;
    if (doc >= d->count)
        return gs_index_damaged(index, GS_INDEX_DOCUMENTS, "a docID is not there", st);
    if (d->blocks == 0)
        return GS_OK;
    const uint8_t *const file = index->files[GS_INDEX_DOCUMENTS];
    uint64_t at, behind;
    GS_TRY(find_names(index, doc / GS_INDEX_NAME_BLOCK, &at, &behind, st));
    const uint8_t *p = file + d->offsets + at;
    const uint8_t *const end = file + d->offsets + behind;
    GS_TRY(gs_index_check_own_pages(index, GS_INDEX_DOCUMENTS, p, end, st));
    const size_t before = doc % GS_INDEX_NAME_BLOCK;
    return read_short_names(name, p, end, before)
               ? GS_OK
               : read_names(index, name, p, end, before, st);
}
