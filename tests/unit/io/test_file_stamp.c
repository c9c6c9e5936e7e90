/* SPDX-License-Identifier: MIT */
/*
 * file_stamp: what is written to a file is seen, however soon it comes after the last
 * change, and also if the times of the file are set back; what changes only its names,
 * its mode or where it lies is no change.
 */
#include "io/file_stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"

enum { WAIT_MS = 2500 };

static const char name[] = "file", text[] = "what was there first\n";

/* A file that was written this very moment. */
static int new_file(void)
{
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
    REQUIRE(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
    return fd;
}

static void write_byte(int fd)
{
    REQUIRE(pwrite(fd, "W", 1, 3) == 1);
}

static void append(int fd)
{
    REQUIRE(pwrite(fd, "more\n", 5, sizeof text - 1) == 5);
}

static void cut_off(int fd)
{
    REQUIRE(ftruncate(fd, sizeof text - 2) == 0);
}

static void write_and_set_back(int fd)
{
    struct stat info;
    REQUIRE(fstat(fd, &info) == 0);
    write_byte(fd);
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    REQUIRE(futimens(fd, times) == 0);
}

static void write_the_same(int fd)
{
    REQUIRE(pwrite(fd, text, sizeof text - 1, 0) == sizeof text - 1);
}

static void change_mode(int fd)
{
    REQUIRE(fchmod(fd, 0600) == 0);
}

static void add_name(int fd)
{
    (void)fd;
    REQUIRE(link(name, "second") == 0 && unlink("second") == 0);
    REQUIRE(link(name, "second") == 0);
}

static void move(int fd)
{
    (void)fd;
    REQUIRE(rename(name, "second") == 0);
}

static void take_name(int fd)
{
    (void)fd;
    REQUIRE(unlink(name) == 0);
}

static void only_look(int fd)
{
    char byte;
    REQUIRE(pread(fd, &byte, 1, 0) == 1);
}

static void is_told(void (*change)(int fd), bool is_change)
{
    gs_file_stamp stamp;
    const int fd = new_file();
    REQUIRE(gs_file_stamp_take(&stamp, fd, WAIT_MS));
    CHECK(stamp.bytes == sizeof text - 1);
    CHECK(gs_file_stamp_is_same(&stamp, fd) && gs_file_stamp_is_same_at(&stamp, name));
    change(fd); /* at once: in the same tick, had take not waited for the next */
    CHECK(gs_file_stamp_is_same(&stamp, fd) == !is_change && errno == 0);
    CHECK(gs_file_stamp_is_same_at(&stamp, name) == !is_change);
    (void)close(fd);
    (void)unlink(name);
    (void)unlink("second");
}

int main(void)
{
    char folder[] = "/tmp/gpusort-test-stamp-XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    for (unsigned i = 0; i < 20; i++) {
        is_told(write_byte, true);
        is_told(write_and_set_back, true);
        is_told(write_the_same, true);
    }
    is_told(append, true);
    is_told(cut_off, true);
    is_told(only_look, false);
    is_told(change_mode, false);
    is_told(add_name, false);
    is_told(move, false);
    is_told(take_name, false);
    gs_file_stamp stamp;
    CHECK(!gs_file_stamp_take(&stamp, -1, 0) && errno == EBADF);
    CHECK(!gs_file_stamp_is_same(&stamp, -1) && errno == EBADF);
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
    return check_result();
}
