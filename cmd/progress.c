/* SPDX-License-Identifier: MIT */
#include "cmd/progress.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

enum {
    TERMINAL_INTERVAL_MS = 200,
    PLAIN_INTERVAL_MS = 2000,
    FIRST_AFTER_MS = 600, /* a short sort stays silent on a terminal */
    LINE_BYTES = 160,
    SIZE_BYTES = 16,
};

struct gs_progress {
    const gpusort_stats *stats;
    bool is_terminal;
    uint64_t start_ns;
    pthread_t thread;
    pthread_mutex_t mutex; /* guards is_stopping */
    pthread_cond_t wake;
    bool is_stopping;
};

static gpusort_figures look(const gs_progress *p)
{
    gpusort_figures figures = {.size = sizeof figures};
    gpusort_stats_read(p->stats, &figures);
    return figures;
}

static const char *size_text(char *text, double bytes)
{
    static const char units[] = "BKMGTPE";
    size_t unit = 0;
    while (bytes >= 1024 && units[unit + 1]) {
        bytes /= 1024;
        unit++;
    }
    const int decimals = unit > 0 && bytes < 100 ? 1 : 0;
    snprintf(text, SIZE_BYTES, "%.*f%c", decimals, bytes, units[unit]);
    return text;
}

static void put_time_left(char *line, size_t used, double seconds)
{
    if (seconds < 0 || seconds > 1e6)
        return;
    const unsigned long whole = (unsigned long)(seconds + 0.5);
    snprintf(line + used, LINE_BYTES - used, ", %lu:%02lu left", whole / 60, whole % 60);
}

/* One phase at a time: what is done of what, how fast, how long still. */
static void describe(const gpusort_figures *f, uint64_t phase_start_ns, char *line)
{
    const int phase = (int)f->phase;
    const bool is_merging = phase == GPUSORT_MERGING;
    const double done = (double)(is_merging ? f->merged_bytes : f->input_bytes);
    const double total =
        (double)(is_merging ? f->merged_bytes_total : f->input_bytes_total);
    static const char *const names[] = {
        "starting", "reading", "sorting", "merging", "finishing",
    };
    _Static_assert(sizeof names / sizeof *names == GPUSORT_PHASES, "a name each");
    const char *name = phase >= 0 && phase < GPUSORT_PHASES ? names[phase] : "";
    const double seconds = (double)(gs_machine_now_ns() - phase_start_ns) / 1e9;
    const double rate = seconds > 0 ? done / seconds : 0;
    char done_text[SIZE_BYTES];
    char total_text[SIZE_BYTES];
    char rate_text[SIZE_BYTES];
    size_text(done_text, done);
    size_text(total_text, total);
    size_text(rate_text, rate);
    int used = 0;
    if (total > 0)
        used = snprintf(line, LINE_BYTES, "%s %3.0f%%  %s of %s, %s/s", name,
                        done < total ? 100 * done / total : 100.0, done_text, total_text,
                        rate_text);
    else
        used = snprintf(line, LINE_BYTES, "%s  %s, %s/s", name, done_text, rate_text);
    if (total > done && rate > 0 && used > 0 && used < LINE_BYTES)
        put_time_left(line, (size_t)used, (total - done) / rate);
}

/* The last line, where lines stay. */
static void summarise(const gs_progress *p, char *line)
{
    const gpusort_figures figures = look(p);
    const double done = (double)figures.input_bytes;
    const double seconds = (double)(gs_machine_now_ns() - p->start_ns) / 1e9;
    char done_text[SIZE_BYTES];
    char rate_text[SIZE_BYTES];
    size_text(done_text, done);
    size_text(rate_text, seconds > 0 ? done / seconds : 0);
    snprintf(line, LINE_BYTES, "done  %s in %.1f s, %s/s", done_text, seconds, rate_text);
}

/* True when it is time to stop. */
static bool wait_for_stop(gs_progress *p, unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000L;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&p->mutex);
    int rc = 0;
    while (!p->is_stopping && rc == 0)
        rc = pthread_cond_timedwait(&p->wake, &p->mutex, &until);
    const bool is_stopping = p->is_stopping;
    pthread_mutex_unlock(&p->mutex);
    return is_stopping;
}

static void *draw(void *context)
{
    gs_progress *p = context;
    char line[LINE_BYTES];
    int phase = (int)look(p).phase;
    uint64_t phase_start_ns = p->start_ns;
    uint64_t looked_ns = p->start_ns; /* a phase began after this, when it is seen */
    bool is_drawn = false;
    unsigned wait_ms = p->is_terminal ? FIRST_AFTER_MS : PLAIN_INTERVAL_MS;
    while (!wait_for_stop(p, wait_ms)) {
        const gpusort_figures figures = look(p);
        const int now = (int)figures.phase;
        /* Reading and sorting take turns; their bytes are counted as one phase. */
        if (now != phase && (now >= GPUSORT_MERGING || phase == GPUSORT_STARTING))
            phase_start_ns = looked_ns;
        phase = now;
        looked_ns = gs_machine_now_ns();
        describe(&figures, phase_start_ns, line);
        fprintf(stderr, p->is_terminal ? "\r%s\033[K" : "%s\n", line);
        is_drawn = true;
        wait_ms = p->is_terminal ? TERMINAL_INTERVAL_MS : PLAIN_INTERVAL_MS;
    }
    if (!p->is_terminal) {
        summarise(p, line);
        fprintf(stderr, "%s\n", line);
    } else if (is_drawn) {
        fputs("\r\033[K", stderr);
    }
    return NULL;
}

gs_code gs_progress_start(gs_progress **out, const gpusort_stats *stats,
                          gs_progress_mode mode, gs_status *st)
{
    *out = NULL;
    const bool is_terminal = isatty(STDERR_FILENO) == 1;
    if (mode == GS_PROGRESS_NEVER || (mode == GS_PROGRESS_AUTO && !is_terminal))
        return GS_OK;
    gs_progress *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "progress", st));
    p->stats = stats;
    p->is_terminal = is_terminal;
    p->start_ns = gs_machine_now_ns();
    pthread_mutex_init(&p->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    const int rc = pthread_create(&p->thread, NULL, draw, p);
    if (rc != 0) {
        pthread_cond_destroy(&p->wake);
        pthread_mutex_destroy(&p->mutex);
        gs_mem_free(p);
        return GS_FAIL(st, GS_ERR_NOMEM, rc, "cannot start the progress thread");
    }
    *out = p;
    return GS_OK;
}

void gs_progress_stop(gs_progress *p)
{
    if (!p)
        return;
    pthread_mutex_lock(&p->mutex);
    p->is_stopping = true;
    pthread_cond_signal(&p->wake);
    pthread_mutex_unlock(&p->mutex);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->mutex);
    gs_mem_free(p);
}
