/* SPDX-License-Identifier: MIT */
/*
 * document_objects, document_table, document_warc: where a file is cut, and in what
 * pieces its bytes come, must make no difference to the documents, nor to what is told of
 * those that are malformed; and what a sound file holds must be found.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/text/document_objects.h"
#include "lib/index/text/document_table.h"
#include "lib/index/text/document_warc.h"
#include "tests/check.h"

enum { TEXT_MAX = 4000, FOUND_MAX = 1 << 18, SLACK = 64 };

static const char *const fields[] = {"contents"};
static gs_columns columns;
static gs_document_options options = {
    .text_fields = fields,
    .text_field_count = 1,
    .columns = &columns,
};

typedef struct findings {
    char text[FOUND_MAX];
    size_t bytes;
    uint64_t lines, left_out;
} findings;

static findings all_at_once, in_pieces;
static bool is_tried[GS_FORMAT_COUNT]; /* was it cut at any place? */

static void put(findings *f, const void *text, size_t bytes)
{
    REQUIRE(f->bytes + bytes < FOUND_MAX);
    memcpy(f->text + f->bytes, text, bytes);
    f->bytes += bytes;
    f->text[f->bytes] = '\0';
}

/* The documents of a part of the text, behind those that were found. */
static void parse(findings *f, const char *text, size_t from, size_t to, size_t end)
{
    gs_status st = {.code = GS_OK};
    gs_document_list list = {0};
    uint8_t *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, to - from + SLACK, "text", &st), &st);
    memcpy(memory, text + from, to - from);
    const gs_line_batch batch = {
        .data = memory,
        .bytes = to - from,
        .offset = from,
        .lacks_final_eol = to == end && to > from,
    };
    REQUIRE_OK(gs_document_list_parse(&list, &options, &batch, "file", &st), &st);
    for (size_t i = 0; i < list.count; i++) {
        const gs_document *const d = &list.documents[i];
        put(f, d->name.data, d->name.bytes);
        for (size_t t = 0; t < d->text_count; t++) {
            const gs_text_span span = list.texts[d->first_text + t];
            put(f, "|", 1);
            put(f, span.data, span.bytes);
        }
        put(f, "\n", 1);
    }
    for (size_t i = 0; i < list.bad_count; i++) {
        char line[300];
        const int n =
            snprintf(line, sizeof line, "!%llu %s\n",
                     (unsigned long long)(f->lines + list.bad[i].line), list.bad[i].why);
        put(f, line, (size_t)n);
    }
    f->lines += list.line_count;
    f->left_out += list.left_out;
    gs_document_list_release(&list);
    gs_mem_free(memory);
}

static void clear(findings *f)
{
    f->bytes = f->lines = f->left_out = 0;
    f->text[0] = '\0';
}

static gs_cut_state cut_begin(void)
{
    if (options.format == GS_FORMAT_CSV)
        return gs_csv_cut_begin(columns.separator);
    if (options.format == GS_FORMAT_JSON)
        return gs_objects_cut_begin(options.is_array, false);
    return (gs_cut_state){{0}};
}

/* Cuts the text, of which so many bytes come at a time, and reads what is whole. */
static void parse_in_pieces(const char *text, size_t bytes, size_t piece_max,
                            uint64_t *seed)
{
    const gs_record_ends ends = gs_document_feed_options(options.format).ends;
    gs_cut_state state = cut_begin();
    size_t from = 0, at = 0;
    clear(&in_pieces);
    while (at < bytes) {
        size_t n = 1 + check_random(seed) % piece_max;
        n = n < bytes - at ? n : bytes - at;
        const size_t whole = ends.cut(&state, (const uint8_t *)text + at, n);
        REQUIRE(whole <= n);
        if (whole > 0) {
            parse(&in_pieces, text, from, at + whole, bytes);
            from = at + whole;
        }
        at += n;
    }
    if (from < bytes)
        parse(&in_pieces, text, from, bytes, bytes);
}

/* Malformed ones are told after the documents of their piece. */
static void put_sorted(findings *f, char *to, char kind)
{
    size_t used = 0;
    for (const char *line = f->text; *line != '\0';) {
        const char *const eol = strchr(line, '\n');
        const size_t n = (size_t)(eol - line) + 1;
        if ((*line == '!') == (kind == '!')) {
            memcpy(to + used, line, n);
            used += n;
        }
        line = eol + 1;
    }
    to[used] = '\0';
}

