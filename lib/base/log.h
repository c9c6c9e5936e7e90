/* SPDX-License-Identifier: MIT */
/*
 * log: how the library says something that is not a failure.
 *
 * The library never prints. It calls the caller's function, which decides what
 * to show and may be called from any thread. A NULL sink drops the message.
 */
#ifndef GS_LIB_BASE_LOG_H
#define GS_LIB_BASE_LOG_H

#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gs_log_level {
    GS_LOG_ERROR, /* shown even by `sort', as GNU sort would: done without what failed */
    GS_LOG_WARNING, /* always shown: something was worked around */
    GS_LOG_INFO,    /* shown with -v: what was chosen and why */
} gs_log_level;

typedef void gs_log_fn(void *context, gs_log_level level, const char *text);

typedef struct gs_log {
    gs_log_fn *fn;
    void *context;
} gs_log;

void gs_log_say(const gs_log *log, gs_log_level level, const char *fmt, ...)
    GS_PRINTF(3, 4);

#ifdef __cplusplus
}
#endif
#endif
