/* SPDX-License-Identifier: MIT */
/*
 * gpusort.h as a program uses it that knows nothing else. What would break: keys that
 * mean something else than those of the command, records that are lost between a caller
 * and the sort, numbers that are lost when they are turned, options of another version,
 * jobs that do not stop or that disturb each other, descriptors that do not begin at
 * their beginning.
 */
#define CHECK_STARTS_THREADS

#include "lib/gpusort.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/check_api.h"

enum { LINES = 3000 };

static void write_file(const char *name, const void *data, size_t bytes)
{
    FILE *const f = fopen(name, "w");
    REQUIRE(f != NULL && fwrite(data, 1, bytes, f) == bytes && fclose(f) == 0);
}

static size_t read_file(const char *name, char *to, size_t room)
{
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    const size_t n = fread(to, 1, room, f);
    REQUIRE(n < room && fclose(f) == 0);
    to[n] = '\0';
    return n;
}

/* --- files and keys ----------------------------------------------------------------- */

static const char fruit[] = "pear 10\nfig 9\napple 10\nfig 100\n";

static void sorted_by(const gpusort_key *keys, size_t key_count, const char *want)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const char *const inputs[] = {"fruit"};
    char got[256];
    uint64_t disorder;
    o.inputs = inputs;
    o.input_count = 1;
    o.output = "sorted";
    o.order.keys = keys;
    o.order.key_count = key_count;
    for (o.may_map = 0; o.may_map < 2; o.may_map++) {
        GOOD(gpusort_sort(&o, &error));
        (void)read_file("sorted", got, sizeof got);
        CHECK(strcmp(got, want) == 0);
    }
    const char *const again[] = {"sorted"};
    o.inputs = again;
    GOOD(gpusort_check(&o, &disorder, &error));
    CHECK(disorder == 0);
    o.output = "merged";
    GOOD(gpusort_merge(&o, &error));
    (void)read_file("merged", got, sizeof got);
    CHECK(strcmp(got, want) == 0);
}

static void keys_are_those_of_sort(void)
{
    write_file("fruit", fruit, sizeof fruit - 1);
    sorted_by(NULL, 0, "apple 10\nfig 100\nfig 9\npear 10\n");
    const gpusort_key number = {.start_field = 2,
                                .end_field = 2,
                                .kind = GPUSORT_NUMERIC,
                                .flags = GPUSORT_REVERSE};
    sorted_by(&number, 1, "fig 100\napple 10\npear 10\nfig 9\n");
    const gpusort_key both[] = {{.start_field = 1, .end_field = 1},
                                {.start_field = 2, .kind = GPUSORT_NUMERIC}};
    sorted_by(both, 2, "apple 10\nfig 9\nfig 100\npear 10\n");
    const gpusort_key second = {.start_field = 1, .start_char = 2};
    sorted_by(&second, 1, "pear 10\nfig 100\nfig 9\napple 10\n");
}

static void disorder_has_a_number(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const char *const inputs[] = {"fruit"};
    uint64_t disorder;
    o.inputs = inputs;
    o.input_count = 1;
    GOOD(gpusort_check(&o, &disorder, &error));
    CHECK(disorder == 2);
}

static void mistakes_are_told(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const char *const inputs[] = {"not/there"};
    o.inputs = inputs;
    o.input_count = 1;
    o.output = "never";
    CHECK(gpusort_sort(&o, &error) == GPUSORT_IO && error.code == GPUSORT_IO);
    CHECK(strstr(error.message, "not/there") != NULL &&
          strstr(error.message, "No such file") != NULL);
    const gpusort_error first = error;
    o.order.delimiter = 300;
    CHECK(gpusort_sort(&o, &error) == GPUSORT_ARG);
    CHECK(strcmp(error.message, first.message) == 0); /* the first one stays */
    CHECK(gpusort_sort(&o, NULL) == GPUSORT_ARG);
    CHECK(access("never", F_OK) != 0);
    o.order.delimiter = 0;
    const gpusort_key wrong = {.kind = (gpusort_kind)77};
    o.order.keys = &wrong;
    o.order.key_count = 1;
    CHECK(gpusort_sort(&o, NULL) == GPUSORT_ARG);
    o.order.key_count = 0;
    o.job.engine = "steam";
    CHECK(gpusort_sort(&o, NULL) == GPUSORT_ARG);
    CHECK(gpusort_sort(NULL, NULL) == GPUSORT_ARG);
}

