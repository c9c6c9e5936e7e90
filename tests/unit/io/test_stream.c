/* SPDX-License-Identifier: MIT */
/*
 * stream: bytes must land in the order of the tickets, whoever fills them when, on files
 * and pipes, and a failure must reach everybody instead of leaving them waiting.
 */
#define CHECK_STARTS_THREADS

#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/file_pages.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "tests/check.h"

enum { BLOCK = 4096, WINDOW = 3, PIECES = 400, WORKERS = 3, TOTAL_MAX = 4 << 20 };

static uint8_t expected[TOTAL_MAX], got[TOTAL_MAX];
static size_t piece_at[PIECES + 1];

typedef struct job {
    gs_stream *stream;
    atomic_size_t next;
    int fail_at;
} job;

/* Pieces in two reservations, of very different lengths, some longer than the window. */
static gs_code fill(void *context, unsigned worker, gs_status *st)
{
    job *const j = context;
    (void)worker;
    for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < PIECES;) {
        if ((int)i == j->fail_at) {
            (void)GS_FAIL(st, GS_ERR_ARG, 0, "piece %zu", i);
            gs_stream_abort(j->stream, st);
            return st->code;
        }
        const size_t bytes = piece_at[i + 1] - piece_at[i], half = bytes / 2;
        uint64_t at = 0;
        GS_TRY(gs_stream_reserve(j->stream, i, half, false, &at, st));
        CHECK(at == piece_at[i]);
        GS_TRY(gs_stream_put(j->stream, at, expected + at, half, st));
        GS_TRY(gs_stream_reserve(j->stream, i, bytes - half, true, &at, st));
        GS_TRY(gs_stream_put(j->stream, at, expected + at, bytes - half, st));
    }
    return GS_OK;
}

static void *drain(void *arg)
{
    size_t at = 0;
    ssize_t n;
    while ((n = read(*(int *)arg, got + at, sizeof got - at)) > 0)
        at += (size_t)n;
    return NULL;
}

static gs_code run(const gs_stream_target *target, int fail_at, uint64_t *total,
                   gs_status *st)
{
    job j = {.fail_at = fail_at};
    gs_team *team = NULL;
    REQUIRE_OK(gs_team_new(&team, WORKERS, st), st);
    gs_stream_target summed = *target;
    if (!target->fills_pages && !target->puts_write) {
        summed.sum = XXH3_createState();
        REQUIRE(summed.sum != NULL && XXH3_64bits_reset(summed.sum) == XXH_OK);
    }
    REQUIRE_OK(gs_stream_new(&j.stream, &summed, BLOCK, WINDOW, st), st);
    GS_NOTED(gs_team_run(team, fill, &j, st));
    GS_NOTED(gs_stream_finish(j.stream, total, st));
    if (summed.sum != NULL && st->code == GS_OK)
        CHECK(XXH3_64bits_digest(summed.sum) == XXH3_64bits(expected, *total));
    (void)XXH3_freeState(summed.sum);
    gs_stream_free(j.stream);
    gs_team_free(team);
    return st->code;
}

/* All pieces are in the file, from `offset` on. */
static void check_landed(int fd, uint64_t offset, uint64_t total)
{
    CHECK(total == piece_at[PIECES]);
    memset(got, 0, sizeof got);
    CHECK(pread(fd, got, total, (off_t)offset) == (ssize_t)total);
    CHECK(memcmp(got, expected, total) == 0);
}

static void lands_in_a_file(bool direct, uint64_t offset)
{
    gs_status st = {.code = GS_OK};
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const gs_stream_target target = {.fd = fd,
                                     .is_seekable = true,
                                     .try_direct = direct,
                                     .offset = offset,
                                     .failure = "write failed"};
    uint64_t total = 0;
    REQUIRE_OK(run(&target, -1, &total, &st), &st);
    check_landed(fd, offset, total);
    (void)close(fd);
}

