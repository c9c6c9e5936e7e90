/* SPDX-License-Identifier: MIT */
/*
 * growth: a document that is counted, named or numbered as another one would be found
 * under a wrong name, and docIDs that begin elsewhere when the first segment goes are
 * those of another index; memory that runs out must leave the index what it was; and what
 * is no part of the index must not be read as one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/grow/growths.h"
#include "lib/index/grow/index_growth.h"
#include "tests/check.h"
#include "tests/index_of_documents.h"
#include "tests/scratch_folder.h"

enum { PATH_BYTES = SCRATCH_FOLDER_BYTES + 64, DOCS_MAX = 400, ROUNDS = 6, FAULTS = 60 };

/* What the index should hold: the numbers that names are made of. */
typedef struct expected {
    unsigned numbers[DOCS_MAX];
    size_t count;
    unsigned next;
} expected;

static char folder[SCRATCH_FOLDER_BYTES], index_name[PATH_BYTES], documents[PATH_BYTES];

static void write_documents(unsigned first, unsigned count)
{
    FILE *const file = fopen(documents, "w");
    REQUIRE(file != NULL);
    for (unsigned i = first; i < first + count; i++)
        (void)fprintf(file, "{\"id\":\"name%u\",\"contents\":\"every word%u\"}\n", i,
                      i % 7);
    REQUIRE(fclose(file) == 0);
}

static gs_code append(unsigned first, unsigned count, gs_status *st)
{
    static const char *const fields[] = {"contents"};
    static const char *const input = documents;
    const gs_index_append_options options = {
        .build = {.folder = index_name,
                  .inputs = &input,
                  .input_count = 1,
                  .document = {.format = GS_FORMAT_JSONL,
                               .id_field = "id",
                               .text_fields = fields,
                               .text_field_count = 1},
                  .memory_bytes = 32 << 20,
                  .threads = 1,
                  .sorter = {.engine = "cpu"}},
        .no_merge = true,
    };
    write_documents(first, count);
    return gs_index_append(&options, st);
}

static gs_code delete_some(const gs_text_span *names, size_t count, bool merges,
                           bool *is_there, uint64_t *deleted, gs_status *st)
{
    const gs_index_merge_options options = {
        .folder = index_name, .memory_bytes = 32 << 20, .threads = 1};
    gs_index_deletion *d = NULL;
    GS_TRY(gs_index_deletion_open(&d, &options, st));
    if (gs_index_deletion_names(d, names, count, is_there, st) == GS_OK)
        GS_NOTED(gs_index_deletion_commit(d, merges, st));
    *deleted = gs_index_deletion_count(d);
    gs_index_deletion_close(d);
    return st->code;
}

static gs_code delete_names(const gs_text_span *names, size_t count, bool *is_there,
                            uint64_t *deleted, gs_status *st)
{
    return delete_some(names, count, false, is_there, deleted, st);
}

/* --- what is there ------------------------------------------------------------------ */

static bool holds(const expected *want, gs_status *st)
{
    gs_segments *s = NULL;
    gs_document_name name = {0};
    if (gs_segments_open(&s, index_name, st) != GS_OK)
        return false;
    bool is_so = s->documents == want->count && s->length_sum == 2 * want->count;
    for (uint64_t doc = 0; is_so && doc < s->documents; doc++) {
        char wanted[32];
        uint64_t there;
        const gs_segment *const segment = gs_segments_find(s, doc, &there);
        const int bytes = snprintf(wanted, sizeof wanted, "name%u", want->numbers[doc]);
        REQUIRE_OK(gs_segments_name(s, doc, &name, st), st);
        is_so = gs_segment_number(segment, there) == doc &&
                !gs_tombstones_has(&segment->deleted, there) &&
                name.bytes == (size_t)bytes && memcmp(name.text, wanted, name.bytes) == 0;
    }
    gs_document_name_release(&name);
    gs_segments_close(s);
    return is_so;
}

static bool holds_now(const expected *want)
{
    gs_status st = {.code = GS_OK};
    const bool is_so = holds(want, &st);
    REQUIRE_OK(st.code, &st);
    return is_so;
}