/* A program of before has shorter options, one of tomorrow longer ones. */
static void sizes_are_versions(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    const char *const inputs[] = {"fruit"};
    struct {
        gpusort_sort_options now;
        int of_tomorrow;
    } o = {.now = GPUSORT_SORT_OPTIONS};
    char got[256];
    o.now.inputs = inputs;
    o.now.input_count = 1;
    o.now.output = "sorted";
    o.now.checkpoint = "of no account";
    o.now.size = offsetof(gpusort_sort_options, checkpoint);
    GOOD(gpusort_sort(&o.now, &error));
    (void)read_file("sorted", got, sizeof got);
    CHECK(strncmp(got, "apple", 5) == 0);
    o.now.checkpoint = NULL;
    o.now.size = sizeof o;
    GOOD(gpusort_sort(&o.now, &error));
    o.of_tomorrow = 1;
    CHECK(gpusort_sort(&o.now, &error) == GPUSORT_ARG);
    o.now.size = 0;
    CHECK(gpusort_sort(&o.now, NULL) == GPUSORT_ARG);
}

/* --- descriptors -------------------------------------------------------------------- */

static void *fill_socket(void *context)
{
    const int fd = *(const int *)context;
    CHECK(write(fd, fruit, sizeof fruit - 1) == (ssize_t)sizeof fruit - 1);
    CHECK(close(fd) == 0);
    return NULL;
}

/* A file that stands in its middle, a pipe and a socket, to a file that has bytes. */
static void descriptors_are_inputs(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    int pipe_ends[2], socket_ends[2];
    char got[256];
    pthread_t thread;
    REQUIRE(pipe(pipe_ends) == 0 &&
            socketpair(AF_UNIX, SOCK_STREAM, 0, socket_ends) == 0);
    REQUIRE(write(pipe_ends[1], "pipe\n", 5) == 5 && close(pipe_ends[1]) == 0);
    const int file = open("fruit", O_RDONLY);
    REQUIRE(file >= 0 && lseek(file, 14, SEEK_SET) == 14);
    const int output = open("appended", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(write(output, "before\n", 7) == 7);
    REQUIRE(pthread_create(&thread, NULL, fill_socket, &socket_ends[1]) == 0);
    const int inputs[] = {file, pipe_ends[0], socket_ends[0]};
    o.input_fds = inputs;
    o.input_fd_count = 3;
    o.output_fd = output + 1;
    GOOD(gpusort_sort(&o, &error));
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(write(output, "after\n", 6) == 6); /* it is still ours, and stands behind */
    REQUIRE(close(output) == 0 && close(file) == 0 && close(pipe_ends[0]) == 0 &&
            close(socket_ends[0]) == 0);
    (void)read_file("appended", got, sizeof got);
    CHECK(strcmp(got,
                 "before\napple 10\napple 10\nfig 100\nfig 100\nfig 9\npear 10\npipe\n"
                 "after\n") == 0);
}

/* --- records as they come ----------------------------------------------------------- */

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void records_come_back(size_t memory_bytes, bool as_text, uint64_t seed)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    static char lines[LINES][24];
    char *order[LINES];
    o.job.memory_bytes = memory_bytes;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    for (size_t i = 0; i < LINES; i++) {
        (void)snprintf(
            lines[i], sizeof lines[i], "%llu\n",
            (unsigned long long)(check_random(&seed) >> check_random(&seed) % 60));
        const size_t bytes = strlen(lines[i]);
        if (as_text) { /* cut anywhere */
            const size_t half = check_random(&seed) % bytes;
            GOOD(gpusort_sorter_put_text(sorter, lines[i], half, &error));
            GOOD(gpusort_sorter_put_text(sorter, lines[i] + half,
                                         bytes - half - (i == LINES - 1), &error));
        } else {
            GOOD(gpusort_sorter_put(sorter, lines[i], bytes - 1, &error));
        }
        lines[i][bytes - 1] = '\0';
        order[i] = lines[i];
    }
    GOOD(gpusort_sorter_sorted(sorter, &error));
    CHECK(gpusort_sorter_put(sorter, "late", 4, NULL) == GPUSORT_ARG);
    qsort(order, LINES, sizeof *order, compare_text);
    for (size_t i = 0; i <= LINES; i++) {
        const void *record;
        size_t bytes;
        GOOD(gpusort_sorter_get(sorter, &record, &bytes, &error));
        if (i < LINES)
            CHECK(record != NULL && bytes == strlen(order[i]) &&
                  memcmp(record, order[i], bytes) == 0);
        else
            CHECK(record == NULL);
    }
    gpusort_sorter_free(sorter);
}

