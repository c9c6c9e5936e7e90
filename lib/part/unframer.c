/* SPDX-License-Identifier: MIT */
#include "lib/part/unframer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/part/frame_reader.h"
#include "lib/part/part_files.h"

typedef struct unframe_job {
    const gs_unframe_options *options;
    gs_frame_reader *reader;
    gs_part_files *files; /* of all parts, or of the one */
    bool has_begun;       /* they have the header, if there is one */
} unframe_job;

static bool is_wanted(const unframe_job *job, uint32_t part)
{
    return !job->options->has_part || job->options->part == part;
}

static gs_code take_frame(unframe_job *job, const gs_part_frame_head *h,
                          const uint8_t *text, gs_partition_result *result, gs_status *st)
{
    const size_t file = job->options->has_part ? 0 : h->part;
    const bool is_header = h->kind == GS_PART_FRAME_HEADER;
    if (!job->has_begun) {
        job->has_begun = true;
        GS_TRY(
            gs_part_files_begin(job->files, text, is_header ? (size_t)h->bytes : 0, st));
    }
    if (is_header || h->kind == GS_PART_FRAME_END || !is_wanted(job, h->part))
        return GS_OK;
    if (h->kind == GS_PART_FRAME_BLOCK)
        return gs_part_files_put(job->files, file, text, (size_t)h->bytes, 0, st);
    result->parts[file].records = h->records;
    return GS_OK;
}

static gs_code take_frames(unframe_job *job, gs_partition_result *result, gs_status *st)
{
    const gs_part_frame_head *h;
    const uint8_t *text;
    bool is_over = false;
    while (!is_over) {
        GS_TRY(gs_cancel_check(job->options->sort->cancel_signal, st));
        GS_TRY(gs_frame_reader_next(job->reader, &h, &text, st));
        GS_TRY(take_frame(job, h, text, result, st));
        is_over = h->kind == GS_PART_FRAME_END ||
                  (h->kind == GS_PART_FRAME_PART_END && job->options->has_part &&
                   job->options->part == h->part);
    }
    return gs_part_files_commit(job->files, st);
}

static gs_code open_files(unframe_job *job, gs_partition_result *result, gs_status *st)
{
    const gs_unframe_options *const o = job->options;
    const uint32_t count = gs_frame_reader_part_count(job->reader);
    gs_quoted q;
    if (count > GS_PARTS_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%u parts are more than %d", count,
                       GS_PARTS_MAX);
    if (o->has_part && o->part >= count)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%s has parts 0 to %u, and no part %llu",
                       gs_quote_name(&q, o->sort->inputs[0]), count - 1,
                       (unsigned long long)o->part);
    const size_t wanted = o->has_part ? 1 : count;
    GS_TRY(gs_mem_new_array(&result->parts, wanted, sizeof *result->parts, "parts", st));
    result->part_count = wanted;
    return o->has_part
               ? gs_part_files_new_one(&job->files, o->sort, result->parts, st)
               : gs_part_files_new(&job->files, o->sort, count, result->parts, st);
}

static gs_code run(unframe_job *job, int fd, gs_partition_result *result, gs_status *st)
{
    GS_TRY(gs_frame_reader_new(&job->reader, fd, job->options->sort->inputs[0], st));
    GS_TRY(open_files(job, result, st));
    return take_frames(job, result, st);
}

gs_code gs_unframe_run(const gs_unframe_options *options, gs_partition_result *result,
                       gs_status *st)
{
    const gs_sort_options *const o = options->sort;
    unframe_job job = {.options = options};
    gs_quoted q;
    gs_assert(o->input_count == 1 && (options->has_part || o->output != NULL));
    *result = (gs_partition_result){0};
    const bool is_stdin = strcmp(o->inputs[0], "-") == 0;
    const int fd = is_stdin ? STDIN_FILENO : open(o->inputs[0], O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                       gs_quote_name(&q, o->inputs[0]));
    GS_NOTED(run(&job, fd, result, st));
    gs_part_files_free(job.files);
    gs_frame_reader_free(job.reader);
    if (!is_stdin)
        (void)close(fd);
    return st->code;
}
