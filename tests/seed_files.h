/* SPDX-License-Identifier: MIT */
/*
 * The seeds of a fuzzer as tests look at them: each file of tests/fuzz_seeds/NAME.
 * run_unit.sh says where tests/ is, else it is in the folder where a test was started.
 */
#ifndef GS_TESTS_SEED_FILES_H
#define GS_TESTS_SEED_FILES_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/check.h"

enum { SEED_BYTES_MAX = 1 << 16, SEED_PATH_BYTES = 4096 };

typedef void seed_fn(const char *name, const uint8_t *data, size_t bytes);

/* Of every seed of the fuzzer; at least one is there. */
static inline void seed_files_walk(const char *fuzzer, seed_fn *look)
{
    static uint8_t data[SEED_BYTES_MAX];
    const char *const tests = getenv("GS_TESTS");
    char place[SEED_PATH_BYTES], path[SEED_PATH_BYTES + 300];
    size_t found = 0;
    (void)snprintf(place, sizeof place, "%s/fuzz_seeds/%s",
                   tests != NULL ? tests : "tests", fuzzer);
    DIR *const names = opendir(place);
    REQUIRE(names != NULL);
    for (const struct dirent *e; (e = readdir(names)) != NULL;) {
        if (e->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", place, e->d_name);
        FILE *const f = fopen(path, "r");
        REQUIRE(f != NULL);
        const size_t bytes = fread(data, 1, sizeof data, f);
        CHECK(bytes < sizeof data && fclose(f) == 0);
        look(e->d_name, data, bytes);
        found++;
    }
    CHECK(found > 0 && closedir(names) == 0);
}

#endif
