/* SPDX-License-Identifier: MIT */
/*
 * Jobs of gpusort.h whose inputs do not go on. What would break: a wish to stop that
 * nobody hears while a pipe, a FIFO, a terminal or a socket is idle, or while another
 * changes an index; half of an input that is taken for all of it, and its result for the
 * whole one; a caller who is told that all went well after a failure; what a sorter still
 * looks at when its caller has forgotten it.
 */
#define CHECK_STARTS_THREADS

#include "lib/gpusort.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/check_api.h"

enum { HANG_SECONDS = 60 };

static bool has_text(const char *name, const char *text)
{
    char got[256];
    FILE *const f = fopen(name, "r");
    REQUIRE(f != NULL);
    got[fread(got, 1, sizeof got - 1, f)] = '\0';
    REQUIRE(fclose(f) == 0);
    return strcmp(got, text) == 0;
}

/* --- idle inputs -------------------------------------------------------------------- */

/* The second time that the job tells how far it is, it waits. */
static int stop_when_idle(void *context, const gpusort_progress *p)
{
    int *const told = context;
    (void)p;
    return ++*told > 1;
}

typedef gpusort_code job_fn(const gpusort_sort_options *o, gpusort_error *error);

static gpusort_code check(const gpusort_sort_options *o, gpusort_error *error)
{
    uint64_t disorder;
    return gpusort_check(o, &disorder, error);
}

static gpusort_code build(const gpusort_sort_options *o, gpusort_error *error)
{
    gpusort_build_options b = GPUSORT_BUILD_OPTIONS;
    b.job = o->job;
    b.folder = "stopped";
    b.format = "jsonl";
    b.inputs = o->inputs;
    b.input_count = o->input_count;
    return gpusort_index_build(&b, error);
}

static void stops(job_fn *job, const char *name, int fd)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    int told = 0;
    o.inputs = &name;
    o.input_count = name != NULL;
    o.input_fds = &fd;
    o.input_fd_count = fd >= 0;
    o.output = "stopped";
    o.job.progress = stop_when_idle;
    o.job.context = &told;
    (void)alarm(HANG_SECONDS);
    CHECK(job(&o, &error) == GPUSORT_CANCELLED);
    (void)alarm(0);
    CHECK(strcmp(error.message, "cancelled") == 0 && access("stopped", F_OK) != 0);
}

/* Before a byte has come, and when some have. */
static void idle_inputs_stop(void)
{
    int ends[2], sockets[2];
    REQUIRE(mkfifo("fifo", 0600) == 0 && pipe(ends) == 0 &&
            socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
    job_fn *const jobs[] = {gpusort_sort, gpusort_merge, check};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        stops(jobs[i], "fifo", -1); /* nobody has it open to write */
        stops(jobs[i], NULL, ends[0]);
        stops(jobs[i], NULL, sockets[0]);
    }
    stops(build, "fifo", -1);
    const int writer = open("fifo", O_RDWR);
    REQUIRE(writer >= 0);
    stops(gpusort_sort, "fifo", -1);
    stops(gpusort_sort, "fifo", ends[0]);
    REQUIRE(write(sockets[1], "b\na\n", 4) == 4);
    stops(gpusort_sort, NULL, sockets[0]);
    REQUIRE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    stops(gpusort_sort, "-", -1);
    REQUIRE(write(ends[1], "b\na\n", 4) == 4);
    stops(gpusort_sort, "-", -1);
    (void)close(STDIN_FILENO);
    const int all[] = {writer, ends[0], ends[1], sockets[0], sockets[1]};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        REQUIRE(close(all[i]) == 0);
}

/* A FIFO whose writer comes late is waited for; one whose writer has gone is at its end,
 * by its descriptor too. */
