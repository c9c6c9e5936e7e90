/* SPDX-License-Identifier: MIT */
/*
 * document: what is a document must be found with its exact name and texts, and what is
 * none must be told with its line, however the input is cut into blocks.
 */
#include "lib/index/text/document.h"

#include <fcntl.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/text/document_trec.h"
#include "tests/check.h"

enum { TEXT_MAX = 1 << 20 };

static const char *const default_fields[] = {"contents"};
static const char *const two_fields[] = {"title", "body"};
static gs_document_options options = {
    .format = GS_FORMAT_JSONL,
    .id_field = "id",
    .text_fields = default_fields,
    .text_field_count = 1,
};

static char found[TEXT_MAX];
static size_t found_bytes;

static void put(const char *text, size_t bytes)
{
    REQUIRE(found_bytes + bytes < sizeof found);
    memcpy(found + found_bytes, text, bytes);
    found_bytes += bytes;
    found[found_bytes] = '\0';
}

static void put_list(const gs_document_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        const gs_document *const d = &list->documents[i];
        put((const char *)d->name.data, d->name.bytes);
        for (size_t t = 0; t < d->text_count; t++) {
            const gs_text_span text = list->texts[d->first_text + t];
            put("|", 1);
            put((const char *)text.data, text.bytes);
        }
        put("\n", 1);
    }
    for (size_t i = 0; i < list->bad_count; i++) {
        char line[300];
        const int n = snprintf(line, sizeof line, "!%llu %s\n",
                               (unsigned long long)list->bad[i].line, list->bad[i].why);
        put(line, (size_t)n);
    }
}

/* Parses the text as one batch, in memory that ends soon after it. */
static const char *parse(const char *text, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    gs_document_list list = {0};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, bytes + 64, "text", &st), &st);
    memcpy(memory, text, bytes);
    const gs_line_batch batch = {.data = memory, .bytes = bytes};
    REQUIRE_OK(gs_document_list_parse(&list, &options, &batch, "file.txt", &st), &st);
    found_bytes = 0;
    found[0] = '\0';
    put_list(&list);
    gs_document_list_release(&list);
    gs_mem_free(memory);
    return found;
}

static void expect(const char *text, const char *wanted)
{
    const char *const got = parse(text, strlen(text));
    if (strcmp(got, wanted) != 0) {
        fprintf(stderr, "input:  %s\nwanted: %s\ngot:    %s\n", text, wanted, got);
        check_failures++;
    }
}

static void json_documents(void)
{
    options = (gs_document_options){
        .format = GS_FORMAT_JSONL,
        .id_field = "id",
        .text_fields = default_fields,
        .text_field_count = 1,
    };
    expect("{\"id\":\"a\",\"contents\":\"x y\"}\n{\"contents\":\"\",\"id\":7}\n",
           "a|x y\n7|\n");
    expect(" \t{ \"id\" : \"a\" , \"contents\" : \"x\" } \r\n\n  \n", "a|x\n");
    expect("{\"id\":-1.5e+3,\"contents\":null}", "-1.5e+3|\n");
    expect("{\"id\":\" \",\"contents\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}",
           " |\"\\/\b\f\n\r\t\n");
    expect("{\"id\":\"\",\"contents\":\"x\"}", "!0 the name is empty\n");
    options.id_field = NULL; /* id, or _id where that is missing */
    expect("{\"_id\":\"a\",\"contents\":\"x\"}\n{\"_id\":\"b\",\"id\":2,\"contents\":"
           "\"y\"}\n"
           "{\"id\":3,\"_id\":{\"$oid\":\"c\"},\"contents\":\"z\"}\n"
           "{\"_id\":null,\"contents\":\"z\"}\n{\"_id\":\"\",\"contents\":\"z\"}",
           "a|x\n2|y\n3|z\n!3 no field with the name\n!4 the name is empty\n");
    options.id_field = "id";
    expect("{\"_id\":\"a\",\"contents\":\"x\"}", "!0 no field with the name\n");
    expect("{\"\\u0069d\":\"\\u0041\\u00e9\\u20AC\\ud83d\\ude00\",\"contents\":"
           "\"\xc3\xa9\"}",
           "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|\xc3\xa9\n");
    expect("{\"id\":\"a\",\"x\":{\"y\":[1,2,{}],\"z\":[[],[true,false,null]]},"
           "\"contents\":\"c\",\"w\":-0.0}",
           "a|c\n");
    options.text_fields = two_fields;
    options.text_field_count = 2;
    options.id_field = "key";
    expect("{\"body\":\"b\",\"key\":\"k\",\"title\":\"t\",\"contents\":\"c\"}",
           "k|t|b\n");
    expect("{\"body\":\"b\",\"key\":\"k\"}", "k|b\n");
    expect("{\"key\":\"k\",\"id\":1}", "!0 no field with text\n");
    options.id_field = "title"; /* the name is text as well */
    expect("{\"title\":\"t\\u0021\",\"body\":\"b\"}\n{\"body\":null,\"title\":7}",
           "t!|t!|b\n7|7|\n");
    expect("{\"title\":\"t\",\"title\":\"t\"}", "!0 the name comes twice\n");
    options.id_field = "id";
}

