/* SPDX-License-Identifier: MIT */
/*
 * gpu_feed: how fast the host can feed a GPU from a file in the page cache, without one.
 *
 *      gpu_feed FILE [-r RECORD_BYTES] [-b BLOCK_BYTES] [THREADS...]
 *
 * Copies the file into blocks in its order and counts its records, as a sort on a GPU
 * does, and lets each block go at once, as if its upload took no time: by the threads of
 * a batch_ring, so many at a time (default: 1, 2, 4, ... all cores), in blocks as the
 * plan has them unless others are asked for; and, beside it, by one thread that takes
 * batches of the line feed, as pipes are read. Each way three times, in turn. Prints
 * GB/s, and the time that all threads together worked on a byte, of the best; what was
 * counted is the same by all of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/sort/device/input_batches.h"
#include "tests/feed_job.h"

enum { WAYS_MAX = 16, TIMES = 3 };

/* Seconds, of the clock and of all threads together. */
typedef struct taken_time {
    double wall, work;
} taken_time;

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

static taken_time now(void)
{
    struct rusage use;
    (void)getrusage(RUSAGE_SELF, &use);
    return (taken_time){1e-9 * (double)gs_machine_now_ns(),
                        seconds(use.ru_utime) + seconds(use.ru_stime)};
}

static gs_code read_ring(feed_job *j, gs_multiset *records, gs_status *st)
{
    gs_batch_ring *ring = NULL;
    const gs_ring_batch *batch = NULL;
    bool is_ended = false;
    gs_input_batches input = {.forming = &j->forming};
    const gs_batch_source source = gs_input_batches_source(&input);
    GS_TRY(gs_batch_ring_new(&ring, &j->forming, &source, st));
    while (gs_batch_ring_next(ring, true, &batch, &is_ended, st) == GS_OK && !is_ended) {
        gs_multiset_join(records, &batch->records);
        gs_batch_ring_give(ring);
        gs_batch_ring_release(ring);
    }
    gs_batch_ring_free(ring);
    return st->code;
}

static gs_code read_batches(feed_job *j, gs_multiset *records, gs_status *st)
{
    gs_line_batch batch;
    bool has_batch = true;
    for (;;) {
        GS_TRY(gs_line_feed_next(j->in.feed, &batch, &has_batch, st));
        if (!has_batch)
            return GS_OK;
        gs_multiset_add_text(records, &j->watched.form, batch.data, batch.bytes);
        gs_line_batch_release(&batch);
    }
}

/* What is asked for. */
typedef struct feed_wish {
    const char *name[1];
    gs_order order;
    size_t block_bytes;      /* 0: as planned */
    unsigned ways[WAYS_MAX]; /* threads; 0: by batches of the line feed */
    size_t way_count;
} feed_wish;

static gs_code measure(const feed_wish *wish, unsigned threads, taken_time *taken,
                       gs_multiset *records, gs_status *st)
{
    feed_job j = {.options = {.order = wish->order,
                              .inputs = wish->name,
                              .input_count = 1,
                              .memory_bytes = (size_t)4 << 30,
                              .threads = threads > 0 ? threads : 1}};
    *records = (gs_multiset){0};
    if (feed_job_open(&j, 0, wish->block_bytes, 0, st) == GS_OK && threads > 0 &&
        !gs_input_batches_map(&j.forming, STDOUT_FILENO, &j.in.map))
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s is not in the page cache", wish->name[0]);
    const taken_time begin = now();
    if (st->code == GS_OK)
        GS_NOTED(threads > 0 ? read_ring(&j, records, st)
                             : read_batches(&j, records, st));
    const taken_time end = now();
    *taken = (taken_time){end.wall - begin.wall, end.work - begin.work};
    feed_job_close(&j);
    return st->code;
}

static gs_code compare(const feed_wish *wish, gs_status *st)
{
    taken_time best[WAYS_MAX] = {0};
    gs_multiset first = {0}, records;
    for (unsigned time = 0; time < TIMES; time++) {
        for (size_t i = 0; i < wish->way_count; i++) {
            taken_time taken;
            GS_TRY(measure(wish, wish->ways[i], &taken, &records, st));
            if (time == 0 && i == 0)
                first = records;
            if (!gs_multiset_is_equal(&first, &records))
                return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s was counted otherwise",
                               wish->name[0]);
            if (time == 0 || taken.wall < best[i].wall)
                best[i] = taken;
        }
    }
    const uint64_t eols = wish->order.record_size > 0 ? 0 : first.records;
    const double bytes = (double)(first.bytes + eols);
    printf("%.2f GB, %llu records\n\n", bytes * 1e-9, (unsigned long long)first.records);
    printf("| way | GB/s | ns of work a byte |\n|---|---|---|\n");
    for (size_t i = 0; i < wish->way_count; i++) {
        char way[40] = "batches, 1 thread";
        if (wish->ways[i] > 0)
            (void)snprintf(way, sizeof way, "ring, %u threads", wish->ways[i]);
        printf("| %s | %.1f | %.3f |\n", way, bytes * 1e-9 / best[i].wall,
               best[i].work * 1e9 / bytes);
    }
    return GS_OK;
}

/* False if it makes no sense. */
static bool understand(feed_wish *wish, int argc, char **argv)
{
    wish->order = (gs_order){.eol = '\n', .delimiter = GS_ORDER_BLANK_FIELDS};
    wish->way_count = 1; /* batches */
    if (argc < 2)
        return false;
    wish->name[0] = argv[1];
    for (int at = 2; at < argc; at++) {
        const bool has_value = argv[at][0] == '-' && at + 1 < argc;
        if (has_value && strcmp(argv[at], "-r") == 0)
            wish->order.record_size = strtoul(argv[++at], NULL, 10);
        else if (has_value && strcmp(argv[at], "-b") == 0)
            wish->block_bytes = strtoul(argv[++at], NULL, 10);
        else if (wish->way_count < WAYS_MAX && strtoul(argv[at], NULL, 10) > 0)
            wish->ways[wish->way_count++] = (unsigned)strtoul(argv[at], NULL, 10);
        else
            return false;
    }
    const bool has_threads = wish->way_count > 1;
    for (unsigned n = 1; !has_threads && n <= gs_machine_cores(); n *= 2)
        wish->ways[wish->way_count++] = n;
    return true;
}

int main(int argc, char **argv)
{
    gs_status st = {.code = GS_OK};
    feed_wish wish = {0};
    if (!understand(&wish, argc, argv)) {
        fprintf(stderr, "usage: gpu_feed FILE [-r RECORD_BYTES] [-b BLOCK_BYTES] "
                        "[THREADS...]\n");
        return 2;
    }
    if (compare(&wish, &st) == GS_OK)
        return 0;
    fprintf(stderr, "gpu_feed: %s\n", st.msg);
    return 1;
}
