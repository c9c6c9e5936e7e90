/* SPDX-License-Identifier: MIT */
/*
 * Options that the other tests here do not ask for. What would break: one that a program
 * fills in and that reaches nobody.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <zstd.h>

#include "tests/check_api.h"

enum { FILE_MAX = 1 << 24 };

static char text[FILE_MAX], other[FILE_MAX];

static size_t read_file(const char *name, char *to)
{
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    const size_t bytes = fread(to, 1, FILE_MAX - 1, f);
    REQUIRE(fclose(f) == 0);
    to[bytes] = '\0';
    return bytes;
}

static void write_file(const char *name, const void *from, size_t bytes)
{
    FILE *const f = fopen(name, "w");
    REQUIRE(f != NULL && fwrite(from, 1, bytes, f) == bytes && fclose(f) == 0);
}

static void pack_file(const char *name, const char *packed)
{
    const size_t bytes = read_file(name, text);
    const size_t size = ZSTD_compress(other, FILE_MAX, text, bytes, 1);
    REQUIRE(!ZSTD_isError(size));
    write_file(packed, other, size);
}

static bool is_same_file(const char *a, const char *b)
{
    const size_t bytes = read_file(a, text);
    return bytes == read_file(b, other) && memcmp(text, other, bytes) == 0;
}

/* --- sorts ------------------------------------------------------------------------- */

static void sorts(void)
{
    static const char *const lines[] = {"lines"};
    static const char *const packed[] = {"lines.zst"};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    write_text_file("lines", "d\nb\nc\na\n");
    pack_file("lines", "lines.zst");
    o.inputs = lines;
    o.input_count = 1;
    o.output = "out";
    o.syncs_output = 1; /* which cannot be seen from here */
    GOOD(gpusort_sort(&o, &error));
    CHECK(read_file("out", text) == 8 && strcmp(text, "a\nb\nc\nd\n") == 0);
    o.has_top = 1;
    o.top_count = 2;
    GOOD(gpusort_sort(&o, &error));
    CHECK(read_file("out", text) == 4 && strcmp(text, "a\nb\n") == 0);
    o.has_top = 0;
    o.inputs = packed;
    GOOD(gpusort_sort(&o, &error));
    CHECK(read_file("out", text) == 8);
    o.keeps_packed = 1;
    GOOD(gpusort_sort(&o, &error));
    CHECK(!is_same_file("out", "lines") && memchr(text, 'a', 8) == NULL);
}

static uint64_t passes_of_merge(unsigned batch_size)
{
    static const char *const files[] = {"lines", "lines", "lines",
                                        "lines", "lines", "lines"};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_figures f = {.size = sizeof f};
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    o.inputs = files;
    o.input_count = sizeof files / sizeof *files;
    o.output = "out";
    o.batch_size = batch_size;
    REQUIRE(gpusort_stats_new(&o.job.stats, 0, NULL) == GPUSORT_OK);
    write_text_file("lines", "a\nb\n");
    GOOD(gpusort_merge(&o, &error));
    CHECK(read_file("out", text) == 24 &&
          strncmp(text, "a\na\na\na\na\na\nb\n", 14) == 0);
    gpusort_stats_read(o.job.stats, &f);
    gpusort_stats_free(o.job.stats);
    return f.passes;
}

/* --- streams ----------------------------------------------------------------------- */

static unsigned reports;
static volatile int asked;

static int report(void *context, gpusort_summary *summary)
{
    (void)context;
    (void)summary;
    reports++;
    asked += asked < 5;
    return 0;
}

static unsigned reports_of(bool may_ask)
{
    static const char *const inputs[] = {"numbers"};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stream_options o = GPUSORT_STREAM_OPTIONS;
    o.statistic = GPUSORT_QUANTILES;
    o.inputs = inputs;
    o.input_count = 1;
    o.every_values = 200000;
    o.report = report;
    o.asked = may_ask ? &asked : NULL;
    reports = 0;
    asked = 0;
    GOOD(gpusort_stream_run(&o, NULL, &error));
    return reports;
}

/* --- data -------------------------------------------------------------------------- */

static gpusort_generate_options data_of(const char *kind, const char *output)
{
    gpusort_generate_options o = GPUSORT_GENERATE_OPTIONS;
    gpusort_generate_defaults(&o);
    o.kind = kind;
    o.output = output;
    o.records = 2000;
    o.bytes = UINT64_MAX;
    return o;
}

