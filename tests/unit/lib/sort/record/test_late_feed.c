/* SPDX-License-Identifier: MIT */
/*
 * line_feed, of a file in the page cache whose blocks are read by who takes them: several
 * threads get each line once, in batches whose places and tickets say where they belong,
 * also where lines are longer than the headroom or than blocks, and have to wait for the
 * memory of others; a file that loses its end meanwhile is a failure.
 */
#include "lib/sort/record/line_feed.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CHECK_STARTS_THREADS
#include "tests/check.h"

enum { BLOCK = 256 << 10, BYTES = 20 << 20, THREADS = 4, BATCHES_MAX = 4096 };

typedef struct reading {
    gs_line_feed *feed;
    const uint8_t *text; /* of the file, read by nobody else */
    uint8_t *seen;       /* a byte of these for each of it */
    uint64_t offsets[BATCHES_MAX];
    size_t long_max; /* for lines in use that are longer than blocks; 0: any */
    atomic_size_t batches, late_failures, waits;
} reading;

/* There is no memory for a long line: others have it, or the limit is raised. */
static void wait_for_room(reading *r)
{
    CHECK(r->long_max > 0);
    atomic_fetch_add(&r->waits, 1);
    if (gs_line_feed_long_bytes(r->feed) == 0)
        gs_line_feed_set_long_max(r->feed, BYTES);
    sched_yield();
}

static void *read_main(void *context)
{
    reading *const r = context;
    bool has_batch = true;
    while (has_batch) {
        gs_status st = {.code = GS_OK};
        gs_line_batch batch;
        if (gs_line_feed_next(r->feed, &batch, &has_batch, &st) != GS_OK) {
            CHECK(st.code == GS_ERR_IO && strstr(st.msg, "shorter") != NULL);
            atomic_fetch_add(&r->late_failures, 1);
            return NULL;
        }
        if (batch.is_held) {
            wait_for_room(r);
            has_batch = true;
            continue;
        }
        if (!has_batch)
            return NULL;
        CHECK(r->long_max == 0 || gs_line_feed_long_bytes(r->feed) <= BYTES);
        REQUIRE(batch.offset + batch.bytes <= BYTES && batch.ticket < BATCHES_MAX);
        CHECK(memcmp(batch.data, r->text + batch.offset, batch.bytes) == 0);
        CHECK(batch.data[batch.bytes - 1] == '\n' || batch.lacks_final_eol);
        for (size_t i = 0; i < batch.bytes; i++)
            r->seen[batch.offset + i]++;
        r->offsets[batch.ticket] = batch.offset;
        atomic_fetch_add(&r->batches, 1);
        gs_line_batch_release(&batch);
    }
    return NULL;
}

/* Lines of up to `most` bytes, and then some that are far longer. */
static void make_text(uint8_t *text, size_t most, size_t longest)
{
    uint64_t seed = check_seed(5);
    memset(text, 'x', BYTES);
    for (size_t at = 0;;) {
        const size_t bytes = check_random(&seed) % 512 == 0
                                 ? 1 + check_random(&seed) % longest
                                 : 1 + check_random(&seed) % most;
        if (bytes >= BYTES - at)
            return;
        at += bytes;
        text[at - 1] = '\n';
        text[at] = (uint8_t)check_random(&seed) | 0x20;
    }
}

static void read_all(const uint8_t *text, size_t long_max, bool gets_shorter)
{
    static reading r;
    const char *const names[] = {"late"};
    gs_status st = {.code = GS_OK};
    gs_block_pool *pool = NULL;
    gs_input *in = NULL;
    FILE *const file = fopen("late", "w");
    REQUIRE(file != NULL && fwrite(text, 1, BYTES, file) == BYTES && fclose(file) == 0);
    REQUIRE_OK(gs_block_pool_new(&pool, BLOCK, 4 + 2 * THREADS, &st), &st);
    const gs_input_options options = {
        .pool = pool, .blocks_in_flight = 2, .decode_threads = 1, .cached_readers = 2};
    REQUIRE_OK(gs_input_new(&in, names, 1, &options, &st), &st);
    const gs_line_feed_options how = {.eol = '\n',
                                      .record_bytes_max = BYTES,
                                      .long_bytes_max = long_max,
                                      .names = names};
    const gs_block_source source = gs_block_source_input(in);
    r = (reading){.text = text, .seen = calloc(BYTES, 1), .long_max = long_max};
    REQUIRE(r.seen != NULL);
    REQUIRE_OK(gs_line_feed_new(&r.feed, &source, &how, &st), &st);
    if (gets_shorter) {
        gs_line_batch first;
        bool has_batch;
        REQUIRE_OK(gs_line_feed_next(r.feed, &first, &has_batch, &st), &st);
        gs_line_batch_release(&first);
        REQUIRE(truncate("late", BYTES / 2) == 0);
    }
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, read_main, &r) == 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK((r.late_failures > 0) == gets_shorter);
    CHECK(long_max == 0 ? r.waits == 0 : long_max >= BLOCK || r.waits > 0);
    CHECK(gs_line_feed_long_bytes(r.feed) == 0);
    for (size_t i = 0; i < BYTES && !gets_shorter; i++)
        REQUIRE(r.seen[i] == 1);
    for (size_t i = 1; i < r.batches && !gets_shorter; i++)
        REQUIRE(r.offsets[i] > r.offsets[i - 1]);
    gs_line_feed_free(r.feed);
    gs_input_free(in);
    gs_block_pool_free(pool);
    free(r.seen);
    (void)unlink("late");
}

int main(void)
{
    uint8_t *const text = malloc(BYTES + 1);
    REQUIRE(text != NULL);
    make_text(text, 300, 2000);
    read_all(text, 0, false);
    read_all(text, 0, true);
    make_text(text, 5000, (size_t)3 * BLOCK);
    read_all(text, 0, false);
    read_all(text, 0, true);
    read_all(text, BLOCK / 2, false); /* less than one of them */
    read_all(text, (size_t)4 * BLOCK, false);
    free(text);
    return check_result();
}
