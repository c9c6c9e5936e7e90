/* SPDX-License-Identifier: MIT */
/*
 * index_writer and index_reader: what goes in must come out, however it was cut into
 * parts, with the same bytes; and an index with damaged bytes must give errors or other
 * answers, never a crash or a read outside of its files (run under asan).
 */
#define CHECK_STARTS_THREADS

#include "lib/index/write/index_writer.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/folder/index_folder.h"
#include "lib/index/read/index_documents.h"
#include "lib/index/read/index_text.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/posting_list.h"
#include "lib/index/read/term_cursor.h"
#include "tests/check.h"

enum { TERMS = 400, DOCS = 30000, MUTATIONS = 400, PATH_BYTES = 200 };

typedef struct term_data {
    char text[64];
    size_t bytes, df;
    uint64_t *docs;
    uint32_t *tfs, *positions;
} term_data;

static term_data terms[TERMS];
static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-index-XXXXXX";

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static void *allocate(size_t bytes)
{
    void *const memory = malloc(bytes > 0 ? bytes : 1);
    REQUIRE(memory != NULL);
    return memory;
}

/* Terms that share their first eight bytes and more, lists of every length around the
 * block's, documents close and far. */
static void make_terms(void)
{
    static const size_t sizes[] = {1, 2, 127, 128, 129, 255, 256, 257, 1000};
    for (size_t t = 0; t < TERMS; t++) {
        term_data *const d = &terms[t];
        d->bytes = (size_t)sprintf(d->text, "%s%05zu", t < 200 ? "abcdefgh" : "z", t);
        d->df = t % 4 == 0 ? sizes[below(9)] : 1 + below(40);
        d->docs = allocate(d->df * sizeof *d->docs);
        d->tfs = allocate(d->df * sizeof *d->tfs);
        d->positions = allocate(d->df * 40 * sizeof *d->positions);
        uint64_t doc = below(5);
        size_t places = 0;
        for (size_t i = 0; i < d->df; i++) {
            d->docs[i] = doc;
            doc += 1 + below(t % 3 ? 3 : 25);
            d->tfs[i] = (uint32_t)(below(3) ? 1 : 1 + below(40));
            uint32_t position = (uint32_t)below(10);
            for (uint32_t k = 0; k < d->tfs[i]; k++) {
                d->positions[places++] = position;
                position += (uint32_t)(1 + below(300));
            }
        }
        REQUIRE(doc < DOCS);
    }
}

static void free_terms(void)
{
    for (size_t t = 0; t < TERMS; t++) {
        free(terms[t].docs);
        free(terms[t].tfs);
        free(terms[t].positions);
    }
}

static void write_term(gs_index_part *part, const term_data *d)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_index_part_term(part, d->text, d->bytes, &st), &st);
    size_t places = 0;
    for (size_t at = 0; at < d->df;) {
        const size_t n = at + 50 < d->df ? 50 : d->df - at;
        REQUIRE_OK(gs_index_part_postings(part, d->docs + at, d->tfs + at, n,
                                          d->positions + places, &st),
                   &st);
        for (size_t i = at; i < at + n; i++)
            places += d->tfs[i];
        at += n;
    }
}

static void write_index(const char *folder, unsigned parts)
{
    gs_status st = {.code = GS_OK};
    const gs_index_writer_options options = {.folder = folder,
                                             .has_positions = true,
                                             .has_documents = true,
                                             .memory_bytes = 1 << 20,
                                             .part_count = parts,
                                             .tokenizer = "{\"fold\": true}"};
    gs_index_writer *w = NULL;
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    for (uint64_t doc = 0; doc < DOCS; doc++) {
        char name[32];
        const int n = sprintf(name, "doc-%llu", (unsigned long long)doc * 7);
        REQUIRE_OK(gs_index_writer_document(w, name, (size_t)n, (uint32_t)doc % 90, &st),
                   &st);
    }
    for (unsigned i = 0; i < parts; i++) {
        gs_index_part *part = NULL;
        REQUIRE_OK(gs_index_part_new(&part, w, i, &st), &st);
        for (size_t t = TERMS * i / parts; t < TERMS * (i + 1) / parts; t++)
            write_term(part, &terms[t]);
        REQUIRE_OK(gs_index_part_finish(part, &st), &st);
        gs_index_part_free(part);
    }
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_writer_free(w);
}

