/* SPDX-License-Identifier: MIT */
#include "lib/api/api_files.h"

#include "lib/api/api_call.h"
#include "lib/base/mem.h"

/* Nothing to read is an empty input. */
static gs_code take_inputs(gs_api_files *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    const size_t count = asked->input_count + asked->input_fd_count;
    GS_TRY(gs_mem_new_array(&f->inputs, count + 1, sizeof *f->inputs, "inputs", st));
    GS_TRY(gs_mem_new_array(&f->sources, asked->input_fd_count, sizeof *f->sources,
                            "inputs", st));
    for (size_t i = 0; i < asked->input_count; i++)
        f->inputs[i] = asked->inputs[i];
    for (size_t i = 0; i < asked->input_fd_count; i++) {
        GS_TRY(gs_api_source_open(&f->sources[i], asked->input_fds[i], &f->sort.job, st));
        f->inputs[asked->input_count + i] = f->sources[i].name;
        f->source_count++;
    }
    if (count == 0)
        f->inputs[0] = "/dev/null";
    f->sort.options.inputs = f->inputs;
    f->sort.options.input_count = count > 0 ? count : 1;
    return GS_OK;
}

static gs_code take_output(gs_api_files *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    if (asked->output_fd < 0 || (asked->output_fd > 0 && asked->output != NULL))
        return GS_FAIL(st, GS_ERR_ARG, 0, "an output that is a file and a descriptor");
    f->sort.options.output_fd = asked->output_fd > 0 ? asked->output_fd - 1 : 0;
    if (asked->output_fd == 1)
        return GS_FAIL(st, GS_ERR_ARG, 0, "descriptor 0 is standard input");
    return GS_OK;
}

gs_code gs_api_files_open(gs_api_files *f, const gpusort_sort_options *options,
                          gs_status *st)
{
    *f = (gs_api_files){0};
    GS_TRY(gs_api_sort_init(&f->sort, options, st));
    GS_TRY(take_output(f, st));
    return take_inputs(f, st);
}

void gs_api_files_close(gs_api_files *f, gs_status *st)
{
    for (size_t i = 0; i < f->source_count; i++)
        GS_NOTED(gs_api_source_close(&f->sources[i], st));
    gs_mem_free(f->sources);
    gs_mem_free(f->inputs);
    gs_api_sort_release(&f->sort);
}

gpusort_code gs_api_files_run(const gpusort_sort_options *options, gs_api_files_fn *work,
                              void *context, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_hush hush;
    gs_api_files f;
    const bool is_open = gs_api_files_open(&f, options, &st) == GS_OK;
    const bool is_hushed = is_open && !f.sort.options.ends_by_pipe;
    if (is_hushed)
        gs_api_hush_pipes(&hush);
    if (is_open)
        GS_NOTED(work(context, &f.sort.options, &st));
    gs_api_files_close(&f, &st);
    if (is_hushed)
        gs_api_unhush_pipes(&hush);
    return gs_api_result(&st, error);
}
