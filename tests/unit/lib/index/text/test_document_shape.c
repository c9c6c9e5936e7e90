/* SPDX-License-Identifier: MIT */
/*
 * document_shape: each file must be taken for what it is, or the build ends before it
 * makes thousands of documents of one; the same again when a build goes on, and however
 * many bytes of it are at hand.
 */
#include "lib/index/text/document_shape.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/text/document_kind.h"
#include "lib/index/text/document_table.h"
#include "tests/check.h"

enum { LONG_BYTES = 200000, SLACK = 64 };
#define UNCLEAR ": it is not clear what its documents are"

typedef struct looked {
    char what[200]; /* the format, what is special about it, or the failure */
    char told[400];
    char long_name[40]; /* of a document that begins so and does not end; "": none is
                           found */
} looked;

static void keep_told(void *context, gs_log_level level, const char *message)
{
    looked *const l = context;
    (void)snprintf(l->told, sizeof l->told, "%c%s", level == GS_LOG_WARNING ? '!' : ' ',
                   message);
}

static void find_long_name(looked *l, const gs_document_options *shape,
                           const char *file_name, const uint8_t *data, size_t bytes)
{
    const gs_line_batch batch = {.data = (uint8_t *)(uintptr_t)data, .bytes = bytes};
    gs_text_span name;
    uint64_t line;
    if (gs_document_find_name(shape, &batch, file_name, &name, &line))
        (void)snprintf(l->long_name, sizeof l->long_name, "%.*s", (int)name.bytes,
                       (const char *)name.data);
}

static looked look(const char *name, const char *bytes, size_t count, bool is_found,
                   const gs_document_options *document)
{
    looked l = {.told = ""};
    gs_status st = {.code = GS_OK};
    gs_document_shapes *shapes = NULL;
    const gs_log log = {keep_told, &l};
    const unsigned char found = is_found;
    const gs_document_shapes_options options = {
        .document = *document,
        .names = &name,
        .is_found = &found,
        .count = 1,
        .log = &log,
    };
    uint8_t *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, count + SLACK, "file", &st), &st);
    memcpy(memory, bytes, count);
    REQUIRE_OK(gs_document_shapes_new(&shapes, &options, &st), &st);
    const gs_file_front front = {.data = memory, .bytes = count, .is_all = true};
    gs_record_ends ends = {0}, again = {0};
    if (gs_document_shapes_look(shapes, &front, false, &ends, &st) != GS_OK) {
        (void)snprintf(l.what, sizeof l.what, "%.199s", st.msg);
    } else {
        const gs_document_options shape = gs_document_shape_of(shapes, 0);
        (void)snprintf(
            l.what, sizeof l.what, "%s%s%s%s", gs_document_format_name(shape.format),
            shape.is_array ? " array" : "", shape.columns != NULL ? " columns" : "",
            ends.is_left_out ? " left out" : "");
        find_long_name(&l, &shape, name, memory, count);
        const gs_file_front part = {.data = memory,
                                    .bytes = count < 65536 ? count : 65536,
                                    .is_all = count <= 65536};
        REQUIRE_OK(gs_document_shapes_look(shapes, &part, true, &again, &st), &st);
        const gs_document_options same = gs_document_shape_of(shapes, 0);
        CHECK(same.format == shape.format && same.is_array == shape.is_array &&
              (same.columns != NULL) == (shape.columns != NULL) && again.cut == ends.cut);
    }
    CHECK(memcmp(memory, bytes, count) == 0); /* as it was */
    gs_document_shapes_free(shapes);
    gs_mem_free(memory);
    return l;
}

static const gs_document_options anything = {
    .format = GS_FORMAT_ANY,
    .text_fields = gs_usual_text_fields,
    .text_field_count = GS_USUAL_TEXTS,
    .takes_usual_texts = true,
};

static void expect(const char *name, const char *bytes, const char *named,
                   const char *found)
{
    const looked a = look(name, bytes, strlen(bytes), false, &anything);
    const looked b = look(name, bytes, strlen(bytes), true, &anything);
    if (strcmp(a.what, named) != 0 || strcmp(b.what, found) != 0) {
        fprintf(stderr, "%s: %s\nnamed: <%s>, not <%s>\nfound: <%s>, not <%s>\n", name,
                bytes, a.what, named, b.what, found);
        check_failures++;
    }
}

