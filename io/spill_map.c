/* SPDX-License-Identifier: MIT */
#include "io/spill_map.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

gs_code gs_spill_map_over(uint8_t *at, const gs_spill *spill,
                          const gs_spill_extent *extent, gs_map_name **name,
                          gs_status *st)
{
    const size_t bytes = (size_t)extent->bytes;
    char text[GS_STREAM_FAILURE_BYTES];
    *name = NULL;
    if (bytes == 0)
        return GS_OK;
    (void)snprintf(text, sizeof text, "temporary file in '%s'",
                   gs_spill_folder_name(spill, extent->folder));
    GS_TRY(gs_map_name_new(name, at, bytes, text, st));
    if (mmap(at, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, extent->fd,
             (off_t)extent->offset) != MAP_FAILED)
        return GS_OK;
    const int error = errno;
    gs_map_name_free(*name);
    *name = NULL;
    return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot map %s", text);
}
