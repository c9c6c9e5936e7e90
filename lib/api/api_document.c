/* SPDX-License-Identifier: MIT */
/*
 * Documents of an open index: their names, and their texts where those are stored.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_index.h"
#include "lib/base/mem.h"

enum { BLOCKS_KEPT = 2, NAMES_AHEAD = 8, DOCUMENTS_NEAR = 256 };

/* --- names -------------------------------------------------------------------------- */

static gs_code find_name(const gpusort_index *index, uint64_t document,
                         gs_document_name *name, gs_status *st)
{
    GS_TRY(gs_api_index_check_document(index, document, st));
    GS_TRY(gs_segments_name(index->segments, document, name, st));
    return gs_segments_check_unchanged(index->segments, st);
}

gpusort_code gpusort_index_name(const gpusort_index *index, uint64_t document, char *name,
                                size_t room, size_t *bytes, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_document_name made = {0};
    *bytes = 0;
    if (find_name(index, document, &made, &st) == GS_OK && made.bytes > 0) {
        *bytes = made.bytes;
        memcpy(name, made.text, made.bytes < room ? made.bytes : room);
    }
    gs_document_name_release(&made);
    return gs_api_result(&st, error);
}

/* What comes next is in the caches. */
static bool is_near(uint64_t document, uint64_t next)
{
    return next > document && next - document < DOCUMENTS_NEAR;
}

/* As many as there is room for, and how long all of them are. */
static gs_code put_names(const gpusort_index *index, const uint64_t *documents,
                         size_t count, char *text, size_t room, uint64_t *offsets,
                         gs_document_name *name, gs_status *st)
{
    uint64_t last = 0;
    offsets[0] = 0;
    for (size_t i = 0; i < count; i++)
        last = documents[i] > last ? documents[i] : last;
    if (count > 0)
        GS_TRY(gs_api_index_check_document(index, last, st));
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = offsets[i];
        if (i + NAMES_AHEAD < count && !is_near(documents[i], documents[i + NAMES_AHEAD]))
            gs_segments_name_soon(index->segments, documents[i + NAMES_AHEAD]);
        GS_TRY(gs_segments_name(index->segments, documents[i], name, st));
        if (at <= room && name->bytes <= room - at && name->bytes > 0)
            memcpy(text + at, name->text, name->bytes);
        offsets[i + 1] = at + name->bytes;
    }
    return GS_OK;
}

gpusort_code gpusort_index_names(const gpusort_index *index, const uint64_t *documents,
                                 size_t count, char *text, size_t room, uint64_t *offsets,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_document_name name = {0};
    GS_NOTED(put_names(index, documents, count, text, room, offsets, &name, &st));
    gs_document_name_release(&name);
    return gs_api_result(&st, error);
}

static gs_code find(const gpusort_index *index, const char *const *names,
                    const size_t *lengths, size_t count, uint64_t *documents,
                    gs_status *st)
{
    _Static_assert(GS_NO_SUCH_NAME == UINT64_MAX, "what no document is called");
    gs_text_span *spans = NULL;
    GS_TRY(gs_mem_new_array(&spans, count, sizeof *spans, "names", st));
    for (size_t i = 0; i < count; i++)
        spans[i] = (gs_text_span){(const uint8_t *)names[i],
                                  lengths != NULL ? lengths[i] : strlen(names[i])};
    if (gs_segments_find_names(index->segments, spans, count, documents, st) == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(index->segments, st));
    gs_mem_free(spans);
    return st->code;
}

gpusort_code gpusort_index_find(const gpusort_index *index, const char *const *names,
                                const size_t *lengths, size_t count, uint64_t *documents,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    if (count > 0)
        GS_NOTED(find(index, names, lengths, count, documents, &st));
    return gs_api_result(&st, error);
}

/* --- texts -------------------------------------------------------------------------- */

struct gpusort_texts {
    const gpusort_index *index;
    gs_text_reader **readers; /* of each segment, once it is needed */
    gs_text_reader *reader;   /* of the document; NULL: none was begun */
};

static gs_code new_texts(gpusort_texts **out, const gpusort_index *index, gs_status *st)
{
    GS_TRY(gs_api_index_need_texts(index->segments, st));
    GS_TRY(gs_mem_new(out, sizeof **out, "texts", st));
    (*out)->index = index;
    return gs_mem_new_array(&(*out)->readers, index->segments->count,
                            sizeof(gs_text_reader *), "texts", st);
}

gpusort_code gpusort_texts_new(gpusort_texts **out, const gpusort_index *index,
                               gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = NULL;
    if (new_texts(out, index, &st) != GS_OK) {
        gpusort_texts_free(*out);
        *out = NULL;
    }
    return gs_api_result(&st, error);
}

void gpusort_texts_free(gpusort_texts *texts)
{
    if (texts == NULL)
        return;
    for (size_t i = 0; texts->readers != NULL && i < texts->index->segments->count; i++)
        gs_text_reader_free(texts->readers[i]);
    gs_mem_free(texts->readers);
    gs_mem_free(texts);
}

static gs_code begin(gpusort_texts *texts, uint64_t document, uint64_t *bytes,
                     gs_status *st)
{
    const gs_segments *const s = texts->index->segments;
    uint64_t there;
    texts->reader = NULL;
    GS_TRY(gs_api_index_check_document(texts->index, document, st));
    const gs_segment *const segment = gs_segments_find(s, document, &there);
    gs_text_reader **const reader = &texts->readers[segment - s->items];
    if (*reader == NULL)
        GS_TRY(gs_text_reader_new(reader, segment->index, BLOCKS_KEPT, st));
    GS_TRY(gs_text_reader_begin(*reader, there, bytes, st));
    texts->reader = *reader;
    return GS_OK;
}

gpusort_code gpusort_texts_begin(gpusort_texts *texts, uint64_t document, uint64_t *bytes,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    uint64_t all = 0;
    GS_NOTED(begin(texts, document, &all, &st));
    if (bytes != NULL)
        *bytes = all;
    return gs_api_result(&st, error);
}

gpusort_code gpusort_texts_next(gpusort_texts *texts, const void **piece, size_t *bytes,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_text_span span = {NULL, 0};
    if (texts->reader != NULL)
        GS_NOTED(gs_text_reader_next(texts->reader, &span, &st));
    *piece = span.data;
    *bytes = st.code == GS_OK ? span.bytes : 0;
    return gs_api_result(&st, error);
}
