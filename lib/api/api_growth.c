/* SPDX-License-Identifier: MIT */
/*
 * Indexes that grow: more documents, fewer documents, all segments to one.
 */
#include <string.h>

#include "lib/api/api_build.h"
#include "lib/api/api_call.h"
#include "lib/api/api_merge.h"
#include "lib/base/mem.h"
#include "lib/index/grow/growths.h"

enum { NAMES_AT_ONCE = 1 << 18, FLAGS = GPUSORT_UPDATE | GPUSORT_NO_MERGE };

/* --- more --------------------------------------------------------------------------- */

static gs_code append(const gpusort_build_options *asked, unsigned flags, gs_status *st)
{
    gs_api_job running;
    gs_index_append_options o = {
        .asked = {.kind = asked->tokenizer != NULL,
                  .fold = asked->keeps_case || asked->folds_case,
                  .stem = asked->stem_language != NULL,
                  .stop_words = asked->stop_words != NULL,
                  .min_len = asked->min_len != 0,
                  .max_len = asked->max_len != 0},
        .updates = (flags & GPUSORT_UPDATE) != 0,
        .no_merge = (flags & GPUSORT_NO_MERGE) != 0,
    };
    GS_TRY(gs_api_check_flags(flags, FLAGS, st));
    GS_TRY(gs_api_build_make(&o.build, asked, st));
    if (asked->replaces || asked->checkpoint != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "what is added to an index replaces none and has no checkpoint");
    if (asked->keeps_case && asked->folds_case)
        return GS_FAIL(st, GS_ERR_ARG, 0, "case is kept and folded at once");
    if (asked->unique_names || asked->doc_base != 0 || asked->weight_scale != 0)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "names that are unique, a base and a scale are of new indexes");
    GS_TRY(gs_api_job_open(&running, &asked->job, st));
    o.build.stats = &running.stats->index;
    o.build.trace = running.stats->trace;
    o.build.log = &running.log;
    o.build.cancel_signal = &running.cancel;
    GS_NOTED(gs_index_append(&o, st));
    gs_api_job_close(&running);
    return st->code;
}

gpusort_code gpusort_index_append(const gpusort_build_options *options, unsigned flags,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_build_options asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(append(&asked, flags, &st));
    return gs_api_result(&st, error);
}

/* --- fewer -------------------------------------------------------------------------- */

struct gpusort_deletion {
    gs_index_merge_options options;
    gs_api_job running;
    bool is_running;
    gs_index_deletion *of;
    gs_text_span *names; /* of a batch, that has so much room */
    bool *is_there;
    size_t room;
};

gpusort_code gpusort_deletion_open(gpusort_deletion **out, const char *folder,
                                   const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_deletion *d = NULL;
    *out = NULL;
    if (gs_mem_new(&d, sizeof *d, "deletion", &st) == GS_OK &&
        gs_api_job_open(&d->running, job, &st) == GS_OK) {
        d->is_running = true;
        d->running.stats->index.method = "delete";
        d->options = gs_api_merge_options(folder, &d->running);
        GS_NOTED(gs_index_deletion_open(&d->of, &d->options, &st));
    }
    if (st.code == GS_OK)
        *out = d;
    else
        gpusort_deletion_free(d);
    return gs_api_result(&st, error);
}

/* Room for a batch. */
static gs_code make_room(gpusort_deletion *d, size_t count, gs_status *st)
{
    const size_t room = count < NAMES_AT_ONCE ? count : NAMES_AT_ONCE;
    if (room <= d->room)
        return GS_OK;
    d->room = 0;
    gs_mem_free(d->names);
    gs_mem_free(d->is_there);
    d->names = NULL;
    d->is_there = NULL;
    GS_TRY(gs_mem_new_array(&d->names, room, sizeof *d->names, "names of documents", st));
    GS_TRY(gs_mem_new_array(&d->is_there, room, sizeof *d->is_there, "names of documents",
                            st));
    d->room = room;
    return GS_OK;
}

static gs_code delete_names(gpusort_deletion *d, const char *const *names,
                            const size_t *lengths, size_t count, unsigned char *found,
                            gs_status *st)
{
    GS_TRY(make_room(d, count, st));
    for (size_t at = 0; at < count; at += d->room) {
        const size_t n = count - at < d->room ? count - at : d->room;
        for (size_t i = 0; i < n; i++)
            d->names[i] =
                (gs_text_span){(const uint8_t *)names[at + i],
                               lengths != NULL ? lengths[at + i] : strlen(names[at + i])};
        GS_TRY(gs_index_deletion_names(d->of, d->names, n, d->is_there, st));
        for (size_t i = 0; i < n && found != NULL; i++)
            found[at + i] = d->is_there[i];
    }
    return GS_OK;
}

gpusort_code gpusort_deletion_names(gpusort_deletion *d, const char *const *names,
                                    const size_t *lengths, size_t count,
                                    unsigned char *found, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (count > 0)
        GS_NOTED(delete_names(d, names, lengths, count, found, &st));
    return gs_api_result(&st, error);
}

gpusort_code gpusort_deletion_commit(gpusort_deletion *d, unsigned flags,
                                     uint64_t *deleted, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    const uint64_t documents = gs_index_deletion_count(d->of);
    if (gs_api_check_flags(flags, GPUSORT_NO_MERGE, &st) == GS_OK)
        GS_NOTED(gs_index_deletion_commit(d->of, (flags & GPUSORT_NO_MERGE) == 0, &st));
    if (deleted != NULL)
        *deleted = st.code == GS_OK ? documents : 0;
    return gs_api_result(&st, error);
}

void gpusort_deletion_free(gpusort_deletion *d)
{
    if (d == NULL)
        return;
    gs_index_deletion_close(d->of);
    if (d->is_running)
        gs_api_job_close(&d->running);
    gs_mem_free(d->names);
    gs_mem_free(d->is_there);
    gs_mem_free(d);
}

gpusort_code gpusort_index_delete(const char *folder, const char *const *names,
                                  size_t count, unsigned flags, unsigned char *found,
                                  uint64_t *deleted, const gpusort_job *job,
                                  gpusort_error *error)
{
    gpusort_error own = GPUSORT_NO_ERROR;
    gpusort_deletion *d = NULL;
    error = error != NULL ? error : &own;
    if (deleted != NULL)
        *deleted = 0;
    gpusort_code code = gpusort_deletion_open(&d, folder, job, error);
    if (code == GPUSORT_OK)
        code = gpusort_deletion_names(d, names, NULL, count, found, error);
    if (code == GPUSORT_OK)
        code = gpusort_deletion_commit(d, flags, deleted, error);
    gpusort_deletion_free(d);
    return code;
}

/* --- to one ------------------------------------------------------------------------- */

gpusort_code gpusort_index_compact(const char *folder, const gpusort_job *job,
                                   gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if (gs_api_job_open(&running, job, &st) == GS_OK) {
        const gs_index_merge_options o = gs_api_merge_options(folder, &running);
        running.stats->index.method = "compact";
        GS_NOTED(gs_index_compact(&o, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}