/* Some programs put one in front of a file, and files are put together. */
static void byte_order_marks(void)
{
    options = (gs_document_options){
        .format = GS_FORMAT_JSONL,
        .id_field = "id",
        .text_fields = default_fields,
        .text_field_count = 1,
    };
    expect("\xef\xbb\xbf{\"id\":1,\"contents\":\"x\"}\n\xef\xbb\xbf\r\n"
           "\xef\xbb\xbf {\"id\":2,\"contents\":\"\xef\xbb\xbf\"}",
           "1|x\n2|\xef\xbb\xbf\n");
    expect("\xef\xbb{\"id\":1,\"contents\":\"x\"}\n", "!0 not a JSON object\n");
    options.format = GS_FORMAT_TSV;
    expect("\xef\xbb\xbf"
           "a\tx\n\xef\xbb\xbf"
           "b\t\xef\xbb\xbfy\n\xef\xbb\xbf\tz\n",
           "a|x\nb|\xef\xbb\xbfy\n!2 the name is empty\n");
    options.format = GS_FORMAT_TREC;
    expect("\xef\xbb\xbf<DOC><DOCNO>a</DOCNO>x</DOC>\r\n\xef\xbb\xbf\r\n"
           "<DOC><DOCNO>b</DOCNO></DOC>\xef\xbb\xbf",
           "a|x\nb\n");
    options.format = GS_FORMAT_JSONL;
}

