/* SPDX-License-Identifier: MIT */
/*
 * join_shelf: lines come back as they were put there, in memory or a file, as often as
 * they are asked for; no more memory is held than the store allows, and all goes back.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/join/join_shelf.h"
#include "tests/check.h"

enum { LINES_MAX = 4000, BYTES_MAX = 300 };

/* Line `i` of a seed, as anyone makes it again. */
static gs_join_kept line_of(uint64_t seed, uint64_t i, uint8_t *to)
{
    uint64_t state = seed * 1000003 + i;
    gs_join_kept line = {.key = to};
    line.key_bytes = check_random(&state) % 20;
    line.line_bytes = check_random(&state) % BYTES_MAX;
    if (check_random(&state) % 500 == 0)
        line.line_bytes *= 50;
    line.line = to + line.key_bytes;
    for (size_t b = 0; b < line.key_bytes + line.line_bytes; b++)
        to[b] = (uint8_t)check_random(&state);
    return line;
}

static bool are_same(const gs_join_kept *a, const gs_join_kept *b)
{
    return a->key_bytes == b->key_bytes && a->line_bytes == b->line_bytes &&
           memcmp(a->key, b->key, a->key_bytes) == 0 &&
           memcmp(a->line, b->line, a->line_bytes) == 0;
}

static void check_lines(const gs_join_shelf *shelf, gs_join_reader *reader, uint64_t seed,
                        uint64_t count)
{
    static uint8_t room[50 * BYTES_MAX + 64];
    gs_status st = {.code = GS_OK};
    gs_join_kept got;
    bool has_line = true;
    gs_join_reader_rewind(reader);
    for (uint64_t i = 0; i < count; i++) {
        REQUIRE_OK(gs_join_reader_next(reader, shelf, &got, &has_line, &st), &st);
        const gs_join_kept want = line_of(seed, i, room);
        REQUIRE(has_line && are_same(&got, &want));
    }
    REQUIRE_OK(gs_join_reader_next(reader, shelf, &got, &has_line, &st), &st);
    CHECK(!has_line);
}

static void fill_and_forget(uint64_t seed)
{
    static uint8_t room[50 * BYTES_MAX + 64];
    gs_status st = {.code = GS_OK};
    uint64_t state = seed;
    gs_spill *spill = NULL;
    REQUIRE_OK(gs_spill_new(&spill, NULL, 0, &st), &st);
    gs_join_store store = {.spill = spill,
                           .block_bytes = 512 + check_random(&state) % 8192,
                           .memory_bytes = check_random(&state) % 100000};
    gs_join_shelf shelves[2] = {{.store = &store}, {.store = &store}};
    gs_join_reader reader = {0};
    for (unsigned round = 0; round < 12; round++) {
        gs_join_shelf *const shelf = &shelves[round % 2];
        const uint64_t count = check_random(&state) % LINES_MAX / (1 + round % 4 * 30);
        for (uint64_t i = 0; i < count; i++) {
            const gs_join_kept line = line_of(seed + round, i, room);
            REQUIRE_OK(gs_join_shelf_add(shelf, &line, &st), &st);
            CHECK(atomic_load(&store.held_bytes) <= store.memory_bytes);
        }
        CHECK(shelf->line_count == count);
        for (unsigned again = 0; again < 2; again++)
            check_lines(shelf, &reader, seed + round, count);
        if (round % 3 < 2) {
            gs_join_shelf_forget(shelf);
        } else {
            gs_join_shelf_release(shelf);
        }
        gs_join_reader_forget(&reader);
    }
    for (unsigned i = 0; i < 2; i++)
        gs_join_shelf_release(&shelves[i]);
    gs_join_reader_release(&reader);
    gs_spill_free(spill);
    CHECK(atomic_load(&store.held_bytes) == 0);
}

/* With memory for nothing it is all in the file but the block being filled. */
static void without_memory(void)
{
    gs_status st = {.code = GS_OK};
    gs_spill *spill = NULL;
    _Atomic uint64_t spilled = 0;
    uint8_t room[BYTES_MAX * 50 + 64];
    REQUIRE_OK(gs_spill_new(&spill, NULL, 0, &st), &st);
    gs_join_store store = {.spill = spill, .block_bytes = 4096, .spill_bytes = &spilled};
    gs_join_shelf shelf = {.store = &store};
    gs_join_reader reader = {0};
    const size_t before = gs_mem_held_bytes();
    for (uint64_t i = 0; i < 1000; i++) {
        const gs_join_kept line = line_of(5, i, room);
        REQUIRE_OK(gs_join_shelf_add(&shelf, &line, &st), &st);
    }
    CHECK(!gs_join_shelf_is_near(&shelf));
    CHECK(atomic_load(&spilled) > 100 * 1000);
    CHECK(gs_mem_held_bytes() - before < 64 << 10);
    check_lines(&shelf, &reader, 5, 1000);
    gs_join_shelf_release(&shelf);
    gs_join_reader_release(&reader);
    gs_spill_free(spill);
}

/* Files of shelves are in all folders in turn: what fails names the one of its own. A
 * shelf that took blocks of another still has them in the other's file. */
static void the_folder_of_the_file_is_named(void)
{
    static const char *const folders[] = {"this-one", "that-one"};
    gs_status st = {.code = GS_OK};
    gs_spill *spill = NULL;
    uint8_t room[BYTES_MAX * 50 + 64];
    for (unsigned i = 0; i < 2; i++)
        REQUIRE(mkdir(folders[i], 0700) == 0);
    REQUIRE_OK(gs_spill_new(&spill, folders, 2, &st), &st);
    gs_join_store store = {.spill = spill, .block_bytes = 4096};
    gs_join_shelf shelves[3] = {{.store = &store}, {.store = &store}, {.store = &store}};
    gs_join_reader reader = {0};
    for (unsigned i = 0; i < 2; i++) {
        for (uint64_t line = 0; line < 100; line++) {
            const gs_join_kept kept = line_of(5, line, room);
            REQUIRE_OK(gs_join_shelf_add(&shelves[i], &kept, &st), &st);
        }
        CHECK(ftruncate(shelves[i].fd, 0) == 0);
    }
    REQUIRE_OK(gs_join_shelf_take(&shelves[2], &shelves[1], 0, 1, 1, &st), &st);
    for (unsigned i = 0; i < 3; i++) {
        gs_join_kept got;
        bool has_line;
        gs_join_reader_rewind(&reader);
        CHECK(gs_join_reader_next(&reader, &shelves[i], &got, &has_line, &st) ==
              GS_ERR_IO);
        CHECK(strstr(st.msg, folders[i > 0]) != NULL);
        CHECK(strstr(st.msg, folders[i == 0]) == NULL);
        gs_status_clear(&st);
    }
    gs_join_reader_release(&reader);
    for (unsigned i = 3; i-- > 0;)
        gs_join_shelf_release(&shelves[i]);
    gs_spill_free(spill);
    for (unsigned i = 0; i < 2; i++)
        CHECK(rmdir(folders[i]) == 0);
}

int main(void)
{
    const uint64_t seed = check_seed(20);
    for (uint64_t i = 0; i < 20; i++)
        fill_and_forget(seed + i * 100);
    without_memory();
    the_folder_of_the_file_is_named();
    CHECK(gs_mem_held_bytes() == 0);
    return check_failures != 0;
}
