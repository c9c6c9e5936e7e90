/* SPDX-License-Identifier: MIT */
/*
 * file_space: taken beside what is written, it must be there without changing a byte, and
 * stop when told to; a refusal must leave the file usable.
 */
#define CHECK_STARTS_THREADS

#include "io/file_space.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "io/file_look.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { BYTES = 40 << 20, PLACES = 500 };

/* What is written while space is taken stays, and all of the rest is zeros. */
static void takes_space_beside_writes(const char *folder, uint64_t *state)
{
    static uint8_t wanted[BYTES], got[BYTES];
    const int fd = open(folder, O_RDWR | O_TMPFILE, 0600);
    struct stat info;
    gs_file_space *space = NULL;
    if (fd < 0)
        return;
    memset(wanted, 0, sizeof wanted);
    gs_file_space_begin(&space, fd, BYTES);
    for (unsigned i = 0; i < PLACES; i++) {
        const size_t at = (size_t)check_random(state) % (BYTES - 8);
        const uint64_t value = check_random(state);
        memcpy(wanted + at, &value, sizeof value);
        REQUIRE(pwrite(fd, &value, sizeof value, (off_t)at) == sizeof value);
    }
    /* It ends when it is done, which shows by what the file takes. */
    for (unsigned i = 0; space != NULL && i < 2000; i++) {
        if (fstat(fd, &info) == 0 && info.st_blocks >= BYTES / 512)
            break;
        (void)usleep(1000);
    }
    gs_file_space_stop(space);
    gs_file_space_end(space);
    CHECK(fstat(fd, &info) == 0 && info.st_blocks >= BYTES / 512);
    memset(got, 0xff, sizeof got);
    REQUIRE(pread(fd, got, BYTES, 0) > 0);
    CHECK(memcmp(got, wanted, (size_t)info.st_size) == 0);
    (void)close(fd);
}

static void ends_early(void)
{
    const int fd = open("/dev/shm", O_RDWR | O_TMPFILE, 0600);
    gs_file_space *space = NULL;
    struct stat info;
    if (fd < 0 || !gs_look_is_in_memory(fd) ||
        gs_file_space_free(fd) / 2 < (uint64_t)1 << 30) {
        (void)close(fd);
        return;
    }
    gs_file_space_begin(&space, fd, (uint64_t)1 << 30);
    gs_file_space_stop(space);
    CHECK(fstat(fd, &info) == 0 && info.st_size == 1 << 30);
    CHECK(info.st_blocks < (1 << 30) / 512);
    const blkcnt_t taken = info.st_blocks; /* and no more when it was stopped */
    (void)usleep(2000);
    gs_file_space_stop(space);
    CHECK(fstat(fd, &info) == 0 && info.st_blocks == taken);
    gs_file_space_end(space);
    CHECK(ftruncate(fd, 0) == 0);
    (void)close(fd);
}

static void knows_what_is_free(void)
{
    const int fd = open(".", O_RDWR | O_TMPFILE, 0600);
    struct statvfs system;
    CHECK(fd < 0 || gs_file_space_free(fd) > 0);
    if (fd >= 0 && fstatvfs(fd, &system) == 0)
        CHECK(gs_file_space_free(fd) <= system.f_blocks * system.f_frsize);
    CHECK(gs_file_space_free(-1) == 0);
    if (fd >= 0)
        (void)close(fd);
    gs_file_space *space = NULL;
    gs_file_space_begin(&space, -1, 0);
    gs_file_space_stop(space);
    gs_file_space_end(space);
}

/* Where nothing can be taken nobody waits for ever. */
static void is_refused(void)
{
    const int fd = open("/proc/self/exe", O_RDONLY);
    gs_file_space *space = NULL;
    gs_file_space_begin(&space, fd, 1 << 20);
    gs_file_space_stop(space);
    gs_file_space_end(space);
    (void)close(fd);
}

int main(void)
{
    uint64_t state = check_seed(23);
    takes_space_beside_writes("/dev/shm", &state);
    takes_space_beside_writes(".", &state);
    ends_early();
    knows_what_is_free();
    is_refused();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
