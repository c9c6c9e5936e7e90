/* SPDX-License-Identifier: MIT */
/*
 * Sums of pages: the writer makes them of what it wrote, in whatever pieces it came, and
 * whoever touches a page with a flipped bit is told which one it is; nobody else is.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/index/read/document_cursor.h"
#include "lib/index/folder/index_file_writer.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/text_reader.h"
#include "lib/index/query/searcher.h"
#include "lib/index/lookup/term_batch.h"
#include "tests/check.h"
#include "tests/index_of_documents.h"

enum { DOCS = 20007, WORDS = 4000, FILE_MAX = 4 << 20, PATH_BYTES = 64 };

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

/* However this processor makes it, a sum is what the format says. */
static void check_sum_itself(uint64_t *state)
{
    for (size_t i = 0; i < GS_SUM_PAGE_BYTES; i++)
        data[i] = (uint8_t)check_random(state);
    for (size_t bytes = 0; bytes <= GS_SUM_PAGE_BYTES; bytes += bytes < 600 ? 1 : 23)
        CHECK(gs_page_sum(data, bytes) == (uint32_t)XXH3_64bits(data, bytes));
    CHECK(gs_page_sum(data, GS_SUM_PAGE_BYTES) ==
          (uint32_t)XXH3_64bits(data, GS_SUM_PAGE_BYTES));
}

/* --- the reader -------------------------------------------------------------------- */

