/* SPDX-License-Identifier: MIT */
/*
 * Streams of values, from files and descriptors or as a program has them.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_inputs.h"
#include "lib/api/api_stream.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/sort/record/records.h"

/* --- files and descriptors ---------------------------------------------------------- */

static gs_code open_inputs(gs_api_inputs *in, gs_api_stream *s, gs_status *st)
{
    const gpusort_stream_options *const o = &s->asked;
    GS_TRY(gs_api_inputs_open(in, o->inputs, o->input_count, o->input_fds,
                              o->input_fd_count, &s->job, st));
    s->options.input.names = in->names;
    s->options.input.name_count = in->count;
    return GS_OK;
}

static gs_code run(gs_api_stream *s, uint64_t *bad, gs_status *st)
{
    gs_api_inputs in;
    gs_value_stream_counts counts = {0};
    if (open_inputs(&in, s, st) == GS_OK)
        GS_NOTED(gs_value_stream_run(&s->options, &s->sink, &counts, st));
    gs_api_inputs_close(&in, st);
    *bad = counts.bad;
    return st->code;
}

gpusort_code gpusort_stream_run(const gpusort_stream_options *options, uint64_t *bad,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_stream *s = NULL;
    uint64_t count = 0;
    if (gs_mem_new(&s, sizeof *s, "stream", &st) == GS_OK) {
        if (gs_api_stream_open(s, options, &st) == GS_OK)
            GS_NOTED(run(s, &count, &st));
        gs_api_stream_close(s);
        gs_mem_free(s);
    }
    if (bad != NULL)
        *bad = count;
    return gs_api_result(&st, error);
}

/* --- what a program has ------------------------------------------------------------- */

enum { BATCH_BYTES = GS_STREAM_BLOCK_BYTES };

struct gpusort_stream {
    gs_api_stream of;
    const char *name;
    gs_value_stream *values;
    uint8_t *text; /* that was put and is not taken yet, and slack behind it */
    size_t text_bytes, text_capacity;
    size_t take_at;   /* when there are so many bytes of it */
    uint64_t offset;  /* of all that was taken */
    bool ends_open;   /* the last text that was put has no line end yet, */
    bool is_inside;   /* or CSV is cut between quotes, where a line end is text */
    bool has_records; /* something was put */
    bool is_ended;
    gs_status st; /* the first failure, which all that follow have */
};

static gs_code open_stream(gpusort_stream *s, const gpusort_stream_options *options,
                           gs_status *st)
{
    s->name = "stream";
    s->take_at = BATCH_BYTES;
    GS_TRY(gs_api_stream_open(&s->of, options, st));
    s->of.options.input.names = &s->name;
    s->of.options.input.name_count = 1;
    return gs_value_stream_open(&s->values, &s->of.options, &s->of.sink, st);
}

gpusort_code gpusort_stream_new(gpusort_stream **out,
                                const gpusort_stream_options *options,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_stream *s = NULL;
    *out = NULL;
    if (gs_mem_new(&s, sizeof *s, "stream", &st) == GS_OK)
        GS_NOTED(open_stream(s, options, &st));
    if (st.code == GS_OK)
        *out = s;
    else
        gpusort_stream_free(s);
    return gs_api_result(&st, error);
}

void gpusort_stream_free(gpusort_stream *s)
{
    if (s == NULL)
        return;
    gs_value_stream_close(s->values);
    gs_api_stream_close(&s->of);
    gs_mem_free(s->text);
    gs_mem_free(s);
}

static gs_code check_wish(const gpusort_stream *s, gs_status *st)
{
    const volatile int *const wish = s->of.asked.job.cancel;
    return __atomic_load_n(&s->of.job.cancel, __ATOMIC_RELAXED) != 0 ||
                   (wish != NULL && __atomic_load_n(wish, __ATOMIC_RELAXED) != 0)
               ? GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled")
               : GS_OK;
}

static gs_code fail_too_long(gs_status *st)
{
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "a record of more than %d bytes",
                   GS_STREAM_RECORD_BYTES_MAX);
}

