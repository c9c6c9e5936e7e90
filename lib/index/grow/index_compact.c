/* SPDX-License-Identifier: MIT */
#include "lib/index/grow/index_compact.h"

#include <errno.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/grow/merge_policy.h"

/* --- some segments ---------------------------------------------------------------- */

static gs_code measure(const gs_growth *g, const gs_manifest_segment *segment,
                       gs_segment_size *out, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_index_header header;
    if (!gs_index_segment_path(path, g->folder, segment->number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", g->folder);
    GS_TRY(gs_index_header_read(&header, path, st));
    *out =
        (gs_segment_size){.documents = segment->documents, .deleted = segment->deleted};
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++)
        out->bytes += header.file_bytes[i];
    if (segment->deleted > 0)
        out->bytes = (uint64_t)((double)out->bytes *
                                (double)(segment->documents - segment->deleted) /
                                (double)segment->documents);
    gs_index_header_release(&header);
    return GS_OK;
}

static gs_code pick(const gs_growth *g, size_t *from, size_t *to, bool *is_picked,
                    gs_status *st)
{
    gs_segment_size *sizes = NULL;
    const size_t count = g->manifest.count;
    GS_TRY(gs_mem_new_array(&sizes, count, sizeof *sizes, "segments of an index", st));
    for (size_t i = 0; i < count && st->code == GS_OK; i++)
        GS_NOTED(measure(g, &g->manifest.segments[i], &sizes[i], st));
    if (st->code == GS_OK)
        *is_picked = gs_merge_policy_pick(sizes, count, from, to);
    gs_mem_free(sizes);
    return st->code;
}

/* Is nothing left of them, and something without them? */
static bool may_go(const gs_growth *g, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (g->manifest.segments[i].deleted < g->manifest.segments[i].documents)
            return false;
    }
    return to - from < g->manifest.count;
}

/* The first segment says where docIDs begin. Segments have the base of their index since
 * they may become the first, but for those that earlier versions appended: one of these
 * is merged with what would go, and so gets it. */
static gs_code keep_base(const gs_growth *g, size_t from, size_t *to, gs_status *st)
{
    while (from == 0 && may_go(g, from, *to)) {
        char path[GS_INDEX_PATH_BYTES];
        gs_index_header next;
        if (!gs_index_segment_path(path, g->folder, g->manifest.segments[*to].number))
            return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot read: %s", g->folder);
        GS_TRY(gs_index_header_read(&next, path, st));
        const uint64_t base = next.doc_base;
        gs_index_header_release(&next);
        if (base == g->header.doc_base)
            return GS_OK;
        ++*to;
    }
    return GS_OK;
}

static gs_code drop(gs_growth *g, size_t from, size_t to, gs_status *st)
{
    (void)gs_growth_take_number(g); /* manifests are told apart by it */
    gs_index_manifest_replace(&g->manifest, from, to, NULL);
    return gs_growth_commit(g, st);
}

static gs_code merge_some(gs_growth *g, const gs_index_merge_options *options,
                          size_t from, size_t to, gs_status *st)
{
    char path[GS_INDEX_PATH_BYTES];
    gs_manifest_segment merged;
    const uint64_t number = gs_growth_take_number(g);
    if (!gs_index_segment_path(path, g->folder, number))
        return GS_FAIL(st, GS_ERR_IO, ENAMETOOLONG, "cannot write: %s", g->folder);
    gs_index_merge_options o = *options;
    o.log = NULL; /* that names come again was told when they came */
    o.folder = path;
    o.inputs = &g->folder;
    o.input_count = 1;
    o.segment_from = from;
    o.segment_to = to;
    gs_log_say(g->log, GS_LOG_INFO, "%zu of %zu segments are merged", to - from,
               g->manifest.count);
    GS_TRY(gs_index_merge(&o, st));
    GS_TRY(gs_growth_describe(g, number, &merged, st));
    gs_index_manifest_replace(&g->manifest, from, to, &merged);
    return gs_growth_commit(g, st);
}

static gs_code merge_picked(gs_growth *g, const gs_index_merge_options *options,
                            gs_status *st)
{
    for (;;) {
        size_t from = 0, to = 0;
        bool is_picked = false;
        GS_TRY(pick(g, &from, &to, &is_picked, st));
        if (!is_picked)
            return GS_OK;
        GS_TRY(keep_base(g, from, &to, st));
        GS_TRY(may_go(g, from, to) ? drop(g, from, to, st)
                                   : merge_some(g, options, from, to, st));
    }
}

gs_code gs_growth_merge(gs_growth *g, const gs_index_merge_options *options,
                        gs_status *st)
{
    gs_status why = {.code = GS_OK};
    gs_quoted q;
    if (merge_picked(g, options, &why) == GS_ERR_CANCELLED)
        gs_status_keep_first(st, &why);
    else if (why.code != GS_OK)
        gs_log_say(g->log, GS_LOG_WARNING, "segments of %s could not be merged: %s",
                   gs_quote_name_always(&q, g->folder), why.msg);
    return st->code;
}

/* --- all of them ------------------------------------------------------------------ */

gs_code gs_index_compact(const gs_index_merge_options *options, gs_status *st)
{
    gs_growth g;
    gs_quoted q;
    GS_TRY(gs_growth_open(&g, options->folder, options->log, options->cancel_signal, st));
    gs_index_merge_options o = *options;
    o.inputs = &g.folder;
    o.input_count = 1;
    o.replace = true;
    o.held_lock = &g.fd;
    if (g.has_manifest) {
        GS_NOTED(gs_index_merge(&o, st));
    } else {
        /* Perhaps one that was killed had done it. */
        GS_NOTED(gs_index_folder_settle(options->folder, options->log, st));
        gs_log_say(options->log, GS_LOG_INFO, "%s has not grown: nothing is to be done",
                   gs_quote_name(&q, options->folder));
    }
    gs_growth_close(&g);
    return st->code;
}
