/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * Everything that reads an index against any folder: no crash, no leak, no hang; and what
 * verify calls good must be readable whole, give the same answers whether a search leaves
 * out what it can or nothing, and a good index when it is merged with itself or its
 * documents are put in another order.
 *
 *      flags u8 | documents, terms, postings, tokens, u32 each
 *               | bytes of terms, postings, positions, texts, u16 each
 *               | the files: terms, postings, positions, texts, documents
 *
 * The header and the sums of pages are made from this, with checksums that are right, so
 * that damage is met behind them. Flags: 1 positions, 2 names, 4 merge shifts docIDs and
 * searches want all words, 8 docIDs were bounded by nothing, 16 texts, 32 impacts.
 * tests/fuzz_seeds/make_index_seeds.py packs indexes so.
 */
/* clang-format on */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/exchange/ciff_write.h"
#include "lib/index/folder/index_file_writer.h"
#include "lib/index/merge/index_merger.h"
#include "lib/index/query/queries.h"
#include "lib/index/read/index_text.h"
#include "lib/index/read/index_verify.h"
#include "lib/index/read/posting_list.h"
#include "lib/index/read/text_reader.h"
#include "lib/index/reorder/index_reorder.h"
#include "tests/check.h"
#include "tests/scratch_folder.h"

enum {
    HEAD_BYTES = 25,
    TEXT_BYTES_MAX = 1 << 20,
    POSTINGS_MAX = 1 << 16,
    SUMS_BYTES_MAX = 1 << 16, /* of files of 64 MiB */
    PATH_BYTES = 80
};

static char folder[SCRATCH_FOLDER_BYTES];
static char merged[PATH_BYTES + 8];
static bool was_good; /* the last one, as verify says: test_index_seeds asks */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

static void clean_up(void)
{
    char path[2 * PATH_BYTES];
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, gs_index_file_names[i]);
        (void)unlink(path);
    }
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_HEADER_NAME);
    (void)unlink(path);
    (void)rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    scratch_folder_new(folder);
    (void)snprintf(merged, sizeof merged, "%s.merged", folder);
    return atexit(clean_up);
}

/* --- the folder -------------------------------------------------------------------- */

static uint32_t get(const uint8_t *from, size_t bytes)
{
    uint32_t x = 0;
    memcpy(&x, from, bytes);
    return x;
}

static void write_file(gs_index_header *h, gs_index_file file, const uint8_t *data,
                       size_t bytes)
{
    char path[2 * PATH_BYTES];
    (void)snprintf(path, sizeof path, "%s/%s", folder, gs_index_file_names[file]);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    (void)close(fd);
    h->file_bytes[file] = bytes;
    gs_status st = {.code = GS_OK};
    REQUIRE(gs_file_checksum(&h->file_sums[file], data, bytes, NULL, NULL, &st) == GS_OK);
}

/* The last file, with the slack. */
static void write_sums(gs_index_header *h, const gs_page_sums *sums)
{
    uint8_t file[SUMS_BYTES_MAX] = {0};
    const size_t bytes = sums->count * sizeof *sums->sums;
    REQUIRE(bytes + GS_INDEX_SLACK <= sizeof file);
    if (bytes > 0)
        memcpy(file, sums->sums, bytes);
    write_file(h, GS_INDEX_SUMS, file, bytes + GS_INDEX_SLACK);
}

