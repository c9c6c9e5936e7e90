/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/job_text.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/mem.h"

gs_code gs_job_text(char **out, gs_job_text_fn *put, const void *context, gs_status *st)
{
    char *text = NULL;
    size_t bytes = 0;
    *out = NULL;
    FILE *const memory = open_memstream(&text, &bytes);
    if (memory == NULL)
        return GS_FAIL(st, GS_ERR_NOMEM, errno, "what the job is");
    put(memory, context);
    if (fclose(memory) != 0)
        (void)GS_FAIL(st, GS_ERR_NOMEM, errno, "what the job is");
    else
        GS_NOTED(gs_mem_copy_string(out, text, st));
    free(text);
    return st->code;
}
