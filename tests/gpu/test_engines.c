/* SPDX-License-Identifier: MIT */
/*
 * engines: every GPU engine must give the bytes that a plain CPU sort gives, for any
 * size and distribution, and must not write outside the batch. What would break: sizes
 * around tile and bucket bounds, skew that fills one bucket, values of equal keys. And
 * over several GPUs, or one named several times: ranges that are not even, above all of
 * equal keys, for which there would be no room.
 *
 *     test_engines [--quick | --few] [--spread | --one-gpu | --large COUNT]
 *                  [--engine NAME] [--type N]
 *     test_engines --list
 *
 * --quick: small sizes only. --few: a handful of cases, for compute-sanitizer. --spread:
 * several GPUs only; --one-gpu: not several. --large: only this many keys, of the types
 * for which there is memory, checked on the device by order and by a hash of the records.
 * Exits 77 without a GPU. When it is terminated, it tells in which case it was.
 */
#define CHECK_STARTS_THREADS

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "gpu/network/bitonic.h"
#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "gpu/generate/generate.h"
#include "tests/check.h"

enum { GUARD_BYTES = 4096, GUARD_FILL = 0xa5, LISTS_MAX = 4 };

static const char *const list_names[LISTS_MAX] = {"on GPUs 0,0", "on GPUs 0,0,0",
                                                  "on GPUs 0,1", "on GPUs 1,0"};

typedef struct record {
    uint64_t hi, lo;
    uint32_t value;
} record;

static const size_t sizes_small[] = {
    0,   1,   2,   3,    5,    31,   32,   33,   63,   64,   65,   127,  255, 257,
    511, 512, 513, 1000, 1023, 1025, 2047, 2049, 3839, 3841, 4095, 4096, 4097};
static const size_t sizes_middle[] = {6143,   6144,   6145,   7919,    8191,   8192,
                                      8193,   12289,  16385,  65535,   65536,  65537,
                                      100003, 131073, 524289, 1048577, 1299709};
static const size_t sizes_few[] = {33, 4097, 20011};
static const size_t sizes_spread[] = {0, 1, 2, 3, 5, 33, 4097, 20011, 65537, 524289};
enum { SPREAD_LARGE = (1 << 24) + 1, ALL_DISTRIBUTIONS_MAX = 1 << 28 };
static const size_t sizes_large[] = {1966081, 2949120, 4194304, 9999991, 33554433};

static int compare_records(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->hi != y->hi)
        return x->hi < y->hi ? -1 : 1;
    if (x->lo != y->lo)
        return x->lo < y->lo ? -1 : 1;
    return (x->value > y->value) - (x->value < y->value);
}

typedef struct input {
    gs_batch_type type;
    size_t count;
    void *keys; /* host; unsorted, then `want` */
    uint32_t *values;
    void *want_keys;
    uint32_t *want_values;
    void *d_fresh, *d_keys; /* d_keys has guards behind it */
    uint32_t *d_fresh_values, *d_values;
    gs_fingerprint print;
} input;

static void *allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);
    REQUIRE(memory != NULL);
    return memory;
}

static void *allocate_device(size_t bytes)
{
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_device_memory_new(&memory, 0, bytes + GUARD_BYTES, &st), &st);
    return memory;
}

static void make_reference(input *in)
{
    record *records = allocate(in->count * sizeof *records);
    for (size_t i = 0; i < in->count; i++) {
        records[i] = (record){0, 0, in->values ? in->values[i] : 0};
        if (in->type == GS_BATCH_U128) {
            records[i].hi = ((const gs_u128 *)in->keys)[i].hi;
            records[i].lo = ((const gs_u128 *)in->keys)[i].lo;
        } else {
            records[i].hi = ((const uint64_t *)in->keys)[i];
        }
    }
    qsort(records, in->count, sizeof *records, compare_records);
    for (size_t i = 0; i < in->count; i++) {
        if (in->type == GS_BATCH_U128)
            ((gs_u128 *)in->want_keys)[i] = (gs_u128){records[i].hi, records[i].lo};
        else
            ((uint64_t *)in->want_keys)[i] = records[i].hi;
        if (in->values)
            in->want_values[i] = records[i].value;
    }
    free(records);
}