/* --- changes ------------------------------------------------------------------------ */

static void grow(expected *want, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    const unsigned count = (unsigned)(check_random(state) % 30);
    REQUIRE_OK(append(want->next, count, &st), &st);
    for (unsigned i = 0; i < count && want->count < DOCS_MAX; i++)
        want->numbers[want->count++] = want->next++;
}

/* Some that are there, one that never was, and one that is asked for twice. */
static void shrink(expected *want, uint64_t *state)
{
    static char text[DOCS_MAX + 1][32];
    static gs_text_span names[DOCS_MAX + 2];
    static bool is_there[DOCS_MAX + 2];
    gs_status st = {.code = GS_OK};
    size_t count = 0, left = 0;
    uint64_t deleted = 0;
    for (size_t i = 0; i < want->count; i++) {
        if (check_random(state) % 4 > 0) {
            want->numbers[left++] = want->numbers[i];
            continue;
        }
        const int bytes =
            snprintf(text[count], sizeof text[count], "name%u", want->numbers[i]);
        names[count] = (gs_text_span){(const uint8_t *)text[count], (size_t)bytes};
        count++;
    }
    names[count] = (gs_text_span){(const uint8_t *)"nobody", 6};
    names[count + 1] = names[0];
    REQUIRE_OK(delete_names(names, count + 2, is_there, &deleted, &st), &st);
    for (size_t i = 0; i < count; i++)
        CHECK(is_there[i]);
    CHECK(!is_there[count] && is_there[count + 1] == (count > 0));
    CHECK(deleted == want->count - left);
    want->count = left;
}

static void build(expected *want, unsigned count)
{
    *want = (expected){.count = count, .next = count};
    for (unsigned i = 0; i < count; i++)
        want->numbers[i] = i;
    write_documents(0, count);
    index_of_documents(index_name, documents);
}

static void compact(const expected *want)
{
    gs_status st = {.code = GS_OK};
    const gs_index_merge_options options = {
        .folder = index_name, .memory_bytes = 32 << 20, .threads = 1};
    gs_index_manifest manifest;
    bool has_one;
    REQUIRE_OK(gs_index_compact(&options, &st), &st);
    CHECK(holds_now(want));
    REQUIRE_OK(gs_index_manifest_read(&manifest, index_name, &has_one, &st), &st);
    CHECK(!has_one);
}

static void documents_keep_their_names(uint64_t *state)
{
    static expected want;
    for (unsigned round = 0; round < check_often(ROUNDS); round++) {
        build(&want, 1 + (unsigned)(check_random(state) % 60));
        for (int i = 0; i < 8; i++) {
            if (check_random(state) % 3 > 0)
                grow(&want, state);
            else
                shrink(&want, state);
            CHECK(holds_now(&want));
        }
        compact(&want);
    }
}

/* --- where docIDs begin ------------------------------------------------------------ */

enum { FIRST_ID = 1000 };

/* As earlier versions appended: the segment does not know where the index begins. */
static void append_without_base(unsigned first, unsigned count)
{
    gs_growth g;
    gs_manifest_segment segment;
    char path[GS_INDEX_PATH_BYTES];
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_growth_open(&g, index_name, NULL, NULL, &st), &st);
    const uint64_t number = gs_growth_take_number(&g);
    REQUIRE(gs_index_segment_path(path, index_name, number));
    write_documents(first, count);
    index_of_documents(path, documents);
    REQUIRE_OK(gs_growth_describe(&g, number, &segment, &st), &st);
    REQUIRE_OK(gs_index_manifest_add(&g.manifest, &segment, &st), &st);
    REQUIRE_OK(gs_growth_commit(&g, &st), &st);
    gs_growth_close(&g);
}

static void check_first_id(uint64_t documents_left)
{
    gs_segments *s = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_segments_open(&s, index_name, &st), &st);
    CHECK(s->documents == documents_left && gs_segments_doc_id(s, 0) == FIRST_ID);
    gs_segments_close(s);
}

