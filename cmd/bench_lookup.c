/* SPDX-License-Identifier: MIT */
/*
 * gpusort bench lookup: batches of searches in a sorted array, as in "Parallel Search On
 * Video Cards", on the cores and the GPU of this machine.
 */
#include "cmd/bench_lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench_heads.h"
#include "cmd/bench_lookup_tables.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "gpu/device/device.h"
#include "gpu/lists/head_lists.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/data/sorted_keys.h"

enum { POOL_LEAST = 4000000, THREADS_MAX = 1024 };

static const char usage_text[] =
    "Usage: gpusort bench lookup [OPTION]...\n"
    "Searches a sorted array for batches of queries in every way there is, on the cores\n"
    "and, if there is one, on a GPU, and prints response times, throughput, the steps "
    "of\n"
    "a batch, and the figures of the paper on p-ary search beside them. Every rank that\n"
    "is found is checked.\n\n"
    "      --keys=N        of 8 bytes each (default: 36M)\n"
    "      --queries=LIST  sizes of batches (default: 16,1K,16K,1M)\n"
    "      --runs=N        of each case at most, medians are shown (default: 101)\n"
    "      --parallel=N    threads for the rows with several (default: one a core)\n"
    "      --gpu=N         which GPU (default: 0)\n"
    "      --csv=FILE      the same as comma-separated values\n"
    "      --index=DIR     instead: the beginnings of posting lists of terms of that\n"
    "                      index, by the cores and by a GPU that holds it\n"
    "      --heads=N       postings of each term at most (default: 10)\n"
    "  -h, --help          this text\n"
    "      --version       show the version and stop\n"
    "K and M are 1000 and 1000000.\n";

typedef struct lookup_setup {
    gs_lookup_load load;
    unsigned threads;
    int device;
    const char *csv_name;
    const char *index; /* NULL: keys */
    size_t head;
} lookup_setup;

/* --- options ----------------------------------------------------------------------- */

/* A number from 1 to `most`, as 1000, 1K or 36M; ends the program if it is none. `end` is
 * what follows it. */
static uint64_t count_arg(const gs_opt_scan *scan, const char *text, uint64_t most,
                          char **end)
{
    errno = 0;
    unsigned long long n = *text >= '0' && *text <= '9' ? strtoull(text, end, 10) : 0;
    if (n > 0 && (**end == 'K' || **end == 'M')) {
        n = n > most ? n : n * (**end == 'K' ? 1000 : 1000000);
        ++*end;
    }
    if (n == 0 || n > most || errno != 0 || (**end != '\0' && **end != ',')) {
        gs_quoted q;
        gs_die(0, "--%s=%s: numbers are from 1 to %llu, such as 16 or 16K",
               scan->current->name, gs_quote_argument(&q, scan->argument),
               (unsigned long long)most);
    }
    return n;
}

static uint64_t one_count(const gs_opt_scan *scan, uint64_t most)
{
    char *end = NULL;
    const uint64_t n = count_arg(scan, scan->argument, most, &end);
    if (*end != '\0')
        gs_die(0, "--%s takes one number", scan->current->name);
    return n;
}

static void take_keys(void *to, gs_opt_scan *scan)
{
    *(size_t *)to = (size_t)one_count(scan, GS_KEY_SEARCH_KEYS_MAX);
}

static void take_head(void *to, gs_opt_scan *scan)
{
    *(size_t *)to = (size_t)one_count(scan, GS_HEAD_MAX);
}

static void take_runs(void *to, gs_opt_scan *scan)
{
    *(unsigned *)to = (unsigned)one_count(scan, GS_BENCH_RUNS_MAX);
}

static void take_threads(void *to, gs_opt_scan *scan)
{
    *(unsigned *)to = (unsigned)one_count(scan, THREADS_MAX);
}

static void take_gpu(void *to, gs_opt_scan *scan)
{
    char *end = NULL;
    const int device = (int)strtol(scan->argument, &end, 10);
    if (end == scan->argument || *end != '\0' || device < 0)
        gs_die(0, "--gpu takes the number of a GPU, from 0 on");
    *(int *)to = device;
}

static void take_batches(void *to, gs_opt_scan *scan)
{
    gs_lookup_load *const load = to;
    const char *text = scan->argument;
    load->batch_count = 0;
    for (char *end = NULL;; text = end + 1) {
        if (load->batch_count == GS_BENCH_BATCHES_MAX)
            gs_die(0, "--queries takes at most %d sizes", GS_BENCH_BATCHES_MAX);
        load->batches[load->batch_count++] =
            (size_t)count_arg(scan, text, GS_KEY_SEARCH_QUERIES_MAX, &end);
        if (*end == '\0')
            return;
    }
}

