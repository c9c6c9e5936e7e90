/* SPDX-License-Identifier: MIT */
#include "cmd/bench_lookup_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"

/* A size of batch is measured for so long, but at least LEAST_RUNS times. */
enum { LEAST_RUNS = 5, ENOUGH_MS = 700 };

/* --- runs -------------------------------------------------------------------------- */

/* One batch: the place in the pool, and how long it took. */
typedef gs_code run_fn(void *context, size_t at, size_t count, uint64_t *ns,
                       gs_status *st);

static int compare_ns(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The median of the runs. The first one warms up and is left out. */
static gs_code repeat(const gs_lookup_load *load, size_t count, run_fn *run,
                      void *context, double *out_us, gs_status *st)
{
    uint64_t ns[GS_BENCH_RUNS_MAX];
    size_t at = 0;
    unsigned n = 0;
    const uint64_t begin_ns = gs_machine_now_ns();
    for (bool is_warm = false; n < load->runs; is_warm = true) {
        GS_TRY(run(context, at, count, &ns[n], st));
        n += is_warm;
        at = at + 2 * count <= load->pool_count ? at + count : 0;
        if (n >= LEAST_RUNS && gs_machine_now_ns() - begin_ns > ENOUGH_MS * 1000000ull)
            break;
    }
    qsort(ns, n, sizeof *ns, compare_ns);
    *out_us = (double)ns[n / 2] / 1e3;
    return GS_OK;
}

static gs_code check(const gs_lookup_load *load, const char *name, const uint32_t *got,
                     size_t at, size_t count, gs_status *st)
{
    for (size_t i = 0; i < count; i++) {
        if (got[i] != load->ranks[at + i])
            return GS_FAIL(st, GS_ERR_FORMAT, 0,
                           "%s: query %zu has rank %u, not %u as was found", name, i,
                           load->ranks[at + i], got[i]);
    }
    return GS_OK;
}

/* --- the CPU ------------------------------------------------------------------------ */

typedef struct cpu_run {
    const gs_lookup_load *load;
    const char *name;
    gs_prefix_search_fn *search;
    gs_team *team;
    uint32_t *ranks;
    size_t at, count;
} cpu_run;

static gs_code search_part(void *context, unsigned worker, gs_status *st)
{
    const cpu_run *const r = context;
    const size_t workers = gs_team_workers(r->team);
    const size_t first = r->count * worker / workers;
    const size_t end = r->count * (worker + 1) / workers;
    r->search(r->load->keys, r->load->key_count, r->load->queries + r->at + first,
              end - first, r->ranks + first);
    return st->code;
}

static gs_code run_on_cpu(void *context, size_t at, size_t count, uint64_t *ns,
                          gs_status *st)
{
    cpu_run *const r = context;
    memset(r->ranks, 0xff, count * sizeof *r->ranks);
    r->at = at;
    r->count = count;
    const uint64_t begin_ns = gs_machine_now_ns();
    if (gs_team_workers(r->team) == 1)
        r->search(r->load->keys, r->load->key_count, r->load->queries + at, count,
                  r->ranks);
    else
        GS_TRY(gs_team_run(r->team, search_part, r, st));
    *ns = gs_machine_now_ns() - begin_ns;
    return check(r->load, r->name, r->ranks, at, count, st);
}

gs_code gs_bench_lookup_cpu(const gs_lookup_load *load, gs_prefix_way way, gs_team *team,
                            gs_lookup_row *row, gs_status *st)
{
    cpu_run r = {
        .load = load, .name = row->name, .search = gs_prefix_way_fn(way), .team = team};
    row->place = "cpu";
    row->threads = gs_team_workers(team);
    (void)snprintf(row->name, sizeof row->name, "%s", gs_prefix_way_name(way));
    GS_TRY(gs_mem_new(&r.ranks, load->pool_count * sizeof *r.ranks, "ranks", st));
    for (size_t b = 0; b < load->batch_count && st->code == GS_OK; b++)
        GS_NOTED(
            repeat(load, load->batches[b], run_on_cpu, &r, &row->times[b].whole_us, st));
    gs_mem_free(r.ranks);
    return st->code;
}

/* --- the GPU ------------------------------------------------------------------------ */

typedef struct gpu_run {
    const gs_lookup_load *load;
    const char *name;
    gs_key_search *search;
    gs_key_transport transport;
    unsigned flags;
} gpu_run;

static gs_code run_on_gpu(void *context, size_t at, size_t count, uint64_t *ns,
                          gs_status *st)
{
    const gpu_run *const r = context;
    const unsigned incomplete = GS_KEY_NO_SEARCH | GS_KEY_NO_COPY_IN | GS_KEY_NO_COPY_OUT;
    memcpy(gs_key_search_queries(r->search), r->load->queries + at,
           count * sizeof *r->load->queries);
    const uint64_t begin_ns = gs_machine_now_ns();
    GS_TRY(gs_key_search_submit(r->search, count, r->transport, r->flags, st));
    GS_TRY(gs_key_search_wait(r->search, st));
    *ns = gs_machine_now_ns() - begin_ns;
    if (r->flags & GS_KEY_TIMED)
        *ns = (uint64_t)(gs_key_search_device_ms(r->search) * 1e6);
    if (r->flags & incomplete)
        return GS_OK;
    return check(r->load, r->name, gs_key_search_ranks(r->search), at, count, st);
}

static gs_code measure_batch(gpu_run *r, size_t count, gs_lookup_times *t, gs_status *st)
{
    const struct {
        gs_key_transport transport;
        unsigned flags;
        double *us;
    } cases[] = {
        {GS_KEY_COPIED, 0, &t->whole_us},
        {GS_KEY_DIRECT, 0, &t->direct_us},
        {GS_KEY_COPIED, GS_KEY_TIMED, &t->search_us},
        {GS_KEY_COPIED, GS_KEY_NO_COPY_IN | GS_KEY_NO_SEARCH | GS_KEY_NO_COPY_OUT,
         &t->launch_us},
        {GS_KEY_COPIED, GS_KEY_NO_SEARCH | GS_KEY_NO_COPY_OUT, &t->copy_in_us},
        {GS_KEY_COPIED, GS_KEY_NO_COPY_OUT, &t->step_search_us},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        r->transport = cases[i].transport;
        r->flags = cases[i].flags;
        GS_TRY(repeat(r->load, count, run_on_gpu, r, cases[i].us, st));
    }
    t->copy_out_us = t->whole_us - t->step_search_us;
    t->step_search_us -= t->copy_in_us;
    t->copy_in_us -= t->launch_us;
    return GS_OK;
}

gs_code gs_bench_lookup_gpu(const gs_lookup_load *load, int device, gs_lookup_row *row,
                            gs_status *st)
{
    size_t largest = 0;
    for (size_t b = 0; b < load->batch_count; b++)
        largest = load->batches[b] > largest ? load->batches[b] : largest;
    const gs_key_search_options options = {.device = device,
                                           .way = row->way,
                                           .keys = load->keys,
                                           .key_count = load->key_count,
                                           .query_count_max = largest};
    gpu_run r = {.load = load, .name = row->name};
    row->place = "gpu";
    row->threads = 1;
    (void)snprintf(row->name, sizeof row->name, "%s", gs_key_way_name(row->way));
    const uint64_t begin_ns = gs_machine_now_ns();
    GS_TRY(gs_key_search_new(&r.search, &options, st));
    row->start_ms = (double)(gs_machine_now_ns() - begin_ns) / 1e6;
    for (size_t b = 0; b < load->batch_count && st->code == GS_OK; b++)
        GS_NOTED(measure_batch(&r, load->batches[b], &row->times[b], st));
    gs_key_search_free(r.search);
    return st->code;
}
