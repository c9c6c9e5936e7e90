/* SPDX-License-Identifier: MIT */
/*
 * Whole sorts in which one call fails: each request for memory, and each call to the
 * system that opens, reads, writes, closes or renames a file, in turn. The sort then
 * either does without it and is right, or says what failed; it leaves no temporary file,
 * no open descriptor, no memory, and an output that is the old one or the whole new one.
 * Of several folders for temporary files the message names the one that failed.
 * Where the output is copied into the file that is there, a failure half-way leaves the
 * whole new one under a temporary name.
 *
 *     test_sort_failures [ENGINE]      cpu, or in a build with FAKE_GPU=1 gpu, or gpus:
 *                                      several together
 */
#define CHECK_STARTS_THREADS

#include <signal.h>
#include <sys/wait.h>
#include <zlib.h>

#include "lib/sort/sort.h"
#include "tests/failing_calls.h"

typedef struct content {
    uint8_t *bytes;
    size_t count;
} content;

static content read_file(const char *name)
{
    FILE *const f = fopen(name, "rb");
    REQUIRE(f != NULL && fseek(f, 0, SEEK_END) == 0);
    content c = {.count = (size_t)ftell(f)};
    c.bytes = calloc(1, c.count + 1);
    rewind(f);
    REQUIRE(c.bytes != NULL && fread(c.bytes, 1, c.count, f) == c.count);
    (void)fclose(f);
    return c;
}

static void write_file(const char *name, const void *bytes, size_t count)
{
    FILE *const f = fopen(name, "wb");
    REQUIRE(f != NULL && fwrite(bytes, 1, count, f) == count && fclose(f) == 0);
}

static bool is_same(content a, content b)
{
    return a.count == b.count && memcmp(a.bytes, b.bytes, a.count) == 0;
}

/* --- the sorts --------------------------------------------------------------------- */

typedef gs_code job_fn(const gs_sort_options *options, gs_status *st);

static const char old_text[] = "what was there before\n";

/* What a copy that failed half-way left beside the output: is it `want`? Removes it. */
static bool is_kept_beside(content want)
{
    bool is_kept = false;
    DIR *const folder = opendir(".");
    REQUIRE(folder != NULL);
    for (const struct dirent *e; (e = readdir(folder)) != NULL;) {
        if (strncmp(e->d_name, ".out.gpusort-", 13) != 0)
            continue;
        CHECK(!is_kept);
        const content got = read_file(e->d_name);
        is_kept = is_same(got, want);
        free(got.bytes);
        CHECK(unlink(e->d_name) == 0);
    }
    (void)closedir(folder);
    return is_kept;
}

/* Fails call number `nth`; false if the sort made fewer calls. */
static bool fail_one(job_fn *job, const gs_sort_options *options, failing what,
                     uint64_t nth, content want)
{
    write_file("out", old_text, sizeof old_text - 1);
    const size_t entries = count_entries("."),
                 descriptors = count_entries("/proc/self/fd");
    const size_t temporary = count_entries("tmp");
    gs_status st = {.code = GS_OK};
    fail_nth(what, nth);
    const gs_code code = job(options, &st);
    const bool was_reached = end_failing(what);
    const content got = read_file("out");
    const content old = {.bytes = (uint8_t *)(uintptr_t)old_text,
                         .count = sizeof old_text - 1};
    CHECK(code == st.code);
    const bool is_whole = is_same(got, want) || (code != GS_OK && is_same(got, old));
    CHECK(is_kept_beside(want) ? code != GS_OK : is_whole);
    CHECK(code == GS_OK || st.msg[0] != '\0');
    CHECK(count_entries(".") == entries && count_entries("tmp") == temporary);
    CHECK(count_entries("/proc/self/fd") == descriptors);
    CHECK(gs_mem_held_bytes() == 0);
    if (check_failures > 0) {
        fprintf(stderr, "%s call %llu: %s\n", what == FAILS_MEMORY ? "memory" : "system",
                (unsigned long long)nth, st.msg);
        exit(1);
    }
    free(got.bytes);
    return was_reached;
}

/* Every call near the beginning, and then every few: late ones are alike. */
static void fail_each(job_fn *job, const gs_sort_options *options)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(job(options, &st), &st);
    const content want = read_file("out");
    CHECK(gs_mem_held_bytes() == 0);
    for (int what = FAILS_MEMORY; what <= FAILS_SYSTEM; what++) {
        uint64_t tries = 0;
        for (uint64_t nth = 1; fail_one(job, options, (failing)what, nth, want);
             nth = next_to_fail(nth))
            tries++;
        CHECK(tries > 3);
    }
    free(want.bytes);
}

/* What a pipe brings cannot be read again. The calls made for the pipe are not those that
 * fail. */
static gs_code sort_pipe(const gs_sort_options *options, gs_status *st)
{
    static const char *const standard_input[] = {"-"};
    gs_sort_options o = *options;
    o.inputs = standard_input;
    o.input_count = 1;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t cat = fork();
    REQUIRE(cat >= 0);
    if (cat == 0) {
        (void)signal(SIGPIPE, SIG_DFL);
        if (dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO &&
            syscall(SYS_close, ends[0]) == 0 && syscall(SYS_close, ends[1]) == 0)
            (void)execlp("cat", "cat", options->inputs[0], (char *)NULL);
        _exit(1);
    }
    REQUIRE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    REQUIRE(syscall(SYS_close, ends[0]) == 0 && syscall(SYS_close, ends[1]) == 0);
    GS_NOTED(gs_sort_run(&o, st));
    const long none = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY);
    REQUIRE(none >= 0 && dup2((int)none, STDIN_FILENO) == STDIN_FILENO);
    REQUIRE(syscall(SYS_close, none) == 0);
    REQUIRE(waitpid(cat, NULL, 0) == cat);
    return st->code;
}