static void write_folder(const uint8_t *data, size_t size)
{
    char path[2 * PATH_BYTES];
    gs_status st = {.code = GS_OK};
    gs_index_header h = {
        .documents = get(data + 1, 4),
        .doc_bound = (data[0] & 8) != 0 ? GS_INDEX_DOCS_MAX : get(data + 1, 4),
        .terms = get(data + 5, 4),
        .postings = get(data + 9, 4),
        .tokens = get(data + 13, 4),
        .length_sum = get(data + 13, 4),
        .has_positions = (data[0] & 1) != 0,
        .has_names = (data[0] & 2) != 0,
        .has_texts = (data[0] & 16) != 0,
        .has_impacts = (data[0] & 32) != 0,
    };
    static const gs_index_file order[] = {GS_INDEX_TERMS, GS_INDEX_POSTINGS,
                                          GS_INDEX_POSITIONS, GS_INDEX_TEXTS,
                                          GS_INDEX_DOCUMENTS};
    _Static_assert(sizeof order / sizeof *order == GS_INDEX_SUMS, "all but the sums");
    const uint8_t *p = data + HEAD_BYTES, *const end = data + size;
    const uint8_t *files[GS_INDEX_SUMS];
    gs_page_sums sums = {0};
    for (int i = 0; i < GS_INDEX_SUMS; i++) {
        size_t n = (size_t)(end - p);
        if (order[i] != GS_INDEX_DOCUMENTS && get(data + 17 + 2 * i, 2) < n)
            n = get(data + 17 + 2 * i, 2);
        write_file(&h, order[i], p, n);
        files[order[i]] = p;
        p += n;
    }
    for (int i = 0; i < GS_INDEX_SUMS; i++) {
        if (gs_index_header_has(&h, (gs_index_file)i))
            REQUIRE(gs_page_sums_add(&sums, files[i], h.file_bytes[i], &st) == GS_OK);
    }
    write_sums(&h, &sums);
    gs_page_sums_release(&sums);
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_HEADER_NAME);
    (void)unlink(path);
    REQUIRE(gs_index_header_write(&h, folder, &st) == GS_OK);
}

/* --- reading ----------------------------------------------------------------------- */

/* Takes some text, and then wants no more. */
static gs_code count_text(void *context, const void *data, size_t bytes, gs_status *st)
{
    size_t *const text = context;
    (void)data;
    *text += bytes;
    return *text > TEXT_BYTES_MAX ? GS_FAIL(st, GS_ERR_CANCELLED, 0, "enough") : st->code;
}

static gs_code dump(const gs_index *index, bool positions)
{
    gs_status st = {.code = GS_OK};
    gs_text_out out = {0};
    size_t text = 0;
    REQUIRE(gs_text_out_open(&out, count_text, &text, &st) == GS_OK);
    GS_NOTED(gs_index_dump(index, positions, &out, NULL, &st));
    gs_text_out_release(&out);
    return st.code;
}

static void export(const gs_index *index)
{
    gs_status st = {.code = GS_OK};
    gs_text_out out = {0};
    size_t text = 0;
    if (gs_index_header_of(index)->documents > POSTINGS_MAX)
        return;
    REQUIRE(gs_text_out_open(&out, count_text, &text, &st) == GS_OK);
    GS_NOTED(gs_ciff_write(index, &out, NULL, &st));
    gs_text_out_release(&out);
}

static void seek_postings(const gs_term_cursor *term)
{
    gs_posting_list c = {0};
    gs_status st = {.code = GS_OK};
    GS_NOTED(gs_posting_list_start(&c, term->index, &term->info, &st));
    for (uint64_t doc = 0; st.code == GS_OK && doc < 1 << 12; doc = 3 * doc + 100) {
        if (gs_posting_list_seek(&c, doc, &st) == GS_OK && c.count > 0 &&
            c.next_places != NULL)
            GS_NOTED(gs_posting_list_positions(&c, 0, &st));
    }
    gs_posting_list_release(&c);
}

static void look_up(const gs_index *index, const uint8_t *data, size_t size)
{
    gs_term_cursor *c = NULL;
    gs_status st = {.code = GS_OK};
    gs_text_out out = {0};
    size_t text = 0;
    REQUIRE(gs_term_cursor_new(&c, index, &st) == GS_OK &&
            gs_text_out_open(&out, count_text, &text, &st) == GS_OK);
    for (size_t at = HEAD_BYTES; at + 8 < size && at < 200; at += 13) {
        gs_status ignored = {.code = GS_OK};
        if (gs_term_cursor_seek(c, data + at, 1 + at % 8, &ignored) == GS_OK)
            GS_NOTED(gs_index_lookup_sought(c, data + at, 1 + at % 8, GS_LOOKUP_JSON,
                                            &out, &ignored));
        if (c->has_term)
            seek_postings(c);
    }
    gs_text_out_release(&out);
    gs_term_cursor_free(c);
}

