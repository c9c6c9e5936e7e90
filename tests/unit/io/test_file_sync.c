/* SPDX-License-Identifier: MIT */
/*
 * file_sync: what a sync may fail with is said by one rule, whatever is synced; a name is
 * synced in the folder that it is in, and with the whole file system where nobody may
 * read that folder. A promise that is not kept costs the result at the next power cut.
 */
#include "io/file_sync.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/journal.h"
#include "tests/check.h"

/* --- the system, watched ----------------------------------------------------------- */

static int sync_error;                /* of all syncs; 0: they work */
static int folder_error, other_error; /* of opening a folder as such, and the rest */
static ino_t synced_file, synced_around;
static unsigned data_syncs;

static int end_sync(int fd, ino_t *synced)
{
    struct stat info;
    REQUIRE(fstat(fd, &info) == 0);
    *synced = info.st_ino;
    errno = sync_error;
    return sync_error == 0 ? 0 : -1;
}

int fsync(int fd)
{
    return end_sync(fd, &synced_file);
}

int fdatasync(int fd)
{
    data_syncs++;
    return end_sync(fd, &synced_file);
}

int syncfs(int fd)
{
    return end_sync(fd, &synced_around);
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    const int error = flags & O_DIRECTORY ? folder_error : other_error;
    if (error != 0) {
        errno = error;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

static ino_t file_of(const char *path)
{
    struct stat info;
    REQUIRE(stat(path, &info) == 0);
    return info.st_ino;
}

/* --- the tests ---------------------------------------------------------------------- */

/* What each way to sync makes of an error of the system. */
static void check_error(int error, int expected)
{
    const int fd = open("folder/file", O_RDONLY);
    REQUIRE(fd >= 0);
    sync_error = error;
    CHECK(gs_file_sync(fd) == expected);
    CHECK(gs_data_sync(fd) == expected);
    CHECK(gs_name_sync("folder/file") == expected);
    folder_error = EACCES;
    CHECK(gs_name_sync("folder/file") == expected);
    folder_error = sync_error = 0;
    (void)close(fd);
}

static void one_rule_for_all(void)
{
    check_error(0, 0);
    check_error(EINVAL, 0);
    check_error(EIO, EIO);
    check_error(ENOSPC, ENOSPC);
    check_error(EDQUOT, EDQUOT);
    check_error(EROFS, EROFS);
}

/* A record of a journal is as durable as all else, and no more than that. */
static void the_journal_has_it_too(void)
{
    static const int errors[] = {0, EINVAL, EROFS, EIO};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        gs_status st = {.code = GS_OK};
        gs_journal *j = NULL;
        REQUIRE_OK(gs_journal_open(&j, "journal", &st), &st);
        data_syncs = 0;
        sync_error = errors[i];
        const bool is_kept = gs_journal_append(j, 1, "abc", 3, &st) == GS_OK;
        sync_error = 0;
        CHECK(is_kept == (errors[i] == 0 || errors[i] == EINVAL) && data_syncs == 1);
        CHECK(is_kept || st.sys == errors[i]);
        gs_journal_close(j);
        REQUIRE(unlink("journal") == 0);
    }
}

static void check_parent(const char *path, const char *parent)
{
    synced_file = 0;
    CHECK(gs_name_sync(path) == 0);
    CHECK(synced_file == file_of(parent));
}

static void names_are_in_their_folder(void)
{
    check_parent("folder", ".");
    check_parent("folder//", ".");
    check_parent("./folder", ".");
    check_parent("folder/file", "folder");
    check_parent("folder//file", "folder");
    check_parent("folder/inner/", "folder");
    check_parent("/tmp", "/");
    char longest[1 << 13];
    memset(longest, 'a', sizeof longest);
    for (size_t i = 1; i < sizeof longest; i += 100)
        longest[i] = '/';
    longest[sizeof longest - 1] = '\0';
    CHECK(gs_name_sync(longest) == ENAMETOOLONG);
}

static void folders_that_nobody_may_read(void)
{
    folder_error = EACCES;
    synced_file = synced_around = 0;
    CHECK(gs_name_sync("folder/file") == 0);
    CHECK(synced_file == 0 && synced_around == file_of("folder/file"));
    CHECK(gs_name_sync("folder/inner/") == 0 && synced_around == file_of("folder/inner"));
    CHECK(gs_name_sync("folder/none") == ENOENT);
    other_error = EACCES; /* nor what is in them: then it is told */
    CHECK(gs_name_sync("folder/file") == EACCES);
    other_error = 0;
    folder_error = EMFILE; /* it could be read, and is not known to be synced */
    synced_around = 0;
    CHECK(gs_name_sync("folder/file") == EMFILE && synced_around == 0);
    folder_error = 0;
}

int main(void)
{
    REQUIRE(mkdir("folder", 0700) == 0 && mkdir("folder/inner", 0700) == 0);
    const int fd = open("folder/file", O_CREAT | O_WRONLY, 0600);
    REQUIRE(fd >= 0 && close(fd) == 0);
    one_rule_for_all();
    the_journal_has_it_too();
    names_are_in_their_folder();
    folders_that_nobody_may_read();
    return check_result();
}
