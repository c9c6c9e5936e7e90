/* SPDX-License-Identifier: MIT */
/*
 * engines: every GPU engine must give the bytes that a plain CPU sort gives, for any
 * size and distribution, and must not write outside the batch. What would break: sizes
 * around tile and bucket bounds, skew that fills one bucket, values of equal keys.
 *
 *     test_engines [--quick | --few] [--engine NAME] [--large COUNT]
 *
 * --quick: small sizes only. --few: a handful, for compute-sanitizer. --large: only this
 * many keys, checked on the device by order and by a hash of the records. Exits 77
 * without a GPU.
 */
#include <stdbool.h>
#include <string.h>

#include "gpu/bitonic.h"
#include "gpu/device.h"
#include "gpu/engine.h"
#include "gpu/generate.h"
#include "tests/check.h"

enum { GUARD_BYTES = 4096, GUARD_FILL = 0xa5 };

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
static const size_t sizes_few[] = {2, 33, 4097, 6145, 20011};
static const size_t sizes_large[] = {1760001, 2199999, 4194304, 9999991, 33554433};

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
    const gs_batch batch = {in->d_keys, in->d_values, in->count};
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

/* From and to host memory. */
static bool sorts_on_host(gs_engine *engine, const input *in)
{
    gs_status st = {.code = GS_OK};
    const size_t key_bytes = in->count * gs_key_bytes(in->type);
    void *keys = allocate(key_bytes);
    uint32_t *values = in->values ? allocate(in->count * 4) : NULL;
    memcpy(keys, in->keys, key_bytes);
    if (values)
        memcpy(values, in->values, in->count * 4);
    const gs_batch batch = {keys, values, in->count};
    REQUIRE_OK(gs_engine_submit(engine, &batch, &st), &st);
    REQUIRE_OK(gs_engine_wait(engine, &st), &st);
    bool good = memcmp(keys, in->want_keys, key_bytes) == 0;
    if (values)
        good = good && memcmp(values, in->want_values, in->count * 4) == 0;
    free(keys);
    free(values);
    return good;
}

static gs_engine *new_engine(const char *name, gs_batch_type type, gs_place place,
                             size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_engine *engine = NULL;
    const gs_engine_options options = {
        .name = name, .type = type, .place = place, .count_max = count};
    REQUIRE_OK(gs_engine_new(&engine, &options, &st), &st);
    return engine;
}

static unsigned long cases_run;

static void test_sizes(const char *only, const size_t *sizes, size_t size_count,
                       bool reference)
{
    const size_t count_max = sizes[size_count - 1];
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++)
        for (unsigned d = 0; d < GS_DIST_COUNT; d++)
            for (size_t s = 0; s < size_count; s++) {
                input in;
                const gs_batch_type type = (gs_batch_type)t;
                input_init(&in, type, (gs_distribution)d, sizes[s], s + d, reference);
                for (size_t e = 0; e < gs_engine_count(); e++) {
                    const char *const name = gs_engine_name(e);
                    if (only && strcmp(only, name) != 0)
                        continue;
                    gs_engine *engine =
                        new_engine(name, type, GS_PLACE_DEVICE, count_max);
                    bool good = sorts_on_device(engine, &in);
                    gs_engine_free(engine);
                    if (good && reference && s % 8 == d % 8) {
                        engine = new_engine(name, type, GS_PLACE_HOST, count_max);
                        good = sorts_on_host(engine, &in);
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

static void test_large(const char *only, size_t count)
{
    for (size_t e = 0; e < gs_engine_count(); e++) {
        const char *const name = gs_engine_name(e);
        if (only && strcmp(only, name) != 0)
            continue;
        input in;
        input_init(&in, GS_BATCH_U64, GS_DIST_ZIPF, count, 4, false);
        gs_engine *engine = new_engine(name, GS_BATCH_U64, GS_PLACE_DEVICE, count);
        const bool good = sorts_on_device(engine, &in);
        printf("large %s %zu: %s, %.1f ms\n", name, count, good ? "good" : "WRONG",
               gs_engine_device_ms(engine));
        check_failures += !good;
        gs_engine_free(engine);
        input_release(&in);
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
            const gs_batch run = {(char *)in.d_fresh + from * gs_key_bytes(type),
                                  in.d_fresh_values ? in.d_fresh_values + from : NULL,
                                  left < RUN ? left : RUN};
            REQUIRE_OK(gs_engine_submit(engine, &run, &st), &st);
            REQUIRE_OK(gs_engine_wait(engine, &st), &st);
        }
        gs_engine_free(engine);
        const gs_batch all = {in.d_fresh, in.d_fresh_values, COUNT};
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
}

int main(int argc, char **argv)
{
    bool quick = false, few = false;
    const char *only = NULL;
    size_t large = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = true;
        else if (strcmp(argv[i], "--few") == 0)
            few = true;
        else if (strcmp(argv[i], "--engine") == 0 && i + 1 < argc)
            only = argv[++i];
        else if (strcmp(argv[i], "--large") == 0 && i + 1 < argc)
            large = strtoull(argv[++i], NULL, 10);
    }
    if (gs_device_count() == 0) {
        char text[1024];
        printf("skipped: %s", gs_device_describe(text, sizeof text));
        return 77;
    }
    test_refusal();
    test_merge();
    if (large)
        test_large(only, large);
    if (few || large) {
        if (few)
            test_sizes(only, sizes_few, sizeof sizes_few / sizeof *sizes_few, true);
        printf("%lu cases, %d failures\n", cases_run, check_failures);
        return check_result();
    }
    test_sizes(only, sizes_small, sizeof sizes_small / sizeof *sizes_small, true);
    test_sizes(only, sizes_middle, quick ? 4 : sizeof sizes_middle / sizeof *sizes_middle,
               true);
    if (!quick)
        test_sizes(only, sizes_large, sizeof sizes_large / sizeof *sizes_large, false);
    printf("%lu cases, %d failures\n", cases_run, check_failures);
    return check_result();
}
