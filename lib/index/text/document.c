/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/text/document_json.h"
#include "lib/index/text/document_kind.h"
#include "lib/index/text/document_objects.h"
#include "lib/index/text/document_table.h"
#include "lib/index/text/document_trec.h"
#include "lib/index/text/document_warc.h"
#include "lib/index/text/html_text.h"
#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

enum { FIELD_NAME_BYTES = 100 /* shown of one */ };

enum { ENDINGS_MAX = 3 };

const char *const gs_usual_id_fields[GS_USUAL_IDS] = {"id", "_id", "docid", "docno"};
const char *const gs_usual_text_fields[GS_USUAL_TEXTS] = {
    "contents", "title", "headings", "text", "body", "content", "passage", "segment",
};

static const struct {
    const char *name, *endings[ENDINGS_MAX + 1]; /* of names of files */
    gs_line_feed_options feed;
} formats[] = {
    [GS_FORMAT_JSONL] = {"jsonl", {".jsonl", ".ndjson"}, {.eol = '\n'}},
    [GS_FORMAT_JSON] = {"json", {".json"}, {.eol = '\n', .ends.cut = gs_objects_cut}},
    [GS_FORMAT_TSV] = {"tsv", {".tsv"}, {.eol = '\n'}},
    [GS_FORMAT_CSV] = {"csv", {".csv"}, {.eol = '\n', .ends.cut = gs_csv_cut}},
    [GS_FORMAT_TREC] = {"trec",
                        {".trec", ".sgml"},
                        {.eol = '\n', .ends.whole_bytes = gs_trec_whole_bytes}},
    [GS_FORMAT_WARC] = {"warc",
                        {".warc", ".wet"},
                        {.eol = '\n', .ends.cut = gs_warc_cut}},
    [GS_FORMAT_TEXT] = {"text", {".txt"}, {.eol = '\n', .ends.takes_whole_files = true}},
    [GS_FORMAT_HTML] = {"html",
                        {".html", ".htm", ".xhtml"},
                        {.eol = '\n', .ends.takes_whole_files = true}},
    [GS_FORMAT_TUPLES] = {"tuples", {NULL}, {.eol = '\n'}},
    [GS_FORMAT_TUPLES_BIN] = {"tuples-bin",
                              {NULL},
                              {.eol = '\n', .record_size = 2 * sizeof(uint32_t)}},
    [GS_FORMAT_VECTORS] = {"vectors", {NULL}, {.eol = '\n'}},
};

_Static_assert(sizeof formats / sizeof *formats == GS_FORMAT_COUNT,
               "the last one has its line");

const char *gs_document_format_name(gs_document_format format)
{
    return format < GS_FORMAT_COUNT ? formats[format].name : NULL;
}

const char *const *gs_document_format_endings(gs_document_format format)
{
    gs_assert(format < GS_FORMAT_COUNT);
    return formats[format].endings;
}

/* Without the ending, if there is something before it. */
static bool drop_ending(const char *name, size_t *bytes, const char *ending)
{
    const size_t n = strlen(ending);
    if (*bytes <= n || memcmp(name + *bytes - n, ending, n) != 0)
        return false;
    *bytes -= n;
    return true;
}

/* That of what is packed, if the file is. */
static bool has_ending(const char *file_name, const char *ending)
{
    size_t bytes = strlen(file_name);
    (void)(drop_ending(file_name, &bytes, ".gz") ||
           drop_ending(file_name, &bytes, ".zst") ||
           drop_ending(file_name, &bytes, ".zstd"));
    return drop_ending(file_name, &bytes, ending);
}

bool gs_document_format_guess(const char *file_name, gs_document_format *out)
{
    for (unsigned i = 0; i < GS_FORMAT_COUNT; i++) {
        for (const char *const *ending = formats[i].endings; *ending != NULL; ending++) {
            if (has_ending(file_name, *ending)) {
                *out = (gs_document_format)i;
                return true;
            }
        }
    }
    return false;
}

gs_line_feed_options gs_document_feed_options(gs_document_format format)
{
    gs_assert(format < GS_FORMAT_COUNT);
    return formats[format].feed;
}

/* --- the list ---------------------------------------------------------------------- */

static const char of_documents[] = "list of documents";

gs_code gs_document_list_add(gs_document_list *list, gs_text_span name,
                             const gs_text_span *texts, size_t text_count, gs_status *st)
{
    GS_TRY(gs_mem_grow(&list->documents, &list->capacity, list->count + 1, of_documents,
                       st));
    list->documents[list->count++] =
        (gs_document){name, list->text_count, text_count, {0}};
    GS_TRY(gs_mem_grow(&list->texts, &list->text_capacity, list->text_count + text_count,
                       of_documents, st));
    for (size_t i = 0; i < text_count; i++)
        list->texts[list->text_count++] = texts[i];
    return GS_OK;
}

