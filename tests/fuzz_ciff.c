/* SPDX-License-Identifier: MIT */
/*
 * The reader of the Common Index File Format against any bytes: no crash, no leak, no
 * hang; what it gives out is in order and inside its bounds; and a file that it takes
 * makes a good index, which is exported as a file that it takes. The first byte says in
 * what pieces the bytes come.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/exchange/ciff_import.h"
#include "lib/index/exchange/ciff_write.h"
#include "lib/index/read/index_verify.h"
#include "lib/base/utf8.h"
#include "tests/check.h"
#include "tests/scratch_folder.h"

enum { POSTINGS = 100, PATH_BYTES = 64 };

static char folder[SCRATCH_FOLDER_BYTES];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    scratch_folder_new(folder);
    REQUIRE(rmdir(folder) == 0); /* a name nobody has */
    return 0;
}

typedef struct pieces {
    const uint8_t *data;
    size_t left, most;
} pieces;

static gs_code next_piece(void *context, const uint8_t **data, size_t *bytes,
                          gs_status *st)
{
    pieces *const p = context;
    *data = p->data;
    *bytes = p->left < p->most ? p->left : p->most;
    p->data += *bytes;
    p->left -= *bytes;
    return st->code;
}

/* --- what the reader gives out ----------------------------------------------------- */

static gs_code read_postings(gs_ciff_reader *r, uint32_t documents, uint64_t *tokens,
                             gs_status *st)
{
    uint64_t docs[POSTINGS], next = 0, all = 0;
    uint32_t tfs[POSTINGS];
    for (size_t count;;) {
        GS_TRY(gs_ciff_reader_postings(r, docs, tfs, POSTINGS, &count, st));
        if (count == 0)
            break;
        for (size_t i = 0; i < count; i++) {
            REQUIRE(docs[i] >= next && docs[i] < documents);
            REQUIRE(tfs[i] > 0 && tfs[i] <= INT32_MAX);
            next = docs[i] + 1;
            *tokens += tfs[i];
        }
        all += count;
    }
    REQUIRE(all > 0);
    return GS_OK;
}

/* *ascends: terms do, as they must for a strict reader. */
static gs_code read_lists(gs_ciff_reader *r, bool is_strict, bool *ascends, gs_status *st)
{
    static uint8_t last[65536];
    size_t last_bytes = 0;
    uint64_t lists = 0, tokens = 0;
    const gs_ciff_header h = gs_ciff_reader_header(r);
    for (gs_ciff_text term;; lists++) {
        GS_TRY(gs_ciff_reader_list(r, &term, st));
        if (term.bytes == 0)
            break;
        REQUIRE(term.bytes <= 65535 && gs_utf8_is_valid(term.data, term.bytes));
        const size_t common = term.bytes < last_bytes ? term.bytes : last_bytes;
        const int order = memcmp(last, term.data, common);
        *ascends &= order < 0 || (order == 0 && last_bytes < term.bytes);
        REQUIRE(*ascends || !is_strict);
        memcpy(last, term.data, term.bytes);
        last_bytes = term.bytes;
        GS_TRY(read_postings(r, h.documents, &tokens, st));
    }
    uint64_t documents = 0, lengths = 0;
    for (gs_ciff_document d;; documents++) {
        bool has_document;
        GS_TRY(gs_ciff_reader_document(r, &d, &has_document, st));
        if (!has_document)
            break;
        REQUIRE(gs_utf8_is_valid(d.name.data, d.name.bytes));
        lengths += d.length;
    }
    REQUIRE(lists == h.lists && documents == h.documents);
    REQUIRE(!is_strict || (tokens == h.tokens && lengths == h.tokens));
    return GS_OK;
}

/* --- there and back ---------------------------------------------------------------- */

typedef struct file_text {
    uint8_t *data;
    size_t bytes;
} file_text;

static gs_code keep_text(void *context, const void *data, size_t bytes, gs_status *st)
{
    file_text *const text = context;
    text->data = realloc(text->data, text->bytes + bytes);
    REQUIRE(text->data != NULL);
    memcpy(text->data + text->bytes, data, bytes);
    text->bytes += bytes;
    return st->code;
}

/* false: there is none, since a term comes twice. */
static bool import(const uint8_t *data, size_t size, bool ascends)
{
    gs_status st = {.code = GS_OK};
    pieces p = {data, size, 1 << 16};
    const gs_byte_source source = {next_piece, &p};
    const gs_ciff_import_options options = {
        .folder = folder,
        .replace = true,
        .input = "it",
        .memory_bytes = 1 << 20,
        .threads = 1,
    };
    const gs_code code = gs_ciff_import_source(&options, &source, &st);
    REQUIRE(code == GS_OK || (code == GS_ERR_FORMAT && !ascends));
    return code == GS_OK;
}

static void there_and_back(const uint8_t *data, size_t size, bool ascends)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    gs_text_out out = {0};
    file_text text = {0};
    if (!import(data, size, ascends))
        return;
    REQUIRE(gs_index_open(&index, folder, &st) == GS_OK);
    REQUIRE(gs_index_verify(index, NULL, &st) == GS_OK);
    REQUIRE(gs_text_out_open(&out, keep_text, &text, &st) == GS_OK);
    REQUIRE(gs_ciff_write(index, &out, NULL, &st) == GS_OK);
    gs_text_out_release(&out);
    gs_index_close(index);
    REQUIRE(import(text.data, text.bytes, true));
    free(text.data);
    static const char *const names[] = {"terms", "postings", "documents", "sums",
                                        "header.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[2 * PATH_BYTES];
        (void)snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        REQUIRE(unlink(path) == 0);
    }
    REQUIRE(rmdir(folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    gs_status st = {.code = GS_OK};
    gs_ciff_reader *r = NULL;
    if (size == 0)
        return 0;
    pieces p = {data + 1, size - 1, 1 + (size_t)data[0]};
    const gs_byte_source source = {next_piece, &p};
    const bool is_strict = (size & 1) != 0;
    bool ascends = true;
    if (gs_ciff_reader_new(&r, &source, "it", is_strict, &st) == GS_OK)
        GS_NOTED(read_lists(r, is_strict, &ascends, &st));
    gs_ciff_reader_free(r);
    REQUIRE(st.code == GS_OK || (st.code == GS_ERR_FORMAT && st.msg[0] != '\0'));
    if (st.code == GS_OK)
        there_and_back(data + 1, size - 1, ascends);
    return 0;
}
