/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/range_memory.h"

#include "io/spill.h"
#include "lib/sort/run/run_record.h"

enum {
    WINDOW_MIN_BYTES = 32 << 10,
    WINDOW_MAX_BYTES = 1 << 20,
    CURSOR_OTHER_BYTES = 2048 + GS_RUN_SHARING_MAX, /* of a cursor besides blocks */
};

static size_t cursor_bytes(size_t window_bytes, size_t block_raw_bytes)
{
    return 2 * window_bytes + 2 * block_raw_bytes + CURSOR_OTHER_BYTES;
}

size_t gs_range_fan_in(size_t memory_bytes, unsigned workers, size_t block_raw_bytes)
{
    const size_t least = block_raw_bytes + GS_SPILL_ALIGN * 2 > WINDOW_MIN_BYTES
                             ? block_raw_bytes + GS_SPILL_ALIGN * 2
                             : WINDOW_MIN_BYTES;
    const size_t fan_in = memory_bytes / workers / cursor_bytes(least, block_raw_bytes);
    return fan_in < 2 ? 2 : fan_in;
}

/* What a worker needs for the run: a block in each of two windows, and two decoded. */
static size_t run_bytes(const gs_run *run)
{
    const size_t raw = run->raw_bytes_max;
    return cursor_bytes(raw > WINDOW_MIN_BYTES ? raw : WINDOW_MIN_BYTES, raw);
}

size_t gs_range_fitting(const gs_run *runs, size_t run_count, size_t memory_bytes)
{
    enum { LEAST = 4 };
    size_t sum = 0;
    for (size_t r = 0; r < run_count; r++) {
        sum += run_bytes(&runs[r]);
        if (sum > memory_bytes && r >= LEAST)
            return r;
    }
    return run_count;
}

unsigned gs_range_workers(const gs_run *runs, size_t run_count, size_t raw_bytes,
                          size_t memory_bytes, unsigned workers)
{
    enum { USUAL_BYTES = 256 << 10 };
    if (raw_bytes <= USUAL_BYTES)
        return workers;
    size_t sum = 0;
    for (size_t r = 0; r < run_count; r++)
        sum += run_bytes(&runs[r]);
    const size_t fitting = memory_bytes / sum;
    return fitting >= workers ? workers : fitting > 1 ? (unsigned)fitting : 1;
}

size_t gs_range_window_bytes(size_t worker_bytes, size_t run_count, size_t raw_bytes)
{
    const size_t share = worker_bytes / run_count;
    const size_t other = 2 * raw_bytes + CURSOR_OTHER_BYTES;
    size_t window = share > other ? (share - other) / 2 : 0;
    if (window < WINDOW_MIN_BYTES)
        window = WINDOW_MIN_BYTES;
    if (window > WINDOW_MAX_BYTES)
        window = WINDOW_MAX_BYTES;
    return window;
}
