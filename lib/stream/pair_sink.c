/* SPDX-License-Identifier: MIT */
#include "lib/stream/pair_sink.h"

/* What a thread makes of a window. */
typedef struct window_pairs {
    gs_pair_facts facts;
    gs_sum_summary every; /* of all x, before it is pruned */
} window_pairs;

void gs_pair_sink_init(gs_pair_sink *s, size_t window_values)
{
    gs_rank_histogram_init(&s->ranks, s->eps, window_values);
    gs_sum_histogram_init(&s->sums, s->eps);
}

void gs_pair_facts_release(gs_pair_facts *f)
{
    gs_rank_summary_release(&f->ranks);
    gs_sum_summary_release(&f->sums);
    *f = (gs_pair_facts){.values = 0};
}

void gs_pair_sink_release(gs_pair_sink *s)
{
    gs_rank_histogram_release(&s->ranks);
    gs_sum_histogram_release(&s->sums);
    gs_pair_facts_release(&s->all);
    gs_pair_facts_release(&s->reported);
}

static void release_window(void *window)
{
    window_pairs *const w = window;
    gs_pair_facts_release(&w->facts);
    gs_sum_summary_release(&w->every);
}

size_t gs_pair_sink_bytes(const gs_pair_sink *s)
{
    return gs_sum_histogram_bytes(&s->sums) +
           gs_rank_histogram_entries(&s->ranks) * sizeof(gs_rank_entry);
}

gs_code gs_pair_facts_take(gs_pair_facts *f, gs_number_type type, const gs_window *window,
                           uint64_t stride, gs_sum_summary *sums, gs_status *st)
{
    const size_t n = window->count;
    f->values = n;
    f->least_key = window->keys[0];
    f->most_key = window->keys[2 * n - 2];
    f->x_sum = 0;
    for (size_t i = 0; i < n; i++)
        f->x_sum += gs_number_as_double(type, window->keys[2 * i]);
    GS_TRY(gs_sum_summary_take(sums, type, window->keys, n, st));
    if (stride == 0)
        return GS_OK;
    for (size_t i = 0; i < n; i++)
        window->scratch[i] = window->keys[2 * i];
    return gs_rank_summary_take(&f->ranks, window->scratch, n, stride, st);
}

static gs_code digest(void *context, const gs_window *window, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_pair_sink *const s = context;
    window_pairs *const w = to;
    const uint64_t stride =
        s->has_ranks ? gs_rank_window_stride(s->eps, window->count) : 0;
    (void)is_whole;
    GS_TRY(gs_pair_facts_take(&w->facts, s->type, window, stride, &w->every, st));
    gs_sum_summary_prune(&w->every, gs_sum_window_parts(s->eps));
    return gs_sum_summary_copy(&w->facts.sums, &w->every, st);
}

void gs_pair_facts_add(gs_pair_facts *to, const gs_pair_facts *from)
{
    if (from->values == 0)
        return;
    if (to->values == 0 || from->least_key < to->least_key)
        to->least_key = from->least_key;
    if (to->values == 0 || from->most_key > to->most_key)
        to->most_key = from->most_key;
    to->values += from->values;
    to->x_sum += from->x_sum;
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_pair_sink *const s = context;
    window_pairs *const w = window;
    gs_pair_facts_add(&s->all, &w->facts);
    GS_TRY(gs_sum_histogram_add(&s->sums, &w->facts.sums, st));
    if (s->has_ranks)
        GS_TRY(gs_rank_histogram_add(&s->ranks, &w->facts.ranks, st));
    /* A report puts all together, once more and half of it again. */
    if (gs_pair_sink_bytes(s) <= s->memory_bytes / 3)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "summaries of an error of %g take more than %zu bytes", s->eps,
                  s->memory_bytes / 3);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_pair_sink *const s = context;
    const window_pairs *const w = last;
    gs_pair_facts *const r = &s->reported;
    (void)values;
    r->values = s->all.values;
    r->least_key = s->all.least_key;
    r->most_key = s->all.most_key;
    r->x_sum = s->all.x_sum;
    if (w != NULL)
        gs_pair_facts_add(r, &w->facts);
    GS_TRY(gs_sum_histogram_all(&s->sums, w ? &w->facts.sums : NULL, &r->sums, st));
    if (s->has_ranks)
        GS_TRY(
            gs_rank_histogram_all(&s->ranks, w ? &w->facts.ranks : NULL, &r->ranks, st));
    return s->report(s->report_context, r, is_end, st);
}

gs_value_sink gs_pair_sink_as_sink(gs_pair_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_pairs),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release_window,
    };
}
