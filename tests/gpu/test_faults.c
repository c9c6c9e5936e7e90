/* SPDX-License-Identifier: MIT */
/*
 * faults: each GPU call that an engine makes is failed in turn. What would break: a leak,
 * a kernel or a copy still at work on memory that was given back, keys that are half
 * overwritten, an engine that believes it has sorted.
 *
 *     test_faults [--quick]      --quick: one engine
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <stdbool.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "gpu/device/fault.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { COUNT = 300007, FAULTS_MAX = 2000 };

static uint64_t *keys, *fresh, *sorted;
static uint32_t *values, *fresh_values, *sorted_values;
static unsigned long faults_run;

static void *allocate(size_t bytes)
{
    void *const memory = malloc(bytes);
    REQUIRE(memory != NULL);
    return memory;
}

static size_t device_free_bytes(void)
{
    gs_status st = {.code = GS_OK};
    gs_device device;
    REQUIRE_OK(gs_device_get(0, &device, &st), &st);
    return device.free_bytes;
}

static gs_code sort_once(const gs_engine_options *options, gs_status *st)
{
    gs_engine *engine = NULL;
    const bool has_values = gs_value_bytes(options->type) != 0;
    const gs_batch batch = {.keys = keys,
                            .values = has_values ? values : NULL,
                            .count = options->count_max,
                            .sorted_keys = sorted,
                            .sorted_values = has_values ? sorted_values : NULL};
    memset(sorted, 0xa5, COUNT * sizeof(gs_u128));
    if (gs_engine_new(&engine, options, st) == GS_OK &&
        gs_engine_submit(engine, &batch, st) == GS_OK &&
        gs_engine_wait(engine, st) != GS_OK)
        CHECK(engine != NULL);
    gs_engine_free(engine);
    return st->code;
}

static bool is_in_order(gs_batch_type type)
{
    const gs_u128 *const wide = (const gs_u128 *)(const void *)sorted;
    for (size_t i = 1; i < COUNT; i++) {
        if (type == GS_BATCH_U128 ? wide[i].hi < wide[i - 1].hi
                                  : sorted[i] < sorted[i - 1])
            return false;
    }
    return true;
}

/* One kind of failure at each point, until none is left to be hit. */
static void fail_each(const gs_engine_options *options, gs_fault_kind kind)
{
    const size_t key_bytes = COUNT * gs_key_bytes(options->type);
    uint64_t nth = 0;
    for (bool was_hit = true; was_hit && nth < FAULTS_MAX;) {
        gs_status st = {.code = GS_OK};
        gs_fault_arm(kind, ++nth);
        const gs_code code = sort_once(options, &st);
        was_hit = gs_fault_calls() >= nth;
        gs_fault_arm(GS_FAULT_NONE, 0);
        /* Freeing counts too, but has nobody to tell. */
        const bool is_told = code == GS_ERR_NOMEM || code == GS_ERR_GPU;
        if (was_hit ? !is_told : code != GS_OK || !is_in_order(options->type)) {
            fprintf(stderr, "%s, type %d, %u GPUs, kind %d, call %llu: code %d %s\n",
                    options->name, (int)options->type, options->device_count, (int)kind,
                    (unsigned long long)nth, (int)code, st.msg);
            check_failures++;
        }
        CHECK(memcmp(keys, fresh, key_bytes) == 0);
        CHECK(memcmp(values, fresh_values, COUNT * sizeof *values) == 0);
        faults_run += was_hit;
    }
    CHECK(nth > 10 && nth < FAULTS_MAX);
}

static void test_engine(const char *name, gs_batch_type type, unsigned device_count)
{
    gs_status st = {.code = GS_OK};
    const gs_engine_options options = {.name = name,
                                       .type = type,
                                       .place = GS_PLACE_HOST,
                                       .count_max = COUNT,
                                       .device_count = device_count,
                                       .spread_count_min = 2};
    REQUIRE_OK(sort_once(&options, &st), &st); /* loads the code, which stays */
    const size_t held = gs_mem_held_bytes(), free_bytes = device_free_bytes();
    fail_each(&options, GS_FAULT_MEMORY);
    fail_each(&options, GS_FAULT_LAUNCH);
    fail_each(&options, GS_FAULT_LOST);
    CHECK(gs_mem_held_bytes() == held);
    CHECK(device_free_bytes() == free_bytes);
}

int main(int argc, char **argv)
{
    const bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    if (gs_device_count() == 0) {
        char text[1024];
        printf("skipped: %s", gs_device_describe(text, sizeof text));
        return 77;
    }
    keys = allocate(COUNT * sizeof(gs_u128));
    fresh = allocate(COUNT * sizeof(gs_u128));
    sorted = allocate(COUNT * sizeof(gs_u128));
    values = allocate(COUNT * sizeof *values);
    fresh_values = allocate(COUNT * sizeof *values);
    sorted_values = allocate(COUNT * sizeof *values);
    uint64_t state = check_seed(1);
    for (size_t i = 0; i < 2 * COUNT; i++)
        keys[i] = check_random(&state) % 100000 << (i % 8);
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (uint32_t)i;
    memcpy(fresh, keys, COUNT * sizeof(gs_u128));
    memcpy(fresh_values, values, COUNT * sizeof *values);
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++) {
        test_engine("sample", (gs_batch_type)t, 1);
        test_engine("sample", (gs_batch_type)t, 2);
    }
    for (size_t e = 0; e < gs_engine_count() && !quick; e++)
        test_engine(gs_engine_name(e), GS_BATCH_U64_U32, 1);
    printf("%lu faults, %d failures\n", faults_run, check_failures);
    free(keys);
    free(fresh);
    free(sorted);
    free(values);
    free(fresh_values);
    free(sorted_values);
    return check_result();
}