static void objects(void)
{
    expect("a", "{\"id\":1,\"contents\":\"x\"}\n{", "jsonl", "jsonl");
    expect("a.json", "{\"_id\":1,\"text\":\"x\"}", "jsonl", "jsonl");
    expect("a.json", "{\"id\":1,\"text\":\"x\"} {", "json", "json");
    expect("a", "\n{\n\"id\":1,\"body\":\"x\"}", "json", "json");
    expect("a", "{\"id\":1,\n\"body\":\"x\"}", "json", "json");
    expect("a", " [\n{\"id\":1,\"title\":\"x\"}]", "json array", "json array");
    expect("a.jsonl", "{\"a\":1}", "jsonl", "jsonl"); /* its lines are told */
    expect("a.json", "{\"a\":1}", "jsonl", "text");
    expect("a", "{\"a\":1}", "jsonl", "text");
    expect("a", "{x", "text", "text");
    expect("-", "{x", "jsonl", "text");
    expect("a.json", "[1, 2]", "json array", "text");
    expect("a", "[1, 2]", "text", "text");
    expect("a", "[section]\nkey = 1", "text", "text");
}

static void lines(void)
{
    expect("a", "n1\tx y\nn2\tz\n\n", "tsv", "text");
    expect("a", "http://a\tx:y\nhttp://b\tz:w\n", "tsv", "text");
    expect("a", "\tx\n", "text", "text");
    expect("a", "n1\tx\ny\n", "text", "text");
    expect("a", "x\t1\ny\t2\n", "a: it is not clear what its documents are", "text");
    expect("a.tsv", "x\t1\n", "tsv", "text");
    expect("a.tsv", "docid\turl\ttext\n", "tsv columns", "tsv columns");
    expect("a", "ID;Text\n1;x\n", "csv columns", "csv columns");
    expect("a", "a, b\nc, d\n", "text", "text");
    expect("a.csv", "a,b\n", "a.csv:1: no column for the name; there are: \"a\", \"b\"",
           "text");
    expect("a.csv", "id,b\n", "a.csv:1: no column for text; there are: \"id\", \"b\"",
           "text");
    expect("a", "one\ntwo\n", "text", "text");
    expect("a.jsonl.gz", "one\ntwo\n", "jsonl", "jsonl");
    expect("-", "one\ntwo\n", "-: it is not clear what its documents are", "text");
}

/* A file of each format. `named`: what it is taken for by each ending that such files
 * have, if they have any; `plain`: without one; `found`: the same of a file that is found
 * in a folder. A field that is not there, but chosen for names: `told_key` with the
 * format, `found_key` without. `long_name`: of a document that begins so, with the format
 * told. */
typedef struct sample {
    const char *bytes;
    size_t count;
    const char *named, *plain, *found_named, *found_plain, *told_key, *found_key;
    const char *long_name;
    const char *piped, *fields; /* on standard input; what -v tells of its fields */
} sample;

#define SAMPLE(text)    .bytes = (text), .count = sizeof(text) - 1
#define READ_AS         " a: read as "
#define NO_KEY(columns) ":1: no column \"key\" for the name; there are: " columns

