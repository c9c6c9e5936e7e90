/* SPDX-License-Identifier: MIT */
/*
 * device_try: for which builds a GPU is looked for where nobody asks for one. A rule that
 * takes it too early makes small builds wait for its start, and one that counts on pipes
 * waits for nothing. Sizes on both sides of the bound, by number of threads and kind of
 * input; what was asked for; files that are none.
 */
#include "lib/index/build/device_try.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/machine.h"
#include "tests/check.h"

static void make_file(const char *name, uint64_t bytes)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && close(fd) == 0);
}

static void the_bound_goes_with_the_cores(void)
{
    const uint64_t mib = 1 << 20;
    CHECK(gs_device_bytes_min(false, 16) == 512 * mib);
    CHECK(gs_device_bytes_min(true, 16) == 256 * mib);
    CHECK(gs_device_bytes_min(false, 1) == gs_device_bytes_min(false, 4));
    CHECK(gs_device_bytes_min(false, 4) == 128 * mib);
    CHECK(gs_device_bytes_min(true, 256) == 4096 * mib);
}

/* Two files, together just what is enough, or a byte less. */
static void what_is_large_enough_is_worth_it(gs_document_format format, unsigned threads)
{
    static const char *const names[] = {"one", "two", "-"};
    const uint64_t least = gs_device_bytes_min(
        gs_document_format_is_tuples(format), threads > 0 ? threads : gs_machine_cores());
    gs_index_build_options build = {.inputs = names,
                                    .input_count = 2,
                                    .document = {.format = format},
                                    .threads = threads};
    make_file("one", 1000);
    make_file("two", least - 1001);
    CHECK(!gs_device_is_worth(&build));
    make_file("two", least - 1000);
    CHECK(gs_device_is_worth(&build));
    build.sorter.engine = "auto";
    CHECK(gs_device_is_worth(&build) && !gs_device_is_asked_for(&build));
    build.sorter.engine = "cpu";
    CHECK(!gs_device_is_worth(&build));
    build.sorter.engine = "gpu";
    CHECK(!gs_device_is_worth(&build) && gs_device_is_asked_for(&build));
    build.sorter.engine = NULL;
    build.method = GS_INDEX_SPIMI;
    CHECK(!gs_device_is_worth(&build));
    build.method = GS_INDEX_AUTO;
    build.input_count = 3; /* standard input: nobody knows how much */
    int ends[2];
    REQUIRE(pipe(ends) == 0 && dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    CHECK(!gs_device_is_worth(&build));
    REQUIRE(close(ends[0]) == 0 && close(ends[1]) == 0);
    REQUIRE(unlink("two") == 0);
    build.input_count = 2;
    CHECK(!gs_device_is_worth(&build));
    REQUIRE(mkfifo("two", 0600) == 0);
    CHECK(!gs_device_is_worth(&build));
    REQUIRE(unlink("two") == 0 && unlink("one") == 0);
}

int main(void)
{
    char folder[] = "/tmp/gpusort-test.XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    the_bound_goes_with_the_cores();
    what_is_large_enough_is_worth_it(GS_FORMAT_JSONL, 0);
    what_is_large_enough_is_worth_it(GS_FORMAT_JSONL, 7);
    what_is_large_enough_is_worth_it(GS_FORMAT_TUPLES, 16);
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
    return check_result();
}
