/* SPDX-License-Identifier: MIT */
#include "lib/base/status.h"

#include <stdarg.h>
#include <stdio.h>

gs_code gs_status_fail(gs_status *st, gs_code code, int sys, const char *file, int line,
                       const char *fmt, ...)
{
    if (st->code != GS_OK)
        return st->code;
    st->code = code;
    st->sys = sys;
    st->file = file;
    st->line = line;
    st->hint = NULL;
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(st->msg, sizeof st->msg, fmt, ap);
    va_end(ap);
    return code;
}

void gs_status_keep_first(gs_status *to, const gs_status *from)
{
    if (to->code == GS_OK && from->code != GS_OK)
        *to = *from;
}

gs_code gs_status_hint(gs_status *st, const char *hint)
{
    if (st->code != GS_OK && st->hint == NULL)
        st->hint = hint;
    return st->code;
}

void gs_status_clear(gs_status *st)
{
    st->code = GS_OK;
    st->sys = 0;
    st->line = 0;
    st->file = NULL;
    st->hint = NULL;
    st->msg[0] = '\0';
}
