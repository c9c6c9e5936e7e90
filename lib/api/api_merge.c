/* SPDX-License-Identifier: MIT */
/*
 * Indexes made of indexes: several to one, and one in another order.
 */
#include "lib/api/api_merge.h"

#include <unistd.h>

#include "lib/api/api_call.h"
#include "lib/index/folder/folders.h"
#include "lib/index/grow/growths.h"
#include "lib/index/reorder/reorders.h"

_Static_assert((int)GPUSORT_IDS_AUTO == (int)GS_MERGE_IDS_AUTO &&
                   (int)GPUSORT_IDS_KEEP == (int)GS_MERGE_IDS_KEEP &&
                   (int)GPUSORT_IDS_SHIFT == (int)GS_MERGE_IDS_SHIFT,
               "the docIDs of others are ours");

gs_index_merge_options gs_api_merge_options(const char *folder, const gs_api_job *running)
{
    return (gs_index_merge_options){
        .folder = folder,
        .memory_bytes = running->job->memory_bytes,
        .threads = running->job->threads,
        .log = &running->log,
        .stats = &running->stats->index,
        .trace = running->stats->trace,
        .cancel_signal = &running->cancel,
    };
}

/* --- several to one ----------------------------------------------------------------- */

static gs_code check(const gpusort_index_merge_options *asked, gs_status *st)
{
    if (asked->input_count == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a merge needs indexes");
    if ((unsigned)asked->doc_ids > GPUSORT_IDS_SHIFT)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no known docIDs: %d", (int)asked->doc_ids);
    if (asked->joins_terms && asked->doc_ids != GPUSORT_IDS_AUTO)
        return GS_FAIL(st, GS_ERR_ARG, 0, "what is joined has the same documents");
    return GS_OK;
}

static gs_index_merge_options options_of(const gpusort_index_merge_options *asked,
                                         const gs_api_job *running)
{
    gs_index_merge_options o = gs_api_merge_options(asked->folder, running);
    o.replace = asked->replaces != 0;
    o.inputs = asked->inputs;
    o.input_count = asked->input_count;
    o.ids = (gs_merge_ids)asked->doc_ids;
    o.unique_ids = asked->unique_names != 0;
    o.from_term = asked->from_term;
    o.to_term = asked->to_term;
    o.joins_terms = asked->joins_terms != 0;
    o.checkpoint = asked->checkpoint;
    return o;
}

static gs_code merge(const gpusort_index_merge_options *asked, gs_status *st)
{
    gs_api_job running;
    GS_TRY(check(asked, st));
    if (asked->folder == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a merge needs a folder");
    GS_TRY(gs_api_job_open(&running, &asked->job, st));
    const gs_index_merge_options o = options_of(asked, &running);
    running.stats->index.method = "merge";
    GS_NOTED(gs_index_merge(&o, st));
    gs_api_job_close(&running);
    return st->code;
}

gpusort_code gpusort_index_merge(const gpusort_index_merge_options *options,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_index_merge_options asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(merge(&asked, &st));
    return gs_api_result(&st, error);
}

typedef struct cut_taker {
    int (*tell)(void *context, const void *term, size_t bytes);
    void *context;
} cut_taker;

static gs_code tell_cut(void *context, const uint8_t *term, size_t bytes, gs_status *st)
{
    const cut_taker *const t = context;
    return t->tell(t->context, term, bytes) == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
}

static gs_code cut(const gpusort_index_merge_options *asked, unsigned ranges,
                   cut_taker *taker, gs_status *st)
{
    gs_api_job running;
    GS_TRY(check(asked, st));
    if (ranges == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a merge has at least one range");
    GS_TRY(gs_api_job_open(&running, &asked->job, st));
    const gs_index_merge_options o = options_of(asked, &running);
    GS_NOTED(gs_index_merge_splitters(&o, ranges, tell_cut, taker, st));
    gs_api_job_close(&running);
    return st->code;
}

gpusort_code
gpusort_index_merge_cuts(const gpusort_index_merge_options *options, unsigned ranges,
                         int (*tell)(void *context, const void *term, size_t bytes),
                         void *context, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_index_merge_options asked = {0};
    cut_taker taker = {.tell = tell, .context = context};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(cut(&asked, ranges, &taker, &st));
    return gs_api_result(&st, error);
}

/* --- in another order --------------------------------------------------------------- */

static gs_code reorder_whole(void *context, const char *folder, gs_status *st)
{
    gs_index_reorder_options *const o = context;
    o->input = folder;
    return gs_index_reorder(o, st);
}

static gs_code reorder(const char *folder, const char *input, bool replaces,
                       const gs_api_job *running, gs_status *st)
{
    gs_index_reorder_options o = {
        .folder = folder,
        .replace = replaces,
        .memory_bytes = running->job->memory_bytes,
        .threads = running->job->threads,
        .log = &running->log,
        .trace = running->stats->trace,
        .stats = &running->stats->index,
        .cancel_signal = &running->cancel,
    };
    gs_index_merge_options whole = gs_api_merge_options(folder, running);
    whole.stats = NULL; /* figures are of the reordering */
    /* From before it is read: what is appended meanwhile would be lost. */
    const int lock = replaces ? gs_index_lock(folder, o.cancel_signal) : -1;
    if (lock >= 0)
        o.held_lock = &lock;
    GS_NOTED(gs_whole_index(&whole, input, reorder_whole, &o, st));
    if (lock >= 0)
        (void)close(lock);
    return st->code;
}

gpusort_code gpusort_index_reorder(const char *folder, const char *input, unsigned flags,
                                   const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if (gs_api_check_flags(flags, GPUSORT_REPLACE, &st) == GS_OK &&
        gs_api_job_open(&running, job, &st) == GS_OK) {
        running.stats->index.method = "reorder";
        GS_NOTED(reorder(folder, input, flags != 0, &running, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}
