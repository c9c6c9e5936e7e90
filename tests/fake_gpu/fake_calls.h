/* SPDX-License-Identifier: MIT */
/*
 * fake_calls: what the parts of the fake GPU ask first: is this the call that is to fail,
 * and may a GPU be looked at at all?
 */
#ifndef GS_TESTS_FAKE_GPU_FAKE_CALLS_H
#define GS_TESTS_FAKE_GPU_FAKE_CALLS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/status.h"

/* GS_FAKE_GPU_FAIL=STEP:N makes the N-th call of a step fail; each source counts for
 * itself, whichever thread calls. */
static inline gs_code pass(const char *step, gs_status *st)
{
    static _Atomic unsigned calls;
    const char *const wish = getenv("GS_FAKE_GPU_FAIL");
    const size_t n = strlen(step);
    if (wish == NULL || strncmp(wish, step, n) != 0 || wish[n] != ':' ||
        ++calls != strtoul(wish + n + 1, NULL, 10))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_GPU, 700, "GPU: %s failed as told", step);
}

/* CUDA would begin here, which takes a third of a second: with GS_FAKE_GPU_ASLEEP=1 the
 * program ends. */
static inline void wake(const char *what)
{
    const char *const wish = getenv("GS_FAKE_GPU_ASLEEP");
    if (wish == NULL || wish[0] != '1')
        return;
    fprintf(stderr, "the GPU was woken up: %s\n", what);
    abort();
}

#endif