static const sample samples[] = {
    [GS_FORMAT_JSONL] = {SAMPLE("{\"id\":1,\"contents\":\"x\"}\n"), "jsonl", "jsonl",
                         "jsonl", "jsonl", "jsonl", "jsonl", "1", "jsonl",
                         READ_AS "jsonl, names from \"id\", text from \"contents\""},
    [GS_FORMAT_JSON] = {SAMPLE("[{\"id\":1,\"contents\":\"x\"}]"), "json array",
                        "json array", "json array", "json array", "json array",
                        "json array", "1", "json array",
                        READ_AS "json, names from \"id\", text from \"contents\""},
    [GS_FORMAT_TSV] = {SAMPLE("n1\tx y\nn2\tz\n"), "tsv", "tsv", "text", "text",
                       "a" NO_KEY("\"n1\", \"x y\""), "a" NO_KEY("\"n1\", \"x y\""), "n1",
                       "tsv", READ_AS "tsv"},
    [GS_FORMAT_CSV] = {SAMPLE("id,text\n1,x\n"), "csv columns", "csv columns",
                       "csv columns", "csv columns", "a" NO_KEY("\"id\", \"text\""),
                       "text", "1", "csv columns",
                       READ_AS "csv, columns \"id\", \"text\""},
    [GS_FORMAT_TREC] = {SAMPLE("<DOC>\n<DOCNO>1</DOCNO>\nx</DOC>\n"), "trec", "trec",
                        "trec", "trec", "trec", "trec", "1", "trec", READ_AS "trec"},
    [GS_FORMAT_WARC] = {SAMPLE("WARC/1.0\r\nWARC-Target-URI: <x:y>\r\n\r\n"), "warc",
                        "warc", "warc", "warc", "warc", "warc", "x:y", "warc",
                        READ_AS "warc"},
    [GS_FORMAT_TEXT] = {SAMPLE("one\ntwo\n"), "text", "text", "text", "text", "text",
                        "text", "a", "-" UNCLEAR, READ_AS "text"},
    [GS_FORMAT_HTML] = {SAMPLE("<!doctype html>"), "html", "html", "html", "html", "html",
                        "html", "a", "html", READ_AS "html"},
    [GS_FORMAT_TUPLES] = {SAMPLE("x\t1\ny\t2\n"), NULL, "a" UNCLEAR, NULL, "text",
                          "tuples", "a" UNCLEAR, "", "-" UNCLEAR, ""},
    [GS_FORMAT_TUPLES_BIN] = {SAMPLE("\1\0\0\0\2\0\0\0"), NULL, "a" UNCLEAR, NULL,
                              "text left out", "tuples-bin", "a" UNCLEAR, "", "-" UNCLEAR,
                              ""},
    [GS_FORMAT_VECTORS] =
        {SAMPLE("{\"id\":\"a\",\"vector\":{\"fish\":2.3}}"), NULL, "vectors", NULL,
         "vectors", "vectors", "jsonl", "a", "vectors",
         READ_AS "vectors, names from \"id\", weights of terms from \"vector\""},
};
_Static_assert(sizeof samples / sizeof *samples == GS_FORMAT_COUNT,
               "a file of each, and what document_kind.c and document_shape.c say of it");

static void expect_of(gs_document_format format, const char *name, bool is_found,
                      const gs_document_options *options, const char *what)
{
    const sample *const s = &samples[format];
    const looked l = look(name, s->bytes, s->count, is_found, options);
    if (what != NULL && strcmp(l.what, what) == 0)
        return;
    fprintf(stderr, "%s, a file of %s%s%s: <%s>, not <%s>\n", name,
            gs_document_format_name(format), is_found ? ", found in a folder" : "",
            options->id_field == NULL          ? ""
            : options->format == GS_FORMAT_ANY ? ", with --id-field"
                                               : ", with --format and --id-field",
            l.what, what != NULL ? what : "");
    check_failures++;
}

static void expect_fields(gs_document_format format)
{
    const sample *const s = &samples[format];
    const looked l = look("a", s->bytes, s->count, false, &anything);
    if (s->fields != NULL && strcmp(l.told, s->fields) == 0)
        return;
    fprintf(stderr, "a file of %s: -v tells <%s>, not <%s>\n",
            gs_document_format_name(format), l.told, s->fields != NULL ? s->fields : "");
    check_failures++;
}

static void expect_long_name(gs_document_format format)
{
    const sample *const s = &samples[format];
    gs_document_options told = anything;
    told.format = format;
    const looked l = look("a", s->bytes, s->count, false, &told);
    if (s->long_name != NULL && strcmp(l.long_name, s->long_name) == 0)
        return;
    fprintf(stderr, "a long document of %s: its name is <%s>, not <%s>\n",
            gs_document_format_name(format), l.long_name,
            s->long_name != NULL ? s->long_name : "");
    check_failures++;
}