static void generate(const gpusort_generate_options *o)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    GOOD(gpusort_generate(o, &error));
}

static void data(void)
{
    gpusort_generate_options o = data_of("u64", "one");
    o.distribution = "zipf";
    o.exponent = 0.5;
    generate(&o);
    o.output = "two";
    generate(&o);
    CHECK(is_same_file("one", "two"));
    o.exponent = 1.5;
    generate(&o);
    CHECK(!is_same_file("one", "two"));
    o.distribution = "poisson";
    o.mean = 3;
    generate(&o);
    o.output = "one";
    o.mean = 900;
    generate(&o);
    CHECK(!is_same_file("one", "two"));
    o = data_of("docs", "one");
    o.document_words = 5;
    generate(&o);
    const size_t few = read_file("one", text);
    o.document_words = 50;
    generate(&o);
    CHECK(read_file("one", text) > 4 * few);
    for (int ascend = 0; ascend < 2; ascend++) {
        unsigned long long last = 0, doc;
        bool is_in_order = true;
        o = data_of("tuples", "one");
        o.documents_ascend = ascend;
        generate(&o);
        (void)read_file("one", text);
        for (char *at = text; (at = strchr(at, '\t')) != NULL; at++) {
            REQUIRE(sscanf(at, "%llu", &doc) == 1);
            is_in_order &= doc >= last;
            last = doc;
        }
        CHECK(is_in_order == (ascend == 1));
    }
}

/* --- indexes ----------------------------------------------------------------------- */

static void builds(void)
{
    static const char *const fields[] = {"body"};
    static const char *const objects[] = {"objects.jsonl"};
    static const char *const tables[] = {"docs.tsv"};
    static const char *const packed[] = {"docs.zst"};
    static const char *const binary[] = {"binary.bin"};
    static const unsigned char found[] = {1};
    gpusort_index_info info = {.size = sizeof info};
    write_text_file("objects.jsonl",
                    "{\"key\": 1, \"title\": \"dog\", \"body\": \"cat\"}\n");
    write_text_file("docs.tsv", "d1\tcat and dog\nd2\tcat\n");
    write_text_file("stop", "and\n");
    pack_file("docs.tsv", "docs.zst");
    gpusort_build_options o = build_options_of("idx", objects);
    CHECK(gpusort_index_build(&o, NULL) == GPUSORT_FORMAT); /* no name */
    o.id_field = "key";
    o.text_fields = fields;
    o.text_field_count = 1;
    build_index(&o);
    CHECK(documents_with("idx", "cat") == 1 && documents_with("idx", "dog") == 0);
    o = build_options_of("idx", tables);
    o.stop_words = "stop";
    o.has_positions = 1;
    build_index(&o);
    CHECK(documents_with("idx", "cat") == 2 && documents_with("idx", "and") == 0);
    gpusort_index *const index = open_index("idx");
    REQUIRE(gpusort_index_count(index, &info, NULL) == GPUSORT_OK);
    CHECK(info.has_positions);
    gpusort_index_close(index);
    o = build_options_of("packed", packed);
    build_index(&o);
    CHECK(documents_with("packed", "cat") == 2);
    o.keeps_packed = 1;
    CHECK(gpusort_index_build(&o, NULL) == GPUSORT_FORMAT);
    write_file("binary.bin", "\0\1\2\0\3\4\0\0\5\6\0\7", 12);
    o = build_options_of("idx", binary);
    CHECK(gpusort_index_build(&o, NULL) == GPUSORT_FORMAT);
    o.inputs_found = found;
    build_index(&o); /* left out */
}

static void orders_and_passes(void)
{
    static const char *const docs[] = {"many.jsonl"};
    gpusort_figures f = {.size = sizeof f};
    gpusort_generate_options g = data_of("docs", "many.jsonl");
    uint64_t passes[2];
    g.records = 4000;
    generate(&g);
    gpusort_build_options o = build_options_of("plain", docs);
    build_index(&o);
    o.folder = "reordered";
    o.reorders = 1;
    build_index(&o);
    CHECK(!is_same_file("plain/documents", "reordered/documents"));
    o.reorders = 0;
    o.folder = "again";
    o.method = GPUSORT_BSBI;
    o.job.memory_bytes = 1;
    for (unsigned i = 0; i < 2; i++) {
        o.batch_size = i == 0 ? 0 : 2;
        REQUIRE(gpusort_stats_new(&o.job.stats, 0, NULL) == GPUSORT_OK);
        build_index(&o);
        gpusort_stats_read(o.job.stats, &f);
        gpusort_stats_free(o.job.stats);
        CHECK(f.runs > 2 && is_same_file("plain/postings", "again/postings"));
        passes[i] = f.passes;
    }
    CHECK(passes[1] > passes[0]);
}

