/* SPDX-License-Identifier: MIT */
/*
 * Inputs that somebody changes while they are sorted where they are.
 *
 * First, one change right after the file was mapped, by the hand of whoever listens to
 * what the sort says: whatever was written, appended or cut off, the sort fails, names
 * the file and leaves the output as it was, by every way that maps; a new mode or name is
 * no change. Then a thread that writes into the map all the time, which no file system
 * need tell: any answer is good, but none may read or write where it should not (which
 * the address sanitizer sees), and a plain sort that ends well has lost no byte.
 *
 *     test_changed_input [ENGINE]      cpu, or in a build with FAKE_GPU=1 gpu or gpus,
 * which is fed from copies of what is mapped
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/sort/form/early_split.h"
#include "lib/sort/sort.h"
#include "tests/check.h"

/* A sanitized build takes less for much. */
enum {
    TEXT_BYTES = CHECK_HAS_SANITIZER ? 400000 : 1300000,
    RECORD_BYTES = 100,
    SPILLED_BYTES = 3000000
};

typedef gs_code job_fn(const gs_sort_options *options, gs_status *st);
typedef void change_fn(const char *name);

/* A way through the sort. */
typedef struct way {
    const char *what;
    job_fn *job;
    size_t bytes, memory_bytes, record_size;
    gs_key_type type;
    bool is_keyed, is_unique, is_sorted;
} way;

static const way ways[] = {
    {"lines", gs_sort_run, TEXT_BYTES, 64 << 20, 0, GS_KEY_BYTES, false, false, false},
    {"-u", gs_sort_run, TEXT_BYTES, 64 << 20, 0, GS_KEY_BYTES, false, true, false},
    {"spilled", gs_sort_run, SPILLED_BYTES, 1, 0, GS_KEY_BYTES, false, false, false},
    {"records", gs_sort_run, TEXT_BYTES, 64 << 20, RECORD_BYTES, GS_KEY_BYTES, false,
     false, false},
    {"-k", gs_sort_run, TEXT_BYTES, 64 << 20, 0, GS_KEY_BYTES, true, false, false},
    {"-n", gs_sort_run, TEXT_BYTES, 64 << 20, 0, GS_KEY_NUMERIC, true, false, false},
    {"-V", gs_sort_run, TEXT_BYTES, 64 << 20, 0, GS_KEY_VERSION, true, false, false},
    {"-m", gs_sort_merge, TEXT_BYTES, 64 << 20, 0, GS_KEY_BYTES, false, false, true},
    {"-m -u", gs_sort_merge, TEXT_BYTES, 64 << 20, 0, GS_KEY_BYTES, false, true, true},
    {"-m -n", gs_sort_merge, TEXT_BYTES, 64 << 20, 0, GS_KEY_NUMERIC, true, false, true},
};
enum { WAYS = sizeof ways / sizeof *ways };

static const char *engine = "cpu";
static const int gpus[] = {0, 1};
static size_t gpu_count; /* 0: the first */
static const char *const inputs[] = {"in"}, *const temporary[] = {"tmp"};

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, 10);
}

/* Lines of ten bytes, of digits and others. */
static void write_input(const way *w, uint64_t *state)
{
    char *const text = calloc(1, w->bytes);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < w->bytes; i++)
        text[i] = "0123456789.1a2b3"[check_random(state) % 16];
    for (size_t i = 9; i < w->bytes; i += 10)
        text[i] = '\n';
    if (w->is_sorted)
        qsort(text, w->bytes / 10, 10, by_bytes);
    (void)unlink("in");
    const int fd = open("in", O_WRONLY | O_CREAT | O_EXCL, 0644);
    REQUIRE(fd >= 0 && write(fd, text, w->bytes) == (ssize_t)w->bytes && close(fd) == 0);
    free(text);
}

static void write_old_output(void)
{
    const int fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    REQUIRE(fd >= 0 && write(fd, "old", 3) == 3 && close(fd) == 0);
}

static uint64_t output_bytes(void)
{
    struct stat info;
    REQUIRE(stat("out", &info) == 0);
    return (uint64_t)info.st_size;
}

static gs_code run(const way *w, const gs_log *log, gs_status *st)
{
    gs_key key = {.end_field = SIZE_MAX, .type = w->type};
    const gs_sort_options options = {
        .order = {.eol = '\n',
                  .keys = &key,
                  .key_count = w->is_keyed,
                  .delimiter = GS_ORDER_BLANK_FIELDS,
                  .unique = w->is_unique,
                  .record_size = w->record_size},
        .inputs = inputs,
        .input_count = 1,
        .output = "out",
        .temp_folders = temporary,
        .temp_folder_count = 1,
        .memory_bytes = w->memory_bytes,
        .threads = 2,
        .engine = engine,
        .gpus = gpus,
        .gpu_count = gpu_count,
        .log = log,
    };
    return w->job(&options, st);
}

/* --- one change -------------------------------------------------------------------- */

static int open_input(int flags)
{
    const int fd = open("in", flags);
    REQUIRE(fd >= 0);
    return fd;
}

static void overwrite(const char *name)
{
    const int fd = open_input(O_WRONLY);
    (void)name;
    REQUIRE(pwrite(fd, "x", 1, 1000003) == 1 && close(fd) == 0);
}

static void overwrite_and_set_back(const char *name)
{
    struct stat info;
    REQUIRE(stat(name, &info) == 0);
    overwrite(name);
    const struct timespec times[2] = {info.st_atim, info.st_mtim};
    REQUIRE(utimensat(AT_FDCWD, name, times, 0) == 0);
}

