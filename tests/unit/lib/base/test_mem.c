/* SPDX-License-Identifier: MIT */
/* mem: what is counted must come back to zero, and a failure on order must be one. */
#include "lib/base/mem.h"

#include <errno.h>
#include <string.h>

#include "tests/check.h"

static void bytes_are_counted(void)
{
    gs_status st = {.code = GS_OK};
    void *a = NULL, *b = NULL, *map = NULL;
    REQUIRE_OK(gs_mem_new(&a, 1000, "a", &st), &st);
    REQUIRE_OK(gs_mem_new(&b, 0, "b", &st), &st);
    REQUIRE_OK(gs_mem_map(&map, 8192, false, "map", &st), &st);
    CHECK(a != NULL && b != NULL && ((uintptr_t)map & 4095) == 0);
    CHECK(gs_mem_held_bytes() >= 1000 + 8192);
    for (size_t i = 0; i < 1000; i++)
        CHECK(((char *)a)[i] == 0);
    REQUIRE_OK(gs_mem_resize(&a, 50000, "a", &st), &st);
    CHECK(gs_mem_held_bytes() >= 50000 + 8192);
    gs_mem_free(a);
    gs_mem_free(b);
    gs_mem_free(NULL);
    memset(map, 1, 8192);
    gs_mem_discard(map, 4096);
    CHECK(((char *)map)[0] == 0 && ((char *)map)[4096] == 1);
    gs_mem_unmap(map, 8192);
    CHECK(gs_mem_held_bytes() == 0);
}

static void the_nth_request_fails(void)
{
    gs_status st = {.code = GS_OK};
    void *p = NULL, *q = NULL;
    gs_mem_fail_nth(2);
    CHECK(gs_mem_new(&p, 10, "first", &st) == GS_OK);
    CHECK(gs_mem_new(&q, 10, "second", &st) == GS_ERR_NOMEM && q == NULL);
    CHECK(st.sys == ENOMEM && strstr(st.msg, "second") != NULL && st.hint != NULL);
    gs_status_clear(&st);
    CHECK(gs_mem_new(&q, 10, "third", &st) == GS_OK);
    gs_mem_fail_nth(1);
    CHECK(gs_mem_resize(&q, 99999, "fourth", &st) == GS_ERR_NOMEM && q != NULL);
    gs_mem_free(p);
    gs_mem_free(q);
    CHECK(gs_mem_held_bytes() == 0);
}

static void products_that_do_not_fit_are_refused(void)
{
    gs_status st = {.code = GS_OK};
    size_t n = 0;
    CHECK(gs_mem_size_mul(&n, 1 << 20, 1 << 20, &st) == GS_OK && n == (size_t)1 << 40);
    CHECK(gs_mem_size_mul(&n, SIZE_MAX / 2, 3, &st) == GS_ERR_LIMIT);
}

/* An array that grows: new items are zero, and what was in it stays, also on failure. */
static void an_array_grows(void)
{
    gs_status st = {.code = GS_OK};
    const size_t held = gs_mem_held_bytes();
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        REQUIRE_OK(gs_mem_grow(&items, &capacity, i + 1, "items", &st), &st);
        CHECK(capacity > i && items[i] == 0 && items[capacity - 1] == 0);
        items[i] = i + 1;
    }
    const size_t before = capacity;
    gs_mem_fail_nth(1);
    CHECK(gs_mem_grow(&items, &capacity, before, "enough", &st) == GS_OK);
    CHECK(gs_mem_grow(&items, &capacity, before + 1, "more", &st) == GS_ERR_NOMEM);
    CHECK(gs_mem_fail_left() == 0 && capacity == before);
    gs_status_clear(&st);
    CHECK(gs_mem_grow(&items, &capacity, SIZE_MAX / 2, "too many", &st) == GS_ERR_LIMIT);
    for (uint32_t i = 0; i < 10000; i++)
        CHECK(items[i] == i + 1);
    gs_mem_free(items);
    CHECK(gs_mem_held_bytes() == held);
}

int main(void)
{
    bytes_are_counted();
    the_nth_request_fails();
    products_that_do_not_fit_are_refused();
    an_array_grows();
    return check_result();
}
