/* SPDX-License-Identifier: MIT */
/* spill: extents follow each other, folders take turns, no name is ever to be seen. */
#define CHECK_STARTS_THREADS

#include "io/spill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

static unsigned count_names(const char *folder)
{
    unsigned n = 0;
    DIR *const dir = opendir(folder);
    while (dir != NULL && readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n;
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    gs_spill *s = NULL;
    REQUIRE(mkdir("a", 0700) == 0 && mkdir("b", 0700) == 0);
    const char *const folders[] = {"a", "b"};
    REQUIRE_OK(gs_spill_new(&s, folders, 2, &st), &st);
    gs_spill_extent first, second, third;
    REQUIRE_OK(gs_spill_extent_open(s, &first, &st), &st);
    REQUIRE_OK(gs_spill_extent_open(s, &second, &st), &st);
    CHECK(first.folder != second.folder && first.fd != second.fd);
    CHECK(gs_spill_extent_open(s, &third, &st) == GS_ERR_ARG); /* both are open */
    gs_status_clear(&st);
    gs_spill_extent_close(s, &first, 5000);
    REQUIRE_OK(gs_spill_extent_open(s, &third, &st), &st);
    CHECK(third.fd == first.fd && third.offset == 8192 && first.bytes == 8192);
    gs_spill_extent_close(s, &second, 0);
    gs_spill_extent_close(s, &third, 1);
    CHECK(second.bytes == 0 && third.bytes == 4096);
    CHECK(count_names("a") == 2 && count_names("b") == 2); /* . and .. */
    struct stat info;
    CHECK(fstat(first.fd, &info) == 0 && info.st_nlink == 0 &&
          (info.st_mode & 0777) == 0600);
    CHECK(!gs_spill_is_space_short(s, 0) && gs_spill_is_space_short(s, UINT64_MAX));
    gs_spill_extent_drop(s, &first);
    int fd = -1;
    const char *folder = NULL;
    REQUIRE_OK(gs_spill_file_new(s, &fd, &folder, &st), &st);
    CHECK(strcmp(folder, "b") == 0);
    CHECK(fstat(fd, &info) == 0 && info.st_nlink == 0);
    (void)close(fd);
    gs_spill_free(s);

    REQUIRE_OK(gs_spill_new(&s, folders, 2, &st), &st);
    gs_spill_stay_cached(s);
    REQUIRE_OK(gs_spill_extent_open(s, &first, &st), &st);
    CHECK(!first.is_direct && (fcntl(first.fd, F_GETFL) & O_DIRECT) == 0);
    gs_spill_extent_close(s, &first, 0);
    gs_spill_free(s);

    const char *const missing[] = {"not/there"};
    REQUIRE_OK(gs_spill_new(&s, missing, 1, &st), &st);
    CHECK(gs_spill_extent_open(s, &first, &st) == GS_ERR_IO && st.sys == ENOENT);
    CHECK(strstr(st.msg, "'not/there'") != NULL && st.hint != NULL);
    gs_spill_free(s);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
