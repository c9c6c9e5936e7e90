/* SPDX-License-Identifier: MIT */
#include "lib/stream/prefix_sink.h"

/* What a thread makes of a window. */
typedef struct window_prefixes {
    gs_text_counts values;
    gs_prefix_counts prefixes;
} window_prefixes;

void gs_prefix_sink_release(gs_prefix_sink *s)
{
    gs_prefix_counts_release(&s->counts);
}

static void release_window(void *window)
{
    window_prefixes *const w = window;
    gs_text_counts_release(&w->values);
    gs_prefix_counts_release(&w->prefixes);
}

static gs_code digest(void *context, const gs_window *window, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_prefix_sink *const s = context;
    window_prefixes *const w = to;
    (void)is_whole;
    gs_text_counts_reset(&w->values);
    gs_prefix_counts_reset(&w->prefixes);
    w->prefixes.by = s->counts.by;
    GS_TRY(gs_text_counts_add_all(&w->values, window->texts, window->ends, window->count,
                                  st));
    GS_TRY(gs_prefix_counts_take(&w->prefixes, &w->values, st));
    return gs_prefix_counts_prune(&w->prefixes, s->counters, st);
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_prefix_sink *const s = context;
    const window_prefixes *const w = window;
    GS_TRY(gs_prefix_counts_merge(&s->counts, &w->prefixes, s->counters, st));
    if (gs_prefix_counts_bytes(&s->counts) <= s->memory_bytes)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "counts of %zu prefixes of each level take more than %zu bytes",
                  s->counters, s->memory_bytes);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

/* In the end nothing is in the way of adding the last window for good. */
static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_prefix_sink *const s = context;
    const window_prefixes *const w = last;
    gs_known_prefixes all = {.counts = &s->counts,
                             .values = values,
                             .bytes = gs_prefix_counts_bytes(&s->counts)};
    if (is_end && w != NULL) {
        GS_TRY(gs_prefix_counts_merge(&s->counts, &w->prefixes, 0, st));
    } else if (w != NULL) {
        all.last = &w->prefixes;
    }
    return s->report(s->report_context, &all, is_end, st);
}

gs_value_sink gs_prefix_sink_as_sink(gs_prefix_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_prefixes),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release_window,
    };
}
