/* SPDX-License-Identifier: MIT */
/*
 * input_head: small is what is small once it is unpacked; what was read of a pipe comes
 * once and first, of plain and of compressed ones, also where a thread reads the rest.
 */
#define CHECK_STARTS_THREADS

#include "io/input_head.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "io/input.h"
#include "lib/base/mem.h"
#include "tests/check.h"

enum { HEAD = GS_INPUT_HEAD_BYTES, TEXT = 4 * HEAD, BLOCK = 65536 };

static uint8_t text[TEXT], packed[TEXT + 4096], got[2 * TEXT];

static void write_file(const char *name, const void *data, size_t bytes)
{
    const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0 && write(fd, data, bytes) == (ssize_t)bytes);
    (void)close(fd);
}

static bool is_small(const char *const *names, size_t count, bool keep_compressed)
{
    gs_status st = {.code = GS_OK};
    gs_input_head head;
    REQUIRE_OK(gs_input_head_look(&head, names, count, keep_compressed, NULL, &st), &st);
    CHECK(head.data == NULL);
    const bool is_small = head.is_small;
    gs_input_head_release(&head);
    return is_small;
}

/* Files are small if all are, plain, and have a size. */
static void sizes_of_files(void)
{
    const char *const some[] = {"a", "b"};
    const size_t packed_bytes = ZSTD_compress(packed, sizeof packed, text, TEXT, 3);
    REQUIRE(packed_bytes < 1000);
    write_file("a", text, HEAD - 10);
    write_file("b", text, 10);
    CHECK(is_small(some, 2, false) && is_small(some, 1, false));
    write_file("b", text, 11);
    CHECK(!is_small(some, 2, false) && is_small(some + 1, 1, false));
    write_file("b", "", 0);
    CHECK(!is_small(some + 1, 1, false) && !is_small(some, 2, false));
    write_file("b", packed, packed_bytes);
    CHECK(!is_small(some + 1, 1, false) && is_small(some + 1, 1, true));
    CHECK(!is_small((const char *const[]){"/dev/null"}, 1, false));
    CHECK(!is_small((const char *const[]){"nothing"}, 1, false));
    CHECK(!is_small((const char *const[]){"a", "-"}, 2, false));
    const char *const many[] = {"b", "b", "b", "b", "b", "b", "b", "b", "b"};
    write_file("b", text, 1);
    CHECK(is_small(many, 8, false) && !is_small(many, 9, false));
}

/* Puts `bytes` into a pipe that becomes standard input; a child writes. */
static void feed(const uint8_t *data, size_t bytes)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        while (bytes > 0) {
            const ssize_t n = write(ends[1], data, bytes < 5000 ? bytes : 5000);
            if (n <= 0)
                break;
            data += n;
            bytes -= (size_t)n;
        }
        _exit(0);
    }
    REQUIRE(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

/* Looks at the pipe and reads all of it; how many bytes came. */
static size_t read_pipe(bool *was_small, size_t *head_bytes)
{
    static const char *const name[] = {"-"};
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    gs_block *block;
    gs_input_head head;
    size_t bytes = 0;
    REQUIRE_OK(gs_input_head_look(&head, name, 1, false, NULL, &st), &st);
    *was_small = head.is_small;
    *head_bytes = head.bytes;
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, 4, &st), &st);
    _Atomic uint64_t counted = 0;
    const gs_input_options options = {.pool = pool,
                                      .blocks_in_flight = 3,
                                      .decode_threads = 2,
                                      .decode_bytes_max = (size_t)64 << 20,
                                      .head = &head,
                                      .bytes_read = &counted};
    REQUIRE_OK(gs_input_new(&in, name, 1, &options, &st), &st);
    REQUIRE_OK(gs_input_begin(in, &st), &st);
    CHECK(gs_input_is_small(in) == *was_small || !*was_small);
    for (;;) {
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        if (block == NULL)
            break;
        REQUIRE(bytes + block->len <= sizeof got);
        memcpy(got + bytes, block->data, block->len);
        bytes += block->len;
        gs_block_release(block);
    }
    CHECK(counted > 0 || bytes == 0);
    gs_input_free(in);
    gs_input_head_release(&head);
    gs_block_pool_free(pool);
    return bytes;
}

static void pipes(void)
{
    static const size_t sizes[] = {0,    1,        3,        5000,        HEAD - 1,
                                   HEAD, HEAD + 1, 2 * HEAD, 3 * HEAD + 7};
    bool was_small;
    size_t head_bytes;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        feed(text, sizes[i]);
        CHECK(read_pipe(&was_small, &head_bytes) == sizes[i]);
        CHECK(memcmp(got, text, sizes[i]) == 0);
        CHECK(was_small == (sizes[i] < HEAD));
        CHECK(head_bytes == (sizes[i] < HEAD ? sizes[i] : (size_t)HEAD));
    }
}

static void packed_pipes(void)
{
    bool was_small;
    size_t head_bytes;
    uint64_t state = check_seed(9);
    for (size_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)(check_random(&state) >> 56);
    const size_t large = ZSTD_compress(packed, sizeof packed, text, TEXT, 1);
    REQUIRE(large > HEAD);
    feed(packed, large);
    CHECK(read_pipe(&was_small, &head_bytes) == TEXT && !was_small);
    CHECK(memcmp(got, text, TEXT) == 0 && head_bytes == HEAD);
    memset(text, 'x', TEXT);
    const size_t little = ZSTD_compress(packed, sizeof packed, text, TEXT, 1);
    feed(packed, little);
    CHECK(read_pipe(&was_small, &head_bytes) == TEXT && !was_small);
    CHECK(memcmp(got, text, TEXT) == 0 && head_bytes == little);
}

int main(void)
{
    for (size_t i = 0; i < TEXT; i++)
        text[i] = (uint8_t)("abcd\n"[i % 5]);
    sizes_of_files();
    pipes();
    packed_pipes();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