static void records_of_a_fixed_size(void)
{
    enum { COUNT = 50000 };
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    const gpusort_byte_key key = {
        .length = 4, .number = GPUSORT_UNSIGNED, .is_little_endian = 1};
    uint64_t seed = 7;
    uint32_t before = 0, count = 0;
    o.order.record_bytes = 12;
    o.order.byte_keys = &key;
    o.order.byte_key_count = 1;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    for (uint32_t i = 0; i < COUNT; i++) {
        const uint32_t record[3] = {(uint32_t)check_random(&seed), i, ~i};
        GOOD(gpusort_sorter_put(sorter, record, sizeof record, &error));
    }
    CHECK(gpusort_sorter_put(sorter, "short", 5, NULL) == GPUSORT_ARG);
    GOOD(gpusort_sorter_sorted(sorter, &error));
    for (;;) {
        const void *text;
        size_t bytes;
        GOOD(gpusort_sorter_get_text(sorter, &text, &bytes, &error));
        if (text == NULL)
            break;
        REQUIRE(bytes % 12 == 0);
        for (size_t at = 0; at < bytes; at += 12) {
            uint32_t record[3];
            memcpy(record, (const char *)text + at, sizeof record);
            CHECK(record[0] >= before && record[1] == ~record[2]);
            before = record[0];
            count++;
        }
    }
    CHECK(count == COUNT);
    gpusort_sorter_free(sorter);
}

/* At every stage; what was put is forgotten, nobody hangs. */
static void sorters_may_be_left(void)
{
    for (int stage = 0; stage < 5; stage++) {
        gpusort_error error = GPUSORT_NO_ERROR;
        gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
        gpusort_sorter *sorter = NULL;
        const void *record;
        size_t bytes;
        o.job.memory_bytes = 4 << 20;
        GOOD(gpusort_sorter_new(&sorter, &o, &error));
        for (int i = 0; stage > 0 && i < (stage > 1 ? 300000 : 3); i++)
            GOOD(gpusort_sorter_put(sorter, "a line that is not very short", 29, &error));
        if (stage > 2)
            GOOD(gpusort_sorter_sorted(sorter, &error));
        if (stage > 3)
            GOOD(gpusort_sorter_get(sorter, &record, &bytes, &error));
        gpusort_sorter_free(sorter);
    }
    gpusort_sorter_free(NULL);
}

/* A sort that fails says so to whoever puts or gets, and not by a signal. */
static void failures_reach_the_caller(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    const char *const nowhere[] = {"no/such/folder"};
    char line[1000];
    memset(line, 'x', sizeof line);
    o.job.memory_bytes = 1 << 20;
    o.job.temp_folders = nowhere;
    o.job.temp_folder_count = 1;
    gpusort_code code = gpusort_sorter_new(&sorter, &o, &error);
    for (int i = 0; i < 200000 && code == GPUSORT_OK; i++)
        code = gpusort_sorter_put(sorter, line, sizeof line, &error);
    if (code == GPUSORT_OK)
        code = gpusort_sorter_sorted(sorter, &error);
    const void *record = line;
    for (size_t bytes; code == GPUSORT_OK && record != NULL;)
        code = gpusort_sorter_get(sorter, &record, &bytes, &error);
    CHECK(code == GPUSORT_IO && strstr(error.message, "no/such/folder") != NULL);
    gpusort_sorter_free(sorter);
}

