/* SPDX-License-Identifier: MIT */
/* spill: extents follow each other, folders take turns, no name is ever to be seen. */
#define CHECK_STARTS_THREADS

#include "io/spill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/spill_map.h"
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

/* Fills an extent through a stream, and looks at it both ways. */
static void fill_extent(gs_spill *s, size_t unit, size_t bytes, uint64_t *state,
                        gs_spill_extent *extent)
{
    gs_status st = {.code = GS_OK};
    gs_stream *stream = NULL;
    uint64_t offset, total;
    uint8_t *const text = malloc(bytes + 1), *map = NULL;
    char failure[GS_STREAM_FAILURE_BYTES];
    const size_t map_bytes = gs_mem_large_pages(bytes + 2 * (size_t)GS_SPILL_ALIGN);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < bytes; i++)
        text[i] = (uint8_t)check_random(state);
    REQUIRE_OK(gs_spill_extent_open(s, extent, &st), &st);
    const gs_stream_target target = gs_spill_extent_target(s, extent, failure);
    REQUIRE_OK(gs_stream_new(&stream, &target, unit, 4, &st), &st);
    for (size_t at = 0, n; at < bytes; at += n) {
        n = 1 + check_random(state) % (2 * unit);
        n = n < bytes - at ? n : bytes - at;
        REQUIRE_OK(gs_stream_reserve(stream, at == 0 ? 0 : 1, n, at == 0, &offset, &st),
                   &st);
        CHECK(offset == at);
        REQUIRE_OK(gs_stream_put(stream, offset, text + at, n, &st), &st);
    }
    REQUIRE_OK(gs_stream_finish(stream, &total, &st), &st);
    CHECK(total == bytes);
    gs_stream_free(stream);
    gs_spill_extent_close(s, extent, bytes);

    gs_map_name *name = NULL;
    REQUIRE_OK(gs_mem_map(&map, map_bytes, true, "map", &st), &st);
    REQUIRE_OK(gs_spill_map_over(map, s, extent, &name, &st), &st);
    CHECK(memcmp(map, text, bytes) == 0);
    gs_map_name_free(name);
    gs_mem_unmap(map, map_bytes);
    for (unsigned i = 0; i < 50 && bytes > 0; i++) {
        const size_t at = check_random(state) % bytes;
        const size_t most = 1 + check_random(state) % (3 * unit);
        uint8_t *const got = malloc(most);
        size_t taken = 0;
        REQUIRE(got != NULL);
        CHECK(gs_spill_extent_read(extent, at, got, most, &taken) == 0);
        CHECK(taken == (most < bytes - at ? most : bytes - at));
        CHECK(memcmp(got, text + at, taken) == 0);
        free(got);
    }
    free(text);
}

/* Extents lie in all of a folder's files, which are fewer where descriptors are, and do
 * not touch each other. */
static void several_files(const char *const *folders, size_t folder_count, unsigned files,
                          unsigned opened)
{
    enum { UNIT = 2 * GS_SPILL_ALIGN, EXTENTS = 8 };
    uint64_t state = check_seed(5);
    gs_status st = {.code = GS_OK};
    gs_spill *s = NULL;
    gs_spill_extent extents[EXTENTS];
    REQUIRE_OK(gs_spill_new(&s, folders, folder_count, &st), &st);
    gs_spill_stay_cached(s, files, UNIT);
    for (unsigned i = 0; i < EXTENTS; i++) {
        const size_t bytes = i == 1 ? 0 : check_random(&state) % (20 * UNIT);
        fill_extent(s, UNIT, bytes, &state, &extents[i]);
        CHECK(extents[i].spread.count == opened);
        CHECK((extents[i].fd < 0) == (opened > 1) && !extents[i].is_direct);
        for (unsigned k = 0; k < i; k++) {
            const uint64_t end =
                extents[k].offset + gs_spread_share(&extents[k].spread, extents[k].bytes);
            CHECK(extents[k].folder != extents[i].folder || end <= extents[i].offset);
        }
    }
    REQUIRE_OK(gs_spill_sync(s, &st), &st);
    gs_spill_free(s);
}