/* Whole records, or numbers. */
static gs_code take(gpusort_stream *s, const uint8_t *data, size_t bytes, gs_status *st)
{
    const gs_line_batch batch = {.data = data, .bytes = bytes, .offset = s->offset};
    if (bytes == 0)
        return GS_OK;
    GS_TRY(check_wish(s, st));
    s->offset += bytes;
    return gs_value_stream_put(s->values, &batch, st);
}

/* How many bytes of the text are whole records. */
static size_t whole_bytes(const gpusort_stream *s)
{
    const uint8_t *const text = s->text;
    if (s->of.asked.is_csv) {
        bool inside = false;
        const gs_csv_form form = {s->of.options.values.format.separator, '\n'};
        return gs_csv_last_end(text, s->text_bytes, form, &inside);
    }
    const uint8_t *const last = memrchr(text, '\n', s->text_bytes);
    return last != NULL ? (size_t)(last - text) + 1 : 0;
}

/* What is whole of the text that is there. While no record ends, the next look is at half
 * as much again, or at a record that is too long. */
static gs_code take_text(gpusort_stream *s, gs_status *st)
{
    const size_t whole = s->text_bytes > 0 ? whole_bytes(s) : 0;
    GS_TRY(take(s, s->text, whole, st));
    s->text_bytes -= whole;
    if (whole > 0)
        memmove(s->text, s->text + whole, s->text_bytes);
    s->take_at = gs_clamp(s->text_bytes + s->text_bytes / 2, BATCH_BYTES,
                          GS_STREAM_RECORD_BYTES_MAX + 1);
    return s->text_bytes <= GS_STREAM_RECORD_BYTES_MAX ? GS_OK : fail_too_long(st);
}

static gs_code add_text(gpusort_stream *s, const uint8_t *text, size_t bytes,
                        gs_status *st)
{
    while (bytes > 0) {
        const size_t left = s->take_at - s->text_bytes;
        const size_t n = bytes < left ? bytes : left;
        GS_TRY(gs_mem_grow(&s->text, &s->text_capacity,
                           s->text_bytes + n + 1 + GS_BLOCK_SLACK, "records", st));
        memcpy(s->text + s->text_bytes, text, n);
        s->text_bytes += n;
        text += n;
        bytes -= n;
        if (n == left)
            GS_TRY(take_text(s, st));
    }
    return GS_OK;
}

static gs_code check_open(const gpusort_stream *s, gs_status *st)
{
    gs_status_keep_first(st, &s->st);
    if (st->code == GS_OK && s->is_ended)
        return GS_FAIL(st, GS_ERR_ARG, 0, "nothing follows end()");
    return st->code == GS_OK ? check_wish(s, st) : st->code;
}

static gs_code check_text(gpusort_stream *s, gs_status *st)
{
    GS_TRY(check_open(s, st));
    s->has_records = true;
    return s->of.asked.is_binary ? GS_FAIL(st, GS_ERR_ARG, 0, "text in a binary stream")
                                 : GS_OK;
}

/* Of memory that is not ours nothing behind it is read. */
static size_t count_quotes(const uint8_t *text, size_t bytes)
{
    size_t quotes = 0;
    for (size_t i = 0; i < bytes; i++)
        quotes += text[i] == GS_CSV_QUOTE;
    return quotes;
}

