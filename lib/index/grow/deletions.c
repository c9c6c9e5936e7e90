/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/deletions.h"

#include <errno.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

gs_code gs_deletions_open(gs_deletions *d, const gs_growth *g, gs_status *st)
{
    *d = (gs_deletions){.count = 0};
    GS_TRY(gs_segments_open(&d->segments, g->folder, st));
    return gs_mem_new_array(&d->made, d->segments->count, sizeof *d->made, "deletions",
                            st);
}

void gs_deletions_close(gs_deletions *d)
{
    for (size_t i = 0; d->made != NULL && i < d->segments->count; i++)
        gs_tombstones_close(&d->made[i]);
    gs_mem_free(d->made);
    gs_segments_close(d->segments);
    *d = (gs_deletions){.count = 0};
}

/* --- names ------------------------------------------------------------------------ */

typedef struct name_search {
    gs_deletions *d;
    size_t segment;
    bool *is_there;
} name_search;

static gs_code take(void *context, uint64_t doc, uint32_t length, size_t number,
                    gs_status *st)
{
    const name_search *const n = context;
    const gs_segment *const segment = &n->d->segments->items[n->segment];
    gs_tombstones *const made = &n->d->made[n->segment];
    if (gs_tombstones_has(&segment->deleted, doc))
        return GS_OK;
    if (n->is_there != NULL)
        n->is_there[number] = true;
    if (made->own == NULL)
        GS_TRY(gs_tombstones_make(made, &segment->deleted,
                                  gs_index_header_of(segment->index)->documents, st));
    n->d->count += gs_tombstones_add(made, doc, length);
    return GS_OK;
}

gs_code gs_deletions_names(gs_deletions *d, const gs_text_span *names, size_t count,
                           bool *is_there, gs_status *st)
{
    for (size_t i = 0; is_there != NULL && i < count; i++)
        is_there[i] = false;
    for (size_t i = 0; i < d->segments->count; i++) {
        name_search search = {d, i, is_there};
        GS_TRY(gs_index_each_named(d->segments->items[i].index, names, count, take,
                                   &search, st));
    }
    return gs_segments_check_unchanged(d->segments, st);
}

/* --- files ------------------------------------------------------------------------ */

static gs_code write_one(gs_growth *g, size_t segment, gs_tombstones *made, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_manifest_segment *const to = &g->manifest.segments[segment];
    const uint64_t number = gs_growth_take_number(g);
    if (!gs_index_deletions_path(path, g->folder, number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot write: %s", g->folder);
    GS_TRY(gs_tombstones_write(made, path, &to->deletions_sum, st));
    to->deletions = number;
    to->deleted = made->head.deleted;
    return GS_OK;
}

gs_code gs_deletions_write(gs_deletions *d, gs_growth *g, gs_status *st)
{
    gs_assert(d->segments->count <= g->manifest.count);
    for (size_t i = 0; i < d->segments->count; i++) {
        if (d->made[i].own != NULL)
            GS_TRY(write_one(g, i, &d->made[i], st));
    }
    return GS_OK;
}