static void json_faults(void)
{
    static const struct {
        const char *line, *why;
    } faults[] = {
        {"x", "not a JSON object"},
        {"[]", "not a JSON object"},
        {"{", "a field has no name between quotation marks"},
        {"{\"id\"", "no colon after the name of a field"},
        {"{\"id\":", "the name is neither a string nor a number"},
        {"{\"id\":\"a", "a string does not end"},
        {"{\"id\":\"a\\", "a string does not end"},
        {"{\"id\":\"a\\\"", "a string does not end"},
        {"{\"id\":\"a\"", "the object does not end"},
        {"{\"id\":\"a\",}", "a field has no name between quotation marks"},
        {"{\"id\":\"a\" \"b\":1}", "neither a comma nor an end after a value"},
        {"{\"id\":\"a\",\"contents\":\"b\"}}", "something follows the object"},
        {"{\"id\":\"a\",\"contents\":\"b\"} x", "something follows the object"},
        {"{\"id\":true,\"contents\":\"b\"}", "the name is neither a string nor a number"},
        {"{\"id\":\"a\",\"contents\":5}", "a text field is not a string"},
        {"{\"id\":\"a\",\"id\":\"b\",\"contents\":\"\"}", "the name comes twice"},
        {"{\"id\":\"a\",\"contents\":\"\",\"contents\":\"\"}",
         "a text field comes twice"},
        {"{\"contents\":\"\"}", "no field with the name"},
        {"{\"id\":\"a\"}", "no field with text"},
        {"{\"id\":\"\\x\",\"contents\":\"\"}", "an unknown escape in a string"},
        {"{\"id\":\"\\u12g4\",\"contents\":\"\"}", "\\u without four hexadecimal digits"},
        {"{\"id\":\"\\u123", "\\u without four hexadecimal digits"},
        {"{\"id\":\"\\ud800\",\"contents\":\"\"}", "half of a surrogate pair"},
        {"{\"id\":\"\\ud800\\u0041\",\"contents\":\"\"}", "half of a surrogate pair"},
        {"{\"id\":\"\\udc00\",\"contents\":\"\"}", "half of a surrogate pair"},
        {"{\"id\":\"a\tb\",\"contents\":\"\"}", "a control character in a string"},
        {"{\"id\":\"\xff\",\"contents\":\"\"}", "a string is not UTF-8"},
        {"{\"id\":\"\xc0\xaf\",\"contents\":\"\"}", "a string is not UTF-8"},
        {"{\"id\":\"\xed\xa0\x80\",\"contents\":\"\"}", "a string is not UTF-8"},
        {"{\"id\":\"\xf4\x90\x80\x80\",\"contents\":\"\"}", "a string is not UTF-8"},
        {"{\"id\":\"\xe2\x82\",\"contents\":\"\"}", "a string is not UTF-8"},
        {"{\"id\":01,\"contents\":\"\"}", "not a number as JSON has them"},
        {"{\"id\":1.,\"contents\":\"\"}", "not a number as JSON has them"},
        {"{\"id\":-,\"contents\":\"\"}", "not a number as JSON has them"},
        {"{\"id\":1e,\"contents\":\"\"}", "not a number as JSON has them"},
        {"{\"id\":\"a\",\"x\":nul}", "a value is missing or unknown"},
        {"{\"id\":\"a\",\"x\":[1,]}", "a value is missing or unknown"},
        {"{\"id\":\"a\",\"x\":[1 2]}", "neither a comma nor an end after a value"},
        {"{\"id\":\"a\",\"x\":{\"y\"}}", "no colon after the name of a field"},
        {"{\"id\":\"a\",\"x\":[}", "a value is missing or unknown"},
        {"{\"id\":\"a\",\"x\":[", "the object does not end"},
    };
    options = (gs_document_options){
        .format = GS_FORMAT_JSONL,
        .id_field = "id",
        .text_fields = default_fields,
        .text_field_count = 1,
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[400], wanted[400];
        (void)snprintf(text, sizeof text, "{\"id\":1,\"contents\":\"\"}\n%s\n",
                       faults[i].line);
        (void)snprintf(wanted, sizeof wanted, "1|\n!1 %s\n", faults[i].why);
        expect(text, wanted);
    }
}

static void json_depth(void)
{
    static char text[8192];
    for (unsigned deep = 1024; deep <= 1025; deep++) {
        size_t n =
            (size_t)snprintf(text, sizeof text, "{\"id\":1,\"contents\":\"\",\"x\":");
        memset(text + n, '[', deep);
        memset(text + n + deep, ']', deep);
        n += 2 * (size_t)deep;
        (void)snprintf(text + n, sizeof text - n, "}");
        expect(text,
               deep == 1024 ? "1|\n" : "!0 values are nested more than 1024 deep\n");
    }
}

static void tsv_documents(void)
{
    options.format = GS_FORMAT_TSV;
    expect("a\tx y\nb\t\nc d\tx\ty", "a|x y\nb|\nc d|x\ty\n");
    expect("a\tx\nno tab\n\n\tx\nb\ty\n",
           "a|x\nb|y\n!1 no TAB between name and text\n!3 the name is empty\n");
    expect("\n \t\r\na\t\n\t\t\n\r\n", "a|\n"); /* blank lines */
    expect("a\tx\r\nb\ty\r \r\nc\t\r", "a|x\nb|y\r \nc|\n");
}