static uint8_t *read_file(const char *folder, const char *name, size_t *bytes)
{
    char path[PATH_BYTES];
    struct stat info;
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    const int fd = open(path, O_RDONLY);
    REQUIRE(fd >= 0 && fstat(fd, &info) == 0);
    uint8_t *const data = allocate((size_t)info.st_size);
    REQUIRE(read(fd, data, (size_t)info.st_size) == info.st_size);
    (void)close(fd);
    *bytes = (size_t)info.st_size;
    return data;
}

/* --- the same again ---------------------------------------------------------------- */

static void same_postings(const gs_index *index, const term_data *d,
                          const gs_term_info *info)
{
    gs_status st = {.code = GS_OK};
    gs_posting_list c = {0};
    size_t at = 0, places = 0;
    REQUIRE_OK(gs_posting_list_start(&c, index, info, &st), &st);
    for (;;) {
        REQUIRE_OK(gs_posting_list_block(&c, &st), &st);
        if (c.count == 0)
            break;
        REQUIRE(at + c.count <= d->df);
        for (size_t i = 0; i < c.count; i++, at++) {
            CHECK(c.docs[i] == d->docs[at] && c.tfs[i] == d->tfs[at]);
            REQUIRE_OK(gs_posting_list_positions(&c, i, &st), &st);
            CHECK(memcmp(c.positions, d->positions + places,
                         d->tfs[at] * sizeof *c.positions) == 0);
            places += d->tfs[at];
        }
    }
    CHECK(at == d->df);
    /* A seek finds any document, with the positions of its block. */
    const size_t wanted = below(d->df);
    REQUIRE_OK(gs_posting_list_start(&c, index, info, &st), &st);
    REQUIRE_OK(gs_posting_list_seek(&c, d->docs[wanted], &st), &st);
    CHECK(c.doc == d->docs[wanted] && gs_posting_list_tf(&c, c.at) == d->tfs[wanted]);
    for (size_t i = 0, first = 0; i < c.count; i++) {
        REQUIRE_OK(gs_posting_list_positions(&c, i, &st), &st);
        if (i == 0)
            while (d->docs[first] != c.docs[0])
                first++;
        CHECK(c.position_count == d->tfs[first + i]);
    }
    gs_posting_list_release(&c);
}

static void comes_back(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_cursor *c = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    REQUIRE_OK(gs_index_verify(index, NULL, &st), &st);
    CHECK(strcmp(gs_index_header_of(index)->tokenizer, "{\"fold\": true}") == 0);
    REQUIRE_OK(gs_term_cursor_new(&c, index, &st), &st);
    size_t t = 0;
    REQUIRE_OK(gs_term_cursor_first(c, &st), &st);
    for (; c->has_term; t++) {
        REQUIRE(t < TERMS && c->bytes == terms[t].bytes);
        CHECK(memcmp(c->term, terms[t].text, c->bytes) == 0);
        same_postings(index, &terms[t], &c->info);
        REQUIRE_OK(gs_term_cursor_next(c, &st), &st);
    }
    CHECK(t == TERMS);
    for (t = 0; t < TERMS; t++) {
        bool found = false;
        REQUIRE_OK(gs_term_cursor_find(c, terms[t].text, terms[t].bytes, &found, &st),
                   &st);
        CHECK(found && c->info.df == terms[t].df);
        REQUIRE_OK(gs_term_cursor_find(c, terms[t].text, terms[t].bytes - 1, &found, &st),
                   &st);
        CHECK(!found);
    }
    for (unsigned i = 0; i < 300; i++) {
        const uint64_t doc = below(DOCS);
        gs_document_name name = {0};
        uint32_t length = 0;
        char want[32];
        const int n = sprintf(want, "doc-%llu", (unsigned long long)doc * 7);
        REQUIRE_OK(gs_index_document_name(index, doc, &name, &st), &st);
        REQUIRE_OK(gs_index_document_length(index, doc, &length, &st), &st);
        CHECK(name.bytes == (size_t)n && memcmp(name.text, want, name.bytes) == 0);
        CHECK(length == doc % 90);
        gs_document_name_release(&name);
    }
    gs_term_cursor_free(c);
    gs_index_close(index);
}

