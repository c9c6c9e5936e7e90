/* SPDX-License-Identifier: MIT */
/*
 * Records as they come, sorted, and given back one by one:
 *
 *      put -> | buffer | -> pipe -> a sort in a thread -> pipe -> | buffer | -> get
 *
 * The sort itself neither knows nor cares that it has no files. The pipes hold a
 * megabyte, so that a caller who puts or gets slowly makes the sort wait, and the other
 * way round.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/api/api_order.h"
#include "lib/api/api_pipe.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum { BUFFER_BYTES = 256 * 1024 };

struct gpusort_sorter {
    gs_api_sort sort;
    void **kept; /* copies of what the caller's options point to */
    size_t kept_count;
    const char **temp_folders; /* some of them */
    int in[2], out[2];         /* ends to read and to write; -1: closed */
    char in_name[GS_API_NAME_BYTES];
    const char *inputs[1];
    pthread_t thread;
    bool is_running, is_sorted;
    gs_status st; /* of the thread, once it is joined */

    uint8_t *to; /* what was put and is not in the pipe */
    size_t to_bytes;
    bool ends_open;   /* the last line that was put has no end yet */
    size_t cut_bytes; /* the last record of a fixed size has so many yet, if not all */

    uint8_t *from; /* what came and was not given out */
    size_t from_capacity, from_begin, from_end;
    bool is_done; /* no more comes */
};

static void close_end(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

static void *sort_all(void *context)
{
    gpusort_sorter *const s = context;
    GS_NOTED(gs_sort_run(&s->sort.options, &s->st));
    close_end(&s->out[1]);
    close_end(&s->in[0]); /* who still puts is told by EPIPE */
    return NULL;
}

/* A copy of what the caller's options point to, which may go when the sort has begun;
 * NULL of NULL, and where there is no memory. */
static const void *keep(gpusort_sorter *s, const void *data, size_t bytes, gs_status *st)
{
    char *copy = NULL;
    if (data == NULL || bytes == 0 ||
        gs_mem_new_array(&copy, bytes, 1, "options", st) != GS_OK)
        return NULL;
    memcpy(copy, data, bytes);
    s->kept[s->kept_count++] = copy;
    return copy;
}

static const char *keep_text(gpusort_sorter *s, const char *text, gs_status *st)
{
    return keep(s, text, text != NULL ? strlen(text) + 1 : 0, st);
}

static size_t names_bytes(const gs_json_path *path)
{
    const char *end = path->names;
    for (size_t i = 0; end != NULL && i < path->depth; i++)
        end += strlen(end) + 1;
    return (size_t)(end - path->names);
}

static gs_code keep_options(gpusort_sorter *s, gs_status *st)
{
    enum { ENGINE, GPUS, PROGRAM, ONE_EACH };
    gs_sort_options *const o = &s->sort.options;
    const size_t folders = o->temp_folder_count;
    const size_t paths = s->sort.paths != NULL ? o->order.key_count : 0;
    GS_TRY(gs_mem_new_array(&s->kept, ONE_EACH + folders + paths, sizeof *s->kept,
                            "options", st));
    GS_TRY(gs_mem_new_array(&s->temp_folders, folders, sizeof *s->temp_folders, "options",
                            st));
    for (size_t i = 0; i < folders; i++)
        s->temp_folders[i] = keep_text(s, o->temp_folders[i], st);
    o->temp_folders = s->temp_folders;
    o->engine = keep_text(s, o->engine, st);
    o->gpus = keep(s, o->gpus, o->gpu_count * sizeof *o->gpus, st);
    o->compress_program = keep_text(s, o->compress_program, st);
    for (size_t i = 0; i < paths; i++) {
        gs_json_path *const path = &s->sort.paths[i];
        path->names = keep(s, path->names, names_bytes(path), st);
    }
    return st->code;
}

static gs_code start(gpusort_sorter *s, gs_status *st)
{
    GS_TRY(gs_mem_new(&s->to, BUFFER_BYTES, "records", st));
    s->from_capacity = BUFFER_BYTES;
    GS_TRY(gs_mem_new(&s->from, s->from_capacity, "records", st));
    GS_TRY(gs_api_pipe_new(&s->in[0], &s->in[1], st));
    GS_TRY(gs_api_pipe_new(&s->out[0], &s->out[1], st));
    gs_api_descriptor_name(s->in[0], s->in_name);
    s->inputs[0] = s->in_name;
    s->sort.options.inputs = s->inputs;
    s->sort.options.input_count = 1;
    s->sort.options.output = NULL;
    s->sort.options.output_fd = s->out[1];
    s->sort.options.keep_compressed = true;
    s->sort.options.ends_by_pipe = false; /* that is ours */
    const int error = gs_thread_start(&s->thread, sort_all, s, 0);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_NOMEM, error, "a thread that sorts");
    s->is_running = true;
    return GS_OK;
}

