/* SPDX-License-Identifier: MIT */
/*
 * score_block: what many postings add must be, to the last bit, what each of them adds by
 * itself, in every way that the processor has; and none that could be wanted may be left
 * out by the pick.
 */
#include <string.h>

#include "lib/index/query/score_block.h"
#include "tests/check.h"

enum { ROUNDS = 3000, POSTINGS_MAX = 256, DOCS = 5000, GUARD = 8 };

static uint64_t state;
static uint32_t lengths[DOCS];

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static double fraction(void)
{
    return (double)below(1 << 20) / (1 << 20);
}

static void scores_are_those_of_one(gs_score_way way)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t docs[POSTINGS_MAX], tfs[POSTINGS_MAX];
        double scores[POSTINGS_MAX + GUARD], guard[GUARD];
        const size_t count = below(POSTINGS_MAX + 1);
        const gs_bm25 model = gs_bm25_make(3 * fraction(), fraction(), 1 + below(1 << 30),
                                           1 + below(UINT64_C(1) << 40));
        const bool has_lengths = below(4) > 0;
        const gs_score_rule rule = {&model, 20 * fraction(),
                                    has_lengths ? lengths : NULL};
        for (size_t i = 0; i < count; i++) {
            docs[i] = has_lengths ? below(DOCS) : below(UINT64_C(1) << 40);
            tfs[i] = 1 + (below(3) ? below(4) : below(UINT32_MAX));
        }
        memset(guard, 0x55, sizeof guard);
        memcpy(scores + count, guard, sizeof guard);
        gs_score_block(way, &rule, docs, tfs, count, scores);
        for (size_t i = 0; i < count; i++) {
            const uint32_t length = has_lengths ? lengths[docs[i]] : 1;
            const double want = gs_bm25_score(&model, rule.weight, tfs[i], length);
            CHECK(memcmp(&want, &scores[i], sizeof want) == 0);
        }
        CHECK(memcmp(scores + count, guard, sizeof guard) == 0);
    }
}

static void pick_leaves_out_what_is_hopeless(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        double scores[POSTINGS_MAX];
        uint8_t which[POSTINGS_MAX];
        const size_t count = below(POSTINGS_MAX + 1);
        const double more = fraction(), threshold = below(5) ? 2 * fraction() : -1;
        for (size_t i = 0; i < count; i++) /* one in eight is at the threshold */
            scores[i] = below(8) ? fraction() : threshold - more;
        const size_t picked = gs_score_pick(scores, count, more, threshold, which);
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            const bool is_in = at < picked && which[at] == i;
            CHECK(is_in == ((scores[i] + more) * (1 + GS_BM25_SLACK) > threshold));
            at += is_in;
        }
        CHECK(at == picked);
    }
}

int main(void)
{
    state = check_seed(57);
    for (size_t i = 0; i < DOCS; i++)
        lengths[i] = (uint32_t)(below(9) ? below(2000) : check_random(&state));
    for (gs_score_way way = 0; way <= gs_score_best_way(); way++)
        scores_are_those_of_one(way);
    pick_leaves_out_what_is_hopeless();
    return check_result();
}