/* By whoever puts them, without blocks; and a file that may grow no more. */
static void lands_without_blocks(uint64_t offset)
{
    gs_status st = {.code = GS_OK};
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const gs_stream_target target = {.fd = fd,
                                     .is_seekable = true,
                                     .puts_write = true,
                                     .offset = offset,
                                     .failure = "write failed: put"};
    struct rlimit before;
    uint64_t total = 0;
    REQUIRE_OK(run(&target, -1, &total, &st), &st);
    check_landed(fd, offset, total);
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0 && ftruncate(fd, 0) == 0);
    struct rlimit small = {TOTAL_MAX / 64, before.rlim_max};
    (void)signal(SIGXFSZ, SIG_IGN);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CHECK(run(&target, -1, &total, &st) == GS_ERR_IO);
    CHECK(st.sys == EFBIG && strcmp(st.msg, "write failed: put") == 0);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    gs_status_clear(&st);
    (void)close(fd);
}

/* A file in memory whose pages are filled, one that has a length and content already, and
 * nothing is left of that. */
static void lands_in_pages(bool has_more)
{
    gs_status st = {.code = GS_OK};
    const int fd = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
    const gs_stream_target target = {
        .fd = fd, .is_seekable = true, .fills_pages = true, .failure = "write failed"};
    struct stat info;
    uint64_t total = 0;
    if (fd < 0 || !gs_file_pages_fit(fd)) {
        (void)close(fd);
        return; /* no such file system here */
    }
    if (has_more)
        REQUIRE(pwrite(fd, expected, 5000, 3000) == 5000 &&
                ftruncate(fd, TOTAL_MAX) == 0);
    REQUIRE_OK(run(&target, -1, &total, &st), &st);
    CHECK(fstat(fd, &info) == 0 &&
          (uint64_t)info.st_size == (has_more ? TOTAL_MAX : total));
    check_landed(fd, 0, total);
    (void)close(fd);
}

/* Pages that somebody else takes meanwhile: all of them, or not even those that come. */
static void lands_in_pages_taken(uint64_t bytes)
{
    gs_status st = {.code = GS_OK};
    const int fd = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
    gs_stream_target target = {
        .fd = fd, .is_seekable = true, .fills_pages = true, .failure = "write failed"};
    uint64_t total = 0;
    if (fd >= 0 && gs_file_pages_fit(fd)) {
        gs_file_space_begin(&target.space, fd, bytes);
        REQUIRE_OK(run(&target, -1, &total, &st), &st);
        gs_file_space_end(target.space);
        check_landed(fd, 0, total);
    }
    (void)close(fd);
}

/* From somewhere on in a file, behind what is there and stays. */
static void lands_in_pages_behind(uint64_t begin)
{
    gs_status st = {.code = GS_OK};
    const int fd = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
    const gs_stream_target target = {.fd = fd,
                                     .is_seekable = true,
                                     .fills_pages = true,
                                     .offset = begin,
                                     .failure = "write failed"};
    struct stat info;
    uint64_t total = 0;
    if (fd >= 0 && gs_file_pages_fit(fd)) {
        REQUIRE(pwrite(fd, expected, 4096, (off_t)begin - 4096) == 4096);
        REQUIRE_OK(run(&target, -1, &total, &st), &st);
        CHECK(total == piece_at[PIECES]);
        CHECK(fstat(fd, &info) == 0 && (uint64_t)info.st_size == begin + total);
        CHECK(pread(fd, got, 4096, (off_t)begin - 4096) == 4096);
        CHECK(memcmp(got, expected, 4096) == 0);
        check_landed(fd, begin, total);
    }
    (void)close(fd);
}

/* A file that may grow no more, and a disk that is full: both are failed writes, no
 * signals. */