static void build_index(uint64_t *state)
{
    static const char documents[] = "docs.jsonl";
    FILE *const docs = fopen(documents, "w");
    REQUIRE(docs != NULL);
    for (unsigned i = 0; i < DOCS; i++) {
        (void)fprintf(docs, "{\"id\":\"name%u\",\"contents\":\"", i);
        for (uint64_t k = 1 + check_random(state) % 8; k > 0; k--)
            (void)fprintf(docs, "word%u ", (unsigned)(check_random(state) % WORDS));
        for (uint64_t k = check_random(state) % 100; k > 50; k--)
            (void)fputs("often ", docs);
        (void)fprintf(docs, "z%05u", i);
        (void)fputs("\"}\n", docs);
    }
    REQUIRE(fclose(docs) == 0);
    index_of_documents("index", documents);
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

/* The sum of a page that holds: a reader that touches that is told of the sums, and
 * others of nothing.
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

/* --- by whom ----------------------------------------------------------------------- */

typedef gs_code use_fn(const gs_index *index, gs_status *st);

static gs_code find(const gs_index *index, const char *word, gs_term_info *info,
                    gs_status *st)
{
    gs_term_cursor *terms = NULL;
    bool found = false;
    GS_TRY(gs_term_cursor_new(&terms, index, st));
    GS_NOTED(gs_term_cursor_find(terms, word, strlen(word), &found, st));
    CHECK(found || st->code != GS_OK);
    *info = terms->info;
    gs_term_cursor_free(terms);
    return st->code;
}

static gs_code find_last_term(const gs_index *index, gs_status *st)
{
    char word[16];
    gs_term_info info;
    (void)snprintf(word, sizeof word, "z%05u", DOCS - 1);
    return find(index, word, &info, st);
}

/* About in the middle of the terms: its number is as great as that of all words. */
static gs_code find_middle_term(const gs_index *index, gs_status *st)
{
    gs_term_info info;
    return find(index, "z08000", &info, st);
}

/* So many terms from one on, which all are in the index. */
static gs_code find_together(const gs_index *index, unsigned first, unsigned count,
                             gs_status *st)
{
    gs_term_batch *batch = NULL;
    gs_term_cursor *terms = NULL;
    const gs_term_slice all = {0, count};
    GS_TRY(gs_term_batch_new(&batch, index, st));
    GS_NOTED(gs_term_cursor_new(&terms, index, st));
    for (unsigned i = 0; i < count; i++) {
        char word[16];
        (void)snprintf(word, sizeof word, "z%05u", first + i);
        CHECK(gs_term_batch_add(batch, word, strlen(word)));
    }
    GS_NOTED(gs_term_batch_find_slice(batch, all, st));
    for (size_t i = 0; st->code == GS_OK && i < count; i++) {
        size_t bytes;
        const char *const term = gs_term_batch_term(batch, i, &bytes);
        if (gs_term_batch_seek(batch, all, i, terms, st) == GS_OK)
            CHECK(gs_term_cursor_is_at(terms, term, bytes));
    }
    gs_term_cursor_free(terms);
    gs_term_batch_free(batch);
    return st->code;
}

/* Both in the third quarter of the terms. */
static gs_code find_many(const gs_index *index, gs_status *st)
{
    return find_together(index, 13000, 100, st);
}

static gs_code find_few(const gs_index *index, gs_status *st)
{
    return find_together(index, 13000, 3, st);
}

static gs_code find_block(const gs_index *index, gs_status *st)
{
    const uint8_t *begin = NULL, *end = NULL;
    return gs_index_dictionary_block(index, gs_index_dictionary_blocks(index) / 2, &begin,
                                     &end, st);
}

static gs_code start_skips(const gs_index *index, gs_status *st)
{
    gs_term_info info;
    gs_posting_skips skips;
    GS_TRY(find(index, "often", &info, st));
    return gs_posting_skips_start(&skips, index, &info, st);
}

static gs_code read_postings(const gs_index *index, bool positions, gs_status *st)
{
    gs_term_info info;
    gs_posting_list c = {0};
    GS_TRY(find(index, "often", &info, st));
    GS_NOTED(gs_posting_list_start(&c, index, &info, st));
    do {
        if (st->code == GS_OK)
            GS_NOTED(gs_posting_list_block(&c, st));
        for (size_t i = 0; positions && st->code == GS_OK && i < c.count; i++)
            GS_NOTED(gs_posting_list_positions(&c, i, st));
    } while (st->code == GS_OK && c.count > 0);
    gs_posting_list_release(&c);
    return st->code;
}

static gs_code read_list(const gs_index *index, gs_status *st)
{
    return read_postings(index, false, st);
}

static gs_code read_places(const gs_index *index, gs_status *st)
{
    return read_postings(index, true, st);
}

static gs_code search(const gs_index *index, const char *query, gs_status *st)
{
    gs_word_rules *rules = NULL;
    gs_doc_presence *presence = NULL;
    gs_searcher *searcher = NULL;
    gs_top_docs top = {0};
    gs_search_options options = {
        .k1 = 1.2, .b = 0.75, .limit = 10, .is_exhaustive = true};
    GS_TRY_OR_FAIL(gs_word_rules_read(&rules, gs_index_header_of(index)->tokenizer, st));
    GS_TRY_OR_FAIL(gs_doc_presence_new(&presence, index, st));
    options.presence = presence;
    GS_TRY_OR_FAIL(gs_searcher_new(&searcher, index, rules, &options, st));
    GS_NOTED(gs_searcher_rank(searcher, query, strlen(query), &top, st));
fail:
    gs_top_docs_release(&top);
    gs_searcher_free(searcher);
    gs_doc_presence_free(presence);
    gs_word_rules_free(rules);
    return st->code;
}

static gs_code rank_often(const gs_index *index, gs_status *st)
{
    return search(index, "often", st);
}

static gs_code rank_rare(const gs_index *index, gs_status *st)
{
    return search(index, "z10000", st);
}

static gs_code get_length(const gs_index *index, gs_status *st)
{
    uint32_t length;
    return gs_index_document_length(index, DOCS / 2, &length, st);
}

static gs_code get_name(const gs_index *index, gs_status *st)
{
    gs_document_name name = {0};
    GS_NOTED(gs_index_document_name(index, DOCS / 2, &name, st));
    gs_document_name_release(&name);
    return st->code;
}

static gs_code walk_documents(const gs_index *index, gs_status *st)
{
    gs_document_cursor c;
    GS_TRY(gs_document_cursor_open(&c, index, st));
    do
        GS_NOTED(gs_document_cursor_next(&c, st));
    while (c.has_document);
    gs_document_cursor_close(&c);
    return st->code;
}

/* A bit of a byte is flipped: a reader that needs it is told, and one that does not
 * has its answer. */
static void check_use(const char *name, use_fn *use, gs_index_file file, uint64_t at,
                      bool needs_it)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    flip(file, 8 * at + 3);
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    GS_NOTED(use(index, &st));
    if (needs_it ? !names_page(&st, file, at / GS_SUM_PAGE_BYTES) : st.code != GS_OK) {
        fprintf(stderr, "%s, byte %llu of %s: %s\n", name, (unsigned long long)at,
                gs_index_file_names[file], st.msg);
        check_failures++;
    }
    gs_index_close(index);
    flip(file, 8 * at + 3);
}

