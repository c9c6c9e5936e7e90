/* SPDX-License-Identifier: MIT */
#include "lib/stream/value_stream.h"

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/stream/stream_run.h"
#include "lib/stream/turns.h"
#include "lib/stream/value_headers.h"

enum { WORKERS_MAX = 256 };

/* What a thread has of its own. */
typedef struct stream_worker {
    GS_MEM_APART gs_value_batch values;
    void *digest;
    gs_window *full[WORKERS_MAX + 1]; /* of its batch, to be sorted */
    size_t full_count;
    uint64_t sort_ns, digest_ns;
} stream_worker;

struct gs_value_stream {
    const gs_value_stream_options *options;
    gs_value_options values;
    gs_value_headers headers;
    const gs_value_sink *sink;
    stream_worker *workers;
    unsigned worker_count;
    gs_window *windows;
    size_t window_count;

    /* Of whose turn it is to take. */
    gs_window *filling;
    uint64_t value_count, cut_count; /* values, windows */
    gs_value_place place;
    gs_report_times times;

    gs_turns added;  /* windows */
    uint64_t add_ns; /* of whose turn that is */

    pthread_mutex_t mutex; /* guards the windows that are free */
    gs_window **free_windows;
    size_t free_count;

    bool has_begun;   /* the first batch has come */
    bool is_put;      /* by gs_value_stream_put: */
    size_t next_full; /* of worker 0, under the mutex */
};

static unsigned width_of(const gs_value_options *o)
{
    return o->is_text ? 0 : (unsigned)o->column_count;
}

/* --- windows ------------------------------------------------------------------------ */

static gs_window *take_free(gs_value_stream *s)
{
    pthread_mutex_lock(&s->mutex);
    gs_window *const w = s->free_count > 0 ? s->free_windows[--s->free_count] : NULL;
    pthread_mutex_unlock(&s->mutex);
    return w;
}

static void give_back(gs_value_stream *s, gs_window *w)
{
    w->count = w->text_bytes = 0;
    pthread_mutex_lock(&s->mutex);
    s->free_windows[s->free_count++] = w;
    pthread_mutex_unlock(&s->mutex);
}

static gs_code sort_and_digest(gs_value_stream *s, stream_worker *me, gs_window *w,
                               bool is_whole, gs_status *st)
{
    const uint64_t begin = gs_machine_now_ns();
    GS_TRY(gs_window_sort(s->options->sorter, w, st));
    const uint64_t sorted = gs_machine_now_ns();
    me->sort_ns += sorted - begin;
    GS_TRY(s->sink->digest(s->sink->context, w, is_whole, me->digest, st));
    me->digest_ns += gs_machine_now_ns() - sorted;
    return GS_OK;
}

/* A full window to its end; its memory is the caller's again. */
static gs_code finish_window(gs_value_stream *s, stream_worker *me, gs_window *w,
                             gs_status *st)
{
    if (sort_and_digest(s, me, w, true, st) != GS_OK ||
        !gs_turns_wait(&s->added, w->number)) {
        gs_turns_end(&s->added);
        return st->code;
    }
    const uint64_t begin = gs_machine_now_ns();
    if (s->sink->add(s->sink->context, me->digest, st) != GS_OK) {
        gs_turns_end(&s->added);
        return st->code;
    }
    s->add_ns += gs_machine_now_ns() - begin;
    gs_turns_pass(&s->added);
    return GS_OK;
}

/* Full windows in their order, each by a thread that has time for it. */
static gs_code settle_some(void *context, unsigned worker, gs_status *st)
{
    gs_value_stream *const s = context;
    const stream_worker *const first = &s->workers[0];
    while (st->code == GS_OK) {
        pthread_mutex_lock(&s->mutex);
        const size_t i = s->next_full++;
        pthread_mutex_unlock(&s->mutex);
        if (i >= first->full_count)
            break;
        GS_NOTED(finish_window(s, &s->workers[worker], first->full[i], st));
        give_back(s, first->full[i]);
    }
    return st->code;
}

static gs_code settle_together(gs_value_stream *s, gs_status *st)
{
    s->next_full = 0;
    GS_NOTED(gs_team_run(s->options->team, settle_some, s, st));
    s->workers[0].full_count = 0;
    return st->code;
}

