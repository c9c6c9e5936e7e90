/* SPDX-License-Identifier: MIT */
#include "cmd/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    FIRST_INTERVAL_US = 2000,
    SAMPLES_UNTIL_SLOWER = 4096, /* then half as often: long runs stay small files */
    LANE_TIDS = 1000,            /* numbers of thread that a kind of lane takes */
};

struct gs_trace_file {
    const gpusort_stats *stats;
    const char *path;
    FILE *file;
    uint64_t start_ns;
    int phase; /* whose bar is open */
    pthread_t thread;
    _Atomic bool is_stopping;
};

static double now_us(const gs_trace_file *t)
{
    return (double)(gs_machine_now_ns() - t->start_ns) / 1e3;
}

static void put_phase(gs_trace_file *t, int phase, char begin_or_end)
{
    static const char *const names[] = {
        "start", "read", "sort", "merge", "finish",
    };
    _Static_assert(sizeof names / sizeof *names == GPUSORT_PHASES, "a name each");
    if (phase < 0 || phase >= GPUSORT_PHASES)
        return;
    fprintf(t->file,
            "{\"name\": \"%s\", \"ph\": \"%c\", \"ts\": %.3f, \"pid\": 1, \"tid\": 1},\n",
            names[phase], begin_or_end, now_us(t));
}

static void put_sample(gs_trace_file *t)
{
    gpusort_figures f = {.size = sizeof f};
    gpusort_stats_read(t->stats, &f);
    const int phase = (int)f.phase;
    if (phase != t->phase) {
        put_phase(t, t->phase, 'E');
        put_phase(t, phase, 'B');
        t->phase = phase;
    }
    fprintf(t->file,
            "{\"name\": \"bytes\", \"ph\": \"C\", \"ts\": %.3f, \"pid\": 1, \"args\": "
            "{\"input\": %" PRIu64 ", \"spilled\": %" PRIu64 ", \"merged\": %" PRIu64
            ", \"output\": %" PRIu64 "}},\n",
            now_us(t), f.input_bytes, f.spilled_bytes, f.merged_bytes, f.output_bytes);
}

static void *sample(void *context)
{
    gs_trace_file *t = context;
    long interval_us = FIRST_INTERVAL_US;
    for (unsigned count = 1; !t->is_stopping; count++) {
        put_sample(t);
        if (count % SAMPLES_UNTIL_SLOWER == 0 && interval_us < 500000)
            interval_us *= 2;
        const struct timespec pause = {.tv_nsec = interval_us * 1000};
        nanosleep(&pause, NULL);
    }
    return NULL;
}

static unsigned lane_tid(const gpusort_span *s)
{
    return LANE_TIDS * ((unsigned)s->lane + 1) + s->number % LANE_TIDS;
}

/* Names the lines of the timeline that have something on them, in the order of the way of
 * the data. */
static void put_lane_names(const gs_trace_file *t)
{
    static const char *const names[] = {
        "read", "worker", "upload", "GPU", "download", "write",
    };
    _Static_assert(sizeof names / sizeof *names == GPUSORT_LANES, "a name each");
    bool is_used[GPUSORT_LANES][LANE_TIDS] = {0};
    fputs("{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": 1, "
          "\"args\": {\"name\": \"phases\"}},\n",
          t->file);
    gpusort_span span = {.size = sizeof span};
    const gpusort_span *const s = &span;
    for (size_t i = 0; gpusort_stats_span(t->stats, i, &span); i++) {
        bool *const used = &is_used[s->lane][s->number % LANE_TIDS];
        if (*used)
            continue;
        *used = true;
        fprintf(t->file,
                "{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %u, "
                "\"args\": {\"name\": \"%s %u\"}},\n",
                lane_tid(s), names[s->lane], s->number);
    }
}

static void put_spans(const gs_trace_file *t)
{
    gpusort_span span = {.size = sizeof span};
    gpusort_figures figures = {.size = sizeof figures};
    const gpusort_span *const s = &span;
    put_lane_names(t);
    for (size_t i = 0; gpusort_stats_span(t->stats, i, &span); i++) {
        fprintf(t->file,
                "{\"name\": \"%s\", \"ph\": \"X\", \"ts\": %.3f, \"dur\": %.3f, "
                "\"pid\": 1, \"tid\": %u",
                s->name, ((double)s->begin_ns - (double)t->start_ns) / 1e3,
                (double)(s->end_ns - s->begin_ns) / 1e3, lane_tid(s));
        if (s->bytes > 0)
            fprintf(t->file, ", \"args\": {\"bytes\": %" PRIu64 "}", s->bytes);
        fputs("},\n", t->file);
    }
    gpusort_stats_read(t->stats, &figures);
    if (figures.spans_lost > 0)
        fprintf(t->file,
                "{\"name\": \"%" PRIu64 " later spans were dropped\", \"ph\": \"i\", "
                "\"s\": \"g\", \"ts\": %.3f, \"pid\": 1, \"tid\": 1},\n",
                figures.spans_lost, now_us(t));
}

gs_code gs_trace_file_start(gs_trace_file **out, const char *path,
                            const gpusort_stats *stats, gs_status *st)
{
    *out = NULL;
    if (!path)
        return GS_OK;
    if (strcmp(path, "-") == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a timeline is a file of its own: --trace=FILE");
    gs_trace_file *t = NULL;
    GS_TRY(gs_mem_new(&t, sizeof *t, "trace", st));
    t->stats = stats;
    t->path = path;
    t->start_ns = gs_machine_now_ns();
    t->phase = GPUSORT_STARTING;
    t->file = fopen(path, "we");
    if (!t->file) {
        GS_NOTED(GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", path));
        goto fail;
    }
    fputs("{\"traceEvents\": [\n", t->file);
    put_phase(t, t->phase, 'B');
    const int rc = pthread_create(&t->thread, NULL, sample, t);
    if (rc != 0) {
        GS_NOTED(GS_FAIL(st, GS_ERR_NOMEM, rc, "cannot start the trace thread"));
        fclose(t->file);
        goto fail;
    }
    *out = t;
    return GS_OK;
fail:
    gs_mem_free(t);
    return st->code;
}

gs_code gs_trace_file_finish(gs_trace_file *t, gs_status *st)
{
    if (!t)
        return GS_OK;
    t->is_stopping = true;
    pthread_join(t->thread, NULL);
    put_sample(t);
    put_phase(t, t->phase, 'E');
    put_spans(t);
    fprintf(t->file, "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, "
                     "\"args\": {\"name\": \"gpusort\"}}\n]}\n");
    const bool failed_before = ferror(t->file) != 0;
    errno = 0;
    gs_code code = GS_OK;
    if (fclose(t->file) != 0 || failed_before)
        code = GS_FAIL(st, GS_ERR_IO, errno, "write failed: %s", t->path);
    gs_mem_free(t);
    return code;
}
