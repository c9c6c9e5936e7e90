/* SPDX-License-Identifier: MIT */
/*
 * text_choice: runs of a GPU are text where they are in memory, where few cores would
 * have to merge records, and where a codec saves nothing; where it saves much and there
 * are many cores they are records on a disk, but not for a file system in memory; never
 * where records are left out, or space for temporary files is short. What the environment
 * says is done.
 */
#include "lib/sort/device/text_choice.h"

#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sort/device/device_choice.h"
#include "tests/check.h"

enum { SAMPLE_BYTES = 1 << 20 };

static uint8_t packable[SAMPLE_BYTES], random_bytes[SAMPLE_BYTES];
static const char *folders[1];
static gs_sort_options options;
static gs_memory_plan plan;
static gs_device_choice device;
static size_t memory_bytes;

static void begin(const char *folder, unsigned workers, uint64_t input_bytes)
{
    folders[0] = folder;
    options = (gs_sort_options){.order = {.eol = '\n'},
                                .memory_bytes = 64 << 20,
                                .threads = workers,
                                .temp_folders = folders,
                                .temp_folder_count = 1};
    plan = gs_memory_plan_sort(&options, false);
    plan.workers = workers;
    device = (gs_device_choice){.input_bytes = input_bytes};
}

static double kept = 1; /* of records, equals dropped */

static bool is_text(const uint8_t *sample)
{
    const gs_forming forming = {.options = &options, .plan = &plan, .device = &device};
    const bool is =
        gs_text_choice_is_text(&forming, sample, SAMPLE_BYTES, kept, &memory_bytes);
    CHECK(gs_mem_held_bytes() == 0);
    return is;
}

static bool is_in_memory(const char *folder)
{
    struct statfs info;
    return statfs(folder, &info) == 0 && info.f_type == TMPFS_MAGIC;
}

static void by_cores_and_bytes(const char *disk)
{
    const size_t room = gs_memory_plan_texts(&plan, false);
    begin(disk, 64, 1 << 28);
    CHECK(!is_text(packable));
    CHECK(memory_bytes == gs_memory_plan_texts(&plan, false));
    CHECK(is_text(random_bytes));
    device.input_bytes = 0; /* unknown: nearly all of it will not fit */
    CHECK(!is_text(packable));
    begin(disk, 2, 1 << 28);
    CHECK(is_text(packable));
    begin(disk, 64, 1 << 20); /* all of it is in memory */
    CHECK(room >= 1 << 20 && is_text(packable));
    kept = 0.9;
    CHECK(is_text(packable));
    kept = 0.01; /* next to nothing goes into runs of records */
    CHECK(!is_text(packable));
    begin(disk, 2, 1 << 28);
    CHECK(!is_text(random_bytes));
    kept = 1;
}

static void where_it_cannot_be(const char *folder)
{
    begin(folder, 2, (uint64_t)1 << 62); /* no disk has so much */
    CHECK(!is_text(packable));
    begin(folder, 2, 0);
    CHECK(is_text(packable));
    options.order.unique = true; /* who merges them sees to it */
    CHECK(is_text(packable));
    begin(folder, 2, 0);
    options.count = true;
    CHECK(is_text(packable));
    begin(folder, 2, 0);
    options.has_top = true;
    CHECK(!is_text(packable));
    begin(folder, 2, 0);
    options.output_zstd = true;
    CHECK(!is_text(packable));
    begin(folder, 2, 0);
    plan.is_space_limited = true; /* nothing is mapped then */
    CHECK(!is_text(packable));
}

static void as_told(const char *folder)
{
    begin(folder, 2, 0);
    REQUIRE(setenv("GS_DEVICE_RUNS", "records", 1) == 0);
    CHECK(!is_text(packable));
    begin(folder, 64, 1 << 28);
    REQUIRE(setenv("GS_DEVICE_RUNS", "text", 1) == 0);
    CHECK(is_text(packable) && memory_bytes == gs_memory_plan_texts(&plan, false));
    REQUIRE(setenv("GS_DEVICE_RUNS", "text:4097", 1) == 0);
    CHECK(is_text(packable) && memory_bytes == 4097);
    options.has_top = true; /* what cannot be is not done */
    CHECK(!is_text(packable));
    REQUIRE(unsetenv("GS_DEVICE_RUNS") == 0);
}

int main(void)
{
    uint64_t state = check_seed(29);
    REQUIRE(unsetenv("GS_DEVICE_RUNS") == 0 && unsetenv("GS_SPILL_CODEC") == 0);
    for (size_t i = 0; i < SAMPLE_BYTES; i++) {
        packable[i] = (uint8_t) "the same line\n"[i % 14];
        random_bytes[i] = (uint8_t)check_random(&state);
    }
    begin("/tmp", 2, 0);
    if (!is_in_memory("/tmp"))
        by_cores_and_bytes("/tmp");
    where_it_cannot_be("/tmp");
    as_told("/tmp");
    if (is_in_memory("/dev/shm") && access("/dev/shm", W_OK) == 0) {
        begin("/dev/shm", 64, 0);
        CHECK(is_text(packable));
    }
    return check_result();
}
