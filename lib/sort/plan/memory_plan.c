/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/memory_plan.h"

#include <stdint.h>

#include "io/block.h"
#include "lib/base/machine.h"
#include "lib/base/share.h"
#include "lib/sort/bucket/buckets.h"

enum {
    KIB = 1024,
    MIB = 1024 * 1024,

    /* Blocks. Larger ones than 1 MiB read no faster; smaller ones than 64 KiB cost more
     * in calls than in bytes. Of a small S they are a small part, so that those in flight
     * leave the most of it to the chunk. Writes gain from larger blocks. */
    BLOCK_SHARE = 256,
    BLOCK_MIN = 64 * KIB,
    BLOCK_ENOUGH = 256 * KIB, /* of lists, where they are the way to keep all workers */
    BLOCK_MAX = MIB,
    STREAM_BLOCK_SHARE = 1024,
    STREAM_BLOCK_MAX = 4 * MIB,
    STREAM_BLOCKS = 8,        /* of output in flight, besides those of the workers */
    BLOCKS_A_WORKER = 2,      /* of input and of output: one in use, one on its way */
    RUN_BLOCK_SHARE = 8,      /* of an input block: a merge holds a block of every run */
    RUN_BLOCK_MIN = 32 * KIB, /* a smaller one is hardly compressed */
    RUN_BLOCK_MAX = 64 * KIB,
    PIECE_BLOCKS = 4,   /* a piece outlasts the wait for a turn */
    SCRATCH_BLOCKS = 6, /* keys and lines of a batch, arrays that doubled */

    /* What is not the chunk may take half of the memory, of little memory a quarter:
     * there long lines need more than threads do. */
    LITTLE = 48 * MIB,
    FIXED_SHARE = 2,
    FIXED_SHARE_OF_LITTLE = 4,
    CHUNK_MIN = 8 * MIB,        /* that no sort does without, */
    CHUNK_MIN_SCARCE = 2 * MIB, /* but where there is no more */

    /* A merge works best in pieces as large as a range, which is a small part of all that
     * a worker has; of more than 12 MiB they leave the cache. */
    MERGE_PIECE_SHARE = 8,
    MERGE_PIECE_MIN = 256 * KIB,
    MERGE_PIECE_MAX = 12 * MIB,
    MERGE_MIN = 4 * MIB,

    PARTS_A_CHUNK = 128, /* of mapped text: fine enough for all workers to end together */
    DECODE_SHARE = 32,   /* of the chunk */
    MAPPED_SHARE = 8,    /* of S */
    CACHED_SHARE = 12,   /* of what is available; the kernel begins to write at a tenth */
    HELD_BACK_SHARE = 2, /* of the chunk: the other half is for cores, after a failure */
    /* What a GPU is fed from: while blocks go up a worker fills another. More gains less
     * than it takes to lock it in place. */
    FEED_SHARE = 8, /* of the chunk */
    FEED_BLOCKS_A_WORKER = 4,
    FEED_BLOCKS_A_WORKER_MIN = 2, /* where blocks are small */
    FEED_BLOCK_MIN = 64 * KIB,
    FEED_BLOCK_MAX = 2 * MIB, /* stays in a core's cache from the copy to the count */
    LIMIT_MIN = 32 * KIB,     /* an S that is taken at its word is at least this */
};

/* All that is not the chunk, while runs are formed. */
static size_t fixed_bytes(const gs_memory_plan *p, bool is_keyed)
{
    const size_t input =
        p->block_count * (p->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK);
    const size_t scratch = is_keyed ? p->workers * SCRATCH_BLOCKS * p->block_bytes : 0;
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
    *workers = (unsigned)gs_clamp(*workers, 1, threads > HELPERS ? threads - HELPERS : 1);
    const size_t taken = (*workers + HELPERS) * stack + (size_t)8 * MIB;
    /* Two maps of it, and a half for rounding and for what is small. */
    return gs_clamp(usable, 0, space > taken ? (space - taken) / 5 * 2 : 0);
}

/* For copies of single buckets, or of some where the arena may be large; what a chunk
 * leaves free comes to that. */
static size_t copy_bytes(const gs_memory_plan *p, size_t usable, bool is_keyed)
{
    enum { SHARE = 256, MOST = 64 * MIB };
    const size_t one = 2 * p->piece_bytes;
    if (usable > GS_BUCKET_COPY_ARENA_MIN / 2)
        return gs_clamp(usable / (SHARE * p->workers), one, (size_t)MOST);
    return is_keyed && usable > GS_BUCKET_COPY_KEYED_MIN ? one : 0;
}

/* A line that is too long for S is no reason to give up while the machine has memory. It
 * is there up to six times: carried from block to block, as a record, in a run's block.
 * A fourth of what is available is left to others, and a sixth of the rest is the eighth
 * that the hint, the man page and lib/sort/record/README.md speak of. From when on a line
 * takes more than S is another matter: of a twentieth of S on, say man page and README.
 */