static void imports(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_import_options o = GPUSORT_IMPORT_OPTIONS;
    GOOD(gpusort_index_export("plain", "plain.ciff", NULL, &error));
    pack_file("plain.ciff", "packed.ciff");
    o.folder = "back";
    o.replaces = 1;
    o.input = "packed.ciff";
    GOOD(gpusort_index_import(&o, &error));
    CHECK(is_same_file("plain/postings", "back/postings"));
    o.keeps_packed = 1;
    CHECK(gpusort_index_import(&o, NULL) == GPUSORT_FORMAT);
}

static double best_score(const gpusort_index *index, const gpusort_search_options *o,
                         const char *query)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_searcher *searcher = NULL;
    gpusort_hit hit;
    size_t count;
    GOOD(gpusort_searcher_new(&searcher, index, o, &error));
    GOOD(gpusort_search(searcher, query, strlen(query), &hit, 1, &count, &error));
    gpusort_searcher_free(searcher);
    return count == 0 ? 0 : hit.score;
}

static void searches(void)
{
    gpusort_search_options o = GPUSORT_SEARCH_OPTIONS;
    gpusort_index *const index = open_index("idx.tsv");
    const double usual = best_score(index, &o, "cat");
    o.k1 = 0.1;
    o.b = 0.75;
    CHECK(usual > 0 && best_score(index, &o, "cat") != usual);
    o.k1 = o.b = 0;
    CHECK(best_score(index, &o, "cat nothing") == usual);
    o.needs_all = 1;
    CHECK(best_score(index, &o, "cat nothing") == 0);
    o.needs_all = 0;
    CHECK(best_score(index, &o, "-cat") == 0);
    o.is_plain = 1;
    CHECK(best_score(index, &o, "-cat") == usual);
    gpusort_index_close(index);
}

static int next_term(void *context, int may_wait, const void **term, size_t *bytes)
{
    int *const given = context;
    (void)may_wait;
    *term = "cat";
    *bytes = 3;
    return (*given)++ < 3;
}

static char found_text[1 << 10];

static int keep(void *context, const void *from, size_t bytes)
{
    (void)context;
    REQUIRE(strlen(found_text) + bytes < sizeof found_text);
    memcpy(found_text + strlen(found_text), from, bytes);
    return 0;
}

/* How many there will be is a hint, right or wrong. */
static void terms_may_be_expected(void)
{
    static const uint64_t expected[] = {0, 1, UINT64_C(1) << 33};
    gpusort_index *const index = open_index("idx.tsv");
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        gpusort_error error = GPUSORT_NO_ERROR;
        gpusort_lookup_options o = GPUSORT_LOOKUP_OPTIONS;
        gpusort_heads_options h = GPUSORT_HEADS_OPTIONS;
        gpusort_heads *heads = NULL;
        int given = 0;
        o.job.context = &given;
        o.next = next_term;
        o.write = keep;
        o.expected_terms = h.expected_terms = expected[i];
        memset(found_text, 0, sizeof found_text);
        GOOD(gpusort_index_lookups(index, &o, &error));
        CHECK(strcmp(found_text, "cat\t2\t2\t0:1 1:1\ncat\t2\t2\t0:1 1:1\n"
                                 "cat\t2\t2\t0:1 1:1\n") == 0);
        GOOD(gpusort_heads_new(&heads, index, &h, &error));
        gpusort_heads_free(heads);
    }
    gpusort_index_close(index);
}

int main(void)
{
    static const char *const tables[] = {"docs.tsv"};
    sorts();
    CHECK(passes_of_merge(2) > passes_of_merge(0));
    FILE *const f = fopen("numbers", "w");
    REQUIRE(f != NULL);
    for (int i = 0; i < 600000; i++)
        fprintf(f, "%d\n", i * 7919 % 600000);
    REQUIRE(fclose(f) == 0);
    CHECK(reports_of(true) > reports_of(false));
    data();
    builds();
    orders_and_passes();
    imports();
    const gpusort_build_options o = build_options_of("idx.tsv", tables);
    build_index(&o);
    searches();
    terms_may_be_expected();
    return check_result();
}
