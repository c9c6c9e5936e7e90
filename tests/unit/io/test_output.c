/* SPDX-License-Identifier: MIT */
/* output: whole under its name or not at all; links, modes and symlinks stay what they
 * are. */
#include "io/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

static void put(const char *name, const char *content, mode_t mode)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, mode);
    REQUIRE(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content));
    REQUIRE(fchmod(fd, mode) == 0);
    (void)close(fd);
}

static bool holds(const char *name, const char *content)
{
    char got[100] = "";
    const int fd = open(name, O_RDONLY);
    const ssize_t n = fd < 0 ? -1 : read(fd, got, sizeof got - 1);
    (void)close(fd);
    return n == (ssize_t)strlen(content) && strcmp(got, content) == 0;
}

/* Writes "new" (with a rounded-up tail) and commits or not. */
static void write_new(const char *path, bool commit)
{
    gs_status st = {.code = GS_OK};
    gs_output *o = NULL;
    REQUIRE_OK(gs_output_open(&o, path, NULL, &st), &st);
    CHECK(write(gs_output_fd(o), "new\0\0\0", 6) == 6);
    if (commit)
        REQUIRE_OK(gs_output_commit(o, 3, true, &st), &st);
    gs_output_free(o);
}

static unsigned count_files(void)
{
    unsigned n = 0;
    DIR *const dir = opendir(".");
    while (dir != NULL && readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n;
}

int main(void)
{
    struct stat info, link_info;
    gs_status st = {.code = GS_OK};
    gs_output *o = NULL;

    put("file", "old", 0640);
    const unsigned files = count_files();
    write_new("file", false);
    CHECK(holds("file", "old"));
    CHECK(count_files() == files);
    write_new("file", true);
    CHECK(holds("file", "new") && stat("file", &info) == 0 &&
          (info.st_mode & 0777) == 0640);
    CHECK(count_files() == files);

    put("file", "old", 0600);
    REQUIRE(link("file", "second") == 0);
    write_new("file", true);
    CHECK(holds("second", "new") && stat("second", &info) == 0 && info.st_nlink == 2);

    REQUIRE(symlink("second", "soft") == 0 && symlink("later", "dangling") == 0);
    REQUIRE(unlink("file") == 0);
    put("second", "old", 0600);
    write_new("soft", true);
    CHECK(lstat("soft", &link_info) == 0 && S_ISLNK(link_info.st_mode));
    CHECK(holds("second", "new"));
    write_new("dangling", true);
    CHECK(holds("later", "new"));

    put("bits", "old", 04600); /* another file would run as somebody else's */
    REQUIRE(stat("bits", &info) == 0);
    write_new("bits", true);
    CHECK(holds("bits", "new") && stat("bits", &link_info) == 0 &&
          link_info.st_ino == info.st_ino);

    write_new("/dev/null", true);
    CHECK(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    CHECK(gs_output_open(&o, "no/such", NULL, &st) == GS_ERR_IO && st.sys == ENOENT);
    CHECK(strcmp(st.msg, "open failed: no/such") == 0);
    gs_status_clear(&st);
    CHECK(gs_output_open(&o, ".", NULL, &st) == GS_ERR_IO && st.sys == EISDIR);
    gs_status_clear(&st);
    CHECK(gs_output_open(&o, "folder/", NULL, &st) == GS_ERR_IO && st.sys == EISDIR);
    for (uint64_t nth = 1; nth < 6; nth++) { /* no memory, at every place */
        gs_status_clear(&st);
        gs_mem_fail_nth(nth);
        if (gs_output_open(&o, "fresh", NULL, &st) == GS_OK)
            gs_output_free(o);
        gs_mem_fail_nth(0);
        CHECK(access("fresh", F_OK) != 0 && gs_mem_held_bytes() == 0);
    }
    return check_result();
}
