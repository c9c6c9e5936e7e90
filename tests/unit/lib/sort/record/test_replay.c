/* SPDX-License-Identifier: MIT */
/*
 * replay: all that was read must come again, in its order and in whole records, from
 * memory and from the file behind it, whatever the length of a record.
 */
#include "lib/sort/record/replay.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sort/record/line_feed.h"
#include "tests/check.h"

enum { TEXT_MAX = 200000, PART = 1000, BATCHES_MAX = 1000 };

static uint64_t state;

/* Lines, some much longer than a part, or records of `size` bytes; returns their bytes.
 */
static size_t make_records(uint8_t *text, size_t most, size_t size)
{
    size_t used = 0;
    for (;;) {
        const uint64_t r = check_random(&state);
        const size_t length = size > 0 ? size : r % 50 == 0 ? r / 64 % 5000 : r / 64 % 40;
        if (used + length + 1 > most)
            return used;
        for (size_t i = 0; i < length; i++)
            text[used++] = (uint8_t)(check_random(&state) % 200 + 32);
        if (size == 0)
            text[used++] = '\n';
    }
}

static gs_replay make_replay(const uint8_t *text, size_t in_memory, size_t all)
{
    gs_status st = {.code = GS_OK};
    gs_replay r = {.map_bytes = in_memory + GS_BLOCK_SLACK, .bytes = in_memory};
    REQUIRE_OK(gs_mem_map(&r.memory, r.map_bytes, false, "text", &st), &st);
    memcpy(r.memory, text, in_memory);
    r.fd = all > in_memory ? open(".", O_RDWR | O_TMPFILE, 0600) : -1;
    r.file_bytes = all - in_memory;
    if (all > in_memory)
        REQUIRE(r.fd >= 0 && write(r.fd, text + in_memory, all - in_memory) ==
                                 (ssize_t)(all - in_memory));
    return r;
}

/* The first `in_memory` bytes are in memory; batches stay in use until the end. */
static void comes_again(const uint8_t *text, size_t in_memory, size_t all, size_t size)
{
    static gs_line_batch batches[BATCHES_MAX];
    gs_status st = {.code = GS_OK};
    const gs_part_form form = {.record_size = size, .eol = '\n', .part_bytes = PART};
    gs_replay r = make_replay(text, in_memory, all);
    size_t count = 0, at = 0;
    for (bool has_batch = true; has_batch;) {
        REQUIRE(count < BATCHES_MAX);
        REQUIRE_OK(gs_replay_next(&r, &form, &batches[count], &has_batch, &st), &st);
        count += has_batch;
    }
    for (size_t i = 0; i < count; i++) {
        const gs_line_batch *const b = &batches[i];
        REQUIRE(at + b->bytes <= all && memcmp(b->data, text + at, b->bytes) == 0);
        CHECK(size > 0 ? b->bytes % size == 0 : b->data[b->bytes - 1] == '\n');
        at += b->bytes;
        gs_line_batch_release(&batches[i]);
    }
    CHECK(at == all);
    gs_replay_release(&r);
    CHECK(r.memory == NULL);
}

/* Ends of records in the text, from which one is drawn. */
static size_t draw_end(const uint8_t *text, size_t bytes, size_t size)
{
    const size_t at = check_random(&state) % (bytes + 1);
    if (size > 0)
        return at / size * size;
    return gs_line_find_last(text, at, '\n');
}

/* A file that is shorter than it was is no end of the text. */
static void a_short_file_is_an_error(const uint8_t *text, size_t bytes)
{
    gs_status st = {.code = GS_OK};
    const gs_part_form form = {.eol = '\n', .part_bytes = PART};
    gs_replay r = make_replay(text, 0, bytes);
    gs_line_batch batch = {0};
    bool has_batch = true;
    REQUIRE(ftruncate(r.fd, (off_t)bytes / 2) == 0);
    while (has_batch && gs_replay_next(&r, &form, &batch, &has_batch, &st) == GS_OK)
        gs_line_batch_release(&batch);
    CHECK(st.code == GS_ERR_IO);
    gs_status_clear(&st);
    gs_replay_release(&r);
}

int main(void)
{
    static uint8_t text[TEXT_MAX];
    state = check_seed(29);
    for (unsigned round = 0; round < 60; round++) {
        const size_t size = round % 3 == 0 ? 1 + check_random(&state) % 3000 : 0;
        const size_t most = 1 + check_random(&state) % TEXT_MAX;
        const size_t bytes = make_records(text, most, size);
        comes_again(text, bytes, bytes, size);
        comes_again(text, draw_end(text, bytes, size), bytes, size);
        comes_again(text, 0, bytes, size);
        if (size == 0 && bytes > 20000)
            a_short_file_is_an_error(text, bytes);
    }
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