static void parts_do_not_matter(const char *one, const char *five)
{
    static const char *const names[] = {"terms", "postings", "positions", "documents",
                                        "header.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t a_bytes, b_bytes;
        uint8_t *const a = read_file(one, names[i], &a_bytes);
        uint8_t *const b = read_file(five, names[i], &b_bytes);
        CHECK(a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0);
        free(a);
        free(b);
    }
}

/* --- damage ------------------------------------------------------------------------ */

static gs_code drop_text(void *context, const void *data, size_t bytes, gs_status *st)
{
    (void)data;
    *(uint64_t *)context += bytes;
    return st->code;
}

/* Reads all there is; any answer will do. */
static void read_everything(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_text_out out = {0};
    uint64_t bytes = 0;
    if (gs_index_open(&index, folder, &st) == GS_OK &&
        gs_text_out_open(&out, drop_text, &bytes, &st) == GS_OK)
        GS_NOTED(gs_index_dump(index, true, &out, NULL, &st));
    gs_text_out_release(&out);
    for (unsigned i = 0; index != NULL && i < 40; i++) {
        gs_status ignored = {.code = GS_OK};
        gs_document_name name = {0};
        gs_term_cursor *c = NULL;
        bool found;
        GS_NOTED(gs_index_document_name(index, below(DOCS), &name, &ignored));
        gs_document_name_release(&name);
        REQUIRE_OK(gs_term_cursor_new(&c, index, &st), &st);
        const term_data *const d = &terms[below(TERMS)];
        gs_status_clear(&ignored);
        GS_NOTED(gs_term_cursor_find(c, d->text, d->bytes, &found, &ignored));
        gs_term_cursor_free(c);
        gs_status_clear(&st);
    }
    gs_index_close(index);
}

static void damage_gives_errors(const char *folder)
{
    static const char *const names[] = {"terms", "postings", "positions", "documents"};
    for (unsigned m = 0; m < check_often(MUTATIONS); m++) {
        char path[PATH_BYTES];
        size_t bytes;
        const char *const name = names[below(4)];
        uint8_t *const good = read_file(folder, name, &bytes);
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
        const size_t at = below(4) ? below(bytes) : below(bytes < 200 ? bytes : 200);
        uint8_t bad[8];
        const size_t n = 1 + below(bytes - at < 8 ? bytes - at : 8);
        for (size_t i = 0; i < n; i++)
            bad[i] = below(2) ? 0xff : (uint8_t)check_random(&state);
        const int fd = open(path, O_RDWR);
        REQUIRE(fd >= 0);
        REQUIRE(pwrite(fd, bad, n, (off_t)at) == (ssize_t)n);
        read_everything(folder);
        if (memcmp(bad, good + at, n) != 0) {
            gs_status st = {.code = GS_OK};
            gs_index *index = NULL;
            if (gs_index_open(&index, folder, &st) == GS_OK)
                CHECK(gs_index_verify(index, NULL, &st) == GS_ERR_FORMAT);
            CHECK(st.code == GS_ERR_FORMAT);
            gs_index_close(index);
        }
        REQUIRE(pwrite(fd, good + at, n, (off_t)at) == (ssize_t)n);
        (void)close(fd);
        free(good);
    }
}

/* The header has no other file that vouches for it: any bit of it counts. */
static void damaged_header_is_refused(const char *folder)
{
    char path[PATH_BYTES + 16];
    size_t bytes;
    uint8_t *const text = read_file(folder, "header.json", &bytes);
    (void)snprintf(path, sizeof path, "%s/header.json", folder);
    const int fd = open(path, O_RDWR);
    REQUIRE(fd >= 0);
    const size_t step = check_is_long() ? 1 : 11; /* every bit of a byte, in time */
    for (size_t i = 0; i < 8 * bytes; i += step) {
        const uint8_t bad = text[i / 8] ^ (uint8_t)(1u << i % 8);
        REQUIRE(pwrite(fd, &bad, 1, (off_t)(i / 8)) == 1);
        gs_status st = {.code = GS_OK};
        gs_index *index = NULL;
        CHECK(gs_index_open(&index, folder, &st) == GS_ERR_FORMAT);
        gs_index_close(index);
        REQUIRE(pwrite(fd, text + i / 8, 1, (off_t)(i / 8)) == 1);
    }
    (void)close(fd);
    free(text);
}

