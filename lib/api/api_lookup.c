/* SPDX-License-Identifier: MIT */
/*
 * Lookups in an open index: the postings of a term, and lines of any number of terms.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_index.h"
#include "lib/api/api_job.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/index/lookup/lookups.h"

_Static_assert((int)GPUSORT_TERM_BYTES_MAX == (int)GS_TERM_BATCH_BYTES,
               "the longest term of others is ours");

/* --- lookup ------------------------------------------------------------------------- */

static gs_code read_list(gs_segment_terms *terms, gs_segment_postings *list,
                         gpusort_postings *out, gs_status *st)
{
    uint64_t df, cf, doc, tf;
    GS_TRY(gs_segment_terms_count(terms, &df, &cf, st));
    const size_t count = (size_t)df;
    if (count == 0) /* of what had the term nothing is left */
        return GS_OK;
    GS_TRY(
        gs_mem_new_array(&out->documents, count, sizeof *out->documents, "postings", st));
    GS_TRY(gs_mem_new_array(&out->frequencies, count, sizeof *out->frequencies,
                            "postings", st));
    gs_segment_postings_begin(list, terms);
    for (;;) {
        GS_TRY(gs_segment_postings_next(list, &doc, &tf, st));
        if (doc == GS_NO_DOC || out->count == count)
            return GS_OK;
        out->documents[out->count] = doc;
        out->frequencies[out->count++] = (uint32_t)tf;
    }
}

