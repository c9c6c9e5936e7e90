/* SPDX-License-Identifier: MIT */
/*
 * api_taker: text that goes to a function of the caller's, in place of an output.
 */
#ifndef GS_LIB_API_API_TAKER_H
#define GS_LIB_API_API_TAKER_H

#include <stdbool.h>

#include "lib/base/status.h"
#include "lib/gpusort.h"

typedef struct gs_api_taker {
    int (*write)(void *context, const void *text, size_t bytes);
    void *context;
} gs_api_taker;

/* Gives it; the context is a gs_api_taker. Of a function that returns anything but 0 the
 * job is cancelled. */
gs_code gs_api_take(void *context, const uint8_t *text, size_t bytes, gs_status *st);

/* Where a result goes: to one of a file, a descriptor counted from 1, and a function; to
 * standard output if to none. *fd becomes the descriptor, or 0 for standard output. */
GS_MUST_CHECK gs_code gs_api_check_output(const char *file, int counted_fd,
                                          bool has_function, int *fd, gs_status *st);

#endif