gpusort_code gpusort_sorter_new(gpusort_sorter **out, const gpusort_sort_options *options,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_sorter *s = NULL;
    *out = NULL;
    if (gs_mem_new(&s, sizeof *s, "sorter", &st) == GS_OK) {
        s->in[0] = s->in[1] = s->out[0] = s->out[1] = -1;
        if (gs_api_sort_init(&s->sort, options, &st) == GS_OK &&
            (s->sort.asked.checkpoint != NULL || s->sort.asked.output_zstd ||
             s->sort.options.has_columns))
            (void)GS_FAIL(&st, GS_ERR_ARG, 0,
                          "records that are put are of no table, have no checkpoint and "
                          "are not packed");
        if (st.code == GS_OK && keep_options(s, &st) == GS_OK)
            GS_NOTED(start(s, &st));
    }
    if (st.code == GS_OK)
        *out = s;
    else
        gpusort_sorter_free(s);
    return gs_api_result(&st, error);
}

/* Waits for the end of the sort, and has its status. */
static void join(gpusort_sorter *s)
{
    if (s->is_running)
        (void)pthread_join(s->thread, NULL);
    s->is_running = false;
}

void gpusort_sorter_free(gpusort_sorter *s)
{
    if (s == NULL)
        return;
    gs_api_job_stop(&s->sort.job);
    close_end(&s->in[1]);
    close_end(&s->out[0]);
    join(s);
    close_end(&s->in[0]);
    close_end(&s->out[1]);
    for (size_t i = 0; i < s->kept_count; i++)
        gs_mem_free(s->kept[i]);
    gs_mem_free(s->kept);
    gs_mem_free(s->temp_folders);
    gs_mem_free(s->to);
    gs_mem_free(s->from);
    gs_api_sort_release(&s->sort);
    gs_mem_free(s);
}

/* --- putting ------------------------------------------------------------------------ */

static gs_code write_out(gpusort_sorter *s, const uint8_t *data, size_t bytes,
                         gs_status *st)
{
    while (bytes > 0) {
        const ssize_t n = gs_api_write(s->in[1], data, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            const int error = errno;
            if (error == EPIPE) { /* the sort has ended: it says why */
                join(s);
                gs_status_keep_first(st, &s->st);
            }
            return GS_FAIL(st, GS_ERR_IO, error, "cannot hand records to the sort");
        }
        data += n;
        bytes -= (size_t)n;
    }
    return GS_OK;
}

static gs_code put(gpusort_sorter *s, const uint8_t *data, size_t bytes, gs_status *st)
{
    if (bytes > BUFFER_BYTES - s->to_bytes) {
        GS_TRY(write_out(s, s->to, s->to_bytes, st));
        s->to_bytes = 0;
    }
    if (bytes > BUFFER_BYTES)
        return write_out(s, data, bytes, st);
    if (bytes > 0)
        memcpy(s->to + s->to_bytes, data, bytes);
    s->to_bytes += bytes;
    return GS_OK;
}

static gs_code check_open(const gpusort_sorter *s, gs_status *st)
{
    return s->is_sorted ? GS_FAIL(st, GS_ERR_ARG, 0, "nothing is put behind sorted()")
                        : GS_OK;
}

static gs_code end_line(gpusort_sorter *s, gs_status *st)
{
    if (s->ends_open)
        GS_TRY(put(s, &s->sort.options.order.eol, 1, st));
    s->ends_open = false;
    return GS_OK;
}

