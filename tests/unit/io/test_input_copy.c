/* SPDX-License-Identifier: MIT */
/*
 * input_copy: who begins again with what came through pipes must get every byte of them
 * once, and in order, wherever the first input was given up: before a pipe, within it,
 * when its writer was gone, or was not; of a compressed one too. Where nothing can be
 * kept that is told, and the first input has all the same. What is read of the copy must
 * have left the stream that writes it, and what a second input adds comes behind that.
 */
#define CHECK_STARTS_THREADS

#include "io/input_copy.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "io/input.h"
#include "lib/base/mem.h"
#include "tests/check.h"

/* All of them together are more than the copy has in memory. */
enum { PIPES = 3, MOST = 1000000, BLOCK = 65536, BLOCKS = 4, FULL = 700000 };

_Static_assert(PIPES *MOST > GS_INPUT_COPY_BYTES, "some of it is in the file early");

static uint8_t texts[PIPES][MOST], packed[2 * MOST], got[PIPES * MOST];

typedef struct fed_pipe {
    char name[8];
    const uint8_t *data;
    size_t bytes;
    pthread_t writer;
} fed_pipe;

static void *feed(void *context)
{
    const fed_pipe *const p = context;
    const int fd = open(p->name, O_WRONLY);
    for (size_t at = 0; at < p->bytes;) {
        const size_t n = p->bytes - at < 777 ? p->bytes - at : 777;
        REQUIRE(write(fd, p->data + at, n) == (ssize_t)n);
        at += n;
    }
    (void)close(fd);
    return NULL;
}

/* Takes blocks until there are so many bytes or no more; how many there are. */
static size_t read_some(const char *const *names, size_t count, gs_input_copy *copy,
                        size_t most)
{
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    size_t bytes = 0;
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, BLOCKS, &st), &st);
    const gs_input_options options = {
        .pool = pool, .blocks_in_flight = BLOCKS - 1, .decode_threads = 1, .copy = copy};
    REQUIRE_OK(gs_input_new(&in, names, count, &options, &st), &st);
    while (bytes < most) {
        gs_block *block = NULL;
        REQUIRE_OK(gs_input_next(in, &block, &st), &st);
        if (block == NULL)
            break;
        REQUIRE(bytes + block->len <= sizeof got);
        memcpy(got + bytes, block->data, block->len);
        bytes += block->len;
        gs_block_release(block);
    }
    gs_input_free(in);
    gs_block_pool_free(pool);
    return bytes;
}

static void limit_files(rlim_t bytes)
{
    const struct rlimit limit = {.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
    REQUIRE(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

/* All pipes, and a file among them, given up at `stop`; then from the beginning, which is
 * given up as well; then from there again. */
static void begin_again(uint64_t *seed, size_t stop, const char *folder)
{
    gs_status st = {.code = GS_OK};
    fed_pipe pipes[PIPES];
    const char *names[PIPES + 1];
    gs_input_copy *copy = NULL;
    static uint8_t all[(PIPES + 1) * MOST];
    size_t all_bytes = 0;
    for (size_t i = 0; i < PIPES; i++) {
        const size_t bytes = stop == SIZE_MAX ? MOST - 9 : check_random(seed) % MOST;
        pipes[i] = (fed_pipe){.data = texts[i], .bytes = bytes};
        (void)snprintf(pipes[i].name, sizeof pipes[i].name, "pipe%zu", i);
        if (i == 1)
            pipes[i].bytes = ZSTD_compress(packed, sizeof packed, texts[i], bytes, 1);
        if (i == 1)
            pipes[i].data = packed;
        REQUIRE(mkfifo(pipes[i].name, 0600) == 0);
        memcpy(all + all_bytes, texts[i], bytes);
        all_bytes += bytes;
        names[i < 2 ? i : i + 1] = pipes[i].name;
        if (i == 1) { /* and a file behind it */
            const int fd = open("plain", O_WRONLY | O_CREAT | O_TRUNC, 0600);
            REQUIRE(write(fd, "a file\n", 7) == 7);
            (void)close(fd);
            memcpy(all + all_bytes, "a file\n", 7);
            all_bytes += 7;
            names[2] = "plain";
        }
        REQUIRE(pthread_create(&pipes[i].writer, NULL, feed, &pipes[i]) == 0);
    }
    REQUIRE_OK(gs_input_copy_new(&copy, &folder, 1, &st), &st);
    const bool is_full = stop == SIZE_MAX; /* and the pipes have more than that */
    const bool can_keep = strcmp(folder, ".") == 0 && !is_full;
    if (is_full)
        limit_files(FULL);
    const size_t first = read_some(names, PIPES + 1, copy, can_keep ? stop : SIZE_MAX);
    CHECK(first <= all_bytes && memcmp(got, all, first) == 0);
    CHECK(gs_input_copy_is_whole(copy) == (can_keep || stop == 0));
    if (is_full)
        limit_files(RLIM_INFINITY);
    if (can_keep) {
        const size_t second =
            read_some(names, PIPES + 1, copy, check_random(seed) % (PIPES * MOST));
        CHECK(second <= all_bytes && memcmp(got, all, second) == 0);
        CHECK(gs_input_copy_is_whole(copy));
        gs_input_copy_stop(copy);
        CHECK(read_some(names, PIPES + 1, copy, SIZE_MAX) == all_bytes);
        CHECK(memcmp(got, all, all_bytes) == 0);
    } else {
        CHECK(first == all_bytes);
    }
    for (size_t i = 0; i < PIPES; i++) {
        REQUIRE(pthread_join(pipes[i].writer, NULL) == 0);
        (void)unlink(pipes[i].name);
    }
    gs_input_copy_free(copy);
}

int main(void)
{
    uint64_t seed = check_seed(37);
    char folder[] = "/tmp/gpusort-test.XXXXXX";
    REQUIRE(mkdtemp(folder) != NULL && chdir(folder) == 0);
    for (size_t i = 0; i < PIPES; i++) {
        for (size_t k = 0; k < MOST; k++)
            texts[i][k] = (uint8_t)(check_random(&seed) % 60 + 'A');
    }
    for (int round = 0; round < (check_is_long() ? 300 : 12); round++)
        begin_again(&seed, round == 0 ? 0 : check_random(&seed) % (PIPES * MOST), ".");
    begin_again(&seed, 1, "none");
    (void)signal(SIGXFSZ, SIG_IGN);
    begin_again(&seed, SIZE_MAX, ".");
    (void)unlink("plain");
    REQUIRE(chdir("/") == 0 && rmdir(folder) == 0);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