/* In a process that may have few descriptors, and no more of them. */
static void few_descriptors(const char *const *folders, unsigned left, unsigned opened)
{
    int state = 0;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int next = dup(0);
        const struct rlimit few = {(rlim_t)next + left, (rlim_t)next + left};
        REQUIRE(next >= 0 && close(next) == 0 && setrlimit(RLIMIT_NOFILE, &few) == 0);
        several_files(folders, 1, 5, opened);
        _exit(check_result());
    }
    REQUIRE(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

/* What one of the files cannot take is a failure of all who fill blocks. */
static void file_that_is_full(const char *const *folders)
{
    enum { UNIT = 2 * GS_SPILL_ALIGN, FILES = 3, BLOCKS = 20 };
    static const uint8_t text[BLOCKS * UNIT];
    gs_status st = {.code = GS_OK};
    gs_spill *s = NULL;
    gs_spill_extent extent;
    gs_stream *stream = NULL;
    uint64_t offset, total;
    struct rlimit limit, few;
    char failure[GS_STREAM_FAILURE_BYTES];
    REQUIRE(getrlimit(RLIMIT_FSIZE, &limit) == 0);
    few = (struct rlimit){3 * UNIT, limit.rlim_max};
    REQUIRE_OK(gs_spill_new(&s, folders, 1, &st), &st);
    gs_spill_stay_cached(s, FILES, UNIT);
    REQUIRE_OK(gs_spill_extent_open(s, &extent, &st), &st);
    const gs_stream_target target = gs_spill_extent_target(s, &extent, failure);
    REQUIRE_OK(gs_stream_new(&stream, &target, UNIT, 4, &st), &st);
    REQUIRE(signal(SIGXFSZ, SIG_IGN) != SIG_ERR && setrlimit(RLIMIT_FSIZE, &few) == 0);
    REQUIRE_OK(gs_stream_reserve(stream, 0, sizeof text, true, &offset, &st), &st);
    CHECK(gs_stream_put(stream, offset, text, sizeof text, &st) == GS_ERR_IO);
    CHECK(st.sys == EFBIG && strstr(st.msg, "temporary file in 'a'") != NULL);
    CHECK(gs_stream_bytes_written(stream) == FILES * few.rlim_cur);
    gs_status_clear(&st);
    CHECK(gs_stream_finish(stream, &total, &st) == GS_ERR_IO);
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    gs_stream_free(stream);
    gs_spill_extent_close(s, &extent, 0);
    gs_spill_free(s);
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
    gs_spill_stay_cached(s, 1, GS_SPILL_ALIGN);
    REQUIRE_OK(gs_spill_extent_open(s, &first, &st), &st);
    CHECK(!first.is_direct && (fcntl(first.fd, F_GETFL) & O_DIRECT) == 0);
    gs_spill_extent_close(s, &first, 0);
    gs_spill_free(s);

    several_files(folders, 2, 1, 1);
    several_files(folders, 2, 3, 3);
    several_files(folders, 1, 5, 5);
    few_descriptors(folders, 64, 5);
    few_descriptors(folders, 19, 4); /* sixteen are for others */
    few_descriptors(folders, 18, 3);
    few_descriptors(folders, 3, 2);
    few_descriptors(folders, 1, 1);
    file_that_is_full(folders);
    const char *const missing[] = {"not/there"};
    REQUIRE_OK(gs_spill_new(&s, missing, 1, &st), &st);
    CHECK(gs_spill_extent_open(s, &first, &st) == GS_ERR_IO && st.sys == ENOENT);
    CHECK(strstr(st.msg, "'not/there'") != NULL && st.hint != NULL);
    gs_spill_free(s);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
