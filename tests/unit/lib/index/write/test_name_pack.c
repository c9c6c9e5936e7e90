/* SPDX-License-Identifier: MIT */
/*
 * name_pack: a document_writer that gets documents in packs, which other threads could
 * have made, has the bytes of one that gets them one by one, wherever packs begin and
 * end.
 */
#include "lib/index/write/document_writer.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/write/name_check.h"
#include "tests/check.h"

enum { DOCUMENTS = 3000, NAME_MAX_BYTES = 300, PACK_MAX = 70 };

typedef struct document {
    char name[NAME_MAX_BYTES + 1];
    size_t bytes;
    uint32_t length;
} document;

static document documents[DOCUMENTS];

/* Names that begin alike, or are empty, or long, or the same. */
static void make_documents(uint64_t *seed)
{
    for (size_t i = 0; i < DOCUMENTS; i++) {
        document *const d = &documents[i];
        const unsigned kind = (unsigned)(check_random(seed) % 8);
        memset(d->name, 'x', sizeof d->name);
        d->bytes = kind == 0   ? 0
                   : kind == 1 ? check_random(seed) % NAME_MAX_BYTES
                   : kind == 2 && i > 0
                       ? documents[i - 1].bytes
                       : (size_t)snprintf(d->name, sizeof d->name, "doc%08zu", i);
        d->length = (uint32_t)(check_random(seed) % (kind == 3 ? UINT32_MAX : 100));
    }
}

static void add_some(gs_document_writer *w, gs_name_pack *p, size_t first, size_t count,
                     bool packs, gs_status *st)
{
    gs_name_pack_begin(p, first, packs);
    for (size_t i = first; i < first + count; i++)
        REQUIRE_OK(gs_name_pack_add(p, documents[i].name, documents[i].bytes,
                                    documents[i].length, st),
                   st);
    CHECK(p->count == count && p->lead <= count && (packs || p->lead == count));
    CHECK(p->lead < GS_INDEX_NAME_BLOCK || !packs);
    for (size_t i = 0; i < p->lead; i++) {
        size_t bytes;
        const uint8_t *const name = gs_name_pack_lead(p, i, &bytes);
        REQUIRE_OK(gs_document_writer_add(w, name, bytes, p->lengths[i], st), st);
    }
    for (size_t i = p->lead; i < count; i++)
        CHECK(p->hashes[i - p->lead] ==
              gs_name_hash(documents[first + i].name, documents[first + i].bytes));
    REQUIRE_OK(gs_document_writer_add_packed(w, p, st), st);
}

/* Both have the same in a file that one by one is read back. */
static void check_same(gs_append_file *a, gs_append_file *b, gs_status *st)
{
    REQUIRE_OK(gs_append_file_rewind(a, st), st);
    REQUIRE_OK(gs_append_file_rewind(b, st), st);
    REQUIRE(a->bytes == b->bytes && a->bytes > 0);
    for (uint64_t at = 0; at < a->bytes; at++) {
        const uint8_t *x, *y;
        REQUIRE_OK(gs_append_file_take(a, &x, 1, st), st);
        REQUIRE_OK(gs_append_file_take(b, &y, 1, st), st);
        REQUIRE(*x == *y);
    }
}

static void packs_are_as_one_by_one(uint64_t *seed, size_t pack_max, bool packs)
{
    gs_status st = {.code = GS_OK};
    gs_document_writer one, other;
    gs_name_pack pack = {0};
    make_documents(seed);
    REQUIRE_OK(gs_document_writer_open(&one, ".", true, &st), &st);
    REQUIRE_OK(gs_document_writer_open(&other, ".", true, &st), &st);
    for (size_t i = 0; i < DOCUMENTS; i++)
        REQUIRE_OK(gs_document_writer_add(&one, documents[i].name, documents[i].bytes,
                                          documents[i].length, &st),
                   &st);
    for (size_t first = 0, count; first < DOCUMENTS; first += count) {
        count = check_random(seed) % (pack_max + 1); /* may be empty */
        count = count < DOCUMENTS - first ? count : DOCUMENTS - first;
        add_some(&other, &pack, first, count, packs, &st);
        if (check_random(seed) % 16 == 0)
            gs_name_pack_release(&pack);
    }
    CHECK(one.count == other.count && one.length_sum == other.length_sum);
    for (uint64_t i = 0; i < DOCUMENTS; i++)
        CHECK(gs_length_table_code(&one.table, i) ==
              gs_length_table_code(&other.table, i));
    check_same(&one.names, &other.names, &st);
    check_same(&one.lengths, &other.lengths, &st);
    check_same(&one.name_offsets, &other.name_offsets, &st);
    gs_name_pack_release(&pack);
    gs_document_writer_release(&one);
    gs_document_writer_release(&other);
}

int main(void)
{
    uint64_t seed = check_seed(11);
    for (int i = 0; i < 4; i++) {
        packs_are_as_one_by_one(&seed, 1, true);
        packs_are_as_one_by_one(&seed, GS_INDEX_NAME_BLOCK, true);
        packs_are_as_one_by_one(&seed, PACK_MAX, true);
        packs_are_as_one_by_one(&seed, PACK_MAX, false);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
