/* SPDX-License-Identifier: MIT */
/* memory_plan: what is shared out more than once bursts -S, on machines and at sizes that
 * nobody measured. A share that is new belongs into these sums. */
#include "lib/sort/plan/memory_plan.h"

#include <sys/resource.h>

#include "io/block.h"
#include "lib/base/machine.h"
#include "tests/check.h"

enum { MIB = 1 << 20, BEYOND = 64 * MIB, KEPT_BLOCKS = 6 };

/* Which of its fields are memory that is taken, the sums below say: a new share of -S
 * belongs there, and then here, where a field that is not named does not build. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wmissing-field-initializers"
static const gs_memory_plan nothing = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
#pragma GCC diagnostic pop

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
        const size_t fed = p->feed_blocks * p->feed_block_bytes;
        CHECK(texts == 0 ||
              texts + fed + (is_fed ? 0 : p->held_back_bytes) <= p->chunk_soft_bytes);
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
    CHECK(while_runs_are_formed(&nothing, true) == 0);
    CHECK(while_they_are_merged(&nothing) == 0);
    every_size();
    if (!CHECK_HAS_SANITIZER) /* which has taken more addresses than that already */
        few_addresses();
    return check_result();
}
