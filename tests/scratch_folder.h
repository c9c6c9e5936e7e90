/* SPDX-License-Identifier: MIT */
/*
 * scratch_folder: a new folder for a test that writes many small files. It is in memory
 * where that is a file system; the caller removes it.
 */
#ifndef GS_TESTS_SCRATCH_FOLDER_H
#define GS_TESTS_SCRATCH_FOLDER_H

#include <stdlib.h>
#include <unistd.h>

#include "tests/check.h"

enum { SCRATCH_FOLDER_BYTES = 32 };

static inline void scratch_folder_new(char path[static SCRATCH_FOLDER_BYTES])
{
    (void)snprintf(path, SCRATCH_FOLDER_BYTES, "%s/gpusort-test-XXXXXX",
                   access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    REQUIRE(mkdtemp(path) != NULL);
}

#endif
