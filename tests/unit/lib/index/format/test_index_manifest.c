/* SPDX-License-Identifier: MIT */
/*
 * index_manifest: a manifest that is not the one that was written, or a name in the
 * folder of an index that is taken for another, would lose documents.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/format/index_header.h"
#include "lib/index/format/index_manifest.h"
#include "tests/check.h"
#include "tests/scratch_folder.h"

enum { ROUNDS = 20, SEGMENTS = 12 };

static void names_are_told_apart(void)
{
    static const struct {
        const char *name;
        gs_grown_name is;
        uint64_t number;
    } all[] = {
        {"manifest.json", GS_GROWN_MANIFEST, 0},
        {"manifest.json.tmp-aB3xY9", GS_GROWN_UNFINISHED, 0},
        {"manifest.json.tmp-aB3xY", GS_GROWN_OTHER, 0},
        {"manifest.json.tmp-aB3xY99", GS_GROWN_OTHER, 0},
        {"manifest.jso", GS_GROWN_OTHER, 0},
        {"segment-1", GS_GROWN_SEGMENT, 1},
        {"segment-4096", GS_GROWN_SEGMENT, 4096},
        {"segment-17.tmp-aB3xY9", GS_GROWN_UNFINISHED_SEGMENT, 17},
        {"segment-17.old-aB3xY9", GS_GROWN_OTHER, 0},
        {"segment-0", GS_GROWN_OTHER, 0},
        {"segment-01", GS_GROWN_OTHER, 0},
        {"segment-", GS_GROWN_OTHER, 0},
        {"segment--1", GS_GROWN_OTHER, 0},
        {"segment-1x", GS_GROWN_OTHER, 0},
        {"segment-9999999999999999999", GS_GROWN_OTHER, 0},
        {"deleted-3", GS_GROWN_DELETIONS, 3},
        {"deleted-3.tmp-aB3xY9", GS_GROWN_UNFINISHED, 3},
        {"deleted", GS_GROWN_OTHER, 0},
        {"terms", GS_GROWN_OTHER, 0},
        {"", GS_GROWN_OTHER, 0},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        uint64_t number = 0;
        CHECK(gs_index_grown_name(all[i].name, &number) == all[i].is);
        CHECK(all[i].number == 0 || number == all[i].number);
    }
}

/* A manifest names its segments by sums of their headers. Those that were made are known
 * for ever: what comes to a header later changes no sum of one that does not have it. */
static void sums_stay(void)
{
    gs_index_header h = {.documents = 3, .terms = 5, .postings = 7, .tokens = 11};
    h.length_sum = 11;
    h.doc_bound = 3;
    h.has_names = true;
    for (int i = GS_INDEX_TERMS; i <= GS_INDEX_SUMS; i++) {
        if (!gs_index_header_has(&h, (gs_index_file)i))
            continue;
        const char *const name = gs_index_file_names[i];
        h.file_bytes[i] = strlen(name);
        h.file_sums[i] = (uint64_t)(uint8_t)name[0] << 32;
    }
    CHECK(gs_index_header_sum(&h) == UINT64_C(0x75edb285b496ecb2));
    h.has_positions = h.has_texts = true;
    h.file_bytes[GS_INDEX_POSITIONS] = 17;
    h.file_bytes[GS_INDEX_TEXTS] = 19;
    h.doc_base = 23;
    h.tokenizer = (char *)(uintptr_t) "{\"words\": \"letters\"}";
    CHECK(gs_index_header_sum(&h) == UINT64_C(0x73370598f7077a42));
}

static void make(gs_index_manifest *m, uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    *m = (gs_index_manifest){.next = 1 + check_random(state) % (UINT64_C(1) << 40)};
    for (uint64_t n = 1 + check_random(state) % SEGMENTS; n > 0; n--) {
        gs_manifest_segment s = {.number = check_random(state) % m->next,
                                 .header_sum = check_random(state),
                                 .documents = check_random(state) % 1000};
        s.deleted = check_random(state) % (s.documents + 1);
        if (m->next == 1)
            s.deleted = 0;
        if (s.deleted > 0) {
            s.deletions = 1 + check_random(state) % (m->next - 1);
            s.deletions_sum = check_random(state);
        }
        REQUIRE_OK(gs_index_manifest_add(m, &s, &st), &st);
    }
}

