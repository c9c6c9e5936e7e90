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

enum { CODES_MAX = 64 }; /* more than gs_code has */

/* What ways of a GPU to fail are called here; NULL: it does not fail so. */
static inline const char *fake_failure_name(gs_code code)
{
    switch (code) {
    case GS_ERR_GPU: return "call";
    case GS_ERR_NOMEM: return "memory";
    case GS_ERR_LIMIT: return "limit";
    case GS_OK:
    case GS_ERR_IO:
    case GS_ERR_FORMAT:
    case GS_ERR_ARG:
    case GS_ERR_CANCELLED: break;
    }
    return NULL;
}

/* GS_FAKE_GPU_FAIL=STEP:N makes the N-th call of a step fail, STEP:N:WAY in another way
 * than a "call"; each source counts for itself, whichever thread calls. */
static inline gs_code pass(const char *step, gs_status *st)
{
    static _Atomic unsigned calls;
    const char *const wish = getenv("GS_FAKE_GPU_FAIL");
    const size_t n = strlen(step);
    char *rest;
    if (wish == NULL || strncmp(wish, step, n) != 0 || wish[n] != ':' ||
        ++calls != strtoul(wish + n + 1, &rest, 10))
        return GS_OK;
    const char *const way = *rest == ':' ? rest + 1 : "call";
    for (int i = 0; i < CODES_MAX; i++) {
        const gs_code code = (gs_code)i;
        const char *const name = fake_failure_name(code);
        if (name != NULL && strcmp(way, name) == 0)
            return GS_FAIL(st, code, code == GS_ERR_GPU ? 700 : 0,
                           "GPU: %s failed as told, by its %s", step, name);
    }
    fprintf(stderr, "GS_FAKE_GPU_FAIL: a GPU does not fail by its %s\n", way);
    abort();
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