static gs_code settle(void *context, unsigned worker, gs_status *st)
{
    gs_value_stream *const s = context;
    stream_worker *const me = &s->workers[worker];
    if (s->is_put && me->full_count > 1)
        return settle_together(s, st);
    for (size_t i = 0; i < me->full_count; i++) {
        GS_NOTED(finish_window(s, me, me->full[i], st));
        give_back(s, me->full[i]);
    }
    me->full_count = 0;
    return st->code;
}

/* The window is full: it waits until the turn is over, or, if no other is free, it is
 * finished here and filled again. */
static gs_code cut_window(gs_value_stream *s, unsigned worker, gs_status *st)
{
    stream_worker *const me = &s->workers[worker];
    gs_window *const w = s->filling;
    w->number = s->cut_count++;
    gs_window *other = take_free(s);
    if (other == NULL && me->full_count > 0) {
        GS_TRY(settle(s, worker, st));
        other = take_free(s);
    }
    if (other == NULL) {
        GS_TRY(finish_window(s, me, w, st));
        w->count = w->text_bytes = 0;
        return GS_OK;
    }
    me->full[me->full_count++] = w;
    s->filling = other;
    return GS_OK;
}

/* --- reports ------------------------------------------------------------------------ */

/* Nothing is taken meanwhile, and windows that are under way are waited for. The part of
 * a window is sorted where it is: what comes later is behind it all the same. */
static gs_code report(gs_value_stream *s, unsigned worker, bool is_end, gs_status *st)
{
    stream_worker *const me = &s->workers[worker];
    gs_window *const w = s->filling;
    GS_TRY(settle(s, worker, st));
    if (!gs_turns_wait(&s->added, s->cut_count))
        return GS_OK;
    w->number = s->cut_count;
    if (w->count > 0)
        GS_TRY(sort_and_digest(s, me, w, false, st));
    return s->sink->report(s->sink->context, w->count > 0 ? me->digest : NULL,
                           s->value_count, is_end, st);
}

static gs_code due(void *context, unsigned worker, gs_status *st)
{
    gs_value_stream *const s = context;
    return gs_report_times_is_due(&s->times) ? report(s, worker, false, st) : GS_OK;
}

/* --- batches ------------------------------------------------------------------------ */

/* Before all else. */
static gs_code begin_stream(gs_value_stream *s, const gs_line_batch *first, gs_status *st)
{
    const gs_stream_input_options *const input = &s->options->input;
    gs_value_iter it = gs_value_iter_all(&s->values, first);
    s->has_begun = true;
    GS_TRY(gs_value_headers_init(&s->headers, &s->values, input->names, input->name_count,
                                 st));
    if (s->sink->begin == NULL)
        return GS_OK;
    const bool has_record = !s->values.is_binary && gs_value_iter_next(&it);
    return has_record ? s->sink->begin(s->sink->context, it.record, it.bytes, st)
                      : s->sink->begin(s->sink->context, (const uint8_t *)"", 0, st);
}

static gs_code begin_file(void *context, const gs_line_batch *first, gs_status *st)
{
    gs_value_stream *const s = context;
    if (!s->has_begun)
        GS_TRY(begin_stream(s, first, st));
    return s->values.has_header ? gs_value_headers_see(&s->headers, first, st) : GS_OK;
}

static gs_code parse(void *context, unsigned worker, const gs_line_batch *batch,
                     gs_status *st)
{
    gs_value_stream *const s = context;
    const gs_value_options o = gs_value_headers_apply(&s->headers, batch);
    return gs_value_batch_parse(&s->workers[worker].values, &o, batch, st);
}

/* What a window had no room for goes to the next one. */
static gs_code after_taking(gs_value_stream *s, unsigned worker, gs_status *st)
{
    if (gs_window_is_full(s->filling))
        GS_TRY(cut_window(s, worker, st));
    return gs_report_times_is_reached(&s->times, s->value_count)
               ? report(s, worker, false, st)
               : GS_OK;
}

static gs_code take_keys(gs_value_stream *s, unsigned worker, const uint64_t *keys,
                         size_t count, gs_status *st)
{
    while (count > 0) {
        const size_t room = gs_report_times_room(&s->times, s->value_count, count);
        size_t n;
        gs_window_take_keys(s->filling, keys, room, &n);
        s->value_count += n;
        keys += n * width_of(&s->values);
        count -= n;
        GS_TRY(after_taking(s, worker, st));
    }
    return GS_OK;
}

