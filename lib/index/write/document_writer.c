/* SPDX-License-Identifier: MIT */
#include "lib/index/write/document_writer.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum { BUFFER_BYTES = 1 << 18 };

gs_code gs_document_writer_open(gs_document_writer *w, const char *folder, bool has_names,
                                gs_status *st)
{
    *w = (gs_document_writer){.has_names = has_names};
    if (!has_names)
        return GS_OK;
    GS_TRY(gs_append_file_open(&w->names, folder, BUFFER_BYTES, st));
    return gs_append_file_open(&w->lengths, folder, BUFFER_BYTES, st);
}

void gs_document_writer_release(gs_document_writer *w)
{
    gs_append_file_close(&w->names);
    gs_append_file_close(&w->lengths);
    gs_length_table_release(&w->table);
    gs_mem_free(w->name_offsets);
    *w = (gs_document_writer){0};
}

gs_code gs_document_writer_add(gs_document_writer *w, const void *name, size_t name_bytes,
                               uint32_t length, gs_status *st)
{
    gs_assert(w->has_names);
    if (w->count % GS_INDEX_NAME_BLOCK == 0) {
        GS_TRY(gs_mem_grow(&w->name_offsets, &w->name_offset_capacity,
                           w->name_offset_count + 1, "document names", st));
        w->name_offsets[w->name_offset_count++] = w->names.bytes + w->names.used;
    }
    uint8_t head[GS_VARINT_BYTES_MAX];
    const size_t head_bytes = (size_t)(gs_varint_put(head, name_bytes) - head);
    GS_TRY(gs_append_file_put(&w->names, head, head_bytes, st));
    GS_TRY(gs_append_file_put(&w->names, name, name_bytes, st));
    GS_TRY(gs_append_file_put(&w->lengths, &length, sizeof length, st));
    GS_TRY(gs_length_table_add(&w->table, length, st));
    w->length_sum += length;
    w->count++;
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
    GS_TRY(gs_file_writer_put(file, w->name_offsets,
                              w->name_offset_count * sizeof(uint64_t), st));
    head.offsets = gs_file_writer_bytes(file);
    if (w->has_names)
        GS_TRY(copy(&w->names, file, st));
    head.end = gs_file_writer_bytes(file);
    return gs_file_writer_set_head(file, &head, sizeof head, st);
}
