/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/memory_plan.h"

#include <stdint.h>

#include "io/block.h"
#include "lib/base/machine.h"
#include "lib/sort/bucket/buckets.h"

enum { KIB = 1024, MIB = 1024 * 1024, WORKERS_MAX = 256 };

static size_t clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* The largest power of two that is not greater. */
static size_t power_below(size_t x)
{
    size_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

/* All that is not the chunk, while runs are formed. */
static size_t fixed_bytes(const gs_memory_plan *p, bool is_keyed)
{
    const size_t input =
        p->block_count * (p->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK);
    const size_t scratch = is_keyed ? p->workers * 6 * p->block_bytes : 0;
    const size_t pieces =
        p->workers * (2 * p->piece_bytes + p->copy_bytes + 4 * p->run_block_bytes);
    return input + scratch + pieces + p->stream_blocks * p->stream_block_bytes;
}

/* Where address space is limited, all that is mapped counts, used or not: maps twice as
 * large as a chunk, each rounded up, and the stacks of threads. Of `usable`, what that
 * leaves; fewer workers if their stacks would take too much. */
static size_t fit_address_space(size_t usable, size_t space, unsigned *workers)
{
    enum { HELPERS = 8 }; /* other threads, at most */
    const size_t stack = gs_machine_thread_stack_bytes();
    const size_t threads = space / (4 * stack);
    *workers = (unsigned)clamp(*workers, 1, threads > HELPERS ? threads - HELPERS : 1);
    const size_t taken = (*workers + HELPERS) * stack + (size_t)8 * MIB;
    return clamp(usable, 0, space > taken ? (space - taken) / 5 * 2 : 0);
}

/* For copies of single buckets, or of some where the arena may be large; what a chunk
 * leaves free comes to that. */
static size_t copy_bytes(const gs_memory_plan *p, size_t usable, bool is_keyed)
{
    enum { SHARE = 256 };
    const size_t one = 2 * p->piece_bytes;
    if (usable > GS_BUCKET_COPY_ARENA_MIN / 2)
        return clamp(usable / (SHARE * p->workers), one, (size_t)64 * MIB);
    return is_keyed && usable > GS_BUCKET_COPY_KEYED_MIN ? one : 0;
}

/* A line that is too long for S is no reason to give up while the machine has memory. It
 * is there up to six times: carried from block to block, as a record, in a run's block.
 */
static void plan_long_records(gs_memory_plan *p, size_t available_share)
{
    enum { PLACES = 6, COPIES = 8 }; /* with keys, a record is longer than its line */
    const bool has_more = !p->is_space_limited && available_share > p->chunk_bytes;
    const size_t share = has_more ? available_share : p->chunk_bytes;
    p->record_bytes_max = clamp(share / PLACES, MIB, (size_t)1 << 31);
    p->too_long_hint =
        p->is_space_limited
            ? "give more memory with -S and more address space with ulimit -v"
            : "a line may take a sixth of the memory that is available, and 2 GiB";
    /* Where addresses cost nothing. */
    p->first_copies_max = p->is_space_limited ? 0 : COPIES * p->record_bytes_max;
}

gs_memory_plan gs_memory_plan_make(size_t memory_bytes, unsigned threads, bool is_keyed)
{
    gs_memory_plan p = {0};
    const gs_memory_share memory = gs_machine_memory_share(memory_bytes);
    p.limit_bytes = memory.limit_bytes;
    p.workers = threads ? threads : gs_machine_cores();
    p.workers = (unsigned)clamp(p.workers, 1, WORKERS_MAX);
    const size_t space = gs_machine_address_space_left();
    const bool is_limited = space < SIZE_MAX;
    p.is_space_limited = is_limited;
    size_t usable = memory.usable_bytes;
    if (is_limited)
        usable = fit_address_space(usable, space, &p.workers);
    /* Of little memory, long lines need more than threads do. */
    const size_t most_fixed = usable < 48 * MIB ? usable / 4 : usable / 2;
    p.block_bytes = clamp(power_below(usable / 256), 64 * KIB, MIB);
    p.stream_block_bytes = clamp(power_below(usable / 1024), p.block_bytes, 4 * MIB);
    for (;;) {
        p.block_count = GS_BLOCKS_IN_FLIGHT + 2 * (size_t)p.workers;
        p.stream_blocks = 8 + 2 * (size_t)p.workers;
        p.piece_bytes = 4 * p.block_bytes;
        p.copy_bytes = copy_bytes(&p, usable, is_keyed);
        p.run_block_bytes = clamp(p.block_bytes / 8, 32 * KIB, 64 * KIB);
        if (p.workers == 1 || fixed_bytes(&p, is_keyed) < most_fixed)
            break;
        p.workers /= 2;
    }
    const size_t fixed = fixed_bytes(&p, is_keyed);
    const size_t chunk_bytes_min = (is_limited || memory.is_scarce ? 2 : 8) * (size_t)MIB;
    p.chunk_bytes = usable > fixed + chunk_bytes_min ? usable - fixed : chunk_bytes_min;
    p.chunk_soft_bytes = p.chunk_bytes;
    /* Who asks for next to nothing expects more than that to be spilled. The chunks that
     * follow are as large as ever. */
    p.first_soft_bytes = p.limit_bytes < 2 * MIB
                             ? clamp(p.limit_bytes, 32 * KIB, p.chunk_bytes)
                             : p.chunk_bytes;
    /* A piece is text and, swapped with it, what is on its way out. */
    p.merge_piece_bytes = clamp(usable / (8 * p.workers), 256 * KIB, 12 * MIB);
    const size_t merge_fixed = p.stream_blocks * p.stream_block_bytes +
                               p.workers * (2 * p.merge_piece_bytes + MIB);
    p.merge_bytes = usable > merge_fixed + 4 * MIB ? usable - merge_fixed : 4 * MIB;
    /* Lines may be empty: fifty bytes for one of them, and as much again with keys, which
     * every worker makes for itself. */
    const size_t parts = 128 * (is_keyed ? p.workers : 1);
    p.part_bytes = clamp(power_below(p.chunk_bytes / parts), 64 * KIB, MIB);
    plan_long_records(&p, memory.available_bytes - memory.available_bytes / 4);
    return p;
}

void gs_memory_plan_shrink(gs_memory_plan *plan)
{
    plan->chunk_soft_bytes = clamp(plan->limit_bytes, 32 * KIB, plan->chunk_bytes);
    plan->block_bytes =
        clamp(power_below(plan->chunk_soft_bytes / 64), 4 * KIB, plan->block_bytes);
    plan->stream_block_bytes = plan->block_bytes;
}