static void fifos_have_an_end(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const char *const name[] = {"fifo"};
    volatile int never = 0;
    o.job.cancel = &never;
    o.output = "of_fifo";
    const int reader = open("fifo", O_RDONLY | O_NONBLOCK);
    const int writer = open("fifo", O_WRONLY);
    REQUIRE(reader >= 0 && writer >= 0 && write(writer, "b\na\n", 4) == 4);
    REQUIRE(close(writer) == 0);
    o.input_fds = &reader;
    o.input_fd_count = 1;
    (void)alarm(HANG_SECONDS);
    GOOD(gpusort_sort(&o, &error));
    CHECK(has_text("of_fifo", "a\nb\n"));
    REQUIRE(close(reader) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)usleep(150 * 1000);
        const int late = open("fifo", O_WRONLY);
        _exit(write(late, "d\nc\n", 4) != 4);
    }
    o.input_fd_count = 0;
    o.inputs = name;
    o.input_count = 1;
    GOOD(gpusort_sort(&o, &error));
    (void)alarm(0);
    CHECK(has_text("of_fifo", "c\nd\n"));
}

/* --- an index that another changes -------------------------------------------------- */

static gpusort_code append(const gpusort_sort_options *o, gpusort_error *error)
{
    gpusort_build_options b = GPUSORT_BUILD_OPTIONS;
    b.job = o->job;
    b.folder = "index";
    b.inputs = o->inputs;
    b.input_count = o->input_count;
    return gpusort_index_append(&b, 0, error);
}

static gpusort_code forget(const gpusort_sort_options *o, gpusort_error *error)
{
    const char *const names[] = {"a"};
    return gpusort_index_delete("index", names, 1, 0, NULL, NULL, &o->job, error);
}

static gpusort_code compact(const gpusort_sort_options *o, gpusort_error *error)
{
    return gpusort_index_compact("index", &o->job, error);
}

static void who_waits_for_an_index_stops(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_build_options b = GPUSORT_BUILD_OPTIONS;
    const char *const inputs[] = {"a.jsonl"};
    write_text_file("a.jsonl", "{\"id\": \"a\", \"contents\": \"a bird\"}\n");
    b.folder = "index";
    b.inputs = inputs;
    b.input_count = 1;
    GOOD(gpusort_index_build(&b, &error));
    const int other = open("index", O_RDONLY | O_DIRECTORY);
    REQUIRE(other >= 0 && flock(other, LOCK_EX) == 0);
    stops(append, "a.jsonl", -1);
    stops(forget, NULL, -1);
    stops(compact, NULL, -1);
    REQUIRE(close(other) == 0);
    GOOD(gpusort_index_compact("index", NULL, &error));
}

/* --- half of an input --------------------------------------------------------------- */

/* A socket that gives two lines, and then an error: its peer left something unread. */
static int broken_socket(void)
{
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    REQUIRE(write(ends[0], "unread", 6) == 6 && write(ends[1], "b\na\n", 4) == 4 &&
            close(ends[1]) == 0);
    return ends[0];
}

static void half_an_input_is_no_result(job_fn *job)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const int fd = broken_socket();
    char what[64];
    (void)snprintf(what, sizeof what, "read failed: descriptor %d: ", fd);
    write_text_file("kept", "precious\n");
    o.input_fds = &fd;
    o.input_fd_count = 1;
    o.output = "kept";
    CHECK(job(&o, &error) == GPUSORT_IO && error.system_error == ECONNRESET);
    CHECK(strncmp(error.message, what, strlen(what)) == 0);
    CHECK(has_text("kept", "precious\n"));
    REQUIRE(close(fd) == 0);
}

static void half_an_input_goes_nowhere(void)
{
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    const int fd = broken_socket();
    int ends[2];
    char got[8];
    REQUIRE(pipe(ends) == 0);
    o.input_fds = &fd;
    o.input_fd_count = 1;
    o.output_fd = ends[1] + 1;
    CHECK(gpusort_sort(&o, NULL) == GPUSORT_IO);
    REQUIRE(close(ends[1]) == 0);
    CHECK(read(ends[0], got, sizeof got) == 0);
    REQUIRE(close(ends[0]) == 0 && close(fd) == 0);
}

/* --- sorters ------------------------------------------------------------------------ */

enum { LINE_BYTES = 1000, LINES = 20000 };

/* So many lines that they do not fit into `o->job.memory_bytes`, or into a pipe. */
static void put_lines(gpusort_sorter *sorter)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    char line[LINE_BYTES + 1];
    for (int i = 0; i < LINES; i++) {
        (void)snprintf(line, sizeof line, "%0*d", LINE_BYTES, i * 7919 % LINES);
        GOOD(gpusort_sorter_put(sorter, line, LINE_BYTES, &error));
    }
}

