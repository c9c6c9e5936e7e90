/* SPDX-License-Identifier: MIT */
#include "lib/base/trace.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

/* Pages are taken as spans come: a short run costs next to nothing. */
enum { SPANS_MAX = 1 << 18 };

struct gs_trace {
    gs_trace_span *spans;
    atomic_size_t added; /* may pass SPANS_MAX: what is beyond was dropped */
};

gs_code gs_trace_new(gs_trace **out, gs_status *st)
{
    *out = NULL;
    gs_trace *t = NULL;
    GS_TRY(gs_mem_new(&t, sizeof *t, "trace", st));
    if (gs_mem_map(&t->spans, SPANS_MAX * sizeof *t->spans, false, "trace spans", st) !=
        GS_OK) {
        gs_mem_free(t);
        return st->code;
    }
    *out = t;
    return GS_OK;
}

void gs_trace_free(gs_trace *t)
{
    if (t == NULL)
        return;
    gs_mem_unmap(t->spans, SPANS_MAX * sizeof *t->spans);
    gs_mem_free(t);
}

uint64_t gs_trace_begin(const gs_trace *t)
{
    return t == NULL ? 0 : gs_machine_now_ns();
}

void gs_trace_add(gs_trace *t, const gs_trace_span *span)
{
    if (t == NULL)
        return;
    gs_assert(span->lane < GS_LANE_COUNT);
    const size_t at = atomic_fetch_add_explicit(&t->added, 1, memory_order_relaxed);
    if (at < SPANS_MAX)
        t->spans[at] = *span;
}

void gs_trace_end(gs_trace *t, gs_trace_lane lane, unsigned number, const char *name,
                  uint64_t begin_ns, uint64_t bytes)
{
    if (t == NULL)
        return;
    const gs_trace_span span = {name, lane, number, begin_ns, gs_machine_now_ns(), bytes};
    gs_trace_add(t, &span);
}

size_t gs_trace_span_count(const gs_trace *t)
{
    const size_t added = t == NULL ? 0 : atomic_load(&t->added);
    return added < SPANS_MAX ? added : SPANS_MAX;
}

const gs_trace_span *gs_trace_span_at(const gs_trace *t, size_t i)
{
    gs_assert(i < gs_trace_span_count(t));
    return &t->spans[i];
}

uint64_t gs_trace_dropped_count(const gs_trace *t)
{
    const size_t added = t == NULL ? 0 : atomic_load(&t->added);
    return added < SPANS_MAX ? 0 : added - SPANS_MAX;
}
