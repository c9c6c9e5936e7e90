/* SPDX-License-Identifier: MIT */
/*
 * The fields of documents, of every format: the name and the text come from those that
 * were chosen, and where one is not there, it is said which there are and how to choose.
 * What would break: a format that takes its usual fields whatever was asked for, or says
 * no more than that something is malformed.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/text/document.h"
#include "lib/index/text/document_shape.h"
#include "tests/check.h"

enum { SLACK = 64, TOLD_BYTES = 1000 };

/* What of a document is chosen by --id-field and --text-field. */
enum { NAME = 1, TEXT = 2 };

/* Of each format a document with the name "i" and the text "c" in usual fields, if it has
 * fields, and "k" and "w" in "key" and "words". */
static const struct {
    const char *bytes;
    unsigned fields;
    const char *usual, *chosen; /* name|text */
} samples[] = {
    [GS_FORMAT_JSONL] =
        {"{\"id\":\"i\",\"key\":\"k\",\"contents\":\"c\",\"words\":\"w\"}\n", NAME | TEXT,
         "i|c", "k|w"},
    [GS_FORMAT_JSON] =
        {"[{\"id\":\"i\",\"key\":\"k\",\n\"contents\":\"c\",\"words\":\"w\"}]\n",
         NAME | TEXT, "i|c", "k|w"},
    [GS_FORMAT_TSV] = {"id\tkey\tcontents\twords\ni\tk\tc\tw\n", NAME | TEXT, "i|c",
                       "k|w"},
    [GS_FORMAT_CSV] = {"id,key,contents,words\ni,k,c,w\n", NAME | TEXT, "i|c", "k|w"},
    [GS_FORMAT_TREC] = {"<DOC>\n<DOCNO>i</DOCNO>\nc</DOC>\n", 0, "i|\nc", NULL},
    [GS_FORMAT_WARC] = {"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: i\r\n"
                        "Content-Type: text/plain\r\nContent-Length: 1\r\n\r\nc\r\n\r\n",
                        0, "i|c", NULL},
    [GS_FORMAT_TEXT] = {"c", 0, "file|c", NULL},
    [GS_FORMAT_HTML] = {"c", 0, "file|c", NULL},
    [GS_FORMAT_TUPLES] = {"", 0, NULL, NULL}, /* no documents */
    [GS_FORMAT_TUPLES_BIN] = {"", 0, NULL, NULL},
    [GS_FORMAT_VECTORS] = {"{\"id\":\"i\",\"key\":\"k\",\"vector\":{\"fish\":2}}\n", NAME,
                           "i", "k"},
};
_Static_assert(sizeof samples / sizeof *samples == GS_FORMAT_COUNT,
               "a document of each, and which of its fields are chosen");

typedef struct told {
    char what[TOLD_BYTES]; /* the document, or why it is none */
    char hint[TOLD_BYTES];
} told;

static void tell_document(told *t, const gs_document_list *list)
{
    const gs_document *const d = list->documents;
    size_t used = (size_t)snprintf(t->what, sizeof t->what, "%.*s", (int)d->name.bytes,
                                   (const char *)d->name.data);
    for (size_t i = 0; i < d->text_count; i++) {
        const gs_text_span text = list->texts[d->first_text + i];
        used += (size_t)snprintf(t->what + used, sizeof t->what - used, "|%.*s",
                                 (int)text.bytes, (const char *)text.data);
    }
}

static void parse(told *t, const gs_document_options *shape, uint8_t *memory,
                  size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_document_list list = {0};
    const gs_line_batch batch = {.data = memory, .bytes = bytes};
    REQUIRE_OK(gs_document_list_parse(&list, shape, &batch, "file", &st), &st);
    REQUIRE(list.count + list.bad_count == 1);
    if (list.bad_count > 0) {
        gs_document_story story;
        gs_document_explain(shape, &batch, list.bad, &story);
        (void)snprintf(t->what, sizeof t->what, "%s", story.why);
        (void)snprintf(t->hint, sizeof t->hint, "%s", story.hint);
    } else {
        tell_document(t, &list);
    }
    gs_document_list_release(&list);
}

/* Reads the document of the format; NULL: the usual fields. */
static told read_document(gs_document_format format, const char *id_field,
                          const char *text_field)
{
    told t = {.what = ""};
    gs_status st = {.code = GS_OK};
    gs_document_shapes *shapes = NULL;
    uint8_t *memory = NULL;
    const char *const name = "file";
    const gs_log log = {NULL, NULL};
    const size_t bytes = strlen(samples[format].bytes);
    const gs_document_shapes_options options = {
        .document = {.format = format,
                     .id_field = id_field,
                     .text_fields =
                         text_field != NULL ? &text_field : gs_usual_text_fields,
                     .text_field_count = text_field != NULL ? 1 : GS_USUAL_TEXTS,
                     .takes_usual_texts = text_field == NULL},
        .names = &name,
        .count = 1,
        .log = &log,
    };
    gs_record_ends ends = {0};
    REQUIRE_OK(gs_mem_new(&memory, bytes + SLACK, "file", &st), &st);
    memcpy(memory, samples[format].bytes, bytes);
    const gs_file_front front = {.data = memory, .bytes = bytes, .is_all = true};
    REQUIRE_OK(gs_document_shapes_new(&shapes, &options, &st), &st);
    if (gs_document_shapes_look(shapes, &front, false, &ends, &st) == GS_OK) {
        gs_document_options shape = gs_document_shape_of(shapes, 0);
        shape.has_weights = format == GS_FORMAT_VECTORS; /* as the builder has it */
        parse(&t, &shape, memory, bytes);
    } else { /* the header of a table */
        (void)snprintf(t.what, sizeof t.what, "%.*s", TOLD_BYTES - 1, st.msg);
        (void)snprintf(t.hint, sizeof t.hint, "%s", st.hint != NULL ? st.hint : "");
    }
    gs_document_shapes_free(shapes);
    gs_mem_free(memory);
    return t;
}

static void expect(gs_document_format format, const told *t, const char *what,
                   const char *what_too, const char *hint)
{
    if (strstr(t->what, what) != NULL && strstr(t->what, what_too) != NULL &&
        strstr(t->hint, hint) != NULL)
        return;
    fprintf(stderr, "%s: <%s>, <%s>: not %s, %s, %s\n", gs_document_format_name(format),
            t->what, t->hint, what, what_too, hint);
    check_failures++;
}

static void expect_document(gs_document_format format, const told *t, const char *wanted)
{
    if (strcmp(t->what, wanted) == 0)
        return;
    fprintf(stderr, "%s: <%s>, not <%s>\n", gs_document_format_name(format), t->what,
            wanted);
    check_failures++;
}

static void check_format(gs_document_format format)
{
    const unsigned fields = samples[format].fields;
    const char *const usual = samples[format].usual;
    const told one = read_document(format, NULL, NULL);
    const told other = read_document(format, "key", "words");
    expect_document(format, &one, usual);
    expect_document(format, &other, fields != 0 ? samples[format].chosen : usual);
    if (fields & NAME) {
        const told none = read_document(format, "nope", NULL);
        expect(format, &none, "\"nope\" for the name", "\"key\"", "--id-field=NAME");
    }
    if (fields & TEXT) {
        const told none = read_document(format, NULL, "nope");
        expect(format, &none, "\"nope\" for text", "\"words\"", "--text-field=NAME");
    }
}

int main(void)
{
    for (gs_document_format i = 0; i < GS_FORMAT_COUNT; i++) {
        REQUIRE(samples[i].bytes != NULL);
        if (!gs_document_format_is_tuples(i))
            check_format(i);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
