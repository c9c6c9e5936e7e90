/* SPDX-License-Identifier: MIT */
#include "lib/index/write/term_writer.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum {
    ENTRY_BYTES_MAX = 1 + (2 + 5) * GS_VARINT_BYTES_MAX, /* without the suffix */
    SUFFIX_SHORT = 64,                                   /* bytes */
};

gs_code gs_term_writer_open(gs_term_writer *w, gs_file_writer *file, bool has_positions,
                            gs_status *st)
{
    const gs_index_head empty = {0};
    w->has_positions = has_positions;
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
    w->only_doc = 0;
    uint8_t begins[2 * GS_VARINT_BYTES_MAX];
    uint8_t *to = gs_varint_put(begins, w->postings);
    if (w->has_positions)
        to = gs_varint_put(to, w->positions);
    return gs_file_writer_put(w->file, begins, (size_t)(to - begins), st);
}

/* Both lengths in a byte, and what does not fit behind it. */
static uint8_t *put_lengths(uint8_t *to, size_t shared, size_t suffix)
{
    const size_t more = GS_TERM_LENGTH_MORE;
    const size_t a = shared < more ? shared : more;
    const size_t b = suffix - 1 < more ? suffix - 1 : more;
    *to++ = (uint8_t)(a << GS_TERM_LENGTH_BITS | b);
    if (a == more)
        to = gs_varint_put(to, shared - more);
    if (b == more)
        to = gs_varint_put(to, suffix - 1 - more);
    return to;
}

/* Counts, and where the postings are. */
static uint8_t *put_info(gs_term_writer *w, uint8_t *to, const gs_term_info *info)
{
    const uint64_t more = info->cf - info->df;
    to = gs_varint_put(to, (info->df - 1) << 1 | (more == 0));
    if (more > 0)
        to = gs_varint_put(to, more - 1);
    if (info->df == 1) {
        to = gs_varint_put(to, gs_zigzag((int64_t)(info->only_doc - w->only_doc)));
        w->only_doc = info->only_doc;
    } else {
        to = gs_varint_put(to, info->postings_bytes);
    }
    if (info->df >= GS_INDEX_BLOCK)
        to = gs_varint_put(to, info->skip_bytes);
    return w->has_positions ? gs_varint_put(to, info->positions_bytes) : to;
}

/* Of the term what it does not share with the one before, between its lengths and what is
 * told of it; where it is short, as most are, at once. */
static gs_code put_entry(gs_term_writer *w, size_t shared, const uint8_t *suffix,
                         size_t bytes, const gs_term_info *info, gs_status *st)
{
    uint8_t entry[SUFFIX_SHORT + ENTRY_BYTES_MAX];
    uint8_t *to = put_lengths(entry, shared, bytes);
    if (bytes <= SUFFIX_SHORT) {
        memcpy(to, suffix, bytes);
        to += bytes;
    } else {
        GS_TRY(gs_file_writer_put(w->file, entry, (size_t)(to - entry), st));
        GS_TRY(gs_file_writer_put(w->file, suffix, bytes, st));
        to = entry;
    }
    to = put_info(w, to, info);
    return gs_file_writer_put(w->file, entry, (size_t)(to - entry), st);
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
    GS_TRY(put_entry(w, shared, term + shared, bytes - shared, info, st));
    memcpy(w->last, term, bytes);
    w->last_bytes = bytes;
    w->count++;
    w->postings += info->postings_bytes + info->skip_bytes;
    w->positions += info->positions_bytes;
    return GS_OK;
}

static gs_code put_block_places(gs_term_writer *w, gs_status *st)
{
    for (size_t i = 0; i <= w->block_count; i += GS_INDEX_PLACE_GROUP) {
        gs_index_places places = {.offset = w->offsets[i]};
        for (size_t k = 0; k < GS_INDEX_PLACE_GROUP && i + k <= w->block_count; k++)
            places.behind[k] = (uint32_t)(w->offsets[i + k] - places.offset);
        GS_TRY(gs_file_writer_put(w->file, &places, sizeof places, st));
    }
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
    GS_TRY(gs_file_writer_align(w->file, sizeof(gs_index_places), st));
    head.offsets = gs_file_writer_bytes(w->file);
    GS_TRY(put_block_places(w, st));
    head.end = gs_file_writer_bytes(w->file);
    return gs_file_writer_set_head(w->file, &head, sizeof head, st);
}
