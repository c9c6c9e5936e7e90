/* SPDX-License-Identifier: MIT */
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void vreport(const char *name, int sys, const char *fmt, va_list args)
    GS_PRINTF(3, 0);

static void vreport(const char *name, int sys, const char *fmt, va_list args)
{
    fflush(stdout);
    flockfile(stderr);
    fprintf(stderr, "%s: ", name);
    vfprintf(stderr, fmt, args);
    if (sys)
        fprintf(stderr, ": %s", strerror(sys));
    putc('\n', stderr);
    fflush(stderr);
    funlockfile(stderr);
}

static const char *program_name(void)
{
    return gs_report_is_plain_sort() ? program_invocation_short_name
                                     : program_invocation_name;
}

void gs_report(int sys, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vreport(program_name(), sys, fmt, args);
    va_end(args);
}

void gs_report_option(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vreport(program_invocation_name, 0, fmt, args);
    va_end(args);
}

void gs_die(int sys, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vreport(program_name(), sys, fmt, args);
    va_end(args);
    exit(GS_EXIT_TROUBLE);
}

void gs_die_try_help(int exit_code)
{
    fprintf(stderr, "Try '%s --help' for more information.\n", program_invocation_name);
    exit(exit_code);
}

void gs_die_usage(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vreport(program_name(), 0, fmt, args);
    va_end(args);
    gs_die_try_help(GS_EXIT_TROUBLE);
}

void gs_die_incompatible(const char *one, const char *other, const char *why)
{
    gs_report(0, "options '%s' and '%s' are incompatible", one, other);
    if (why != NULL)
        gs_report(0, "%s", why);
    exit(GS_EXIT_TROUBLE);
}

void gs_report_status(const gs_status *st, bool with_hint)
{
    gs_report(gs_status_errno(st), "%s", st->msg);
    if (with_hint && st->hint)
        gs_report(0, "%s", st->hint);
}

int gs_report_failure(const gs_status *st)
{
    gs_report_status(st, true);
    return GS_EXIT_TROUBLE;
}

int gs_report_error(const gpusort_error *error)
{
    gs_report(0, "%s", error->message);
    if (error->hint)
        gs_report(0, "%s", error->hint);
    return GS_EXIT_TROUBLE;
}

gs_code gs_status_of_error(gs_status *st, const gpusort_error *error)
{
    (void)GS_FAIL(st, (gs_code)error->code, 0, "%s", error->message);
    return error->hint != NULL ? gs_status_hint(st, error->hint) : st->code;
}

void gs_error_of_status(gpusort_error *error, const gs_status *st)
{
    if (error->code != GPUSORT_OK || st->code == GS_OK)
        return;
    const int sys = gs_status_errno(st);
    error->code = (gpusort_code)st->code;
    error->system_error = st->sys;
    error->hint = st->hint;
    (void)snprintf(error->message, sizeof error->message, sys != 0 ? "%s: %s" : "%s",
                   st->msg, sys != 0 ? strerror(sys) : "");
}

bool gs_report_is_plain_sort(void)
{
    return strcmp(program_invocation_short_name, "sort") == 0;
}

gs_code gs_stdout_write(const void *data, size_t bytes, gs_status *st)
{
    const char *from = data;
    while (bytes > 0) {
        const ssize_t n = write(STDOUT_FILENO, from, bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return GS_FAIL(st, GS_ERR_IO, n < 0 ? errno : ENOSPC,
                           "write failed: 'standard output'");
        from += n;
        bytes -= (size_t)n;
    }
    return GS_OK;
}

int gs_stdout_close(int exit_code)
{
    const bool failed_before = ferror(stdout) != 0;
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    const bool is_writable = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    errno = 0;
    if (fclose(stdout) == 0 && !failed_before)
        return exit_code;
    gs_report(is_writable ? errno : EBADF, "write error");
    return GS_EXIT_TROUBLE;
}
