/* SPDX-License-Identifier: MIT */
#include "lib/part/sampler.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/decode.h"
#include "io/output.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/part/sample_pick.h"
#include "lib/part/part_share.h"
#include "lib/part/sample_places.h"
#include "lib/part/splitter_order.h"
#include "lib/sort/column_names.h"
#include "lib/sort/sort_input.h"

enum {
    PICK_PERCENT = 60, /* of the memory: what is picked */
    WRITE_BYTES = 64 << 10,
    HEADER_BYTES = 4096, /* read at once in search of its end */
};

typedef struct sample_job {
    const gs_sample_options *options;
    gs_named_job named;
    gs_memory_plan plan;
    gs_sample_pick pick;
    gs_sample_area *areas; /* of plain files */
    size_t area_count;
} sample_job;

static const gs_sort_options *sort_of(const sample_job *job)
{
    return &job->named.options;
}

/* --- files of which some blocks are read ------------------------------------------ */

static gs_code fail_read(const char *name, int error, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s", gs_quote_name(&quoted, name));
}

/* Where what comes after the header begins. */
static gs_code skip_header(const sample_job *job, gs_sample_area *area, gs_status *st)
{
    const gs_sort_options *const o = sort_of(job);
    uint8_t bytes[HEADER_BYTES];
    uint64_t lines = area->input == 0 || o->header_of_each ? o->header_lines : 0;
    while (lines > 0) {
        size_t taken;
        const int error = gs_pread_all(area->fd, bytes, sizeof bytes, area->from, &taken);
        if (error != 0)
            return fail_read(area->name, error, st);
        size_t at = 0;
        for (const uint8_t *eol; lines > 0 && at < taken; lines--) {
            eol = memchr(bytes + at, o->order.eol, taken - at);
            if (eol == NULL)
                break;
            at = (size_t)(eol - bytes) + 1;
        }
        if (lines > 0)
            at = taken;
        area->from += at;
        if (taken < sizeof bytes)
            break;
    }
    return GS_OK;
}

/* Is the file one that may be read anywhere, with records that are seen from anywhere?
 * What cannot be found out is an error: another way of reading is another sample. */
static gs_code look_at_file(const sample_job *job, const gs_sample_area *area,
                            uint64_t *size, bool *is_plain, gs_status *st)
{
    uint8_t head[GS_DECODE_MAGIC_BYTES];
    size_t taken = 0;
    struct stat info;
    *is_plain = false;
    if (fstat(area->fd, &info) != 0)
        return fail_read(area->name, errno, st);
    if (!S_ISREG(info.st_mode))
        return GS_OK;
    const int error = gs_pread_all(area->fd, head, sizeof head, 0, &taken);
    if (error != 0)
        return fail_read(area->name, error, st);
    /* A file that the system makes as it is read has no size. */
    *size = (uint64_t)info.st_size;
    *is_plain =
        *size >= taken && (sort_of(job)->keep_compressed ||
                           gs_decode_recognise(head, taken) == GS_COMPRESSION_NONE);
    return GS_OK;
}

static void close_areas(sample_job *job)
{
    for (size_t i = 0; i < job->area_count; i++) {
        if (job->areas[i].fd > STDIN_FILENO)
            (void)close(job->areas[i].fd);
    }
    gs_mem_free(job->areas);
    job->areas = NULL;
    job->area_count = 0;
}

static gs_code open_area(sample_job *job, size_t input, bool *is_good, gs_status *st)
{
    const gs_sample_options *const o = job->options;
    const char *const name = sort_of(job)->inputs[input];
    const size_t record_size = sort_of(job)->order.record_size;
    uint64_t bytes = 0;
    gs_quoted quoted;
    *is_good = false;
    const int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot read: %s",
                       gs_quote_name(&quoted, name));
    gs_sample_area *const area = &job->areas[job->area_count++];
    *area = (gs_sample_area){.name = name, .fd = fd, .input = input};
    GS_TRY(look_at_file(job, area, &bytes, is_good, st));
    if (!*is_good)
        return GS_OK;
    area->to = area->file_bytes = bytes;
    if (record_size > 0 && bytes % record_size > 0)
        return gs_line_feed_fail_partial(name, bytes - bytes % record_size,
                                         bytes % record_size, record_size, st);
    GS_TRY(skip_header(job, area, st));
    if (o->has_range && area->from < o->from)
        area->from = o->from;
    if (o->has_range && area->to > o->to)
        area->to = o->to;
    if (area->from > area->to)
        area->from = area->to;
    return GS_OK;
}