/* Told to be of its format, it does not look like another. */
static void every_format(void)
{
    gs_document_options keyed = anything, told = anything;
    keyed.id_field = told.id_field = "key";
    for (gs_document_format i = 0; i < GS_FORMAT_COUNT; i++) {
        const sample *const s = &samples[i];
        REQUIRE(s->bytes != NULL);
        CHECK(gs_document_kind_hint((const uint8_t *)s->bytes, s->count, i) == NULL);
        const char *const *ending = gs_document_format_endings(i);
        CHECK((*ending != NULL) == (s->named != NULL));
        for (; *ending != NULL; ending++) {
            char name[32];
            (void)snprintf(name, sizeof name, "a%s", *ending);
            expect_of(i, name, false, &anything, s->named);
            expect_of(i, name, true, &anything, s->found_named);
        }
        told.format = i;
        expect_of(i, "a", false, &anything, s->plain);
        expect_of(i, "a", true, &anything, s->found_plain);
        expect_of(i, "-", false, &anything, s->piped);
        expect_fields(i);
        expect_of(i, "a", false, &told, s->told_key);
        expect_of(i, "a", false, &keyed, s->found_key);
        expect_long_name(i);
    }
}

static void markup(void)
{
    expect("a", "WARC/1.0\r\n", "warc", "warc");
    expect("a", "<DOC>\n<DOCNO>1</DOCNO>", "trec", "trec");
    expect("a", "<doc>\n", "trec", "html");
    expect("a.sgml", "<!-- c --><DOC><DOCNO>1</DOCNO>", "trec", "trec");
    expect("a.sgml", "<!doctype book>", "trec", "html");
    expect("a.sgml", "book", "trec", "text");
    expect("a.html", "<p>x", "html", "html");
    expect("a.txt", "<p>x", "text", "text");
    expect("a", "<!DOCTYPE html>", "html", "html");
    expect("a", "<?xml?>", "html", "html");
}

static void neither(void)
{
    expect("a", "", "text", "text");
    expect("a.csv", " \n", "tsv", "tsv");
    expect("-", "", "jsonl", "jsonl");
    expect("a", "\xff\xfex", "a: it is not clear what its documents are",
           "text left out");
    const looked l = look("a", "x\0y", 3, true, &anything);
    CHECK(strcmp(l.what, "text left out") == 0);
}

/* An object or a header that is longer than what is looked at. */
static void long_ones(void)
{
    static char text[LONG_BYTES];
    static const struct {
        const char *front, *named, *found;
    } cases[] = {
        {"{\"id\":1,\"contents\":\"xx", "jsonl", "jsonl"},
        {"{\"contents\":\"xx", "jsonl", "text"}, /* where is the name? */
        {"[{\"id\":1,\"contents\":\"xx", "json array", "json array"},
        {"id,text,\"", "a.csv:1: the header has more than 65536 bytes", "text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const name = i == 3 ? "a.csv" : "a";
        memset(text, 'x', sizeof text);
        memcpy(text, cases[i].front, strlen(cases[i].front));
        const looked named = look(name, text, sizeof text, false, &anything);
        const looked found = look(name, text, sizeof text, true, &anything);
        if (strcmp(named.what, cases[i].named) != 0 ||
            strcmp(found.what, cases[i].found) != 0) {
            fprintf(stderr, "%s: <%s> <%s>\n", cases[i].front, named.what, found.what);
            check_failures++;
        }
    }
}

static void what_is_told(void)
{
    static const char text[] = "{\"_id\":1,\"text\":\"x\",\"title\":\"y\"}";
    CHECK(
        strcmp(
            look("a", text, strlen(text), false, &anything).told,
            " a: read as jsonl, names from \"_id\", text from \"title\" and \"text\"") ==
        0);
    CHECK(strcmp(look("a.txt", text, strlen(text), false, &anything).told,
                 "!a.txt: read as jsonl, names from \"_id\", text from \"title\" and "
                 "\"text\", as it looks") == 0);
    gs_document_options told = anything;
    told.format = GS_FORMAT_TEXT;
    const looked l = look("a", text, strlen(text), false, &told);
    CHECK(strcmp(l.what, "text") == 0 && *l.told == '\0');
    told.format = GS_FORMAT_TSV;
    told.id_field = "key";
    CHECK(strcmp(look("a", "x\ty\n", 4, false, &told).what,
                 "a:1: no column \"key\" for the name; there are: \"x\", \"y\"") == 0);
}

int main(void)
{
    objects();
    lines();
    every_format();
    markup();
    neither();
    long_ones();
    what_is_told();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
