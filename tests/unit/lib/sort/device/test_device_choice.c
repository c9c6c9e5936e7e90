/* SPDX-License-Identifier: MIT */
/*
 * device_choice: for which sorts a GPU is taken where nobody asks for one. A rule that
 * takes it too early makes small sorts wait for its start. Sizes on both sides of the
 * bound, by number of threads; a pipe, which is read so far; what was asked for.
 *
 *     test_device_choice [gpu]      in a build with FAKE_GPU=1: it must be taken
 */
#include "lib/sort/device/device_choice.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu/device/device.h"
#include "lib/base/machine.h"
#include "tests/check.h"

static const gs_record_layout LINES = {.has_eol = true, .eol = '\n'};
static const gs_record_layout KEYED = {.is_keyed = true, .has_eol = true, .eol = '\n'};

static void the_bound_goes_with_the_cores(void)
{
    const uint64_t mib = 1 << 20;
    CHECK(gs_device_choice_bytes_min(false, 16) == 1536 * mib);
    CHECK(gs_device_choice_bytes_min(true, 16) == 1024 * mib);
    CHECK(gs_device_choice_bytes_min(false, 32) == 3072 * mib);
    CHECK(gs_device_choice_bytes_min(true, 4) == 256 * mib);
    CHECK(gs_device_choice_bytes_min(true, 1) == gs_device_choice_bytes_min(true, 4));
}

/* A file of so many bytes is one for a GPU, if any is. */
static bool is_wanted(const gs_sort_options *options, const gs_record_layout *layout,
                      uint64_t bytes)
{
    const int fd = open("input", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0 && close(fd) == 0);
    const gs_device_choice choice = gs_device_choose(options, layout, bytes);
    CHECK(!choice.is_wanted || (choice.can_read_again && choice.input_bytes == bytes));
    CHECK(choice.peek_bytes == 0);
    REQUIRE(unlink("input") == 0);
    return choice.is_wanted;
}

static void what_is_large_enough_is_for_a_gpu(unsigned threads,
                                              const gs_record_layout *layout)
{
    static const char *const files[] = {"input"}, *const pipes[] = {"-"};
    const uint64_t least = gs_device_choice_bytes_min(
        layout->is_keyed, threads > 0 ? threads : gs_machine_cores());
    gs_sort_options options = {
        .inputs = files, .input_count = 1, .order = {.eol = '\n'}, .threads = threads};
    CHECK(!is_wanted(&options, layout, least - 1));
    CHECK(is_wanted(&options, layout, least) == gs_device_is_likely());
    options.engine = "auto";
    CHECK(!is_wanted(&options, layout, least - 1));
    CHECK(is_wanted(&options, layout, least) == gs_device_is_likely());
    options.engine = "cpu";
    CHECK(!is_wanted(&options, layout, least));
    options.engine = "gpu";
    CHECK(is_wanted(&options, layout, 1));

    options.engine = NULL;
    options.inputs = pipes;
    const gs_device_choice choice = gs_device_choose(&options, layout, 0);
    CHECK(choice.is_wanted == gs_device_is_likely() && !choice.can_read_again);
    CHECK(choice.peek_bytes == (choice.is_wanted ? least : 0));
    CHECK(!gs_device_choose(&options, layout, least - 1).is_wanted);
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/gpusort-test.XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    CHECK(argc < 2 || strcmp(argv[1], "gpu") != 0 || gs_device_is_likely());
    the_bound_goes_with_the_cores();
    what_is_large_enough_is_for_a_gpu(0, &LINES);
    what_is_large_enough_is_for_a_gpu(7, &KEYED);
    what_is_large_enough_is_for_a_gpu(16, &LINES);
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
    return check_result();
}
