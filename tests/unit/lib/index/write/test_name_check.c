/* SPDX-License-Identifier: MIT */
/*
 * name_check: a repeated name must be told with its first two documents, no other name
 * ever, and of very many names the memory must not grow and the count still be about
 * right.
 */
#include "lib/index/write/name_check.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

static void add(gs_name_check *c, const char *name)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_name_check_add(c, name, strlen(name), &st), &st);
}

static gs_repeated_names find(const gs_name_check *c)
{
    gs_status st = {.code = GS_OK};
    gs_repeated_names r;
    REQUIRE_OK(gs_name_check_find(c, NULL, NULL, &r, &st), &st);
    return r;
}

static void a_few(void)
{
    gs_name_check c = {0};
    CHECK(find(&c).count == 0);
    add(&c, "a");
    CHECK(find(&c).count == 0);
    add(&c, "b");
    add(&c, "");
    CHECK(find(&c).count == 0);
    add(&c, "b");
    add(&c, "a");
    add(&c, "b");
    const gs_repeated_names r = find(&c);
    CHECK(r.count == 3 && r.first == 1 && r.again == 3 && !r.is_estimate);
    gs_name_check_release(&c);
    CHECK(c.documents == 0 && find(&c).count == 0);
}

/* As names that differ and have the same hash would be: only 2 and 4 are said to agree.
 */
static gs_code are_even(void *context, uint64_t a, uint64_t b, bool *out, gs_status *st)
{
    ++*(unsigned *)context;
    (void)st;
    *out = a == 2 && b == 4;
    return GS_OK;
}

static void hashes_are_not_all(void)
{
    gs_name_check c = {0};
    gs_status st = {.code = GS_OK};
    gs_repeated_names r;
    unsigned asked = 0;
    for (unsigned i = 0; i < 5; i++)
        add(&c, "same");
    REQUIRE_OK(gs_name_check_find(&c, are_even, &asked, &r, &st), &st);
    CHECK(r.count == 1 && r.first == 2 && r.again == 4 && asked > 5);
    gs_name_check_release(&c);
}

/* Random names from a small set, against a table of when each came first. */
static void as_the_dumb_way(uint64_t seed)
{
    enum { ROUNDS = 200, NAMES = 300 };
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t set = 1 + check_random(&seed) % (2 * NAMES * NAMES);
        uint64_t names[NAMES], count = 0, first = 0, again = 0;
        gs_name_check c = {0};
        for (unsigned i = 0; i < NAMES; i++) {
            char text[32];
            names[i] = check_random(&seed) % set;
            (void)snprintf(text, sizeof text, "doc%llu", (unsigned long long)names[i]);
            add(&c, text);
            unsigned before = 0;
            while (names[before] != names[i])
                before++;
            if (before < i && count++ == 0) {
                first = before;
                again = i;
            }
        }
        const gs_repeated_names r = find(&c);
        CHECK(r.count == count && (count == 0 || (r.first == first && r.again == again)));
        gs_name_check_release(&c);
    }
}

/* Three times as many as are kept, every tenth twice; then nothing but one name. */
static void very_many(void)
{
    enum { MANY = 3 * GS_NAMES_KEPT_MAX };
    gs_name_check c = {0};
    for (uint32_t i = 0; i < MANY; i++) {
        char text[16];
        const uint32_t name = i % 10 == 9 ? i - 1 : i;
        (void)snprintf(text, sizeof text, "%u", name);
        add(&c, text);
    }
    gs_repeated_names r = find(&c);
    CHECK(r.is_estimate && r.again == r.first + 1 && r.again % 10 == 9);
    CHECK(r.count > MANY / 1000 * 97 && r.count < MANY / 1000 * 103);
    CHECK(c.count <= GS_NAMES_KEPT_MAX && c.documents == MANY);
    gs_name_check_release(&c);
    for (uint32_t i = 0; i < GS_NAMES_KEPT_MAX + 10; i++)
        add(&c, "one");
    r = find(&c);
    CHECK(c.documents == GS_NAMES_KEPT_MAX + 10 && c.count <= GS_NAMES_KEPT_MAX);
    CHECK(c.count < 2 || (r.count > 0 && r.first == 0 && r.again == 1));
    gs_name_check_release(&c);
}

static void memory_fails(void)
{
    gs_name_check c = {0};
    gs_status st = {.code = GS_OK};
    gs_repeated_names r;
    gs_mem_fail_nth(1);
    CHECK(gs_name_check_add(&c, "a", 1, &st) == GS_ERR_NOMEM);
    gs_mem_fail_nth(0);
    add(&c, "a");
    add(&c, "a");
    gs_status_clear(&st);
    gs_mem_fail_nth(1);
    CHECK(gs_name_check_find(&c, NULL, NULL, &r, &st) == GS_ERR_NOMEM);
    gs_mem_fail_nth(0);
    gs_name_check_release(&c);
}

int main(void)
{
    a_few();
    hashes_are_not_all();
    as_the_dumb_way(check_seed(7));
    very_many();
    memory_fails();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