gs_code gs_document_list_add_bad(gs_document_list *list, uint64_t line, const char *why,
                                 gs_status *st)
{
    GS_TRY(gs_mem_grow(&list->bad, &list->bad_capacity, list->bad_count + 1, of_documents,
                       st));
    list->bad[list->bad_count++] = (gs_bad_document){.line = line, .why = why};
    return GS_OK;
}

void gs_document_list_release(gs_document_list *list)
{
    gs_mem_free(list->documents);
    gs_mem_free(list->texts);
    gs_mem_free(list->bad);
    gs_vector_terms_release(&list->terms);
    *list = (gs_document_list){0};
}

/* --- the formats that need no file of their own ------------------------------------ */

const char *gs_document_name_fault(gs_text_span name)
{
    return name.bytes == 0 ? "the name is empty"
           : name.bytes > GS_DOCUMENT_NAME_BYTES_MAX
               ? "the name is longer than 65535 bytes"
               : NULL;
}

gs_code gs_document_list_take(gs_document_list *list, uint64_t line, const char *why,
                              gs_text_span name, const gs_text_span *texts,
                              size_t text_count, gs_status *st)
{
    if (why == NULL)
        why = gs_document_name_fault(name);
    return why != NULL ? gs_document_list_add_bad(list, line, why, st)
                       : gs_document_list_add(list, name, texts, text_count, st);
}

bool gs_document_line_is_blank(const uint8_t *line, const uint8_t *end)
{
    while (line < end && (*line == ' ' || *line == '\t' || *line == '\r'))
        line++;
    return line == end;
}

static gs_code parse_tsv(gs_document_list *list, const gs_document_options *options,
                         const uint8_t *line, size_t bytes, gs_status *st)
{
    (void)options;
    bytes -= bytes > 0 && line[bytes - 1] == '\r'; /* of the line end, as in a table */
    const uint8_t *const tab = bytes > 0 ? memchr(line, '\t', bytes) : NULL;
    if (gs_document_line_is_blank(line, line + bytes))
        return GS_OK;
    if (tab == NULL)
        return gs_document_list_add_bad(list, list->line_count,
                                        "no TAB between name and text", st);
    const size_t name_bytes = (size_t)(tab - line);
    const gs_text_span text = {tab + 1, bytes - name_bytes - 1};
    return gs_document_list_take(list, list->line_count, NULL,
                                 (gs_text_span){line, name_bytes}, &text, 1, st);
}

typedef gs_code line_fn(gs_document_list *list, const gs_document_options *options,
                        const uint8_t *line, size_t bytes, gs_status *st);

static gs_code parse_lines(gs_document_list *list, const gs_document_options *options,
                           const gs_line_batch *batch, line_fn *parse, gs_status *st)
{
    const uint8_t *at = batch->data;
    const uint8_t *const end = at + batch->bytes;
    while (at < end) {
        const uint8_t *const eol = memchr(at, '\n', (size_t)(end - at));
        const uint8_t *const stop = eol != NULL ? eol : end;
        const uint8_t *const line = gs_utf8_skip_mark(at, stop);
        GS_TRY(parse(list, options, line, (size_t)(stop - line), st));
        list->line_count++;
        at = stop + 1;
    }
    return GS_OK;
}

/* By its name, or else by how it begins. */
static bool is_xml(const char *file_name, gs_text_span page)
{
    static const char *const endings[] = {".xml", ".xhtml"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (has_ending(file_name, endings[i]))
            return true;
    }
    return gs_html_is_xml(page.data, page.bytes);
}

static gs_code parse_whole_file(gs_document_list *list, bool is_html,
                                const gs_line_batch *batch, const char *file_name,
                                gs_status *st)
{
    const gs_text_span name = {(const uint8_t *)file_name, strlen(file_name)};
    const uint8_t *const end = batch->data + batch->bytes;
    gs_text_span text = {gs_utf8_skip_mark(batch->data, end), 0};
    text.bytes = (size_t)(end - text.data);
    list->line_count = gs_line_count(batch->data, batch->bytes, '\n');
    if (is_html)
        text.bytes = gs_html_to_text((uint8_t *)(uintptr_t)text.data, text.bytes,
                                     is_xml(file_name, text));
    return gs_document_list_add(list, name, &text, 1, st);
}

static gs_code parse_batch(gs_document_list *list, const gs_document_options *options,
                           const gs_line_batch *batch, const char *file_name,
                           gs_status *st)
{
    switch (options->format) {
    case GS_FORMAT_JSONL:
    case GS_FORMAT_VECTORS:
        return parse_lines(list, options, batch, gs_json_parse_line, st);
    case GS_FORMAT_JSON: return gs_objects_parse(list, options, batch, st);
    case GS_FORMAT_TSV:
        return options->columns != NULL
                   ? gs_table_parse(list, options->columns, batch, st)
                   : parse_lines(list, options, batch, parse_tsv, st);
    case GS_FORMAT_CSV: return gs_table_parse(list, options->columns, batch, st);
    case GS_FORMAT_TREC: return gs_trec_parse(list, batch, st);
    case GS_FORMAT_WARC: return gs_warc_parse(list, batch, st);
    case GS_FORMAT_TEXT:
    case GS_FORMAT_HTML:
        return parse_whole_file(list, options->format == GS_FORMAT_HTML, batch, file_name,
                                st);
    case GS_FORMAT_TUPLES:
    case GS_FORMAT_TUPLES_BIN:
    case GS_FORMAT_COUNT: break;
    }
    gs_assert_failed("a format of documents", __FILE__, __LINE__);
}

