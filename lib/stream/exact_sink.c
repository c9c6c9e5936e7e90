/* SPDX-License-Identifier: MIT */
#include "lib/stream/exact_sink.h"

#include "lib/base/mem.h"

/* A window that the second-level cache holds sorts fastest on cores; a GPU wants more. */
enum { WINDOW_VALUES = 1 << 17, WINDOW_VALUES_GPU = 1 << 23, VALUE_BYTES = 16 };

/* What a thread has of a window. */
typedef struct window_run {
    gs_key_mark *marks;
    const uint64_t *keys; /* of one that is not whole: where it is */
    size_t count;
} window_run;

size_t gs_exact_window_values(size_t memory_bytes, bool uses_gpu)
{
    size_t values = uses_gpu ? WINDOW_VALUES_GPU : WINDOW_VALUES;
    while (values > GS_KEY_PAGE && values > memory_bytes / 8 / VALUE_BYTES)
        values /= 2;
    return values;
}

gs_code gs_exact_sink_init(gs_exact_sink *s, size_t window_values, size_t memory_bytes,
                           const char *const *temp_folders, size_t temp_folder_count,
                           gs_status *st)
{
    s->values = 0;
    s->last = NULL;
    s->last_count = 0;
    return gs_key_runs_init(&s->runs, window_values, memory_bytes, temp_folders,
                            temp_folder_count, st);
}

void gs_exact_sink_release(gs_exact_sink *s)
{
    gs_key_runs_release(&s->runs);
}

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    gs_exact_sink *const s = context;
    window_run *const run = to;
    if (!is_whole) {
        run->keys = w->keys;
        run->count = w->count;
        return GS_OK;
    }
    if (run->marks == NULL)
        GS_TRY(gs_mem_new_array(&run->marks, s->runs.run_keys / GS_KEY_PAGE,
                                sizeof *run->marks, "marks of a run", st));
    return gs_key_runs_put(&s->runs, w->number, w->keys, run->marks, st);
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_exact_sink *const s = context;
    const window_run *const run = window;
    return gs_key_runs_mark(&s->runs, run->marks, st);
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_exact_sink *const s = context;
    const window_run *const run = last;
    s->values = values;
    s->last = run != NULL ? run->keys : NULL;
    s->last_count = run != NULL ? run->count : 0;
    return s->report(s->report_context, s, is_end, st);
}

gs_code gs_exact_at(gs_exact_sink *s, uint64_t rank, uint64_t *key, gs_status *st)
{
    return gs_key_runs_select(&s->runs, s->last, s->last_count, rank, key, st);
}

static void release(void *window)
{
    window_run *const run = window;
    gs_mem_free(run->marks);
}

gs_value_sink gs_exact_sink_as_sink(gs_exact_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_run),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