static gs_code look_up(const gs_segments *index, const void *term, size_t bytes,
                       gpusort_postings *out, gs_status *st)
{
    gs_segment_terms *terms = NULL;
    gs_segment_postings *list = NULL;
    if (gs_segment_terms_new(&terms, index, st) == GS_OK &&
        gs_mem_new(&list, sizeof *list, "posting list", st) == GS_OK &&
        gs_segment_terms_seek(terms, term, bytes, st) == GS_OK &&
        gs_segment_terms_is_at(terms, term, bytes))
        GS_NOTED(read_list(terms, list, out, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(index, st));
    if (list != NULL)
        gs_segment_postings_release(list);
    gs_mem_free(list);
    gs_segment_terms_free(terms);
    return st->code;
}

gpusort_code gpusort_index_lookup(const gpusort_index *index, const void *term,
                                  size_t bytes, gpusort_postings *out,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = (gpusort_postings){0};
    if (look_up(index->segments, term, bytes, out, &st) != GS_OK)
        gpusort_postings_free(out);
    return gs_api_result(&st, error);
}

void gpusort_postings_free(gpusort_postings *postings)
{
    gs_mem_free(postings->documents);
    gs_mem_free(postings->frequencies);
    *postings = (gpusort_postings){0};
}

/* --- lines of many terms ------------------------------------------------------------ */

typedef struct lookups {
    const gpusort_lookup_options *asked;
    const gs_segments *segments;
    gs_lookup_shape shape;
    gs_api_job running;
    gs_api_writer writer;
    const void *term; /* the next, if there is one */
    size_t bytes;
    bool has_term;
} lookups;

/* Does the term begin with `prefix', and is it less than the last one that is wanted? */
static bool is_in_range(const lookups *l, const uint8_t *term, size_t bytes,
                        const void *prefix, size_t prefix_bytes)
{
    const char *const to = l->asked->to_term;
    const size_t to_bytes = to != NULL ? strlen(to) : 0;
    if (bytes < prefix_bytes || memcmp(term, prefix, prefix_bytes) != 0)
        return false;
    const int order =
        to != NULL ? memcmp(term, to, bytes < to_bytes ? bytes : to_bytes) : -1;
    return order < 0 || (order == 0 && bytes < to_bytes);
}

/* Every such term from where the cursor stands. */
static gs_code put_range(const lookups *l, gs_term_cursor *cursor, const void *prefix,
                         size_t prefix_bytes, gs_text_out *out, gs_status *st)
{
    while (cursor->has_term &&
           is_in_range(l, cursor->term, cursor->bytes, prefix, prefix_bytes)) {
        GS_TRY(gs_index_lookup_here(cursor, l->shape, out, st));
        GS_TRY(gs_term_cursor_next(cursor, st));
    }
    return GS_OK;
}

/* The same of several segments. */
static gs_code put_range_over(const lookups *l, gs_segment_terms *terms,
                              const void *prefix, size_t prefix_bytes, gs_text_out *out,
                              gs_status *st)
{
    while (terms->has_term &&
           is_in_range(l, terms->term, terms->bytes, prefix, prefix_bytes)) {
        GS_TRY(gs_segments_lookup_here(terms, l->shape, out, st));
        GS_TRY(gs_segment_terms_next(terms, st));
    }
    return GS_OK;
}

static gs_code put_from_to(lookups *l, gs_status *st)
{
    gs_segment_terms *terms = NULL;
    gs_text_out out = {0};
    const char *const from = l->asked->from_term != NULL ? l->asked->from_term : "";
    if (gs_segment_terms_new(&terms, l->segments, st) == GS_OK &&
        gs_text_out_open(&out, gs_api_index_write, &l->writer, st) == GS_OK &&
        gs_segment_terms_seek(terms, from, strlen(from), st) == GS_OK &&
        (l->segments->is_plain ? put_range(l, terms->cursors[0], "", 0, &out, st)
                               : put_range_over(l, terms, "", 0, &out, st)) == GS_OK)
        GS_NOTED(gs_text_out_flush(&out, st));
    gs_text_out_release(&out);
    gs_segment_terms_free(terms);
    return st->code;
}

static gs_code answer(const void *context, gs_term_cursor *cursor, const void *term,
                      size_t bytes, gs_text_out *out, gs_status *st)
{
    const lookups *const l = context;
    return l->asked->is_prefix
               ? put_range(l, cursor, term, bytes, out, st)
               : gs_index_lookup_sought(cursor, term, bytes, l->shape, out, st);
}

static gs_code answer_over(const void *context, gs_segment_terms *terms, const void *term,
                           size_t bytes, gs_text_out *out, gs_status *st)
{
    const lookups *const l = context;
    return l->asked->is_prefix
               ? put_range_over(l, terms, term, bytes, out, st)
               : gs_segments_lookup_sought(terms, term, bytes, l->shape, out, st);
}

static gs_code fill(void *context, gs_term_batch *batch, bool may_wait, gs_status *st)
{
    lookups *const l = context;
    for (;;) {
        const bool is_first = gs_term_batch_count(batch) == 0;
        if (!l->has_term) {
            const int more = l->asked->next(l->asked->job.context, may_wait && is_first,
                                            &l->term, &l->bytes);
            if (more < 0 || l->running.cancel != 0)
                return GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
            if (more == 0)
                return GS_OK;
        }
        l->has_term = !gs_term_batch_add(batch, l->term, l->bytes);
        if (!l->has_term)
            continue;
        return is_first ? GS_FAIL(st, GS_ERR_LIMIT, 0,
                                  "a term of %zu bytes: it has at most %d", l->bytes,
                                  GPUSORT_TERM_BYTES_MAX)
                        : GS_OK;
    }
}

static gs_code answer_terms(lookups *l, gs_status *st)
{
    const gpusort_job *const job = &l->asked->job;
    const gs_batch_answer_options options = {
        .index = l->segments->items[0].index,
        .segments = l->segments->is_plain ? NULL : l->segments,
        .workers = job->threads != 0 ? job->threads : gs_machine_cores(),
        .engine = job->engine,
        .expected_queries = l->asked->expected_terms,
        .fill = fill,
        .fill_context = l,
        .answer = answer,
        .answer_over = answer_over,
        .answer_context = l,
        .write = gs_api_index_write,
        .write_context = &l->writer,
        .log = &l->running.log,
    };
    return gs_batch_answer_all(&options, st);
}

static gs_code answer_all(const gpusort_index *index, const gpusort_lookup_options *asked,
                          gs_status *st)
{
    const bool is_range = asked->from_term != NULL || asked->to_term != NULL;
    lookups l = {.asked = asked, .segments = index->segments};
    if (asked->write == NULL || (asked->next == NULL && !is_range))
        return GS_FAIL(st, GS_ERR_ARG, 0, "lookups need terms, and where lines go");
    if (is_range && (asked->next != NULL || asked->is_prefix))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a range of terms goes with no other terms");
    if (asked->as_json)
        l.shape = asked->counts_only ? GS_LOOKUP_JSON_DF : GS_LOOKUP_JSON;
    else
        l.shape = asked->counts_only ? GS_LOOKUP_DF : GS_LOOKUP_TEXT;
    GS_TRY(gs_api_job_open(&l.running, &asked->job, st));
    l.writer = (gs_api_writer){
        .segments = index->segments,
        .write = asked->write,
        .context = asked->job.context,
        .cancel = &l.running.cancel,
    };
    GS_NOTED(is_range ? put_from_to(&l, st) : answer_terms(&l, st));
    if (st->code == GS_OK) /* also if there was nothing to write */
        GS_NOTED(gs_segments_check_unchanged(index->segments, st));
    gs_api_job_close(&l.running);
    return st->code;
}

gpusort_code gpusort_index_lookups(const gpusort_index *index,
                                   const gpusort_lookup_options *options,
                                   gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_lookup_options asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(answer_all(index, &asked, &st));
    return gs_api_result(&st, error);
}
