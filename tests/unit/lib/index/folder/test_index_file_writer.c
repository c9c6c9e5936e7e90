/* SPDX-License-Identifier: MIT */
/*
 * index_file_writer, append_file: whatever sizes the files have that are put, whether
 * other threads read them and write or not, and however little a call moves, the file is
 * what was put, and its sums are those of that; a file that is shorter than it was, and
 * every call that fails, is told, and leaves nothing.
 */
#define CHECK_STARTS_THREADS
#include "lib/index/folder/index_file_writer.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "tests/failing_calls.h"
#include "tests/scratch_folder.h"

enum {
    KIB = 1 << 10,
    MIB = 1 << 20,
    FILES_MAX = 400,
    TEXT_BYTES = 40 * MIB, /* more than any file here */
    PART_BUFFER = 100 * 1000,
    PIECE_MAX = 9000,
};

static uint8_t *text, *found; /* what is put, what is there */

/* Files of these sizes, after `head` bytes of the writer's own. */
typedef struct layout {
    size_t head, count, sizes[FILES_MAX];
} layout;

static const layout bounds = {
    0, 13, {0, 1, 4095, 4096, 4097, MIB - 12290, MIB, MIB, MIB - 1, MIB + 1, MIB, 1, 0}};
static const layout large_bounds = {
    64, 7, {4 * MIB - 1, 4 * MIB, 4 * MIB - 63, 0, 5 * MIB, 4 * MIB + 1, 3 * MIB}};
static const layout one_large = {16, 1, {21 * MIB + 12345}};
static const layout begins_full = {MIB, 3, {8 * MIB, 4 * MIB, 9 * MIB + 1}};

static size_t layout_bytes(const layout *l)
{
    size_t bytes = l->head;
    for (size_t i = 0; i < l->count; i++)
        bytes += l->sizes[i];
    REQUIRE(bytes <= TEXT_BYTES);
    return bytes;
}

static layout random_layout(uint64_t *state, size_t count, size_t size_max)
{
    layout l = {.head = check_random(state) % 10000, .count = count};
    for (size_t i = 0; i < count; i++)
        l.sizes[i] = check_random(state) % size_max;
    return l;
}

/* --- files to put ------------------------------------------------------------------- */

/* Holds `bytes` of the text from `at` on. */
static gs_code make_file(gs_append_file *f, const char *path, size_t at, size_t bytes,
                         gs_status *st)
{
    if (path == NULL)
        GS_TRY(gs_append_file_open(f, ".", PART_BUFFER, st));
    else
        GS_TRY(gs_append_file_open_kept(f, path, 0, 0, PART_BUFFER, st));
    for (size_t done = 0; done < bytes;) {
        size_t n = 1 + (at + done) * 7919 % PIECE_MAX;
        n = n < bytes - done ? n : bytes - done;
        GS_TRY(gs_append_file_put(f, text + at + done, n, st));
        done += n;
    }
    return gs_append_file_rewind(f, st);
}

static void set_bytes(int fd, uint64_t bytes)
{
    REQUIRE(syscall(SYS_ftruncate, fd, (long)bytes) == 0);
}

/* --- whole -------------------------------------------------------------------------- */

/* What was written, after which sums. */
typedef struct written {
    gs_page_sums pages;
    uint64_t bytes, checksum;
} written;

/* With `kept`, of files that have names. */
static gs_code put_files(gs_file_writer *w, const layout *l, bool kept, gs_status *st)
{
    GS_TRY(gs_file_writer_put(w, text, l->head, st));
    for (size_t i = 0, at = l->head; i < l->count && st->code == GS_OK; i++) {
        gs_append_file f = {.fd = -1};
        if (make_file(&f, kept ? "kept" : NULL, at, l->sizes[i], st) == GS_OK &&
            gs_file_writer_put_all(w, &f, st) == GS_OK) {
            CHECK(gs_append_file_left(&f) == 0);
            GS_NOTED(gs_append_file_check(&f, st));
        }
        gs_append_file_close(&f);
        at += l->sizes[i];
    }
    return st->code;
}

/* How a file is written: by its own thread, or with others, of which it is told how long
 * it is going to be, in vain or not. */
typedef struct writing {
    bool is_ahead;
    uint64_t expected; /* 0: nothing */
} writing;

static gs_code write_layout(written *out, const layout *l, writing how, bool kept,
                            gs_status *st)
{
    gs_file_writer *w = NULL;
    GS_TRY(gs_file_writer_new(&w, ".", "file", &out->pages, st));
    if (how.is_ahead)
        gs_file_writer_read_ahead(w);
    if (how.expected > 0)
        gs_file_writer_expect(w, how.expected);
    if (put_files(w, l, kept, st) == GS_OK)
        GS_NOTED(gs_file_writer_finish(w, &out->bytes, &out->checksum, st));
    gs_file_writer_free(w);
    return st->code;
}

