/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/whole_index.h"

#include <errno.h>
#include <stdio.h>

#include "lib/base/mem.h"
#include "lib/index/segment/segments.h"

/* The folder of the segment, if it is all there is; NULL: it is not. */
static gs_code find_plain(const char *index, char **folder, gs_status *st)
{
    gs_segments *segments = NULL;
    *folder = NULL;
    GS_TRY(gs_segments_open(&segments, index, st));
    if (segments->is_plain)
        GS_NOTED(
            gs_mem_copy_string(folder, gs_index_folder_of(segments->items[0].index), st));
    gs_segments_close(segments);
    return st->code;
}

gs_code gs_whole_index(const gs_index_merge_options *options, const char *index,
                       gs_index_lent_fn *fn, void *context, gs_status *st)
{
    char name[GS_INDEX_PATH_BYTES];
    char *folder = NULL;
    gs_index_merge_options o = *options;
    GS_TRY(find_plain(index, &folder, st));
    if (folder != NULL) {
        GS_NOTED(fn(context, folder, st));
        gs_mem_free(folder);
        return st->code;
    }
    if (snprintf(name, sizeof name, "%s.whole", options->folder) >= (int)sizeof name)
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot write: %s", options->folder);
    o.folder = name;
    o.inputs = &index;
    o.input_count = 1;
    return gs_index_merge_lend(&o, fn, context, st);
}
