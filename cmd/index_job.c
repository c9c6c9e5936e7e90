/* SPDX-License-Identifier: MIT */
#include "cmd/index_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/sort_args.h"
#include "cmd/trace_file.h"
#include "cmd/word_arg.h"
#include "lib/base/machine.h"
#include "lib/base/quote.h"

static const gs_word progress_words[] = {
    {"auto", GS_PROGRESS_AUTO},
    {"always", GS_PROGRESS_ALWAYS},
    {"never", GS_PROGRESS_NEVER},
};

bool gs_index_job_option(gs_index_job *job, const gs_opt_scan *scan, int code)
{
    const size_t word_count = sizeof progress_words / sizeof *progress_words;
    switch (code) {
    case 'v': job->verbose = true; break;
    case GS_JOB_PROGRESS:
        job->progress = GS_PROGRESS_ALWAYS;
        if (scan->argument != NULL)
            job->progress =
                (gs_progress_mode)gs_word_arg(scan, progress_words, word_count);
        break;
    case GS_JOB_STATS:
        job->has_stats = true;
        job->stats_path = scan->argument;
        break;
    case GS_JOB_TRACE: job->trace_path = scan->argument; break;
    default: return false;
    }
    return true;
}

size_t gs_job_memory(const gs_opt_scan *scan, int code)
{
    const uint64_t bytes = gs_size_arg_buffer(scan, code);
    return bytes > SIZE_MAX ? SIZE_MAX : bytes == 0 ? 1 : (size_t)bytes;
}

void gs_job_check_folder(const char *folder)
{
    if (folder == NULL)
        gs_die_usage("say where the index is to be: -o DIR");
    if (*folder == '\0')
        gs_die(ENOENT, "cannot create ''");
    if (strcmp(folder, "-") == 0) {
        gs_report(0, "an index is a folder, which standard output cannot be");
        gs_die(0, "give it a name; for a folder of that name say -o ./-");
    }
}

void gs_job_add_word(const char ***array, size_t *count, const char *word)
{
    *array = gs_args_grow(*array, *count, sizeof **array);
    (*array)[(*count)++] = word;
}

/* --- the work ---------------------------------------------------------------------- */

static void say(void *context, gs_log_level level, const char *text)
{
    const gs_index_job *const job = context;
    if (job->verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static gs_code write_stats(const gs_index_job *job, uint64_t total_ns, gs_status *st)
{
    const gs_index_stats *const stats = &job->stats;
    const gs_stats_extra extras[] = {
        {"method", stats->method, 0},
        {"tokens", NULL, stats->tokens},
        {"terms", NULL, stats->terms},
        {"skipped", NULL, stats->skipped},
    };
    return gs_stats_json_write_more(job->stats_path, &stats->sort, total_ns, extras,
                                    sizeof extras / sizeof *extras, st);
}

static gs_code watch(gs_index_job *job, gs_index_job_fn *work, void *context,
                     gs_status *st)
{
    const uint64_t start_ns = gs_machine_now_ns();
    gs_progress *progress = NULL;
    gs_trace_file *trace = NULL;
    if (job->has_stats)
        GS_TRY(gs_stats_json_try(job->stats_path, st));
    GS_TRY(gs_trace_file_start(&trace, job->trace_path, &job->stats.sort, st));
    job->trace = gs_trace_file_spans(trace);
    GS_NOTED(gs_progress_start(&progress, &job->stats.sort, job->progress, st));
    if (st->code == GS_OK)
        GS_NOTED(work(context, job, st));
    gs_progress_stop(progress);
    GS_NOTED(gs_trace_file_finish(trace, st));
    if (st->code == GS_OK && job->has_stats)
        GS_NOTED(write_stats(job, gs_machine_now_ns() - start_ns, st));
    return st->code;
}

int gs_index_job_run(gs_index_job *job, gs_index_job_fn *work, void *context)
{
    gs_status st = {.code = GS_OK};
    job->log = (gs_log){.fn = say, .context = job};
    if (watch(job, work, context, &st) == GS_OK)
        return GS_EXIT_GOOD;
    gs_report_status(&st, true);
    return GS_EXIT_TROUBLE;
}
