/* SPDX-License-Identifier: MIT */
/*
 * pipe_relay: what is written comes out in order, however many lanes there are and
 * however little each splice moves; where splice is refused, now or half-way, it comes
 * out too.
 */
#define CHECK_STARTS_THREADS

#include "io/pipe_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/check.h"

enum { TOTAL = 9 << 20, SIZES = 5 };

static uint8_t expected[TOTAL], got[TOTAL + 1];

/* --- the system -------------------------------------------------------------------- */

static int splices_left = -1; /* until it is refused; -1: it is not */
static int refusal;
static int pipes_left = -1;
static int pipe_room;                 /* that a pipe may have; 0: what it asks for */
static size_t splice_most = SIZE_MAX; /* bytes by one call */
static unsigned splices;

ssize_t splice(int from, off64_t *from_at, int to, off64_t *to_at, size_t bytes,
               unsigned flags)
{
    splices++;
    if (splices_left == 0) {
        errno = refusal;
        return -1;
    }
    splices_left -= splices_left > 0;
    return syscall(SYS_splice, from, from_at, to, to_at,
                   bytes < splice_most ? bytes : splice_most, flags);
}

int pipe2(int ends[2], int flags)
{
    if (pipes_left == 0) {
        errno = EMFILE;
        return -1;
    }
    pipes_left -= pipes_left > 0;
    return (int)syscall(SYS_pipe2, ends, flags);
}

int fcntl(int fd, int what, ...)
{
    va_list rest;
    va_start(rest, what);
    const long value = va_arg(rest, long);
    va_end(rest);
    if (what == F_SETPIPE_SZ && pipe_room > 0) {
        errno = EPERM;
        return -1;
    }
    const int found = (int)syscall(SYS_fcntl, fd, what, value);
    return what == F_GETPIPE_SZ && pipe_room > 0 ? pipe_room : found;
}

/* --- who reads --------------------------------------------------------------------- */

typedef struct reader {
    int fd;
    size_t bytes;
    size_t at_once;
    pthread_t thread;
} reader;

static void *drain(void *context)
{
    reader *const r = context;
    ssize_t n = 1;
    while (n > 0) {
        const size_t room = sizeof got - r->bytes;
        n = read(r->fd, got + r->bytes, r->at_once < room ? r->at_once : room);
        r->bytes += n > 0 ? (size_t)n : 0;
    }
    return NULL;
}

/* Nothing more comes; and what has come is all. */
static void has_read_all(reader *r, gs_pipe_relay *relay, int write_end)
{
    CHECK(gs_pipe_relay_flush(relay) == 0 && gs_pipe_relay_flush(relay) == 0);
    gs_pipe_relay_free(relay);
    (void)close(write_end);
    pthread_join(r->thread, NULL);
    (void)close(r->fd);
    CHECK(r->bytes == TOTAL && memcmp(got, expected, TOTAL) == 0);
}

/* Writes all by pieces of different lengths, some longer than a lane, to a pipe of which
 * somebody reads so much at once. */
static void comes_out(unsigned lanes, size_t at_once, int flags)
{
    static const size_t sizes[SIZES] = {3, 1 << 20, 700001, 4096, (5 << 20) + 17};
    int ends[2];
    REQUIRE(syscall(SYS_pipe2, ends, 0) == 0);
    REQUIRE(fcntl(ends[1], F_SETFL, flags) == 0);
    reader r = {.fd = ends[0], .at_once = at_once};
    memset(got, 0, sizeof got);
    gs_pipe_relay *const relay = gs_pipe_relay_new(ends[1], lanes);
    REQUIRE(relay != NULL);
    REQUIRE(pthread_create(&r.thread, NULL, drain, &r) == 0);
    size_t at = 0;
    for (unsigned i = 0; at < TOTAL; i++) {
        const size_t size = sizes[i % SIZES], n = size < TOTAL - at ? size : TOTAL - at;
        CHECK(gs_pipe_relay_write(relay, expected + at, n) == 0);
        at += n;
        if (i % 3 == 2)
            CHECK(gs_pipe_relay_flush(relay) == 0);
    }
    has_read_all(&r, relay, ends[1]);
}

