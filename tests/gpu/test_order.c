/* SPDX-License-Identifier: MIT */
/*
 * order: keys that come in order, the other way round, or in a few such stretches, are
 * checked, turned round or merged on the device instead of sorted. What would break: the
 * bounds of stretches, tiles that are not whole, equal keys, keys that only seem to be in
 * order where the sample looked.
 *
 *     test_order [--few]      --few: a case of each kind, for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <stdbool.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/device/fault.h"
#include "gpu/engine/engine.h"
#include "gpu/generate/generate.h"
#include "tests/check.h"

enum {
    ORDER_MIN = 1 << 22, /* keys from which the sample sort looks for order */
    COUNT_MAX = ORDER_MIN + 1000003,
    STRETCHES_MAX = 6,
    MERGED_MAX = 4, /* more stretches are sorted */
    FAULTS_MAX = 200,
};

/* How long stretches are. */
typedef enum lengths { EVEN, SHORT_FIRST, SHORT_LAST, RANDOM, LENGTHS_COUNT } lengths;

/* What is done to keys in order. */
typedef enum damage { NONE, ONE_KEY, HUNDRED_KEYS, RANDOM_VALUES, DAMAGE_COUNT } damage;

typedef struct order_case {
    gs_batch_type type;
    size_t count;
    unsigned stretches;
    bool is_down, has_equals;
    lengths lengths;
    damage damage;
} order_case;

static uint64_t *keys; /* of either width */
static uint32_t *values;
static void *d_keys;
static uint32_t *d_values;
static unsigned long cases_run;
static bool was_ordered; /* what the engine said */

static void note_order(void *context, gs_log_level level, const char *text)
{
    (void)context, (void)level;
    was_ordered = was_ordered || strstr(text, "keys came") != NULL;
}
static const gs_log order_log = {note_order, NULL};

static void put(const order_case *c, size_t i, uint64_t hi, uint64_t lo)
{
    keys[c->type == GS_BATCH_U128 ? 2 * i : i] = hi;
    if (c->type == GS_BATCH_U128)
        keys[2 * i + 1] = lo;
    values[i] = (uint32_t)lo;
}

static void find_bounds(const order_case *c, uint64_t *state, size_t *bounds)
{
    const size_t last = c->stretches;
    for (size_t s = 0; s <= last; s++)
        bounds[s] = c->count * s / last;
    for (size_t s = 1; s < last && c->lengths == RANDOM; s++)
        bounds[s] =
            bounds[s - 1] + 2 + check_random(state) % ((c->count - bounds[s - 1]) / 2);
    if (last > 1 && c->lengths == SHORT_FIRST)
        bounds[1] = 1;
    if (last > 1 && c->lengths == SHORT_LAST)
        bounds[last - 1] = c->count - 1;
}

/* Of every stretch keys go over the same range, so that all are mixed by a merge. */
static void make_keys(const order_case *c, uint64_t *state)
{
    size_t bounds[STRETCHES_MAX + 1];
    find_bounds(c, state, bounds);
    for (size_t s = 0; s < c->stretches; s++) {
        const size_t length = bounds[s + 1] - bounds[s];
        const uint64_t step =
            (c->has_equals ? UINT64_C(97) : UINT64_C(1) << 62) / length + 1;
        for (size_t j = 0; j < length; j++) {
            const size_t at = bounds[s] + (c->is_down ? length - 1 - j : j);
            const uint64_t key = c->has_equals ? j * 97 / length : j * step + s;
            put(c, at, key, c->has_equals ? 5 : j);
        }
    }
    if (c->damage == RANDOM_VALUES)
        for (size_t i = 0; i < c->count; i++)
            values[i] = (uint32_t)check_random(state);
    const size_t strays = c->damage == ONE_KEY ? 1 : c->damage == HUNDRED_KEYS ? 100 : 0;
    for (size_t n = 0; n < strays; n++)
        put(c, check_random(state) % c->count, check_random(state), 1);
}

static void upload(const order_case *c)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_device_copy(d_keys, keys, c->count * gs_key_bytes(c->type), &st), &st);
    if (gs_value_bytes(c->type) != 0)
        REQUIRE_OK(gs_device_copy(d_values, values, c->count * sizeof *values, &st), &st);
}

static gs_code sort(const order_case *c, const char *engine_name, gs_status *st)
{
    gs_engine *engine = NULL;
    uint32_t *const there = gs_value_bytes(c->type) != 0 ? d_values : NULL;
    const gs_engine_options options = {.name = engine_name,
                                       .type = c->type,
                                       .place = GS_PLACE_DEVICE,
                                       .count_max = c->count,
                                       .log = &order_log};
    const gs_batch batch = {.keys = d_keys, .values = there, .count = c->count};
    was_ordered = false;
    if (gs_engine_new(&engine, &options, st) == GS_OK &&
        gs_engine_submit(engine, &batch, st) == GS_OK &&
        gs_engine_wait(engine, st) != GS_OK)
        CHECK(engine != NULL);
    gs_engine_free(engine);
    return st->code;
}

static gs_fingerprint print_of(const order_case *c)
{
    gs_status st = {.code = GS_OK};
    gs_fingerprint print;
    REQUIRE_OK(gs_fingerprint_take(c->type, d_keys,
                                   gs_value_bytes(c->type) != 0 ? d_values : NULL,
                                   c->count, &print, &st),
               &st);
    return print;
}

