/* SPDX-License-Identifier: MIT */
#include "lib/base/log.h"

#include <stdarg.h>
#include <stdio.h>

void gs_log_say(const gs_log *log, gs_log_level level, const char *fmt, ...)
{
    if (log == NULL || log->fn == NULL)
        return;
    char text[GS_STATUS_MSG_BYTES];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    log->fn(log->context, level, text);
}
