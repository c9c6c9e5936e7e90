/* SPDX-License-Identifier: MIT */
/*
 * number_order: lines come in the order of their numbers, equal ones as they were,
 * however the numbers lie and however many threads there are.
 */
#define CHECK_STARTS_THREADS
#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/number_order.h"
#include "tests/check.h"

enum { LINES_MAX = 200000, CASES = 120, WORKERS_MAX = 4 };

static int by_number(const void *a, const void *b)
{
    const gs_number_line *const x = a, *const y = b;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->where < y->where ? -1 : x->where > y->where;
}

typedef struct sides {
    gs_number_line *lines, *scratch, *wanted;
    size_t count;
    int64_t least, greatest;
} sides;

/* Some numbers of so many bits, from `base` on; a few of them, or all, or most of them in
 * one cell, or in order. */
static void draw(sides *s, uint64_t *random)
{
    const unsigned bits = (unsigned)(check_random(random) % 63);
    const uint64_t mask = ((uint64_t)2 << bits) - 1;
    const uint64_t others = check_random(random) % 3 == 0 ? mask / 7 + 1 : 1;
    const bool is_ordered = check_random(random) % 8 == 0;
    const uint64_t narrow = check_random(random) % 4 == 0 ? mask >> bits / 2 : mask;
    const int64_t base =
        bits < 61 ? -(int64_t)(check_random(random) >> 3) : INT64_MIN / 2 - 1;
    s->count = check_random(random) % (check_random(random) % 2 ? 50 : LINES_MAX) + 1;
    for (size_t i = 0; i < s->count; i++) {
        const uint64_t wanted = check_random(random) % 16 == 0 ? mask : narrow;
        const uint64_t above = (check_random(random) & wanted) / others * others;
        s->lines[i] = (gs_number_line){(int64_t)((uint64_t)base + above), i};
    }
    if (is_ordered)
        qsort(s->lines, s->count, sizeof *s->lines, by_number);
    s->least = s->greatest = s->lines[0].number;
    for (size_t i = 0; i < s->count; i++) {
        s->lines[i].where = i;
        s->least = s->lines[i].number < s->least ? s->lines[i].number : s->least;
        s->greatest = s->lines[i].number > s->greatest ? s->lines[i].number : s->greatest;
    }
    memcpy(s->wanted, s->lines, s->count * sizeof *s->lines);
    qsort(s->wanted, s->count, sizeof *s->wanted, by_number);
}

/* All cells at once, or one after the other, the last one first. */
static void order(sides *s, gs_team *team, bool all)
{
    gs_status st = {.code = GS_OK};
    gs_number_cells cells = {.count = 0};
    REQUIRE_OK(gs_number_split(&cells, &s->lines, &s->scratch, s->count, s->least,
                               s->greatest, team, &st),
               &st);
    if (all)
        REQUIRE_OK(gs_number_cells_sort_all(&cells, team, &st), &st);
    for (size_t c = cells.count; !cells.is_ordered && c-- > 0;)
        gs_number_cells_sort(&cells, c);
    gs_number_cells_release(&cells);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    uint64_t random = check_seed(20);
    sides s = {.count = 0};
    gs_team *teams[WORKERS_MAX];
    gs_number_line **const all[] = {&s.lines, &s.scratch, &s.wanted};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        REQUIRE_OK(gs_mem_new_array(all[i], LINES_MAX, sizeof **all[i], "lines", &st),
                   &st);
    for (unsigned w = 0; w < WORKERS_MAX; w++)
        REQUIRE_OK(gs_team_new(&teams[w], w + 1, &st), &st);
    for (unsigned c = 0; c < CASES; c++) {
        draw(&s, &random);
        order(&s, teams[c % WORKERS_MAX], c % 3 == 0);
        CHECK(memcmp(s.lines, s.wanted, s.count * sizeof *s.lines) == 0);
    }
    for (unsigned w = 0; w < WORKERS_MAX; w++)
        gs_team_free(teams[w]);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        gs_mem_free(*all[i]);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
