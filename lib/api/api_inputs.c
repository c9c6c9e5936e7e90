/* SPDX-License-Identifier: MIT */
#include "lib/api/api_inputs.h"

#include "lib/base/mem.h"

gs_code gs_api_inputs_open(gs_api_inputs *in, const char *const *files, size_t file_count,
                           const int *fds, size_t fd_count, gs_api_job *job,
                           gs_status *st)
{
    const size_t count = file_count + fd_count;
    *in = (gs_api_inputs){.count = count > 0 ? count : 1};
    GS_TRY(gs_mem_new_array(&in->names, in->count, sizeof *in->names, "inputs", st));
    GS_TRY(gs_mem_new_array(&in->sources, fd_count, sizeof *in->sources, "inputs", st));
    for (size_t i = 0; i < file_count; i++)
        in->names[i] = files[i];
    for (size_t i = 0; i < fd_count; i++) {
        GS_TRY(gs_api_source_open(&in->sources[i], fds[i], job, st));
        in->names[file_count + i] = in->sources[i].name;
        in->source_count++;
    }
    if (count == 0)
        in->names[0] = "/dev/null";
    return GS_OK;
}

void gs_api_inputs_close(gs_api_inputs *in, gs_status *st)
{
    for (size_t i = 0; i < in->source_count; i++)
        GS_NOTED(gs_api_source_close(&in->sources[i], st));
    gs_mem_free(in->sources);
    gs_mem_free(in->names);
}
