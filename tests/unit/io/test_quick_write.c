/* SPDX-License-Identifier: MIT */
/*
 * quick_write: whatever way is taken, the file has the bytes; the other one is tried when
 * the page cache is dear, and left when it is no quicker; what is not aligned, and a file
 * that cannot be opened so, is written all the same.
 */
#include "io/quick_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/write_all.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { PAGE = 4096, PAGES = 64, BYTES = PAGES * PAGE };

static uint8_t *text, *got; /* page-aligned */

/* A file on the disk, if the folder of the test is there. */
static int scratch_file(void)
{
    char path[] = "quick_write.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0 && unlink(path) == 0);
    return fd;
}

static bool goes_direct(int fd)
{
    gs_quick_writer w;
    gs_quick_writer_begin(&w, fd, GS_WRITE_DIRECT);
    CHECK(gs_quick_write(&w, text, PAGE, 0) == 0);
    const bool has = w.direct_ns > 0;
    CHECK(has == (w.cached_ns == 0));
    gs_quick_writer_end(&w);
    return has;
}

/* Pieces of any size in any order, one writer a piece of work. */
static void all_is_there(uint64_t *state, gs_write_way way)
{
    const int fd = scratch_file();
    gs_quick_writer w[2];
    size_t n;
    for (unsigned i = 0; i < 2; i++)
        gs_quick_writer_begin(&w[i], fd, way);
    for (size_t at = 0, bytes; at < BYTES; at += bytes) {
        const size_t left = BYTES - at;
        bytes = (1 + check_random(state) % 4) * PAGE + check_random(state) % 3 * 100;
        if (bytes > left)
            bytes = left;
        CHECK(gs_quick_write(&w[check_random(state) % 2], text + at, bytes, at) == 0);
    }
    for (unsigned i = 0; i < 2; i++)
        gs_quick_writer_end(&w[i]);
    REQUIRE(gs_pread_all(fd, got, BYTES, 0, &n) == 0);
    CHECK(n == BYTES && memcmp(got, text, BYTES) == 0);
    (void)close(fd);
}

/* Where it is known what a byte takes the quicker way is taken. */
static void takes_the_quicker_way(int fd)
{
    static const struct {
        double cached_ns, direct_ns;
        bool is_direct;
    } cases[] = {
        {0, 0, false},    /* nothing is known */
        {0.3, 0, false},  /* cheap: the other is not tried */
        {3.5, 0, true},   /* dear: it is */
        {3.5, 1.2, true}, /* and stays */
        {3.5, 17, false}, /* or not, if many write side by side */
        {0.3, 0.1, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gs_quick_writer w;
        gs_quick_writer_begin(&w, fd, GS_WRITE_QUICK);
        w.cached_ns = cases[i].cached_ns;
        w.direct_ns = cases[i].direct_ns;
        CHECK(gs_quick_write(&w, text, PAGE, i * PAGE) == 0);
        CHECK((w.direct_ns != cases[i].direct_ns) == cases[i].is_direct);
        CHECK((w.cached_ns != cases[i].cached_ns) == !cases[i].is_direct);
        gs_quick_writer_end(&w);
    }
}

/* Not aligned, in the file, in memory or in length. */
static void the_rest_is_cached(int fd)
{
    static const size_t from[] = {8, 0, 0}, to[] = {0, 512, 0}, more[] = {0, 0, 1};
    for (unsigned i = 0; i < 3; i++) {
        gs_quick_writer w;
        gs_quick_writer_begin(&w, fd, GS_WRITE_DIRECT);
        CHECK(gs_quick_write(&w, text + from[i], PAGE + more[i], to[i]) == 0);
        CHECK(w.direct_ns == 0 && w.cached_ns > 0);
        gs_quick_writer_end(&w);
    }
}

/* A pipe has no such way, and says why it cannot be written at an offset. */
static void says_what_fails(void)
{
    int ends[2];
    gs_quick_writer w;
    REQUIRE(pipe(ends) == 0);
    gs_quick_writer_begin(&w, ends[1], GS_WRITE_DIRECT);
    CHECK(gs_quick_write(&w, text, PAGE, 0) == ESPIPE);
    gs_quick_writer_end(&w);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

int main(void)
{
    uint64_t state = check_seed(11);
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_map(&text, BYTES + PAGE, false, "test", &st), &st);
    REQUIRE_OK(gs_mem_map(&got, BYTES, false, "test", &st), &st);
    for (size_t i = 0; i < BYTES + PAGE; i++)
        text[i] = (uint8_t)check_random(&state);
    for (unsigned i = 0; i < check_often(20); i++)
        for (unsigned way = GS_WRITE_QUICK; way <= GS_WRITE_DIRECT; way++)
            all_is_there(&state, (gs_write_way)way);
    const int fd = scratch_file();
    if (goes_direct(fd))
        takes_the_quicker_way(fd);
    the_rest_is_cached(fd);
    says_what_fails();
    (void)close(fd);
    gs_mem_unmap(text, BYTES + PAGE);
    gs_mem_unmap(got, BYTES);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
