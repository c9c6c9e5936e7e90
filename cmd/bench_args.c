/* SPDX-License-Identifier: MIT */
#include "cmd/bench_args.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/gpu_arg.h"
#include "cmd/opt_kinds.h"
#include "cmd/report.h"
#include "gpu/device/device.h"
#include "lib/base/mem.h"

enum { WORD_BYTES = 64, POWER_MAX = 40, GPU_LISTS_MAX = 8 };

static const char usage_text[] =
    "Usage: gpusort bench [OPTION]...\n"
    "       gpusort bench --papers [OPTION]...\n"
    "Times engines side by side on generated keys and checks every result.\n\n"
    "      --engine=LIST        engines, or 'all' (default: all); 'qsort' is the C\n"
    "                           library's, on one core, and needs no GPU\n"
    "      --distribution=LIST  of the keys, or 'all' (default: uniform,zipf)\n"
    "      --type=LIST          u64, u128, u64+u32, or 'all' (default: u64)\n"
    "      --size=LIST          keys, such as 1000, 16M or 2^28 (default: 2^24,2^28)\n"
    "      --runs=N             timed runs of each, median shown (default: 5)\n"
    "      --gpu=LIST           which GPU (default: 0), or several that sort together;\n"
    "                           given again, each list is measured\n"
    "      --place=PLACE        where the keys are: device, or host (which is meant "
    "with\n"
    "                           several GPUs)\n"
    "      --csv=FILE           also as comma-separated values, times in ms\n"
    "      --svg=FILE           also as a picture\n"
    "      --papers             the comparisons that papers made, with their figures\n"
    "      --size-max=N         with --papers: leave larger sizes out\n"
    "      --list               engines and distributions, then stop\n"
    "  -h, --help               this text\n"
    "      --version            show the version and stop\n"
    "The last column is the speed relative to the first engine of the list.\n";

const char *bench_type_name(gs_batch_type type)
{
    static const char *const names[] = {"u64", "u128", "u64+u32"};
    _Static_assert(sizeof names / sizeof *names == GS_BATCH_TYPE_COUNT, "a name each");
    return names[type];
}

/* What --engine and --gpu name, before each is put together with each. */
typedef struct engine_names {
    const char *items[BENCH_LIST_MAX];
    size_t count;
} engine_names;

typedef struct gpu_list {
    int gpus[GS_GPU_DEVICES_MAX];
    unsigned count;
    const char *text;
} gpu_list;

typedef struct gpu_lists {
    gpu_list items[GPU_LISTS_MAX];
    size_t count;
} gpu_lists;

/* --- lists ------------------------------------------------------------------------ */

/* The next of the words with commas between; false at the end. */
static bool next_word(const char **rest, char word[WORD_BYTES])
{
    if (**rest == '\0')
        return false;
    const size_t length = strcspn(*rest, ",");
    const size_t kept = length < WORD_BYTES - 1 ? length : WORD_BYTES - 1;
    memcpy(word, *rest, kept);
    word[kept] = '\0';
    *rest += length;
    *rest += **rest == ',';
    return true;
}

static bool is_all(const char *text)
{
    return strcmp(text, "all") == 0;
}

/* The engine of that name, as a string that stays. */
static const char *find_engine(const char *name)
{
    if (strcmp(name, BENCH_QSORT) == 0)
        return BENCH_QSORT;
    for (size_t i = 0; i < gs_engine_count(); i++)
        if (strcmp(name, gs_engine_name(i)) == 0)
            return gs_engine_name(i);
    return NULL;
}

static void parse_engines(engine_names *names, const char *text, bool has_gpu)
{
    char word[WORD_BYTES];
    names->count = 0;
    if (is_all(text)) {
        for (size_t i = 0; i < gs_engine_count() && has_gpu; i++)
            names->items[names->count++] = gs_engine_name(i);
        if (!has_gpu)
            names->items[names->count++] = BENCH_QSORT;
        return;
    }
    while (next_word(&text, word)) {
        const char *const engine = find_engine(word);
        if (engine == NULL)
            gs_die(0, "--engine: there is no engine '%s' in this build; see --list",
                   word);
        if (names->count == BENCH_LIST_MAX)
            gs_die(0, "--engine: more than %d", BENCH_LIST_MAX);
        names->items[names->count++] = engine;
    }
}

/* The numbers that the words stand for, each below `most`; `find` ends the program if a
 * word stands for none. */
static size_t parse_words(unsigned *numbers, const gs_opt_scan *scan, unsigned most,
                          unsigned (*find)(const char *word))
{
    const char *text = scan->argument;
    char word[WORD_BYTES];
    const bool all = is_all(text);
    size_t count = 0;
    for (unsigned n = 0; n < most && all; n++)
        numbers[count++] = n;
    while (!all && next_word(&text, word)) {
        const unsigned n = find(word);
        if (count == most)
            gs_die(0, "--%s: more than there are", scan->current->name);
        numbers[count++] = n;
    }
    return count;
}

