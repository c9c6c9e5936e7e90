/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_delete.h"

#include <errno.h>

#include "lib/base/mem.h"
#include "lib/index/grow/index_compact.h"

struct gs_index_deletion {
    gs_index_merge_options options;
    gs_growth growth;
    gs_segments *segments;
    gs_tombstones *made; /* of each segment; own is NULL: nothing is deleted */
    uint64_t count;
};

gs_code gs_index_deletion_open(gs_index_deletion **out,
                               const gs_index_merge_options *options, gs_status *st)
{
    gs_index_deletion *d = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&d, sizeof *d, "deletion", st));
    d->options = *options;
    d->growth.fd = -1;
    GS_TRY_OR_FAIL(gs_growth_open(&d->growth, options->folder, options->log, st));
    GS_TRY_OR_FAIL(gs_segments_open(&d->segments, options->folder, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&d->made, d->segments->count, sizeof *d->made, "deletion", st));
    *out = d;
    return GS_OK;
fail:
    gs_index_deletion_close(d);
    return st->code;
}

/* What only reading needs. */
static void close_segments(gs_index_deletion *d)
{
    for (size_t i = 0; d->made != NULL && i < d->segments->count; i++)
        gs_tombstones_close(&d->made[i]);
    gs_mem_free(d->made);
    gs_segments_close(d->segments);
    d->made = NULL;
    d->segments = NULL;
}

void gs_index_deletion_close(gs_index_deletion *d)
{
    if (d == NULL)
        return;
    close_segments(d);
    gs_growth_close(&d->growth);
    gs_mem_free(d);
}

uint64_t gs_index_deletion_count(const gs_index_deletion *d)
{
    return d->count;
}

/* --- names ------------------------------------------------------------------------ */

typedef struct name_search {
    gs_index_deletion *d;
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
    n->is_there[number] = true;
    if (made->own == NULL)
        GS_TRY(gs_tombstones_make(made, &segment->deleted,
                                  gs_index_header_of(segment->index)->documents, st));
    n->d->count += gs_tombstones_add(made, doc, length);
    return GS_OK;
}

gs_code gs_index_deletion_names(gs_index_deletion *d, const gs_text_span *names,
                                size_t count, bool *is_there, gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        is_there[i] = false;
    for (size_t i = 0; i < d->segments->count; i++) {
        name_search search = {d, i, is_there};
        GS_TRY(gs_index_each_named(d->segments->items[i].index, names, count, take,
                                   &search, st));
    }
    return gs_segments_check_unchanged(d->segments, st);
}

/* --- commit ----------------------------------------------------------------------- */

static gs_code write_deletions(gs_growth *g, size_t segment, gs_tombstones *made,
                               gs_status *st)
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

static gs_code write_all(gs_index_deletion *d, gs_status *st)
{
    for (size_t i = 0; i < d->segments->count; i++) {
        if (d->made[i].own != NULL)
            GS_TRY(write_deletions(&d->growth, i, &d->made[i], st));
    }
    return gs_growth_commit(&d->growth, st);
}

gs_code gs_index_deletion_commit(gs_index_deletion *d, bool merges, gs_status *st)
{
    if (d->count > 0)
        GS_TRY(write_all(d, st));
    close_segments(d);
    return merges ? gs_growth_merge(&d->growth, &d->options, st) : GS_OK;
}
