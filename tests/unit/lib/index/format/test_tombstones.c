/* SPDX-License-Identifier: MIT */
/*
 * tombstones: a document that is numbered wrongly, or comes back, is a wrong answer of
 * every search. Against an array of flags, for any number of documents; and every byte of
 * the file counts.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/index/format/tombstones.h"
#include "tests/check.h"
#include "tests/scratch_folder.h"

enum { ROUNDS = 60, DOCS = 3000 };

typedef struct flags {
    bool deleted[DOCS];
    uint64_t documents, count, length_sum;
} flags;

static void delete_some(gs_tombstones *t, flags *f, uint64_t *state)
{
    const uint64_t often = check_random(state) % (f->documents + 1);
    for (uint64_t i = 0; f->documents > 0 && i < often; i++) {
        const uint64_t doc = check_random(state) % f->documents;
        const uint32_t length = (uint32_t)(check_random(state) % 100);
        CHECK(gs_tombstones_add(t, doc, length) == !f->deleted[doc]);
        f->length_sum += f->deleted[doc] ? 0 : length;
        f->count += !f->deleted[doc];
        f->deleted[doc] = true;
    }
}

static void compare(const gs_tombstones *t, const flags *f)
{
    uint64_t before = 0, next = UINT64_MAX;
    CHECK(t->head.deleted == f->count && t->head.length_sum == f->length_sum);
    for (uint64_t doc = 0; doc < f->documents; doc++) {
        CHECK(gs_tombstones_has(t, doc) == f->deleted[doc]);
        CHECK(gs_tombstones_before(t, doc) == before);
        if (!f->deleted[doc])
            CHECK(gs_tombstones_left(t, doc - before) == doc);
        before += f->deleted[doc];
    }
    for (uint64_t doc = f->documents; doc-- > 0;) {
        next = f->deleted[doc] ? doc : next;
        CHECK(gs_tombstones_next(t, doc) == next);
    }
}

static void flip(const char *path, uint64_t at)
{
    uint8_t byte;
    const int fd = open(path, O_RDWR);
    REQUIRE(fd >= 0 && pread(fd, &byte, 1, (off_t)at) == 1);
    byte ^= 4;
    REQUIRE(pwrite(fd, &byte, 1, (off_t)at) == 1 && close(fd) == 0);
}

static void damage_is_seen(const char *path, const flags *f, uint64_t sum, uint64_t at)
{
    gs_tombstones t;
    gs_status st = {.code = GS_OK};
    flip(path, at);
    CHECK(gs_tombstones_open(&t, path, f->documents, sum, &st) == GS_ERR_FORMAT);
    CHECK(t.lines == NULL);
    flip(path, at);
    gs_status_clear(&st);
    CHECK(gs_tombstones_open(&t, path, f->documents + 1, sum, &st) == GS_ERR_FORMAT);
    gs_status_clear(&st);
    CHECK(gs_tombstones_open(&t, path, f->documents, sum + 1, &st) == GS_ERR_FORMAT);
}

static void round_of(const char *folder, uint64_t documents, uint64_t *state)
{
    static flags f;
    char path[SCRATCH_FOLDER_BYTES + 16];
    gs_status st = {.code = GS_OK};
    gs_tombstones first = {0}, second, open;
    uint64_t sum = 0;
    f = (flags){.documents = documents};
    (void)snprintf(path, sizeof path, "%s/deleted", folder);
    for (int i = 0; i < 2; i++) { /* nothing deleted, and on from there */
        REQUIRE_OK(gs_tombstones_make(&second, &first, documents, &st), &st);
        delete_some(&second, &f, state);
        REQUIRE_OK(gs_tombstones_write(&second, path, &sum, &st), &st);
        compare(&second, &f);
        gs_tombstones_close(&first);
        first = second;
        REQUIRE_OK(gs_tombstones_open(&open, path, documents, sum, &st), &st);
        compare(&open, &f);
        CHECK(gs_tombstones_sum(&open) == sum);
        damage_is_seen(path, &f, sum, check_random(state) % open.bytes);
        gs_tombstones_close(&open);
        CHECK(gs_tombstones_write(&first, path, &sum, &st) ==
              GS_ERR_IO); /* it is there */
        gs_status_clear(&st);
        REQUIRE(unlink(path) == 0);
    }
    gs_tombstones_close(&first);
}

int main(void)
{
    char folder[SCRATCH_FOLDER_BYTES];
    uint64_t state = check_seed(77);
    scratch_folder_new(folder);
    for (unsigned i = 0; i < check_often(ROUNDS); i++)
        round_of(folder, check_random(&state) % DOCS, &state);
    for (uint64_t documents = GS_TOMBSTONE_DOCS - 1; documents <= GS_TOMBSTONE_DOCS + 1;
         documents++)
        round_of(folder, documents, &state);
    REQUIRE(rmdir(folder) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
