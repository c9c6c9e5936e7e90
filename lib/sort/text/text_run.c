/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/quote.h"

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
    gs_quoted q;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "could not run compress program %s%s",
                       gs_quote_name_always(&q, run->program), is_decoding ? " -d" : "");
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

/* Compression only saves space: without the program the sort goes on. */
static void do_without_program(gs_text_run *run, gs_text_filter *filter,
                               const gs_status *why)
{
    if (why->sys != filter->last_error)
        gs_log_say(filter->log, GS_LOG_ERROR, "%s: %s", why->msg, strerror(why->sys));
    filter->last_error = why->sys;
    (void)close(run->file_fd);
    run->file_fd = -1;
    run->program = NULL;
}

static gs_code create_filtered(gs_text_run *run, gs_text_filter *filter,
                               gs_stream_target *target, gs_status *st)
{
    gs_quoted q;
    gs_status why = {.code = GS_OK};
    GS_TRY(gs_spill_file_new(run->spill, &run->file_fd, NULL, st));
    if (start_program(run, false, &why) != GS_OK) {
        do_without_program(run, filter, &why);
        return GS_OK;
    }
    filter->last_error = 0;
    (void)snprintf(run->failure, sizeof run->failure,
                   "write failed: temporary file through %s",
                   gs_quote_name_always(&q, run->program));
    *target = (gs_stream_target){.fd = run->pipe_fd, .failure = run->failure};
    return GS_OK;
}

gs_code gs_text_run_create(gs_text_run *run, gs_spill *spill, gs_text_filter *filter,
                           gs_stream_target *target, gs_status *st)
{
    *run = (gs_text_run){
        .spill = spill, .program = filter->program, .file_fd = -1, .pipe_fd = -1};
    if (run->program != NULL)
        GS_TRY(create_filtered(run, filter, target, st));
    if (run->program != NULL)
        return GS_OK;
    GS_TRY(gs_spill_extent_open(spill, &run->extent, st));
    run->is_extent_open = true;
    *target = gs_spill_extent_target(spill, &run->extent, run->failure);
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

/* A program that did not read all that it was given, or wrote nothing, may well end as if
 * all were good. */
static gs_code check_all_came_back(const gs_text_run *run, gs_status *st)
{
    if (run->read_bytes == run->bytes)
        return GS_OK;
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, 0, "%s -d gave %llu bytes where %llu were compressed",
                   gs_quote_name_always(&q, run->program),
                   (unsigned long long)run->read_bytes, (unsigned long long)run->bytes);
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
            GS_TRY(gs_child_wait(&run->child, st));
            return check_all_came_back(run, st);
        }
        block->len += (size_t)n;
        run->read_bytes += (size_t)n;
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
