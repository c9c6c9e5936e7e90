/* SPDX-License-Identifier: MIT */
/*
 * batch_ring: what several threads copy is the input, byte for byte and in its order, cut
 * between records, and counted as one thread would count it; a batch keeps its memory
 * until it is released, however many are in use; pages of files do not stay ours; and
 * what fails to be read, or was changed meanwhile, is an error that names the file.
 */
#define CHECK_STARTS_THREADS

#include "lib/sort/device/input_batches.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"
#include "tests/feed_job.h"

enum { FILES_MAX = 5, BYTES_MIN = 1200000, BYTES_MAX = 3000000, MAPPED_KB_MAX = 8 };

static const char *const names[FILES_MAX] = {"in0", "in1", "in2", "in3", "in4"};

/* What the files hold, one after the other. */
typedef struct whole_text {
    uint8_t *data;
    size_t bytes, begins[FILES_MAX + 1], file_count;
} whole_text;

typedef struct job {
    feed_job feed;
    gs_input_batches input;
    gs_batch_ring *ring;
} job;

/* Lines of up to `longest` bytes, or records. */
static void write_files(whole_text *t, size_t record_size, size_t longest,
                        uint64_t *state)
{
    t->file_count = 1 + check_random(state) % FILES_MAX;
    t->bytes = 0;
    for (size_t i = 0; i < t->file_count; i++) {
        size_t end = t->bytes + BYTES_MIN / t->file_count + 1 +
                     check_random(state) % (BYTES_MAX / 2 / t->file_count);
        if (record_size > 0)
            end = t->bytes + (end - t->bytes) / record_size * record_size;
        t->begins[i] = t->bytes;
        for (size_t left = 0; t->bytes < end; t->bytes++) {
            const bool is_eol = record_size == 0 && left-- == 0;
            t->data[t->bytes] = is_eol ? '\n' : (uint8_t)('a' + t->bytes % 23);
            if (is_eol)
                left = check_random(state) % (check_random(state) % 64 ? 40 : longest);
        }
        if (check_random(state) % 2 && record_size == 0)
            t->data[t->bytes - 1] = '\n';
        const int fd = open(names[i], O_WRONLY | O_CREAT | O_TRUNC, 0644);
        const size_t bytes = t->bytes - t->begins[i];
        REQUIRE(fd >= 0 && close(fd) == 0);
        FILE *const f = fopen(names[i], "wb");
        REQUIRE(f != NULL && fwrite(t->data + t->begins[i], 1, bytes, f) == bytes);
        REQUIRE(fclose(f) == 0);
    }
    t->begins[t->file_count] = t->bytes;
}

static gs_code new_ring(job *j, gs_status *st)
{
    j->input = (gs_input_batches){.forming = &j->feed.forming};
    const gs_batch_source source = gs_input_batches_source(&j->input);
    return gs_batch_ring_new(&j->ring, &j->feed.forming, &source, st);
}

/* False if the input is not mapped here. */
static bool begin(job *j, const whole_text *t, size_t record_size, size_t block_bytes,
                  unsigned threads)
{
    gs_status st = {.code = GS_OK};
    *j = (job){.feed.options = {.order = {.eol = '\n',
                                          .record_size = record_size,
                                          .delimiter = GS_ORDER_BLANK_FIELDS},
                                .inputs = names,
                                .input_count = t->file_count,
                                .memory_bytes = 64 << 20,
                                .threads = threads}};
    REQUIRE_OK(feed_job_open(&j->feed, threads, block_bytes, 1 + threads, &st), &st);
    if (!gs_input_batches_map(&j->feed.forming, STDERR_FILENO, &j->feed.in.map))
        return false;
    REQUIRE_OK(new_ring(j, &st), &st);
    return true;
}

static void end(job *j)
{
    gs_batch_ring_free(j->ring);
    feed_job_close(&j->feed);
    CHECK(gs_mem_held_bytes() == 0);
}

/* Is it what comes next in the text? Moves on. */
static bool is_next(const job *j, const whole_text *t, const gs_ring_batch *b, size_t *at)
{
    size_t file = 0;
    while (t->begins[file + 1] <= *at)
        file++;
    const bool is_there = *at + b->bytes <= t->begins[file + 1] &&
                          memcmp(b->data, t->data + *at, b->bytes) == 0;
    *at += b->bytes;
    const size_t size = j->feed.options.order.record_size;
    if (!is_there || (size > 0 && b->bytes % size != 0))
        return false;
    const bool has_eol = size > 0 || t->data[*at - 1] == '\n';
    return b->lacks_final_eol == !has_eol && (has_eol || *at == t->begins[file + 1]);
}