/* What the options pointed to when the sorter began may be anything afterwards. */
static void options_are_borrowed_until_new_returns(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    char folder[] = "spilled", engine[] = "cpu";
    const char *folders[] = {folder, folder};
    const void *record;
    size_t bytes;
    int count = 0;
    REQUIRE(mkdir(folder, 0700) == 0);
    o.job.memory_bytes = 4 << 20;
    o.job.temp_folders = folders;
    o.job.temp_folder_count = 2;
    o.job.engine = engine;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    memset(folder, 'X', sizeof folder - 1);
    memset(engine, 'X', sizeof engine - 1);
    folders[0] = folders[1] = "no/such/folder";
    memset(&o, 0xff, sizeof o);
    put_lines(sorter);
    GOOD(gpusort_sorter_sorted(sorter, &error));
    for (record = folder; record != NULL; count++)
        GOOD(gpusort_sorter_get(sorter, &record, &bytes, &error));
    CHECK(count == LINES + 1);
    gpusort_sorter_free(sorter);
}

static void paths_are_borrowed_until_new_returns(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    char names[] = "a\0b";
    int gpus[] = {0};
    const gpusort_key key = {.kind = GPUSORT_NUMERIC};
    const gpusort_path path = {.names = names, .depth = 2};
    const void *text;
    size_t bytes;
    static const char given[] = "{\"a\": {\"b\": 10}}\n{\"a\": {\"b\": 9}}\n";
    static const char want[] = "{\"a\": {\"b\": 9}}\n{\"a\": {\"b\": 10}}\n";
    o.order.form = GPUSORT_JSON;
    o.order.keys = &key;
    o.order.key_count = 1;
    o.order.paths = &path;
    o.job.engine = "cpu";
    o.job.gpus = gpus;
    o.job.gpu_count = 1;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    memset(names, 'X', sizeof names);
    gpus[0] = -1;
    GOOD(gpusort_sorter_put_text(sorter, given, sizeof given - 1, &error));
    GOOD(gpusort_sorter_sorted(sorter, &error));
    GOOD(gpusort_sorter_get_text(sorter, &text, &bytes, &error));
    CHECK(bytes == sizeof want - 1 && memcmp(text, want, bytes) == 0);
    gpusort_sorter_free(sorter);
}

/* Whoever asks again after a failure is not told that this was all. */
static void a_failure_is_no_end(void)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_sort_options o = GPUSORT_SORT_OPTIONS;
    gpusort_sorter *sorter = NULL;
    volatile int cancel = 0;
    const void *record;
    size_t bytes;
    int count = 0;
    gpusort_code code;
    o.job.memory_bytes = 4 << 20;
    o.job.cancel = &cancel;
    GOOD(gpusort_sorter_new(&sorter, &o, &error));
    put_lines(sorter);
    GOOD(gpusort_sorter_sorted(sorter, &error));
    GOOD(gpusort_sorter_get(sorter, &record, &bytes, &error));
    __atomic_store_n(&cancel, 1, __ATOMIC_RELAXED);
    (void)usleep(200 * 1000);
    while ((code = gpusort_sorter_get(sorter, &record, &bytes, &error)) == GPUSORT_OK &&
           record != NULL)
        count++;
    CHECK(code == GPUSORT_CANCELLED && record == NULL && count < LINES - 1);
    for (int again = 0; again < 2; again++) {
        CHECK(gpusort_sorter_get(sorter, &record, &bytes, NULL) == GPUSORT_CANCELLED);
        CHECK(gpusort_sorter_get_text(sorter, &record, &bytes, NULL) ==
              GPUSORT_CANCELLED);
        CHECK(record == NULL && bytes == 0);
    }
    gpusort_sorter_free(sorter);
}

int main(void)
{
    options_are_borrowed_until_new_returns();
    paths_are_borrowed_until_new_returns();
    a_failure_is_no_end();
    idle_inputs_stop();
    fifos_have_an_end();
    who_waits_for_an_index_stops();
    half_an_input_is_no_result(gpusort_sort);
    half_an_input_is_no_result(gpusort_merge);
    half_an_input_is_no_result(check);
    half_an_input_goes_nowhere();
    return check_failures != 0;
}