static void trec_documents(void)
{
    options.format = GS_FORMAT_TREC;
    expect("<DOC>\n<DOCNO> a-1 </DOCNO>\n<TEXT>x < y <b>z</b></TEXT>\n</DOC>\n"
           "<doc><docno>b</docno></doc>",
           "a-1|x < y |z\nb\n");
    expect("<?xml?><!-- c --><DOC><DOCNO>a</DOCNO><!-- <x> -->t</DOC>\n\n", "a|t\n");
    expect("<DOC><HEAD>h</HEAD><DOCNO>a</DOCNO>t</DOC>", "a|h|t\n");
    expect("<DOC>\n<DOC><DOCNO>a</DOCNO></DOC>", "a\n!0 a <DOC> without </DOC>\n");
    expect("\nx<DOC><DOCNO>a</DOCNO></DOC>\n\ny\n",
           "a\n!1 text outside of <DOC>...</DOC>\n!3 text outside of <DOC>...</DOC>\n");
    expect("<DOC></DOC>\n<DOC><DOCNO> </DOCNO></DOC>\n"
           "<DOC><DOCNO>a</DOCNO><DOCNO>b</DOCNO></DOC>\n<DOC><DOCNO>a</DOCNO>",
           "!0 a <DOC> without <DOCNO>...</DOCNO>\n!1 an empty <DOCNO>\n"
           "!2 a <DOC> with two <DOCNO>\n!3 a <DOC> without </DOC>\n");
    /* Attributes and blanks in tags; other tags that begin alike. */
    expect("<DOC id=\"1\" type='x'>\n<DOCNO >a</DOCNO\n><DOCHDR>h</DOCHDR></DOC >\n"
           "<doc\tx><docno y=2>b</docno>t</doc\r\n>",
           "a|h\nb|t\n");
    expect("<DOC id=1><DOCNOT>a</DOCNOT></DOC><DOCS><DOC id=2<DOC><DOCNO>b</DOCNO></DOC>",
           "b\n!0 a <DOC> without <DOCNO>...</DOCNO>\n"
           "!0 text outside of <DOC>...</DOC>\n");
}

/* What stands in a comment is no mark-up, and no comment hides other documents. */
static void trec_comments(void)
{
    options.format = GS_FORMAT_TREC;
    expect("<!-- <DOC><DOCNO>no</DOCNO></DOC> -->\n<DOC><DOCNO>a</DOCNO>x</DOC>\n"
           "<!-- a --> <!--> <!-- <DOC> -->",
           "a|x\n");
    expect("<DOC><!-- <DOCNO>no</DOCNO> </DOC> --><DOCNO>a</DOCNO>x<!--</DOC>--><!-->y"
           "<!-- <DOCNO>no</DOCNO>\n<DOCS>--></DOC>",
           "a|x|y\n");
    expect("<DOC><DOCNO>a</DOCNO>x<!-- y</DOC>\n<DOC><DOCNO>b</DOCNO>x <!--y--></DOC>",
           "a|x<!-- y\nb|x \n");
    expect("<DOC><DOCNO>a</DOCNO>x<!-- y</DOC> <DOC><DOCNO>b</DOCNO>--></DOC>",
           "a|x<!-- y\nb|-->\n");
    expect("<DOC><DOCNO>a</DOCNO>x<!-- y</DOC>\xef\xbb\xbf<DOC><DOCNO>b</DOCNO>--></DOC>",
           "a|x<!-- y\nb|-->\n");
    expect("<DOC><DOCNO>a</DOCNO><!-- y</DOC>\n", "a|<!-- y\n");
    expect("<!-- x\n<DOC><DOCNO>a</DOCNO>x</DOC>\n-->",
           "a|x\n!0 a comment does not end\n!2 text outside of <DOC>...</DOC>\n");
}

/* Without what is told of those that are none, which has other lines. */
static void drop_bad(char *text)
{
    char *to = text;
    for (const char *line = text; *line != '\0';) {
        const char *const eol = strchr(line, '\n');
        const size_t n = (size_t)(eol - line) + 1;
        const bool is_bad = *line == '!';
        if (!is_bad)
            memmove(to, line, n);
        to += is_bad ? 0 : n;
        line = eol + 1;
    }
    *to = '\0';
}