static void input_init(input *in, gs_batch_type type, gs_distribution dist, size_t count,
                       uint64_t seed, bool reference)
{
    gs_status st = {.code = GS_OK};
    const size_t key_bytes = count * gs_key_bytes(type);
    const bool values = gs_value_bytes(type) != 0;
    *in = (input){.type = type, .count = count};
    in->d_fresh = allocate_device(key_bytes);
    in->d_keys = allocate_device(key_bytes);
    if (values) {
        in->d_fresh_values = allocate_device(count * 4);
        in->d_values = allocate_device(count * 4);
    }
    REQUIRE_OK(gs_generate(type, dist, seed, (seed & 1) != 0, in->d_fresh,
                           in->d_fresh_values, count, &st),
               &st);
    REQUIRE_OK(gs_fingerprint_take(type, in->d_fresh, in->d_fresh_values, count,
                                   &in->print, &st),
               &st);
    if (!reference)
        return;
    in->keys = allocate(key_bytes);
    in->want_keys = allocate(key_bytes);
    REQUIRE_OK(gs_device_copy(in->keys, in->d_fresh, key_bytes, &st), &st);
    if (values) {
        in->values = allocate(count * 4);
        in->want_values = allocate(count * 4);
        REQUIRE_OK(gs_device_copy(in->values, in->d_fresh_values, count * 4, &st), &st);
    }
    /* The CPU sees in them what the GPU does. */
    const gs_batch all = {.keys = in->keys, .values = in->values, .count = count};
    gs_fingerprint print = {0, 0};
    gs_fingerprint_host(type, &all, 0, count, &print);
    CHECK(print.sum == in->print.sum && print.disorder == in->print.disorder);
    make_reference(in);
}

static void input_release(input *in)
{
    free(in->keys);
    free(in->values);
    free(in->want_keys);
    free(in->want_values);
    gs_device_memory_free(in->d_fresh);
    gs_device_memory_free(in->d_keys);
    gs_device_memory_free(in->d_fresh_values);
    gs_device_memory_free(in->d_values);
}

static void fill_guard(void *d_array, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    unsigned char guard[GUARD_BYTES];
    memset(guard, GUARD_FILL, sizeof guard);
    REQUIRE_OK(gs_device_copy((char *)d_array + bytes, guard, sizeof guard, &st), &st);
}

static bool guard_untouched(const void *d_array, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    unsigned char guard[GUARD_BYTES];
    REQUIRE_OK(gs_device_copy(guard, (const char *)d_array + bytes, sizeof guard, &st),
               &st);
    for (size_t i = 0; i < sizeof guard; i++)
        if (guard[i] != GUARD_FILL)
            return false;
    return true;
}

/* In device memory: fingerprints always, bytes when there is a reference. */
static bool sorts_on_device(gs_engine *engine, input *in)
{
    gs_status st = {.code = GS_OK};
    const size_t key_bytes = in->count * gs_key_bytes(in->type);
    fill_guard(in->d_keys, key_bytes);
    REQUIRE_OK(gs_device_copy(in->d_keys, in->d_fresh, key_bytes, &st), &st);
    if (in->d_values) {
        fill_guard(in->d_values, in->count * 4);
        REQUIRE_OK(gs_device_copy(in->d_values, in->d_fresh_values, in->count * 4, &st),
                   &st);
    }
    const gs_batch batch = {
        .keys = in->d_keys, .values = in->d_values, .count = in->count};
    REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
    REQUIRE_OK(gs_engine_wait(engine, &st), &st);
    gs_fingerprint got;
    REQUIRE_OK(
        gs_fingerprint_take(in->type, in->d_keys, in->d_values, in->count, &got, &st),
        &st);
    bool good = got.disorder == 0 && got.sum == in->print.sum &&
                guard_untouched(in->d_keys, key_bytes);
    if (in->d_values)
        good = good && guard_untouched(in->d_values, in->count * 4);
    if (good && in->want_keys) {
        void *keys = allocate(key_bytes);
        REQUIRE_OK(gs_device_copy(keys, in->d_keys, key_bytes, &st), &st);
        good = memcmp(keys, in->want_keys, key_bytes) == 0;
        if (in->d_values) {
            REQUIRE_OK(gs_device_copy(keys, in->d_values, in->count * 4, &st), &st);
            good = good && memcmp(keys, in->want_values, in->count * 4) == 0;
        }
        free(keys);
    }
    return good;
}

