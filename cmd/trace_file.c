/* SPDX-License-Identifier: MIT */
#include "cmd/trace_file.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    FIRST_INTERVAL_US = 2000,
    SAMPLES_UNTIL_SLOWER = 4096, /* then half as often: long runs stay small files */
};

struct gs_trace_file {
    const gs_sort_stats *stats;
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
    static const char *const names[GS_PHASE_COUNT] = {
        "start", "read", "sort", "merge", "finish",
    };
    if (phase < 0 || phase >= GS_PHASE_COUNT)
        return;
    fprintf(t->file,
            "{\"name\": \"%s\", \"ph\": \"%c\", \"ts\": %.3f, \"pid\": 1, \"tid\": 1},\n",
            names[phase], begin_or_end, now_us(t));
}

static void put_sample(gs_trace_file *t)
{
    const gs_sort_stats *s = t->stats;
    const int phase = s->phase;
    if (phase != t->phase) {
        put_phase(t, t->phase, 'E');
        put_phase(t, phase, 'B');
        t->phase = phase;
    }
    const uint64_t input = s->input_bytes;
    const uint64_t spilled = s->spill_bytes;
    const uint64_t merged = s->merge_bytes;
    const uint64_t output = s->output_bytes;
    fprintf(t->file,
            "{\"name\": \"bytes\", \"ph\": \"C\", \"ts\": %.3f, \"pid\": 1, \"args\": "
            "{\"input\": %" PRIu64 ", \"spilled\": %" PRIu64 ", \"merged\": %" PRIu64
            ", \"output\": %" PRIu64 "}},\n",
            now_us(t), input, spilled, merged, output);
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

gs_code gs_trace_file_start(gs_trace_file **out, const char *path,
                            const gs_sort_stats *stats, gs_status *st)
{
    *out = NULL;
    if (!path)
        return GS_OK;
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_trace_file), "trace", st));
    gs_trace_file *t = memory;
    t->stats = stats;
    t->path = path;
    t->start_ns = gs_machine_now_ns();
    t->phase = GS_PHASE_START;
    t->file = fopen(path, "we");
    if (!t->file) {
        GS_NOTED(GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", path));
        gs_mem_free(t);
        return st->code;
    }
    fputs("{\"traceEvents\": [\n", t->file);
    put_phase(t, t->phase, 'B');
    const int rc = pthread_create(&t->thread, NULL, sample, t);
    if (rc != 0) {
        fclose(t->file);
        gs_mem_free(t);
        return GS_FAIL(st, GS_ERR_NOMEM, rc, "cannot start the trace thread");
    }
    *out = t;
    return GS_OK;
}

gs_code gs_trace_file_finish(gs_trace_file *t, gs_status *st)
{
    if (!t)
        return GS_OK;
    t->is_stopping = true;
    pthread_join(t->thread, NULL);
    put_sample(t);
    put_phase(t, t->phase, 'E');
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