/* Each get gives it, behind a put or a sorted() that has failed too. */
static void every_get_has_the_failure(void)
{
    static const char *const nowhere[] = {"no/such/folder"};
    for (int calls_sorted = 0; calls_sorted < 2; calls_sorted++) {
        gpusort_error error = GPUSORT_NO_ERROR;
        gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
        gpusort_sorter *sorter = NULL;
        gpusort_code code = GPUSORT_OK;
        char line[1000];
        memset(line, 'x', sizeof line);
        o.job.memory_bytes = 1 << 20;
        o.job.temp_folders = nowhere;
        o.job.temp_folder_count = 1;
        GOOD(gpusort_sorter_new(&sorter, &o, &error));
        for (int i = 0; i < 200000 && code == GPUSORT_OK; i++)
            code = gpusort_sorter_put(sorter, line, sizeof line, NULL);
        CHECK(code == GPUSORT_IO);
        if (calls_sorted)
            CHECK(gpusort_sorter_sorted(sorter, NULL) == GPUSORT_IO);
        const void *record = line;
        size_t bytes = 1;
        CHECK(gpusort_sorter_get(sorter, &record, &bytes, &error) == GPUSORT_IO);
        CHECK(strstr(error.message, "no/such/folder") != NULL);
        CHECK(record == NULL && bytes == 0);
        CHECK(gpusort_sorter_get_text(sorter, &record, &bytes, NULL) == GPUSORT_IO);
        gpusort_sorter_free(sorter);
    }
}

/* --- arrays of numbers -------------------------------------------------------------- */

#define COMPARE(name, type)                                                              \
    static int name(const void *a, const void *b)                                        \
    {                                                                                    \
        const type x = *(const type *)a, y = *(const type *)b;                           \
        return (x > y) - (x < y);                                                        \
    }
COMPARE(compare_u32, uint32_t)
COMPARE(compare_i32, int32_t)
COMPARE(compare_f32, float)
COMPARE(compare_u64, uint64_t)
COMPARE(compare_i64, int64_t)
COMPARE(compare_f64, double)

/* Numbers of a shape: 0 all bits, 1 few values, 2 one value mostly, 3 close together, 4
 * in crowds, 5 of any length. */
static void draw(void *to, size_t count, gpusort_type type, int shape, uint64_t *seed)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t x = check_random(seed);
        x = shape == 0   ? x
            : shape == 1 ? x % 5
            : shape == 2 ? (x % 1000 == 0 ? x : 42)
            : shape == 3 ? (UINT64_C(1) << 40) + x % 100000
            : shape == 4 ? x % 300 * UINT64_C(61489146912365) + (x >> 32) % 64
                         : x >> (x % 61);
        if (type == GPUSORT_F32)
            ((float *)to)[i] = (float)(int64_t)x * 0.25f;
        else if (type == GPUSORT_F64)
            ((double *)to)[i] = (double)(int64_t)x * 0.25;
        else if (type == GPUSORT_U32 || type == GPUSORT_I32)
            ((uint32_t *)to)[i] = (uint32_t)x;
        else
            ((uint64_t *)to)[i] = x;
    }
}

static void numbers_of_every_type(uint64_t seed)
{
    enum { MOST = 400000 };
    static const struct {
        gpusort_type type;
        size_t bytes;
        int (*compare)(const void *, const void *);
    } types[] = {
        {GPUSORT_U32, 4, compare_u32}, {GPUSORT_I32, 4, compare_i32},
        {GPUSORT_F32, 4, compare_f32}, {GPUSORT_U64, 8, compare_u64},
        {GPUSORT_I64, 8, compare_i64}, {GPUSORT_F64, 8, compare_f64},
    };
    const size_t counts[] = {0,
                             1,
                             2,
                             21,
                             5000,
                             70000,
                             CHECK_HAS_TSAN ? 90000 : CHECK_HAS_ASAN ? 140000 : MOST};
    gpusort_error error = GPUSORT_NO_ERROR;
    char *const got = malloc(MOST * 8), *const want = malloc(MOST * 8);
    REQUIRE(got != NULL && want != NULL);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            const gpusort_job job = {.threads = 1 + (unsigned)(c + t) % 3};
            const size_t bytes = counts[c] * types[t].bytes;
            draw(got, counts[c], types[t].type, (int)(c + t) % 6, &seed);
            memcpy(want, got, bytes);
            qsort(want, counts[c], types[t].bytes, types[t].compare);
            GOOD(gpusort_sort_numbers(got, counts[c], types[t].type, &job, &error));
            CHECK(memcmp(got, want, bytes) == 0);
        }
    }
    free(got);
    free(want);
    CHECK(gpusort_sort_numbers(NULL, 3, (gpusort_type)9, NULL, NULL) == GPUSORT_ARG);
}

