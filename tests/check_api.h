/* SPDX-License-Identifier: MIT */
/* check_api: for tests of lib/gpusort.h. */
#ifndef GS_TESTS_CHECK_API_H
#define GS_TESTS_CHECK_API_H

#include "lib/gpusort.h"
#include "tests/check.h"

/* Ends the test with what `error`, which the call has got, says. */
#define GOOD(call)                                                                       \
    do {                                                                                 \
        if ((call) != GPUSORT_OK) {                                                      \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,                \
                    error.message);                                                      \
            exit(1);                                                                     \
        }                                                                                \
    } while (0)

#endif