static unsigned find_distribution(const char *word)
{
    for (unsigned d = 0; d < GS_DIST_COUNT; d++)
        if (strcmp(word, gs_distribution_name((gs_distribution)d)) == 0)
            return d;
    gs_die(0, "--distribution: there is no '%s'; see --list", word);
}

static unsigned find_type(const char *word)
{
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++)
        if (strcmp(word, bench_type_name((gs_batch_type)t)) == 0)
            return t;
    gs_die(0, "--type: '%s' is none of u64, u128, u64+u32", word);
}

static void take_distributions(void *to, gs_opt_scan *scan)
{
    bench_setup *const setup = to;
    setup->distribution_count = parse_words((unsigned *)setup->distributions, scan,
                                            GS_DIST_COUNT, find_distribution);
}

static void take_types(void *to, gs_opt_scan *scan)
{
    bench_setup *const setup = to;
    setup->type_count =
        parse_words((unsigned *)setup->types, scan, GS_BATCH_TYPE_COUNT, find_type);
}

/* Digits from *text on. */
static bool take_number(const char **text, uint64_t *out)
{
    char *end = NULL;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    const unsigned long long value = strtoull(*text, &end, 10);
    *text = end;
    *out = value;
    return errno == 0;
}

/* 1000, 16M, 2^28 or 2^28+5. */
static size_t parse_size(const gs_opt_scan *scan, const char *text)
{
    const char *at = text;
    uint64_t value = 0, more = 0, scale = 1;
    bool good = take_number(&at, &value);
    if (good && *at == '^') {
        at++;
        good = value == 2 && take_number(&at, &more) && more <= POWER_MAX;
        value = good ? UINT64_C(1) << more : 0;
    } else if (*at == 'K' || *at == 'M' || *at == 'G') {
        scale = *at == 'K' ? 1000u : *at == 'M' ? 1000000u : 1000000000u;
        at++;
    }
    more = 0;
    if (good && *at == '+') {
        at++;
        good = take_number(&at, &more);
    }
    const uint64_t most = UINT64_C(1) << POWER_MAX;
    good = good && *at == '\0' && value <= most / scale && more <= most;
    value = good ? value * scale + more : 0;
    if (value == 0 || value > most)
        gs_die(0, "--%s: '%s' is no number of keys, such as 1000, 16M or 2^28+5",
               scan->current->name, text);
    return (size_t)value;
}

static void take_sizes(void *to, gs_opt_scan *scan)
{
    bench_setup *const setup = to;
    const char *text = scan->argument;
    char word[WORD_BYTES];
    setup->size_count = 0;
    while (next_word(&text, word)) {
        if (setup->size_count == BENCH_LIST_MAX)
            gs_die(0, "--size: more than %d", BENCH_LIST_MAX);
        setup->sizes[setup->size_count++] = parse_size(scan, word);
    }
}

static void take_size_max(void *to, gs_opt_scan *scan)
{
    *(size_t *)to = parse_size(scan, scan->argument);
}

static void parse_gpus(gpu_list *list, const char *text)
{
    int *gpus = NULL;
    size_t count = 0;
    gs_gpu_arg(text, &gpus, &count);
    if (count > GS_GPU_DEVICES_MAX)
        gs_die(0, "--gpu: more than %d", (int)GS_GPU_DEVICES_MAX);
    *list = (gpu_list){.text = text, .count = (unsigned)count};
    memcpy(list->gpus, gpus, count * sizeof *gpus);
    gs_mem_free(gpus);
}

static void take_gpus(void *to, gs_opt_scan *scan)
{
    gpu_lists *const lists = to;
    if (lists->count == GPU_LISTS_MAX)
        gs_die(0, "--gpu: more than %d lists", GPU_LISTS_MAX);
    parse_gpus(&lists->items[lists->count++], scan->argument);
}

static void take_place(void *to, gs_opt_scan *scan)
{
    const bool on_host = strcmp(scan->argument, "host") == 0;
    if (!on_host && strcmp(scan->argument, "device") != 0)
        gs_die(0, "--place: '%s' is neither device nor host", scan->argument);
    *(bool *)to = on_host;
}

static void take_runs(void *to, gs_opt_scan *scan)
{
    const char *at = scan->argument;
    uint64_t runs = 0;
    if (!take_number(&at, &runs) || *at != '\0' || runs < 1 || runs > BENCH_RUNS_MAX)
        gs_die(0, "--runs: '%s' is no number from 1 to %d", scan->argument,
               BENCH_RUNS_MAX);
    *(unsigned *)to = (unsigned)runs;
}