static void append(const char *name)
{
    const int fd = open_input(O_WRONLY | O_APPEND);
    (void)name;
    REQUIRE(write(fd, "more\n", 5) == 5 && close(fd) == 0);
}

/* Within its last page, so that none is lost. */
static void cut_off(const char *name)
{
    struct stat info;
    REQUIRE(stat(name, &info) == 0 && info.st_size % 4096 > 1);
    REQUIRE(truncate(name, info.st_size - 1) == 0);
}

static void change_mode(const char *name)
{
    REQUIRE(chmod(name, 0600) == 0);
}

static void move(const char *name)
{
    REQUIRE(rename(name, "moved") == 0);
}

static void take_name(const char *name)
{
    REQUIRE(unlink(name) == 0);
}

/* Changes the input when it hears that it is mapped. */
typedef struct listener {
    change_fn *change;
    bool has_heard;
} listener;

static void listen_to(void *context, gs_log_level level, const char *text)
{
    listener *const l = context;
    (void)level;
    if (strstr(text, "where it is") == NULL && strstr(text, "where they are") == NULL &&
        strstr(text, "in the page cache and read by") == NULL)
        return;
    l->has_heard = true;
    l->change("in");
}

static bool change_once(const way *w, change_fn *change, bool is_change, uint64_t *state)
{
    listener l = {.change = change};
    const gs_log log = {.fn = listen_to, .context = &l};
    gs_status st = {.code = GS_OK};
    write_input(w, state);
    write_old_output();
    const gs_code code = run(w, &log, &st);
    const bool has_failed =
        code == GS_ERR_IO &&
        strcmp(st.msg, "read failed: in: it was changed while it was read") == 0 &&
        output_bytes() == 3;
    if (l.has_heard && (is_change ? !has_failed : code != GS_OK)) {
        fprintf(stderr, "%s: code %d, %s\n", w->what, (int)code, st.msg);
        check_failures++;
    }
    CHECK(gs_mem_held_bytes() == 0);
    return l.has_heard;
}

/* Every change, and two of them by every way. Returns how often the file was mapped. */
static unsigned change_each(uint64_t *state)
{
    unsigned heard = 0;
    for (size_t i = 0; i < WAYS; i++) {
        heard += change_once(&ways[i], overwrite, true, state);
        heard += change_once(&ways[i], append, true, state);
    }
    heard += change_once(&ways[0], overwrite_and_set_back, true, state);
    heard += change_once(&ways[0], cut_off, true, state);
    heard += change_once(&ways[0], change_mode, false, state);
    heard += change_once(&ways[0], move, false, state);
    heard += change_once(&ways[0], take_name, false, state);
    return heard;
}

/* --- changes all the time ----------------------------------------------------------- */

typedef struct writer {
    uint8_t *map;
    size_t bytes;
    uint64_t seed;
    atomic_bool is_over;
} writer;

/* Ends of lines come and go, and bytes of which keys are longer; the last byte stays. */
static void *write_on(void *context)
{
    static const uint8_t bytes[] = {'\n', 'x', 1, '7', '0', ' '};
    writer *const w = context;
    uint64_t state = w->seed;
    while (!atomic_load(&w->is_over)) {
        const uint64_t r = check_random(&state);
        volatile uint8_t *const at = w->map + r % (w->bytes - 1);
        *at = bytes[(r >> 40) % sizeof bytes];
    }
    return NULL;
}

static void sort_on(uint64_t *state)
{
    const way *const first = &ways[0];
    write_input(first, state);
    const int fd = open_input(O_RDWR);
    void *const map = mmap(NULL, first->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(map != MAP_FAILED);
    writer w = {.map = map, .bytes = first->bytes, .seed = *state};
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, write_on, &w) == 0);
    /* What is written elsewhere to the same pages, the thread sanitizer does not see. */
    const uint64_t begin_ns = gs_machine_now_ns(),
                   writing_ns = check_is_short() ? 300000000 : 1000000000;
    for (size_t i = 0; gs_machine_now_ns() - begin_ns < writing_ns; i++) {
        const way *const next = &ways[i % WAYS];
        gs_status st = {.code = GS_OK};
        const gs_code code = run(next, NULL, &st);
        CHECK(code == GS_OK || code == GS_ERR_IO || code == GS_ERR_FORMAT);
        const bool is_whole = next->job == gs_sort_run && !next->is_unique &&
                              !next->is_keyed && first->bytes < GS_EARLY_SPLIT_MIN;
        CHECK(code != GS_OK || !is_whole || output_bytes() == first->bytes);
        CHECK(gs_mem_held_bytes() == 0);
    }
    atomic_store(&w.is_over, true);
    REQUIRE(pthread_join(thread, NULL) == 0);
    REQUIRE(munmap(map, first->bytes) == 0 && close(fd) == 0);
}

int main(int argc, char **argv)
{
    const bool is_group = argc > 1 && strcmp(argv[1], "gpus") == 0;
    if (argc > 1)
        engine = is_group ? "gpu" : argv[1];
    gpu_count = is_group ? 2 : 0;
    char folder[] = "/tmp/gpusort-test-changed-XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("tmp", 0700) == 0);
    uint64_t state = check_seed(11);
    const unsigned heard = change_each(&state);
    sort_on(&state);
    for (size_t i = 0; i < 3; i++)
        (void)unlink((const char *[]){"in", "out", "moved"}[i]);
    REQUIRE(rmdir("tmp") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
    /* Where nothing is in the page cache there is nothing to be seen. */
    return heard == 0 && check_failures == 0 ? 77 : check_result();
}