static void what_is_no_number_comes_last(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    double d[] = {1,   (double)NAN,      -1, (double)INFINITY, -(double)NAN, -0.0,
                  0.0, -(double)INFINITY};
    GOOD(gpusort_sort_numbers(d, 8, GPUSORT_F64, NULL, &error));
    CHECK(isinf(d[0]) && d[0] < 0 && d[1] < -0.5 && d[2] == 0 && signbit(d[2]) != 0 &&
          d[3] == 0 && signbit(d[3]) == 0 && d[4] > 0.5 && isinf(d[5]) && isnan(d[6]) &&
          isnan(d[7]));
}

/* Nor does it make a difference that there is nothing to put in order. */
static void what_is_no_number_has_no_sign(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    double one = -(double)NAN, two[] = {-(double)NAN, -(double)NAN};
    float small = -NAN;
    GOOD(gpusort_sort_numbers(two, 2, GPUSORT_F64, NULL, &error));
    CHECK(isnan(two[0]) && signbit(two[0]) == 0 && signbit(two[1]) == 0);
    GOOD(gpusort_sort_numbers(&one, 1, GPUSORT_F64, NULL, &error));
    CHECK(isnan(one) && signbit(one) == 0);
    GOOD(gpusort_sort_numbers(&small, 1, GPUSORT_F32, NULL, &error));
    CHECK(isnan(small) && signbit(small) == 0);
    one = -1.5;
    GOOD(gpusort_sort_numbers(&one, 1, GPUSORT_F64, NULL, &error));
    CHECK(one < -1.4 && one > -1.6);
}

/* --- stopping ----------------------------------------------------------------------- */

static int refuse(void *context, const gpusort_progress *p)
{
    atomic_fetch_add((atomic_int *)context, p->size == sizeof *p);
    return 1;
}

static void jobs_stop(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    volatile int cancel = 1;
    const char *const inputs[] = {"fruit"};
    o.inputs = inputs;
    o.input_count = 1;
    o.output = "stopped";
    o.job.cancel = &cancel;
    CHECK(gpusort_sort(&o, &error) == GPUSORT_CANCELLED);
    CHECK(strcmp(error.message, "cancelled") == 0 && access("stopped", F_OK) != 0);

    /* An input that never ends: the progress says when it is enough. */
    atomic_int told = 0;
    const char *const endless[] = {"/dev/zero"};
    gpusort_error later = GPUSORT_NO_ERROR;
    o.inputs = endless;
    o.order.record_bytes = 8;
    o.job.cancel = NULL;
    o.job.progress = refuse;
    o.job.context = &told;
    CHECK(gpusort_sort(&o, &later) == GPUSORT_CANCELLED);
    CHECK(atomic_load(&told) > 0 && access("stopped", F_OK) != 0);
}

/* --- indexes ------------------------------------------------------------------------ */

static const char documents[] = "{\"id\": \"a\", \"contents\": \"cats and dogs\"}\n"
                                "{\"id\": \"b\", \"contents\": \"dogs dogs dogs\"}\n"
                                "{\"id\": \"c\", \"contents\": \"a bird\"}\n";

static void build_documents(const char *folder)
{
    const char *const inputs[] = {"documents.jsonl"};
    gpusort_build_options o = build_options_of(folder, inputs);
    write_file("documents.jsonl", documents, sizeof documents - 1);
    build_index(&o);
    o.format = "none";
    CHECK(gpusort_index_build(&o, NULL) == GPUSORT_ARG);
}

