/* SPDX-License-Identifier: MIT */
/*
 * Data for tests, as programs ask for them, and what the machine has. What would break: a
 * number of 0 that is taken for another, or for the usual one, where that was not meant;
 * a function that gets other bytes than a file; options that mean nothing and are taken;
 * a structure of an older program that is written beyond its end.
 */
#define CHECK_STARTS_THREADS

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/gpusort.h"
#include "tests/check_api.h"

enum { ROOM = 1 << 22 };

typedef struct taken {
    char text[ROOM];
    size_t bytes, stop_at; /* wants no more when it would have so many */
} taken;

static taken one, other;

static int take(void *context, const void *text, size_t bytes)
{
    taken *const t = context;
    REQUIRE(bytes > 0 && t->bytes + bytes <= ROOM);
    memcpy(t->text + t->bytes, text, bytes);
    t->bytes += bytes;
    return t->stop_at > 0 && t->bytes >= t->stop_at;
}

/* All that the options make. */
static void make(gpusort_generate_options o, taken *to)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    to->bytes = to->stop_at = 0;
    o.write = take;
    o.job.context = to;
    GOOD(gpusort_generate(&o, &error));
}

static bool are_same(void)
{
    return one.bytes == other.bytes && memcmp(one.text, other.text, one.bytes) == 0;
}

static size_t count_lines(const taken *t)
{
    size_t lines = 0;
    for (size_t i = 0; i < t->bytes; i++)
        lines += t->text[i] == '\n';
    return lines;
}

static gpusort_generate_options lines_of(uint64_t records)
{
    gpusort_generate_options o = GPUSORT_GENERATE_OPTIONS;
    o.records = records;
    return o;
}

/* --- numbers ------------------------------------------------------------------------ */

static void zero_is_usual_or_itself(void)
{
    gpusort_generate_options o = lines_of(3000), explicit = lines_of(0);
    make(o, &one);
    CHECK(count_lines(&one) == 3000);
    gpusort_generate_defaults(&explicit);
    CHECK(explicit.has_zeros == 1 && explicit.records == UINT64_MAX);
    CHECK(explicit.bytes == UINT64_MAX && explicit.seed == 1);
    CHECK(explicit.line_bytes_min == 10 && explicit.line_bytes_max == 50);
    explicit.records = 3000;
    make(explicit, &other);
    CHECK(one.bytes > 0 && are_same());
    explicit.seed = 0;
    make(explicit, &other);
    CHECK(!are_same());
    explicit.line_bytes_min = explicit.line_bytes_max = 0;
    make(explicit, &other);
    CHECK(other.bytes == 3000 && count_lines(&other) == 3000);
    explicit.records = 0;
    make(explicit, &other);
    CHECK(other.bytes == 0);
    o.records = 0;
    o.bytes = 10000;
    make(o, &one);
    CHECK(one.bytes >= 10000 && one.bytes <= 10050 && one.text[one.bytes - 1] == '\n');
}

/* Of each the bytes of a file, and of another number of threads. */
static void kinds_and_distributions(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    size_t kinds = 0, distributions = 0;
    while (gpusort_distribution_name(distributions) != NULL)
        distributions++;
    CHECK(distributions == 9 && strcmp(gpusort_distribution_name(2), "zipf") == 0);
    for (; gpusort_data_name(kinds) != NULL; kinds++) {
        for (size_t i = 0; i <= distributions; i++) {
            gpusort_generate_options o = lines_of(1500);
            o.kind = gpusort_data_name(kinds);
            o.distribution = gpusort_distribution_name(i); /* and NULL */
            o.job.threads = 1;
            make(o, &one);
            o.job.threads = 3;
            o.output = "made";
            GOOD(gpusort_generate(&o, &error));
            FILE *const f = fopen("made", "r");
            REQUIRE(f != NULL);
            other.bytes = fread(other.text, 1, ROOM, f);
            REQUIRE(fclose(f) == 0);
            CHECK(one.bytes >= 4 * 1500 && are_same());
        }
    }
    CHECK(kinds == 7);
}

static void options_of_kinds(void)
{
    gpusort_generate_options o = lines_of(100);
    o.kind = "tuples";
    o.is_binary = 1;
    make(o, &one);
    CHECK(one.bytes == 800);
    o.documents = 2;
    make(o, &one);
    for (size_t i = 0; i < 100; i++)
        CHECK(one.text[8 * i + 4] <= 1 && one.text[8 * i + 5] == 0);
    o.kind = "docs";
    o.is_binary = 0;
    o.has_tabs = 1;
    make(o, &one);
    CHECK(count_lines(&one) == 100 && memchr(one.text, '\t', one.bytes) != NULL);
    o.kind = "records";
    o.is_text = 1;
    o.first_record = 0xabc;
    make(o, &one);
    CHECK(one.bytes == 10000 && memcmp(one.text + 98, "\r\n", 2) == 0);
    CHECK(memcmp(one.text + 12 + 29, "ABC", 3) == 0);
    o = lines_of(50);
    o.alphabet = "x";
    make(o, &one);
    CHECK(strspn(one.text, "x\n") >= one.bytes);
}

