/* SPDX-License-Identifier: MIT */
/*
 * The parsers of every input format against any bytes: no crash, no leak, no hang, and
 * what they find lies inside what they were given. The first byte chooses the format.
 */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/index/text/document.h"
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

static void check_list(const gs_document_list *list, const gs_line_batch *batch,
                       gs_document_format format)
{
    for (size_t i = 0; i < list->count; i++) {
        const gs_document *const d = &list->documents[i];
        require(d->first_text + d->text_count <= list->text_count);
        require(d->name.bytes <= GS_DOCUMENT_NAME_BYTES_MAX);
        if (format == GS_FORMAT_JSONL)
            require(gs_utf8_is_valid(d->name.data, d->name.bytes));
    }
    for (size_t i = 0; i < list->text_count; i++) {
        const gs_text_span text = list->texts[i];
        require(is_inside(text, batch->data, batch->bytes));
        if (format == GS_FORMAT_JSONL)
            require(gs_utf8_is_valid(text.data, text.bytes));
    }
    for (size_t i = 0; i < list->bad_count; i++)
        require(list->bad[i].why != NULL && list->bad[i].line <= list->line_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { SLACK = 64 };
    static const char *const fields[] = {"t", "contents"};
    if (size == 0)
        return 0;
    const gs_document_format format = (gs_document_format)(data[0] % GS_FORMAT_COUNT);
    data++;
    size--;
    if (format == GS_FORMAT_TUPLES_BIN)
        size = size / 8 * 8;
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    require(gs_mem_new(&memory, size + SLACK, "text", &st) == GS_OK);
    if (size > 0)
        memcpy(memory, data, size);
    const gs_line_batch batch = {.data = memory, .bytes = size};
    const gs_document_options options = {format, "id", fields, 2, false};
    const gs_line_feed_options feed = gs_document_feed_options(format);
    if (feed.whole_bytes != NULL)
        require(feed.whole_bytes(batch.data, batch.bytes) <= batch.bytes);
    if (gs_document_format_is_tuples(format)) {
        read_tuples(&batch, format);
    } else {
        gs_document_list list = {0};
        require(gs_document_list_parse(&list, &options, &batch, "f", &st) == GS_OK);
        if (format != GS_FORMAT_TEXT)
            check_list(&list, &batch, format);
        gs_document_list_release(&list);
    }
    gs_mem_free(memory);
    return 0;
}
