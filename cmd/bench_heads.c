/* SPDX-License-Identifier: MIT */
#include "cmd/bench_heads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/data/gen_random.h"
#include "lib/index/lookup/lookups.h"

enum { RUNS_MAX = 101 };

/* Terms that are asked for, in no order. */
typedef struct asked_terms {
    uint64_t *places;        /* of each among all, ascending while they are drawn */
    uint64_t *begins, *ends; /* of each in `all' */
    uint8_t *all;            /* distinct ones */
    size_t all_bytes, all_room;
    uint8_t *text; /* as they are asked for */
    uint64_t *offsets;
} asked_terms;

typedef struct answers {
    uint64_t *dfs, *offsets, *docs;
    uint32_t *tfs;
    double ms;
} answers;

typedef struct heads_run {
    const gs_heads_bench *bench;
    gs_segments *segments;
    asked_terms terms;
    answers of_cores, of_gpu;
    size_t room;  /* of the answers */
    bool is_lost; /* the GPU left it to the cores */
} heads_run;

static int compare_numbers(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* --- terms -------------------------------------------------------------------------- */

/* The terms that the places fall on, each term being as wide as its list is long, or all
 * of them alike. */
static gs_code find_places(asked_terms *t, const gs_index *index, size_t count,
                           bool by_postings, gs_status *st)
{
    gs_term_cursor *cursor = NULL;
    uint64_t behind = 0;
    size_t k = 0;
    GS_TRY(gs_term_cursor_new(&cursor, index, st));
    GS_NOTED(gs_term_cursor_first(cursor, st));
    while (st->code == GS_OK && cursor->has_term && k < count) {
        behind += by_postings ? cursor->info.df : 1;
        if (t->places[k] < behind) {
            const size_t begin = t->all_bytes;
            if (gs_mem_grow(&t->all, &t->all_room, begin + cursor->bytes, "terms", st) !=
                GS_OK)
                break;
            memcpy(t->all + begin, cursor->term, cursor->bytes);
            t->all_bytes += cursor->bytes;
            for (; k < count && t->places[k] < behind; k++) {
                t->begins[k] = begin;
                t->ends[k] = t->all_bytes;
            }
        }
        GS_NOTED(gs_term_cursor_next(cursor, st));
    }
    gs_term_cursor_free(cursor);
    return st->code;
}

static void swap(uint64_t *a, uint64_t *b)
{
    const uint64_t was = *a;
    *a = *b;
    *b = was;
}

static gs_code draw_terms(heads_run *r, bool by_postings, gs_status *st)
{
    const gs_index *const index = r->segments->items[0].index;
    const gs_index_header *const header = gs_index_header_of(index);
    const uint64_t width = by_postings ? header->postings : header->terms;
    const size_t count = r->bench->queries;
    asked_terms *const t = &r->terms;
    gs_gen_random random = {1};
    uint64_t bytes = 0;
    t->all_bytes = 0;
    for (size_t i = 0; i < count; i++)
        t->places[i] = gs_gen_next(&random) % width;
    qsort(t->places, count, sizeof *t->places, compare_numbers);
    GS_TRY(find_places(t, index, count, by_postings, st));
    for (size_t i = count; i > 1; i--) {
        const size_t other = (size_t)(gs_gen_next(&random) % i);
        swap(&t->begins[i - 1], &t->begins[other]);
        swap(&t->ends[i - 1], &t->ends[other]);
    }
    for (size_t i = 0; i < count; i++)
        bytes += t->ends[i] - t->begins[i];
    gs_mem_free(t->text);
    t->text = NULL;
    GS_TRY(gs_mem_new(&t->text, (size_t)bytes + 1, "terms", st));
    t->offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = (size_t)(t->ends[i] - t->begins[i]);
        memcpy(t->text + t->offsets[i], t->all + t->begins[i], n);
        t->offsets[i + 1] = t->offsets[i] + n;
    }
    return GS_OK;
}

/* --- one way ------------------------------------------------------------------------ */

static void hear(void *context, gs_log_level level, const char *text)
{
    heads_run *const r = context;
    if (level != GS_LOG_WARNING)
        return;
    gs_report(0, "%s", text);
    r->is_lost = true;
}

static gs_code find(const heads_run *r, gs_term_heads *heads, const answers *to,
                    gs_status *st)
{
    const gs_head_terms terms = {r->terms.text, r->terms.offsets, r->bench->queries};
    const gs_head_arrays arrays = {to->dfs, to->offsets, to->docs, to->tfs, r->room};
    return gs_term_heads_find(heads, &terms, &arrays, NULL, st);
}

/* Room for what is found, which the first call tells. */
static gs_code make_room(heads_run *r, gs_term_heads *heads, answers *to, gs_status *st)
{
    gs_mem_free(to->docs);
    gs_mem_free(to->tfs);
    to->docs = NULL;
    to->tfs = NULL;
    GS_TRY(find(r, heads, to, st));
    r->room = (size_t)to->offsets[r->bench->queries];
    GS_TRY(gs_mem_new_array(&to->docs, r->room + 1, sizeof *to->docs, "documents", st));
    return gs_mem_new_array(&to->tfs, r->room + 1, sizeof *to->tfs, "frequencies", st);
}

