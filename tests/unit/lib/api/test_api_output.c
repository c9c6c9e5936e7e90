/* SPDX-License-Identifier: MIT */
/*
 * Sorts, merges and joins whose output goes to a function of the caller's. What would
 * break: text that is not what a file would have, be it sorted in memory, spilled,
 * copied or packed; calls that overlap; a job that goes on when the function wants no
 * more; a function beside an output, or where nobody would call it.
 *
 *     test_api_output [gpu]      in a build with FAKE_GPU=1: a GPU that fails when part
 * of the text was given does not bring it again
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { LINES = 150000, LINE_BYTES_MAX = 48, ROOM = LINES * LINE_BYTES_MAX };

static const char *const inputs[] = {"lines", "more"};
static const char *const in_order[] = {"in-order", "in-order-too"};

typedef struct taken {
    char *text;
    size_t bytes, stop_at; /* wants no more when it would have so many */
    atomic_int inside;
    int overlaps;
    int failures; /* of a GPU, which were told, */
    bool is_late; /* one when there was text already */
} taken;

static int take(void *context, const void *text, size_t bytes)
{
    taken *const t = context;
    t->overlaps += atomic_fetch_add(&t->inside, 1) != 0;
    REQUIRE(bytes > 0 && t->bytes + bytes <= ROOM);
    memcpy(t->text + t->bytes, text, bytes);
    t->bytes += bytes;
    atomic_fetch_sub(&t->inside, 1);
    return t->stop_at > 0 && t->bytes >= t->stop_at;
}

static size_t read_file(const char *name, char *to)
{
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    const size_t n = fread(to, 1, ROOM, f);
    REQUIRE(fclose(f) == 0);
    return n;
}

static void make_inputs(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    uint64_t random = 7;
    for (int i = 0; i < 2; i++) {
        FILE *const f = fopen(inputs[i], "w");
        REQUIRE(f != NULL && fputs("key text\n", f) >= 0);
        for (int line = 0; line < LINES / 2; line++) {
            const uint64_t r = check_random(&random);
            fprintf(f, "%llu text-%llx\n", (unsigned long long)(r >> 40) % 50021,
                    (unsigned long long)(r & 0xfffffff));
        }
        REQUIRE(fclose(f) == 0);
        gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
        o.inputs = &inputs[i];
        o.input_count = 1;
        o.output = in_order[i];
        GOOD(gpusort_sort(&o, &error));
    }
}

typedef gpusort_code call_fn(const gpusort_sort_options *options, gpusort_error *error);

/* The same as to a file, and the same checksum of it. */
static void gives_what_a_file_has(call_fn *call, gpusort_sort_options o)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_figures of_file = {.size = sizeof of_file},
                    figures = {.size = sizeof figures};
    taken t = {.text = malloc(ROOM)};
    char *const wanted = malloc(ROOM);
    REQUIRE(wanted != NULL && t.text != NULL);
    o.sums_output = 1;
    GOOD(gpusort_stats_new(&o.job.stats, 0, &error));
    o.output = "out";
    GOOD(call(&o, &error));
    gpusort_stats_read(o.job.stats, &of_file);
    gpusort_stats_free(o.job.stats);
    const size_t bytes = read_file("out", wanted);
    CHECK(bytes > 0 && bytes == of_file.output_bytes && of_file.has_output_sum);
    GOOD(gpusort_stats_new(&o.job.stats, 0, &error));
    o.output = NULL;
    o.write = take;
    o.job.context = &t;
    GOOD(call(&o, &error));
    gpusort_stats_read(o.job.stats, &figures);
    gpusort_stats_free(o.job.stats);
    o.job.stats = NULL;
    CHECK(t.overlaps == 0 && t.bytes == figures.output_bytes);
    CHECK(figures.output_records == of_file.output_records && figures.has_output_sum);
    if (!o.output_zstd) { /* which packs as text happens to be cut */
        CHECK(t.bytes == bytes && memcmp(t.text, wanted, bytes) == 0);
        CHECK(figures.output_sum == of_file.output_sum);
    }
    t.bytes = 0;
    t.stop_at = bytes / 3 + 1;
    CHECK(call(&o, &error) == GPUSORT_CANCELLED &&
          strcmp(error.message, "cancelled") == 0);
    CHECK(t.bytes >= t.stop_at && t.overlaps == 0);
    free(t.text);
    free(wanted);
}

static gpusort_sort_options sort_of(const char *const *files, size_t count)
{
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    o.inputs = files;
    o.input_count = count;
    o.job.threads = 3;
    return o;
}

static void sorts(void)
{
    const gpusort_key number = {
        .start_field = 1, .end_field = 1, .kind = GPUSORT_NUMERIC};
    gpusort_sort_options o = sort_of(inputs, 2);
    for (o.may_map = 0; o.may_map < 2; o.may_map++) {
        gives_what_a_file_has(gpusort_sort, o);
        gpusort_sort_options with = o;
        with.job.memory_bytes = 4 << 20; /* by runs */
        gives_what_a_file_has(gpusort_sort, with);
        with = o;
        with.header_lines = 1;
        with.verifies = 1;
        gives_what_a_file_has(gpusort_sort, with);
        with = o;
        with.order.keys = &number;
        with.order.key_count = 1;
        with.order.is_unique = 1;
        gives_what_a_file_has(gpusort_sort, with);
        with = o;
        with.counts = 1;
        gives_what_a_file_has(gpusort_sort, with);
        with = sort_of(in_order, 1); /* a copy */
        with.may_map = o.may_map;
        gives_what_a_file_has(gpusort_sort, with);
        with.order.is_reverse = 1; /* from its end */
        gives_what_a_file_has(gpusort_sort, with);
        with.order.is_reverse = 0;
        with.input_count = 2;
        gives_what_a_file_has(gpusort_merge, with);
    }
}

