/* SPDX-License-Identifier: MIT */
/*
 * map_names: the file at an address is found among any number of them, also while others
 * come and go; one that is gone is not; a name is cut to the room there is.
 */
#define CHECK_STARTS_THREADS

#include "io/map_names.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { COUNT = 500, BYTES = 64, THREADS = 3, ROUNDS = 2000 };

static char area[COUNT][BYTES];
static gs_map_name *names[COUNT];

static void add(size_t i, const char *name)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_map_name_new(&names[i], area[i], BYTES, name, &st), &st);
}

static bool is_at(const void *address, const char *want)
{
    char name[256];
    return gs_map_name_at(address, name, sizeof name) && strcmp(name, want) == 0;
}

static void each_is_found(void)
{
    char text[32], short_name[8];
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(text, sizeof text, "file%zu", i);
        add(i, text);
    }
    for (size_t i = 0; i < COUNT; i += 2) {
        gs_map_name_free(names[i]);
        names[i] = NULL;
    }
    for (size_t i = 0; i < COUNT; i++) {
        (void)snprintf(text, sizeof text, "file%zu", i);
        CHECK(is_at(area[i], text) == (i % 2 == 1));
        CHECK(is_at(area[i] + BYTES - 1, text) == (i % 2 == 1));
    }
    CHECK(!is_at(NULL, "") && !is_at(area[COUNT - 1] + BYTES, ""));
    CHECK(gs_map_name_at(area[499], short_name, sizeof short_name));
    CHECK(strcmp(short_name, "file499") == 0);
    CHECK(gs_map_name_at(area[499], short_name, 5) && strcmp(short_name, "file") == 0);
    for (size_t i = 0; i < COUNT; i++) {
        gs_map_name_free(names[i]);
        names[i] = NULL;
    }
    CHECK(gs_mem_held_bytes() == 0);
}

static void failure_names_the_file(void)
{
    gs_status st = {.code = GS_OK};
    add(0, "a name");
    CHECK(gs_map_name_fail_changed(area[0] + 1, &st) == GS_ERR_IO);
    CHECK(strcmp(st.msg, "read failed: 'a name': it was changed while it was read") == 0);
    gs_status_clear(&st);
    CHECK(gs_map_name_fail(area[0] + 1, EIO, &st) == GS_ERR_IO && st.sys == EIO);
    CHECK(strcmp(st.msg, "read failed: 'a name'") == 0);
    gs_map_name_free(names[0]);
    gs_status_clear(&st);
    CHECK(gs_map_name_fail_changed(area[0], &st) == GS_ERR_IO);
    gs_map_name_free(NULL);
}

/* Each thread has a place of its own and finds it, and finds no other one when its own
 * is gone. */
static void *come_and_go(void *argument)
{
    const size_t i = (size_t)((char(*)[BYTES])argument - area);
    char text[32];
    (void)snprintf(text, sizeof text, "mine%zu", i);
    size_t wrong = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        add(i, text);
        wrong += !is_at(area[i] + round % BYTES, text);
        gs_map_name_free(names[i]);
        wrong += is_at(area[i], text);
    }
    return wrong == 0 ? NULL : argument;
}

static void threads_do_not_meet(void)
{
    pthread_t threads[THREADS];
    void *wrong;
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, come_and_go, area[i]) == 0);
    for (size_t i = 0; i < THREADS; i++) {
        REQUIRE(pthread_join(threads[i], &wrong) == 0);
        CHECK(wrong == NULL);
    }
    CHECK(gs_mem_held_bytes() == 0);
}

int main(void)
{
    each_is_found();
    failure_names_the_file();
    threads_do_not_meet();
    return check_result();
}