/* Of the document that begins in the middle of them. */
static uint32_t text_doc;

static gs_code read_text(const gs_index *index, gs_status *st)
{
    gs_text_reader *r = NULL;
    gs_text_span piece = {0};
    uint64_t bytes = 0;
    GS_TRY(gs_text_reader_new(&r, index, 1, st));
    GS_NOTED(gs_text_reader_begin(r, text_doc, &bytes, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_text_reader_next(r, &piece, st));
    CHECK(st->code != GS_OK || bytes > 0);
    gs_text_reader_free(r);
    return st->code;
}

static gs_index_head read_head(gs_index_file file)
{
    char path[PATH_BYTES];
    gs_index_head head;
    path_of(path, file);
    REQUIRE(read_file(path) > sizeof head);
    memcpy(&head, data, sizeof head);
    return head;
}

static void check_term_uses(void)
{
    const gs_index_head t = read_head(GS_INDEX_TERMS);
    const uint64_t middle = t.blocks / 2 * sizeof(uint64_t);
    const uint64_t group =
        t.offsets + t.blocks / 2 / GS_INDEX_PLACE_GROUP * sizeof(gs_index_places);
    gs_index_places places;
    REQUIRE(t.blocks * sizeof(uint64_t) > 2 * GS_SUM_PAGE_BYTES);
    memcpy(&places, data + group, sizeof places);
    const uint64_t block =
        places.offset + places.behind[t.blocks / 2 % GS_INDEX_PLACE_GROUP];
    const uint64_t last = t.table + (t.blocks - 1) * sizeof(uint64_t);
    check_use("find", find_last_term, GS_INDEX_TERMS, last, true);
    check_use("find", find_last_term, GS_INDEX_TERMS, t.table + middle, true);
    check_use("find", find_last_term, GS_INDEX_TERMS, t.table / 2, false);
    check_use("find", find_middle_term, GS_INDEX_TERMS, t.table + middle, true);
    check_use("find many", find_many, GS_INDEX_TERMS, t.table, true);
    check_use("find many", find_many, GS_INDEX_TERMS, t.table + middle, true);
    check_use("find many", find_many, GS_INDEX_TERMS, t.table / 2, false);
    check_use("find few", find_few, GS_INDEX_TERMS, t.table, false);
    check_use("find few", find_few, GS_INDEX_TERMS, t.table + middle, true);
    check_use("find block", find_block, GS_INDEX_TERMS, group, true);
    check_use("find block", find_block, GS_INDEX_TERMS, block, true);
    check_use("find block", find_block, GS_INDEX_TERMS, t.table, false);
}

static void check_list_uses(void)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_term_info info;
    REQUIRE_OK(gs_index_open(&index, "index", &st), &st);
    REQUIRE_OK(find(index, "often", &info, &st), &st);
    gs_index_close(index);
    REQUIRE(info.postings_bytes > 2 * GS_SUM_PAGE_BYTES && info.skip_bytes > 0 &&
            info.positions_bytes > 2 * GS_SUM_PAGE_BYTES);
    const uint64_t block = info.postings + info.postings_bytes / 2;
    const uint64_t skips = info.postings + info.postings_bytes + info.skip_bytes / 2;
    const uint64_t place = info.positions + info.positions_bytes / 2;
    check_use("skips", start_skips, GS_INDEX_POSTINGS, skips, true);
    check_use("skips", start_skips, GS_INDEX_POSTINGS, block, false);
    check_use("postings", read_list, GS_INDEX_POSTINGS, block, true);
    check_use("postings", read_list, GS_INDEX_POSITIONS, place, false);
    check_use("positions", read_places, GS_INDEX_POSITIONS, place, true);
    check_use("search", rank_often, GS_INDEX_POSTINGS, block, true);
    check_use("search", rank_rare, GS_INDEX_POSTINGS, block, false);
    check_use("search", rank_often, GS_INDEX_POSITIONS, place, false);
}

