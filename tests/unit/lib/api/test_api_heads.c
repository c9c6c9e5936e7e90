/* SPDX-License-Identifier: MIT */
/*
 * Heads of posting lists, by the cores, and by the GPU of tests in a build that has it.
 * What would break: lists of other terms where terms begin alike or are missing, the
 * border of a block of 128 postings, lists that begin elsewhere than their offsets say,
 * what was deleted or is in another segment, and room that is too small.
 */
#define CHECK_STARTS_THREADS

#include "tests/heads_cases.h"

/* The GPU of tests needs as much as the dictionary has, and a page of its own. */
static void some_lists_are_held(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    uint64_t bytes = 0;
    const char *name;
    build_tuples("heads", 0, false);
    GOOD(gpusort_index_open(&index, "heads", &error));
    for (size_t i = 0; (name = gpusort_index_file(index, i, &bytes)) != NULL; i++) {
        if (strcmp(name, "terms") == 0)
            break;
    }
    REQUIRE(name != NULL);
    gpusort_index_close(index);
    for (size_t pages = 0; pages < 200; pages += pages / 4 + 1) {
        gpu_memory = bytes + (4 << 20) + 4096 * pages;
        ask("heads", 2, pages % 3 != 0 ? 10 : 300, 1500);
    }
    CHECK(held_some > 5);
    gpu_memory = 0;
}

/* With GS_FAKE_GPU_FAIL in the environment the GPU of tests fails: `may' says so. */
int main(int argc, char **argv)
{
    if (argc > 1)
        engine = argv[1];
    may_say = argc > 2 && strcmp(argv[2], "may") == 0;
    tuples_are_found();
    documents_are_found();
    CHECK(may_say ? said > 0 : said == 0);
    may_say = true;
    if (strcmp(engine, "cpu") != 0)
        some_lists_are_held();
    what_is_left_is_found();
    misuse_is_refused();
    damage_is_said();
    return check_result();
}
