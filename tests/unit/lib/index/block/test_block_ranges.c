/* SPDX-License-Identifier: MIT */
/*
 * block_merge, the cuts: each thread merges ranges of its own, so that a range with a
 * large part of the terms, or of their postings, keeps all but one of them waiting.
 * Blocks that have all of the same terms, as those of much input do, some of them, or
 * none; and a few terms that have nearly all postings.
 */
#include "lib/index/block/block_merge.h"

#include "lib/base/mem.h"
#define CHECK_STARTS_THREADS
#include "tests/check.h"

enum { BLOCKS = 16, TERMS = 20000, TERM_BYTES = 8, SLACK = 8, WORKERS = 3 };
/* Every so many terms one is heavy, and those of a stretch of all are. */
enum { HEAVY_EVERY = 100, HEAVY = 5000, DENSE_TERMS = 1000, DENSE = 1000 };
/* And the first of those, that are side by side, have most. */
enum { TOP_TERMS = 30, TOP = 40000 };

/* Terms by their numbers, which ascend. */
typedef struct plain_block {
    uint32_t numbers[TERMS];
    size_t count;
} plain_block;

static plain_block plain[BLOCKS];
static char names[TERMS][TERM_BYTES + SLACK];
static gs_team *team;
static bool has_heavy;

static void get_term(const void *block, size_t index, gs_term_view *out)
{
    const plain_block *const b = block;
    CHECK(index < b->count);
    const uint8_t *const name = (const uint8_t *)names[b->numbers[index]];
    *out = (gs_term_view){gs_string_word(name, TERM_BYTES, 0), name, TERM_BYTES};
}

static uint64_t weight_of(uint32_t number)
{
    if (!has_heavy)
        return 1;
    if (number < TOP_TERMS)
        return TOP;
    return number < DENSE_TERMS ? DENSE : number % HEAVY_EVERY == 0 ? HEAVY : 1;
}

static uint64_t weigh(const void *block, size_t begin, size_t end)
{
    const plain_block *const b = block;
    uint64_t sum = 0;
    CHECK(begin < end && end <= b->count);
    for (size_t i = begin; i < end; i++)
        sum += weight_of(b->numbers[i]);
    return sum;
}

static const gs_term_block_ops ops = {.term = get_term, .weigh = weigh};

/* Each block has of each term `has` in 1000. */
static void make_blocks(uint64_t *seed, gs_term_block *blocks, size_t count,
                        uint64_t terms, uint64_t has)
{
    for (size_t b = 0; b < count; b++) {
        plain[b].count = 0;
        for (uint32_t i = 0; i < terms; i++) {
            if (check_random(seed) % 1000 < has)
                plain[b].numbers[plain[b].count++] = i;
        }
        blocks[b] = (gs_term_block){&ops, &plain[b], plain[b].count};
    }
}

/* Ranges go on where the one before ends, and share no term; the weight of the heaviest,
 * in all blocks. */
static uint64_t heaviest_range(const gs_block_ranges *r, size_t count)
{
    uint64_t heaviest = 0;
    uint32_t end = 0;
    for (size_t range = 0; range < r->range_count; range++) {
        const size_t *const from = r->starts + range * count, *const to = from + count;
        uint64_t weight = 0;
        uint32_t begin = UINT32_MAX, next_end = end;
        for (size_t b = 0; b < count; b++) {
            CHECK(from[b] <= to[b] && (range > 0 || from[b] == 0));
            if (from[b] == to[b])
                continue;
            weight += weigh(&plain[b], from[b], to[b]);
            if (plain[b].numbers[from[b]] < begin)
                begin = plain[b].numbers[from[b]];
            if (plain[b].numbers[to[b] - 1] >= next_end)
                next_end = plain[b].numbers[to[b] - 1] + 1;
        }
        CHECK(begin >= end);
        end = next_end;
        heaviest = weight > heaviest ? weight : heaviest;
    }
    for (size_t b = 0; b < count; b++)
        CHECK(r->starts[r->range_count * count + b] == plain[b].count);
    return heaviest;
}

static void ranges_are_alike(uint64_t *seed, size_t count, uint64_t terms, uint64_t has,
                             size_t wanted)
{
    gs_status st = {.code = GS_OK};
    gs_term_block blocks[BLOCKS];
    gs_block_ranges ranges = {0};
    size_t all = 0;
    uint64_t weight = 0;
    make_blocks(seed, blocks, count, terms, has);
    for (size_t b = 0; b < count; b++) {
        all += plain[b].count;
        weight += plain[b].count > 0 ? weigh(&plain[b], 0, plain[b].count) : 0;
    }
    REQUIRE_OK(gs_block_ranges_cut(&ranges, blocks, count, wanted, team, &st), &st);
    const uint64_t heaviest = heaviest_range(&ranges, count);
    CHECK(ranges.range_count >= 1 && ranges.range_count <= wanted);
    if (all > 100 * wanted * count) {
        CHECK(ranges.range_count > wanted * 9 / 10);
        CHECK(heaviest < (has_heavy ? 15 : 8) * weight / (6 * wanted));
    }
    gs_block_ranges_release(&ranges);
}

int main(void)
{
    gs_status st = {.code = GS_OK};
    uint64_t seed = check_seed(3);
    for (uint32_t i = 0; i < TERMS; i++)
        sprintf(names[i], "t%07u", i * 37);
    REQUIRE_OK(gs_team_new(&team, WORKERS, &st), &st);
    static const size_t counts[] = {1, 2, 3, 7, 16};
    static const uint64_t shares[] = {1000, 999, 700, 50};
    static const size_t wanted[] = {1, 2, 12, 64};
    for (size_t c = 0; c < 5; c++) {
        for (size_t s = 0; s < 4; s++) {
            for (size_t w = 0; w < 4; w++) {
                ranges_are_alike(&seed, counts[c], TERMS, shares[s], wanted[w]);
                has_heavy = true;
                ranges_are_alike(&seed, counts[c], TERMS, shares[s], wanted[w]);
                has_heavy = false;
                ranges_are_alike(&seed, counts[c], 30 * wanted[w], shares[s], wanted[w]);
                ranges_are_alike(&seed, counts[c], 3, shares[s], wanted[w]);
                ranges_are_alike(&seed, counts[c], 0, shares[s], wanted[w]);
            }
        }
    }
    gs_team_free(team);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