static void in_order(void)
{
    for (unsigned lanes = 1; lanes <= 5; lanes++)
        comes_out(lanes, sizeof got, 0);
    comes_out(3, 777, 0);
    comes_out(2, 100000, O_NONBLOCK);
    splice_most = 5000;
    comes_out(2, 100000, 0);
    splice_most = SIZE_MAX;
    CHECK(splices > 100);
}

/* The data may be used again as soon as it was taken. */
static void data_is_free(void)
{
    static uint8_t block[1 << 20];
    int ends[2];
    REQUIRE(syscall(SYS_pipe2, ends, 0) == 0);
    reader r = {.fd = ends[0], .at_once = sizeof got};
    gs_pipe_relay *const relay = gs_pipe_relay_new(ends[1], 4);
    REQUIRE(relay != NULL && pthread_create(&r.thread, NULL, drain, &r) == 0);
    for (size_t at = 0; at < TOTAL; at += sizeof block) {
        memcpy(block, expected + at, sizeof block);
        CHECK(gs_pipe_relay_write(relay, block, sizeof block) == 0);
        memset(block, 0, sizeof block);
    }
    has_read_all(&r, relay, ends[1]);
}

static void refused(void)
{
    static const int refusals[] = {EINVAL, ENOSYS, EPERM};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        refusal = refusals[i];
        for (splices_left = 0; splices_left < 5;) {
            const int left = splices_left;
            const unsigned before = splices;
            comes_out(3, 65536, 0);
            CHECK(splices - before == (unsigned)left + 1); /* it is not asked again */
            splices_left = left + 1;
        }
    }
    splices_left = -1;
}

static void some_lanes_or_none(void)
{
    int ends[2];
    REQUIRE(syscall(SYS_pipe2, ends, 0) == 0);
    pipes_left = 0;
    CHECK(gs_pipe_relay_new(ends[1], 4) == NULL);
    pipes_left = 2;
    comes_out(4, sizeof got, 0);
    CHECK(pipes_left == 0);
    pipes_left = -1;
    pipe_room = 65536; /* of a user who has many */
    CHECK(gs_pipe_relay_new(ends[1], 4) == NULL);
    pipe_room = 0;
    const int file = open("no_pipe", O_CREAT | O_RDWR, 0600);
    REQUIRE(file >= 0);
    CHECK(gs_pipe_relay_new(file, 4) == NULL && gs_pipe_relay_new(-1, 4) == NULL);
    CHECK(gs_pipe_relay_new(ends[1], 0) == NULL);
    (void)close(file);
    (void)unlink("no_pipe");
    (void)close(ends[0]);
    (void)close(ends[1]);
    gs_pipe_relay_free(NULL);
}

/* What failed once fails again, and nobody waits. */
static void who_reads_goes(void)
{
    int ends[2];
    REQUIRE(syscall(SYS_pipe2, ends, 0) == 0);
    gs_pipe_relay *const relay = gs_pipe_relay_new(ends[1], 2);
    REQUIRE(relay != NULL);
    CHECK(gs_pipe_relay_write(relay, expected, 1000) == 0);
    (void)close(ends[0]);
    CHECK(gs_pipe_relay_write(relay, expected, TOTAL) == EPIPE);
    CHECK(gs_pipe_relay_write(relay, expected, 1) == EPIPE);
    CHECK(gs_pipe_relay_flush(relay) == EPIPE);
    gs_pipe_relay_free(relay);
    (void)close(ends[1]);
}

int main(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    for (size_t i = 0; i < TOTAL; i++)
        expected[i] = (uint8_t)(i * 31 + (i >> 12) + 1);
    in_order();
    data_is_free();
    refused();
    some_lanes_or_none();
    who_reads_goes();
    return check_result();
}