/* Whether it can be known that the engine sees order in it, or none: 1, 0; or not: -1. */
static int expected(const order_case *c)
{
    const bool has_values = gs_value_bytes(c->type) != 0;
    if (c->count < ORDER_MIN || c->damage == HUNDRED_KEYS)
        return 0;
    if (c->damage == RANDOM_VALUES && has_values)
        return c->has_equals ? 0 : c->stretches <= MERGED_MAX;
    if (c->damage == ONE_KEY || c->lengths == SHORT_FIRST || c->lengths == SHORT_LAST)
        return -1; /* an end more or less */
    return c->stretches <= MERGED_MAX;
}

static void run_case(const order_case *c, const char *engine_name, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    make_keys(c, state);
    upload(c);
    const gs_fingerprint before = print_of(c);
    REQUIRE_OK(sort(c, engine_name, &st), &st);
    const gs_fingerprint after = print_of(c);
    const int wish = expected(c);
    cases_run++;
    if (after.disorder == 0 && after.sum == before.sum &&
        (wish < 0 || was_ordered == (wish != 0)))
        return;
    fprintf(stderr,
            "type %d, %zu keys, %u stretches %s of lengths %d, equals %d, damage %d: "
            "%llu out of order, records %s, %s\n",
            (int)c->type, c->count, c->stretches, c->is_down ? "down" : "up",
            (int)c->lengths, c->has_equals, (int)c->damage,
            (unsigned long long)after.disorder,
            after.sum == before.sum ? "the same" : "CHANGED",
            was_ordered ? "seen as in order" : "sorted");
    check_failures++;
}

static void test_stretches(gs_batch_type type, uint64_t *state)
{
    static const size_t counts[] = {ORDER_MIN - 1, ORDER_MIN, ORDER_MIN + 1, COUNT_MAX};
    for (unsigned n = 1; n <= STRETCHES_MAX; n++)
        for (unsigned how = 0; how < 4 * LENGTHS_COUNT; how++) {
            const order_case c = {.type = type,
                                  .count = counts[(n + how) % 4],
                                  .stretches = n,
                                  .is_down = how & 1,
                                  .has_equals = how & 2,
                                  .lengths = (lengths)(how / 4)};
            /* Of so many narrow keys it leaves some to another. */
            const bool is_auto = type == GS_BATCH_U128 && how % 3 == 0;
            run_case(&c, is_auto ? "auto" : "sample", state);
        }
}

static void test_damage(gs_batch_type type, uint64_t *state)
{
    for (unsigned d = NONE; d < DAMAGE_COUNT; d++)
        for (unsigned how = 0; how < 8; how++) {
            const order_case c = {.type = type,
                                  .count = COUNT_MAX - how,
                                  .stretches = 1 + how / 4,
                                  .is_down = how & 1,
                                  .has_equals = how & 2,
                                  .damage = (damage)d};
            run_case(&c, "sample", state);
        }
}

/* Each call of a GPU fails in turn, while stretches are turned round and merged. */
static void test_faults(gs_batch_type type, uint64_t *state)
{
    const order_case c = {
        .type = type, .count = COUNT_MAX, .stretches = 3, .is_down = true};
    make_keys(&c, state);
    uint64_t nth = 0;
    for (bool was_hit = true; was_hit && nth < FAULTS_MAX; cases_run++) {
        gs_status st = {.code = GS_OK};
        upload(&c);
        gs_fault_arm(GS_FAULT_LAUNCH, ++nth);
        const gs_code code = sort(&c, "sample", &st);
        was_hit = gs_fault_calls() >= nth;
        gs_fault_arm(GS_FAULT_NONE, 0);
        CHECK(was_hit ? gs_device_is_to_blame(code)
                      : code == GS_OK && print_of(&c).disorder == 0);
    }
    CHECK(nth > 10 && nth < FAULTS_MAX);
}

static void test_few(gs_batch_type type, uint64_t *state)
{
    for (unsigned how = 0; how < 2; how++) {
        const order_case c = {
            .type = type, .count = ORDER_MIN + 1, .stretches = 3, .is_down = how & 1};
        run_case(&c, "sample", state);
    }
}

int main(int argc, char **argv)
{
    const bool is_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    if (gs_device_count() == 0) {
        char text[1024];
        printf("skipped: %s", gs_device_describe(text, sizeof text));
        return 77;
    }
    keys = malloc(COUNT_MAX * sizeof(gs_u128));
    values = malloc(COUNT_MAX * sizeof *values);
    REQUIRE(keys != NULL && values != NULL);
    REQUIRE_OK(gs_device_memory_new(&d_keys, 0, COUNT_MAX * sizeof(gs_u128), &st), &st);
    REQUIRE_OK(gs_device_memory_new(&memory, 0, COUNT_MAX * sizeof *values, &st), &st);
    d_values = memory;
    uint64_t state = check_seed(1);
    for (unsigned t = 0; t < GS_BATCH_TYPE_COUNT; t++) {
        if (is_few) {
            test_few((gs_batch_type)t, &state);
            continue;
        }
        test_stretches((gs_batch_type)t, &state);
        test_damage((gs_batch_type)t, &state);
        test_faults((gs_batch_type)t, &state);
    }
    gs_device_memory_free(d_keys);
    gs_device_memory_free(d_values);
    free(keys);
    free(values);
    printf("%lu cases, %d failures\n", cases_run, check_failures);
    return check_result();
}