static void pages_that_are_refused(void)
{
    gs_status st = {.code = GS_OK};
    uint64_t total;
    const int fd = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
    const gs_stream_target target = {.fd = fd,
                                     .is_seekable = true,
                                     .fills_pages = true,
                                     .failure = "write failed: pages"};
    struct rlimit before;
    REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    struct rlimit small = {TOTAL_MAX / 64, before.rlim_max};
    if (fd >= 0 && gs_file_pages_fit(fd)) {
        (void)signal(SIGXFSZ, SIG_IGN);
        REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
        CHECK(run(&target, -1, &total, &st) == GS_ERR_IO);
        CHECK(st.sys == EFBIG && strcmp(st.msg, "write failed: pages") == 0);
        REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
        gs_status_clear(&st);
    }
    (void)close(fd);
    if (mkdir("small", 0700) != 0 ||
        mount("tmpfs", "small", "tmpfs", 0, "size=256k") != 0)
        return; /* for root only */
    gs_stream_target full = target;
    full.fd = open("small", O_RDWR | O_TMPFILE, 0600);
    REQUIRE(full.fd >= 0 && gs_file_pages_fit(full.fd));
    CHECK(run(&full, -1, &total, &st) == GS_ERR_IO);
    CHECK(st.sys == ENOSPC && strncmp(st.msg, "write failed: pages", 19) == 0);
    gs_status_clear(&st);
    (void)close(full.fd);
    CHECK(umount("small") == 0 && rmdir("small") == 0);
}

static void lands_in_a_pipe(unsigned lanes)
{
    gs_status st = {.code = GS_OK};
    int ends[2];
    pthread_t reader;
    REQUIRE(pipe(ends) == 0);
    const int before = fcntl(ends[0], F_GETPIPE_SZ);
    memset(got, 0, sizeof got);
    pthread_create(&reader, NULL, drain, &ends[0]);
    const gs_stream_target target = {
        .fd = ends[1], .pipe_lanes = lanes, .failure = "write failed"};
    uint64_t total = 0;
    REQUIRE_OK(run(&target, -1, &total, &st), &st);
    (void)close(ends[1]);
    pthread_join(reader, NULL);
    CHECK(fcntl(ends[0], F_GETPIPE_SZ) > before || before >= 1 << 20);
    (void)close(ends[0]);
    CHECK(memcmp(got, expected, total) == 0);
}

/* Where the caller does not want to end by it. */
static void a_closed_pipe_is_a_failed_write(unsigned lanes)
{
    gs_status st = {.code = GS_OK};
    int ends[2];
    uint64_t total;
    REQUIRE(pipe(ends) == 0);
    (void)close(ends[0]);
    const gs_stream_target target = {
        .fd = ends[1], .pipe_lanes = lanes, .failure = "write failed: pipe"};
    CHECK(run(&target, -1, &total, &st) == GS_ERR_IO);
    CHECK(st.sys == EPIPE && strcmp(st.msg, "write failed: pipe") == 0);
    (void)close(ends[1]);
    gs_status_clear(&st);
}

/* Whoever goes on behind a failure leaves out what was told as written. */
static void what_is_told_is_in_the_pipe(void)
{
    enum { BLOCKS = 40 };
    gs_status st = {.code = GS_OK}, why = {.code = GS_OK};
    int ends[2];
    uint64_t at, total;
    gs_stream *stream;
    REQUIRE(pipe(ends) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) == 1 << 20);
    const gs_stream_target target = {.fd = ends[1], .pipe_lanes = 2, .failure = "failed"};
    REQUIRE_OK(gs_stream_new(&stream, &target, BLOCK, WINDOW, &st), &st);
    REQUIRE_OK(gs_stream_reserve(stream, 0, BLOCKS * BLOCK, false, &at, &st), &st);
    REQUIRE_OK(gs_stream_put(stream, at, expected, BLOCKS * BLOCK, &st), &st);
    (void)GS_FAIL(&why, GS_ERR_GPU, 0, "it is gone");
    gs_stream_abort(stream, &why);
    CHECK(gs_stream_finish(stream, &total, &st) == GS_ERR_GPU);
    const uint64_t told = gs_stream_bytes_written(stream);
    CHECK(told >= (BLOCKS - WINDOW) * BLOCK);
    gs_stream_free(stream);
    (void)close(ends[1]);
    CHECK(read(ends[0], got, sizeof got) >= (ssize_t)told);
    CHECK(memcmp(got, expected, told) == 0);
    (void)close(ends[0]);
    gs_status_clear(&st);
    gs_status_clear(&why);
}

