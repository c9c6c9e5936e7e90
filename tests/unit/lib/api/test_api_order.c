/* SPDX-License-Identifier: MIT */
/*
 * What the command has beyond plain lines, as programs ask for it: tables and JSON by the
 * names of keys, a random order, figures and spans of a job, the line that is out of
 * place, where a key lies. What would break: a name that finds another column, wishes
 * that contradict each other and are taken, figures of a job that are not its own.
 */
#define CHECK_STARTS_THREADS

#include <string.h>
#include <unistd.h>

#include "tests/check_api.h"

enum { TEXT_BYTES = 4096 };

static void read_file(const char *name, char to[static TEXT_BYTES])
{
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    const size_t n = fread(to, 1, TEXT_BYTES - 1, f);
    REQUIRE(fclose(f) == 0);
    to[n] = '\0';
}

static gpusort_sort_options options_of(const char *const *input)
{
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    o.inputs = input;
    o.input_count = 1;
    o.output = "sorted";
    return o;
}

static void gives(const gpusort_sort_options *o, const char *want)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    char got[TEXT_BYTES];
    if (gpusort_sort(o, &error) != GPUSORT_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    read_file("sorted", got);
    CHECK(strcmp(got, want) == 0);
}

static void refuses(const gpusort_sort_options *o, const char *why)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    CHECK(gpusort_sort(o, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, why) != NULL);
}

static void columns_have_names(void)
{
    static const char *const input[] = {"table"};
    write_text_file("table", "name,size\n\"b,\nb\",10\na,9\nc,100\n");
    gpusort_sort_options o = options_of(input);
    const gpusort_key by_number = {.kind = GPUSORT_NUMERIC, .flags = GPUSORT_REVERSE};
    const gpusort_path size = {"size", 1}, name = {"name", 1}, other = {"colour", 1};
    o.order.form = GPUSORT_CSV;
    o.order.keys = &by_number;
    o.order.key_count = 1;
    o.order.paths = &size;
    o.header_lines = 1;
    gives(&o, "name,size\nc,100\n\"b,\nb\",10\na,9\n");
    const gpusort_key by_bytes = {.start_field = 2, .end_field = 2};
    o.order.keys = &by_bytes;
    o.order.paths = NULL;
    gives(&o, "name,size\n\"b,\nb\",10\nc,100\na,9\n");
    o.order.paths = &name;
    gives(&o, "name,size\na,9\n\"b,\nb\",10\nc,100\n");
    o.order.paths = &other;
    gpusort_error error = GPUSORT_NO_ERROR;
    CHECK(gpusort_sort(&o, &error) == GPUSORT_FORMAT &&
          strstr(error.message, "colour") != NULL);
    o.order.paths = &name;
    o.header_lines = 0;
    refuses(&o, "header");
    o.header_lines = 1;
    o.order.delimiter = '"';
    refuses(&o, "separator");
    o.order.delimiter = 0;
    o.order.form = GPUSORT_LINES;
    refuses(&o, "names");
    o.order.form = (gpusort_form)9;
    refuses(&o, "form");
    o.order.form = GPUSORT_CSV;
    gpusort_sorter *sorter;
    CHECK(gpusort_sorter_new(&sorter, &o, NULL) == GPUSORT_ARG && sorter == NULL);
}

static void tables_may_lack_quotes(void)
{
    static const char *const input[] = {"plain"};
    write_text_file("plain", "k\tv\n\"b\t2\na\t10\n");
    gpusort_sort_options o = options_of(input);
    const gpusort_key key = {.kind = GPUSORT_NUMERIC};
    const gpusort_path v = {"v", 1};
    o.order.form = GPUSORT_TABLE;
    o.order.keys = &key;
    o.order.key_count = 1;
    o.order.paths = &v;
    o.header_lines = 1;
    gives(&o, "k\tv\n\"b\t2\na\t10\n");
    o.order.paths = &(const gpusort_path){"k", 1};
    o.order.keys = &(const gpusort_key){.flags = GPUSORT_REVERSE};
    gives(&o, "k\tv\na\t10\n\"b\t2\n");
}

