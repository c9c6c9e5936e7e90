/* SPDX-License-Identifier: MIT */
#include "lib/stream/count_sink.h"

#include "lib/stream/rank_histogram.h"

/* What a thread makes of a window. */
typedef struct window_counts {
    gs_count_summary numbers;
    gs_text_counts texts;
} window_counts;

size_t gs_count_window_values(size_t counters, size_t memory_bytes)
{
    return gs_rank_window_values(1.0 / (double)counters, memory_bytes);
}

void gs_count_sink_release(gs_count_sink *s)
{
    gs_count_summary_release(&s->numbers);
    gs_count_summary_release(&s->other_numbers);
    gs_text_counts_release(&s->texts);
    gs_text_counts_release(&s->other_texts);
}

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_count_sink *const s = context;
    window_counts *const d = to;
    (void)is_whole;
    if (!s->is_text) {
        GS_TRY(gs_count_summary_take(&d->numbers, w->keys, w->count, st));
        return gs_count_summary_prune(&d->numbers, s->counters, st);
    }
    gs_text_counts_reset(&d->texts);
    GS_TRY(gs_text_counts_add_all(&d->texts, w->texts, w->ends, w->count, st));
    return gs_text_counts_prune(&d->texts, s->counters, st);
}

static gs_code check_memory(const gs_count_sink *s, gs_status *st)
{
    const size_t held =
        gs_text_counts_bytes(&s->texts) + gs_count_summary_bytes(&s->numbers);
    if (held <= s->memory_bytes / 2) /* a report needs as much again */
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0, "counts of %zu values take more than %zu bytes",
                  s->counters, s->memory_bytes / 2);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

static void swap(gs_count_summary *a, gs_count_summary *b)
{
    const gs_count_summary other = *a;
    *a = *b;
    *b = other;
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_count_sink *const s = context;
    window_counts *const d = window;
    if (s->is_text) {
        GS_TRY(gs_text_counts_merge(&s->texts, &d->texts, st));
        if (s->texts.count > 2 * s->counters)
            GS_TRY(gs_text_counts_prune(&s->texts, s->counters, st));
    } else {
        GS_TRY(gs_count_summary_merge(&s->other_numbers, &s->numbers, &d->numbers, st));
        swap(&s->other_numbers, &s->numbers);
        if (s->numbers.count > 2 * s->counters)
            GS_TRY(gs_count_summary_prune(&s->numbers, s->counters, st));
    }
    return check_memory(s, st);
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    static const gs_count_summary no_numbers;
    gs_count_sink *const s = context;
    const window_counts *const d = last;
    gs_frequent all = {.values = values,
                       .in_window = values,
                       .bytes = gs_text_counts_bytes(&s->texts) +
                                gs_count_summary_bytes(&s->numbers)};
    if (s->is_text) {
        gs_text_counts *const t = &s->other_texts;
        gs_text_counts_reset(t);
        GS_TRY(gs_text_counts_merge(t, &s->texts, st));
        if (d != NULL)
            GS_TRY(gs_text_counts_merge(t, &d->texts, st));
        gs_text_counts_rank(t);
        all.texts = t;
    } else {
        gs_count_summary *const n = &s->other_numbers;
        GS_TRY(gs_count_summary_merge(n, &s->numbers,
                                      d != NULL ? &d->numbers : &no_numbers, st));
        gs_count_summary_rank(n);
        all.numbers = n;
    }
    return s->report(s->report_context, &all, is_end, st);
}

static void release(void *window)
{
    window_counts *const d = window;
    gs_count_summary_release(&d->numbers);
    gs_text_counts_release(&d->texts);
}

gs_value_sink gs_count_sink_as_sink(gs_count_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_counts),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