/* What is left is merged as the policy says. */
static void delete_number(unsigned number)
{
    char text[32];
    const int bytes = snprintf(text, sizeof text, "name%u", number);
    const gs_text_span name = {(const uint8_t *)text, (size_t)bytes};
    gs_status st = {.code = GS_OK};
    bool is_there;
    uint64_t deleted;
    REQUIRE_OK(delete_some(&name, 1, true, &is_there, &deleted, &st), &st);
    CHECK(is_there && deleted == 1);
}

static void first_id_outlives_its_segment(void)
{
    for (int is_old = 0; is_old < 2; is_old++) {
        gs_status st = {.code = GS_OK};
        write_documents(0, 1);
        index_of_documents_from(index_name, documents, FIRST_ID);
        for (unsigned i = 1; i < 4; i++) {
            if (is_old)
                append_without_base(i, 1);
            else
                REQUIRE_OK(append(i, 1, &st), &st);
        }
        for (unsigned i = 0; i < 4; i++) {
            delete_number(i);
            if (i < 3)
                check_first_id(3 - i);
        }
        REQUIRE_OK(append(9, 2, &st), &st);
        check_first_id(2);
    }
}

/* --- when memory runs out --------------------------------------------------------- */

static void is_what_it_was(uint64_t *state)
{
    static expected want;
    static const gs_text_span name = {(const uint8_t *)"name3", 5};
    build(&want, 40);
    grow(&want, state);
    const size_t held = gs_mem_held_bytes();
    for (uint64_t nth = 1; nth < check_often(FAULTS); nth++) {
        gs_status st = {.code = GS_OK};
        bool is_there;
        uint64_t deleted;
        gs_mem_fail_nth(nth);
        CHECK(append(want.next, 3, &st) == GS_ERR_NOMEM);
        gs_mem_fail_nth(0);
        CHECK(gs_mem_held_bytes() == held && holds_now(&want));
        gs_status_clear(&st);
        gs_mem_fail_nth(nth);
        const gs_code code = delete_names(&name, 1, &is_there, &deleted, &st);
        gs_mem_fail_nth(0);
        CHECK(gs_mem_held_bytes() == held);
        if (code == GS_OK)
            break;
        CHECK(code == GS_ERR_NOMEM && holds_now(&want));
    }
}

/* --- what is no part -------------------------------------------------------------- */

static void damage_is_named(uint64_t *state)
{
    static expected want;
    char path[2 * PATH_BYTES], other[2 * PATH_BYTES];
    gs_status st = {.code = GS_OK};
    build(&want, 20);
    REQUIRE_OK(append(100, 5, &st), &st);
    (void)snprintf(path, sizeof path, "%s/segment-1", index_name);
    (void)snprintf(other, sizeof other, "%s/segment-9", index_name);
    REQUIRE(rename(path, other) == 0);
    CHECK(!holds(&want, &st) && st.code == GS_ERR_FORMAT);
    gs_status_clear(&st);
    /* Another index, whole as it is, is not the one that the manifest names. */
    write_documents(200, 5);
    index_of_documents(path, documents);
    CHECK(!holds(&want, &st) && st.code == GS_ERR_FORMAT);
    CHECK(strstr(st.msg, "not the one that the manifest names") != NULL);
    gs_status_clear(&st);
    build(&want, 20); /* which replaces all of it */
    CHECK(holds_now(&want) && access(path, F_OK) != 0 && access(other, F_OK) != 0);
    grow(&want, state);
}

static void remove_all(void)
{
    char command[3 * PATH_BYTES];
    (void)snprintf(command, sizeof command, "rm -r '%s'", folder);
    REQUIRE(system(command) == 0);
}

int main(void)
{
    uint64_t state = check_seed(80);
    scratch_folder_new(folder);
    (void)snprintf(index_name, sizeof index_name, "%s/index", folder);
    (void)snprintf(documents, sizeof documents, "%s/documents", folder);
    documents_keep_their_names(&state);
    first_id_outlives_its_segment();
    is_what_it_was(&state);
    damage_is_named(&state);
    remove_all();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