static void plan_long_records(gs_memory_plan *p, size_t available)
{
    enum { PLACES = 6, COPIES = 8 }; /* with keys, a record is longer than its line */
    enum { LEFT_PART = 4 };
    _Static_assert(PLACES * LEFT_PART == 8 * (LEFT_PART - 1), "an eighth, says the hint");
    const size_t available_share = available - available / LEFT_PART;
    const bool has_more = !p->is_space_limited && available_share > p->chunk_bytes;
    const size_t share = has_more ? available_share : p->chunk_bytes;
    p->record_bytes_max = gs_clamp(share / PLACES, MIB, (size_t)1 << 31);
    p->too_long_hint =
        p->is_space_limited
            ? "give more memory with -S and more address space with ulimit -v"
            : "a line may take an eighth of the memory that is available, and 2 GiB";
    /* Where addresses cost nothing. */
    p->first_copies_max = p->is_space_limited ? 0 : COPIES * p->record_bytes_max;
}

/* Blocks, and as many workers as leave enough to the chunk. */
static void plan_blocks(gs_memory_plan *p, size_t usable, bool is_keyed, bool has_lists)
{
    const size_t enough = has_lists ? BLOCK_ENOUGH : BLOCK_MAX;
    const size_t most_fixed =
        usable / (usable < LITTLE ? FIXED_SHARE_OF_LITTLE : FIXED_SHARE);
    p->block_bytes = gs_clamp(gs_power_below(usable / BLOCK_SHARE), BLOCK_MIN, BLOCK_MAX);
    p->stream_block_bytes = gs_clamp(gs_power_below(usable / STREAM_BLOCK_SHARE),
                                     p->block_bytes, STREAM_BLOCK_MAX);
    for (;;) {
        p->piece_bytes = PIECE_BLOCKS * p->block_bytes;
        p->run_block_bytes =
            gs_clamp(p->block_bytes / RUN_BLOCK_SHARE, RUN_BLOCK_MIN, RUN_BLOCK_MAX);
        p->block_count = GS_BLOCKS_IN_FLIGHT + BLOCKS_A_WORKER * (size_t)p->workers;
        p->stream_blocks = STREAM_BLOCKS + BLOCKS_A_WORKER * (size_t)p->workers;
        p->copy_bytes = copy_bytes(p, usable, is_keyed);
        if (p->workers == 1 || fixed_bytes(p, is_keyed) < most_fixed)
            return;
        if (p->block_bytes > enough) {
            p->block_bytes /= 2;
            p->stream_block_bytes /= 2;
        } else {
            p->workers /= 2;
        }
    }
}

static void plan_chunk(gs_memory_plan *p, size_t usable, bool is_scarce, bool is_keyed)
{
    const size_t fixed = fixed_bytes(p, is_keyed);
    const size_t least = p->is_space_limited || is_scarce ? CHUNK_MIN_SCARCE : CHUNK_MIN;
    p->chunk_bytes = usable > fixed + least ? usable - fixed : least;
    p->chunk_soft_bytes = p->chunk_bytes;
    /* A user who asks for next to no memory expects more than that to be spilled. The
     * chunks that follow are as large as ever. */
    p->first_soft_bytes = p->limit_bytes < 2 * MIB
                              ? gs_clamp(p->limit_bytes, LIMIT_MIN, p->chunk_bytes)
                              : p->chunk_bytes;
    /* Lines may be empty: fifty bytes for one of them, and as much again with keys, which
     * every worker makes for itself. */
    const size_t parts = PARTS_A_CHUNK * (is_keyed ? p->workers : 1);
    p->part_bytes =
        gs_clamp(gs_power_below(p->chunk_bytes / parts), BLOCK_MIN, BLOCK_MAX);
}

static void plan_merge(gs_memory_plan *p, size_t usable)
{
    p->merge_piece_bytes = gs_clamp(usable / (MERGE_PIECE_SHARE * p->workers),
                                    MERGE_PIECE_MIN, MERGE_PIECE_MAX);
    /* A piece is text and, swapped with it, what is on its way out. */
    const size_t fixed = p->stream_blocks * p->stream_block_bytes +
                         p->workers * (2 * p->merge_piece_bytes + MIB);
    p->merge_bytes = usable > fixed + MERGE_MIN ? usable - fixed : MERGE_MIN;
}

static gs_memory_plan share_out(const gs_memory_share *memory, size_t space,
                                unsigned workers, bool is_keyed, bool has_lists)
{
    gs_memory_plan p = {.limit_bytes = memory->limit_bytes, .workers = workers};
    size_t usable = memory->usable_bytes;
    p.is_space_limited = space < SIZE_MAX;
    if (p.is_space_limited)
        usable = fit_address_space(usable, space, &p.workers);
    plan_blocks(&p, usable, is_keyed, has_lists);
    plan_chunk(&p, usable, memory->is_scarce, is_keyed);
    plan_merge(&p, usable);
    plan_long_records(&p, memory->available_bytes);
    p.cached_bytes = memory->available_bytes / CACHED_SHARE;
    return p;
}

