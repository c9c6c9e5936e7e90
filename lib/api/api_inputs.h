/* SPDX-License-Identifier: MIT */
/*
 * api_inputs: files and descriptors of a caller, as names that a job opens.
 *
 * Call order: open, the job reads `names`, close, also after a failure. The job is
 * borrowed, and open, until then.
 */
#ifndef GS_LIB_API_API_INPUTS_H
#define GS_LIB_API_API_INPUTS_H

#include "lib/api/api_pipe.h"

typedef struct gs_api_inputs {
    const char **names; /* of files, then of descriptors */
    size_t count;       /* at least 1: nothing to read is an empty input */
    gs_api_source *sources;
    size_t source_count;
} gs_api_inputs;

/* Closed also after a failure. */
GS_MUST_CHECK gs_code gs_api_inputs_open(gs_api_inputs *in, const char *const *files,
                                         size_t file_count, const int *fds,
                                         size_t fd_count, gs_api_job *job, gs_status *st);
/* A descriptor that could not be read to its end is a failure, if there was none. */
void gs_api_inputs_close(gs_api_inputs *in, gs_status *st);

#endif
