/* SPDX-License-Identifier: MIT */
/*
 * Sums of pages: the writer makes them of what it wrote, in whatever pieces it came, and
 * whoever touches a page with a flipped bit is told which one it is; nobody else is.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/index_builder.h"
#include "lib/index/index_file_writer.h"
#include "lib/index/index_verify.h"
#include "lib/index/term_cursor.h"
#include "tests/check.h"

enum { DOCS = 2500, WORDS = 4000, FILE_MAX = 4 << 20, PATH_BYTES = 64, LOOKUPS = 200 };

static uint8_t data[FILE_MAX];

static size_t read_file(const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    REQUIRE(fd >= 0);
    const ssize_t n = read(fd, data, sizeof data);
    REQUIRE(n >= 0 && n < (ssize_t)sizeof data && close(fd) == 0);
    return (size_t)n;
}

/* --- the writer -------------------------------------------------------------------- */

static void check_sums_of(const gs_page_sums *sums, size_t bytes)
{
    CHECK(sums->count == gs_sum_pages(bytes));
    for (size_t page = 0; page < sums->count; page++) {
        const size_t at = page * GS_SUM_PAGE_BYTES, left = bytes - at;
        CHECK(
            sums->sums[page] ==
            gs_page_sum(data + at, left < GS_SUM_PAGE_BYTES ? left : GS_SUM_PAGE_BYTES));
    }
}

static void write_in_pieces(size_t bytes, bool sets_head, uint64_t *state)
{
    static uint8_t piece[100000];
    gs_status st = {.code = GS_OK};
    gs_page_sums sums = {0};
    gs_file_writer *w = NULL;
    uint64_t size, checksum, again;
    REQUIRE_OK(gs_file_writer_new(&w, ".", "file", &sums, &st), &st);
    for (size_t left = bytes; left > 0;) {
        size_t n = 1 + check_random(state) % sizeof piece;
        n = n < left ? n : left;
        for (size_t i = 0; i < n; i++)
            piece[i] = (uint8_t)check_random(state);
        REQUIRE_OK(gs_file_writer_put(w, piece, n, &st), &st);
        left -= n;
    }
    if (sets_head)
        REQUIRE_OK(gs_file_writer_set_head(w, "another beginning", 17, &st), &st);
    REQUIRE_OK(gs_file_writer_finish(w, &size, &checksum, &st), &st);
    gs_file_writer_free(w);
    CHECK(read_file("file") == size && size == bytes + GS_INDEX_SLACK);
    CHECK(!sets_head || memcmp(data, "another beginning", 17) == 0);
    check_sums_of(&sums, (size_t)size);
    REQUIRE_OK(gs_file_checksum(&again, data, size, NULL, NULL, &st), &st);
    CHECK(checksum == again);
    gs_page_sums_release(&sums);
    REQUIRE(unlink("file") == 0);
}

static void check_writer(uint64_t *state)
{
    static const size_t sizes[] = {17,        64,      4080,           4081,         4096,
                                   (1 << 20), 3 << 20, (1 << 20) - 16, (2 << 20) + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_in_pieces(sizes[i], false, state);
        write_in_pieces(sizes[i], true, state);
    }
    write_in_pieces(0, false, state);
}

/* --- the reader -------------------------------------------------------------------- */

static void build_index(uint64_t *state)
{
    static const char *const fields[] = {"contents"}, *const inputs[] = {"docs.jsonl"};
    gs_status st = {.code = GS_OK};
    FILE *const docs = fopen(inputs[0], "w");
    REQUIRE(docs != NULL);
    for (unsigned i = 0; i < DOCS; i++) {
        (void)fprintf(docs, "{\"id\":\"name%u\",\"contents\":\"", i);
        for (uint64_t k = 5 + check_random(state) % 30; k > 0; k--) {
            const uint64_t r = check_random(state);
            (void)fprintf(docs, "word%u ", (unsigned)(r % (1 + (r >> 40) % WORDS)));
        }
        (void)fputs("\"}\n", docs);
    }
    REQUIRE(fclose(docs) == 0);
    const gs_index_build_options options = {
        .folder = "index",
        .inputs = inputs,
        .input_count = 1,
        .document = {.format = GS_FORMAT_JSONL,
                     .id_field = "id",
                     .text_fields = fields,
                     .text_field_count = 1},
        .has_positions = true,
        .memory_bytes = 32 << 20,
        .threads = 1,
        .engine = "cpu",
    };
    REQUIRE_OK(gs_index_build(&options, &st), &st);
}

static void path_of(char path[PATH_BYTES], gs_index_file file)
{
    (void)snprintf(path, PATH_BYTES, "index/%s", gs_index_file_names[file]);
}

static void flip(gs_index_file file, uint64_t bit)
{
    char path[PATH_BYTES];
    uint8_t byte;
    path_of(path, file);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    REQUIRE(fd >= 0 && pread(fd, &byte, 1, (off_t)(bit / 8)) == 1);
    byte ^= (uint8_t)(1 << bit % 8);
    REQUIRE(pwrite(fd, &byte, 1, (off_t)(bit / 8)) == 1 && close(fd) == 0);
}

static bool names_page(const gs_status *st, gs_index_file file, uint64_t page)
{
    char want[128];
    (void)snprintf(want, sizeof want,
                   "%s is damaged: the checksum of the page at byte %llu does not match",
                   gs_index_file_names[file],
                   (unsigned long long)page * GS_SUM_PAGE_BYTES);
    return st->code == GS_ERR_FORMAT && strstr(st->msg, want) != NULL;
}

/* Page after page: of these files, but for one page, all hold. The slack is in the last
 * page, and cannot be asked for. */
