/* SPDX-License-Identifier: MIT */
#include "lib/stream/rank_sink.h"

void gs_rank_sink_init(gs_rank_sink *s, double eps, size_t memory_bytes,
                       gs_rank_report_fn *report, void *report_context)
{
    *s = (gs_rank_sink){
        .report = report, .report_context = report_context, .memory_bytes = memory_bytes};
    gs_rank_histogram_init(&s->histogram, eps, gs_rank_window_values(eps, memory_bytes));
}

void gs_rank_sink_release(gs_rank_sink *s)
{
    gs_rank_histogram_release(&s->histogram);
    gs_rank_summary_release(&s->all);
}

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_rank_sink *const s = context;
    (void)is_whole;
    return gs_rank_summary_take(to, w->keys, w->count,
                                gs_rank_window_stride(s->histogram.eps, w->count), st);
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_rank_sink *const s = context;
    const size_t held = gs_rank_histogram_entries(&s->histogram) * sizeof(gs_rank_entry);
    /* A report puts all together, once more and half of it again. */
    if (held > s->memory_bytes / 3) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "summaries of an error of %g take more than %zu bytes",
                      s->histogram.eps, s->memory_bytes / 3);
        return gs_status_hint(
            st, "give more memory with -S, allow a larger --eps, or ask for --exact");
    }
    return gs_rank_histogram_add(&s->histogram, window, st);
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_rank_sink *const s = context;
    (void)values;
    GS_TRY(gs_rank_histogram_all(&s->histogram, last, &s->all, st));
    return s->report(s->report_context, &s->all, is_end, st);
}

static void release(void *window)
{
    gs_rank_summary_release(window);
}

gs_value_sink gs_rank_sink_as_sink(gs_rank_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(gs_rank_summary),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