/* Where a record ends, a table has an even number of quotes. */
static gs_code check_record(const gpusort_stream *s, const uint8_t *record, size_t bytes,
                            gs_status *st)
{
    const uint8_t *end = bytes > 0 ? memchr(record, '\n', bytes) : NULL;
    size_t quotes = 0, from = 0;
    if (bytes > GS_STREAM_RECORD_BYTES_MAX)
        return fail_too_long(st);
    for (; end != NULL && s->of.asked.is_csv;
         end = memchr(record + from, '\n', bytes - from)) {
        const size_t at = (size_t)(end - record);
        quotes += count_quotes(record + from, at - from);
        if (quotes % 2 == 0)
            break;
        from = at + 1;
    }
    if (end != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a record that has a line end inside");
    if (s->of.asked.is_csv && bytes > from)
        quotes += count_quotes(record + from, bytes - from);
    return quotes % 2 == 0 ? GS_OK
                           : GS_FAIL(st, GS_ERR_ARG, 0, "a record that ends in quotes");
}

/* Ends a line that was cut: what is put as a record is no rest of it. */
static gs_code end_line(gpusort_stream *s, gs_status *st)
{
    if (s->is_inside)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a record behind one that is cut between quotes");
    if (s->ends_open)
        GS_TRY(add_text(s, (const uint8_t *)"\n", 1, st));
    s->ends_open = false;
    return GS_OK;
}

/* Where text that was put is cut, if it is. */
static void note_end(gpusort_stream *s, const uint8_t *text, size_t bytes)
{
    if (bytes == 0)
        return;
    s->ends_open = text[bytes - 1] != '\n';
    if (s->of.asked.is_csv)
        s->is_inside ^= count_quotes(text, bytes) % 2 != 0;
}

static gpusort_code result(gpusort_stream *s, const gs_status *st, gpusort_error *error)
{
    gs_status_keep_first(&s->st, st);
    return gs_api_result(st, error);
}

gpusort_code gpusort_stream_put(gpusort_stream *s, const void *record, size_t bytes,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (check_text(s, &st) == GS_OK && check_record(s, record, bytes, &st) == GS_OK &&
        end_line(s, &st) == GS_OK && add_text(s, record, bytes, &st) == GS_OK)
        GS_NOTED(add_text(s, (const uint8_t *)"\n", 1, &st));
    return result(s, &st, error);
}

gpusort_code gpusort_stream_put_text(gpusort_stream *s, const void *text, size_t bytes,
                                     gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (check_text(s, &st) == GS_OK && add_text(s, text, bytes, &st) == GS_OK)
        note_end(s, text, bytes);
    return result(s, &st, error);
}

gpusort_code gpusort_stream_put_numbers(gpusort_stream *s, const void *numbers,
                                        size_t count, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    const size_t size = gs_value_record_size(&s->of.options.values);
    const uint8_t *from = numbers;
    s->has_records = true;
    if (check_open(s, &st) == GS_OK && size == 0)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "numbers in a stream of text");
    while (st.code == GS_OK && count > 0) {
        const size_t n = count < BATCH_BYTES / size ? count : BATCH_BYTES / size;
        GS_NOTED(take(s, from, n * size, &st));
        from += n * size;
        count -= n;
    }
    return result(s, &st, error);
}

static gs_code ask(gpusort_stream *s, bool is_end, gs_status *st)
{
    GS_TRY(check_open(s, st));
    GS_TRY(take_text(s, st));
    if (is_end)
        GS_TRY(take(s, s->text, s->text_bytes, st));
    s->is_ended = is_end;
    s->of.is_asked = true;
    GS_NOTED(gs_value_stream_report(s->values, is_end, st));
    s->of.is_asked = false;
    return st->code;
}

gpusort_code gpusort_stream_ask(gpusort_stream *s, gpusort_summary **out,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = ask(s, false, &st) == GS_OK ? &s->of.summary : NULL;
    return result(s, &st, error);
}

gpusort_code gpusort_stream_end(gpusort_stream *s, gpusort_summary **out, uint64_t *bad,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = ask(s, true, &st) == GS_OK ? &s->of.summary : NULL;
    if (bad != NULL)
        *bad = gs_value_stream_bad(s->values);
    return result(s, &st, error);
}

static gs_code read_inputs(gpusort_stream *s, gs_status *st)
{
    gs_api_inputs in;
    GS_TRY(check_open(s, st));
    if (s->has_records)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a stream that is put and read");
    s->is_ended = true;
    if (open_inputs(&in, &s->of, st) == GS_OK)
        GS_NOTED(gs_value_stream_read(s->values, st));
    gs_api_inputs_close(&in, st);
    return st->code;
}

gpusort_code gpusort_stream_read(gpusort_stream *s, gpusort_summary **out, uint64_t *bad,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = read_inputs(s, &st) == GS_OK ? &s->of.summary : NULL;
    if (bad != NULL)
        *bad = gs_value_stream_bad(s->values);
    return result(s, &st, error);
}
