/* SPDX-License-Identifier: MIT */
/*
 * splitter_order: records in another order than their strings have; equal ones that
 * change places; records with nothing in them; memory beyond what there is.
 */
#include "lib/part/splitter_order.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { RECORDS_MAX = 300, BYTES_MAX = 8 };

static const char *const names[] = {"file"};

static void make_sample(gs_sample_pick *p, size_t count, size_t bytes_max,
                        uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_sample_pick_init(p, RECORDS_MAX, 1, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        uint8_t text[BYTES_MAX];
        const size_t bytes = check_random(state) % (bytes_max + 1);
        for (size_t j = 0; j < bytes; j++)
            text[j] = (uint8_t)(check_random(state) % 3);
        REQUIRE_OK(gs_sample_pick_add(p, i, 0, i * BYTES_MAX, text, bytes, &st), &st);
    }
    gs_sample_pick_settle(p);
}

static int compare(const gs_sample_pick *p, size_t a, size_t b)
{
    const gs_sampled *const x = &p->records[a], *const y = &p->records[b];
    return gs_string_compare(p->text + x->at, x->bytes, p->text + y->at, y->bytes, 0);
}

static void is_in_order(const gs_sample_pick *p, const gs_splitter_order *order,
                        bool is_reversed)
{
    bool is_there[RECORDS_MAX] = {false};
    REQUIRE(order->count == p->count);
    for (size_t i = 0; i < order->count; i++) {
        REQUIRE(order->numbers[i] < p->count && !is_there[order->numbers[i]]);
        is_there[order->numbers[i]] = true;
        if (i == 0)
            continue;
        const int d = compare(p, order->numbers[i - 1], order->numbers[i]);
        CHECK(is_reversed ? d >= 0 : d <= 0);
        CHECK(d != 0 || order->numbers[i - 1] < order->numbers[i]);
    }
}

static void strings_are_in_order(void)
{
    uint64_t state = check_seed(1);
    gs_status st = {.code = GS_OK};
    for (unsigned round = 0; round < 60; round++) {
        const bool is_reversed = round % 2;
        const size_t count = check_random(&state) % (RECORDS_MAX + 1);
        const gs_order order = {.eol = '\n', .reverse = is_reversed};
        gs_sample_pick p;
        gs_splitter_order made = {.bytes_max = 1 << 20};
        make_sample(&p, count, round % 3 == 0 ? 0 : BYTES_MAX, &state);
        REQUIRE_OK(gs_splitter_order_make(&made, &order, &p, names, &st), &st);
        is_in_order(&p, &made, is_reversed);
        gs_splitter_order_release(&made);
        gs_sample_pick_release(&p);
    }
}

static void memory_has_a_limit(void)
{
    uint64_t state = check_seed(2);
    gs_status st = {.code = GS_OK};
    const gs_order order = {.eol = '\n'};
    gs_sample_pick p;
    gs_splitter_order made = {.bytes_max = 100};
    make_sample(&p, RECORDS_MAX, BYTES_MAX, &state);
    CHECK(gs_splitter_order_make(&made, &order, &p, names, &st) == GS_ERR_LIMIT);
    gs_splitter_order_release(&made);
    gs_sample_pick_release(&p);
}

int main(void)
{
    strings_are_in_order();
    memory_has_a_limit();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