static void values_have_paths(void)
{
    static const char *const input[] = {"objects"};
    write_text_file("objects", "{\"a\": {\"b\": 10}}\n{\"a\": {\"b\": 9}}\n{\"a\": 1}\n");
    gpusort_sort_options o = options_of(input);
    const gpusort_key key = {.kind = GPUSORT_NUMERIC};
    const gpusort_path path = {"a\0b", 2};
    o.order.form = GPUSORT_JSON;
    o.order.keys = &key;
    o.order.key_count = 1;
    o.order.paths = &path;
    gives(&o, "{\"a\": 1}\n{\"a\": {\"b\": 9}}\n{\"a\": {\"b\": 10}}\n");
    o.order.paths = NULL;
    refuses(&o, "path");
    o.order.paths = &(const gpusort_path){"a", 33};
    refuses(&o, "33 names");
    o.order.paths = &path;
    o.order.delimiter = ',';
    refuses(&o, "delimiter");
    o.order.delimiter = 0;
    o.order.key_count = 0;
    refuses(&o, "keys of JSON");
}

static void random_orders_have_seeds(void)
{
    static const char *const input[] = {"few"};
    static const unsigned char seed[GPUSORT_SEED_BYTES] = {7}, other[16] = {8};
    char first[TEXT_BYTES], got[TEXT_BYTES], text[256] = "";
    for (char c = 'a'; c <= 'z'; c++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%c\n%c\n", c, c);
    write_text_file("few", text);
    gpusort_sort_options o = options_of(input);
    const gpusort_key key = {.kind = GPUSORT_RANDOM};
    o.order.keys = &key;
    o.order.key_count = 1;
    o.order.random_seed = seed;
    REQUIRE(gpusort_sort(&o, NULL) == GPUSORT_OK);
    read_file("sorted", first);
    CHECK(strcmp(first, text) != 0);
    for (size_t i = 0; i < strlen(first); i += 4)
        CHECK(first[i] == first[i + 2]); /* equal ones stay together */
    gives(&o, first);
    o.order.random_seed = other;
    REQUIRE(gpusort_sort(&o, NULL) == GPUSORT_OK);
    read_file("sorted", got);
    CHECK(strcmp(got, first) != 0);
    o.order.random_seed = NULL;
    REQUIRE(gpusort_sort(&o, NULL) == GPUSORT_OK);
    o.checkpoint = "kept";
    refuses(&o, "seed");
    o.checkpoint = NULL;
    o.order.follows_locale = 1;
    refuses(&o, "locale");
}

static void figures_are_of_the_job(void)
{
    static const char *const input[] = {"lines"};
    gpusort_stats *stats = NULL;
    gpusort_figures f = {.size = sizeof f};
    gpusort_span span = {.size = sizeof span};
    write_text_file("lines", "b\na\nc\n");
    CHECK(gpusort_stats_new(&stats, 64, NULL) == GPUSORT_ARG && stats == NULL);
    REQUIRE(gpusort_stats_new(&stats, GPUSORT_SPANS, NULL) == GPUSORT_OK);
    gpusort_stats_read(stats, &f);
    CHECK(f.records == 0 && f.phase == GPUSORT_STARTING && f.engine == NULL);
    CHECK(gpusort_stats_span(stats, 0, &span) == 0);
    gpusort_sort_options o = options_of(input);
    o.job.stats = stats;
    o.job.threads = 2;
    o.sums_output = 1;
    gives(&o, "a\nb\nc\n");
    gpusort_stats_read(stats, &f);
    CHECK(f.size == sizeof f && f.records == 3 && f.output_records == 3);
    CHECK(f.input_bytes == 6 && f.output_bytes == 6 && f.text_bytes == 6);
    CHECK(f.phase == GPUSORT_FINISHING && f.threads >= 1 && f.spans_lost == 0);
    CHECK(f.has_output_sum && f.output_sum == 0xfcf115883081592b);
    CHECK(f.engine != NULL && strcmp(f.engine, "cpu") == 0);
    CHECK(gpusort_stats_span(stats, 0, &span) == 1);
    CHECK(span.size == sizeof span && span.name != NULL && span.end_ns >= span.begin_ns &&
          span.lane < GPUSORT_LANES);
    struct {
        gpusort_figures now;
        uint64_t of_tomorrow;
    } longer = {.now.size = sizeof longer, .of_tomorrow = 5};
    gpusort_stats_read(stats, &longer.now);
    CHECK(longer.now.records == 3 && longer.of_tomorrow == 0);
    gpusort_figures shorter = {.size = offsetof(gpusort_figures, records), .records = 77};
    gpusort_stats_read(stats, &shorter);
    CHECK(shorter.input_bytes == 6 && shorter.records == 77);
    gpusort_stats_free(stats);
    gpusort_stats_free(NULL);
}

typedef struct seen {
    uint64_t number;
    char line[16];
} seen;

static void see(void *context, uint64_t number, const void *line, size_t bytes)
{
    seen *const s = context;
    REQUIRE(bytes < sizeof s->line);
    s->number = number;
    memcpy(s->line, line, bytes);
}

static void disorder_has_a_line(void)
{
    static const char *const input[] = {"mixed"};
    seen s = {.number = 0};
    uint64_t disorder;
    write_text_file("mixed", "a\nc\nbird\nd\n");
    gpusort_sort_options o = options_of(input);
    o.job.context = &s;
    o.disorder = see;
    REQUIRE(gpusort_check(&o, &disorder, NULL) == GPUSORT_OK);
    CHECK(disorder == 3 && s.number == 3 && strcmp(s.line, "bird") == 0);
}

static void keys_lie_somewhere(void)
{
    static const char line[] = "one,two,three";
    const gpusort_key keys[] = {{.start_field = 2, .end_field = 2},
                                {.start_field = 3, .start_char = 2}};
    gpusort_order order = {.keys = keys, .key_count = 2, .delimiter = ','};
    gpusort_error error = GPUSORT_NO_ERROR;
    char lengthy[5000];
    size_t begin, end;
    REQUIRE(gpusort_key_locate(&order, 0, line, 13, &begin, &end, &error) == GPUSORT_OK);
    CHECK(begin == 4 && end == 7);
    REQUIRE(gpusort_key_locate(&order, 1, line, 13, &begin, &end, &error) == GPUSORT_OK);
    CHECK(begin == 9 && end == 13);
    memset(lengthy, 'x', sizeof lengthy);
    lengthy[4000] = ',';
    REQUIRE(gpusort_key_locate(&order, 0, lengthy, sizeof lengthy, &begin, &end,
                               &error) == GPUSORT_OK);
    CHECK(begin == 4001 && end == 5000);
    CHECK(gpusort_key_locate(&order, 2, line, 13, &begin, &end, NULL) == GPUSORT_ARG);
    order.form = GPUSORT_JSON;
    CHECK(gpusort_key_locate(&order, 0, line, 13, &begin, &end, NULL) == GPUSORT_ARG);
}

static void wishes_of_jobs_are_known(void)
{
    static const char *const input[] = {"lines"};
    gpusort_sort_options o = options_of(input);
    o.job.flags = GPUSORT_NO_URING | GPUSORT_ENDS_BY_PIPE;
    gives(&o, "a\nb\nc\n");
    o.job.flags = 64;
    refuses(&o, "flags");
    o.job.flags = 0;
    o.job.gpu_count = 2;
    refuses(&o, "GPUs");
    o.job.gpu_count = 0;
    o.output_level = 23;
    refuses(&o, "zstd");
    o.output_level = 0;
    o.compress_program = "cat";
    gives(&o, "a\nb\nc\n");
    o.checkpoint = "kept";
    refuses(&o, "program");
    CHECK(access("kept", F_OK) != 0);
}

static void engines_have_names(void)
{
    char text[256] = "?";
    CHECK(strcmp(gpusort_engine_name(0), "auto") == 0);
    CHECK(strcmp(gpusort_engine_name(1), "cpu") == 0);
    CHECK(strcmp(gpusort_engine_name(2), "gpu") == 0);
    size_t count = 0;
    while (gpusort_engine_name(count) != NULL)
        count++;
    CHECK(count >= 3 && gpusort_engine_name(count + 9) == NULL);
    const unsigned gpus = gpusort_gpus(text, sizeof text);
    CHECK(strncmp(text, "gpu", 3) == 0);
    CHECK((strncmp(text, "gpu: none", 9) == 0) == (gpus == 0));
    CHECK(gpusort_gpus(NULL, 0) == gpus);
    CHECK(gpusort_mapped_name(text, text, sizeof text) == 0);
}

int main(void)
{
    columns_have_names();
    tables_may_lack_quotes();
    values_have_paths();
    random_orders_have_seeds();
    figures_are_of_the_job();
    disorder_has_a_line();
    keys_lie_somewhere();
    wishes_of_jobs_are_known();
    engines_have_names();
    return check_failures != 0;
}
