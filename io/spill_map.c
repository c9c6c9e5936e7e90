/* SPDX-License-Identifier: MIT */
#include "io/spill_map.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

/* Each part by itself that lies in one piece in a file. */
static int map_bytes(uint8_t *at, const gs_spill_extent *extent)
{
    size_t n;
    for (size_t done = 0; done < extent->bytes; done += n) {
        const gs_spread_place place = gs_spread_find(&extent->spread, done);
        const size_t left = (size_t)extent->bytes - done;
        n = place.room < left ? place.room : left;
        if (mmap(at + done, n, PROT_READ, MAP_SHARED | MAP_FIXED, place.file,
                 (off_t)(extent->offset + place.offset)) == MAP_FAILED)
            return errno;
    }
    return 0;
}

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
    const int error = map_bytes(at, extent);
    if (error == 0)
        return GS_OK;
    gs_map_name_free(*name);
    *name = NULL;
    return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot map %s", text);
}