static gs_code take_texts(gs_value_stream *s, unsigned worker, const gs_value_batch *v,
                          gs_status *st)
{
    for (size_t at = 0; at < v->count;) {
        const size_t room =
            gs_report_times_room(&s->times, s->value_count, v->count - at);
        size_t n;
        GS_TRY(gs_window_take_texts(
            s->filling, v->texts, at > 0 ? v->ends[at - 1] : 0, v->ends + at,
            s->values.has_times ? v->keys + at : NULL, room, &n, st));
        s->value_count += n;
        at += n;
        GS_TRY(after_taking(s, worker, st));
    }
    return GS_OK;
}

static gs_code take(void *context, unsigned worker, const gs_line_batch *batch,
                    gs_status *st)
{
    gs_value_stream *const s = context;
    gs_value_batch *const v = &s->workers[worker].values;
    const char *const name = s->options->input.names[batch->input_index];
    const gs_value_options o = gs_value_headers_apply(&s->headers, batch);
    GS_TRY(gs_value_place_pass(&s->place, &o, v, batch, name, st));
    if (s->sink->arrange != NULL)
        s->sink->arrange(s->sink->context, v->keys, v->count);
    return s->values.is_text ? take_texts(s, worker, v, st)
                             : take_keys(s, worker, v->keys, v->count, st);
}

/* --- all ---------------------------------------------------------------------------- */

static void release(gs_value_stream *s)
{
    for (unsigned i = 0; s->workers != NULL && i < s->worker_count; i++) {
        gs_value_batch_release(&s->workers[i].values);
        if (s->workers[i].digest != NULL)
            s->sink->digest_release(s->workers[i].digest);
        gs_mem_free(s->workers[i].digest);
    }
    for (size_t i = 0; s->windows != NULL && i < s->window_count; i++)
        gs_window_release(&s->windows[i]);
    gs_mem_free(s->workers);
    gs_mem_free(s->windows);
    gs_mem_free(s->free_windows);
    gs_value_headers_release(&s->headers);
    gs_turns_release(&s->added);
    pthread_mutex_destroy(&s->mutex);
}

/* One window to fill and one for each thread to sort, where the memory has room. */
static gs_code prepare(gs_value_stream *s, gs_status *st)
{
    const gs_value_stream_options *const o = s->options;
    const size_t window_bytes =
        o->values.is_text
            ? 2 * (size_t)GS_WINDOW_TEXT_BYTES
            : 2 * width_of(&o->values) * o->window_values * sizeof(uint64_t);
    const size_t fit = o->memory_bytes / (window_bytes > 0 ? window_bytes : 1);
    s->worker_count = gs_team_workers(o->team);
    gs_assert(o->window_values > 0 && s->worker_count <= WORKERS_MAX);
    s->window_count = fit < 1 ? 1 : fit > s->worker_count ? s->worker_count + 1 : fit;
    GS_TRY(gs_mem_new_apart(&s->workers, s->worker_count * sizeof *s->workers,
                            "threads of a stream", st));
    GS_TRY(gs_mem_new_array(&s->windows, s->window_count, sizeof *s->windows, "windows",
                            st));
    GS_TRY(gs_mem_new_array(&s->free_windows, s->window_count, sizeof(gs_window *),
                            "windows", st));
    for (unsigned i = 0; i < s->worker_count; i++)
        GS_TRY(gs_mem_new(&s->workers[i].digest, s->sink->digest_bytes, "digest", st));
    for (size_t i = 0; i < s->window_count; i++) {
        GS_TRY(gs_window_init(&s->windows[i], o->window_values, width_of(&o->values),
                              o->values.has_times, st));
        if (o->text_bytes_max > 0)
            s->windows[i].text_bytes_max = o->text_bytes_max;
        s->free_windows[s->free_count++] = &s->windows[i];
    }
    s->filling = take_free(s);
    return GS_OK;
}

static void open_stream(gs_value_stream *s, const gs_value_stream_options *o,
                        const gs_value_sink *sink)
{
    *s = (gs_value_stream){
        .options = o, .values = o->values, .sink = sink, .times = o->times};
    gs_turns_init(&s->added);
    pthread_mutex_init(&s->mutex, NULL);
}

static void count_up(const gs_value_stream *s, gs_value_stream_counts *counts)
{
    *counts = (gs_value_stream_counts){
        .values = s->value_count, .bad = s->place.bad_count, .add_ns = s->add_ns};
    for (unsigned i = 0; s->workers != NULL && i < s->worker_count; i++) {
        counts->sort_ns += s->workers[i].sort_ns;
        counts->digest_ns += s->workers[i].digest_ns;
    }
}