/* Wherever a text is cut, its documents are the same. */
static void trec_cuts_do_not_matter(uint64_t seed)
{
    static const char *const bits[] = {
        "<!--",
        "-->",
        "-",
        ">",
        " ",
        "\n",
        "\n<DOC>",
        "<DOC>",
        "</DOC>",
        "</DOC>\n<DOC>",
        "<DOCNO>n</DOCNO>",
        "t",
        "<b>",
        "<DOC><DOCNO>m</DOCNO>x</DOC>\n",
    };
    enum { BYTES = 2000 };
    static char whole[TEXT_MAX / 2], pieces[TEXT_MAX / 2];
    options.format = GS_FORMAT_TREC;
    const unsigned tries = check_often(3000);
    for (unsigned n = 0; n < tries; n++) {
        char text[BYTES] = "<DOC><DOCNO>first</DOCNO>";
        size_t bytes = strlen(text), used = 0, from = 0;
        pieces[0] = '\0';
        for (uint64_t k = check_random(&seed) % 40; k > 0; k--) {
            const char *const bit =
                bits[check_random(&seed) % (sizeof bits / sizeof *bits)];
            memcpy(text + bytes, bit, strlen(bit));
            bytes += strlen(bit);
        }
        (void)snprintf(whole, sizeof whole, "%s", parse(text, bytes));
        /* Of what begins anywhere before an end, the end is found, or none. */
        while (from < bytes) {
            const size_t at = from + 1 + check_random(&seed) % (bytes - from);
            const size_t seen = from + check_random(&seed) % (at - from);
            const size_t found_end =
                gs_trec_whole_bytes((const uint8_t *)text + seen, at - seen);
            const size_t to = found_end > 0                  ? seen + found_end
                              : check_random(&seed) % 4 == 0 ? bytes
                                                             : from;
            if (to > from)
                used += (size_t)snprintf(pieces + used, sizeof pieces - used, "%s",
                                         parse(text + from, to - from));
            from = to;
        }
        drop_bad(whole);
        drop_bad(pieces);
        if (strcmp(whole, pieces) == 0)
            continue;
        fprintf(stderr, "text: %.*s\nwhole:\n%sin pieces:\n%s", (int)bytes, text, whole,
                pieces);
        check_failures++;
        return;
    }
}

/* Tags that never end, or of documents that never do, cost no more than others: half a
 * million take a blink, and took minutes when each was searched for up to the end. */
static void trec_faults_are_linear(void)
{
    static const char *const pieces[] = {
        "<DOC>",   "<a",   "<!",    "</DOC",  "<DOC ",
        "<DOCNO>", "<!--", "<!-->", "<!-- >", "<!-- --></DOC>x<DOC><DOCNO>y</DOCNO><!--",
    };
    enum { BYTES = 4 << 20 };
    gs_status st = {.code = GS_OK};
    void *memory = NULL;
    REQUIRE_OK(gs_mem_new(&memory, BYTES + 64, "text", &st), &st);
    options = (gs_document_options){.format = GS_FORMAT_TREC};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        gs_document_list list = {0};
        char *const text = memory;
        const size_t n = strlen(pieces[i]);
        size_t bytes = (size_t)sprintf(text, "<DOC><DOCNO>x</DOCNO>");
        for (; bytes + n + 6 < BYTES; bytes += n)
            memcpy(text + bytes, pieces[i], n);
        memcpy(text + bytes, "</DOC>", 6);
        const gs_line_batch batch = {.data = memory, .bytes = bytes + 6};
        const clock_t begin = clock();
        REQUIRE_OK(gs_document_list_parse(&list, &options, &batch, "f", &st), &st);
        CHECK((double)(clock() - begin) / CLOCKS_PER_SEC < 5);
        CHECK(list.count + list.bad_count > 0);
        gs_document_list_release(&list);
    }
    gs_mem_free(memory);
}

static uint64_t lines_of(const char *text, size_t bytes)
{
    uint64_t lines = bytes > 0 && text[bytes - 1] != '\n';
    for (size_t i = 0; i < bytes; i++)
        lines += text[i] == '\n';
    return lines;
}

static uint64_t found_lines;

