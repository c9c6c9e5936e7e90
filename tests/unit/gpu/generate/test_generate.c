/* SPDX-License-Identifier: MIT */
/*
 * generate: keys for benchmarks made by the CPU, and the check of a result. What would
 * break: a distribution that is not what its name says, threads whose parts do not make
 * the whole, a check that does not see a lost, changed or misplaced record.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/generate/generate.h"
#include "tests/check.h"

enum { COUNT = 20000 };

static gs_u128 keys[COUNT], twin[COUNT];
static uint32_t values[COUNT], twin_values[COUNT];

static gs_fingerprint look(gs_batch_type type, const gs_batch *batch)
{
    gs_fingerprint print = {0, 0};
    gs_fingerprint_host(type, batch, 0, batch->count, &print);
    return print;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many different values there are; sorts the keys. */
static size_t count_distinct(uint64_t *list, size_t count)
{
    size_t distinct = count > 0;
    qsort(list, count, sizeof *list, compare_keys);
    for (size_t i = 1; i < count; i++)
        distinct += list[i] != list[i - 1];
    return distinct;
}

static void parts_make_the_whole(void)
{
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++)
        for (unsigned d = 0; d < GS_DIST_COUNT; d++) {
            const gs_batch_type type = (gs_batch_type)t;
            const gs_batch a = {.keys = keys, .values = values, .count = COUNT};
            const gs_batch b = {.keys = twin, .values = twin_values, .count = COUNT};
            gs_generate_host(type, (gs_distribution)d, 7, &a, 0, COUNT);
            for (size_t at = 0; at < COUNT; at += COUNT / 5)
                gs_generate_host(type, (gs_distribution)d, 7, &b, at, COUNT / 5);
            CHECK(memcmp(keys, twin, COUNT * gs_key_bytes(type)) == 0);
            CHECK(memcmp(values, twin_values, COUNT * gs_value_bytes(type)) == 0);
            const gs_fingerprint whole = look(type, &a);
            gs_fingerprint parts = {0, 0};
            gs_fingerprint_host(type, &a, COUNT / 3, COUNT - COUNT / 3, &parts);
            gs_fingerprint_host(type, &a, 0, COUNT / 3, &parts);
            CHECK(whole.sum == parts.sum && whole.disorder == parts.disorder);
        }
}

static void names_hold(void)
{
    uint64_t *const list = (uint64_t *)(void *)keys;
    const gs_batch batch = {.keys = keys, .count = COUNT};
    gs_generate_host(GS_BATCH_U64, GS_DIST_SORTED, 1, &batch, 0, COUNT);
    CHECK(look(GS_BATCH_U64, &batch).disorder == 0 && list[0] < list[COUNT - 1]);
    gs_generate_host(GS_BATCH_U64, GS_DIST_DESCENDING, 1, &batch, 0, COUNT);
    CHECK(look(GS_BATCH_U64, &batch).disorder == COUNT - 1);
    gs_generate_host(GS_BATCH_U64, GS_DIST_STRETCHES, 1, &batch, 0, COUNT);
    CHECK(look(GS_BATCH_U64, &batch).disorder == 2 &&
          count_distinct(list, COUNT) == COUNT);
    gs_generate_host(GS_BATCH_U64, GS_DIST_EQUAL, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) == 1);
    gs_generate_host(GS_BATCH_U64, GS_DIST_FEW, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) == 1000);
    gs_generate_host(GS_BATCH_U64, GS_DIST_HUNDREDS, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) == 250);
    gs_generate_host(GS_BATCH_U64, GS_DIST_UNIFORM, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) == COUNT);
    CHECK(list[COUNT / 2] > UINT64_C(0x7800000000000000) &&
          list[COUNT / 2] < UINT64_C(0x8800000000000000));
    gs_generate_host(GS_BATCH_U64, GS_DIST_POISSON, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) > 100);
    CHECK(list[COUNT / 2] > 999900 && list[COUNT / 2] < 1000100);
    gs_generate_host(GS_BATCH_U64, GS_DIST_GAUSSIAN, 1, &batch, 0, COUNT);
    CHECK(count_distinct(list, COUNT) > COUNT - 10);
    /* One deviation above the middle, of which there are eight. */
    const double sixteenths = (double)(list[COUNT * 84 / 100] >> 32) / (1 << 28);
    CHECK(sixteenths > 8.9 && sixteenths < 9.1);
    gs_generate_host(GS_BATCH_U64, GS_DIST_ZIPF, 1, &batch, 0, COUNT);
    (void)count_distinct(list, COUNT);
    /* Of 2^22 terms half the tuples have one of the first 2^11. */
    CHECK(list[COUNT * 45 / 100] >> 32 < 2048 && list[COUNT * 55 / 100] >> 32 > 2048);
}

static void damage_is_seen(void)
{
    uint64_t state = check_seed(5);
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++) {
        const gs_batch_type type = (gs_batch_type)t;
        const gs_batch batch = {.keys = keys, .values = values, .count = COUNT};
        gs_generate_host(type, GS_DIST_SORTED, 1, &batch, 0, COUNT);
        const gs_fingerprint good = look(type, &batch);
        CHECK(good.disorder == 0);
        for (unsigned round = 0; round < 100; round++) {
            const size_t bytes = COUNT * gs_key_bytes(type);
            uint8_t *const byte = (uint8_t *)keys + check_random(&state) % bytes;
            const uint8_t before = *byte;
            *byte ^= (uint8_t)(1u << round % 8);
            CHECK(look(type, &batch).sum != good.sum);
            *byte = before;
        }
    }
    /* A pair whose values changed places, and one that is there twice. */
    const gs_batch batch = {.keys = keys, .values = values, .count = COUNT};
    gs_generate_host(GS_BATCH_U64_U32, GS_DIST_EQUAL, 1, &batch, 0, COUNT);
    const gs_fingerprint good = look(GS_BATCH_U64_U32, &batch);
    values[5] = 6;
    CHECK(look(GS_BATCH_U64_U32, &batch).sum != good.sum);
    values[6] = 5;
    CHECK(look(GS_BATCH_U64_U32, &batch).sum == good.sum);
    CHECK(look(GS_BATCH_U64_U32, &batch).disorder == 1);
}

int main(void)
{
    parts_make_the_whole();
    names_hold();
    damage_is_seen();
    return check_result();
}