static void indexes_answer(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_index *index = NULL;
    gpusort_index_info info = {.size = sizeof info};
    gpusort_postings list;
    gpusort_searcher *searcher = NULL;
    gpusort_hit hits[5];
    size_t count, bytes;
    char name[4];
    build_documents("index");
    GOOD(gpusort_index_open(&index, "index", &error));
    gpusort_index_describe(index, &info);
    CHECK(info.documents == 3 && info.tokens == 8 && info.terms == 5 && info.has_names);

    GOOD(gpusort_index_lookup(index, "dogs", 4, &list, &error));
    CHECK(list.count == 2 && list.documents[0] == 0 && list.frequencies[0] == 1 &&
          list.documents[1] == 1 && list.frequencies[1] == 3);
    gpusort_postings_free(&list);
    GOOD(gpusort_index_lookup(index, "fish", 4, &list, &error));
    CHECK(list.count == 0);
    gpusort_postings_free(&list);

    GOOD(gpusort_searcher_new(&searcher, index, NULL, &error));
    GOOD(gpusort_search(searcher, "dogs", 4, hits, 5, &count, &error));
    CHECK(count == 2 && hits[0].document == 1 && hits[1].document == 0 &&
          hits[0].score > hits[1].score);
    GOOD(gpusort_index_name(index, hits[0].document, name, sizeof name, &bytes, &error));
    CHECK(bytes == 1 && name[0] == 'b');
    CHECK(gpusort_index_name(index, 3, name, sizeof name, &bytes, NULL) == GPUSORT_ARG);
    GOOD(gpusort_search(searcher, "+cats -bird", 11, hits, 1, &count, &error));
    CHECK(count == 1 && hits[0].document == 0);
    CHECK(gpusort_search(searcher, "(cats", 5, hits, 5, &count, &error) == GPUSORT_ARG);
    gpusort_searcher_free(searcher);
    gpusort_index_close(index);
    CHECK(gpusort_index_open(&index, "fruit", NULL) != GPUSORT_OK && index == NULL);
}

/* What is left is what one build of it gives, and who has the index open sees nothing of
 * it. */
static void indexes_grow(void)
{
    static const char more[] = "{\"id\": \"b\", \"contents\": \"birds\"}\n"
                               "{\"id\": \"d\", \"contents\": \"fish and dogs\"}\n";
    static const char left[] = "{\"id\": \"a\", \"contents\": \"cats and dogs\"}\n"
                               "{\"id\": \"b\", \"contents\": \"birds\"}\n";
    static const char *const names[] = {"d", "nobody", "c", "c"};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_build_options o = GPUSORT_BUILD_OPTIONS;
    const char *inputs[] = {"more.jsonl"};
    gpusort_index *before = NULL, *after = NULL;
    gpusort_index_info info = {.size = sizeof info};
    unsigned char found[4] = {9, 9, 9, 9};
    uint64_t deleted = 9;
    static char got[1 << 16], want[1 << 16];
    build_documents("growing");
    GOOD(gpusort_index_open(&before, "growing", &error));
    write_file("more.jsonl", more, sizeof more - 1);
    o.folder = "growing";
    o.inputs = inputs;
    o.input_count = 1;
    o.replaces = 1;
    CHECK(gpusort_index_append(&o, 0, NULL) == GPUSORT_ARG);
    o.replaces = 0;
    o.keeps_case = 1;
    CHECK(gpusort_index_append(&o, 0, NULL) != GPUSORT_OK);
    o.keeps_case = 0;
    CHECK(gpusort_index_append(&o, 64, NULL) == GPUSORT_ARG);
    GOOD(gpusort_index_append(&o, GPUSORT_UPDATE | GPUSORT_NO_MERGE, &error));
    GOOD(gpusort_index_open(&after, "growing", &error));
    gpusort_index_describe(after, &info);
    CHECK(info.documents == 4);
    gpusort_index_close(after);
    GOOD(gpusort_index_delete("growing", names, 4, 0, found, &deleted, NULL, &error));
    CHECK(deleted == 2 && found[0] == 1 && found[1] == 0 && found[2] == 1 &&
          found[3] == 1);
    GOOD(gpusort_index_delete("growing", names, 1, GPUSORT_NO_MERGE, NULL, NULL, NULL,
                              &error));
    CHECK(gpusort_index_delete("growing", names, 1, GPUSORT_UPDATE, NULL, NULL, NULL,
                               NULL) == GPUSORT_ARG);
    CHECK(gpusort_index_delete("nowhere", names, 1, 0, NULL, &deleted, NULL, NULL) !=
              GPUSORT_OK &&
          deleted == 0);
    GOOD(gpusort_index_compact("growing", NULL, &error));
    gpusort_index_describe(before, &info);
    CHECK(info.documents == 3);
    gpusort_index_close(before);
    write_file("left.jsonl", left, sizeof left - 1);
    inputs[0] = "left.jsonl";
    o.folder = "of_left";
    o.replaces = 1;
    GOOD(gpusort_index_build(&o, &error));
    CHECK(read_file("growing/header.json", got, sizeof got) ==
          read_file("of_left/header.json", want, sizeof want));
    CHECK(strcmp(got, want) == 0);
    CHECK(gpusort_index_compact("nowhere", NULL, NULL) != GPUSORT_OK);
}

