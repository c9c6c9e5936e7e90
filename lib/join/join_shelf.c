/* SPDX-License-Identifier: MIT */
#include "lib/join/join_shelf.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

/* --- adding --------------------------------------------------------------------- */

/* Is there memory for one more block to stay? */
static bool take_share(gs_join_store *store, size_t bytes)
{
    const size_t held = atomic_fetch_add(&store->held_bytes, bytes);
    if (held + bytes <= store->memory_bytes)
        return true;
    atomic_fetch_sub(&store->held_bytes, bytes);
    return false;
}

static gs_code fail_file(const char *folder, const char *what, int error, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_IO, error, "%s of lines kept in a temporary file of '%s'",
                   what, folder);
}

/* Puts the last block, which is full, into the file, and its memory aside. */
static gs_code move_to_file(gs_join_shelf *shelf, gs_join_block *block, gs_status *st)
{
    gs_join_store *const store = shelf->store;
    if (!shelf->has_file) {
        GS_TRY(gs_spill_file_new(store->spill, &shelf->fd, &shelf->folder, st));
        shelf->has_file = true;
    }
    const int error =
        gs_pwrite_all(shelf->fd, block->memory, block->used, shelf->file_bytes);
    if (error != 0)
        return fail_file(shelf->folder, "write", error, st);
    block->fd = shelf->fd;
    block->folder = shelf->folder;
    block->offset = shelf->file_bytes;
    shelf->file_bytes += block->used;
    if (store->spill_bytes != NULL)
        atomic_fetch_add(store->spill_bytes, block->used);
    if (block->capacity == store->block_bytes && shelf->spare == NULL)
        shelf->spare = block->memory;
    else
        gs_mem_free(block->memory);
    block->memory = NULL;
    return GS_OK;
}

/* The last block is full: it stays in memory if there is some. */
static gs_code settle_last(gs_join_shelf *shelf, gs_status *st)
{
    gs_join_block *const last = &shelf->blocks[shelf->block_count - 1];
    last->is_held = shelf->file_bytes == 0 && take_share(shelf->store, last->capacity);
    return last->is_held ? GS_OK : move_to_file(shelf, last, st);
}

static gs_code open_block(gs_join_shelf *shelf, size_t bytes, gs_status *st)
{
    const size_t usual = shelf->store->block_bytes;
    if (shelf->block_count > 0)
        GS_TRY(settle_last(shelf, st));
    GS_TRY(gs_mem_grow(&shelf->blocks, &shelf->block_capacity, shelf->block_count + 1,
                       "kept lines", st));
    gs_join_block block = {.capacity = bytes > usual ? bytes : usual};
    if (block.capacity == usual && shelf->spare != NULL) {
        block.memory = shelf->spare;
        shelf->spare = NULL;
    } else {
        GS_TRY(gs_mem_new(&block.memory, block.capacity + GS_SHORT_COPY_BYTES,
                          "kept lines", st));
    }
    shelf->blocks[shelf->block_count++] = block;
    return GS_OK;
}

gs_code gs_join_shelf_add(gs_join_shelf *shelf, const gs_join_kept *line, gs_status *st)
{
    const gs_join_kept_head head = {(uint32_t)line->key_bytes,
                                    (uint32_t)line->line_bytes};
    gs_assert(head.key_bytes == line->key_bytes && head.line_bytes == line->line_bytes);
    const size_t bytes = sizeof head + line->key_bytes + line->line_bytes;
    gs_join_block *last =
        shelf->block_count > 0 ? &shelf->blocks[shelf->block_count - 1] : NULL;
    if (last == NULL || shelf->is_sealed || last->capacity - last->used < bytes) {
        shelf->is_sealed = false;
        GS_TRY(open_block(shelf, bytes, st));
        last = &shelf->blocks[shelf->block_count - 1];
    }
    uint8_t *const to = last->memory + last->used;
    memcpy(to, &head, sizeof head);
    if (line->key_bytes > 0)
        memcpy(to + sizeof head, line->key, line->key_bytes);
    if (line->line_bytes > 0)
        memcpy(to + sizeof head + line->key_bytes, line->line, line->line_bytes);
    last->used += bytes;
    shelf->line_count++;
    return GS_OK;
}

gs_code gs_join_shelf_take(gs_join_shelf *shelf, gs_join_shelf *from, size_t first,
                           size_t count, uint64_t lines, gs_status *st)
{
    gs_assert(first + count <= from->block_count && !shelf->has_file);
    GS_TRY(gs_mem_grow(&shelf->blocks, &shelf->block_capacity, shelf->block_count + count,
                       "kept lines", st));
    for (size_t b = first; b < first + count; b++) {
        shelf->blocks[shelf->block_count++] = from->blocks[b];
        shelf->file_bytes += from->blocks[b].memory == NULL ? from->blocks[b].used : 0;
        from->blocks[b].memory = NULL;
        from->blocks[b].is_held = false;
    }
    shelf->line_count += lines;
    return GS_OK;
}

void gs_join_shelf_forget(gs_join_shelf *shelf)
{
    for (size_t b = 0; b < shelf->block_count; b++) {
        gs_join_block *const block = &shelf->blocks[b];
        if (block->is_held)
            atomic_fetch_sub(&shelf->store->held_bytes, block->capacity);
        if (block->capacity == shelf->store->block_bytes && shelf->spare == NULL)
            shelf->spare = block->memory;
        else
            gs_mem_free(block->memory);
    }
    shelf->block_count = 0;
    shelf->is_sealed = false;
    shelf->file_bytes = 0;
    shelf->line_count = 0;
}

void gs_join_shelf_release(gs_join_shelf *shelf)
{
    gs_join_shelf_forget(shelf);
    gs_mem_free(shelf->spare);
    gs_mem_free(shelf->blocks);
    if (shelf->has_file)
        (void)close(shelf->fd);
    *shelf = (gs_join_shelf){.store = shelf->store};
}

/* --- reading -------------------------------------------------------------------- */

/* The bytes of a block, read if they are in the file. */
static gs_code bring(gs_join_reader *r, const gs_join_shelf *shelf, gs_status *st)
{
    const gs_join_block *const block = &shelf->blocks[r->block];
    r->bytes = NULL;
    r->end = 0;
    if (block->memory == NULL) {
        size_t taken;
        GS_TRY(gs_mem_grow(&r->room, &r->capacity, block->used + GS_SHORT_COPY_BYTES,
                           "kept lines", st));
        const int error =
            gs_pread_all(block->fd, r->room, block->used, block->offset, &taken);
        if (error != 0 || taken < block->used)
            return fail_file(block->folder, "read", error, st);
    }
    r->bytes = block->memory != NULL ? block->memory : r->room;
    r->bytes_block = r->block;
    r->bytes_shelf = shelf;
    return GS_OK;
}

gs_code gs_join_reader_to_line(gs_join_reader *r, const gs_join_shelf *shelf,
                               bool *has_line, gs_status *st)
{
    while (r->block < shelf->block_count && r->at == shelf->blocks[r->block].used) {
        r->block++;
        r->at = 0;
    }
    *has_line = r->block < shelf->block_count;
    if (!*has_line)
        return GS_OK;
    if (r->bytes == NULL || r->bytes_block != r->block || r->bytes_shelf != shelf)
        GS_TRY(bring(r, shelf, st));
    r->end = shelf->blocks[r->block].used;
    return GS_OK;
}

void gs_join_reader_release(gs_join_reader *r)
{
    gs_mem_free(r->room);
    *r = (gs_join_reader){0};
}