static bool is_same(char kind)
{
    static char a[FOUND_MAX], b[FOUND_MAX];
    put_sorted(&all_at_once, a, kind);
    put_sorted(&in_pieces, b, kind);
    return strcmp(a, b) == 0;
}

/* Random strings of the bytes that mean something. */
static size_t make_soup(char *text, const char *const *bits, size_t bit_count,
                        uint64_t *seed)
{
    const unsigned n = (unsigned)(check_random(seed) % 60);
    size_t bytes = 0;
    for (unsigned i = 0; i < n; i++) {
        const char *const bit = bits[check_random(seed) % bit_count];
        REQUIRE(bytes + strlen(bit) < TEXT_MAX);
        memcpy(text + bytes, bit, strlen(bit));
        bytes += strlen(bit);
    }
    text[bytes] = '\0';
    return bytes;
}

static void try_text(const char *text, size_t bytes, uint64_t *seed)
{
    static const size_t pieces[] = {1, 3, 40, 4000};
    clear(&all_at_once);
    if (bytes > 0)
        parse(&all_at_once, text, 0, bytes, bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        parse_in_pieces(text, bytes, pieces[i], seed);
        const bool is_good = is_same('!') && is_same('|') &&
                             all_at_once.lines == in_pieces.lines &&
                             all_at_once.left_out == in_pieces.left_out;
        if (!is_good) {
            fprintf(stderr, "input: <%s>\nat once: %s\nin pieces of %zu: %s\n", text,
                    all_at_once.text, pieces[i], in_pieces.text);
            check_failures++;
            return;
        }
    }
}

static void try_soups(const char *const *bits, size_t bit_count, unsigned tries,
                      uint64_t *seed)
{
    static char text[TEXT_MAX];
    is_tried[options.format] = true;
    for (unsigned i = 0; i < tries && check_failures == 0; i++) {
        const size_t bytes = make_soup(text, bits, bit_count, seed);
        if (options.format == GS_FORMAT_JSON)
            options.is_array = bytes > 0 && text[0] == '[';
        try_text(text, bytes, seed);
    }
}

#define COUNTED(bits) bits, sizeof bits / sizeof *bits

static void cuts_do_not_matter(uint64_t seed, unsigned tries)
{
    static const char *const csv[] = {
        "\"", "\"", ",", ",",    "\n",           "\n",    "\r\n",
        "a",  "bc", " ", "\"\"", "\xef\xbb\xbf", "1,x\n", "2,\"y\n\"\"z\",\n",
    };
    static const char *const json[] = {
        "[",
        "[",
        "{",
        "}",
        "]",
        "\"",
        "\\",
        ",",
        ",",
        "\n",
        "\n",
        " ",
        "id",
        "contents",
        ":",
        "\xef\xbb\xbf",
        "1",
        "{\"id\":1,\"contents\":\"x\"}",
        "{\"id\":2,\n\"contents\":\"}\\\"[{,\"},",
    };
    static const char *const warc[] = {
        "\n",
        "\r\n",
        "\r\n\r\n",
        "WARC/1.0\r\n",
        "Content-Length: 5\r\n",
        "x",
        "content-length:3\n",
        "Content-Length: 12x\n",
        "Content-Length:\r\n",
        " ",
        "\t4\n",
        "WARC-Type: response\n",
        "WARC-Type: conversion\r\n",
        "WARC-Target-URI: u\r\n",
        "HTTP/1.1 200 OK\r\n",
        "WARC/1.0\nWARC-Type: resource\nWARC-Target-URI: v\nContent-Length: 2\n\nab\n\n",
    };
    columns = (gs_columns){.separator = ',', .has_quotes = true, .count = 3};
    columns.texts[columns.text_count++] = 1;
    options.format = GS_FORMAT_CSV;
    try_soups(COUNTED(csv), tries, &seed);
    options.format = GS_FORMAT_JSON;
    try_soups(COUNTED(json), tries, &seed);
    options.format = GS_FORMAT_WARC;
    try_soups(COUNTED(warc), tries, &seed);
    for (unsigned i = 0; i < GS_FORMAT_COUNT; i++) {
        const gs_document_format format = (gs_document_format)i;
        if (gs_document_feed_options(format).ends.cut != NULL && !is_tried[i]) {
            fprintf(stderr, "%s has a cut: here are no bits for it\n",
                    gs_document_format_name(format));
            check_failures++;
        }
    }
}