/* Opens all inputs, if every one of them is such a file; else none. A FIFO is not opened:
 * its writer would notice. */
static gs_code open_areas(sample_job *job, gs_status *st)
{
    const gs_sort_options *const o = sort_of(job);
    enum { FILES_LEFT = 16 };
    struct stat info;
    bool is_good =
        !gs_form_has_quotes(o->order.form) && !o->has_columns &&
        gs_machine_files_left(o->input_count + FILES_LEFT) >= o->input_count + FILES_LEFT;
    for (size_t i = 0; i < o->input_count && is_good; i++)
        is_good = strcmp(o->inputs[i], "-") != 0 &&
                  (stat(o->inputs[i], &info) != 0 || S_ISREG(info.st_mode));
    if (!is_good)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&job->areas, o->input_count, sizeof *job->areas,
                            "files of a sample", st));
    for (size_t i = 0; i < o->input_count && is_good; i++)
        GS_TRY(open_area(job, i, &is_good, st));
    if (!is_good)
        close_areas(job);
    return GS_OK;
}

static gs_code sample_places(sample_job *job, gs_status *st)
{
    const gs_sort_options *const o = sort_of(job);
    const gs_sample_places places = {
        .areas = job->areas,
        .area_count = job->area_count,
        .eol = o->order.eol,
        .record_size = o->order.record_size,
        .record_bytes_max = job->plan.record_bytes_max,
        .too_long_hint = job->plan.too_long_hint,
        .cancel = o->cancel_signal,
        .bytes_read = o->stats != NULL ? &o->stats->input_bytes : NULL,
    };
    return gs_sample_places_run(&places, &job->pick, st);
}

/* --- inputs that are read whole --------------------------------------------------- */

/* How long the record is that begins there, without its eol. */
static gs_code find_end(const gs_order *order, const gs_line_batch *batch,
                        const char *name, size_t at, size_t *bytes, gs_status *st)
{
    const uint8_t *const from = batch->data + at;
    const size_t left = batch->bytes - at;
    const char *why = NULL;
    size_t broken_at = 0;
    *bytes = order->record_size;
    if (gs_form_has_quotes(order->form))
        *bytes = gs_csv_record_end(from, left, gs_order_csv(order), &why, &broken_at);
    else if (order->record_size == 0)
        *bytes = gs_line_find(from, left, order->eol);
    return why == NULL ? GS_OK : gs_line_batch_fail(batch, name, at, broken_at, why, st);
}

static gs_code offer_batch(sample_job *job, const gs_line_batch *batch, gs_status *st)
{
    const gs_order *const order = &sort_of(job)->order;
    const gs_sample_options *const o = job->options;
    const char *const name = sort_of(job)->inputs[batch->input_index];
    size_t bytes;
    for (size_t at = 0; at < batch->bytes; at += bytes + (order->record_size == 0)) {
        const uint64_t offset = batch->offset + at;
        GS_TRY(find_end(order, batch, name, at, &bytes, st));
        if (o->has_range && (offset < o->from || offset >= o->to))
            continue;
        const uint64_t rank = gs_sample_pick_rank(&job->pick, batch->input_index, offset);
        if (gs_sample_pick_wants(&job->pick, rank))
            GS_TRY(gs_sample_pick_add(&job->pick, rank, batch->input_index, offset,
                                      batch->data + at, bytes, st));
    }
    return GS_OK;
}

static gs_code offer_batches(sample_job *job, gs_line_feed *feed, gs_status *st)
{
    bool has_batch = true;
    while (st->code == GS_OK) {
        gs_line_batch batch;
        GS_TRY(gs_cancel_check(sort_of(job)->cancel_signal, st));
        GS_TRY(gs_line_feed_next(feed, &batch, &has_batch, st));
        if (!has_batch)
            break;
        GS_NOTED(offer_batch(job, &batch, st));
        gs_line_batch_release(&batch);
    }
    return st->code;
}

static gs_code sample_all(sample_job *job, gs_status *st)
{
    const gs_sort_options *const o = sort_of(job);
    const gs_record_layout layout = gs_order_layout(&o->order, false);
    gs_sort_input in = {0};
    GS_TRY_OR_FAIL(gs_sort_input_open(&in, o, &job->plan, &layout, st));
    GS_TRY_OR_FAIL(gs_input_begin(in.input, st));
    if (o->has_columns)
        GS_TRY_OR_FAIL(gs_sort_input_name_columns(&in, &job->named, st));
    GS_NOTED(offer_batches(job, in.feed, st));
fail:
    gs_sort_input_release(&in);
    return st->code;
}

