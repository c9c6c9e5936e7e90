/* SPDX-License-Identifier: MIT */
/*
 * Stored texts: what is packed must be read again, byte for byte and by any docID; the
 * file must be the same for any way to cut documents into batches, in whatever order
 * these are done, and for documents that were merged or reordered to there; and damage is
 * found.
 */
#define CHECK_STARTS_THREADS

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/merge/stored_merge.h"
#include "lib/index/reorder/text_reorder.h"
#include "lib/index/write/index_writer.h"
#include "lib/index/read/readers.h"
#include "tests/check.h"

enum { DOCS = 3000, BATCHES_MAX = DOCS, PATH_BYTES = 200, MUTATIONS = 60 };

/* Documents: their lengths, and where their texts begin in this. */
static uint32_t lengths[DOCS];
static size_t begins[DOCS + 1];
static uint8_t *texts;
static uint64_t state;
static char scratch[] = "/tmp/gpusort-test-texts-XXXXXX";

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* Short ones, empty ones, some around the size of a block, a few of several. */
static size_t pick_length(void)
{
    switch (below(40)) {
    case 0: return GS_TEXT_BLOCK_BYTES - 12 + below(24);
    case 1: return below(3 * GS_TEXT_BLOCK_BYTES);
    case 2:
    case 3: return 0;
    case 4: return below(8000);
    default: return below(300);
    }
}

static void make_texts(void)
{
    for (size_t i = 0; i < DOCS; i++) {
        lengths[i] = (uint32_t)pick_length();
        begins[i + 1] = begins[i] + lengths[i];
    }
    texts = malloc(begins[DOCS]);
    REQUIRE(texts != NULL);
    for (size_t i = 0; i < begins[DOCS]; i++)
        texts[i] = (uint8_t)("abcdefgh \n\xc3\xa9"[below(12)] ^ (below(50) ? 0 : 0x55));
}

/* Document `doc` of all is `name`d for what it is. */
static size_t name_of(char name[32], size_t doc)
{
    return (size_t)sprintf(name, "document %zu", doc * 7);
}

/* --- a writer of documents alone ---------------------------------------------------- */

static gs_index_writer *new_writer(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index_writer *w = NULL;
    const gs_index_writer_options options = {.folder = folder,
                                             .has_documents = true,
                                             .has_texts = true,
                                             .replace = true,
                                             .memory_bytes = 1 << 20,
                                             .part_count = 1};
    REQUIRE_OK(gs_index_writer_new(&w, &options, &st), &st);
    return w;
}

static void commit(gs_index_writer *w)
{
    gs_status st = {.code = GS_OK};
    gs_index_part *part = NULL;
    REQUIRE_OK(gs_index_part_new(&part, w, 0, &st), &st);
    REQUIRE_OK(gs_index_part_finish(part, &st), &st);
    gs_index_part_free(part);
    REQUIRE_OK(gs_index_writer_commit(w, &st), &st);
    gs_index_writer_free(w);
}

static void put_name(gs_index_writer *w, size_t doc)
{
    gs_status st = {.code = GS_OK};
    char name[32];
    const size_t bytes = name_of(name, doc);
    REQUIRE_OK(gs_index_writer_document(w, name, bytes, 0, &st), &st);
}

/* A batch as a worker has it. */
typedef struct batch {
    size_t first, end, before;
    gs_text_item *items;
    size_t count;
} batch;

/* What the documents before leave open: known before any of them is packed. */
static size_t cut_batches(batch *batches, size_t first, size_t end)
{
    size_t count = 0, open = 0;
    while (first < end) {
        const size_t most = below(10) ? 100 : 1000;
        const size_t wanted = 1 + below(most < end - first ? most : end - first);
        batches[count] = (batch){.first = first, .end = first + wanted, .before = open};
        for (; first < batches[count].end; first++) {
            char name[32];
            const size_t bytes = name_of(name, first);
            open = gs_text_after(open, gs_text_begins_group(name, bytes, lengths[first]),
                                 lengths[first]);
        }
        count++;
    }
    return count;
}

static void pack_batch(gs_text_pack *pack, batch *b)
{
    gs_status st = {.code = GS_OK};
    const gs_text_item *items;
    gs_text_pack_begin(pack, b->before);
    for (size_t doc = b->first; doc < b->end; doc++) {
        char name[32];
        const size_t bytes = name_of(name, doc), half = below(lengths[doc] + 1);
        REQUIRE_OK(gs_text_pack_document(pack, name, bytes, lengths[doc], &st), &st);
        REQUIRE_OK(gs_text_pack_text(pack, texts + begins[doc], half, &st), &st);
        REQUIRE_OK(
            gs_text_pack_text(pack, texts + begins[doc] + half, lengths[doc] - half, &st),
            &st);
    }
    REQUIRE_OK(gs_text_pack_end(pack, &items, &b->count, &st), &st);
    b->items = malloc((b->count + 1) * sizeof *items);
    REQUIRE(b->items != NULL);
    if (b->count > 0)
        memcpy(b->items, items, b->count * sizeof *items);
}