/* From and to host memory: over the keys, or elsewhere, which leaves them alone. */
static bool sorts_on_host(gs_engine *engine, const input *in, bool elsewhere)
{
    gs_status st = {.code = GS_OK};
    const size_t key_bytes = in->count * gs_key_bytes(in->type);
    void *keys = allocate(key_bytes);
    uint32_t *values = in->values ? allocate(in->count * 4) : NULL;
    memcpy(keys, in->keys, key_bytes);
    if (values)
        memcpy(values, in->values, in->count * 4);
    gs_batch batch = {.keys = keys, .values = values, .count = in->count};
    if (elsewhere) {
        batch.sorted_keys = allocate(key_bytes);
        batch.sorted_values = values ? allocate(in->count * 4) : NULL;
    }
    REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
    REQUIRE_OK(gs_engine_wait(engine, &st), &st);
    const void *const got = elsewhere ? batch.sorted_keys : keys;
    const void *const got_values = elsewhere ? batch.sorted_values : values;
    bool good = memcmp(got, in->want_keys, key_bytes) == 0;
    if (values)
        good = good && memcmp(got_values, in->want_values, in->count * 4) == 0;
    if (elsewhere)
        good = good && memcmp(keys, in->keys, key_bytes) == 0;
    free(batch.sorted_keys);
    free(batch.sorted_values);
    free(keys);
    free(values);
    return good;
}

/* Several GPUs; one may be named more than once. */
typedef struct gpu_list {
    int gpus[4];
    unsigned count;
} gpu_list;

static gs_engine *new_engine_on(const char *name, gs_batch_type type, gs_place place,
                                size_t count, const gpu_list *list)
{
    gs_status st = {.code = GS_OK};
    gs_engine *engine = NULL;
    gs_engine_options options = {
        .name = name, .type = type, .place = place, .count_max = count};
    if (list) {
        memcpy(options.devices, list->gpus, sizeof list->gpus);
        options.device_count = list->count;
        options.spread_count_min = 2;
    }
    REQUIRE_OK(gs_engine_new(&engine, &options, &st), &st);
    return engine;
}

static gs_engine *new_engine(const char *name, gs_batch_type type, gs_place place,
                             size_t count)
{
    return new_engine_on(name, type, place, count, NULL);
}

static unsigned long cases_run;
static char case_now[128]; /* what was being sorted, should the program end there */

static void tell_case(void)
{
    if (case_now[0] != '\0')
        fprintf(stderr, "in case %lu: %s\n", cases_run, case_now);
}

static void on_terminate(int number)
{
    static const char note[] = "terminated in case: ";
    (void)!write(STDERR_FILENO, note, sizeof note - 1);
    (void)!write(STDERR_FILENO, case_now, strlen(case_now));
    (void)!write(STDERR_FILENO, "\n", 1);
    _exit(128 + number);
}

static void begin_case(const char *engine, const char *how, const input *in, unsigned d)
{
    (void)snprintf(case_now, sizeof case_now, "%s %s, type %u %s, %zu keys", engine, how,
                   (unsigned)in->type, gs_distribution_name((gs_distribution)d),
                   in->count);
}

static unsigned type_first, type_last = GS_BATCH_TYPE_COUNT - 1;
static bool is_few;

/* Each takes its own way through the engines; the others repeat them. */
static bool is_left_out(unsigned d)
{
    return is_few && d != GS_DIST_UNIFORM && d != GS_DIST_ZIPF && d != GS_DIST_EQUAL;
}