static bool are_same(const gs_index_manifest *a, const gs_index_manifest *b)
{
    return a->next == b->next && a->count == b->count &&
           memcmp(a->segments, b->segments, a->count * sizeof *a->segments) == 0;
}

/* Whichever byte is changed or cut off: it is none, never another. */
static void damage_is_seen(const char *folder, uint64_t *state)
{
    char path[SCRATCH_FOLDER_BYTES + 32], text[1 << 13];
    gs_index_manifest m;
    gs_status st = {.code = GS_OK};
    bool is_there;
    (void)snprintf(path, sizeof path, "%s/%s", folder, GS_INDEX_MANIFEST_NAME);
    const int fd = open(path, O_RDWR);
    const ssize_t bytes = read(fd, text, sizeof text);
    REQUIRE(fd >= 0 && bytes > 0);
    const uint64_t at = check_random(state) % (uint64_t)bytes;
    const char was = text[at];
    text[at] = (char)(was ^ 1);
    REQUIRE(pwrite(fd, text, (size_t)bytes, 0) == bytes);
    CHECK(gs_index_manifest_read(&m, folder, &is_there, &st) == GS_ERR_FORMAT);
    CHECK(!is_there && m.segments == NULL);
    text[at] = was;
    REQUIRE(pwrite(fd, text, (size_t)bytes, 0) == bytes && ftruncate(fd, (off_t)at) == 0);
    gs_status_clear(&st);
    CHECK(gs_index_manifest_read(&m, folder, &is_there, &st) == GS_ERR_FORMAT);
    REQUIRE(close(fd) == 0 && unlink(path) == 0);
}

static void comes_back(const char *folder, uint64_t *state)
{
    gs_index_manifest made, read;
    gs_status st = {.code = GS_OK};
    bool is_there = true;
    REQUIRE_OK(gs_index_manifest_read(&read, folder, &is_there, &st), &st);
    CHECK(!is_there);
    for (int i = 0; i < 2; i++) { /* the second takes the place of the first */
        make(&made, state);
        REQUIRE_OK(gs_index_manifest_write(&made, folder, &st), &st);
        REQUIRE_OK(gs_index_manifest_settle(folder, &st), &st);
        REQUIRE_OK(gs_index_manifest_read(&read, folder, &is_there, &st), &st);
        CHECK(is_there && are_same(&made, &read));
        gs_index_manifest_release(&read);
        if (i == 0)
            gs_index_manifest_release(&made);
    }
    gs_index_manifest_release(&made);
    damage_is_seen(folder, state);
}

static void segments_give_way(void)
{
    gs_index_manifest m = {.next = 9};
    gs_status st = {.code = GS_OK};
    const gs_manifest_segment instead = {.number = 8};
    for (uint64_t i = 0; i < 6; i++) {
        const gs_manifest_segment s = {.number = i};
        REQUIRE_OK(gs_index_manifest_add(&m, &s, &st), &st);
    }
    gs_index_manifest_replace(&m, 1, 4, &instead);
    CHECK(m.count == 4 && m.segments[0].number == 0 && m.segments[1].number == 8 &&
          m.segments[2].number == 4 && m.segments[3].number == 5);
    gs_index_manifest_replace(&m, 2, 3, NULL);
    CHECK(m.count == 3 && m.segments[1].number == 8 && m.segments[2].number == 5);
    gs_index_manifest_replace(&m, 0, 3, &instead);
    CHECK(m.count == 1 && m.segments[0].number == 8);
    gs_index_manifest_release(&m);
}

int main(void)
{
    char folder[SCRATCH_FOLDER_BYTES];
    uint64_t state = check_seed(78);
    names_are_told_apart();
    segments_give_way();
    sums_stay();
    scratch_folder_new(folder);
    for (unsigned i = 0; i < check_often(ROUNDS); i++)
        comes_back(folder, &state);
    REQUIRE(rmdir(folder) == 0); /* nothing else was left */
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
