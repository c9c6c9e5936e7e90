/* SPDX-License-Identifier: MIT */
/* aio: every request ends once, moves all its bytes or says why not; on both back ends.
 */
#define CHECK_STARTS_THREADS

#include "io/aio.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { BLOCK = 8192, BLOCKS = 50, DEPTH = 7 };

static char data[BLOCKS][BLOCK], back[BLOCKS][BLOCK];

static void collect(gs_aio *aio, unsigned *seen, int64_t expected)
{
    gs_status st = {.code = GS_OK};
    gs_aio_done done;
    REQUIRE_OK(gs_aio_wait(aio, &done, &st), &st);
    seen[(uintptr_t)done.tag]++;
    CHECK(done.result == expected);
}

static void writes_and_reads_come_back(bool no_uring)
{
    gs_status st = {.code = GS_OK};
    gs_aio *aio = NULL;
    REQUIRE_OK(gs_aio_new(&aio, DEPTH, no_uring, &st), &st);
    gs_aio_register(aio, back, sizeof back);
    const int fd = open("file", O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(fd >= 0);
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof data; i++)
        data[i / BLOCK][i % BLOCK] = (char)check_random(&state);
    memset(back, 0, sizeof back);
    for (unsigned pass = 0; pass < 2; pass++) {
        unsigned seen[BLOCKS] = {0};
        for (uintptr_t i = 0; i < BLOCKS; i++) {
            if (gs_aio_in_flight(aio) == DEPTH)
                collect(aio, seen, BLOCK);
            void *const tag = (void *)i;
            const uint64_t offset = (BLOCKS - 1 - i) * BLOCK; /* backwards */
            if (pass == 0)
                REQUIRE_OK(gs_aio_write(aio, fd, data[i], BLOCK, offset, tag, &st), &st);
            else
                REQUIRE_OK(gs_aio_read(aio, fd, back[i], BLOCK, offset, tag, &st), &st);
        }
        while (gs_aio_in_flight(aio) > 0)
            collect(aio, seen, BLOCK);
        for (unsigned i = 0; i < BLOCKS; i++)
            CHECK(seen[i] == 1);
    }
    CHECK(memcmp(data, back, sizeof data) == 0);

    /* The end of the file, beyond it, and a descriptor that is none. */
    unsigned seen[4] = {0};
    REQUIRE_OK(gs_aio_read(aio, fd, back, BLOCK, sizeof data - 100, (void *)0, &st), &st);
    collect(aio, seen, 100);
    REQUIRE_OK(gs_aio_read(aio, fd, back, BLOCK, sizeof data + 5, (void *)1, &st), &st);
    collect(aio, seen, 0);
    REQUIRE_OK(gs_aio_read(aio, -1, back, BLOCK, 0, (void *)2, &st), &st);
    collect(aio, seen, -EBADF);
    /* Freed with requests in flight. */
    REQUIRE_OK(gs_aio_read(aio, fd, back, BLOCK, 0, (void *)3, &st), &st);
    gs_aio_free(aio);
    (void)close(fd);
    CHECK(gs_mem_held_bytes() == 0);
}

int main(void)
{
    writes_and_reads_come_back(false);
    writes_and_reads_come_back(true);
    return check_result();
}