static void test_sizes(const char *only, const size_t *sizes, size_t size_count,
                       bool reference)
{
    const size_t count_max = sizes[size_count - 1];
    for (unsigned t = type_first; t <= type_last; t++)
        for (unsigned d = 0; d < GS_DIST_COUNT; d++)
            for (size_t s = 0; s < size_count && !is_left_out(d); s++) {
                input in;
                const gs_batch_type type = (gs_batch_type)t;
                input_init(&in, type, (gs_distribution)d, sizes[s], s + d, reference);
                for (size_t e = 0; e < gs_engine_count(); e++) {
                    const char *const name = gs_engine_name(e);
                    if (only && strcmp(only, name) != 0)
                        continue;
                    begin_case(name, "on the device", &in, d);
                    gs_engine *engine =
                        new_engine(name, type, GS_PLACE_DEVICE, count_max);
                    bool good = sorts_on_device(engine, &in);
                    gs_engine_free(engine);
                    if (good && reference && s % 8 == d % 8) {
                        begin_case(name, "from the host", &in, d);
                        engine = new_engine(name, type, GS_PLACE_HOST, count_max);
                        good = sorts_on_host(engine, &in, s % 2 == 0);
                        gs_engine_free(engine);
                    }
                    cases_run++;
                    if (!good) {
                        fprintf(stderr, "wrong: %s type %u %s, %zu keys\n", name, t,
                                gs_distribution_name((gs_distribution)d), sizes[s]);
                        check_failures++;
                    }
                }
                input_release(&in);
            }
}

/* Generated where they are sorted, so that as many as possible fit. */
static void test_large_batch(const char *name, gs_batch_type type, gs_distribution dist,
                             size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_fingerprint before, after;
    void *const keys = allocate_device(count * gs_key_bytes(type));
    uint32_t *const values =
        gs_value_bytes(type) ? allocate_device(count * gs_value_bytes(type)) : NULL;
    REQUIRE_OK(gs_generate(type, dist, 4, true, keys, values, count, &st), &st);
    REQUIRE_OK(gs_fingerprint_take(type, keys, values, count, &before, &st), &st);
    gs_engine *engine = new_engine(name, type, GS_PLACE_DEVICE, count);
    const gs_batch batch = {.keys = keys, .values = values, .count = count};
    REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
    REQUIRE_OK(gs_engine_wait(engine, &st), &st);
    REQUIRE_OK(gs_fingerprint_take(type, keys, values, count, &after, &st), &st);
    const bool good = after.disorder == 0 && after.sum == before.sum;
    printf("%s type %u %s, %zu keys: %s, %.1f ms\n", name, (unsigned)type,
           gs_distribution_name(dist), count, good ? "good" : "WRONG",
           gs_engine_device_ms(engine));
    gs_engine_free(engine);
    gs_device_memory_free(keys);
    gs_device_memory_free(values);
    cases_run++;
    check_failures += !good;
}

static void test_large_engine(const char *name, size_t count)
{
    static const gs_distribution first[] = {GS_DIST_UNIFORM, GS_DIST_ZIPF, GS_DIST_EQUAL,
                                            GS_DIST_DESCENDING, GS_DIST_STRETCHES};
    const bool is_huge = count > ALL_DISTRIBUTIONS_MAX;
    const size_t dist_count = is_huge ? sizeof first / sizeof *first : GS_DIST_COUNT;
    for (unsigned t = type_first; t <= type_last; t++) {
        gs_status st = {.code = GS_OK};
        const gs_batch_type type = (gs_batch_type)t;
        const gs_engine_options options = {
            .name = name, .type = type, .place = GS_PLACE_DEVICE, .count_max = count};
        gs_engine_memory memory;
        REQUIRE_OK(gs_engine_needs(&options, &memory, &st), &st);
        if (memory.device_bytes + count * (gs_key_bytes(type) + gs_value_bytes(type)) >
            memory.device_free_bytes) {
            printf("%s type %u, %zu keys: no memory for them\n", name, t, count);
            continue;
        }
        for (size_t d = 0; d < dist_count; d++)
            test_large_batch(name, type, is_huge ? first[d] : (gs_distribution)d, count);
    }
}

static void test_large(const char *only, size_t count)
{
    for (size_t e = 0; e < gs_engine_count(); e++)
        if (!only || strcmp(only, gs_engine_name(e)) == 0)
            test_large_engine(gs_engine_name(e), count);
}

static void report_wrong(const gpu_list *list, const input *in, unsigned d)
{
    fprintf(stderr, "wrong: %u GPUs from %d, type %u %s, %zu keys\n", list->count,
            list->gpus[0], (unsigned)in->type, gs_distribution_name((gs_distribution)d),
            in->count);
    check_failures++;
}