static size_t read_found(void)
{
    size_t bytes = 0;
    const int fd = open("file", O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    for (long n;
         (n = syscall(SYS_read, fd, found + bytes, TEXT_BYTES + MIB - bytes)) > 0;)
        bytes += (size_t)n;
    REQUIRE(close(fd) == 0);
    return bytes;
}

static void check_found(const written *r, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    uint64_t checksum = 0;
    const uint8_t slack[GS_INDEX_SLACK] = {0};
    CHECK(r->bytes == bytes + GS_INDEX_SLACK && read_found() == r->bytes);
    CHECK(memcmp(found, text, bytes) == 0 &&
          memcmp(found + bytes, slack, GS_INDEX_SLACK) == 0);
    REQUIRE_OK(gs_file_checksum(&checksum, found, r->bytes, NULL, NULL, &st), &st);
    CHECK(checksum == r->checksum);
    CHECK(r->pages.count == gs_sum_pages(r->bytes));
    for (size_t page = 0; page < r->pages.count; page++) {
        const size_t at = page * GS_SUM_PAGE_BYTES, left = (size_t)r->bytes - at;
        const size_t n = left < GS_SUM_PAGE_BYTES ? left : GS_SUM_PAGE_BYTES;
        CHECK(r->pages.sums[page] == gs_page_sum(found + at, n));
    }
}

static void is_what_was_put(const layout *l, writing how, bool kept)
{
    gs_status st = {.code = GS_OK};
    written r = {.bytes = 0};
    REQUIRE_OK(write_layout(&r, l, how, kept, &st), &st);
    check_found(&r, layout_bytes(l));
    gs_page_sums_release(&r.pages);
    REQUIRE(unlink("file") == 0 && (!kept || l->count == 0 || unlink("kept") == 0));
}

static void all_ways(const layout *l)
{
    const size_t bytes = layout_bytes(l);
    is_what_was_put(l, (writing){false, 0}, false);
    is_what_was_put(l, (writing){true, 0}, false);
    is_what_was_put(l, (writing){true, 0}, true);
    is_what_was_put(l, (writing){true, bytes / 2 + 1}, false);
    is_what_was_put(l, (writing){true, bytes + 1}, false);
    is_what_was_put(l, (writing){true, 64 * MIB}, false);
}

/* --- not whole ---------------------------------------------------------------------- */

/* Somebody shortened the file to so many bytes. */
static void short_file_is_told(size_t left, bool ahead)
{
    gs_status st = {.code = GS_OK};
    gs_append_file f = {.fd = -1};
    gs_file_writer *w = NULL;
    const size_t bytes = 12 * MIB;
    REQUIRE_OK(make_file(&f, NULL, 0, bytes, &st), &st);
    set_bytes(f.fd, left);
    REQUIRE_OK(gs_file_writer_new(&w, ".", "file", NULL, &st), &st);
    if (ahead)
        gs_file_writer_read_ahead(w);
    CHECK(gs_file_writer_put_all(w, &f, &st) == GS_ERR_IO && st.sys == EIO);
    CHECK(strcmp(st.msg, "read failed: temporary file of the index") == 0);
    gs_append_file_close(&f); /* which no thread reads by now */
    gs_file_writer_free(w);
    REQUIRE(unlink("file") == 0);
}

/* A byte of a kept file became another. */
static void damaged_file_is_told(bool ahead)
{
    gs_status st = {.code = GS_OK};
    gs_append_file f = {.fd = -1};
    gs_file_writer *w = NULL;
    const size_t bytes = 12 * MIB;
    REQUIRE_OK(make_file(&f, "kept", 0, bytes, &st), &st);
    const uint8_t other = text[bytes / 2] ^ 4;
    REQUIRE(syscall(SYS_pwrite64, f.fd, &other, 1, (long)bytes / 2) == 1);
    REQUIRE_OK(gs_file_writer_new(&w, ".", "file", NULL, &st), &st);
    if (ahead)
        gs_file_writer_read_ahead(w);
    REQUIRE_OK(gs_file_writer_put_all(w, &f, &st), &st);
    CHECK(gs_append_file_check(&f, &st) == GS_ERR_FORMAT);
    CHECK(strcmp(st.msg, "kept: damaged: checksum does not match") == 0);
    gs_append_file_close(&f);
    gs_file_writer_free(w);
    REQUIRE(unlink("file") == 0 && unlink("kept") == 0);
}

/* A disk that has room for less than the file: no signal, if its pages are filled. */
static void full_disk_is_told(bool ahead)
{
    gs_status st = {.code = GS_OK};
    gs_append_file f = {.fd = -1};
    gs_file_writer *w = NULL;
    if (mkdir("small", 0700) != 0 ||
        mount("tmpfs", "small", "tmpfs", 0, "size=6m") != 0) {
        (void)rmdir("small");
        return; /* for root only */
    }
    REQUIRE_OK(make_file(&f, NULL, 0, 20 * MIB, &st), &st);
    REQUIRE_OK(gs_file_writer_new(&w, "small", "file", NULL, &st), &st);
    if (ahead)
        gs_file_writer_read_ahead(w);
    CHECK(gs_file_writer_put_all(w, &f, &st) == GS_ERR_IO && st.sys == ENOSPC);
    CHECK(strcmp(st.msg, "write failed: small/file") == 0);
    gs_append_file_close(&f);
    gs_file_writer_free(w);
    CHECK(umount("small") == 0 && rmdir("small") == 0);
}

static bool is_told(gs_code code, const char *message)
{
    static const char *const messages[] = {"read failed: temporary file of the index",
                                           "write failed: temporary file of the index",
                                           "write failed: ./file", "open failed: ./file",
                                           "cannot create temporary file in '.'"};
    if (code == GS_ERR_NOMEM)
        return message[0] != '\0';
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        if (strcmp(message, messages[i]) == 0)
            return code == GS_ERR_IO;
    }
    return false;
}

