/* SPDX-License-Identifier: MIT */
/*
 * told_machine: a machine that is told about in plain files, for what looks at those of
 * /proc and /sys behind a root. A new one each time, in the folder of the test.
 */
#ifndef GS_TESTS_TOLD_MACHINE_H
#define GS_TESTS_TOLD_MACHINE_H

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/check.h"

static char told_machine_root[64]; /* of the one that was made last */

static inline void told_machine_new(void)
{
    static unsigned number;
    (void)snprintf(told_machine_root, sizeof told_machine_root, "machine%u", number++);
    REQUIRE(mkdir(told_machine_root, 0700) == 0);
}

/* Writes a file of the machine, and the folders that it needs. */
static inline void told_machine_put(const char *name, const char *text)
{
    char path[512];
    (void)snprintf(path, sizeof path, "%s%s", told_machine_root, name);
    for (char *at = path + strlen(told_machine_root) + 1; (at = strchr(at, '/')) != NULL;
         at++) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
    FILE *const f = fopen(path, "w");
    REQUIRE(f != NULL && fputs(text, f) >= 0 && fclose(f) == 0);
}

#endif