static gs_memory_plan plan_job(size_t memory_bytes, unsigned threads, bool is_keyed,
                               bool has_lists)
{
    const gs_memory_share memory = gs_machine_memory_share(memory_bytes);
    return share_out(&memory, gs_machine_address_space_left(), gs_share_workers(threads),
                     is_keyed, has_lists);
}

gs_memory_plan gs_memory_plan_make(size_t memory_bytes, unsigned threads, bool is_keyed)
{
    return plan_job(memory_bytes, threads, is_keyed, false);
}

/* A small limit is taken at its word: a chunk is full at S, without the share of the 64
 * MiB that otherwise keeps small inputs from being spilled. */
static void take_at_its_word(gs_memory_plan *p)
{
    enum { CHUNK_BLOCKS = 64, LEAST = 4 * KIB };
    p->chunk_soft_bytes = gs_clamp(p->limit_bytes, LIMIT_MIN, p->chunk_bytes);
    p->block_bytes = gs_clamp(gs_power_below(p->chunk_soft_bytes / CHUNK_BLOCKS), LEAST,
                              p->block_bytes);
    p->stream_block_bytes = p->block_bytes;
}

static void plan_feed(gs_memory_plan *p)
{
    const size_t share = p->chunk_soft_bytes / FEED_SHARE, workers = p->workers;
    p->feed_block_bytes =
        gs_clamp(gs_power_below(share / (FEED_BLOCKS_A_WORKER_MIN * workers)),
                 FEED_BLOCK_MIN, FEED_BLOCK_MAX);
    p->feed_blocks =
        gs_clamp(share / p->feed_block_bytes, FEED_BLOCKS_A_WORKER_MIN * workers,
                 FEED_BLOCKS_A_WORKER * workers);
}

/* What a sort has beside what any job has. */
static gs_memory_plan plan_sort(gs_memory_plan p, const gs_sort_options *options,
                                bool is_keyed)
{
    const bool has_program = options->compress_program != NULL;
    if (has_program) /* who names a program expects it to be used */
        take_at_its_word(&p);
    p.decode_bytes = options->input_count > 1 ? p.chunk_bytes / DECODE_SHARE : 0;
    p.chunk_bytes -= p.decode_bytes;
    p.chunk_soft_bytes = gs_clamp(p.chunk_soft_bytes, 0, p.chunk_bytes);
    /* Of plain lines no copies are made, and the pages that were there before can go when
     * somebody needs them. So nobody runs short of memory, unless he said how much. */
    if (!is_keyed && options->memory_bytes == 0)
        p.mapped_more_bytes = p.limit_bytes / MAPPED_SHARE;
    p.mapped_more_soft_bytes = has_program ? 0 : p.mapped_more_bytes;
    p.held_back_bytes = p.chunk_soft_bytes / HELD_BACK_SHARE;
    plan_feed(&p);
    return p;
}

gs_memory_plan gs_memory_plan_sort(const gs_sort_options *options, bool is_keyed)
{
    return plan_sort(
        gs_memory_plan_make(options->memory_bytes, options->threads, is_keyed), options,
        is_keyed);
}

gs_memory_plan gs_memory_plan_lists(const gs_sort_options *options)
{
    return plan_sort(plan_job(options->memory_bytes, options->threads, false, true),
                     options, false);
}

gs_memory_plan gs_memory_plan_small(const gs_sort_options *options, bool is_keyed)
{
    const gs_memory_share memory = gs_machine_memory_small();
    if (memory.limit_bytes == 0 || options->memory_bytes > 0)
        return gs_memory_plan_sort(options, is_keyed);
    return plan_sort(share_out(&memory, SIZE_MAX, 1, is_keyed, false), options, is_keyed);
}

gs_chunk_share gs_memory_plan_chunk(const gs_memory_plan *plan, bool is_mapped,
                                    bool holds_back)
{
    const size_t less = holds_back ? plan->held_back_bytes : 0;
    gs_chunk_share share = {.bytes = plan->chunk_bytes - less,
                            .soft_bytes = plan->chunk_soft_bytes - less};
    if (is_mapped) {
        share.bytes += plan->mapped_more_bytes;
        share.soft_bytes += plan->mapped_more_soft_bytes;
    }
    share.first_soft_bytes = gs_clamp(plan->first_soft_bytes, 0, share.soft_bytes);
    return share;
}

size_t gs_memory_plan_texts(const gs_memory_plan *plan, bool is_fed)
{
    const size_t taken =
        plan->feed_blocks * plan->feed_block_bytes + (is_fed ? 0 : plan->held_back_bytes);
    return plan->chunk_soft_bytes > taken ? plan->chunk_soft_bytes - taken : 0;
}

/* One thread writes 3 GB/s to a file in memory, at half the processor time that it takes
 * to fill its pages: few cores have no more to write. */
bool gs_memory_plan_mergers_write(const gs_memory_plan *plan)
{
    enum { WORKERS_MAX = 4 };
    return plan->workers <= WORKERS_MAX && plan->workers >= gs_machine_cores();
}

bool gs_memory_plan_fills_pages(const gs_memory_plan *plan)
{
    enum { WORKERS_MIN = 8 };
    return plan->workers >= WORKERS_MIN && !plan->is_space_limited;
}