gs_code gs_document_list_parse(gs_document_list *list, const gs_document_options *options,
                               const gs_line_batch *batch, const char *file_name,
                               gs_status *st)
{
    list->count = list->text_count = list->bad_count = 0;
    list->line_count = list->left_out = 0;
    list->weights = (gs_weight_counts){0};
    GS_TRY(parse_batch(list, options, batch, file_name, st));
    if (list->count == 0 && list->bad_count > 0)
        list->bad[0].hint =
            gs_document_kind_hint(batch->data, batch->bytes, options->format);
    return GS_OK;
}

/* --- what is told of those that are none ------------------------------------------- */

/* Their names, for who chose one that is not there. Rows have a header instead, and what
 * it lacks is told by document_shape. */
static void list_fields(gs_document_format format, gs_text_span document, char *out,
                        size_t capacity)
{
    *out = '\0';
    if (gs_document_format_is_json(format))
        gs_json_list_fields(document.data, document.bytes, out, capacity);
}

static void explain_fields(const gs_document_options *options, gs_text_span line,
                           bool is_name, gs_document_story *story)
{
    char fields[GS_DOCUMENT_STORY_BYTES / 2], wanted[FIELD_NAME_BYTES + 40];
    const bool is_usual =
        is_name ? options->id_field == NULL : options->takes_usual_texts;
    const char *const name = is_name ? options->id_field : options->text_fields[0];
    if (is_usual)
        (void)snprintf(wanted, sizeof wanted, "no field %s",
                       is_name ? "\"id\", \"_id\", \"docid\" or \"docno\""
                               : "\"contents\", \"text\" or the like");
    else if (!is_name && options->text_field_count > 1)
        (void)snprintf(wanted, sizeof wanted, "none of the %zu fields chosen",
                       options->text_field_count);
    else
        (void)snprintf(wanted, sizeof wanted, "no field \"%.*s\"", FIELD_NAME_BYTES,
                       name);
    list_fields(options->format, line, fields, sizeof fields);
    (void)snprintf(story->why, sizeof story->why, "%s for %s; there are: %s", wanted,
                   is_name ? "the name" : "text", *fields != '\0' ? fields : "none");
    story->hint =
        is_name ? "--id-field=NAME chooses the field with the name; with --skip-bad "
                  "what is malformed is left out"
                : "--text-field=NAME chooses a field with text; with --skip-bad what "
                  "is malformed is left out";
}

void gs_document_explain(const gs_document_options *options, const gs_line_batch *batch,
                         const gs_bad_document *bad, gs_document_story *story)
{
    const bool is_name = bad->why == gs_document_no_name;
    if (batch != NULL && (is_name || bad->why == gs_document_no_text)) {
        explain_fields(options, bad->text, is_name, story);
        return;
    }
    (void)snprintf(story->why, sizeof story->why, "%s", bad->why);
    story->hint =
        bad->hint != NULL ? bad->hint : "with --skip-bad what is malformed is left out";
}

bool gs_document_find_name(const gs_document_options *options, const gs_line_batch *batch,
                           const char *file_name, gs_text_span *name, uint64_t *line)
{
    const uint8_t *const end = batch->data + batch->bytes;
    const uint8_t *const text = gs_utf8_skip_mark(batch->data, end);
    const size_t bytes = (size_t)(end - text);
    *line = 0;
    *name = (gs_text_span){text, 0};
    switch (options->format) {
    case GS_FORMAT_JSONL:
    case GS_FORMAT_VECTORS: return gs_json_find_name(options, text, bytes, name);
    case GS_FORMAT_JSON: return gs_objects_find_name(options, batch, name, line);
    case GS_FORMAT_CSV: return gs_table_find_name(options->columns, batch, name);
    case GS_FORMAT_WARC: return gs_warc_find_name(text, bytes, name, line);
    case GS_FORMAT_TSV: {
        if (options->columns != NULL)
            return gs_table_find_name(options->columns, batch, name);
        const uint8_t *const tab = memchr(text, '\t', bytes);
        name->bytes = tab != NULL ? (size_t)(tab - text) : 0;
        return name->bytes > 0;
    }
    case GS_FORMAT_TREC: return gs_trec_find_name(text, bytes, name, line);
    case GS_FORMAT_TEXT:
    case GS_FORMAT_HTML:
        *name = (gs_text_span){(const uint8_t *)file_name, strlen(file_name)};
        return true;
    case GS_FORMAT_TUPLES:
    case GS_FORMAT_TUPLES_BIN:
    case GS_FORMAT_COUNT: break;
    }
    return false;
}