/* `bytes` of short lines; gzip if asked. */
static void make_lines(const char *name, size_t bytes, bool is_packed, uint64_t *state)
{
    uint8_t *const text = calloc(1, bytes);
    REQUIRE(text != NULL);
    for (size_t i = 0; i < bytes; i++)
        text[i] = (uint8_t) "abcdefghijklmno\n"[check_random(state) % 16];
    text[bytes - 1] = '\n';
    if (is_packed) {
        gzFile f = gzopen(name, "wb1");
        REQUIRE(f != NULL && gzwrite(f, text, (unsigned)bytes) == (int)bytes &&
                gzclose(f) == Z_OK);
    } else {
        write_file(name, text, bytes);
    }
    free(text);
}

/* Of two folders one fails: it is named, and not the other one. */
static void the_folder_that_failed_is_named(const gs_sort_options *options)
{
    static const char *const folders[] = {"this-one", "that-one"},
                             *const inputs[] = {"packed"}; /* which is not mapped */
    uint64_t state = 4;
    gs_sort_options o = *options;
    o.inputs = inputs;
    make_lines(inputs[0], 2000000, true, &state);
    o.temp_folders = folders;
    o.temp_folder_count = 2;
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(mkdir(folders[i], 0700) == 0);
    for (unsigned i = 0; i < 2; i++) {
        for (int calls = BROKEN_FILES; calls <= BROKEN_READS; calls++) {
            gs_status st = {.code = GS_OK};
            broken_folder = folders[i];
            broken_calls = (broken)calls;
            CHECK(gs_sort_run(&o, &st) == GS_ERR_IO);
            broken_calls = NOTHING_BROKEN;
            const bool is_named = strstr(st.msg, folders[i]) != NULL &&
                                  strstr(st.msg, folders[1 - i]) == NULL;
            if (!is_named)
                fprintf(stderr, "%s failed in way %d, and this is said: %s\n", folders[i],
                        calls, st.msg);
            CHECK(is_named);
        }
    }
    for (unsigned i = 0; i < 2; i++)
        CHECK(rmdir(folders[i]) == 0);
}

static int leave(const char *folder)
{
    char command[100];
    REQUIRE(chdir("/") == 0);
    (void)snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return check_result();
}

int main(int argc, char **argv)
{
    char folder[] = "/tmp/gpusort-test-failures-XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0 && mkdir("tmp", 0700) == 0);
    uint64_t state = check_seed(3);
    const bool is_group = argc > 1 && strcmp(argv[1], "gpus") == 0;
    make_lines("lines",
               is_group                       ? 1100000 /* enough to be mapped */
               : argc > 1 && check_is_short() ? 600000
               : argc > 1 || !check_is_long() ? 1000000
                                              : 2000000,
               false, &state);
    make_lines("packed1", 200000, true, &state);
    make_lines("packed2", 300000, true, &state);
    static const char *const plain[] = {"lines"}, *const few[] = {"few"},
                             *const packed[] = {"packed1", "packed2"};
    static const char *const temporary[] = {"tmp"};
    gs_sort_options options = {
        .order = {.eol = '\n'},
        .inputs = plain,
        .input_count = 1,
        .output = "out",
        .temp_folders = temporary,
        .temp_folder_count = 1,
        .memory_bytes = 1,
        .threads = 2,
        .engine = argc > 1 ? argv[1] : "cpu",
        .no_uring = true,
    };
    if (is_group) {
        options.engine = "gpu";
        options.gpus = (const int[]){0, 1};
        options.gpu_count = 2;
        fail_each(gs_sort_run, &options);
        options.order.unique = true;
        fail_each(gs_sort_run, &options);
        return leave(folder);
    }
    write_file("out", "", 0);
    fail_each(gs_sort_run, &options); /* spills */
    if (argc > 1) {
        /* Through a GPU the rest is the same. */
        fail_each(sort_pipe, &options);
        return leave(folder);
    }
    the_folder_that_failed_is_named(&options);
    write_error = EIO;
    fail_each(gs_sort_run, &options); /* a disk that is broken, not full */
    write_error = ENOSPC;
    make_lines("few", 100000, false, &state);
    options.inputs = few;
    REQUIRE(link("out", "second") == 0);
    fail_each(gs_sort_run, &options); /* copied into the file of two names */
    REQUIRE(unlink("second") == 0);
    options.inputs = plain;
    options.order.unique = true;
    options.header_lines = 3;
    options.compress_program = "gzip";
    options.memory_bytes = 2 << 20;   /* taken at its word: a few runs */
    fail_each(gs_sort_run, &options); /* through a program */
    options.compress_program = NULL;
    options.memory_bytes = 1;
    options.order.unique = false;
    options.header_lines = 0;
    options.output_zstd = true;
    options.inputs = packed;
    options.input_count = 2;
    fail_each(gs_sort_run, &options); /* compressed in and out */
    options.output_zstd = false;
    options.output = "sorted";
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_sort_run(&options, &st), &st);
    static const char *const sorted[] = {"sorted", "sorted", "sorted"};
    options.output = "out";
    options.inputs = sorted;
    options.input_count = 3;
    options.batch_size = 2;
    fail_each(gs_sort_merge, &options);
    return leave(folder);
}