/* From device memory and from the host, over the keys and elsewhere. */
static bool spreads(gs_engine *device, gs_engine *host, input *in)
{
    if (!sorts_on_device(device, in))
        return false;
    return in->want_keys == NULL ||
           (sorts_on_host(host, in, false) && sorts_on_host(host, in, true));
}

static void test_spread_type(gs_batch_type type, const char *name, const gpu_list *lists,
                             size_t list_count, const size_t *sizes, size_t size_count,
                             bool reference)
{
    const size_t count_max = sizes[size_count - 1];
    gs_engine *on_device[LISTS_MAX], *on_host[LISTS_MAX];
    REQUIRE(list_count <= LISTS_MAX);
    for (size_t l = 0; l < list_count; l++) {
        on_device[l] = new_engine_on(name, type, GS_PLACE_DEVICE, count_max, &lists[l]);
        on_host[l] = new_engine_on(name, type, GS_PLACE_HOST, count_max, &lists[l]);
    }
    for (unsigned d = 0; d < GS_DIST_COUNT; d++)
        for (size_t s = 0; s < size_count && !is_left_out(d); s++) {
            input in;
            input_init(&in, type, (gs_distribution)d, sizes[s], s + d, reference);
            for (size_t l = 0; l < list_count; l++) {
                cases_run++;
                begin_case(name, list_names[l], &in, d);
                if (!spreads(on_device[l], on_host[l], &in))
                    report_wrong(&lists[l], &in, d);
            }
            input_release(&in);
        }
    for (size_t l = 0; l < list_count; l++) {
        gs_engine_free(on_device[l]);
        gs_engine_free(on_host[l]);
    }
}

static void test_spread(const char *only)
{
    static const gpu_list lists[LISTS_MAX] = {
        {{0, 0}, 2}, {{0, 0, 0}, 3}, {{0, 1}, 2}, {{1, 0}, 2}};
    static const size_t large[] = {SPREAD_LARGE};
    const char *const name = only ? only : "auto";
    const size_t list_count = gs_device_count() > 1 ? LISTS_MAX : 2;
    for (unsigned t = type_first; t <= type_last; t++) {
        const gs_batch_type type = (gs_batch_type)t;
        test_spread_type(type, name, lists, is_few ? 1 : list_count,
                         is_few ? sizes_few : sizes_spread,
                         is_few ? sizeof sizes_few / sizeof *sizes_few
                                : sizeof sizes_spread / sizeof *sizes_spread,
                         true);
        if (!is_few)
            test_spread_type(type, "sample", lists, list_count, large, 1, false);
    }
}

/* Runs that an engine sorted one by one become one sequence. */
static void test_merge(void)
{
    enum { RUN = 1 << 14, COUNT = 5 * RUN + 777 };
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++) {
        gs_status st = {.code = GS_OK};
        input in;
        const gs_batch_type type = (gs_batch_type)t;
        input_init(&in, type, GS_DIST_UNIFORM, COUNT, t, false);
        gs_engine *engine = new_engine("sample", type, GS_PLACE_DEVICE, RUN);
        for (size_t from = 0; from < COUNT; from += RUN) {
            const size_t left = COUNT - from;
            const gs_batch run = {.keys = (char *)in.d_fresh + from * gs_key_bytes(type),
                                  .values =
                                      in.d_fresh_values ? in.d_fresh_values + from : NULL,
                                  .count = left < RUN ? left : RUN};
            REQUIRE_OK(gs_engine_submit(engine, &run, &st), &st);
            REQUIRE_OK(gs_engine_wait(engine, &st), &st);
        }
        gs_engine_free(engine);
        const gs_batch all = {
            .keys = in.d_fresh, .values = in.d_fresh_values, .count = COUNT};
        gs_fingerprint got;
        REQUIRE_OK(gs_bitonic_merge(type, &all, RUN, &st), &st);
        REQUIRE_OK(
            gs_fingerprint_take(type, in.d_fresh, in.d_fresh_values, COUNT, &got, &st),
            &st);
        CHECK(got.disorder == 0 && got.sum == in.print.sum);
        CHECK(gs_bitonic_merge(type, &all, 1000, &st) == GS_ERR_ARG);
        input_release(&in);
    }
}

