/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/replay.h"

#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/record/line_feed.h"
#include "lib/sort/record/line_scan.h"

size_t gs_part_cut(const gs_part_form *form, const uint8_t *from, size_t left)
{
    const size_t size = form->record_size;
    const size_t part = left < form->part_bytes ? left : form->part_bytes;
    if (size > 0)
        return size > left ? 0 : size < part ? part / size * size : size;
    const size_t whole = gs_line_find_last(from, part, form->eol);
    if (whole > 0)
        return whole;
    const size_t end = part + gs_line_find(from + part, left - part, form->eol);
    return end < left ? end + 1 : 0;
}

/* Reads a batch of the file into new memory, which is more if a record is longer. */
static gs_code read_part(gs_replay *r, const gs_part_form *form, uint8_t **memory,
                         size_t *bytes, gs_status *st)
{
    const uint64_t left = r->file_bytes - r->file_at;
    for (size_t want = form->part_bytes;; want *= 2) {
        const size_t n = left < want ? (size_t)left : want;
        size_t taken = 0;
        GS_TRY(gs_mem_resize(memory, n + GS_BLOCK_SLACK, "text that is read again", st));
        const int error = gs_pread_all(r->fd, *memory, n, r->file_at, &taken);
        if (error != 0 || taken < n)
            return GS_FAIL(st, GS_ERR_IO, error,
                           "read failed: text that was kept in a temporary file");
        *bytes = gs_part_cut(form, *memory, n);
        if (*bytes > 0)
            return GS_OK;
        gs_assert(n < left); /* at its end there are whole records only */
    }
}

gs_code gs_replay_next(gs_replay *r, const gs_part_form *form, gs_line_batch *out,
                       bool *has_batch, gs_status *st)
{
    *has_batch = true;
    if (r->at < r->bytes) {
        const uint8_t *const from = r->memory + r->at;
        const size_t n = gs_part_cut(form, from, r->bytes - r->at);
        gs_assert(n > 0);
        *out = (gs_line_batch){.data = from, .bytes = n};
        r->at += n;
    } else if (r->file_at < r->file_bytes) {
        uint8_t *memory = NULL;
        size_t n = 0;
        if (read_part(r, form, &memory, &n, st) != GS_OK) {
            gs_mem_free(memory);
            return st->code;
        }
        *out = (gs_line_batch){.data = memory, .bytes = n, .heap = memory};
        r->file_at += n;
    } else {
        *has_batch = false;
    }
    return GS_OK;
}

void gs_replay_release(gs_replay *r)
{
    if (r->memory != NULL)
        gs_mem_unmap(r->memory, r->map_bytes);
    if (r->file_bytes > 0)
        (void)close(r->fd);
    *r = (gs_replay){0};
}