/* Of the files that are mapped, how much is ours. */
static size_t mapped_kilobytes(void)
{
    char line[512];
    size_t sum = 0, n;
    bool is_ours = false;
    FILE *const f = fopen("/proc/self/smaps", "r");
    REQUIRE(f != NULL);
    while (fgets(line, sizeof line, f) != NULL) {
        if (strchr(line, '-') != NULL && strchr(line, '-') < strchr(line, ' '))
            is_ours = strstr(line, "/gpusort-test-ring-") != NULL;
        if (is_ours && sscanf(line, "Rss: %zu kB", &n) == 1)
            sum += n;
    }
    REQUIRE(fclose(f) == 0);
    return sum;
}

/* Everything in order, with up to `held_max` batches in use at a time. */
static void read_all(job *j, const whole_text *t, size_t held_max, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_multiset sum = {0}, want = {0};
    const gs_ring_batch *held[64];
    size_t given = 0, released = 0, at = 0, released_at = 0;
    bool is_ended = false;
    for (;;) {
        const gs_ring_batch *b = NULL;
        REQUIRE_OK(gs_batch_ring_next(j->ring, given == released, &b, &is_ended, &st),
                   &st);
        if (is_ended)
            break;
        if (b == NULL || given - released == held_max) {
            /* The bytes are the same as when it was given. */
            REQUIRE(given > released);
            CHECK(is_next(j, t, held[released++ % 64], &released_at));
            gs_batch_ring_release(j->ring);
            continue;
        }
        CHECK(is_next(j, t, b, &at));
        gs_multiset_join(&sum, &b->records);
        held[given++ % 64] = b;
        gs_batch_ring_give(j->ring);
        if (check_random(state) % 64 == 0)
            usleep(500);
    }
    CHECK(at == t->bytes);
    CHECK(mapped_kilobytes() <= FILES_MAX * MAPPED_KB_MAX);
    for (size_t i = 0; i < t->file_count; i++)
        gs_multiset_add_text(&want, &j->feed.watched.form, t->data + t->begins[i],
                             t->begins[i + 1] - t->begins[i]);
    CHECK(gs_multiset_is_equal(&sum, &want));
    CHECK(given > 4);
}

/* --- failures ---------------------------------------------------------------------- */

/* What the ring says in the end. */
static gs_code read_until_failure(job *j, gs_status *st)
{
    bool is_ended = false;
    const gs_ring_batch *b = NULL;
    while (gs_batch_ring_next(j->ring, true, &b, &is_ended, st) == GS_OK && !is_ended) {
        gs_batch_ring_give(j->ring);
        gs_batch_ring_release(j->ring);
    }
    return st->code;
}

static void append(const char *name)
{
    const int fd = open(name, O_WRONLY | O_APPEND);
    REQUIRE(fd >= 0 && write(fd, "x\n", 2) == 2 && close(fd) == 0);
}

static void cut_last_byte(const char *name)
{
    struct stat info;
    REQUIRE(stat(name, &info) == 0);
    REQUIRE(truncate(name, info.st_size - 1) == 0);
}

/* Changed while it is read: behind the batches that the ring holds. */
static void changed(whole_text *t, void (*change)(const char *), uint64_t *state)
{
    job j;
    gs_status st = {.code = GS_OK};
    write_files(t, 0, 50, state);
    REQUIRE(begin(&j, t, 0, 4096, 2));
    change(names[t->file_count - 1]);
    CHECK(read_until_failure(&j, &st) == GS_ERR_IO);
    CHECK(strstr(st.msg, "it was changed while it was read") != NULL);
    CHECK(strstr(st.msg, names[t->file_count - 1]) != NULL);
    end(&j);
}