/* --- where it goes ------------------------------------------------------------------ */

static void to_descriptors(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_generate_options o = lines_of(1000);
    const int fd = open("made", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && write(fd, "kept ", 5) == 5);
    make(o, &one);
    o.output_fd = fd + 1;
    GOOD(gpusort_generate(&o, &error));
    CHECK(lseek(fd, 0, SEEK_CUR) == (off_t)(one.bytes + 5));
    other.bytes = (size_t)pread(fd, other.text, ROOM, 5);
    CHECK(are_same());
    (void)close(fd);
    int ends[2];
    REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
    (void)close(ends[0]);
    o.output_fd = ends[1] + 1; /* whose reader has gone, which ends nothing here */
    CHECK(gpusort_generate(&o, &error) == GPUSORT_IO && error.system_error == EPIPE);
    (void)close(ends[1]);
}

static void it_stops(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_generate_options o = lines_of(UINT64_MAX - 1);
    o.write = take;
    o.job.context = &one;
    one.bytes = 0;
    one.stop_at = 1;
    CHECK(gpusort_generate(&o, &error) == GPUSORT_CANCELLED);
    CHECK(one.bytes > 0 && strcmp(error.message, "cancelled") == 0);
    const volatile int cancel = 1;
    o = lines_of(1000);
    o.output = "never";
    o.job.cancel = &cancel;
    CHECK(gpusort_generate(&o, NULL) == GPUSORT_CANCELLED);
    CHECK(access("never", F_OK) != 0);
}

static int count_calls(void *context, const gpusort_progress *progress)
{
    int *const calls = context;
    return ++*calls > 2 && progress->output_bytes > 0;
}

static void progress_is_told(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_generate_options o = lines_of(UINT64_MAX - 1);
    int calls = 0;
    o.output = "/dev/null";
    o.job.progress = count_calls;
    o.job.context = &calls;
    CHECK(gpusort_generate(&o, &error) == GPUSORT_CANCELLED && calls > 2);
}

static void refuses(gpusort_generate_options o, const char *why)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    CHECK(gpusort_generate(&o, &error) == GPUSORT_ARG);
    if (strstr(error.message, why) == NULL)
        fprintf(stderr, "not '%s', but: %s\n", why, error.message);
    CHECK(strstr(error.message, why) != NULL);
}

static void mistakes_are_told(void)
{
    gpusort_generate_options o = lines_of(0);
    refuses(o, "neither a number");
    o = lines_of(1);
    o.kind = "words";
    refuses(o, "kind of data: 'words'");
    o = lines_of(1);
    o.distribution = "normal";
    refuses(o, "distribution: 'normal'");
    o = lines_of(1);
    o.write = take;
    o.output = "never";
    refuses(o, "beside a function");
    o = lines_of(1);
    o.line_bytes_min = 51;
    refuses(o, "nothing between");
    o = lines_of(1);
    o.alphabet = "aa";
    refuses(o, "alphabet");
    CHECK(access("never", F_OK) != 0);
}

/* --- the machine -------------------------------------------------------------------- */

static void machines_are_described(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_machine m = {.size = sizeof m};
    gpusort_machine old = {.size = offsetof(gpusort_machine, available_bytes),
                           .available_bytes = 77};
    gpusort_gpu gpu = {.size = sizeof gpu};
    gpusort_machine_describe(&m);
    CHECK(m.cores > 0 && m.threads > 0 && m.threads <= m.cores &&
          m.gpus == gpusort_gpus(NULL, 0));
    CHECK(m.memory_bytes >= m.available_bytes && m.available_bytes > 0);
    CHECK(m.sort_bytes > 0 && m.sort_bytes <= m.memory_bytes);
    gpusort_machine_describe(&old);
    CHECK(old.cores == m.cores && old.available_bytes == 77);
    for (unsigned i = 0; i < m.gpus; i++) {
        GOOD(gpusort_gpu_describe(i, &gpu, &error));
        CHECK(gpu.number == (int)i && gpu.name[0] != '\0');
        CHECK(gpu.free_bytes <= gpu.memory_bytes);
    }
    CHECK(gpusort_gpu_describe(m.gpus, &gpu, &error) == GPUSORT_ARG);
    CHECK(strstr(error.message, "no GPU") != NULL);
}

int main(void)
{
    zero_is_usual_or_itself();
    kinds_and_distributions();
    options_of_kinds();
    to_descriptors();
    it_stops();
    progress_is_told();
    mistakes_are_told();
    machines_are_described();
    return check_failures != 0;
}
