/* SPDX-License-Identifier: MIT */
#include "lib/api/api_files.h"

#include "lib/api/api_call.h"

static gs_code take_inputs(gs_api_files *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    GS_TRY(gs_api_inputs_open(&f->inputs, asked->inputs, asked->input_count,
                              asked->input_fds, asked->input_fd_count, &f->sort.job, st));
    f->sort.options.inputs = f->inputs.names;
    f->sort.options.input_count = f->inputs.count;
    return GS_OK;
}

static gs_code take_output(gs_api_files *f, gs_status *st)
{
    const gpusort_sort_options *const asked = &f->sort.asked;
    GS_TRY(gs_api_check_output(asked->output, asked->output_fd, asked->write != NULL,
                               &f->sort.options.output_fd, st));
    if (asked->write == NULL)
        return GS_OK;
    if (asked->checkpoint != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a function and a checkpoint: what was given "
                       "is not known when the job goes on");
    f->function = (gs_api_taker){asked->write, asked->job.context};
    f->taker = (gs_text_taker){.take = gs_api_take, .context = &f->function};
    f->sort.options.taker = &f->taker;
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
    gs_api_inputs_close(&f->inputs, st);
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
