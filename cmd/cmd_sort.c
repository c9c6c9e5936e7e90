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
#include "lib/gpusort.h"

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

static void say(void *context, gpusort_level level, const char *text)
{
    const gs_sort_args *args = context;
    const bool is_wanted = args->verbose || level == GPUSORT_SAYS_ERROR ||
                           (level == GPUSORT_SAYS_WARNING && !gs_report_is_plain_sort());
    if (is_wanted)
        gs_report(0, "%s", text);
}

/* "PROGRAM: FILE:LINE: disorder: TEXT", the text as it is with its end-of-line
 * byte. */
static void print_disorder(void *context, uint64_t number, const void *line, size_t bytes)
{
    const gs_sort_args *const args = context;
    fprintf(stderr, "%s: %s:%llu: disorder: ", program_invocation_name, args->inputs[0],
            (unsigned long long)number);
    fwrite(line, 1, bytes, stderr);
    putc(args->options.order.ends_with_nul ? '\0' : '\n', stderr);
}

typedef struct sort_work {
    gs_sort_args *args;
    int exit_code;
    gpusort_error error; /* of the library */
} sort_work;

static gpusort_code check(sort_work *w)
{
    gpusort_sort_options *const o = &w->args->options;
    uint64_t disorder = 0;
    if (w->args->check == 'c')
        o->disorder = print_disorder;
    const gpusort_code code = gpusort_check(o, &disorder, &w->error);
    if (disorder != 0)
        w->exit_code = GS_EXIT_DISORDER;
    return code;
}

static gs_code work(void *context, gs_status *st)
{
    sort_work *const w = context;
    const gs_sort_args *const args = w->args;
    const gpusort_code code = args->check   ? check(w)
                              : args->debug ? gs_sort_debug_run(args, &w->error)
                              : args->merge ? gpusort_merge(&args->options, &w->error)
                                            : gpusort_sort(&args->options, &w->error);
    return code == GPUSORT_OK ? GS_OK : gs_status_of_error(st, &w->error);
}

/* A line drawn over and over does not go with lines that are printed beside it. */
static void quiet_progress(gs_sort_args *args)
{
    const bool prints_lines = !args->options.output && !args->check;
    gs_progress_mode *const mode = &args->watch.progress;
    if (*mode == GS_PROGRESS_AUTO && prints_lines && isatty(STDOUT_FILENO))
        *mode = GS_PROGRESS_NEVER;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* GNU sort writes through stdio: what fits into its buffer fails only when that
 * is flushed, and whatever failed is mentioned once more when standard output
 * is closed. */
static void report_failure(const gs_sort_args *args, gpusort_error *error)
{
    enum { STDIO_BYTES = 4096 };
    static const char failure[] = "write failed: ", spilling[] = "temporary file",
                      output[] = "write failed: 'standard output'";
    const char *const about = error->message + sizeof failure - 1;
    const bool has_failure = begins(error->message, failure);
    const bool is_write = has_failure && !begins(about, spilling);
    const int sys = error->system_error;
    if (sys == EPIPE && begins(error->message, output))
        gs_signals_end_by_pipe();
    if (!gs_report_is_plain_sort()) {
        (void)gs_report_error(error);
        if (gs_is_full_disk(sys))
            gs_space_report(&args->options, error->message);
        return;
    }
    gpusort_figures figures = {.size = sizeof figures};
    gpusort_stats_read(args->options.job.stats, &figures);
    if (is_write && figures.text_bytes <= STDIO_BYTES)
        gs_report(0, "fflush failed: %s", about);
    else
        gs_report(0, "%s", error->message);
    if (is_write)
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

    gpusort_stats *const stats = gs_watch_stats_new(&args.watch);
    gpusort_job *const job = &args.options.job;
    job->log = say;
    job->context = &args;
    job->stats = stats;
    job->flags |= GPUSORT_ENDS_BY_PIPE;
    gs_status st = {.code = GS_OK};
    sort_work w = {.args = &args, .exit_code = GS_EXIT_GOOD};
    quiet_progress(&args);
    if (gs_watch_run(&args.watch, stats, NULL, 0, work, &w, &st) != GS_OK) {
        gs_error_of_status(&w.error, &st);
        report_failure(&args, &w.error);
        w.exit_code = GS_EXIT_TROUBLE;
    }
    gpusort_stats_free(stats);
    gs_sort_args_release(&args);
    return code_if_said(w.exit_code);
}