/* Packed text is text when it is unpacked. */
static void packs(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = sort_of(inputs, 2);
    taken t = {.text = malloc(ROOM)}, again = {.text = malloc(ROOM)};
    char *const wanted = malloc(ROOM);
    REQUIRE(t.text != NULL && again.text != NULL && wanted != NULL);
    o.output_zstd = 1;
    gives_what_a_file_has(gpusort_sort, o);
    o.write = take;
    o.job.context = &t;
    GOOD(gpusort_sort(&o, &error));
    FILE *const f = fopen("packed", "w");
    REQUIRE(f != NULL && fwrite(t.text, 1, t.bytes, f) == t.bytes && fclose(f) == 0);
    const char *const packed[] = {"packed"};
    o = sort_of(packed, 1);
    o.write = take;
    o.job.context = &again;
    GOOD(gpusort_merge(&o, &error));
    o = sort_of(inputs, 2);
    o.output = "out";
    GOOD(gpusort_sort(&o, &error));
    const size_t bytes = read_file("out", wanted);
    CHECK(t.bytes < bytes && again.bytes == bytes);
    CHECK(memcmp(again.text, wanted, bytes) == 0);
    free(t.text);
    free(again.text);
    free(wanted);
}

static gpusort_code join_lines(const gpusort_sort_options *sort, gpusort_error *error)
{
    gpusort_join_options o = GPUSORT_JOIN_OPTIONS;
    o.sort = sort;
    o.shows_unpaired[GPUSORT_LEFT] = 1;
    return gpusort_join(&o, error);
}

static void joins(void)
{
    gpusort_sort_options o = sort_of(inputs, 2);
    gives_what_a_file_has(join_lines, o);
    o.header_lines = 1;
    o.job.memory_bytes = 4 << 20;
    gives_what_a_file_has(join_lines, o);
}

static void refuses(gpusort_code code, const gpusort_error *error, const char *why)
{
    CHECK(code == GPUSORT_ARG && error->code == GPUSORT_ARG);
    if (strstr(error->message, why) == NULL)
        fprintf(stderr, "not '%s', but: %s\n", why, error->message);
    CHECK(strstr(error->message, why) != NULL);
}

static void what_goes_nowhere_is_refused(void)
{
    taken t = {.text = NULL};
    gpusort_sort_options o = sort_of(inputs, 1);
    gpusort_parts parts;
    o.write = take;
    o.job.context = &t;
    gpusort_error error = GPUSORT_NO_ERROR;
    o.output = "out";
    refuses(gpusort_sort(&o, &error), &error, "beside a function");
    o.output = NULL;
    o.output_fd = 2;
    error.code = GPUSORT_OK;
    refuses(gpusort_sort(&o, &error), &error, "beside a function");
    o.output_fd = 0;
    o.checkpoint = "kept";
    error.code = GPUSORT_OK;
    refuses(gpusort_sort(&o, &error), &error, "a checkpoint");
    CHECK(access("kept", F_OK) != 0);
    o.checkpoint = NULL;
    gpusort_sample_options sample = GPUSORT_SAMPLE_OPTIONS;
    sample.sort = &o;
    sample.records = 5;
    error.code = GPUSORT_OK;
    refuses(gpusort_sample(&sample, NULL, NULL, &error), &error, "no function");
    gpusort_partition_options cut = GPUSORT_PARTITION_OPTIONS;
    cut.sort = &o;
    cut.splitters = "lines";
    cut.is_framed = 1;
    error.code = GPUSORT_OK;
    refuses(gpusort_partition(&cut, &parts, &error), &error, "no function");
    const uint64_t only = 0;
    error.code = GPUSORT_OK;
    refuses(gpusort_unframe(&o, &only, &parts, &error), &error, "no function");
    CHECK(t.bytes == 0);
}

static void hear(void *context, gpusort_level level, const char *text)
{
    taken *const t = context;
    if (level == GPUSORT_SAYS_WARNING && strstr(text, "the CPU sorts instead") != NULL) {
        t->failures++;
        t->is_late |= t->bytes > 0;
    }
}

static void a_gpu_may_fail(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    char *const wanted = malloc(ROOM);
    taken t = {.text = malloc(ROOM)};
    REQUIRE(wanted != NULL && t.text != NULL);
    gpusort_sort_options o = sort_of(inputs, 2);
    for (o.counts = 0; o.counts < 2; o.counts++) {
        o.write = NULL;
        o.output = "out";
        o.job.engine = "cpu";
        GOOD(gpusort_sort(&o, &error));
        const size_t bytes = read_file("out", wanted);
        o.output = NULL;
        o.write = take;
        o.job.engine = "gpu";
        o.job.memory_bytes = 2 << 20;
        o.job.log = hear;
        o.job.context = &t;
        t.bytes = 0;
        GOOD(gpusort_sort(&o, &error));
        CHECK(t.bytes == bytes && memcmp(t.text, wanted, bytes) == 0);
    }
    CHECK(t.failures > 0 && t.overlaps == 0);
    CHECK(t.is_late || CHECK_HAS_ASAN || CHECK_HAS_TSAN); /* whose blocks are others */
    free(wanted);
    free(t.text);
}

int main(int argc, char **argv)
{
    make_inputs();
    if (argc > 1 && strcmp(argv[1], "gpu") == 0) {
        a_gpu_may_fail();
        return check_failures != 0;
    }
    sorts();
    packs();
    joins();
    what_goes_nowhere_is_refused();
    return check_failures != 0;
}