typedef struct taker {
    size_t at, fail_at;
} taker;

static gs_code take(void *context, const uint8_t *data, size_t bytes, gs_status *st)
{
    taker *const t = context;
    if (t->at + bytes > t->fail_at)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "no more");
    memcpy(got + t->at, data, bytes);
    t->at += bytes;
    return GS_OK;
}

/* Somebody gets the bytes in order; what he has against them is the stream's failure. */
static void somebody_takes_it(void)
{
    taker t = {.fail_at = SIZE_MAX};
    const gs_stream_target target = {.fd = -1, .take = take, .take_context = &t};
    gs_status st = {.code = GS_OK};
    uint64_t total = 0;
    memset(got, 0, sizeof got);
    REQUIRE_OK(run(&target, -1, &total, &st), &st);
    CHECK(total == piece_at[PIECES] && t.at == total);
    CHECK(memcmp(got, expected, t.at) == 0);
    t = (taker){.fail_at = t.at / 2};
    CHECK(run(&target, -1, &total, &st) == GS_ERR_FORMAT);
    CHECK(strcmp(st.msg, "no more") == 0);
    gs_status_clear(&st);
    /* And only what an earlier try has not given. */
    t = (taker){.at = piece_at[PIECES] / 2, .fail_at = SIZE_MAX};
    const gs_stream_target rest = {
        .fd = -1, .take = take, .take_context = &t, .skip_bytes = t.at};
    memset(got + t.at, 0, sizeof got - t.at);
    memcpy(got, expected, t.at);
    REQUIRE_OK(run(&rest, -1, &total, &st), &st);
    CHECK(t.at == total && memcmp(got, expected, total) == 0);
}

static void failures_reach_everybody(void)
{
    gs_status st = {.code = GS_OK};
    uint64_t total;
    const int full = open("/dev/full", O_WRONLY);
    const gs_stream_target device = {.fd = full, .failure = "write failed: full"};
    CHECK(run(&device, -1, &total, &st) == GS_ERR_IO);
    CHECK(st.sys == ENOSPC && strcmp(st.msg, "write failed: full") == 0);
    (void)close(full);
    gs_status_clear(&st);
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    const gs_stream_target target = {
        .fd = fd, .is_seekable = true, .failure = "write failed"};
    CHECK(run(&target, 37, &total, &st) == GS_ERR_ARG);
    (void)close(fd);
}

int main(void)
{
    uint64_t state = check_seed(21);
    for (size_t i = 0; i < PIECES; i++) {
        const uint64_t r = check_random(&state);
        const size_t bytes = r % 10 == 0   ? 0
                             : r % 17 == 0 ? (r >> 20) % 60000
                                           : (r >> 20) % 6000;
        piece_at[i + 1] = piece_at[i] + bytes;
    }
    REQUIRE(piece_at[PIECES] < TOTAL_MAX);
    for (size_t i = 0; i < TOTAL_MAX; i++)
        expected[i] = (uint8_t)check_random(&state);
    for (unsigned i = 0; i < 3; i++) {
        lands_in_a_file(false, 0);
        lands_without_blocks(0);
        lands_without_blocks(4097);
        lands_in_a_file(false, 1234);
        lands_in_a_file(true, 0);
        lands_in_a_file(true, 8192);
        lands_in_pages(false);
        lands_in_pages(true);
        lands_in_pages_taken(TOTAL_MAX);
        lands_in_pages_taken(piece_at[PIECES] / 3);
        lands_in_pages_behind(4096);
        lands_in_pages_behind(40960);
        for (unsigned lanes = 0; lanes <= 4; lanes += 2) {
            lands_in_a_pipe(lanes);
            a_closed_pipe_is_a_failed_write(lanes);
        }
        what_is_told_is_in_the_pipe();
        somebody_takes_it();
        failures_reach_everybody();
    }
    pages_that_are_refused();
    CHECK(gs_mem_held_bytes() == 0);
    (void)unlink("file");
    return check_result();
}
