/* SPDX-License-Identifier: MIT */
/*
 * ordered_copy: lines in order, or in order the other way round, come out in order, by
 * parts of any size, with and without the end of the last line; one line out of place,
 * wherever it is, or one that is too long, is seen. The reference is qsort.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/text/ordered_copy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_pages.h"
#include "io/write_all.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum {
    LINES_MAX = 3000,
    LINE_MAX_BYTES = 40,
    TEXT_MAX = LINES_MAX * (LINE_MAX_BYTES + 1)
};

typedef struct text {
    char bytes[TEXT_MAX + 1];
    size_t count;
} text;

static char lines[LINES_MAX][LINE_MAX_BYTES + 1];
static gs_team *team;
static int from, to;

static int by_bytes(const void *a, const void *b)
{
    return strcmp(a, b);
}

static size_t sorted_lines(uint64_t *state)
{
    const size_t count = 200 + check_random(state) % (LINES_MAX - 200);
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = check_random(state) % LINE_MAX_BYTES;
        for (size_t k = 0; k < bytes; k++)
            lines[i][k] = "ab~"[check_random(state) % 3];
        lines[i][bytes] = '\0';
    }
    qsort(lines, count, sizeof lines[0], by_bytes);
    return count;
}

/* The lines, forwards or backwards. */
static void put(text *t, size_t count, bool backwards)
{
    t->count = 0;
    for (size_t i = 0; i < count; i++) {
        const char *const line = lines[backwards ? count - 1 - i : i];
        const size_t bytes = strlen(line);
        memcpy(t->bytes + t->count, line, bytes);
        t->count += bytes;
        t->bytes[t->count++] = '\n';
    }
}

/* Pages of the output are filled, in parts that are some of them. */
static bool fills_pages;
static gs_write_way way; /* else it is written so */

static gs_ordered_copy run(const text *t, size_t part_bytes, bool is_backwards,
                           bool may_be_reversed)
{
    gs_status st = {.code = GS_OK};
    gs_ordered_copy result;
    REQUIRE(ftruncate(from, 0) == 0 && ftruncate(to, 0) == 0);
    REQUIRE(gs_pwrite_all(from, t->bytes, t->count, 0) == 0);
    const gs_ordered_copy_options options = {.from = from,
                                             .bytes = t->count,
                                             .to = to,
                                             .eol = '\n',
                                             .is_backwards = is_backwards,
                                             .may_be_reversed = may_be_reversed,
                                             .fills_pages = fills_pages,
                                             .way = way,
                                             .part_bytes = part_bytes,
                                             .team = team};
    REQUIRE_OK(gs_ordered_copy_run(&result, &options, &st), &st);
    return result;
}

static void has_come_out(const gs_ordered_copy *result, const text *expected,
                         size_t count, bool is_reversed)
{
    static char got[TEXT_MAX + 1];
    size_t n;
    REQUIRE(result->is_done);
    CHECK(result->is_reversed == is_reversed);
    CHECK(result->records == count && result->bytes == expected->count);
    REQUIRE(gs_pread_all(to, got, sizeof got, 0, &n) == 0);
    CHECK(n == expected->count && memcmp(got, expected->bytes, n) == 0);
}

static size_t some_part(uint64_t *state)
{
    if (fills_pages || way == GS_WRITE_DIRECT)
        return (1 + check_random(state) % 4) * 4096;
    return 4 * LINE_MAX_BYTES + check_random(state) % 4096;
}

/* All four ways: the order that is asked for, and the one that the file has. */
static void ordered_lines_come_out(uint64_t *state)
{
    static text in, expected;
    for (unsigned orders = 0; orders < 4; orders++) {
        const bool is_backwards = orders & 1, is_reversed = orders & 2;
        const size_t count = sorted_lines(state);
        put(&in, count, is_backwards != is_reversed);
        put(&expected, count, is_backwards);
        in.count -= check_random(state) % 2; /* the end of the last line */
        const bool lacks_line = in.count > 0 && in.bytes[in.count - 1] == '\n' &&
                                in.count + 1 == expected.count;
        if (lacks_line) /* of an empty one nothing is left */
            in.count++;
        const gs_ordered_copy result = run(&in, some_part(state), is_backwards, true);
        has_come_out(&result, &expected, count, is_reversed);
        if (is_reversed)
            CHECK(!run(&in, some_part(state), is_backwards, false).is_done);
    }
}

/* Two different neighbours change places, often where parts meet. */
static void disorder_is_seen(uint64_t *state)
{
    static text in;
    for (unsigned turn = 0; turn < 80; turn++) {
        const size_t count = sorted_lines(state);
        size_t at;
        do
            at = check_random(state) % (count - 1);
        while (strcmp(lines[at], lines[at + 1]) == 0);
        char swap[LINE_MAX_BYTES + 1];
        memcpy(swap, lines[at], sizeof swap);
        memcpy(lines[at], lines[at + 1], sizeof swap);
        memcpy(lines[at + 1], swap, sizeof swap);
        put(&in, count, turn % 2 == 0);
        const size_t part = 4 * LINE_MAX_BYTES + check_random(state) % 200;
        CHECK(!run(&in, part, turn % 3 == 0, true).is_done);
    }
}

/* A line in order that neither a part nor what is read before it can hold. */
static void long_lines_are_refused(uint64_t *state)
{
    static text in, rest;
    const size_t part = some_part(state) % 512 + 2 * LINE_MAX_BYTES, length = 3 * part;
    put(&rest, sorted_lines(state) / 4, true);
    memset(in.bytes, '~', length);
    in.bytes[length] = '\n';
    memcpy(in.bytes + length + 1, rest.bytes, rest.count);
    in.count = length + 1 + rest.count;
    CHECK(!run(&in, part, false, true).is_done);
    CHECK(run(&in, TEXT_MAX, false, true).is_done);
}

static int scratch_file(void)
{
    char path[] = "/tmp/test_ordered_copy.XXXXXX";
    const int fd = mkstemp(path);
    REQUIRE(fd >= 0 && unlink(path) == 0);
    return fd;
}

int main(void)
{
    uint64_t state = check_seed(5);
    gs_status st = {.code = GS_OK};
    from = scratch_file();
    to = scratch_file();
    REQUIRE_OK(gs_team_new(&team, 3, &st), &st);
    for (unsigned i = 0; i < check_often(60); i++)
        ordered_lines_come_out(&state);
    disorder_is_seen(&state);
    long_lines_are_refused(&state);
    way = GS_WRITE_DIRECT;
    for (unsigned i = 0; i < check_often(60); i++)
        ordered_lines_come_out(&state);
    (void)close(to);
    to = open("/dev/shm", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    fills_pages = to >= 0 && gs_file_pages_fit(to);
    for (unsigned i = 0; i < check_often(60) && fills_pages; i++)
        ordered_lines_come_out(&state);
    gs_team_free(team);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
