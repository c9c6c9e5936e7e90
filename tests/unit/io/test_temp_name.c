/* SPDX-License-Identifier: MIT */
/* temp_name: a name that can be guessed, or a link that waits under it, gives a user's
 * bytes away. */
#include "io/temp_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check.h"

enum { DRAWS = 2000, LETTERS = 62 };

/* Every letter comes at every place, and no name is that before it. */
static void draws_differ(void)
{
    unsigned seen[GS_TEMP_NAME_TAIL][256] = {{0}};
    char name[] = "out.XXXXXX", before[sizeof name] = "";
    for (size_t i = 0; i < DRAWS; i++) {
        gs_temp_name_draw(name);
        CHECK(strncmp(name, "out.", 4) == 0 && strlen(name) == 10);
        CHECK(strcmp(name, before) != 0);
        memcpy(before, name, sizeof name);
        for (size_t at = 0; at < GS_TEMP_NAME_TAIL; at++)
            seen[at][(unsigned char)name[4 + at]]++;
    }
    for (size_t at = 0; at < GS_TEMP_NAME_TAIL; at++) {
        unsigned letters = 0;
        for (size_t c = 0; c < 256; c++)
            letters += seen[at][c] > 0;
        CHECK(letters == LETTERS);
    }
}

/* The mode is what the umask leaves of it, as of any other file. */
static void umask_counts(void)
{
    struct stat info;
    char file[] = "file.XXXXXX", folder[] = "folder.XXXXXX";
    const mode_t before = umask(027);
    const int fd = gs_temp_name_open(file, 0666);
    REQUIRE(fd >= 0 && fstat(fd, &info) == 0);
    CHECK((info.st_mode & 07777) == 0640);
    CHECK((fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(close(fd) == 0 && unlink(file) == 0);
    REQUIRE(gs_temp_name_make_folder(folder, 0777) == 0 && stat(folder, &info) == 0);
    CHECK(S_ISDIR(info.st_mode) && (info.st_mode & 07777) == 0750);
    CHECK(rmdir(folder) == 0);
    (void)umask(before);
}

static void failures_are_told(void)
{
    char no_folder[] = "none/file.XXXXXX";
    CHECK(gs_temp_name_open(no_folder, 0600) == -1 && errno == ENOENT);
    CHECK(gs_temp_name_make_folder(no_folder, 0700) == -1 && errno == ENOENT);
}

int main(void)
{
    char scratch[] = "/tmp/gpusort-temp-name-XXXXXX";
    REQUIRE(mkdtemp(scratch) != NULL && chdir(scratch) == 0);
    draws_differ();
    umask_counts();
    failures_are_told();
    CHECK(chdir("/") == 0 && rmdir(scratch) == 0);
    return check_result();
}
