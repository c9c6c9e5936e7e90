/* SPDX-License-Identifier: MIT */
#include "lib/index/write/document_writer.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum { BUFFER_BYTES = 1 << 18, OFFSETS_BYTES = 1 << 16 };

gs_code gs_document_writer_open(gs_document_writer *w, const char *folder, bool has_names,
                                gs_status *st)
{
    *w = (gs_document_writer){.has_names = has_names};
    if (!has_names)
        return GS_OK;
    GS_TRY(gs_append_file_open(&w->names, folder, BUFFER_BYTES, st));
    GS_TRY(gs_append_file_open(&w->lengths, folder, BUFFER_BYTES, st));
    return gs_append_file_open(&w->name_offsets, folder, OFFSETS_BYTES, st);
}

void gs_document_writer_release(gs_document_writer *w)
{
    gs_append_file_close(&w->names);
    gs_append_file_close(&w->lengths);
    gs_append_file_close(&w->name_offsets);
    gs_length_table_release(&w->table);
    gs_mem_free(w->last);
    *w = (gs_document_writer){0};
}

/* What the name does not share with the one before. */
static gs_code put_name(gs_document_writer *w, const uint8_t *name, size_t bytes,
                        gs_status *st)
{
    uint8_t head[GS_NAME_HEAD_BYTES_MAX];
    const size_t shared = gs_name_shared(w->last, w->last_bytes, name, bytes);
    const uint8_t *const end = gs_name_head_put(head, shared, bytes);
    GS_TRY(gs_append_file_put(&w->names, head, (size_t)(end - head), st));
    GS_TRY(gs_append_file_put(&w->names, name + shared, bytes - shared, st));
    GS_TRY(gs_mem_grow(&w->last, &w->last_capacity, bytes, "document names", st));
    if (bytes > shared)
        memcpy(w->last + shared, name + shared, bytes - shared);
    w->last_bytes = bytes;
    return GS_OK;
}

gs_code gs_document_writer_add(gs_document_writer *w, const void *name, size_t name_bytes,
                               uint32_t length, gs_status *st)
{
    gs_assert(w->has_names);
    if (w->count % GS_INDEX_NAME_BLOCK == 0) {
        const uint64_t offset = w->names.bytes + w->names.used;
        GS_TRY(gs_append_file_put(&w->name_offsets, &offset, sizeof offset, st));
        w->last_bytes = 0;
    }
    GS_TRY(put_name(w, name, name_bytes, st));
    GS_TRY(gs_append_file_put(&w->lengths, &length, sizeof length, st));
    GS_TRY(gs_length_table_add(&w->table, length, st));
    w->length_sum += length;
    w->count++;
    return GS_OK;
}

gs_code gs_document_writer_add_packed(gs_document_writer *w, const gs_name_pack *p,
                                      gs_status *st)
{
    const size_t count = p->count - p->lead;
    const uint64_t begin = w->names.bytes + w->names.used;
    gs_assert(w->has_names && w->count == p->first + p->lead);
    if (count == 0)
        return GS_OK;
    const uint32_t *const lengths = p->lengths + p->lead;
    for (size_t i = 0; i < p->start_count; i++) {
        const uint64_t offset = begin + p->starts[i];
        GS_TRY(gs_append_file_put(&w->name_offsets, &offset, sizeof offset, st));
    }
    GS_TRY(gs_append_file_put(&w->names, p->packed, p->packed_bytes, st));
    GS_TRY(gs_append_file_put(&w->lengths, lengths, count * sizeof *lengths, st));
    for (size_t i = 0; i < count; i++) {
        GS_TRY(gs_length_table_add(&w->table, lengths[i], st));
        w->length_sum += lengths[i];
    }
    GS_TRY(gs_mem_grow(&w->last, &w->last_capacity, p->last_bytes, "document names", st));
    if (p->last_bytes > 0)
        memcpy(w->last, p->last, p->last_bytes);
    w->last_bytes = p->last_bytes;
    w->count += count;
    return GS_OK;
}

static gs_code copy(gs_append_file *from, gs_file_writer *to, gs_status *st)
{
    GS_TRY(gs_append_file_rewind(from, st));
    return gs_file_writer_put_all(to, from, st);
}

gs_code gs_document_writer_finish(gs_document_writer *w, gs_file_writer *file,
                                  gs_status *st)
{
    gs_index_head head = {
        .magic = GS_INDEX_DOCUMENTS_MAGIC, .count = w->count, .blocks = w->has_names};
    GS_TRY(gs_file_writer_put(file, &(const gs_index_head){0}, sizeof head, st));
    if (w->has_names)
        GS_TRY(copy(&w->lengths, file, st));
    GS_TRY(gs_file_writer_align(file, sizeof(uint64_t), st));
    head.table = gs_file_writer_bytes(file);
    if (w->has_names)
        GS_TRY(copy(&w->name_offsets, file, st));
    head.offsets = gs_file_writer_bytes(file);
    if (w->has_names)
        GS_TRY(copy(&w->names, file, st));
    head.end = gs_file_writer_bytes(file);
    return gs_file_writer_set_head(file, &head, sizeof head, st);
}