/* --- the result ------------------------------------------------------------------- */

typedef struct sample_writer {
    gs_output *output;
    uint8_t *data;
    size_t used;
    uint64_t written;
} sample_writer;

static gs_code flush(sample_writer *w, gs_status *st)
{
    const size_t bytes = w->used;
    w->used = 0;
    return gs_output_write(w->output, w->data, bytes, &w->written, st);
}

static gs_code put(sample_writer *w, const uint8_t *data, size_t bytes, gs_status *st)
{
    while (bytes > 0) {
        const size_t room = WRITE_BYTES - w->used, n = bytes < room ? bytes : room;
        memcpy(w->data + w->used, data, n);
        w->used += n;
        data += n;
        bytes -= n;
        if (w->used == WRITE_BYTES)
            GS_TRY(flush(w, st));
    }
    return GS_OK;
}

static gs_code put_record(const sample_job *job, sample_writer *w, size_t number,
                          gs_status *st)
{
    const gs_order *const order = &sort_of(job)->order;
    const gs_sampled *const r = &job->pick.records[number];
    GS_TRY(put(w, job->pick.text + r->at, r->bytes, st));
    return order->record_size > 0 ? GS_OK : put(w, &order->eol, 1, st);
}

/* The records between equal parts of the sample. */
static gs_code put_splitters(const sample_job *job, sample_writer *w, gs_status *st)
{
    const gs_sort_options *const o = sort_of(job);
    const uint64_t parts = job->options->parts;
    const size_t used = job->plan.limit_bytes / 100 * PICK_PERCENT;
    gs_splitter_order order = {.bytes_max = job->plan.limit_bytes - used};
    GS_NOTED(gs_splitter_order_make(&order, &o->order, &job->pick, o->inputs, st));
    for (uint64_t i = 1; i < parts && order.count > 0 && st->code == GS_OK; i++) {
        const uint64_t at = gs_part_share(i, order.count, 0, parts);
        GS_NOTED(put_record(job, w, order.numbers[at], st));
    }
    gs_splitter_order_release(&order);
    return st->code;
}

static gs_code write_result(const sample_job *job, gs_output *output, gs_status *st)
{
    sample_writer w = {.output = output};
    GS_TRY(gs_mem_new(&w.data, WRITE_BYTES, "output", st));
    if (job->options->parts > 0)
        GS_NOTED(put_splitters(job, &w, st));
    for (size_t i = 0;
         i < job->pick.count && job->options->parts == 0 && st->code == GS_OK; i++)
        GS_NOTED(put_record(job, &w, i, st));
    if (st->code == GS_OK)
        GS_NOTED(flush(&w, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_output_commit(output, w.written, sort_of(job)->sync_output, st));
    gs_mem_free(w.data);
    return st->code;
}

static gs_code run(sample_job *job, gs_output *output, gs_sample_result *result,
                   gs_status *st)
{
    GS_TRY(open_areas(job, st));
    GS_TRY(job->areas != NULL ? sample_places(job, st) : sample_all(job, st));
    result->seen = job->pick.offered;
    result->records = job->pick.count;
    gs_sample_pick_settle(&job->pick);
    return write_result(job, output, st);
}

gs_code gs_sample_run(const gs_sample_options *options, gs_sample_result *result,
                      gs_status *st)
{
    const gs_sort_options *const o = options->sort;
    gs_assert(options->count > 0 && o->input_count > 0);
    gs_assert(!options->has_range || o->input_count == 1);
    sample_job job = {.options = options};
    gs_output *output = NULL;
    *result = (gs_sample_result){0};
    GS_TRY(gs_named_job_init(&job.named, o, st));
    job.plan = gs_memory_plan_make(o->memory_bytes, o->threads, false);
    /* What is read lies in blocks, of which there need not be many. */
    gs_sample_pick_init(&job.pick, options->count, options->seed,
                        job.plan.limit_bytes / 100 * PICK_PERCENT);
    const char *const folder = o->temp_folder_count > 0 ? o->temp_folders[0] : NULL;
    if (gs_output_open(&output, o->output, folder, st) == GS_OK &&
        gs_output_keep_apart(output, o->inputs, o->input_count, st) == GS_OK)
        GS_NOTED(run(&job, output, result, st));
    gs_output_free(output);
    close_areas(&job);
    gs_sample_pick_release(&job.pick);
    gs_named_job_release(&job.named);
    return st->code;
}