/* Names that come in parts, some with a length, are deleted together, or not at all. */
static void deletions_come_in_parts(void)
{
    static const char *const first[] = {"all", "cx"}, *const second[] = {"b"};
    static const size_t lengths[] = {1, 1};
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_deletion *deletion = NULL;
    gpusort_index *index = NULL;
    gpusort_index_info info = {.size = sizeof info};
    unsigned char found[2] = {9, 9};
    uint64_t deleted = 9;
    build_documents("parts");
    for (int commits = 0; commits < 2; commits++) {
        GOOD(gpusort_deletion_open(&deletion, "parts", NULL, &error));
        GOOD(gpusort_deletion_names(deletion, first, lengths, 2, found, &error));
        CHECK(found[0] == 1 && found[1] == 1);
        GOOD(gpusort_deletion_names(deletion, first, NULL, 2, found, &error));
        CHECK(found[0] == 0 && found[1] == 0);
        GOOD(gpusort_deletion_names(deletion, second, NULL, 1, NULL, &error));
        GOOD(gpusort_deletion_names(deletion, NULL, NULL, 0, NULL, &error));
        if (commits)
            GOOD(gpusort_deletion_commit(deletion, GPUSORT_NO_MERGE, &deleted, &error));
        gpusort_deletion_free(deletion);
        GOOD(gpusort_index_open(&index, "parts", &error));
        gpusort_index_describe(index, &info);
        CHECK(info.documents == (commits ? 0 : 3));
        gpusort_index_close(index);
    }
    CHECK(deleted == 3);
    CHECK(gpusort_deletion_open(&deletion, "nowhere", NULL, NULL) != GPUSORT_OK &&
          deletion == NULL);
    gpusort_deletion_free(NULL);
}

/* --- several at once ---------------------------------------------------------------- */

static void *sort_some(void *context)
{
    const uint64_t seed = *(const uint64_t *)context;
    for (int i = 0; i < 4; i++)
        records_come_back(i % 2 ? 0 : 1 << 20, i % 3 == 0, seed + (uint64_t)i);
    return NULL;
}

static void *search_some(void *context)
{
    (void)context;
    for (int i = 0; i < 4; i++)
        indexes_answer();
    return NULL;
}

static void *sort_files(void *context)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const char *const inputs[] = {"fruit"};
    o.inputs = inputs;
    o.input_count = 1;
    o.output = context;
    for (int i = 0; i < 50; i++)
        GOOD(gpusort_sort(&o, &error));
    return NULL;
}

static void jobs_do_not_disturb_each_other(uint64_t seed)
{
    uint64_t seeds[] = {seed, seed + 100};
    char names[][8] = {"one", "two"};
    struct {
        void *(*run)(void *);
        void *context;
        pthread_t thread;
    } jobs[] = {{.run = search_some},
                {.run = sort_files, .context = names[0]},
                {.run = sort_files, .context = names[1]}};
    /* Lines of records_come_back are static: one of these at a time. */
    for (size_t i = 0; i < 3; i++)
        REQUIRE(pthread_create(&jobs[i].thread, NULL, jobs[i].run, jobs[i].context) == 0);
    (void)sort_some(&seeds[0]);
    for (size_t i = 0; i < 3; i++)
        REQUIRE(pthread_join(jobs[i].thread, NULL) == 0);
    (void)sort_some(&seeds[1]);
}

int main(void)
{
    const uint64_t seed = check_seed(24);
    CHECK(strcmp(gpusort_version(), GS_VERSION) == 0);
    keys_are_those_of_sort();
    disorder_has_a_number();
    mistakes_are_told();
    sizes_are_versions();
    descriptors_are_inputs();
    records_come_back(0, false, seed);
    records_come_back(1 << 20, true, seed + 1);
    records_of_a_fixed_size();
    sorters_may_be_left();
    failures_reach_the_caller();
    every_get_has_the_failure();
    numbers_of_every_type(seed);
    what_is_no_number_comes_last();
    what_is_no_number_has_no_sign();
    jobs_stop();
    indexes_answer();
    indexes_grow();
    deletions_come_in_parts();
    jobs_do_not_disturb_each_other(seed + 2);
    return check_failures != 0;
}