/* The documents of a file as they come through blocks of 4 KiB. */
static void feed_file(const char *text, size_t bytes, const char *name)
{
    gs_status st = {.code = GS_OK};
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, text, bytes) == (ssize_t)bytes && close(fd) == 0);
    const char *const names[] = {name, name};
    gs_block_pool *pool = NULL;
    gs_input *input = NULL;
    gs_line_feed *feed = NULL;
    REQUIRE_OK(gs_block_pool_new(&pool, 4096, 4, &st), &st);
    const gs_input_options in = {
        .pool = pool, .blocks_in_flight = 1, .decode_threads = 1};
    REQUIRE_OK(gs_input_new(&input, names, 2, &in, &st), &st);
    gs_line_feed_options how = gs_document_feed_options(options.format);
    how.record_bytes_max = 1 << 20;
    how.names = names;
    const gs_block_source source = gs_block_source_input(input);
    REQUIRE_OK(gs_line_feed_new(&feed, &source, &how, &st), &st);
    gs_document_list list = {0};
    gs_line_batch batch;
    bool has_batch = true;
    found_bytes = 0;
    found[0] = '\0';
    found_lines = 0;
    for (;;) {
        REQUIRE_OK(gs_line_feed_next(feed, &batch, &has_batch, &st), &st);
        if (!has_batch)
            break;
        REQUIRE_OK(gs_document_list_parse(&list, &options, &batch, name, &st), &st);
        put_list(&list);
        found_lines += list.line_count; /* by which messages have the line */
        gs_line_batch_release(&batch);
    }
    gs_document_list_release(&list);
    gs_line_feed_free(feed);
    gs_input_free(input);
    gs_block_pool_free(pool);
    (void)unlink(name);
}

/* Cut by who reads whole files or records, which have tests of their own. */
static bool is_cut_elsewhere(gs_document_format format)
{
    switch (format) {
    case GS_FORMAT_JSONL:
    case GS_FORMAT_JSON:
    case GS_FORMAT_TSV:
    case GS_FORMAT_TREC:
    case GS_FORMAT_TEXT: return false;
    case GS_FORMAT_CSV: /* quotes: test_document_cut */
    case GS_FORMAT_WARC:
    case GS_FORMAT_HTML:
    case GS_FORMAT_TUPLES:
    case GS_FORMAT_TUPLES_BIN:
    case GS_FORMAT_VECTORS: /* lines, as JSONL */
    case GS_FORMAT_COUNT: break;
    }
    return true;
}

/* Random documents, long and short, of one line each if the format has them so; each line
 * ends with `eol`, and `between` stands behind each document. A seed gives the same ones.
 */
static size_t make_documents(char *text, size_t room, gs_document_format format,
                             const char *eol, const char *between, uint64_t seed)
{
    static const char *const shapes[GS_FORMAT_COUNT][3] = {
        [GS_FORMAT_JSONL] = {"{\"id\":", ",\"contents\":\"", "\"}\n"},
        [GS_FORMAT_JSON] = {"{\"id\":", ",\n\"contents\":\"", "\"}\n"},
        [GS_FORMAT_TSV] = {"", "\t", "\n"},
        [GS_FORMAT_TREC] = {"<DOC>\n<DOCNO>", "</DOCNO>", "</DOC>\n"},
        [GS_FORMAT_TEXT] = {"", " ", ""},
    };
    enum { MORE = 200 };
    static char word[30000], document[sizeof word + MORE];
    const char *const *const shape = shapes[format];
    size_t bytes = 0, left = room;
    REQUIRE(shape[0] != NULL);
    for (unsigned i = 0; i < 60; i++) {
        const uint64_t r = check_random(&seed);
        const size_t n = r % 9 == 0 ? (r >> 8) % sizeof word : (r >> 8) % 300;
        memset(word, 'a' + (int)(r % 26), n);
        word[n > 0 ? n - 1 : 0] = '\0';
        if (n + MORE > left)
            break;
        left -= n + MORE;
        (void)snprintf(document, sizeof document, "%s%u%s%s%s", shape[0], i, shape[1],
                       word, shape[2]);
        for (const char *p = document; *p != '\0'; p++) {
            if (*p == '\n')
                bytes += (size_t)snprintf(text + bytes, room - bytes, "%s", eol);
            else
                text[bytes++] = *p;
        }
        bytes += (size_t)snprintf(text + bytes, room - bytes, "%s", between);
    }
    return bytes;
}

