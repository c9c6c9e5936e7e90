/* SPDX-License-Identifier: MIT */
#include "lib/api/api_taker.h"

gs_code gs_api_take(void *context, const uint8_t *text, size_t bytes, gs_status *st)
{
    const gs_api_taker *const t = context;
    return t->write(t->context, text, bytes) == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
}

gs_code gs_api_check_output(const char *file, int counted_fd, bool has_function, int *fd,
                            gs_status *st)
{
    *fd = counted_fd > 0 ? counted_fd - 1 : 0;
    if (counted_fd < 0 || (counted_fd > 0 && file != NULL))
        return GS_FAIL(st, GS_ERR_ARG, 0, "an output that is a file and a descriptor");
    if (counted_fd == 1)
        return GS_FAIL(st, GS_ERR_ARG, 0, "descriptor 0 is standard input");
    return has_function && (counted_fd > 0 || file != NULL)
               ? GS_FAIL(st, GS_ERR_ARG, 0, "an output beside a function that gets it")
               : GS_OK;
}
