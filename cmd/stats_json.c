/* SPDX-License-Identifier: MIT */
#include "cmd/stats_json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/machine.h"

static void put_count(FILE *to, const char *name, uint64_t value)
{
    fprintf(to, "  \"%s\": %" PRIu64 ",\n", name, value);
}

static void put_seconds(FILE *to, const gpusort_figures *f, uint64_t total_ns)
{
    static const char *const names[] = {
        [GPUSORT_STARTING] = "start",   [GPUSORT_READING] = "read",
        [GPUSORT_SORTING] = "sort",     [GPUSORT_MERGING] = "merge",
        [GPUSORT_FINISHING] = "finish",
    };
    _Static_assert(sizeof names / sizeof *names == GPUSORT_PHASES, "a name each");
    fprintf(to, "  \"seconds\": {\"total\": %.6f", (double)total_ns / 1e9);
    for (int phase = 0; phase < GPUSORT_PHASES; phase++)
        fprintf(to, ", \"%s\": %.6f", names[phase], (double)f->phase_ns[phase] / 1e9);
    fputs("},\n", to);
}

static void put_index(FILE *to, const gpusort_figures *f)
{
    fprintf(to, "  \"method\": \"%s\",\n", f->method);
    put_count(to, "tokens", f->tokens);
    put_count(to, "terms", f->terms);
    put_count(to, "skipped", f->skipped);
}

/* Not looked at here, but while a job runs: phase, input_bytes_total, merged_bytes,
 * merged_bytes_total; and in its trace: spans_lost. */
static void put_object(FILE *to, const gpusort_stats *stats, uint64_t total_ns,
                       const gs_stats_extra *extras, size_t extra_count)
{
    gpusort_figures figures = {.size = sizeof figures};
    const gpusort_figures *const f = &figures;
    gpusort_stats_read(stats, &figures);
    fputs("{\n  \"version\": \"" GS_VERSION "\",\n", to);
    fprintf(to, "  \"engine\": \"%s\",\n", f->engine ? f->engine : "cpu");
    if (f->method != NULL)
        put_index(to, f);
    for (size_t i = 0; i < extra_count; i++)
        put_count(to, extras[i].name, *extras[i].number);
    put_count(to, "threads", f->threads);
    put_count(to, "input_bytes", f->input_bytes);
    put_count(to, "text_bytes", f->text_bytes);
    put_count(to, "records", f->records);
    put_count(to, "output_bytes", f->output_bytes);
    put_count(to, "output_records", f->output_records);
    if (f->has_output_sum)
        fprintf(to, "  \"output_xxh3\": \"%016" PRIx64 "\",\n", f->output_sum);
    if (f->verified != NULL)
        fprintf(to, "  \"verified\": \"%s\",\n", f->verified);
    put_count(to, "runs", f->runs);
    put_count(to, "passes", f->passes);
    put_count(to, "spill_bytes", f->spilled_bytes);
    put_count(to, "memory_limit_bytes", f->memory_bytes);
    put_count(to, "peak_memory_bytes", gs_machine_peak_rss_bytes());
    put_seconds(to, f, total_ns);
    const double seconds = (double)total_ns / 1e9;
    const double rate = seconds > 0 ? (double)f->text_bytes / seconds : 0;
    fprintf(to, "  \"bytes_per_second\": %.0f\n}\n", rate);
}

static bool is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

gs_code gs_stats_json_try(const char *path, gs_status *st)
{
    if (!path || is_stdout(path))
        return GS_OK;
    const int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", path);
    close(fd);
    return GS_OK;
}

gs_code gs_stats_json_write(const char *path, const gpusort_stats *stats,
                            uint64_t total_ns, const gs_stats_extra *extras,
                            size_t extra_count, gs_status *st)
{
    if (!path) {
        flockfile(stderr);
        put_object(stderr, stats, total_ns, extras, extra_count);
        funlockfile(stderr);
        return GS_OK;
    }
    FILE *to = is_stdout(path) ? stdout : fopen(path, "we");
    if (!to)
        return GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", path);
    put_object(to, stats, total_ns, extras, extra_count);
    const bool failed_before = ferror(to) != 0;
    errno = 0;
    const int closed = to == stdout ? fflush(to) : fclose(to);
    if (closed != 0 || failed_before)
        return GS_FAIL(st, GS_ERR_IO, errno, "write failed: %s", path);
    return GS_OK;
}
