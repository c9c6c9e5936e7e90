/* SPDX-License-Identifier: MIT */
/* memory_plan: what is shared out more than once bursts -S, on machines and at sizes that
 * nobody measured. A share that is new belongs into these sums. */
#include "lib/sort/plan/memory_plan.h"

#include <stddef.h>
#include <string.h>
#include <sys/resource.h>

#include "io/block.h"
#include "lib/base/machine.h"
#include "tests/check.h"

/* BEYOND: of the 64 MiB beside S that a process may take, what the plan shares out. Sums
 * come to all of that, so that a share that is not taken off from the others is seen. */
enum { MIB = 1 << 20, BEYOND = 24 * MIB, KEPT_BLOCKS = 6 };

static size_t blocks_of(const gs_memory_plan *p)
{
    return p->block_count * (p->block_bytes + GS_BLOCK_HEADROOM + GS_BLOCK_SLACK) +
           p->stream_blocks * p->stream_block_bytes;
}

static size_t while_runs_are_formed(const gs_memory_plan *p, bool is_keyed)
{
    const size_t pieces =
        p->workers * (2 * p->piece_bytes + p->copy_bytes + 4 * p->run_block_bytes);
    const size_t scratch = is_keyed ? p->workers * KEPT_BLOCKS * p->block_bytes : 0;
    return blocks_of(p) + pieces + scratch + p->chunk_bytes + p->decode_bytes;
}

static size_t while_they_are_merged(const gs_memory_plan *p)
{
    return p->stream_blocks * p->stream_block_bytes +
           p->workers * (2 * p->merge_piece_bytes + MIB) + p->merge_bytes;
}

/* A GPU's, of the share of a chunk: what feeds it, and what is held back. */
static size_t while_a_gpu_has_the_chunk(const gs_memory_plan *p, bool is_fed)
{
    return p->feed_blocks * p->feed_block_bytes + (is_fed ? 0 : p->held_back_bytes);
}

/* --- which fields are in these sums ------------------------------------------------- */

enum { FORMED = 1, MERGED = 2, OF_GPU = 4 };
#define PLACE(name)                                                                      \
    offsetof(gs_memory_plan, name), sizeof(((gs_memory_plan *)NULL)->name), #name

/* Each field, as the plan has them. Of no sum: what is no memory, or a part of what is in
 * one, or taken beside S. */
