/* SPDX-License-Identifier: MIT */
/*
 * gpusort sort: parse, resolve, call the library, report.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/report.h"
#include "cmd/signals.h"
#include "cmd/sort_args.h"
#include "cmd/sort_debug.h"
#include "cmd/sort_resolve.h"
#include "cmd/sort_usage.h"
#include "cmd/space_report.h"
#include "lib/base/mem.h"

static int print_version(void)
{
    printf("%s (gpusort) " GS_VERSION "\n",
           gs_report_is_plain_sort() ? "sort" : "gpusort sort");
    fputs("Licence MIT: free to use, change and pass on, without warranty.\n", stdout);
    return gs_stdout_close(GS_EXIT_GOOD);
}

static int print_help(void)
{
    /* All of it is written when it is closed, which can say why that failed. */
    static char text[2 * BUFSIZ];
    setvbuf(stdout, text, _IOFBF, sizeof text);
    gs_sort_usage_print(stdout);
    return gs_stdout_close(GS_EXIT_GOOD);
}

static void say(void *context, gs_log_level level, const char *text)
{
    const gs_sort_args *args = context;
    const bool is_wanted = args->verbose || level == GS_LOG_ERROR ||
                           (level == GS_LOG_WARNING && !gs_report_is_plain_sort());
    if (is_wanted)
        gs_report(0, "%s", text);
}

/* "PROGRAM: FILE:LINE: disorder: TEXT", the text as it is with its end-of-line
 * byte. */
static void print_disorder(const gs_sort_args *args, const gs_sort_disorder *d)
{
    fprintf(stderr, "%s: %s:%llu: disorder: ", program_invocation_name, args->inputs[0],
            (unsigned long long)d->line_number);
    fwrite(d->line, 1, d->line_bytes, stderr);
    putc(args->options.order.eol, stderr);
}

static gs_code check(const gs_sort_args *args, int *exit_code, gs_status *st)
{
    gs_sort_disorder disorder = {.found = false};
    GS_TRY(gs_sort_check(&args->options, &disorder, st));
    if (disorder.found) {
        *exit_code = GS_EXIT_DISORDER;
        if (args->check == 'c')
            print_disorder(args, &disorder);
    }
    gs_mem_free(disorder.line);
    return GS_OK;
}

typedef struct sort_work {
    gs_sort_args *args;
    int *exit_code;
} sort_work;

static gs_code work(void *context, gs_trace *trace, gs_status *st)
{
    const sort_work *const w = context;
    gs_sort_args *const args = w->args;
    args->options.trace = trace;
    if (args->check)
        return check(args, w->exit_code, st);
    if (args->debug)
        return gs_sort_debug_run(args, st);
    return args->merge ? gs_sort_merge(&args->options, st)
                       : gs_sort_run(&args->options, st);
}

/* A line drawn over and over does not go with lines that are printed beside it. */
static void quiet_progress(gs_sort_args *args)
{
    const bool prints_lines = !args->options.output && !args->check;
    gs_progress_mode *const mode = &args->watch.progress;
    if (*mode == GS_PROGRESS_AUTO && prints_lines && isatty(STDOUT_FILENO))
        *mode = GS_PROGRESS_NEVER;
}

/* GNU sort writes through stdio: what fits into its buffer fails only when that
 * is flushed, and whatever failed is mentioned once more when standard output
 * is closed. */
static void report_failure(const gs_sort_args *args, const gs_status *st)
{
    enum { STDIO_BYTES = 4096 };
    static const char failure[] = "write failed: ", spilling[] = "temporary file";
    const size_t failure_bytes = sizeof failure - 1;
    const bool has_failure = strncmp(st->msg, failure, failure_bytes) == 0;
    const bool is_spilling = has_failure && strncmp(st->msg + failure_bytes, spilling,
                                                    sizeof spilling - 1) == 0;
    const bool is_write = has_failure && !is_spilling;
    const bool is_full = st->sys == ENOSPC || st->sys == EDQUOT;
    if (st->sys == EPIPE && strcmp(st->msg, "write failed: 'standard output'") == 0)
        gs_signals_end_by_pipe();
    if (!gs_report_is_plain_sort() || !is_write) {
        gs_report_status(st, !gs_report_is_plain_sort());
        if (!gs_report_is_plain_sort() && is_full)
            gs_space_report(&args->options, st->msg);
        return;
    }
    if (args->options.stats->text_bytes <= STDIO_BYTES)
        gs_report(st->sys, "fflush failed: %s", st->msg + failure_bytes);
    else
        gs_report_status(st, false);
    gs_report(0, "write error");
}

/* As GNU sort: a message that could not be written shows in the exit code. */
static int code_if_said(int exit_code)
{
    return ferror(stderr) ? GS_EXIT_TROUBLE : exit_code;
}

int cmd_sort(int argc, char **argv)
{
    gs_sort_args args;
    gs_sort_args_parse(&args, argc, argv);
    if (args.wish != GS_WISH_SORT) {
        const int code = args.wish == GS_WISH_HELP ? print_help() : print_version();
        gs_sort_args_release(&args);
        return code;
    }
    gs_sort_resolve(&args);
    if (args.options.compress_program)
        gs_signals_survive_pipes();

    gs_sort_stats stats;
    memset(&stats, 0, sizeof stats);
    const gs_log log = {.fn = say, .context = &args};
    args.options.log = &log;
    args.options.ends_by_pipe = true;
    args.options.stats = &stats;
    args.options.sums_output = args.watch.has_stats;
    int exit_code = GS_EXIT_GOOD;
    gs_status st = {.code = GS_OK};
    sort_work w = {.args = &args, .exit_code = &exit_code};
    quiet_progress(&args);
    if (gs_watch_run(&args.watch, &stats, NULL, 0, work, &w, &st) != GS_OK) {
        report_failure(&args, &st);
        exit_code = GS_EXIT_TROUBLE;
    }
    gs_sort_args_release(&args);
    return code_if_said(exit_code);
}
