/* SPDX-License-Identifier: MIT */
/*
 * Sorts, merges and checks of files and descriptors.
 */
#include "lib/api/api_order.h"
#include "lib/api/api_pipe.h"
#include "lib/base/mem.h"

typedef struct file_job {
    gs_api_sort sort;
    const char **inputs; /* names of files, then of descriptors */
    gs_api_source *sources;
    size_t source_count;
} file_job;

/* Nothing to read is an empty input. */
static gs_code take_inputs(file_job *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    const size_t count = asked->input_count + asked->input_fd_count;
    GS_TRY(gs_mem_new_array(&f->inputs, count + 1, sizeof *f->inputs, "inputs", st));
    GS_TRY(gs_mem_new_array(&f->sources, asked->input_fd_count, sizeof *f->sources,
                            "inputs", st));
    for (size_t i = 0; i < asked->input_count; i++)
        f->inputs[i] = asked->inputs[i];
    for (size_t i = 0; i < asked->input_fd_count; i++) {
        GS_TRY(gs_api_source_open(&f->sources[i], asked->input_fds[i], st));
        f->inputs[asked->input_count + i] = f->sources[i].name;
        f->source_count++;
    }
    if (count == 0)
        f->inputs[0] = "/dev/null";
    f->sort.options.inputs = f->inputs;
    f->sort.options.input_count = count > 0 ? count : 1;
    return GS_OK;
}

static gs_code take_output(file_job *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    if (asked->output_fd < 0 || (asked->output_fd > 0 && asked->output != NULL))
        return GS_FAIL(st, GS_ERR_ARG, 0, "an output that is a file and a descriptor");
    f->sort.options.output_fd = asked->output_fd > 0 ? asked->output_fd - 1 : 0;
    if (asked->output_fd == 1)
        return GS_FAIL(st, GS_ERR_ARG, 0, "descriptor 0 is standard input");
    return GS_OK;
}

static gs_code open_job(file_job *f, const gpusort_sort_options *options, gs_status *st)
{
    *f = (file_job){0};
    GS_TRY(gs_api_sort_init(&f->sort, options, st));
    GS_TRY(take_output(f, st));
    return take_inputs(f, st);
}

static void close_job(file_job *f, gs_status *st)
{
    for (size_t i = 0; i < f->source_count; i++)
        GS_NOTED(gs_api_source_close(&f->sources[i], st));
    gs_mem_free(f->sources);
    gs_mem_free(f->inputs);
    gs_api_sort_release(&f->sort);
}

static gpusort_code run(const gpusort_sort_options *options,
                        gs_code (*work)(const gs_sort_options *, gs_status *),
                        gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_hush hush;
    file_job f;
    gs_api_hush_pipes(&hush);
    if (open_job(&f, options, &st) == GS_OK)
        GS_NOTED(work(&f.sort.options, &st));
    close_job(&f, &st);
    gs_api_unhush_pipes(&hush);
    return gs_api_result(&st, error);
}

gpusort_code gpusort_sort(const gpusort_sort_options *options, gpusort_error *error)
{
    return run(options, gs_sort_run, error);
}

gpusort_code gpusort_merge(const gpusort_sort_options *options, gpusort_error *error)
{
    return run(options, gs_sort_merge, error);
}

gpusort_code gpusort_check(const gpusort_sort_options *options, uint64_t *disorder,
                           gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_sort_disorder found = {.found = false};
    file_job f;
    *disorder = 0;
    if (open_job(&f, options, &st) == GS_OK) {
        if (f.sort.options.input_count != 1)
            (void)GS_FAIL(&st, GS_ERR_ARG, 0, "one input is checked, and not %zu",
                          f.sort.options.input_count);
        else
            GS_NOTED(gs_sort_check(&f.sort.options, &found, &st));
    }
    if (found.found)
        *disorder = found.line_number;
    gs_mem_free(found.line);
    close_job(&f, &st);
    return gs_api_result(&st, error);
}
