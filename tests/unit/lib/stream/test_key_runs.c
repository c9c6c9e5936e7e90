/* SPDX-License-Identifier: MIT */
/*
 * key_runs: an answer that is called exact and is not would be found by nobody. Runs in
 * memory and in the file, marks of many pages and of few, in every order, with many equal
 * keys, against sorted copies; and pages that are damaged in the file.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/stream/key_runs.h"
#include "tests/check.h"

static uint64_t state;

enum { RUN_KEYS = 8 * GS_KEY_PAGE, PAGES = RUN_KEYS / GS_KEY_PAGE };

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

typedef enum key_shape { RANDOM, FEW, SORTED, EXTREMES, SHAPES } key_shape;

static uint64_t draw(key_shape shape, size_t i)
{
    switch (shape) {
    case RANDOM: return check_random(&state);
    case FEW: return check_random(&state) % 3;
    case SORTED: return i / 3;
    case EXTREMES:
        return check_random(&state) % 2 ? UINT64_MAX - check_random(&state) % 2 : 0;
    case SHAPES: break;
    }
    return 0;
}

/* `count` keys as whole runs and a rest, put in another order than that of their numbers.
 */
static gs_code fill(gs_key_runs *r, uint64_t *keys, size_t count, gs_status *st)
{
    const size_t runs = count / RUN_KEYS;
    gs_key_mark *marks = NULL;
    GS_NOTED(gs_mem_new_array(&marks, (runs + 1) * PAGES, sizeof *marks, "marks", st));
    for (size_t i = 0; i * RUN_KEYS < count; i++) {
        const size_t left = count - i * RUN_KEYS;
        qsort(keys + i * RUN_KEYS, left < RUN_KEYS ? left : RUN_KEYS, sizeof *keys,
              compare);
    }
    for (size_t i = runs; i-- > 0 && st->code == GS_OK;)
        GS_NOTED(gs_key_runs_put(r, i, keys + i * RUN_KEYS, marks + i * PAGES, st));
    for (size_t i = 0; i < runs && st->code == GS_OK; i++)
        GS_NOTED(gs_key_runs_mark(r, marks + i * PAGES, st));
    gs_mem_free(marks);
    return st->code;
}

static void check_ranks(gs_key_runs *r, const uint64_t *keys, size_t count)
{
    gs_status st = {.code = GS_OK};
    const size_t last = count / RUN_KEYS * RUN_KEYS;
    uint64_t *sorted = NULL, key = 0;
    REQUIRE_OK(gs_mem_new_array(&sorted, count, sizeof *sorted, "keys", &st), &st);
    memcpy(sorted, keys, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i <= 40; i++) {
        const size_t rank = i < 40 ? 1 + i * (count - 1) / 40 : count;
        REQUIRE_OK(gs_key_runs_select(r, keys + last, count - last, rank, &key, &st),
                   &st);
        CHECK(key == sorted[rank - 1]);
    }
    gs_mem_free(sorted);
}

/* Memory for all, for some runs, and for so little that marks are thinned out. */
static void ranks_are_exact(void)
{
    static const size_t memories[] = {64 << 20, 1 << 20, 256 << 10, 96 << 10};
    enum { KEYS_MAX = 100 * RUN_KEYS };
    gs_status st = {.code = GS_OK};
    bool has_thin = false, has_far = false;
    uint64_t *keys = NULL;
    REQUIRE_OK(gs_mem_new_array(&keys, KEYS_MAX, sizeof *keys, "keys", &st), &st);
    for (int i = 0; i < SHAPES * 4 * 2; i += check_is_short() ? 3 : 1) {
        const size_t count = 1 + check_random(&state) % KEYS_MAX;
        gs_key_runs r;
        REQUIRE_OK(gs_key_runs_init(&r, RUN_KEYS, memories[i % 4], NULL, 0, &st), &st);
        r.gather_max = i % 8 < 4 ? 1 + check_random(&state) % 300 : r.gather_max;
        for (size_t k = 0; k < count; k++)
            keys[k] = draw((key_shape)(i / 4 % SHAPES), k);
        REQUIRE_OK(fill(&r, keys, count, &st), &st);
        check_ranks(&r, keys, count);
        has_far |= gs_key_runs_spilled_bytes(&r) > 0;
        has_thin |= r.mark_pages > 1;
        gs_key_runs_release(&r);
    }
    CHECK(has_far && has_thin);
    gs_mem_free(keys);
}

static void damage_is_noticed(void)
{
    gs_status st = {.code = GS_OK};
    gs_key_runs r;
    enum { COUNT = 40 * RUN_KEYS };
    uint64_t *keys = NULL, key = 0;
    REQUIRE_OK(gs_mem_new_array(&keys, COUNT, sizeof *keys, "keys", &st), &st);
    REQUIRE_OK(gs_key_runs_init(&r, RUN_KEYS, 128 << 10, NULL, 0, &st), &st);
    for (size_t k = 0; k < COUNT; k++)
        keys[k] = check_random(&state);
    REQUIRE_OK(fill(&r, keys, COUNT, &st), &st);
    const uint8_t all_ones[512] = {0xff};
    for (off_t at = 8; at < 40 * RUN_KEYS * 8; at += 4096)
        CHECK(pwrite(r.fd, all_ones, 1, at) >= 0);
    CHECK(gs_key_runs_select(&r, NULL, 0, COUNT / 2, &key, &st) == GS_ERR_FORMAT);
    gs_status_clear(&st);
    CHECK(ftruncate(r.fd, 4096) == 0);
    CHECK(gs_key_runs_select(&r, NULL, 0, COUNT / 2, &key, &st) == GS_ERR_IO);
    gs_key_runs_release(&r);
    gs_mem_free(keys);
}

/* A limit of memory is one, and says so. */
static void too_many_runs_are_refused(void)
{
    gs_status st = {.code = GS_OK};
    gs_key_runs r;
    uint64_t keys[GS_KEY_PAGE] = {0};
    gs_key_mark mark;
    REQUIRE_OK(gs_key_runs_init(&r, GS_KEY_PAGE, 4096, NULL, 0, &st), &st);
    for (uint64_t i = 0; i < 100 && st.code == GS_OK; i++) {
        GS_NOTED(gs_key_runs_put(&r, i, keys, &mark, &st));
        if (st.code == GS_OK)
            GS_NOTED(gs_key_runs_mark(&r, &mark, &st));
    }
    CHECK(st.code == GS_ERR_LIMIT);
    gs_key_runs_release(&r);
}

int main(void)
{
    state = check_seed(29);
    ranks_are_exact();
    damage_is_noticed();
    too_many_runs_are_refused();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
