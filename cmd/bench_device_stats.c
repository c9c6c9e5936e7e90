/* SPDX-License-Identifier: MIT */
#include "cmd/bench_device_stats.h"

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"

/* A batch that the engines sort at nearly their best speed. */
enum { WINDOW = 1 << 25 };

struct bench_device_keys {
    void *as_they_came, *windows; /* in device memory */
    size_t count;
    gs_engine *engine;
    uint64_t *taken; /* locked; of the window that is digested */
    size_t taken_max;
};

/* Of one run. */
typedef struct device_run {
    bench_device_keys *keys;
    gs_rank_histogram histogram;
    gs_rank_summary window;
    double sorting;
} device_run;

gs_code bench_device_keys_new(bench_device_keys **out, const uint64_t *keys, size_t count,
                              gs_status *st)
{
    const gs_engine_options options = {
        .type = GS_BATCH_U64, .place = GS_PLACE_DEVICE, .count_max = WINDOW};
    const size_t bytes = count * sizeof *keys;
    *out = NULL;
    GS_TRY(gs_mem_new(out, sizeof **out, "keys on a GPU", st));
    bench_device_keys *const k = *out;
    *k = (bench_device_keys){.count = count};
    if (gs_device_memory_new(&k->as_they_came, 0, bytes, st) == GS_OK &&
        gs_device_memory_new(&k->windows, 0, bytes, st) == GS_OK &&
        gs_device_copy(k->as_they_came, keys, bytes, st) == GS_OK)
        GS_NOTED(gs_engine_new(&k->engine, &options, st));
    if (st->code != GS_OK) {
        bench_device_keys_free(k);
        *out = NULL;
    }
    return st->code;
}

void bench_device_keys_free(bench_device_keys *k)
{
    if (k == NULL)
        return;
    gs_engine_free(k->engine);
    gs_device_memory_free(k->as_they_came);
    gs_device_memory_free(k->windows);
    gs_pinned_memory_free(k->taken);
    gs_mem_free(k);
}

/* --- a run -------------------------------------------------------------------------- */

static size_t window_keys(const bench_device_keys *k, size_t first)
{
    return k->count - first < WINDOW ? k->count - first : WINDOW;
}

static gs_code begin_window(bench_device_keys *k, size_t first, gs_status *st)
{
    const gs_batch batch = {.keys = (uint64_t *)k->windows + first,
                            .count = window_keys(k, first)};
    return gs_engine_submit(k->engine, &batch, st);
}

/* The least and the greatest, and what lies a stride apart between them. */
static gs_code take_window(bench_device_keys *k, size_t first, uint64_t stride,
                           gs_status *st)
{
    const size_t count = window_keys(k, first), taken = (count - 1) / stride + 1;
    const uint64_t *const keys = (const uint64_t *)k->windows + first;
    GS_TRY(gs_engine_take_every(keys, count, stride, k->taken, st));
    return gs_engine_take_every(keys + count - 1, 1, 1, k->taken + taken, st);
}

static gs_code digest(device_run *r, size_t count, uint64_t stride, gs_status *st)
{
    const uint64_t *const taken = r->keys->taken;
    const size_t last = (count - 1) / stride;
    GS_TRY(gs_rank_summary_reserve(&r->window, last + 2, st));
    gs_rank_entry *to = r->window.entries;
    for (size_t i = 0; i <= last; i++)
        *to++ = (gs_rank_entry){taken[i], i * stride + 1, i * stride + 1};
    if (to[-1].least < count)
        *to++ = (gs_rank_entry){taken[last + 1], count, count};
    r->window.count = (size_t)(to - r->window.entries);
    r->window.values = count;
    return gs_rank_histogram_add(&r->histogram, &r->window, st);
}

static gs_code run_windows(device_run *r, gs_status *st)
{
    bench_device_keys *const k = r->keys;
    GS_TRY(begin_window(k, 0, st));
    for (size_t first = 0; first < k->count; first += WINDOW) {
        const size_t count = window_keys(k, first);
        const uint64_t stride = gs_rank_window_stride(r->histogram.eps, count);
        GS_TRY(gs_engine_wait(k->engine, st));
        r->sorting += gs_engine_device_ms(k->engine) / 1e3;
        GS_TRY(take_window(k, first, stride, st));
        if (k->count - first > WINDOW)
            GS_TRY(begin_window(k, first + WINDOW, st));
        GS_TRY(digest(r, count, stride, st));
    }
    return GS_OK;
}

static gs_code make_room(bench_device_keys *k, double eps, gs_status *st)
{
    size_t most = 0;
    for (size_t first = 0; first < k->count; first += WINDOW) {
        const size_t count = window_keys(k, first),
                     taken = (count - 1) / gs_rank_window_stride(eps, count) + 2;
        most = taken > most ? taken : most;
    }
    if (most <= k->taken_max)
        return GS_OK;
    gs_pinned_memory_free(k->taken);
    k->taken_max = 0;
    void *taken = NULL;
    const gs_code code = gs_pinned_memory_new(&taken, most * sizeof *k->taken, st);
    k->taken = taken;
    k->taken_max = code == GS_OK ? most : 0;
    return code;
}

gs_code bench_device_quantiles(bench_device_keys *k, double eps, gs_rank_summary *all,
                               bench_device_time *out, gs_status *st)
{
    device_run r = {.keys = k};
    GS_TRY(make_room(k, eps, st));
    GS_TRY(gs_device_copy(k->windows, k->as_they_came, k->count * sizeof(uint64_t), st));
    const uint64_t begin = gs_machine_now_ns();
    gs_rank_histogram_init(&r.histogram, eps, WINDOW);
    if (run_windows(&r, st) == GS_OK)
        GS_NOTED(gs_rank_histogram_all(&r.histogram, NULL, all, st));
    *out = (bench_device_time){.seconds = (double)(gs_machine_now_ns() - begin) / 1e9,
                               .sorting = r.sorting};
    gs_rank_histogram_release(&r.histogram);
    gs_rank_summary_release(&r.window);
    return st->code;
}
