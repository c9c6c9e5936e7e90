/* SPDX-License-Identifier: MIT */
#include "cmd/space_report.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "cmd/report.h"
#include "lib/base/quote.h"
#include "lib/base/temp_folder.h"

enum { SIZE_TEXT_BYTES = 32, FOLDER_BYTES = 4400 };

static const char *size_text(char text[SIZE_TEXT_BYTES], uint64_t bytes)
{
    const double mib = (double)bytes / (1 << 20);
    if (mib < 1024)
        (void)snprintf(text, SIZE_TEXT_BYTES, "%.1f MiB", mib);
    else
        (void)snprintf(text, SIZE_TEXT_BYTES, "%.1f GiB", mib / 1024);
    return text;
}

/* The text of all inputs. Of compressed ones as much is expected of the rest as came of
 * what was read; false if there is no knowing how long a pipe is, and it is more. */
static bool expect_text(const gpusort_stats *stats, uint64_t *bytes)
{
    gpusort_figures figures = {.size = sizeof figures};
    gpusort_stats_read(stats, &figures);
    const uint64_t total = figures.input_bytes_total, read = figures.input_bytes;
    const uint64_t text = figures.text_bytes;
    *bytes = total > text ? total : text;
    if (total > read && read > 0 && text > read)
        *bytes = (uint64_t)((double)text / (double)read * (double)total);
    return total > 0;
}

static void report_free(const char *folder)
{
    char text[SIZE_TEXT_BYTES];
    gs_quoted quoted;
    struct statvfs info;
    if (statvfs(folder, &info) == 0)
        gs_report(0, "%s has %s free", gs_quote_name_always(&quoted, folder),
                  size_text(text, (uint64_t)info.f_bavail * info.f_frsize));
}

static void report_temporary(const gpusort_sort_options *o)
{
    for (size_t i = 0; i < o->job.temp_folder_count; i++)
        report_free(o->job.temp_folders[i][0] != '\0' ? o->job.temp_folders[i] : "/");
    if (o->job.temp_folder_count == 0)
        report_free(gs_temp_folder());
    uint64_t bytes;
    char text[SIZE_TEXT_BYTES];
    const char *const about = expect_text(o->job.stats, &bytes) ? "about" : "more than";
    gs_report(
        0, "temporary files take %s %s%s: give a larger folder or several with -T%s",
        about, size_text(text, bytes),
        o->compress_program != NULL ? " before they are compressed" : "",
        o->compress_program != NULL ? ""
                                    : ", or compress them with --compress-program=zstd");
}

static void report_output(const gpusort_sort_options *o)
{
    char folder[FOLDER_BYTES], text[SIZE_TEXT_BYTES];
    struct stat info;
    if (stat(o->output, &info) == 0 && !S_ISREG(info.st_mode))
        return; /* a device has no folder that is full */
    const char *const slash = strrchr(o->output, '/');
    (void)snprintf(folder, sizeof folder, "%.*s",
                   slash != NULL ? (int)(slash - o->output) + 1 : 1,
                   slash != NULL ? o->output : ".");
    report_free(folder);
    uint64_t bytes;
    const bool is_known = expect_text(o->job.stats, &bytes);
    const bool is_less =
        o->order.is_unique || o->has_top || o->counts || o->output_zstd; /* or may be */
    if (is_known || !is_less)
        gs_report(0, "the output takes %s %s",
                  is_less    ? "up to"
                  : is_known ? "about"
                             : "more than",
                  size_text(text, bytes));
}

/* Nothing is kept where no run was finished: then the folder is gone, or empty. */
static bool has_kept(const char *folder)
{
    bool has_any = false;
    DIR *const d = opendir(folder);
    for (const struct dirent *e; d != NULL && !has_any && (e = readdir(d)) != NULL;)
        has_any = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    if (d != NULL)
        closedir(d);
    return has_any;
}

static void report_kept(const gpusort_sort_options *o)
{
    gs_quoted q;
    (void)gs_quote_name_always(&q, o->checkpoint);
    if (!has_kept(o->checkpoint)) {
        gs_report(0, "nothing was kept in %s: give a folder with more room", q.text);
        return;
    }
    report_free(o->checkpoint);
    gs_report(0, "what is done is kept in %s: with more room the same command goes on",
              q.text);
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* "NAME: REASON" */
static bool is_about(const char *text, const char *name)
{
    return begins(text, name) && begins(text + strlen(name), ": ");
}

void gs_space_report(const gpusort_sort_options *options, const char *failure)
{
    static const char write[] = "write failed: ";
    gs_quoted q;
    const bool is_temporary = begins(failure, "write failed: temporary file") ||
                              begins(failure, "cannot create temporary file");
    if (is_temporary && options->checkpoint != NULL)
        report_kept(options);
    else if (is_temporary)
        report_temporary(options);
    else if (options->output != NULL && begins(failure, write) &&
             is_about(failure + strlen(write), gs_quote_name(&q, options->output)))
        report_output(options);
}
