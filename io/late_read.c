/* SPDX-License-Identifier: MIT */
#include "io/late_read.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

struct gs_late_file {
    int fd;
    const char *name;
    atomic_size_t users; /* who made it, and blocks without content */
};

enum {
    WINDOW_BYTES_MIN = 4096, /* most records end within as many bytes, */
    WINDOW_BYTES_MAX = 65536 /* and of the others it is looked back by as many */
};

gs_code gs_late_file_new(gs_late_file **out, int fd, const char *name, gs_status *st)
{
    *out = NULL;
    gs_late_file *file = NULL;
    GS_TRY(gs_mem_new(&file, sizeof *file, "input file", st));
    file->fd = fd;
    file->name = name;
    atomic_store(&file->users, 1);
    *out = file;
    return GS_OK;
}

void gs_late_file_release(gs_late_file *file)
{
    if (file == NULL || atomic_fetch_sub(&file->users, 1) > 1)
        return;
    (void)close(file->fd);
    gs_mem_free(file);
}

size_t gs_late_file_cut(const gs_late_file *file, uint64_t offset, size_t bytes,
                        uint8_t eol)
{
    uint8_t window[WINDOW_BYTES_MAX];
    size_t most = WINDOW_BYTES_MIN, taken;
    for (size_t left = bytes; left > 0; most = WINDOW_BYTES_MAX) {
        const size_t n = left < most ? left : most;
        left -= n;
        if (gs_pread_all(file->fd, window, n, offset + left, &taken) != 0 || taken < n)
            return 0;
        const uint8_t *const last = memrchr(window, eol, n);
        if (last != NULL)
            return left + (size_t)(last - window) + 1;
    }
    return 0;
}

size_t gs_late_file_first(const gs_late_file *file, uint64_t offset, size_t bytes,
                          uint8_t eol)
{
    uint8_t window[WINDOW_BYTES_MAX];
    for (size_t at = 0, taken; at < bytes; at += taken) {
        const size_t n = bytes - at < sizeof window ? bytes - at : sizeof window;
        if (gs_pread_all(file->fd, window, n, offset + at, &taken) != 0 || taken < n)
            return 0;
        const uint8_t *const first = memchr(window, eol, n);
        if (first != NULL)
            return at + (size_t)(first - window) + 1;
    }
    return 0;
}

void gs_block_set_late(gs_block *block, gs_late_file *file, uint64_t offset, size_t bytes,
                       size_t rest)
{
    gs_assert(block->late == NULL && block->data == block->start);
    gs_assert(bytes <= block->capacity);
    atomic_fetch_add(&file->users, 1);
    block->late = file;
    block->late_offset = offset;
    block->len = bytes;
    block->late_rest = rest;
}

static gs_code read_to(gs_block *block, uint8_t *to, size_t bytes, gs_status *st)
{
    gs_late_file *const file = block->late;
    gs_quoted name;
    size_t taken = 0;
    const int error = gs_pread_all(file->fd, to, bytes, block->late_offset, &taken);
    if (error != 0)
        (void)GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                      gs_quote_name(&name, file->name));
    else if (taken < bytes)
        (void)GS_FAIL(st, GS_ERR_IO, 0, "%s: it became shorter while it was read",
                      gs_quote_name(&name, file->name));
    block->late = NULL;
    block->late_rest = 0;
    gs_late_file_release(file);
    return st->code;
}

gs_code gs_block_read_late(gs_block *block, gs_status *st)
{
    gs_assert(block->late_rest == 0);
    return block->late == NULL ? GS_OK : read_to(block, block->start, block->len, st);
}

gs_code gs_block_read_whole(gs_block *block, uint8_t *to, gs_status *st)
{
    return read_to(block, to, block->len + block->late_rest, st);
}
