/* SPDX-License-Identifier: MIT */
/*
 * Heads of posting lists by a GPU. What would break: all that test_api_heads names, lists
 * that the device does not hold, and a device that fails at any of its calls, which costs
 * a warning and no answer.
 *
 *     test_lists [--few]        --few: a handful, for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include "gpu/device/device.h"
#include "gpu/device/fault.h"
#include "tests/heads_cases.h"

static void some_lists_are_held(void)
{
    build_tuples("heads", 0, false);
    for (size_t kib = 36 << 10; kib < 52 << 10; kib += 128) {
        gpu_memory = kib << 10;
        ask("heads", 1, 10, 300);
    }
    CHECK(held_some > 0);
    gpu_memory = 0;
}

/* Each call in turn: of new's, then of find's. */
static void failures_cost_no_answer(bool is_few)
{
    build_tuples("heads", 0, false);
    gs_fault_arm(GS_FAULT_MEMORY, UINT64_MAX);
    ask("heads", 2, 10, 500);
    const uint64_t calls = gs_fault_calls();
    CHECK(calls > 50);
    for (int kind = GS_FAULT_MEMORY; kind < GS_FAULT_KIND_COUNT; kind++) {
        for (uint64_t nth = 1; nth <= calls; nth += is_few ? 17 : 1) {
            const int before = said;
            gs_fault_arm((gs_fault_kind)kind, nth);
            ask("heads", 2, 10, 500);
            CHECK(said == before + 1);
        }
    }
    gs_fault_arm(GS_FAULT_NONE, 0);
}

int main(int argc, char **argv)
{
    const bool is_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    if (gs_device_count() == 0) {
        printf("skipped: no GPU\n");
        return 77;
    }
    engine = "gpu";
    if (is_few) {
        build_tuples("heads", 0, false);
        ask("heads", 2, 10, 2000);
        ask("heads", 2, 1000, 300);
    } else {
        tuples_are_found();
    }
    documents_are_found();
    CHECK(said == 0);
    may_say = true;
    if (!is_few)
        some_lists_are_held();
    what_is_left_is_found();
    damage_is_said();
    failures_cost_no_answer(is_few);
    return check_result();
}
