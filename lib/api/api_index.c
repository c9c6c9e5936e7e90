/* SPDX-License-Identifier: MIT */
/*
 * Open indexes: what they are, whether they are as they should be, all that they have.
 */
#include "lib/api/api_index.h"

#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

gpusort_code gpusort_index_open(gpusort_index **out, const char *folder,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_index *index = NULL;
    *out = NULL;
    if (gs_mem_new(&index, sizeof *index, "index", &st) == GS_OK) {
        pthread_mutex_init(&index->mutex, NULL);
        if (gs_segments_open(&index->segments, folder, &st) == GS_OK)
            GS_NOTED(gs_doc_presence_new(&index->presence,
                                         index->segments->items[0].index, &st));
    }
    if (st.code == GS_OK)
        *out = index;
    else
        gpusort_index_close(index);
    return gs_api_result(&st, error);
}

void gpusort_index_close(gpusort_index *index)
{
    if (index == NULL)
        return;
    gs_word_rules_free(index->rules);
    gs_doc_presence_free(index->presence);
    gs_segments_close(index->segments);
    pthread_mutex_destroy(&index->mutex);
    gs_mem_free(index);
}

/* Once; who fails leaves it to the next. */
static gs_code read_rules(gpusort_index *index, gs_status *st)
{
    const char *const words = gs_segments_header(index->segments)->tokenizer;
    gs_status why = {.code = GS_OK};
    gs_quoted q;
    if (!index->has_rules && words != NULL)
        GS_NOTED(gs_word_rules_read(&index->rules, words, &why));
    index->has_rules = why.code == GS_OK;
    return why.code == GS_OK
               ? GS_OK
               : GS_FAIL(st, why.code, why.sys, "%s: %s",
                         gs_quote_name(&q, index->segments->folder), why.msg);
}

gs_code gs_api_index_rules(const gpusort_index *index, const gs_word_rules **out,
                           gs_status *st)
{
    gpusort_index *const mine = (gpusort_index *)(uintptr_t)index; /* it came from new */
    pthread_mutex_lock(&mine->mutex);
    GS_NOTED(read_rules(mine, st));
    *out = mine->rules;
    pthread_mutex_unlock(&mine->mutex);
    return st->code;
}

gs_code gs_api_index_check_document(const gpusort_index *index, uint64_t document,
                                    gs_status *st)
{
    const uint64_t documents = index->segments->documents;
    return document < documents
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "document %llu of %llu",
                         (unsigned long long)document, (unsigned long long)documents);
}

gs_code gs_api_index_need_texts(const gs_segments *segments, gs_status *st)
{
    gs_quoted q;
    if (gs_segments_header(segments)->has_texts)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has no stored texts",
                  gs_quote_name(&q, segments->folder));
    return gs_status_hint(st, "build it with --store to keep the text of documents");
}

gs_code gs_api_index_write(void *context, const void *data, size_t bytes, gs_status *st)
{
    const gs_api_writer *const w = context;
    GS_TRY(gs_cancel_check(w->cancel, st));
    GS_TRY(gs_segments_check_unchanged(w->segments, st));
    return w->write(w->context, data, bytes) == 0
               ? GS_OK
               : GS_FAIL(st, GS_ERR_CANCELLED, 0, "cancelled");
}

/* --- what it is --------------------------------------------------------------------- */

static gpusort_index_info describe(const gs_segments *s)
{
    const gs_index_header *const first = gs_segments_header(s);
    gpusort_index_info all = {
        .documents = s->documents,
        .has_positions = first->has_positions,
        .has_names = first->has_names,
        .has_texts = first->has_texts,
        .has_impacts = first->has_impacts,
        .length_sum = s->length_sum,
        .doc_base = first->doc_base,
        .segments = s->count,
        .word_rules = first->tokenizer,
    };
    for (size_t i = 0; i < s->count; i++) {
        const gs_index_header *const h = gs_index_header_of(s->items[i].index);
        all.terms += h->terms;
        all.postings += h->postings;
        all.tokens += h->tokens;
        all.deleted += s->items[i].deleted.head.deleted;
    }
    return all;
}

static void give(gpusort_index_info *info, gpusort_index_info all)
{
    all.size = info->size;
    gs_api_give(info, all.size, &all, sizeof all);
}

void gpusort_index_describe(const gpusort_index *index, gpusort_index_info *info)
{
    give(info, describe(index->segments));
}

gpusort_code gpusort_index_count(const gpusort_index *index, gpusort_index_info *info,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_segments_counts counts;
    gpusort_index_info all = describe(index->segments);
    if (gs_segments_count(index->segments, &counts, &st) == GS_OK &&
        gs_segments_check_unchanged(index->segments, &st) == GS_OK) {
        all.terms = counts.terms;
        all.postings = counts.postings;
        all.tokens = counts.tokens;
        give(info, all);
    }
    return gs_api_result(&st, error);
}

const char *gpusort_index_file(const gpusort_index *index, size_t i, uint64_t *bytes)
{
    *bytes = 0;
    if (i >= GS_INDEX_FILE_COUNT)
        return NULL;
    for (size_t k = 0; k < index->segments->count; k++)
        *bytes += gs_index_header_of(index->segments->items[k].index)->file_bytes[i];
    return gs_index_file_names[i];
}

/* --- whether it is as it should be -------------------------------------------------- */

gpusort_code gpusort_index_unchanged(const gpusort_index *index, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(gs_segments_check_unchanged(index->segments, &st));
    return gs_api_result(&st, error);
}

/* Every segment; deletions were looked at when it was opened. */
static gs_code verify(const gs_segments *s, const volatile int *cancel, gs_status *st)
{
    for (size_t i = 0; i < s->count; i++)
        GS_TRY(gs_index_verify(s->items[i].index, cancel, st));
    return GS_OK;
}

gpusort_code gpusort_index_verify(const gpusort_index *index, unsigned flags,
                                  const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if (gs_api_check_flags(flags, GPUSORT_SUMS_ONLY, &st) == GS_OK &&
        gs_api_job_open(&running, job, &st) == GS_OK) {
        GS_NOTED((flags & GPUSORT_SUMS_ONLY) != 0
                     ? gs_segments_check_sums(index->segments, &st)
                     : verify(index->segments, &running.cancel, &st));
        if (st.code == GS_OK)
            GS_NOTED(gs_segments_check_unchanged(index->segments, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}

/* --- all of it ---------------------------------------------------------------------- */

static gs_code dump(const gs_segments *s, bool has_positions, gs_api_writer *writer,
                    gs_status *st)
{
    gs_text_out out = {0};
    if (gs_segments_check_sums(s, st) == GS_OK &&
        gs_text_out_open(&out, gs_api_index_write, writer, st) == GS_OK &&
        gs_segments_dump(s, has_positions, &out, writer->cancel, st) == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(s, st));
    gs_text_out_release(&out);
    return st->code;
}

gpusort_code
gpusort_index_dump(const gpusort_index *index, unsigned flags,
                   int (*write)(void *context, const void *text, size_t bytes),
                   void *context, const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if (gs_api_check_flags(flags, GPUSORT_POSITIONS, &st) == GS_OK &&
        gs_api_job_open(&running, job, &st) == GS_OK) {
        gs_api_writer writer = {
            .segments = index->segments,
            .write = write,
            .context = context,
            .cancel = &running.cancel,
        };
        GS_NOTED(dump(index->segments, (flags & GPUSORT_POSITIONS) != 0, &writer, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}
