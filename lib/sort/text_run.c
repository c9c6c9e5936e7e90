/* SPDX-License-Identifier: MIT */
#include "lib/sort/text_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/assertion.h"

static void close_pipe(gs_text_run *run)
{
    if (run->pipe_fd >= 0)
        (void)close(run->pipe_fd);
    run->pipe_fd = -1;
}

/* Starts the program between `file_fd` and a new pipe, of which our end is kept. */
static gs_code start_program(gs_text_run *run, bool is_decoding, gs_status *st)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "couldn't create a pipe for '%s'",
                       run->program);
    const int theirs = is_decoding ? ends[1] : ends[0];
    run->pipe_fd = is_decoding ? ends[0] : ends[1];
    GS_NOTED(
        is_decoding
            ? gs_child_start(&run->child, run->program, true, run->file_fd, theirs, st)
            : gs_child_start(&run->child, run->program, false, theirs, run->file_fd, st));
    (void)close(theirs);
    if (st->code != GS_OK)
        close_pipe(run);
    return st->code;
}

gs_code gs_text_run_create(gs_text_run *run, gs_spill *spill, const char *program,
                           gs_stream_target *target, gs_status *st)
{
    *run =
        (gs_text_run){.spill = spill, .program = program, .file_fd = -1, .pipe_fd = -1};
    if (program == NULL) {
        GS_TRY(gs_spill_extent_open(spill, &run->extent, st));
        run->is_extent_open = true;
        (void)snprintf(run->failure, sizeof run->failure,
                       "write failed: temporary file in '%s'",
                       gs_spill_folder_name(spill, run->extent.folder));
        *target = (gs_stream_target){
            .fd = run->extent.fd,
            .is_seekable = true,
            .is_direct = run->extent.is_direct,
            .offset = run->extent.offset,
            .failure = run->failure,
        };
        return GS_OK;
    }
    GS_TRY(gs_spill_file_new(spill, &run->file_fd, st));
    GS_TRY(start_program(run, false, st));
    (void)snprintf(run->failure, sizeof run->failure, "write failed: '%s'", program);
    *target = (gs_stream_target){.fd = run->pipe_fd, .failure = run->failure};
    return GS_OK;
}

gs_code gs_text_run_finish(gs_text_run *run, uint64_t bytes, gs_status *st)
{
    run->bytes = bytes;
    if (run->program == NULL) {
        gs_spill_extent_close(run->spill, &run->extent, bytes);
        run->is_extent_open = false;
        return GS_OK;
    }
    close_pipe(run);
    return gs_child_wait(&run->child, st);
}

gs_code gs_text_run_open_read(gs_text_run *run, gs_block_pool *pool, gs_status *st)
{
    run->pool = pool;
    run->read_bytes = 0;
    if (run->program == NULL)
        return GS_OK;
    if (lseek(run->file_fd, 0, SEEK_SET) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "read failed: temporary file");
    return start_program(run, true, st);
}

/* Fills a block from the program's pipe. */
static gs_code read_pipe(gs_text_run *run, gs_block *block, gs_status *st)
{
    while (block->len < block->capacity) {
        const ssize_t n =
            read(run->pipe_fd, block->data + block->len, block->capacity - block->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return GS_FAIL(st, GS_ERR_IO, errno, "read failed: '%s'", run->program);
        if (n == 0) {
            block->ends_input = true;
            close_pipe(run);
            return gs_child_wait(&run->child, st);
        }
        block->len += (size_t)n;
    }
    return GS_OK;
}

/* Fills a block from the extent: whole aligned reads, cut at the end of the text. */
static gs_code read_extent(gs_text_run *run, gs_block *block, gs_status *st)
{
    const uint64_t left = run->bytes - run->read_bytes;
    const size_t want = left < block->capacity ? (size_t)left : block->capacity;
    const size_t rounded = (want + GS_SPILL_ALIGN - 1) / GS_SPILL_ALIGN * GS_SPILL_ALIGN;
    while (block->len < want) {
        const ssize_t n =
            pread(run->extent.fd, block->data + block->len, rounded - block->len,
                  (off_t)(run->extent.offset + run->read_bytes + block->len));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return GS_FAIL(st, GS_ERR_IO, n < 0 ? errno : EIO,
                           "read failed: temporary file in '%s'",
                           gs_spill_folder_name(run->spill, run->extent.folder));
        block->len += (size_t)n;
    }
    block->len = want;
    run->read_bytes += want;
    block->ends_input = run->read_bytes == run->bytes;
    return GS_OK;
}

gs_code gs_text_run_next(void *context, gs_block **out, gs_status *st)
{
    gs_text_run *const run = context;
    *out = NULL;
    if (run->pool == NULL)
        return GS_OK; /* the end was given */
    gs_block *const block = gs_block_get(run->pool);
    GS_NOTED(run->program ? read_pipe(run, block, st) : read_extent(run, block, st));
    if (st->code != GS_OK) {
        gs_block_release(block);
        return st->code;
    }
    if (block->ends_input)
        run->pool = NULL;
    *out = block;
    return GS_OK;
}

void gs_text_run_close_read(gs_text_run *run)
{
    close_pipe(run); /* first: the program ends when its pipe does */
    gs_child_reap(&run->child);
    run->pool = NULL;
}

void gs_text_run_release(gs_text_run *run)
{
    gs_text_run_close_read(run);
    if (run->is_extent_open) /* given up: its folder is free for another */
        gs_spill_extent_close(run->spill, &run->extent, 0);
    if (run->program == NULL) {
        if (run->spill != NULL)
            gs_spill_extent_drop(run->spill, &run->extent);
    } else if (run->file_fd >= 0) {
        (void)close(run->file_fd);
    }
    *run = (gs_text_run){.file_fd = -1, .pipe_fd = -1};
}