static void touch_all(const gs_index *index, gs_index_file bad_file, uint64_t bad_page)
{
    for (int file = 0; file < GS_INDEX_SUMS; file++) {
        const uint64_t bytes =
            gs_index_header_of(index)->file_bytes[file] - GS_INDEX_SLACK;
        for (uint64_t page = 0; page < gs_sum_pages(bytes); page++) {
            gs_status st = {.code = GS_OK};
            const uint8_t *ignored = NULL;
            const bool is_bad = file == (int)bad_file && page == bad_page;
            GS_NOTED(gs_index_bytes(index, (gs_index_file)file, page * GS_SUM_PAGE_BYTES,
                                    1, &ignored, &st));
            CHECK(is_bad ? names_page(&st, bad_file, bad_page) : st.code == GS_OK);
        }
    }
}

/* A bit of each page. */
static void flip_pages(gs_index_file file, uint64_t bytes, uint64_t *state)
{
    CHECK(bytes > 2 * GS_SUM_PAGE_BYTES); /* there are pages to be told apart */
    for (uint64_t page = 0; page < gs_sum_pages(bytes); page++) {
        gs_status st = {.code = GS_OK};
        gs_index *index = NULL;
        const uint64_t at = page * GS_SUM_PAGE_BYTES, left = bytes - at;
        const uint64_t bit =
            8 * at + check_random(state) %
                         (8 * (left < GS_SUM_PAGE_BYTES ? left : GS_SUM_PAGE_BYTES));
        flip(file, bit);
        if (gs_index_open(&index, "index", &st) == GS_OK)
            touch_all(index, file, page);
        else /* the head */
            CHECK(page == 0 && names_page(&st, file, page));
        gs_index_close(index);
        flip(file, bit);
    }
}

/* The sum of a page that holds: who touches that is told of the sums, others of nothing.
 */
static void flip_sum(uint64_t bytes, uint64_t *state)
{
    for (unsigned i = 0; i < 8; i++) {
        gs_status st = {.code = GS_OK};
        gs_index *index = NULL;
        const uint64_t page = 1 + check_random(state) % (gs_sum_pages(bytes) - 2);
        const uint64_t bit = 32 * page + check_random(state) % 32;
        const uint8_t *ignored = NULL;
        flip(GS_INDEX_SUMS, bit); /* terms come first in it */
        REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
        REQUIRE_OK(gs_index_bytes(index, GS_INDEX_TERMS, (page - 1) * GS_SUM_PAGE_BYTES,
                                  GS_SUM_PAGE_BYTES, &ignored, &st),
                   &st);
        CHECK(gs_index_bytes(index, GS_INDEX_TERMS, page * GS_SUM_PAGE_BYTES - 1, 2,
                             &ignored, &st) == GS_ERR_FORMAT);
        CHECK(strstr(st.msg, "index: sums is damaged: its checksum is wrong") != NULL);
        gs_index_close(index);
        flip(GS_INDEX_SUMS, bit);
    }
}

/* Sums that are wrong, in a file that is whole. */
static void check_verify(void)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_index_header h;
    REQUIRE_OK(gs_index_header_read(&h, "index", &st), &st);
    flip(GS_INDEX_SUMS, 32 * gs_sum_pages(h.file_bytes[GS_INDEX_TERMS]) + 40);
    const size_t bytes = read_file("index/sums");
    REQUIRE_OK(
        gs_file_checksum(&h.file_sums[GS_INDEX_SUMS], data, bytes, NULL, NULL, &st), &st);
    REQUIRE(unlink("index/header.json") == 0);
    REQUIRE_OK(gs_index_header_write(&h, "index", &st), &st);
    gs_index_header_release(&h);
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    REQUIRE_OK(gs_index_check_sums(index, &st), &st);
    CHECK(gs_index_verify(index, NULL, &st) == GS_ERR_FORMAT);
    CHECK(names_page(&st, GS_INDEX_POSTINGS, 1));
    gs_index_close(index);
}

/* Nobody looks at more pages than it takes: a page of postings is not touched by terms
 * whose lists lie elsewhere. */
static void check_lookups(uint64_t bytes, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_cursor *terms = NULL;
    unsigned good = 0, bad = 0;
    const uint64_t page = gs_sum_pages(bytes) / 2;
    flip(GS_INDEX_TERMS, 8 * page * GS_SUM_PAGE_BYTES + 100);
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    REQUIRE_OK(gs_term_cursor_new(&terms, index, &st), &st);
    for (unsigned i = 0; i < LOOKUPS; i++) {
        char term[16];
        bool found;
        gs_status_clear(&st);
        const int n = snprintf(term, sizeof term, "word%u",
                               (unsigned)(check_random(state) % WORDS));
        if (gs_term_cursor_find(terms, term, (size_t)n, &found, &st) == GS_OK)
            good++;
        else
            bad += names_page(&st, GS_INDEX_TERMS, page);
    }
    CHECK(good > LOOKUPS / 4 && bad > 0 && good + bad == LOOKUPS);
    gs_term_cursor_free(terms);
    gs_index_close(index);
    flip(GS_INDEX_TERMS, 8 * page * GS_SUM_PAGE_BYTES + 100);
}

int main(void)
{
    uint64_t state = check_seed(7);
    gs_status st = {.code = GS_OK};
    gs_index_header h;
    check_writer(&state);
    build_index(&state);
    REQUIRE_OK(gs_index_header_read(&h, "index", &st), &st);
    for (int file = 0; file < GS_INDEX_SUMS; file++)
        flip_pages((gs_index_file)file, h.file_bytes[file], &state);
    flip_sum(h.file_bytes[GS_INDEX_TERMS], &state);
    check_lookups(h.file_bytes[GS_INDEX_TERMS], &state);
    check_verify();
    gs_index_header_release(&h);
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures != 0;
}
