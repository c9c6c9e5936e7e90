/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/held_file.h"

#include <stdio.h>
#include <unistd.h>

#include "io/file_space.h"
#include "lib/base/assertion.h"

void gs_held_file_init(gs_held_file *f, const gs_sort_options *options,
                       const gs_memory_plan *plan)
{
    *f = (gs_held_file){.options = options, .fd = -1};
    f->block_bytes = plan->stream_block_bytes;
    f->block_count = plan->stream_blocks;
    (void)snprintf(f->failure, sizeof f->failure,
                   "cannot write to the temporary file for what is read");
}

void gs_held_file_release(gs_held_file *f)
{
    gs_stream_free(f->stream);
    f->stream = NULL;
    if (f->fd >= 0)
        (void)close(f->fd);
    f->fd = -1;
    gs_spill_free(f->spill);
    f->spill = NULL;
}

static gs_code need_file(gs_held_file *f, gs_status *st)
{
    const gs_sort_options *const o = f->options;
    if (f->spill == NULL)
        GS_TRY(gs_spill_new(&f->spill, o->temp_folders, o->temp_folder_count, st));
    if (f->fd < 0)
        GS_TRY(gs_spill_file_new(f->spill, &f->fd, NULL, st));
    if (f->bytes == 0)
        f->bytes_max = gs_file_space_free(f->fd) / 2;
    const gs_stream_target target = {
        .fd = f->fd,
        .is_seekable = true,
        .try_direct = true,
        .no_uring = o->no_uring,
        .trace = o->trace,
        .failure = f->failure,
        .memory = f->memory,
    };
    f->ticket = 0;
    return gs_stream_new(&f->stream, &target, f->block_bytes, f->block_count, st);
}

bool gs_held_file_has_room(gs_held_file *f, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    if (f->stream == NULL && !f->is_refused && need_file(f, &st) != GS_OK) {
        f->is_refused = true;
        gs_log_say(f->options->log, GS_LOG_INFO, "GPU: smaller chunks: %s", st.msg);
        gs_status_clear(&st);
    }
    return f->stream != NULL && f->bytes + bytes <= f->bytes_max;
}

gs_code gs_held_file_append(gs_held_file *f, const uint8_t *text, size_t bytes,
                            bool adds_eol, uint8_t eol, gs_status *st)
{
    uint64_t at;
    const size_t all = bytes + adds_eol;
    gs_assert(f->stream != NULL && f->bytes + all <= f->bytes_max);
    GS_TRY(gs_stream_reserve(f->stream, f->ticket++, all, true, &at, st));
    GS_TRY(gs_stream_put(f->stream, at, text, bytes, st));
    if (adds_eol)
        GS_TRY(gs_stream_put(f->stream, at + bytes, &eol, 1, st));
    f->bytes += all;
    return GS_OK;
}

gs_code gs_held_file_close(gs_held_file *f, gs_status *st)
{
    uint64_t total = 0;
    if (f->stream == NULL)
        return GS_OK;
    GS_NOTED(gs_stream_finish(f->stream, &total, st));
    gs_stream_free(f->stream);
    f->stream = NULL;
    return st->code;
}

void gs_held_file_clear(gs_held_file *f)
{
    gs_assert(f->stream == NULL);
    const int error = f->bytes > 0 ? ftruncate(f->fd, 0) : 0;
    (void)error; /* what is not cut off is written over */
    f->bytes = 0;
}

int gs_held_file_take(gs_held_file *f, uint64_t *bytes)
{
    const int fd = f->fd;
    gs_assert(f->stream == NULL && fd >= 0);
    *bytes = f->bytes;
    f->fd = -1;
    f->bytes = 0;
    return fd;
}
