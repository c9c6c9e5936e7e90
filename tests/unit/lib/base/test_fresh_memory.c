/* SPDX-License-Identifier: MIT */
/*
 * fresh_memory: huge pages that are dear are paid for all the time, or cheap ones never
 * taken; a step is taken that was not asked for, or what was written to is lost.
 */
#define CHECK_STARTS_THREADS

#include "lib/base/fresh_memory.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/thread.h"
#include "tests/check.h"

/* Takes so many steps, huge ones for the price given; returns how many were huge. */
static unsigned huge_of(gs_page_prices *p, unsigned steps, uint64_t huge_ns)
{
    unsigned huge = 0;
    for (unsigned i = 0; i < steps; i++) {
        const bool is_huge = gs_page_prices_choose(p);
        gs_page_prices_note(p, is_huge, is_huge ? huge_ns : 700);
        huge += is_huge ? 1 : 0;
    }
    return huge;
}

static void cheap_ones_are_taken(void)
{
    gs_page_prices p = {0};
    CHECK(huge_of(&p, 1, 50) == 0); /* what small ones cost must be known */
    CHECK(huge_of(&p, 1000, 50) == 1000);
    CHECK(huge_of(&p, 10, 700) == 10);
}

static void dear_ones_are_tried_ever_less(void)
{
    gs_page_prices p = {0};
    CHECK(huge_of(&p, 1 + 1 + 4 + 1 + 16 + 1 + 64 + 1, 4000) == 4);
    CHECK(huge_of(&p, 256, 4000) == 0);
    CHECK(huge_of(&p, 100000, 4000) <= 100);
    CHECK(huge_of(&p, 100000, 4000) >= 90); /* but they are */
}

static void a_dear_one_among_cheap_ones_costs_little(void)
{
    gs_page_prices p = {0};
    (void)huge_of(&p, 100, 50);
    CHECK(huge_of(&p, 1, 4000) == 1);
    CHECK(huge_of(&p, 4, 50) == 0);
    CHECK(huge_of(&p, 6, 50) == 3); /* 2 small ones behind the first, 1 behind the next */
    CHECK(huge_of(&p, 100, 50) == 100);
    CHECK(huge_of(&p, 1, 4000) == 1); /* and the next one no more than it */
    CHECK(huge_of(&p, 5, 50) == 1);
}

/* As where a host finds two at a time: the second is cheap, and the third is not. */
static void dear_and_cheap_ones_in_turn_are_tried_ever_less(void)
{
    gs_page_prices p = {0};
    unsigned dear = 0;
    (void)huge_of(&p, 1, 50);
    for (unsigned i = 0, huge = 0; i < 1000; i++) {
        const unsigned taken = huge_of(&p, 1, huge % 2 == 0 ? 4000 : 50);
        dear += huge % 2 == 0 ? taken : 0;
        huge += taken;
    }
    CHECK(dear >= 4 && dear <= 9); /* with no small ones behind a cheap one: 167 */
}

static void what_small_ones_cost_is_the_least_seen(void)
{
    gs_page_prices p = {0};
    gs_page_prices_note(&p, false, 9000);
    gs_page_prices_note(&p, false, 0);
    gs_page_prices_note(&p, false, 700);
    CHECK(p.small_ns == 1); /* 0 is for not known */
    CHECK(huge_of(&p, 6, 500) == 2);
}

/* One step that takes long is nobody's host; huge pages say nothing of it. */
static void dear_is_what_several_steps_were(void)
{
    enum { CHEAP = 700000, DEAR = 5000000, STEPS = 100 };
    gs_page_prices p = {0};
    CHECK(!gs_page_prices_are_dear(&p));
    gs_page_prices_note(&p, false, CHEAP);
    gs_page_prices_note(&p, true, DEAR);
    gs_page_prices_note(&p, false, DEAR);
    CHECK(!gs_page_prices_are_dear(&p));
    unsigned dear = 1, cheap = 0;
    for (; !gs_page_prices_are_dear(&p) && dear < STEPS; dear++)
        gs_page_prices_note(&p, false, DEAR);
    CHECK(dear > 2 && dear < 8);
    for (; gs_page_prices_are_dear(&p) && cheap < STEPS; cheap++)
        gs_page_prices_note(&p, false, CHEAP);
    CHECK(cheap > 0 && cheap < 8);
    for (unsigned i = 0; i < STEPS; i++) /* every other one */
        gs_page_prices_note(&p, false, i % 2 == 0 ? CHEAP : DEAR);
    CHECK(gs_page_prices_are_dear(&p));
    p = (gs_page_prices){0};
    gs_page_prices_note(&p, false, DEAR); /* the first is all that is known */
    CHECK(gs_page_prices_are_dear(&p));
}

/* How many pages from `at` on are there. */
static size_t pages_there(const uint8_t *at, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char there[GS_FRESH_STEP / 4096];
    size_t count = 0;
    REQUIRE(bytes <= GS_FRESH_STEP && bytes % page == 0);
    REQUIRE(mincore((void *)(uintptr_t)at, bytes, there) == 0);
    for (size_t i = 0; i < bytes / page; i++)
        count += there[i] & 1U;
    return count * page;
}