/* What is out of order is refused, and nothing is left of it. */
static void disorder_is_refused(const char *folder)
{
    gs_status st = {.code = GS_OK};
    const gs_index_writer_options options = {
        .folder = folder, .memory_bytes = 1 << 20, .part_count = 1};
    gs_index_writer *w = NULL;
    gs_index_part *part = NULL;
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    REQUIRE_OK(gs_index_writer_set_document_count(w, 10, &st), &st);
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    REQUIRE_OK(gs_index_part_term(part, "b", 1, &st), &st);
    const uint64_t docs[] = {3, 3}, far[] = {10};
    const uint32_t tfs[] = {1, 1}, zero[] = {0};
    CHECK(gs_index_part_postings(part, docs, tfs, 2, NULL, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    CHECK(gs_index_part_postings(part, far, tfs, 1, NULL, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    CHECK(gs_index_part_postings(part, docs + 1, zero, 1, NULL, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    CHECK(gs_index_part_term(part, "a", 1, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    CHECK(gs_index_part_term(part, "b", 1, &st) == GS_ERR_ARG);
    gs_status_clear(&st);
    CHECK(gs_index_part_term(part, "", 0, &st) == GS_ERR_ARG);
    gs_index_part_free(part);
    gs_index_writer_free(w);
    CHECK(access(folder, F_OK) != 0);
}

/* Does the commit of a folder with that name fail, and leave nothing behind? */
static void commit_is_refused(gs_index_folder *f)
{
    gs_status st = {.code = GS_OK};
    CHECK(gs_index_folder_commit(f, &st) == GS_ERR_IO);
    gs_index_folder_close(f);
    CHECK(access(f->temporary, F_OK) != 0);
}

static void make_file(const char *folder)
{
    char path[PATH_BYTES + 16];
    (void)snprintf(path, sizeof path, "%s/other", folder);
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    REQUIRE(fd >= 0 && close(fd) == 0);
}

static void has_file(const char *folder)
{
    char path[PATH_BYTES + 16];
    (void)snprintf(path, sizeof path, "%s/other", folder);
    CHECK(unlink(path) == 0);
}

/* What takes the name while the index is made, or comes into the one to be replaced, is
 * neither lost nor moved. */
static void what_came_meanwhile_stays(const char *none, const char *index)
{
    gs_status st = {.code = GS_OK};
    gs_index_folder f;
    REQUIRE_OK(gs_index_folder_open(&f, none, false, NULL, &st), &st);
    REQUIRE(mkdir(none, 0700) == 0);
    make_file(none);
    commit_is_refused(&f);
    has_file(none);
    REQUIRE(rmdir(none) == 0);
    REQUIRE_OK(gs_index_folder_open(&f, index, true, NULL, &st), &st);
    make_file(index);
    commit_is_refused(&f);
    has_file(index);
    /* Another index is no better, unless it is to be replaced. */
    REQUIRE_OK(gs_index_folder_open(&f, none, false, NULL, &st), &st);
    REQUIRE(rename(index, none) == 0);
    commit_is_refused(&f);
    comes_back(none);
    REQUIRE(rename(none, index) == 0);
    /* The one to be replaced has gone: that is no loss. */
    REQUIRE_OK(gs_index_folder_open(&f, index, true, NULL, &st), &st);
    REQUIRE(rename(index, none) == 0);
    REQUIRE_OK(gs_index_folder_commit(&f, &st), &st);
    REQUIRE(rmdir(index) == 0 && rename(none, index) == 0);
}

int main(void)
{
    char one[PATH_BYTES], five[PATH_BYTES], none[PATH_BYTES], command[PATH_BYTES];
    state = check_seed(12);
    REQUIRE(mkdtemp(scratch) != NULL);
    (void)snprintf(one, sizeof one, "%s/one", scratch);
    (void)snprintf(five, sizeof five, "%s/five", scratch);
    (void)snprintf(none, sizeof none, "%s/none", scratch);
    make_terms();
    write_index(one, 1);
    write_index(five, 5);
    comes_back(one);
    parts_do_not_matter(one, five);
    damage_gives_errors(five);
    damaged_header_is_refused(five);
    comes_back(five);
    disorder_is_refused(none);
    what_came_meanwhile_stays(none, five);
    comes_back(five);
    free_terms();
    (void)snprintf(command, sizeof command, "rm -rf %s", scratch);
    CHECK(system(command) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
