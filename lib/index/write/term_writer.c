/* SPDX-License-Identifier: MIT */
#include "lib/index/write/term_writer.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

gs_code gs_term_writer_open(gs_term_writer *w, gs_file_writer *file, gs_status *st)
{
    const gs_index_head empty = {0};
    w->file = file;
    return gs_file_writer_put(file, &empty, sizeof empty, st); /* finish fills it */
}

void gs_term_writer_release(gs_term_writer *w)
{
    gs_mem_free(w->prefixes);
    gs_mem_free(w->offsets);
    w->prefixes = w->offsets = NULL;
}

static gs_code grow_tables(gs_term_writer *w, gs_status *st)
{
    if (w->block_count < w->block_capacity)
        return GS_OK;
    const size_t capacity = 2 * w->block_capacity + 1024;
    GS_TRY(gs_mem_resize(&w->prefixes, capacity * sizeof(uint64_t), "term prefixes", st));
    GS_TRY(
        gs_mem_resize(&w->offsets, (capacity + 1) * sizeof(uint64_t), "term blocks", st));
    w->block_capacity = capacity;
    return GS_OK;
}

static gs_code begin_block(gs_term_writer *w, const uint8_t *term, size_t bytes,
                           gs_status *st)
{
    GS_TRY(grow_tables(w, st));
    w->prefixes[w->block_count] = gs_term_prefix(term, bytes);
    w->offsets[w->block_count] = gs_file_writer_bytes(w->file);
    w->block_count++;
    const gs_index_begins begins = {w->postings, w->positions};
    return gs_file_writer_put(w->file, &begins, sizeof begins, st);
}

gs_code gs_term_writer_add(gs_term_writer *w, const uint8_t *term, size_t bytes,
                           const gs_term_info *info, gs_status *st)
{
    size_t shared = 0;
    while (shared < bytes && shared < w->last_bytes && term[shared] == w->last[shared])
        shared++;
    const bool ascends =
        w->count == 0 ||
        (shared < bytes && (shared == w->last_bytes || term[shared] > w->last[shared]));
    if (!ascends)
        return GS_FAIL(st, GS_ERR_ARG, 0, "terms of the parts do not ascend");
    if (w->count % GS_INDEX_TERM_BLOCK == 0) {
        GS_TRY(begin_block(w, term, bytes, st));
        shared = 0;
    }
    uint8_t head[2 * GS_VARINT_BYTES_MAX], tail[5 * GS_VARINT_BYTES_MAX];
    uint8_t *to = gs_varint_put(head, shared);
    to = gs_varint_put(to, bytes - shared);
    GS_TRY(gs_file_writer_put(w->file, head, (size_t)(to - head), st));
    GS_TRY(gs_file_writer_put(w->file, term + shared, bytes - shared, st));
    to = gs_varint_put(tail, info->df);
    to = gs_varint_put(to, info->cf - info->df);
    to = gs_varint_put(to, info->postings_bytes);
    to = gs_varint_put(to, info->skip_bytes);
    to = gs_varint_put(to, info->positions_bytes);
    GS_TRY(gs_file_writer_put(w->file, tail, (size_t)(to - tail), st));
    memcpy(w->last, term, bytes);
    w->last_bytes = bytes;
    w->count++;
    w->postings += info->postings_bytes + info->skip_bytes;
    w->positions += info->positions_bytes;
    return GS_OK;
}

gs_code gs_term_writer_finish(gs_term_writer *w, gs_status *st)
{
    GS_TRY(grow_tables(w, st));
    w->offsets[w->block_count] = gs_file_writer_bytes(w->file);
    GS_TRY(gs_file_writer_align(w->file, sizeof(uint64_t), st));
    gs_index_head head = {
        .magic = GS_INDEX_TERMS_MAGIC, .count = w->count, .blocks = w->block_count};
    head.table = gs_file_writer_bytes(w->file);
    GS_TRY(
        gs_file_writer_put(w->file, w->prefixes, w->block_count * sizeof(uint64_t), st));
    head.offsets = gs_file_writer_bytes(w->file);
    GS_TRY(gs_file_writer_put(w->file, w->offsets,
                              (w->block_count + 1) * sizeof(uint64_t), st));
    head.end = gs_file_writer_bytes(w->file);
    return gs_file_writer_set_head(w->file, &head, sizeof head, st);
}