static void steps_are_taken_as_asked(void)
{
    enum { STEPS = 12, REST = 5 * 4096 };
    gs_status st = {.code = GS_OK};
    gs_fresh_memory m;
    const size_t held = gs_mem_held_bytes();
    REQUIRE(gs_fresh_memory_init(&m, STEPS * (size_t)GS_FRESH_STEP + REST, "test", &st) ==
            GS_OK);
    CHECK((uintptr_t)m.bytes % GS_FRESH_STEP == 0);
    for (size_t i = 0; i < STEPS; i += 2)
        gs_fresh_memory_take(&m, i * GS_FRESH_STEP);
    gs_fresh_memory_take(&m, STEPS * (size_t)GS_FRESH_STEP);
    gs_fresh_memory_take(&m, (STEPS + 1) * (size_t)GS_FRESH_STEP); /* there is none */
    /* A kernel before 5.14 takes none at once. */
    const size_t taken = pages_there(m.bytes, GS_FRESH_STEP);
    CHECK(taken == GS_FRESH_STEP || taken == 0);
    for (size_t i = 0; i < STEPS; i++)
        CHECK(pages_there(m.bytes + i * GS_FRESH_STEP, GS_FRESH_STEP) ==
              (i % 2 == 0 ? taken : 0));
    CHECK(pages_there(m.bytes + STEPS * (size_t)GS_FRESH_STEP, REST) ==
          (taken > 0 ? REST : 0));
    for (size_t i = 0; i < m.size; i += 512)
        CHECK(m.bytes[i] == 0);
    /* The first four steps and a little of the fifth, by three. */
    gs_fresh_memory_leave(&m, 4 * (size_t)GS_FRESH_STEP + 1, 0, 3);
    CHECK(pages_there(m.bytes, GS_FRESH_STEP) == 0);
    CHECK(pages_there(m.bytes + 2 * (size_t)GS_FRESH_STEP, GS_FRESH_STEP) > 0);
    gs_fresh_memory_leave(&m, 4 * (size_t)GS_FRESH_STEP + 1, 1, 3);
    gs_fresh_memory_leave(&m, 4 * (size_t)GS_FRESH_STEP + 1, 2, 3);
    CHECK(pages_there(m.bytes + 4 * (size_t)GS_FRESH_STEP, GS_FRESH_STEP) == 0);
    CHECK(pages_there(m.bytes + 6 * (size_t)GS_FRESH_STEP, GS_FRESH_STEP) > 0);
    gs_fresh_memory_release(&m);
    CHECK(gs_mem_held_bytes() == held);
    gs_fresh_memory_release(&m);
}

/* Maps lie one below the other mostly: what is above is another's. */
static void nothing_behind_the_end_is_given_back(void)
{
    enum { ABOVE = 4 * GS_FRESH_STEP + 4096 }; /* of no size that is aligned */
    gs_status st = {.code = GS_OK};
    gs_fresh_memory m;
    uint8_t *above;
    REQUIRE(gs_mem_map(&above, ABOVE, false, "test", &st) == GS_OK);
    memset(above, 1, ABOVE);
    REQUIRE(gs_fresh_memory_init(&m, GS_FRESH_STEP + 4096, "test", &st) == GS_OK);
    gs_fresh_memory_leave(&m, m.size, 0, 1);
    for (size_t i = 0; i < (size_t)ABOVE; i += 4096)
        CHECK(above[i] == 1);
    gs_fresh_memory_release(&m);
    gs_mem_unmap(above, ABOVE);
}

enum { THREADS = 4, STEPS_OF_ALL = 8 };
static gs_fresh_memory shared;

/* Writes to every fourth page while others take the steps. */
static void *take_and_write(void *number_of_thread)
{
    const size_t number = *(const size_t *)number_of_thread;
    for (size_t step = 0; step < STEPS_OF_ALL; step++) {
        if (step % THREADS == number)
            gs_fresh_memory_take(&shared, step * GS_FRESH_STEP);
        for (size_t page = number; page < GS_FRESH_STEP / 4096; page += THREADS)
            shared.bytes[step * GS_FRESH_STEP + page * 4096] = (uint8_t)(number + 1);
    }
    return NULL;
}

static void what_is_written_meanwhile_stays(void)
{
    gs_status st = {.code = GS_OK};
    pthread_t threads[THREADS];
    size_t numbers[THREADS];
    REQUIRE(gs_fresh_memory_init(&shared, STEPS_OF_ALL * (size_t)GS_FRESH_STEP, "test",
                                 &st) == GS_OK);
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        REQUIRE(gs_thread_start(&threads[i], take_and_write, &numbers[i], 0) == 0);
    }
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    for (size_t page = 0; page < shared.size / 4096; page++)
        CHECK(shared.bytes[page * 4096] == page % THREADS + 1);
    gs_fresh_memory_release(&shared);
}

static void failure_is_told(void)
{
    gs_status st = {.code = GS_OK};
    gs_fresh_memory m;
    gs_mem_fail_nth(1);
    CHECK(gs_fresh_memory_init(&m, GS_FRESH_STEP, "test", &st) == GS_ERR_NOMEM);
    gs_mem_fail_nth(0);
    gs_fresh_memory_release(&m);
}

int main(void)
{
    cheap_ones_are_taken();
    dear_ones_are_tried_ever_less();
    a_dear_one_among_cheap_ones_costs_little();
    dear_and_cheap_ones_in_turn_are_tried_ever_less();
    what_small_ones_cost_is_the_least_seen();
    dear_is_what_several_steps_were();
    steps_are_taken_as_asked();
    nothing_behind_the_end_is_given_back();
    what_is_written_meanwhile_stays();
    failure_is_told();
    return check_result();
}