/* The time of a batch with nothing to sort is not that of the batch before. */
static void test_times(void)
{
    enum { COUNT = 1 << 20 };
    gs_status st = {.code = GS_OK};
    gs_engine *const engine =
        new_engine("auto", GS_BATCH_U64, GS_PLACE_HOST, (size_t)COUNT);
    uint64_t *const keys = allocate(COUNT * sizeof *keys);
    for (size_t i = 0; i < COUNT; i++)
        keys[i] = (uint64_t)i * 2654435761u;
    gs_batch batch = {.keys = keys, .count = COUNT};
    REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
    REQUIRE_OK(gs_engine_wait(engine, &st), &st);
    CHECK(gs_engine_device_ms(engine) > 0);
    for (batch.count = 0; batch.count < 2; batch.count++) {
        REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
        REQUIRE_OK(gs_engine_wait(engine, &st), &st);
        CHECK(gs_engine_device_ms(engine) == 0);
    }
    gs_engine_free(engine);
    free(keys);
}

/* A batch larger than promised memory is refused with a message, not a crash. */
static void test_refusal(void)
{
    gs_status st = {.code = GS_OK};
    gs_engine *engine = NULL;
    gs_engine_options options = {.name = "sample",
                                 .type = GS_BATCH_U64,
                                 .count_max = (size_t)1 << 40,
                                 .place = GS_PLACE_HOST};
    CHECK(gs_engine_new(&engine, &options, &st) == GS_ERR_NOMEM);
    CHECK(engine == NULL);
    gs_status_clear(&st);
    options.name = "no such engine";
    CHECK(gs_engine_new(&engine, &options, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    size_t fits = 0;
    options.name = "sample";
    options.memory_max_bytes = (size_t)1 << 30;
    CHECK(gs_engine_fit(&options, &fits, &st) == GS_OK);
    CHECK(fits > 1000000 && fits < ((size_t)1 << 26));
    /* The memory of one device, shared by two, holds about as much. */
    size_t fits_two = 0;
    options.device_count = 2;
    CHECK(gs_engine_fit(&options, &fits_two, &st) == GS_OK);
    CHECK(fits_two > fits / 2 && fits_two < fits);
    options.devices[1] = 99;
    CHECK(gs_engine_new(&engine, &options, &st) == GS_ERR_ARG);
    CHECK(engine == NULL);
}

static int list_engines(void)
{
    for (size_t e = 0; e < gs_engine_count(); e++)
        printf("%s\n", gs_engine_name(e));
    return 0;
}

int main(int argc, char **argv)
{
    bool quick = false, spread = false, one_gpu = false;
    const char *only = NULL;
    size_t large = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--few") == 0)
            is_few = true;
        else if (strcmp(argv[i], "--spread") == 0)
            spread = true;
        else if (strcmp(argv[i], "--one-gpu") == 0)
            one_gpu = true;
        else if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--type") == 0 && i + 1 < argc)
            type_first = type_last = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--large") == 0 && i + 1 < argc)
            large = strtoull(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--list") == 0)
            return list_engines();
    }
    if (gs_device_count() == 0) {
        char text[1024];
        printf("skipped: %s", gs_device_describe(text, sizeof text));
        return 77;
    }
    (void)atexit(tell_case);
    (void)signal(SIGTERM, on_terminate);
    if (large) {
        test_large(only, large);
    } else if (is_few) {
        const size_t count = sizeof sizes_few / sizeof *sizes_few;
        if (!spread)
            test_sizes(only, sizes_few, count, true);
    } else {
        test_refusal();
        test_times();
        test_merge();
    }
    if (!one_gpu && !large)
        test_spread(only);
    if (is_few || large || spread) {
        case_now[0] = '\0';
        printf("%lu cases, %d failures\n", cases_run, check_failures);
        return check_result();
    }
    test_sizes(only, sizes_small, sizeof sizes_small / sizeof *sizes_small, true);
    test_sizes(only, sizes_middle, quick ? 4 : sizeof sizes_middle / sizeof *sizes_middle,
               true);
    if (!quick)
        test_sizes(only, sizes_large, sizeof sizes_large / sizeof *sizes_large, false);
    case_now[0] = '\0';
    printf("%lu cases, %d failures\n", cases_run, check_failures);
    return check_result();
}