static gs_code measure(heads_run *r, const char *engine, answers *to, gs_status *st)
{
    const gs_heads_bench *const b = r->bench;
    const gs_log log = {.fn = hear, .context = r};
    const gs_term_heads_options options = {.segments = r->segments,
                                           .workers = b->threads,
                                           .head = b->head,
                                           .engine = engine,
                                           .device = b->device,
                                           .log = &log};
    gs_term_heads *heads = NULL;
    uint64_t ns[RUNS_MAX];
    const size_t runs = b->runs < RUNS_MAX ? b->runs : RUNS_MAX;
    GS_TRY(gs_term_heads_new(&heads, &options, st));
    GS_NOTED(make_room(r, heads, to, st));
    for (size_t i = 0; i <= runs && st->code == GS_OK; i++) { /* the first one warms up */
        const uint64_t begin_ns = gs_machine_now_ns();
        GS_NOTED(find(r, heads, to, st));
        ns[i > 0 ? i - 1 : 0] = gs_machine_now_ns() - begin_ns;
    }
    gs_term_heads_free(heads);
    if (st->code != GS_OK)
        return st->code;
    qsort(ns, runs, sizeof *ns, compare_numbers);
    to->ms = (double)ns[runs / 2] / 1e6;
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

static bool are_same(const heads_run *r)
{
    const answers *const a = &r->of_cores, *const b = &r->of_gpu;
    const size_t count = r->bench->queries;
    return memcmp(a->dfs, b->dfs, count * sizeof *a->dfs) == 0 &&
           memcmp(a->offsets, b->offsets, (count + 1) * sizeof *a->offsets) == 0 &&
           memcmp(a->docs, b->docs, r->room * sizeof *a->docs) == 0 &&
           memcmp(a->tfs, b->tfs, r->room * sizeof *a->tfs) == 0;
}

static gs_code measure_terms(heads_run *r, bool by_postings, gs_status *st)
{
    GS_TRY(draw_terms(r, by_postings, st));
    GS_TRY(measure(r, "cpu", &r->of_cores, st));
    printf("%-22s %12zu %12.2f", by_postings ? "as often as they come" : "all alike",
           r->room, r->of_cores.ms);
    (void)fflush(stdout);
    if (r->bench->has_gpu) {
        GS_TRY(measure(r, "gpu", &r->of_gpu, st));
        printf(" %12.2f %8.2f", r->of_gpu.ms, r->of_cores.ms / r->of_gpu.ms);
    }
    printf("\n");
    (void)fflush(stdout);
    if (r->is_lost)
        return GS_FAIL(st, GS_ERR_GPU, 0, "the GPU did not do all of it");
    if (r->bench->has_gpu && !are_same(r))
        return GS_FAIL(st, GS_ERR_GPU, 0, "the GPU gives another answer than the cores");
    return GS_OK;
}

static gs_code open_answers(const heads_run *r, answers *a, gs_status *st)
{
    GS_TRY(gs_mem_new_array(&a->dfs, r->bench->queries, sizeof *a->dfs, "counts", st));
    return gs_mem_new_array(&a->offsets, r->bench->queries + 1, sizeof *a->offsets,
                            "offsets", st);
}

static gs_code open_run(heads_run *r, gs_status *st)
{
    const size_t count = r->bench->queries;
    asked_terms *const t = &r->terms;
    gs_quoted q;
    GS_TRY(gs_segments_open(&r->segments, r->bench->folder, st));
    if (!r->segments->is_plain || gs_segments_header(r->segments)->terms == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "%s has no terms, several segments, or deleted documents",
                       gs_quote_name(&q, r->bench->folder));
    GS_TRY(gs_mem_new_array(&t->places, count, sizeof *t->places, "terms", st));
    GS_TRY(gs_mem_new_array(&t->begins, count, sizeof *t->begins, "terms", st));
    GS_TRY(gs_mem_new_array(&t->ends, count, sizeof *t->ends, "terms", st));
    GS_TRY(gs_mem_new_array(&t->offsets, count + 1, sizeof *t->offsets, "terms", st));
    GS_TRY(open_answers(r, &r->of_cores, st));
    return open_answers(r, &r->of_gpu, st);
}

static void free_answers(const answers *a)
{
    gs_mem_free(a->dfs);
    gs_mem_free(a->offsets);
    gs_mem_free(a->docs);
    gs_mem_free(a->tfs);
}

static void free_run(heads_run *r)
{
    const asked_terms *const t = &r->terms;
    gs_mem_free(t->places);
    gs_mem_free(t->begins);
    gs_mem_free(t->ends);
    gs_mem_free(t->all);
    gs_mem_free(t->text);
    gs_mem_free(t->offsets);
    free_answers(&r->of_cores);
    free_answers(&r->of_gpu);
    gs_segments_close(r->segments);
}

gs_code gs_bench_heads(const gs_heads_bench *b, gs_status *st)
{
    heads_run r = {.bench = b};
    char cores[32];
    if (open_run(&r, st) == GS_OK) {
        const gs_index_header *const header = gs_segments_header(r.segments);
        (void)snprintf(cores, sizeof cores, "%u thread%s", b->threads,
                       b->threads == 1 ? "" : "s");
        printf("%zu lookups of %llu terms, at most %zu postings of each, in ms\n",
               b->queries, (unsigned long long)header->terms, b->head);
        printf("%-22s %12s %12s %12s %8s\n", "terms", "postings", cores,
               b->has_gpu ? "GPU" : "", b->has_gpu ? "ratio" : "");
        if (measure_terms(&r, false, st) == GS_OK)
            GS_NOTED(measure_terms(&r, true, st));
    }
    free_run(&r);
    return st->code;
}
