/* SPDX-License-Identifier: MIT */
/*
 * impact: a bound that is too low loses documents that belong to the best, one that is
 * too high makes searches slow, and one that depends on the processor makes other bytes
 * of the same documents. So what is kept of a block is compared with all of its postings,
 * in every way that this processor has.
 */
#include <string.h>

#include "lib/index/format/formats.h"
#include "tests/check.h"

enum { ROUNDS = 4000 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* Mostly small ones, as terms come in documents; in some rounds large ones, too. Returns
 * whether all are small: then only what is kept in the end takes a place. */
static bool make_postings(unsigned round, uint64_t *tfs_less_one, uint8_t *lengths,
                          size_t count)
{
    const unsigned tf_bits = 1 + round % 8, large_bits = 1 + round % 21;
    const uint64_t lengths_from = below(200), lengths_count = 1 + below(56);
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned bits = below(20) == 0 ? large_bits : (unsigned)below(tf_bits);
        tfs_less_one[i] = below(UINT64_C(1) << bits);
        lengths[i] = (uint8_t)(lengths_from + below(lengths_count));
        most = tfs_less_one[i] > most ? tfs_less_one[i] : most;
    }
    return most < 16;
}

/* Is it better in one than any other, and no worse in the other? */
static bool is_kept(const uint64_t *tfs_less_one, const uint8_t *lengths, size_t count,
                    size_t i)
{
    const unsigned tf = gs_code_above(tfs_less_one[i] + 1);
    for (size_t k = 0; k < count; k++) {
        const unsigned other = gs_code_above(tfs_less_one[k] + 1);
        if (other >= tf && lengths[k] <= lengths[i] &&
            (other > tf || lengths[k] < lengths[i]))
            return false;
    }
    return true;
}

/* Different pairs that no other beats. */
static unsigned kept_count(const uint64_t *tfs_less_one, const uint8_t *lengths,
                           size_t count)
{
    bool is_seen[UINT8_MAX + 1] = {false};
    unsigned kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool *const seen = &is_seen[gs_code_above(tfs_less_one[i] + 1)];
        const bool counts = !*seen && is_kept(tfs_less_one, lengths, count, i);
        kept += counts;
        *seen |= counts;
    }
    return kept;
}

static bool has_pair(const gs_impacts *impacts, uint64_t tf, uint8_t length)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        if (impacts->pairs[i].tf == gs_code_above(tf) &&
            impacts->pairs[i].length == length)
            return true;
    }
    return false;
}

static void postings_are_covered(void)
{
    unsigned coarse = 0, exact = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t tfs_less_one[GS_PACK_COUNT];
        uint8_t lengths[GS_PACK_COUNT];
        const size_t count = round % 4 ? GS_PACK_COUNT : 1 + below(GS_PACK_COUNT);
        const bool are_small = make_postings(round, tfs_less_one, lengths, count);
        gs_impacts impacts;
        gs_impacts_of(&impacts, tfs_less_one, lengths, count);
        const unsigned kept = kept_count(tfs_less_one, lengths, count);
        coarse += kept > GS_IMPACTS_KEPT;
        const bool is_exact = are_small && kept <= GS_IMPACTS_KEPT;
        exact += is_exact;
        CHECK(!is_exact || impacts.count == kept);
        for (size_t i = 0; i < count; i++) {
            CHECK(gs_impacts_cover(&impacts, tfs_less_one[i] + 1, lengths[i]));
            if (is_exact && is_kept(tfs_less_one, lengths, count, i))
                CHECK(has_pair(&impacts, tfs_less_one[i] + 1, lengths[i]));
        }
        for (unsigned i = 1; i < impacts.count; i++)
            CHECK(impacts.pairs[i - 1].tf < impacts.pairs[i].tf &&
                  impacts.pairs[i - 1].length < impacts.pairs[i].length);
    }
    CHECK(coarse > ROUNDS / 100 && exact > ROUNDS / 100);
}

static void every_way_says_the_same(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t tfs_less_one[GS_PACK_COUNT];
        uint8_t lengths[GS_PACK_COUNT];
        (void)make_postings(round, tfs_less_one, lengths, GS_PACK_COUNT);
        gs_impacts plain, other;
        gs_impacts_of_by(GS_PACK_PLAIN, &plain, tfs_less_one, lengths, GS_PACK_COUNT);
        for (unsigned way = 0; way < GS_PACK_WAY_COUNT; way++) {
            gs_impacts_of_by((gs_pack_way)way, &other, tfs_less_one, lengths,
                             GS_PACK_COUNT);
            CHECK(other.count == plain.count &&
                  memcmp(other.pairs, plain.pairs, plain.count * sizeof *plain.pairs) ==
                      0);
        }
    }
}

int main(void)
{
    state = check_seed(53);
    postings_are_covered();
    every_way_says_the_same();
    return check_result();
}