static void read_documents(const gs_index *index)
{
    const uint64_t count = gs_index_header_of(index)->documents;
    const uint64_t some[] = {0, 1, 15, 16, count / 2, count - 1, count, UINT64_MAX};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        gs_document_name name = {0};
        uint32_t length;
        gs_status st = {.code = GS_OK};
        if (gs_index_document_name(index, some[i], &name, &st) == GS_OK &&
            gs_index_document_length(index, some[i], &length, &st) == GS_OK)
            REQUIRE(some[i] < count);
        gs_document_name_release(&name);
    }
}

/* Whole, or up to where it cannot be read. */
static void read_text(gs_text_reader *r, uint64_t doc, bool is_good)
{
    gs_status st = {.code = GS_OK};
    gs_text_span piece = {NULL, 0};
    uint64_t bytes, text = 0;
    if (gs_text_reader_begin(r, doc, &bytes, &st) == GS_OK) {
        do {
            text += piece.bytes;
            GS_NOTED(gs_text_reader_next(r, &piece, &st));
        } while (st.code == GS_OK && piece.bytes > 0 && text < TEXT_BYTES_MAX);
        REQUIRE(st.code != GS_OK || text == bytes || text >= TEXT_BYTES_MAX);
    }
    REQUIRE(!is_good || st.code == GS_OK);
}

static void read_texts(const gs_index *index, bool is_good)
{
    gs_status st = {.code = GS_OK};
    gs_text_reader *r = NULL;
    const uint64_t count = gs_index_header_of(index)->documents;
    const uint64_t some[] = {0, 1, count / 2, count - 1, count};
    if (!gs_index_header_of(index)->has_texts)
        return;
    REQUIRE(gs_text_reader_new(&r, index, 1, &st) == GS_OK);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        read_text(r, some[i], is_good && some[i] < count);
    gs_text_reader_free(r);
}

/* --- searching --------------------------------------------------------------------- */

/* The first terms, as words of a query. */
static size_t make_query(const gs_index *index, char *text, size_t room)
{
    gs_status st = {.code = GS_OK};
    gs_term_cursor *c = NULL;
    size_t bytes = 0;
    REQUIRE(gs_term_cursor_new(&c, index, &st) == GS_OK);
    GS_NOTED(gs_term_cursor_first(c, &st));
    for (unsigned i = 0; i < 4 && st.code == GS_OK && c->has_term; i++) {
        if (c->bytes + 1 > room - bytes)
            break;
        memcpy(text + bytes, c->term, c->bytes);
        bytes += c->bytes;
        text[bytes++] = ' ';
        GS_NOTED(gs_term_cursor_next(c, &st));
    }
    gs_term_cursor_free(c);
    return bytes;
}

static gs_code ask(const gs_index *index, bool needs_all, bool is_exhaustive,
                   const char *text, size_t bytes, gs_top_docs *top)
{
    gs_status st = {.code = GS_OK};
    gs_searcher *s = NULL;
    gs_search_options options = {.k1 = 1.2,
                                 .b = 0.75,
                                 .limit = 3,
                                 .needs_all = needs_all,
                                 .is_plain = true,
                                 .is_exhaustive = is_exhaustive};
    REQUIRE(gs_doc_presence_new(&options.presence, index, &st) == GS_OK);
    REQUIRE(gs_searcher_new(&s, index, NULL, &options, &st) == GS_OK);
    GS_NOTED(gs_searcher_rank(s, text, bytes, top, &st));
    gs_searcher_free(s);
    gs_doc_presence_free(options.presence);
    return st.code;
}

static void search(const gs_index *index, bool needs_all, bool is_good)
{
    static char text[4096];
    gs_top_docs fast = {0}, slow = {0};
    const size_t bytes = make_query(index, text, sizeof text);
    const gs_code one = ask(index, needs_all, false, text, bytes, &fast);
    const gs_code other = ask(index, needs_all, true, text, bytes, &slow);
    REQUIRE(!is_good || one == other);
    if (is_good && one == GS_OK)
        REQUIRE(fast.count == slow.count &&
                (fast.count == 0 ||
                 memcmp(fast.docs, slow.docs, fast.count * sizeof *fast.docs) == 0));
    gs_top_docs_release(&fast);
    gs_top_docs_release(&slow);
}