/* They must come through the blocks as they would whole, and whether their lines end as
 * on other systems, with blank ones between or a byte order mark before them, or not. */
static void blocks_and_line_ends_do_not_matter(uint64_t seed)
{
    static const char *const ends[][3] = {
        {"\n", "", ""},
        {"\r\n", "", ""},
        {"\r\n", "\r\n \n\t\r\n", ""},
        {"\n", "", "\xef\xbb\xbf"}, /* a mark before all of it */
    };
    static char text[TEXT_MAX / 2], whole[TEXT_MAX / 2];
    options = (gs_document_options){
        .format = GS_FORMAT_JSONL,
        .id_field = "id",
        .text_fields = default_fields,
        .text_field_count = 1,
    };
    for (gs_document_format format = 0; format < GS_FORMAT_COUNT; format++) {
        if (is_cut_elsewhere(format))
            continue;
        options.format = format;
        /* The lines of a file that is one document are its text. */
        const bool is_file = gs_document_is_file(&options);
        for (size_t i = 0; i < (is_file ? 1 : sizeof ends / sizeof *ends); i++) {
            const size_t mark = strlen(ends[i][2]);
            memcpy(text, ends[i][2], mark);
            const size_t bytes =
                mark + make_documents(text + mark, sizeof text - mark, format, ends[i][0],
                                      ends[i][1], seed);
            if (i == 0)
                (void)snprintf(whole, sizeof whole, "%s", parse(text, bytes));
            feed_file(text, bytes, is_file ? "file.txt" : "file");
            const size_t n = strlen(whole);
            if (!is_file && found_lines != 2 * lines_of(text, bytes)) {
                fprintf(stderr, "%s: %llu lines counted of %llu\n",
                        gs_document_format_name(format), (unsigned long long)found_lines,
                        (unsigned long long)(2 * lines_of(text, bytes)));
                check_failures++;
            }
            if (found_bytes == 2 * n && memcmp(found, whole, n) == 0 &&
                memcmp(found + n, whole, n) == 0)
                continue;
            fprintf(stderr,
                    "%s: other documents through blocks, or with the %zuth of `ends`\n",
                    gs_document_format_name(format), i);
            check_failures++;
        }
    }
    options.format = GS_FORMAT_TEXT;
    feed_file("", 0, "empty");
    CHECK(strcmp(found, "empty|\nempty|\n") == 0);
}

static void formats_are_guessed(void)
{
    gs_document_format format = GS_FORMAT_COUNT;
    CHECK(gs_document_format_guess("a/b.jsonl.zst", &format) &&
          format == GS_FORMAT_JSONL);
    CHECK(gs_document_format_guess("b.tsv", &format) && format == GS_FORMAT_TSV);
    CHECK(gs_document_format_guess("b.txt.gz", &format) && format == GS_FORMAT_TEXT);
    CHECK(!gs_document_format_guess("-", &format));
    CHECK(!gs_document_format_guess("jsonl.gz", &format));
    CHECK(strcmp(gs_document_format_name(GS_FORMAT_TUPLES_BIN), "tuples-bin") == 0);
    CHECK(gs_document_format_name(GS_FORMAT_COUNT) == NULL);
    for (unsigned i = 0; i < GS_FORMAT_COUNT; i++) { /* each has its line in the table */
        REQUIRE(gs_document_format_name((gs_document_format)i) != NULL);
        CHECK(gs_document_feed_options((gs_document_format)i).eol == '\n');
    }
}

int main(void)
{
    json_documents();
    json_faults();
    byte_order_marks();
    json_depth();
    tsv_documents();
    trec_documents();
    trec_comments();
    trec_cuts_do_not_matter(check_seed(5));
    trec_faults_are_linear();
    blocks_and_line_ends_do_not_matter(check_seed(5));
    formats_are_guessed();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