static void expect(const char *text, const char *wanted)
{
    clear(&all_at_once);
    parse(&all_at_once, text, 0, strlen(text), strlen(text));
    if (strcmp(all_at_once.text, wanted) != 0) {
        fprintf(stderr, "input:  %s\nwanted: %s\ngot:    %s\n", text, wanted,
                all_at_once.text);
        check_failures++;
    }
}

static void rows(void)
{
    columns = (gs_columns){.separator = ',', .has_quotes = true, .count = 3, .id = 1};
    columns.texts[columns.text_count++] = 2;
    columns.texts[columns.text_count++] = 0;
    options.format = GS_FORMAT_CSV;
    expect("t,id,c\nx,1,y\n", "1|y|x\n");
    expect("t,\"i\nd\",c\r\n\"a\"\"b\",\"1\",\"c\n,d\"e\r\n\n \t\nx,2\n,3,",
           "1|c\n,de|a\"b\n2|x\n3||\n");
    expect("h\n1\nx,\nx,2,y,z\nx,3,\"y\nz,4\n",
           "!1 too few values for name and text\n!2 the name is empty\n"
           "!3 more values than the header has names\n!4 a quoted value does not end\n");
    expect("h", "");
    columns.separator = '\t';
    columns.has_quotes = false;
    expect("h\n\"x\t1\ty\"\r\n", "1|y\"|\"x\n");
}

static void objects(void)
{
    options.format = GS_FORMAT_JSON;
    options.is_array = true;
    expect("[]", "");
    expect(" [ {\"id\":1,\"contents\":\"x\"}\n,\n{\"id\":2,\"contents\":\"[\\\"]\"} ] \n",
           "1|x\n2|[\"]\n");
    expect("[{\"id\":1,\"contents\":\"x\"},\n,5,{\"id\":2}]x",
           "1|x\n!1 a value is missing in the array\n!1 not a JSON object\n"
           "!1 no field with text\n!1 something follows the array\n");
    expect("[{\"id\":1,\"contents\":\"x\"}", "1|x\n!0 the array does not end\n");
    expect("[{\"id\":1,\"contents\":\"x\"},]",
           "1|x\n!0 a value is missing in the array\n");
    options.is_array = false;
    expect("{\"id\":1,\"contents\":\"x\"}{\"id\":2,\n\"contents\":\"y\"}\n\n",
           "1|x\n2|y\n");
    expect("{\"id\":1,\n\"contents\":\"x\"\n}\nx {\"id\":2}\n{\"id\":3",
           "1|x\n!3 not a JSON object\n!4 the object does not end\n");
}

static void records(void)
{
    options.format = GS_FORMAT_WARC;
    expect("WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: <u>\r\n"
           "Content-Length: 3\r\n\r\na\nb\r\n\r\nWARC/1.0\r\nWARC-Type: warcinfo\r\n"
           "Content-Length: 0\r\n\r\n\r\n\r\n",
           "u|a\nb\n");
    CHECK(all_at_once.left_out == 1);
    expect("WARC/1.0\nWARC-Type: conversion\nContent-Length: 1\n\nx",
           "!0 the name is empty\n");
    expect("WARC/1.0\nWARC-Type: conversion\nWARC-Target-URI: u\n\nx\n",
           "!0 a record without its length\n!4 the record is cut off\n");
    expect("WARC/1.0\nWARC-Target-URI: u\nContent-Length: 99999999999999999999999\n\nx",
           "!0 the record is cut off\n");
    expect("WARC/1.0\nWARC-Type: response\nWARC-Target-URI: u\nContent-Length: 62\n\n"
           "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n"
           "4\n<a>b\n3;x\nc&l\n0\n\n",
           "u|bc&l\n");
}

int main(void)
{
    rows();
    objects();
    records();
    cuts_do_not_matter(check_seed(7), check_often(20000));
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
