/* SPDX-License-Identifier: MIT */
/*
 * Sorts, merges and checks of files and descriptors.
 */
#include "lib/api/api_files.h"
#include "lib/base/mem.h"
#include "lib/sort/sort.h"

static gs_code sort(void *context, const gs_sort_options *options, gs_status *st)
{
    (void)context;
    return gs_sort_run(options, st);
}

gpusort_code gpusort_sort(const gpusort_sort_options *options, gpusort_error *error)
{
    return gs_api_files_run(options, sort, NULL, error);
}

static gs_code merge(void *context, const gs_sort_options *options, gs_status *st)
{
    (void)context;
    return gs_sort_merge(options, st);
}

gpusort_code gpusort_merge(const gpusort_sort_options *options, gpusort_error *error)
{
    return gs_api_files_run(options, merge, NULL, error);
}

gpusort_code gpusort_check(const gpusort_sort_options *options, uint64_t *disorder,
                           gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_sort_disorder found = {.found = false};
    gs_api_files f;
    *disorder = 0;
    if (gs_api_files_open(&f, options, &st) == GS_OK) {
        if (f.sort.options.input_count != 1)
            (void)GS_FAIL(&st, GS_ERR_ARG, 0, "one input is checked, and not %zu",
                          f.sort.options.input_count);
        else
            GS_NOTED(gs_sort_check(&f.sort.options, &found, &st));
    }
    if (found.found) {
        *disorder = found.line_number;
        if (f.sort.asked.disorder != NULL)
            f.sort.asked.disorder(f.sort.asked.job.context, found.line_number, found.line,
                                  found.line_bytes);
    }
    gs_mem_free(found.line);
    gs_api_files_close(&f, &st);
    return gs_api_result(&st, error);
}