/* All of the input, and a report of it. */
static gs_code read_all(gs_value_stream *s, gs_status *st)
{
    const gs_value_stream_options *const o = s->options;
    const gs_stream_work work = {
        .context = s,
        .begin = begin_file,
        .parse = parse,
        .take = take,
        .settle = settle,
        .due = due,
    };
    gs_stream_input_options input = o->input;
    input.record_size = gs_value_record_size(&o->values);
    input.has_quotes = o->values.format.is_csv;
    input.workers = gs_team_workers(o->team);
    GS_TRY(gs_stream_run(&input, o->team, &work, st));
    return report(s, 0, true, st);
}

gs_code gs_value_stream_run(const gs_value_stream_options *o, const gs_value_sink *sink,
                            gs_value_stream_counts *counts, gs_status *st)
{
    gs_value_stream s;
    open_stream(&s, o, sink);
    if (prepare(&s, st) == GS_OK)
        GS_NOTED(read_all(&s, st));
    count_up(&s, counts);
    release(&s);
    return st->code;
}

/* --- batches that the caller has ---------------------------------------------------- */

gs_code gs_value_stream_open(gs_value_stream **out, const gs_value_stream_options *o,
                             const gs_value_sink *sink, gs_status *st)
{
    gs_value_stream *s = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "stream", st));
    open_stream(s, o, sink);
    s->is_put = true;
    if (prepare(s, st) == GS_OK)
        *out = s;
    else
        gs_value_stream_close(s);
    return st->code;
}

gs_code gs_value_stream_put(gs_value_stream *s, const gs_line_batch *batch, gs_status *st)
{
    if (batch->offset == 0)
        GS_TRY(begin_file(s, batch, st));
    GS_TRY(parse(s, 0, batch, st));
    GS_TRY(take(s, 0, batch, st));
    return due(s, 0, st);
}

gs_code gs_value_stream_report(gs_value_stream *s, bool is_end, gs_status *st)
{
    return report(s, 0, is_end, st);
}

gs_code gs_value_stream_read(gs_value_stream *s, gs_status *st)
{
    gs_assert(!s->has_begun);
    s->is_put = false;
    return read_all(s, st);
}

uint64_t gs_value_stream_bad(const gs_value_stream *s)
{
    return s->place.bad_count;
}

void gs_value_stream_close(gs_value_stream *s)
{
    if (s == NULL)
        return;
    release(s);
    gs_mem_free(s);
}

/* --- keys in memory ----------------------------------------------------------------- */

typedef struct key_run {
    gs_value_stream *stream;
    const uint64_t *keys;
    size_t count;
    gs_turns turns;
    pthread_mutex_t mutex; /* guards what follows */
    uint64_t given;
} key_run;

static gs_code run_keys(void *context, unsigned worker, gs_status *st)
{
    key_run *const r = context;
    const size_t part = r->stream->options->window_values;
    while (st->code == GS_OK) {
        pthread_mutex_lock(&r->mutex);
        const uint64_t ticket = r->given++;
        pthread_mutex_unlock(&r->mutex);
        const size_t at = ticket * part;
        if (at >= r->count || !gs_turns_wait(&r->turns, ticket))
            break;
        const size_t n = r->count - at < part ? r->count - at : part;
        GS_NOTED(take_keys(r->stream, worker, r->keys + at, n, st));
        gs_turns_pass(&r->turns);
        if (st->code == GS_OK)
            GS_NOTED(settle(r->stream, worker, st));
    }
    if (st->code != GS_OK)
        gs_turns_end(&r->turns);
    return st->code;
}

gs_code gs_value_stream_keys(const gs_value_stream_options *o, const gs_value_sink *sink,
                             const uint64_t *keys, size_t count,
                             gs_value_stream_counts *counts, gs_status *st)
{
    gs_value_stream s;
    key_run r = {.stream = &s, .keys = keys, .count = count};
    open_stream(&s, o, sink);
    gs_turns_init(&r.turns);
    pthread_mutex_init(&r.mutex, NULL);
    if (prepare(&s, st) == GS_OK && gs_team_run(o->team, run_keys, &r, st) == GS_OK)
        GS_NOTED(report(&s, 0, true, st));
    pthread_mutex_destroy(&r.mutex);
    gs_turns_release(&r.turns);
    count_up(&s, counts);
    release(&s);
    return st->code;
}