/* Of the first terms, in the first documents. */
static void make_snippets(const gs_index *index, bool is_good)
{
    static char text[4096];
    static gs_word_rules *rules;
    gs_status st = {.code = GS_OK};
    gs_snippet_maker *m = NULL;
    gs_snippet snippet;
    const gs_search_options options = {.limit = 1, .is_plain = true};
    const gs_word_rules_options words = {.is_folding = true};
    if (!gs_index_header_of(index)->has_texts)
        return;
    if (rules == NULL)
        REQUIRE(gs_word_rules_new(&rules, &words, &st) == GS_OK);
    const size_t bytes = make_query(index, text, sizeof text);
    REQUIRE(gs_snippet_maker_new(&m, index, rules, &options, &st) == GS_OK);
    if (gs_snippet_maker_query(m, text, bytes, &st) == GS_OK) {
        for (uint64_t doc = 0; doc < 8 && st.code == GS_OK; doc++) {
            GS_NOTED(gs_snippet_make(m, doc, &snippet, &st));
            REQUIRE(st.code != GS_OK || gs_utf8_is_valid(snippet.text, snippet.bytes));
            if (doc + 1 >= gs_index_header_of(index)->documents)
                break;
        }
        REQUIRE(!is_good || st.code == GS_OK ||
                gs_index_header_of(index)->documents == 0);
    }
    gs_snippet_maker_free(m);
}

/* --- merging ----------------------------------------------------------------------- */

static void remove_merged(void)
{
    char path[2 * PATH_BYTES];
    for (int i = 0; i <= GS_INDEX_FILE_COUNT; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", merged,
                       i < GS_INDEX_FILE_COUNT ? gs_index_file_names[i]
                                               : GS_INDEX_HEADER_NAME);
        (void)unlink(path);
    }
    REQUIRE(rmdir(merged) == 0);
}

static void merge(const gs_index_header *h, bool shifts, bool is_good)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    const char *const inputs[] = {folder, folder};
    const gs_index_merge_options options = {
        .folder = merged,
        .inputs = inputs,
        .input_count = 2,
        .ids = shifts ? GS_MERGE_IDS_SHIFT : GS_MERGE_IDS_AUTO,
        .memory_bytes = 1,
        .threads = 1,
    };
    const gs_code code = gs_index_merge(&options, &st);
    if (code != GS_OK) {
        REQUIRE(access(merged, F_OK) != 0);
        /* Docs without names keep their numbers: frequencies may add up to too much. */
        REQUIRE(!is_good || code == GS_ERR_LIMIT ||
                (code == GS_ERR_ARG && h->has_positions && !h->has_names));
        return;
    }
    REQUIRE(gs_index_open(&index, merged, &st) == GS_OK);
    const gs_code verified = gs_index_verify(index, NULL, &st);
    REQUIRE(!is_good || verified == GS_OK);
    gs_index_close(index);
    remove_merged();
}

static void reorder(const gs_index_header *h, bool is_good)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    const gs_index_reorder_options options = {
        .folder = merged, .input = folder, .memory_bytes = 1, .threads = 1};
    if (gs_index_reorder(&options, &st) != GS_OK) {
        REQUIRE(access(merged, F_OK) != 0);
        REQUIRE(!is_good || !h->has_names);
        return;
    }
    REQUIRE(gs_index_open(&index, merged, &st) == GS_OK);
    const gs_code verified = gs_index_verify(index, NULL, &st);
    REQUIRE(!is_good || verified == GS_OK);
    gs_index_close(index);
    remove_merged();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    was_good = false;
    if (size < HEAD_BYTES)
        return 0;
    write_folder(data, size);
    if (gs_index_open(&index, folder, &st) != GS_OK)
        return 0;
    const gs_index_header h = *gs_index_header_of(index);
    const gs_code dumped = dump(index, h.has_positions);
    const bool is_good = was_good = gs_index_verify(index, NULL, &st) == GS_OK;
    REQUIRE(!is_good || dumped == GS_OK || dumped == GS_ERR_CANCELLED);
    look_up(index, data, size);
    read_documents(index);
    read_texts(index, is_good);
    export(index);
    search(index, (data[0] & 4) != 0, is_good);
    make_snippets(index, is_good);
    gs_index_close(index);
    /* What is bad is merged now and then: it makes files, and fails early mostly. */
    if ((is_good && h.postings < POSTINGS_MAX) || size % 8 == 0) {
        merge(&h, (data[0] & 4) != 0, is_good);
        reorder(&h, is_good);
    }
    return 0;
}