/* Documents of a range, in batches that are packed in any order. */
static void write_range(const char *folder, size_t first, size_t end)
{
    static batch batches[BATCHES_MAX];
    gs_status st = {.code = GS_OK};
    gs_index_writer *const w = new_writer(folder);
    gs_text_writer *const to = gs_index_writer_texts(w);
    gs_text_pack *packs[2] = {NULL, NULL};
    const size_t count = cut_batches(batches, first, end);
    size_t order[BATCHES_MAX];
    for (size_t i = 0; i < 2; i++)
        REQUIRE_OK(gs_text_pack_new(&packs[i], gs_text_writer_file(to), &st), &st);
    for (size_t i = 0; i < count; i++) {
        const size_t j = below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (size_t i = 0; i < count; i++)
        pack_batch(packs[below(2)], &batches[order[i]]);
    for (size_t i = 0; i < count; i++) {
        REQUIRE_OK(gs_text_writer_take(to, batches[i].items, batches[i].count, &st), &st);
        free(batches[i].items);
    }
    for (size_t doc = first; doc < end; doc++)
        put_name(w, doc);
    gs_text_pack_free(packs[0]);
    gs_text_pack_free(packs[1]);
    commit(w);
}

/* --- what comes out ----------------------------------------------------------------- */

static gs_index *open_index(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *index = NULL;
    REQUIRE_OK(gs_index_open(&index, folder, &st), &st);
    return index;
}

/* Has document `doc` of the index the text of `which` of all? */
static void check_text(gs_text_reader *r, uint64_t doc, size_t which)
{
    gs_status st = {.code = GS_OK};
    gs_text_span piece;
    uint64_t bytes;
    size_t at = 0;
    REQUIRE_OK(gs_text_reader_begin(r, doc, &bytes, &st), &st);
    CHECK(bytes == lengths[which]);
    for (;;) {
        REQUIRE_OK(gs_text_reader_next(r, &piece, &st), &st);
        if (piece.bytes == 0)
            break;
        REQUIRE(at + piece.bytes <= lengths[which]);
        CHECK(memcmp(piece.data, texts + begins[which] + at, piece.bytes) == 0);
        at += piece.bytes;
    }
    CHECK(at == lengths[which]);
}

static void check_good(const char *folder)
{
    gs_status st = {.code = GS_OK};
    gs_index *const index = open_index(folder);
    REQUIRE_OK(gs_index_verify(index, NULL, &st), &st);
    gs_index_close(index);
}

static void check_same(const char *a, const char *b)
{
    char command[3 * PATH_BYTES];
    (void)snprintf(command, sizeof command, "diff -r '%s' '%s'", a, b);
    CHECK(system(command) == 0);
}

static void path_of(char path[PATH_BYTES], const char *name)
{
    (void)snprintf(path, PATH_BYTES, "%s/%s", scratch, name);
}

static void batches_do_not_show(void)
{
    char one[PATH_BYTES], other[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    gs_text_reader *r = NULL;
    path_of(one, "whole");
    path_of(other, "other");
    write_range(one, 0, DOCS);
    check_good(one);
    for (int i = 0; i < 3; i++) {
        write_range(other, 0, DOCS);
        check_same(one, other);
    }
    gs_index *const index = open_index(one);
    REQUIRE(gs_index_text_blocks(index) > 100);
    REQUIRE_OK(gs_text_reader_new(&r, index, 1 + below(5), &st), &st);
    for (size_t doc = 0; doc < DOCS; doc++)
        check_text(r, doc, doc);
    for (size_t i = 0; i < DOCS; i++) {
        const size_t doc = below(DOCS);
        check_text(r, doc, doc);
    }
    gs_text_reader_free(r);
    gs_index_close(index);
}

/* Of ranges put together; most of the blocks need not be made again, or this is not what
 * was meant to be tested. */
static void merged_is_the_same(void)
{
    const gs_tombstones none = {.lines = NULL};
    char whole[PATH_BYTES], merged[PATH_BYTES], part[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    path_of(whole, "whole");
    path_of(merged, "merged");
    path_of(part, "part");
    for (int i = 0; i < 4; i++) {
        gs_index_writer *const w = new_writer(merged);
        for (size_t first = 0, end; first < DOCS; first = end) {
            end = first + 1 + below(DOCS - first);
            write_range(part, first, end);
            gs_index *const index = open_index(part);
            REQUIRE_OK(gs_stored_merge(gs_index_writer_texts(w), index, &none, NULL, &st),
                       &st);
            gs_index_close(index);
        }
        for (size_t doc = 0; doc < DOCS; doc++)
            put_name(w, doc);
        commit(w);
        check_same(whole, merged);
    }
}

static void groups_begin_often(void)
{
    char whole[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    uint64_t groups = 0;
    path_of(whole, "whole");
    gs_index *const index = open_index(whole);
    const uint64_t count = gs_index_text_blocks(index);
    for (uint64_t i = 0; i < count; i++) {
        gs_text_entry entry;
        REQUIRE_OK(gs_index_text_entry(index, i, &entry, &st), &st);
        groups += entry.begin == GS_TEXT_BEGINS_GROUP;
    }
    CHECK(groups * GS_TEXT_GROUP_BYTES > begins[DOCS] / 6 &&
          groups * GS_TEXT_GROUP_BYTES < begins[DOCS] * 4);
    gs_index_close(index);
}

static void reordered_is_found(void)
{
    static uint32_t order[DOCS];
    char whole[PATH_BYTES], other[PATH_BYTES];
    gs_status st = {.code = GS_OK};
    gs_text_reader *r = NULL;
    path_of(whole, "whole");
    path_of(other, "other");
    for (uint32_t i = 0; i < DOCS; i++) {
        const size_t j = below(i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    gs_index *index = open_index(whole);
    gs_index_writer *const w = new_writer(other);
    const gs_text_reorder_options options = {
        .index = index, .order = order, .doc_count = DOCS, .memory_bytes = 300000};
    REQUIRE_OK(gs_text_reorder(gs_index_writer_texts(w), &options, &st), &st);
    gs_index_close(index);
    for (size_t i = 0; i < DOCS; i++)
        put_name(w, order[i]);
    commit(w);
    check_good(other);
    index = open_index(other);
    REQUIRE_OK(gs_text_reader_new(&r, index, 3, &st), &st);
    for (size_t i = 0; i < DOCS; i++)
        check_text(r, i, order[i]);
    gs_text_reader_free(r);
    gs_index_close(index);
}

/* No memory, at any place where some is wanted. */
static void memory_runs_out(void)
{
    char whole[PATH_BYTES];
    path_of(whole, "whole");
    gs_index *const index = open_index(whole);
    for (uint64_t nth = 1;; nth++) {
        gs_status st = {.code = GS_OK};
        gs_text_reader *r = NULL;
        uint64_t bytes;
        gs_mem_fail_nth(nth);
        if (gs_text_reader_new(&r, index, 2, &st) == GS_OK)
            GS_NOTED(gs_text_reader_begin(r, 5, &bytes, &st));
        const bool has_failed = gs_mem_fail_left() == 0;
        gs_mem_fail_nth(0);
        gs_text_reader_free(r);
        CHECK(st.code == (has_failed ? GS_ERR_NOMEM : GS_OK));
        if (!has_failed)
            break;
    }
    gs_index_close(index);
}

/* A byte of the file is another one: somebody notices when its page is read. */
static void damage_is_found(void)
{
    char whole[PATH_BYTES], path[PATH_BYTES + 8];
    path_of(whole, "whole");
    (void)snprintf(path, sizeof path, "%s/texts", whole);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    const off_t size = lseek(fd, 0, SEEK_END);
    REQUIRE(fd >= 0 && size > 0);
    for (int i = 0; i < MUTATIONS; i++) {
        gs_status st = {.code = GS_OK};
        gs_index *index = NULL;
        gs_text_reader *r = NULL;
        uint8_t byte, other;
        const off_t at = (off_t)below((uint64_t)size);
        REQUIRE(pread(fd, &byte, 1, at) == 1);
        other = (uint8_t)(byte ^ (1 + below(255)));
        REQUIRE(pwrite(fd, &other, 1, at) == 1);
        if (gs_index_open(&index, whole, &st) == GS_OK &&
            gs_text_reader_new(&r, index, 1, &st) == GS_OK &&
            gs_text_reader_verify(r, NULL, &st) == GS_OK)
            GS_NOTED(gs_index_verify(index, NULL, &st));
        CHECK(st.code == GS_ERR_FORMAT);
        gs_text_reader_free(r);
        gs_index_close(index);
        REQUIRE(pwrite(fd, &byte, 1, at) == 1);
    }
    (void)close(fd);
}

static void names_are_found(void)
{
    char whole[PATH_BYTES], names[4][32];
    gs_status st = {.code = GS_OK};
    path_of(whole, "whole");
    const size_t docs[4] = {17, DOCS - 1, 0, 17};
    gs_text_span spans[5];
    uint64_t found[5];
    for (size_t i = 0; i < 4; i++)
        spans[i] = (gs_text_span){(uint8_t *)names[i], name_of(names[i], docs[i])};
    spans[4] = (gs_text_span){(const uint8_t *)"document", 8};
    gs_index *const index = open_index(whole);
    REQUIRE_OK(gs_index_find_names(index, spans, 5, found, &st), &st);
    for (size_t i = 0; i < 4; i++)
        CHECK(found[i] == docs[i]);
    CHECK(found[4] == GS_NO_SUCH_NAME);
    gs_index_close(index);
}

int main(void)
{
    REQUIRE(mkdtemp(scratch) != NULL);
    state = check_seed(21);
    make_texts();
    batches_do_not_show();
    groups_begin_often();
    merged_is_the_same();
    reordered_is_found();
    memory_runs_out();
    names_are_found();
    damage_is_found();
    char command[PATH_BYTES];
    (void)snprintf(command, sizeof command, "rm -r %s", scratch);
    CHECK(system(command) == 0);
    free(texts);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
