/* SPDX-License-Identifier: MIT */
#include "lib/part/partitioner.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/part/frame_writer.h"
#include "lib/part/part_cutter.h"
#include "lib/part/part_files.h"
#include "lib/part/part_range.h"
#include "lib/part/part_splitters.h"

enum { SPLITTERS_SHARE = 16 /* of the memory, at most one in so many bytes */ };

typedef struct partition_job {
    const gs_partition_options *options;
    gs_part_splitters splitters;
    gs_part_files *files; /* one of these two */
    gs_frame_writer *frames;
    gs_part_cutter *cut; /* once the order is known */
} partition_job;

/* --- what takes the text ---------------------------------------------------------- */

static gs_code put(void *context, size_t part, const uint8_t *text, size_t bytes,
                   uint64_t records, gs_status *st)
{
    partition_job *const job = context;
    return job->frames != NULL
               ? gs_frame_writer_put(job->frames, part, text, bytes, records, st)
               : gs_part_files_put(job->files, part, text, bytes, records, st);
}

static gs_code begin(void *context, const gs_order *order, const uint8_t *header,
                     size_t header_bytes, gs_status *st)
{
    partition_job *const job = context;
    gs_part_cutter_free(job->cut);
    job->cut = NULL;
    GS_TRY(gs_part_splitters_arrange(&job->splitters, order, st));
    GS_TRY(gs_part_cutter_new(&job->cut, &job->splitters, order, put, job, st));
    return job->frames != NULL
               ? gs_frame_writer_begin(job->frames, header, header_bytes, st)
               : gs_part_files_begin(job->files, header, header_bytes, st);
}

static gs_code take(void *context, const uint8_t *text, size_t bytes, gs_status *st)
{
    partition_job *const job = context;
    return gs_part_cutter_take(job->cut, text, bytes, st);
}

static gs_code end(void *context, gs_status *st)
{
    partition_job *const job = context;
    GS_TRY(gs_part_cutter_end(job->cut, st));
    return job->frames != NULL ? gs_frame_writer_commit(job->frames, st)
                               : gs_part_files_commit(job->files, st);
}

/* --- all -------------------------------------------------------------------------- */

static gs_code fail_many(uint64_t parts, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "%llu parts are more than %d, which is the limit",
                   (unsigned long long)parts, GS_PARTS_MAX);
}

static gs_code fail_count(const partition_job *job, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_ARG, 0, "%s: %llu parts want %llu splitters, not %zu",
                   gs_quote_name(&quoted, job->splitters.name),
                   (unsigned long long)job->options->parts,
                   (unsigned long long)job->options->parts - 1, job->splitters.count);
}

/* What can be wrong with splitters is found before anything is sorted, unless keys have
 * names that the inputs have to tell. */
static gs_code read_splitters(partition_job *job, gs_status *st)
{
    const gs_partition_options *const o = job->options;
    const gs_sort_options *const sort = o->sort;
    const gs_memory_plan plan =
        gs_memory_plan_make(sort->memory_bytes, sort->threads, false);
    GS_TRY(gs_part_splitters_read(&job->splitters, o->splitters, &sort->order,
                                  plan.limit_bytes / SPLITTERS_SHARE, st));
    if (o->parts > 0 && job->splitters.count > 0 && job->splitters.count != o->parts - 1)
        return fail_count(job, st);
    return sort->columns != NULL
               ? GS_OK
               : gs_part_splitters_arrange(&job->splitters, &sort->order, st);
}

static gs_code run(partition_job *job, gs_partition_result *result, gs_status *st)
{
    const gs_partition_options *const o = job->options;
    const gs_text_taker taker = {begin, take, end, job};
    gs_sort_options sort = *o->sort;
    sort.taker = &taker;
    GS_TRY(read_splitters(job, st));
    sort.has_range = o->has_range;
    sort.from = o->from;
    sort.to = o->to;
    if (o->has_range)
        GS_TRY(gs_part_range_find(&sort, &sort.from, &sort.to, st));
    const uint64_t parts = o->parts > 0 ? o->parts : job->splitters.count + 1;
    if (parts > GS_PARTS_MAX)
        return fail_many(parts, st);
    GS_TRY(gs_mem_new_array(&result->parts, (size_t)parts, sizeof *result->parts, "parts",
                            st));
    result->part_count = (size_t)parts;
    GS_TRY(o->is_framed ? gs_frame_writer_new(&job->frames, o->sort, result->part_count,
                                              o->compresses, result->parts, st)
                        : gs_part_files_new(&job->files, o->sort, result->part_count,
                                            result->parts, st));
    return o->is_merge ? gs_sort_merge(&sort, st) : gs_sort_run(&sort, st);
}

gs_code gs_partition_run(const gs_partition_options *options, gs_partition_result *result,
                         gs_status *st)
{
    const gs_sort_options *const o = options->sort;
    gs_assert((o->output != NULL || options->is_framed) && !o->count && !o->has_top);
    gs_assert(!o->output_zstd && o->checkpoint == NULL);
    gs_assert(!options->has_range || (!options->is_merge && o->header_lines == 0));
    partition_job job = {.options = options};
    *result = (gs_partition_result){0};
    GS_NOTED(run(&job, result, st));
    gs_part_cutter_free(job.cut);
    gs_part_files_free(job.files);
    gs_frame_writer_free(job.frames);
    gs_part_splitters_release(&job.splitters);
    return st->code;
}

void gs_partition_result_release(gs_partition_result *result)
{
    gs_mem_free(result->parts);
    *result = (gs_partition_result){0};
}