static void check_document_uses(void)
{
    const gs_index_head d = read_head(GS_INDEX_DOCUMENTS);
    const uint64_t length = sizeof d + DOCS / 2 * sizeof(uint32_t);
    const uint64_t entry = d.table + DOCS / 2 / GS_INDEX_NAME_BLOCK * sizeof(uint64_t);
    uint64_t name;
    memcpy(&name, data + entry, sizeof name);
    check_use("search", rank_often, GS_INDEX_DOCUMENTS, length, true);
    check_use("search", rank_rare, GS_INDEX_DOCUMENTS, length, true);
    check_use("search", rank_rare, GS_INDEX_DOCUMENTS, length / 2, false);
    check_use("search", rank_often, GS_INDEX_DOCUMENTS, d.offsets + name, false);
    check_use("length", get_length, GS_INDEX_DOCUMENTS, length, true);
    check_use("length", get_length, GS_INDEX_DOCUMENTS, entry, false);
    check_use("name", get_name, GS_INDEX_DOCUMENTS, entry, true);
    check_use("name", get_name, GS_INDEX_DOCUMENTS, d.offsets + name, true);
    check_use("name", get_name, GS_INDEX_DOCUMENTS, length / 2, false);
    check_use("documents", walk_documents, GS_INDEX_DOCUMENTS, length, true);
    check_use("documents", walk_documents, GS_INDEX_DOCUMENTS, d.offsets + name, true);
}

static void check_text_uses(void)
{
    const gs_index_head t = read_head(GS_INDEX_TEXTS);
    REQUIRE(t.blocks > 4);
    const uint64_t block = t.blocks / 2, entry = t.table + block * sizeof(gs_text_entry);
    gs_text_entry e;
    memcpy(&e, data + entry, sizeof e);
    text_doc = (uint32_t)e.first_doc;
    REQUIRE(e.offset > 4 * GS_SUM_PAGE_BYTES);
    check_use("text", read_text, GS_INDEX_TEXTS, entry, true);
    check_use("text", read_text, GS_INDEX_TEXTS, t.offsets + e.offset + 100, true);
    check_use("text", read_text, GS_INDEX_TEXTS, t.offsets + e.offset / 2, false);
    check_use("length", get_length, GS_INDEX_TEXTS, t.offsets + e.offset + 100, false);
}

int main(void)
{
    uint64_t state = check_seed(7);
    gs_status st = {.code = GS_OK};
    gs_index_header h;
    check_sum_itself(&state);
    check_writer(&state);
    build_index(&state);
    REQUIRE_OK(gs_index_header_read(&h, "index", &st), &st);
    for (int file = 0; file < GS_INDEX_SUMS; file++)
        flip_pages((gs_index_file)file, h.file_bytes[file], &state);
    flip_sum(h.file_bytes[GS_INDEX_TERMS], &state);
    check_term_uses();
    check_list_uses();
    check_document_uses();
    check_text_uses();
    check_verify();
    gs_index_header_release(&h);
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures != 0;
}