static gs_code put_record(gpusort_sorter *s, const void *record, size_t bytes,
                          gs_status *st)
{
    const gs_order *const order = &s->sort.options.order;
    GS_TRY(check_open(s, st));
    if (order->record_size > 0) {
        if (bytes != order->record_size)
            return GS_FAIL(st, GS_ERR_ARG, 0, "a record of %zu bytes, and not of %zu",
                           bytes, order->record_size);
        if (s->cut_bytes > 0) /* it would be the rest of that, and cut itself */
            return GS_FAIL(st, GS_ERR_ARG, 0,
                           "a record behind one that has %zu of %zu bytes yet",
                           s->cut_bytes, bytes);
        return put(s, record, bytes, st);
    }
    if (bytes > 0 && memchr(record, order->eol, bytes) != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a line that has a line end inside");
    GS_TRY(end_line(s, st));
    GS_TRY(put(s, record, bytes, st));
    return put(s, &order->eol, 1, st);
}

gpusort_code gpusort_sorter_put(gpusort_sorter *s, const void *record, size_t bytes,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(put_record(s, record, bytes, &st));
    return gs_api_result(&st, error);
}

/* Where text that was put is cut, if it is. */
static void note_end(gpusort_sorter *s, const uint8_t *text, size_t bytes)
{
    const gs_order *const order = &s->sort.options.order;
    if (order->record_size > 0)
        s->cut_bytes = (s->cut_bytes + bytes % order->record_size) % order->record_size;
    else
        s->ends_open = text[bytes - 1] != order->eol;
}

gpusort_code gpusort_sorter_put_text(gpusort_sorter *s, const void *text, size_t bytes,
                                     gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (check_open(s, &st) == GS_OK && bytes > 0 && put(s, text, bytes, &st) == GS_OK)
        note_end(s, text, bytes);
    return gs_api_result(&st, error);
}

gpusort_code gpusort_sorter_sorted(gpusort_sorter *s, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (check_open(s, &st) == GS_OK && end_line(s, &st) == GS_OK &&
        write_out(s, s->to, s->to_bytes, &st) == GS_OK) {
        s->to_bytes = 0;
        s->is_sorted = true;
        close_end(&s->in[1]);
    }
    return gs_api_result(&st, error);
}

/* --- getting ------------------------------------------------------------------------ */

/* Brings more behind what is there. is_done: there is no more, and all went well. */
static gs_code read_more(gpusort_sorter *s, gs_status *st)
{
    const size_t left = s->from_end - s->from_begin;
    if (s->from_begin > 0) {
        memmove(s->from, s->from + s->from_begin, left);
        s->from_begin = 0;
        s->from_end = left;
    }
    GS_TRY(
        gs_mem_grow(&s->from, &s->from_capacity, left + BUFFER_BYTES / 2, "records", st));
    ssize_t n;
    do
        n = read(s->out[0], s->from + left, s->from_capacity - left);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot take records from the sort");
    s->from_end += (size_t)n;
    if (n > 0)
        return GS_OK;
    join(s);
    s->is_done = true;
    gs_status_keep_first(st, &s->st);
    return st->code;
}

/* The length of the first whole record that is at hand, with its end; 0: there is none.
 */
static size_t whole_record(const gpusort_sorter *s, size_t looked)
{
    const size_t size = s->sort.options.order.record_size;
    const size_t bytes = s->from_end - s->from_begin;
    if (size > 0)
        return bytes >= size ? size : 0;
    const uint8_t *const begin = s->from + s->from_begin;
    const uint8_t *const end =
        looked < bytes ? memchr(begin + looked, s->sort.options.order.eol, bytes - looked)
                       : NULL;
    return end != NULL ? (size_t)(end - begin) + 1 : 0;
}

static gs_code bring_record(gpusort_sorter *s, size_t *bytes, gs_status *st)
{
    size_t looked = 0;
    if (!s->is_sorted && !s->is_running) /* a put or sorted() has met its failure */
        gs_status_keep_first(st, &s->st);
    if (!s->is_sorted)
        return GS_FAIL(st, GS_ERR_ARG, 0, "records are got behind sorted()");
    while ((*bytes = whole_record(s, looked)) == 0 && !s->is_done) {
        looked = s->from_end - s->from_begin;
        GS_TRY(read_more(s, st));
    }
    if (*bytes == 0) /* a sort that has failed has no end, however often it is asked */
        gs_status_keep_first(st, &s->st);
    return st->code;
}

gpusort_code gpusort_sorter_get(gpusort_sorter *s, const void **record, size_t *bytes,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    size_t whole = 0;
    *record = NULL;
    *bytes = 0;
    if (bring_record(s, &whole, &st) == GS_OK && whole > 0) {
        *record = s->from + s->from_begin;
        *bytes = whole - (s->sort.options.order.record_size == 0);
        s->from_begin += whole;
    }
    return gs_api_result(&st, error);
}

gpusort_code gpusort_sorter_get_text(gpusort_sorter *s, const void **text, size_t *bytes,
                                     gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    size_t whole = 0;
    *text = NULL;
    *bytes = 0;
    if (bring_record(s, &whole, &st) == GS_OK && whole > 0) {
        const size_t size = s->sort.options.order.record_size;
        const size_t there = s->from_end - s->from_begin;
        const uint8_t *const begin = s->from + s->from_begin;
        const uint8_t *const last =
            size > 0 ? NULL : memrchr(begin, s->sort.options.order.eol, there);
        *bytes = size > 0 ? there / size * size : (size_t)(last - begin) + 1;
        *text = begin;
        s->from_begin += *bytes;
    }
    return gs_api_result(&st, error);
}