static void parse(int argc, char **argv, lookup_setup *s)
{
    const gs_opt options[] = {
        {0, "keys", GS_OPT_CALL(take_keys, &s->load.key_count)},
        {0, "queries", GS_OPT_CALL(take_batches, &s->load)},
        {0, "runs", GS_OPT_CALL(take_runs, &s->load.runs)},
        {0, "parallel", GS_OPT_CALL(take_threads, &s->threads)},
        {0, "gpu", GS_OPT_CALL(take_gpu, &s->device)},
        {0, "csv", GS_OPT_TEXT(&s->csv_name)},
        {0, "index", GS_OPT_TEXT(&s->index)},
        {0, "heads", GS_OPT_CALL(take_head, &s->head)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
}

/* --- measuring ---------------------------------------------------------------------- */

static gs_code make_load(gs_lookup_load *load, gs_status *st)
{
    size_t bytes = 0;
    uint64_t *keys = NULL, *queries = NULL;
    uint32_t *ranks = NULL;
    for (size_t b = 0; b < load->batch_count; b++) {
        if (load->pool_count < 4 * load->batches[b])
            load->pool_count = 4 * load->batches[b];
    }
    if (load->pool_count < POOL_LEAST)
        load->pool_count = POOL_LEAST;
    GS_TRY(gs_mem_size_mul(&bytes, load->key_count, sizeof(uint64_t), st));
    GS_TRY(gs_mem_map(&keys, bytes, true, "keys", st));
    load->keys = keys;
    GS_TRY(gs_mem_new(&queries, load->pool_count * sizeof(uint64_t), "queries", st));
    load->queries = queries;
    GS_TRY(gs_mem_new(&ranks, load->pool_count * sizeof(uint32_t), "ranks", st));
    load->ranks = ranks;
    gs_sorted_keys_make(keys, load->key_count, 1);
    gs_sorted_keys_ask(keys, load->key_count, 2, 0, queries, ranks, load->pool_count);
    return GS_OK;
}

static void free_load(gs_lookup_load *load)
{
    if (load->keys != NULL)
        gs_mem_unmap((void *)(uintptr_t)load->keys, load->key_count * sizeof(uint64_t));
    gs_mem_free((void *)(uintptr_t)load->queries);
    gs_mem_free((void *)(uintptr_t)load->ranks);
}

static gs_code measure_cpu(const lookup_setup *s, unsigned threads,
                           gs_lookup_report *report, gs_status *st)
{
    gs_team *team = NULL;
    GS_TRY(gs_team_new(&team, threads, st));
    for (unsigned way = 0; way < GS_PREFIX_WAY_COUNT && st->code == GS_OK; way++) {
        if (gs_prefix_way_fn((gs_prefix_way)way) != NULL)
            GS_NOTED(gs_bench_lookup_cpu(&s->load, (gs_prefix_way)way, team,
                                         &report->rows[report->row_count++], st));
    }
    gs_team_free(team);
    return st->code;
}

static gs_code measure_all(const lookup_setup *s, gs_lookup_report *report, gs_status *st)
{
    GS_TRY(measure_cpu(s, 1, report, st));
    if (s->threads > 1)
        GS_TRY(measure_cpu(s, s->threads, report, st));
    if (gs_device_count() == 0)
        return GS_OK;
    for (unsigned way = GS_KEY_BINARY; way < GS_KEY_WAY_COUNT; way++) {
        gs_lookup_row *const row = &report->rows[report->row_count++];
        row->way = (gs_key_way)way;
        GS_TRY(gs_bench_lookup_gpu(&s->load, s->device, row, st));
    }
    return GS_OK;
}

/* Opened before anything is measured: a name that will not do is told at once. */
static gs_code open_csv(const char *name, FILE **out, gs_status *st)
{
    gs_quoted q;
    if (name == NULL)
        return GS_OK;
    *out = fopen(name, "we");
    if (*out == NULL)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot open %s", gs_quote_name(&q, name));
    return GS_OK;
}

static gs_code close_csv(const char *name, FILE *csv, gs_status *st)
{
    gs_quoted q;
    if (csv == NULL)
        return GS_OK;
    const bool has_failed = ferror(csv) != 0;
    if (fclose(csv) != 0 || has_failed)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot write %s", gs_quote_name(&q, name));
    return GS_OK;
}

/* Of batches the largest is asked for, and of runs some are enough. */
static int bench_index(const lookup_setup *s, bool has_gpu)
{
    enum { RUNS_ENOUGH = 21 };
    gs_status st = {.code = GS_OK};
    gs_heads_bench b = {.folder = s->index,
                        .head = s->head,
                        .runs = s->load.runs < RUNS_ENOUGH ? s->load.runs : RUNS_ENOUGH,
                        .threads = s->threads,
                        .device = s->device,
                        .has_gpu = has_gpu};
    if (s->csv_name != NULL)
        gs_die(0, "--csv does not go with --index");
    for (size_t i = 0; i < s->load.batch_count; i++)
        b.queries = s->load.batches[i] > b.queries ? s->load.batches[i] : b.queries;
    if (gs_bench_heads(&b, &st) != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(GS_EXIT_GOOD);
}

int gs_bench_lookup(int argc, char **argv)
{
    lookup_setup s = {.load = {.key_count = 36000000,
                               .batches = {16, 1000, 16000, 1000000},
                               .batch_count = 4,
                               .runs = 101},
                      .threads = gs_machine_cores(),
                      .head = 10};
    parse(argc, argv, &s);
    char text[4096];
    (void)gs_device_describe(text, sizeof text);
    const bool has_gpu = gs_device_count() > 0;
    if (!has_gpu)
        text[strcspn(text, ";\n")] = '\0';
    printf("%s%s", text, has_gpu ? "" : ": only the CPU is measured\n");
    if (s.index != NULL)
        return bench_index(&s, has_gpu);
    printf("%zu keys of 8 bytes; queries: one half keys, one half between keys\n",
           s.load.key_count);
    (void)fflush(stdout);
    gs_status st = {.code = GS_OK};
    FILE *csv = NULL;
    gs_lookup_report report = {.load = &s.load};
    if (open_csv(s.csv_name, &csv, &st) == GS_OK && make_load(&s.load, &st) == GS_OK &&
        measure_all(&s, &report, &st) == GS_OK) {
        gs_lookup_tables_print(&report, stdout);
        if (csv != NULL)
            gs_lookup_csv_print(&report, csv);
    }
    GS_NOTED(close_csv(s.csv_name, csv, &st));
    free_load(&s.load);
    if (st.code != GS_OK)
        return gs_report_failure(&st);
    return gs_stdout_close(GS_EXIT_GOOD);
}