/* --- all of it -------------------------------------------------------------------- */

static _Noreturn void list_all(void *to, gs_opt_scan *scan)
{
    (void)to;
    (void)scan;
    printf("engines:\n");
    for (size_t i = 0; i < gs_engine_count(); i++)
        printf("  %-10s %s\n", gs_engine_name(i), gs_engine_summary(i));
    printf("  %-10s the C library's, on one core\n", BENCH_QSORT);
    printf("distributions:\n");
    for (unsigned d = 0; d < GS_DIST_COUNT; d++)
        printf("  %s\n", gs_distribution_name((gs_distribution)d));
    exit(gs_stdout_close(GS_EXIT_GOOD));
}

/* Every engine on every list of GPUs. */
static void combine(bench_setup *setup, const engine_names *names,
                    const gpu_lists *all_lists)
{
    const gpu_list *const lists = all_lists->items;
    const size_t list_count = all_lists->count;
    for (size_t e = 0; e < names->count; e++)
        for (size_t l = 0; l < list_count; l++) {
            const bool is_cpu = strcmp(names->items[e], BENCH_QSORT) == 0;
            if (is_cpu && l > 0)
                continue;
            if (setup->engine_count == BENCH_LIST_MAX)
                gs_die(0, "more than %d engines, each list of GPUs counted",
                       BENCH_LIST_MAX);
            bench_engine *const to = &setup->engines[setup->engine_count++];
            to->name = names->items[e];
            to->gpu_count = lists[l].count;
            memcpy(to->gpus, lists[l].gpus, sizeof to->gpus);
            if (is_cpu || (list_count == 1 && lists[l].count == 1))
                (void)snprintf(to->label, sizeof to->label, "%s", to->name);
            else
                (void)snprintf(to->label, sizeof to->label, "%s@%s", to->name,
                               lists[l].text);
            if (lists[l].count > 1)
                setup->on_host = true;
        }
}

static void check_gpus(const bench_setup *setup)
{
    for (size_t e = 0; e < setup->engine_count; e++) {
        const bench_engine *const engine = &setup->engines[e];
        if (strcmp(engine->name, BENCH_QSORT) == 0)
            continue;
        if (!setup->has_gpu)
            gs_die(0, "there is no GPU to measure; --engine=%s needs none", BENCH_QSORT);
        for (unsigned i = 0; i < engine->gpu_count; i++)
            if ((unsigned)engine->gpus[i] >= gs_device_count())
                gs_die(0, "--gpu: %d: there are %u", engine->gpus[i], gs_device_count());
        if (setup->wants_papers && engine->gpu_count > 1)
            gs_die(0, "--papers compares engines on one GPU");
    }
}

static void check(const bench_setup *setup)
{
    if (setup->engine_count == 0 || setup->distribution_count == 0 ||
        setup->type_count == 0 || setup->size_count == 0)
        gs_die(0, "an option's list is empty: there is nothing to measure");
    if (setup->size_max != 0 && !setup->wants_papers)
        gs_die(0, "--size-max goes with --papers");
    check_gpus(setup);
}

void bench_args_parse(int argc, char **argv, bench_setup *out)
{
    const char *engines = "all";
    engine_names names;
    gpu_lists lists = {.count = 0};
    const gs_opt options[] = {
        {0, "engine", GS_OPT_TEXT(&engines)},
        {0, "distribution", GS_OPT_CALL(take_distributions, out)},
        {0, "type", GS_OPT_CALL(take_types, out)},
        {0, "size", GS_OPT_CALL(take_sizes, out)},
        {0, "runs", GS_OPT_CALL(take_runs, &out->runs)},
        {0, "gpu", GS_OPT_CALL(take_gpus, &lists)},
        {0, "place", GS_OPT_CALL(take_place, &out->on_host)},
        {0, "csv", GS_OPT_TEXT(&out->csv_name)},
        {0, "svg", GS_OPT_TEXT(&out->svg_name)},
        {0, "papers", GS_OPT_FLAG(&out->wants_papers)},
        {0, "size-max", GS_OPT_CALL(take_size_max, &out->size_max)},
        {0, "list", GS_OPT_CALL_BARE(list_all, NULL)},
    };
    *out = (bench_setup){.distributions = {GS_DIST_UNIFORM, GS_DIST_ZIPF},
                         .distribution_count = 2,
                         .types = {GS_BATCH_U64},
                         .type_count = 1,
                         .sizes = {1 << 24, 1 << 28},
                         .size_count = 2,
                         .runs = 5};
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (lists.count == 0)
        parse_gpus(&lists.items[lists.count++], "0");
    out->gpu = lists.items[0].gpus[0];
    out->has_gpu = gs_device_count() > 0;
    parse_engines(&names, engines, out->has_gpu);
    combine(out, &names, &lists);
    check(out);
}
