/* SPDX-License-Identifier: MIT */
/*
 * The parsers of every input format against any bytes, and what looks which format they
 * are: no crash, no leak, no hang, and what they find lies inside what they were given.
 * The first byte chooses the format, or that it is looked for.
 */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/index/text/document.h"
#include "lib/index/text/document_shape.h"
#include "lib/index/text/tuple.h"
#include "lib/index/format/posting.h"
#include "lib/base/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_so)
{
    if (!is_so)
        abort();
}

static bool is_inside(gs_text_span span, const uint8_t *begin, size_t bytes)
{
    return span.data >= begin && span.data + span.bytes <= begin + bytes;
}

static void read_tuples(const gs_line_batch *batch, gs_document_format format)
{
    static gs_tuple_batch tuples;
    gs_status st = {.code = GS_OK};
    if (tuples.terms.bytes == NULL)
        require(gs_token_batch_init(&tuples.terms, &st) == GS_OK);
    gs_tuple_reader reader;
    gs_bad_document bad;
    uint64_t lines = 0;
    gs_tuple_reader_begin(&reader, format, batch);
    do {
        gs_tuple_reader_next(&reader, &tuples, &bad);
        for (size_t i = 0; i < tuples.count; i++) {
            const gs_tuple *const t = &tuples.tuples[i];
            require(t->tf > 0 && t->doc < GS_DOCUMENTS_MAX && t->term.bytes > 0);
            require(t->term.hash == gs_term_hash(t->term.term, t->term.bytes));
        }
        lines += tuples.count + (bad.why != NULL);
    } while (tuples.count > 0 || bad.why != NULL);
    require(lines <= batch->bytes);
}

/* What was checked can be read. */
static void read_vector(gs_text_span vector)
{
    gs_vector_reader reader;
    gs_vector_weight weight;
    uint64_t sum = 0;
    gs_vector_reader_begin(&reader, vector, 0);
    while (gs_vector_reader_next(&reader, &weight)) {
        require(weight.term.raw.bytes > 0);
        sum += weight.impact;
    }
    require(sum <= UINT32_MAX);
}

static void check_list(const gs_document_list *list, const gs_line_batch *batch,
                       gs_document_format format, bool has_weights)
{
    for (size_t i = 0; i < list->count; i++) {
        const gs_document *const d = &list->documents[i];
        require(d->first_text + d->text_count <= list->text_count);
        require(d->name.bytes <= GS_DOCUMENT_NAME_BYTES_MAX);
        if (gs_document_format_is_json(format))
            require(gs_utf8_is_valid(d->name.data, d->name.bytes));
        if (has_weights)
            read_vector(d->vector);
    }
    for (size_t i = 0; i < list->text_count; i++) {
        const gs_text_span text = list->texts[i];
        require(is_inside(text, batch->data, batch->bytes));
        if (gs_document_format_is_json(format))
            require(gs_utf8_is_valid(text.data, text.bytes));
    }
    for (size_t i = 0; i < list->bad_count; i++)
        require(list->bad[i].why != NULL && list->bad[i].line <= list->line_count);
}

/* Cut in whatever pieces, records end where they do; of an array, cut in front of commas,
 * that is not seen of an end between two pieces. */
static void cut(const gs_record_ends *ends, bool is_array, const uint8_t *data,
                size_t bytes)
{
    if (ends->whole_bytes != NULL)
        require(ends->whole_bytes(data, bytes) <= bytes);
    if (ends->cut == NULL)
        return;
    gs_cut_state state = ends->begin;
    const size_t whole = ends->cut(&state, data, bytes);
    size_t end = 0;
    state = ends->begin;
    for (size_t i = 0; i < bytes; i++) {
        const size_t here = ends->cut(&state, data + i, 1);
        require(here <= 1);
        end = here > 0 ? i + 1 : end;
    }
    require(is_array ? end <= whole : end == whole);
}

/* As a build reads it: looked at, cut, parsed. */
static void read_documents(const gs_line_batch *batch, gs_document_format format)
{
    static const char *const name = "f";
    gs_status st = {.code = GS_OK};
    gs_document_shapes *shapes = NULL;
    const unsigned char is_found = format == GS_FORMAT_COUNT;
    const gs_document_shapes_options options = {
        .document = {.format = format,
                     .text_fields = gs_usual_text_fields,
                     .text_field_count = GS_USUAL_TEXTS,
                     .takes_usual_texts = true},
        .names = &name,
        .is_found = &is_found,
        .count = 1,
    };
    const gs_file_front front = {
        .data = batch->data, .bytes = batch->bytes, .is_all = true};
    gs_record_ends ends = {0};
    gs_document_list list = {0};
    require(gs_document_shapes_new(&shapes, &options, &st) == GS_OK);
    if (gs_document_shapes_look(shapes, &front, false, &ends, &st) == GS_OK) {
        const gs_document_options shape = gs_document_shape_of(shapes, 0);
        gs_text_span found;
        uint64_t lines;
        cut(&ends, shape.is_array, batch->data, batch->bytes);
        require(gs_document_list_parse(&list, &shape, batch, name, &st) == GS_OK);
        if (!gs_document_is_file(&shape))
            check_list(&list, batch, shape.format, shape.has_weights);
        (void)gs_document_find_name(&shape, batch, name, &found, &lines);
    }
    gs_document_list_release(&list);
    gs_document_shapes_free(shapes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SLACK = 64 };
    if (size == 0)
        return 0;
    const gs_document_format format =
        (gs_document_format)(data[0] % (GS_FORMAT_COUNT + 1));
    data++;
    size--;
    if (format == GS_FORMAT_TUPLES_BIN)
        size = size / 8 * 8;
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    require(gs_mem_new(&memory, size + SLACK, "text", &st) == GS_OK);
    if (size > 0)
        memcpy(memory, data, size);
    const gs_line_batch batch = {
        .data = memory, .bytes = size, .lacks_final_eol = size > 0};
    if (gs_document_format_is_tuples(format))
        read_tuples(&batch, format);
    else
        read_documents(&batch, format);
    gs_mem_free(memory);
    return 0;
}