static void failures_are_told(failing what, writing how)
{
    static const layout some = {70, 3, {5 * MIB, 100, 9 * MIB}};
    const size_t held = gs_mem_held_bytes(), descriptors = count_entries("/proc/self/fd");
    unsigned failed = 0;
    bool was_reached = true;
    for (uint64_t nth = 1; was_reached; nth = next_to_fail(nth)) {
        gs_status st = {.code = GS_OK};
        written r = {.bytes = 0};
        fail_nth(what, nth);
        const gs_code code = write_layout(&r, &some, how, false, &st);
        was_reached = end_failing(what);
        if (code == GS_OK) /* what failed was not needed: to close, or to be larger */
            check_found(&r, layout_bytes(&some));
        else
            CHECK(was_reached && is_told(code, st.msg));
        failed += code != GS_OK;
        gs_page_sums_release(&r.pages);
        (void)unlink("file");
        CHECK(gs_mem_held_bytes() == held);
        CHECK(count_entries("/proc/self/fd") == descriptors);
    }
    CHECK(failed > 1);
}

/* In a folder that is in memory, or not: then nothing fills pages of the file. */
static void check_folder(const layout *many, const layout *mixed)
{
    all_ways(&bounds);
    all_ways(&large_bounds);
    all_ways(&one_large);
    all_ways(&begins_full);
    all_ways(many);
    all_ways(mixed);
    atomic_store(&restless_calls, 1);
    all_ways(mixed);
    atomic_store(&restless_calls, 0);

    for (int ahead = 0; ahead < 2; ahead++) {
        short_file_is_told(0, ahead);
        short_file_is_told(MIB, ahead);
        short_file_is_told(7 * MIB + 77, ahead);
        short_file_is_told(12 * MIB - 1, ahead);
        damaged_file_is_told(ahead);
        full_disk_is_told(ahead);
        failures_are_told(FAILS_MEMORY, (writing){ahead, 0});
        failures_are_told(FAILS_SYSTEM, (writing){ahead, 0});
    }
    failures_are_told(FAILS_MEMORY, (writing){true, 20 * MIB});
    failures_are_told(FAILS_SYSTEM, (writing){true, 20 * MIB});
}

int main(void)
{
    char memory[SCRATCH_FOLDER_BYTES], disk[] = "/var/tmp/gpusort-test-XXXXXX";
    char command[SCRATCH_FOLDER_BYTES + sizeof disk + 10];
    uint64_t state = check_seed(11);
    scratch_folder_new(memory);
    REQUIRE(mkdtemp(disk) != NULL);
    text = malloc(TEXT_BYTES);
    found = malloc(TEXT_BYTES + MIB);
    REQUIRE(text != NULL && found != NULL);
    for (size_t i = 0; i < TEXT_BYTES / sizeof(uint64_t); i++) {
        const uint64_t random = check_random(&state);
        memcpy(text + i * sizeof random, &random, sizeof random);
    }
    const layout many = random_layout(&state, FILES_MAX, 60 * KIB);
    const layout mixed = random_layout(&state, 5, 7 * MIB);

    REQUIRE(chdir(memory) == 0);
    check_folder(&many, &mixed);
    REQUIRE(chdir(disk) == 0);
    check_folder(&many, &mixed);
    free(text);
    free(found);
    (void)snprintf(command, sizeof command, "rm -r %s %s", memory, disk);
    CHECK(chdir("/") == 0 && system(command) == 0);
    return check_result();
}