/* The last record of a file is not whole. */
static void partial_record(whole_text *t, uint64_t *state)
{
    job j;
    gs_status st = {.code = GS_OK};
    write_files(t, 100, 0, state);
    append(names[0]);
    REQUIRE(begin(&j, t, 100, 4096, 2));
    CHECK(read_until_failure(&j, &st) == GS_ERR_FORMAT);
    CHECK(strstr(st.msg, "in0: the last record, at byte ") == st.msg);
    end(&j);
}

static void cancelled(whole_text *t, uint64_t *state)
{
    job j;
    gs_status st = {.code = GS_OK};
    volatile int signal_number = 0;
    write_files(t, 0, 50, state);
    REQUIRE(begin(&j, t, 0, 4096, 2));
    gs_batch_ring_free(j.ring);
    j.ring = NULL;
    j.feed.options.cancel_signal = &signal_number;
    REQUIRE_OK(new_ring(&j, &st), &st);
    __atomic_store_n(&signal_number, 15, __ATOMIC_RELAXED);
    CHECK(read_until_failure(&j, &st) == GS_ERR_CANCELLED);
    end(&j);
}

/* Threads that wait for room, or are at work, end when they are told to. */
static void left_alone(whole_text *t, uint64_t *state)
{
    write_files(t, 0, 50, state);
    for (unsigned i = 0; i < 20; i += check_is_short() ? 3 : 1) {
        job j;
        REQUIRE(begin(&j, t, 0, 4096, 3));
        usleep(i * 50);
        end(&j);
    }
}

/* Each request for memory fails in turn. */
static void short_of_memory(whole_text *t, uint64_t *state)
{
    write_files(t, 0, 50, state);
    unsigned failed = 0;
    for (uint64_t nth = 1;; nth++) {
        job j;
        gs_status st = {.code = GS_OK};
        REQUIRE(begin(&j, t, 0, 4096, 2));
        gs_batch_ring_free(j.ring);
        gs_mem_fail_nth(nth);
        const gs_code code = new_ring(&j, &st);
        const bool has_failed = gs_mem_fail_left() == 0;
        gs_mem_fail_nth(0);
        CHECK((code == GS_ERR_NOMEM && j.ring == NULL) == has_failed);
        failed += has_failed;
        end(&j);
        if (!has_failed)
            break;
    }
    CHECK(failed >= 3);
}

/* False if nothing is mapped here. */
static bool read_in_order(whole_text *t, uint64_t *state)
{
    bool is_mapped = true;
    for (unsigned i = 0; i < (check_is_short() ? 10 : 20) && is_mapped; i++) {
        static const size_t sizes[] = {0, 0, 0, 100, 7};
        static const size_t longest[] = {50, 3000, 70000, 400000};
        job j;
        const size_t record_size = sizes[i % 5];
        const size_t block_bytes = (size_t)4096 << check_random(state) % 7;
        write_files(t, record_size, longest[i % 4], state);
        is_mapped = begin(&j, t, record_size, block_bytes, 1 + i % 4);
        if (is_mapped)
            read_all(&j, t, 1 + check_random(state) % j.feed.plan.feed_blocks, state);
        end(&j);
    }
    return is_mapped;
}

static bool test_in(const char *parent, whole_text *t, uint64_t *state)
{
    char folder[64];
    (void)snprintf(folder, sizeof folder, "%s/gpusort-test-ring-XXXXXX", parent);
    if (mkdtemp(folder) == NULL || chdir(folder) != 0)
        return false;
    const bool is_mapped = read_in_order(t, state);
    if (is_mapped) {
        changed(t, append, state);
        changed(t, cut_last_byte, state);
        partial_record(t, state);
        cancelled(t, state);
        left_alone(t, state);
        short_of_memory(t, state);
    }
    for (size_t i = 0; i < FILES_MAX; i++)
        (void)unlink(names[i]);
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
    return is_mapped;
}

int main(void)
{
    uint64_t state = check_seed(19);
    struct statfs info;
    whole_text t = {.data = calloc(1, 2 * BYTES_MAX)};
    REQUIRE(t.data != NULL);
    const bool has_mapped = test_in("/tmp", &t, &state);
    /* What is nowhere but in memory is in memory. */
    if (statfs("/dev/shm", &info) == 0 && info.f_type == TMPFS_MAGIC)
        CHECK(test_in("/dev/shm", &t, &state) || access("/dev/shm", W_OK) != 0);
    free(t.data);
    return has_mapped || check_failures > 0 ? check_result() : 77;
}