static const struct {
    size_t offset, bytes;
    const char *name;
    unsigned sums;
} fields[] = {
    {PLACE(is_space_limited), 0},
    {PLACE(limit_bytes), 0},
    {PLACE(workers), FORMED | MERGED},
    {PLACE(block_bytes), FORMED},
    {PLACE(block_count), FORMED},
    {PLACE(stream_block_bytes), FORMED | MERGED},
    {PLACE(stream_blocks), FORMED | MERGED},
    {PLACE(piece_bytes), FORMED},
    {PLACE(copy_bytes), FORMED},
    {PLACE(run_block_bytes), FORMED},
    {PLACE(decode_bytes), FORMED},
    {PLACE(chunk_bytes), FORMED},
    {PLACE(chunk_soft_bytes), 0},
    {PLACE(first_soft_bytes), 0},
    {PLACE(mapped_more_bytes), 0}, /* instead of pages that others may have back */
    {PLACE(mapped_more_soft_bytes), 0},
    {PLACE(held_back_bytes), OF_GPU},
    {PLACE(feed_block_bytes), OF_GPU},
    {PLACE(feed_blocks), OF_GPU},
    {PLACE(merge_piece_bytes), MERGED},
    {PLACE(merge_bytes), MERGED},
    {PLACE(record_bytes_max), 0}, /* what is available, not S, is asked for these */
    {PLACE(too_long_hint), 0},
    {PLACE(first_copies_max), 0},
    {PLACE(part_bytes), 0},
    {PLACE(cached_bytes), 0},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* A field that is new does not build here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
static const gs_memory_plan ones = {true, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1, 1, 1,
                                    1,    1, 1, 1, 1, 1, 1, 1, 1, "", 1, 1, 1};
#pragma GCC diagnostic pop

static unsigned sums_that_are_less(const gs_memory_plan *p)
{
    unsigned sums = 0;
    if (while_runs_are_formed(p, true) < while_runs_are_formed(&ones, true))
        sums |= FORMED;
    if (while_they_are_merged(p) < while_they_are_merged(&ones))
        sums |= MERGED;
    if (while_a_gpu_has_the_chunk(p, false) < while_a_gpu_has_the_chunk(&ones, false))
        sums |= OF_GPU;
    return sums;
}

/* Without a field those sums are less that have it. */
static void each_field_is_in_its_sums(void)
{
    size_t end = 0;
    for (size_t i = 0; i < FIELDS; i++) {
        gs_memory_plan p = ones;
        memset((char *)&p + fields[i].offset, 0, fields[i].bytes);
        const unsigned sums = sums_that_are_less(&p);
        const bool follows =
            fields[i].offset >= end && fields[i].offset - end < sizeof(size_t);
        if (sums != fields[i].sums || !follows)
            fprintf(stderr, "%s: in the sums %u, not %u%s\n", fields[i].name, sums,
                    fields[i].sums, follows ? "" : "; a field before it is missing");
        CHECK(sums == fields[i].sums && follows);
        end = fields[i].offset + fields[i].bytes;
    }
    CHECK(sizeof(gs_memory_plan) - end < sizeof(size_t));
}

/* --- what they come to -------------------------------------------------------------- */

static void check_plan(const gs_memory_plan *p, bool is_keyed)
{
    const size_t most = p->limit_bytes + BEYOND;
    CHECK(p->workers >= 1);
    CHECK(while_runs_are_formed(p, is_keyed) <= most);
    CHECK(while_they_are_merged(p) <= most);
    CHECK(p->chunk_soft_bytes <= p->chunk_bytes);
    CHECK(p->first_soft_bytes > 0);
    CHECK(p->part_bytes > 0 && p->part_bytes <= p->chunk_bytes);
    CHECK(p->record_bytes_max >= MIB);
    /* Of its chunk's share a GPU has what feeds it, what is held back, and texts. */
    for (int is_fed = 0; is_fed < 2; is_fed++) {
        const size_t texts = gs_memory_plan_texts(p, is_fed);
        CHECK(texts == 0 ||
              texts + while_a_gpu_has_the_chunk(p, is_fed) <= p->chunk_soft_bytes);
    }
    for (int i = 0; i < 4; i++) {
        const gs_chunk_share share = gs_memory_plan_chunk(p, i & 1, i & 2);
        const size_t held = i & 2 ? p->held_back_bytes : 0;
        CHECK(share.bytes + held <= p->chunk_bytes + p->mapped_more_bytes);
        CHECK(share.soft_bytes <= share.bytes &&
              share.first_soft_bytes <= share.soft_bytes);
    }
    if (check_failures > 0) {
        fprintf(stderr, "S %zu, %u workers%s\n", p->limit_bytes, p->workers,
                is_keyed ? ", keys" : "");
        exit(1);
    }
}

static void every_size(void)
{
    static const unsigned threads[] = {1, 2, 3, 8, 16, 64, 200};
    const size_t available = gs_machine_memory_share(0).available_bytes;
    for (size_t bytes = 1; bytes < available / 2; bytes += bytes / 3 + 1) {
        for (size_t t = 0; t < 2 * sizeof threads / sizeof *threads; t++) {
            const bool is_keyed = t % 2;
            gs_sort_options options = {.memory_bytes = bytes,
                                       .threads = threads[t / 2],
                                       .input_count = 1 + t % 3};
            gs_memory_plan plan = gs_memory_plan_make(bytes, options.threads, is_keyed);
            CHECK(plan.workers <= options.threads);
            check_plan(&plan, is_keyed);
            plan = gs_memory_plan_sort(&options, is_keyed);
            check_plan(&plan, is_keyed);
            if (!is_keyed) {
                const gs_memory_plan lists = gs_memory_plan_lists(&options);
                check_plan(&lists, false);
                CHECK(lists.workers >= plan.workers);
            }
            options.compress_program = "gzip";
            plan = gs_memory_plan_sort(&options, is_keyed);
            check_plan(&plan, is_keyed);
        }
    }
}

/* All that is mapped counts, and maps are twice as large as what is in them. */
static void few_addresses(void)
{
    for (size_t space = (size_t)1536 * MIB; space >= (size_t)192 * MIB;
         space -= 96 * MIB) {
        const struct rlimit limit = {space, RLIM_INFINITY};
        REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
        const size_t left = gs_machine_address_space_left();
        const gs_memory_plan plan = gs_memory_plan_make((size_t)4096 * MIB, 2, true);
        CHECK(plan.is_space_limited);
        CHECK(left < space && 2 * plan.chunk_bytes + blocks_of(&plan) <= left);
    }
}

int main(void)
{
    each_field_is_in_its_sums();
    every_size();
    if (!CHECK_HAS_SANITIZER) /* which has taken more addresses than that already */
        few_addresses();
    return check_result();
}
