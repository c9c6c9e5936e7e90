/* SPDX-License-Identifier: MIT */
/*
 * report: messages on standard error, in the form "PROGRAM: MESSAGE[: REASON]".
 *
 * PROGRAM is glibc's program_invocation_name, which main sets once to "gpusort" or
 * "gpusort sort". Through a link named sort it stays as called: "/bin/sort" where GNU
 * names the program so, about options and disorder, and "sort" everywhere else.
 * Thread-safe.
 */
#ifndef GS_CMD_REPORT_H
#define GS_CMD_REPORT_H

#include <stdbool.h>

#include "lib/base/status.h"
#include "lib/gpusort.h"

/* Exit codes, as GNU sort has them. */
enum { GS_EXIT_GOOD = 0, GS_EXIT_DISORDER = 1, GS_EXIT_TROUBLE = 2 };

/* With `sys` the text of that errno follows. */
void gs_report(int sys, const char *fmt, ...) GS_PRINTF(2, 3);

/* About an unknown option, or one that lacks its argument. The message begins with the
 * name by which the program was called. */
void gs_report_option(const char *fmt, ...) GS_PRINTF(1, 2);

/* As gs_report, and the program ends with GS_EXIT_TROUBLE. */
_Noreturn void gs_die(int sys, const char *fmt, ...) GS_PRINTF(2, 3);

/* Points to --help and ends the program. */
_Noreturn void gs_die_try_help(int exit_code);

/* Prints the message, points to --help and ends the program. */
_Noreturn void gs_die_usage(const char *fmt, ...) GS_PRINTF(1, 2);

/* Options that do not go together, each as it was written: "options '--count' and '-u'
 * are incompatible". `why`, if it is not plain, comes as a second message; or NULL. */
_Noreturn void gs_die_incompatible(const char *one, const char *other, const char *why);

/* A failed call of the library; its hint on a second line if wanted. */
void gs_report_status(const gs_status *st, bool with_hint);

/* The same with its hint, and returns GS_EXIT_TROUBLE. */
int gs_report_failure(const gs_status *st);

/* The same of a failed call of gpusort.h. */
int gs_report_error(const gpusort_error *error);

/* Between the two: a status that says what an error does, and the error that a status is,
 * unless there is one. */
gs_code gs_status_of_error(gs_status *st, const gpusort_error *error);
void gs_error_of_status(gpusort_error *error, const gs_status *st);

/* True when the program goes by the name of GNU sort and must speak as it does. */
bool gs_report_is_plain_sort(void);

/* Writes all of that to standard output, behind nothing that stdio holds. */
GS_MUST_CHECK gs_code gs_stdout_write(const void *data, size_t bytes, gs_status *st);

/* Flushes and closes standard output. Returns `exit_code`, or GS_EXIT_TROUBLE after a
 * message if what was printed could not be written. */
int gs_stdout_close(int exit_code);

#endif
