/* SPDX-License-Identifier: MIT */
/*
 * bm25: searches leave out what cannot be among the best, and that rests on what bm25.h
 * says of scores: they grow with the frequency, fall with the length and stay below the
 * weight. Another formula must do so too, or documents are lost without a word.
 */
#include <math.h>

#include "lib/index/read/readers.h"
#include "tests/check.h"

enum { ROUNDS = 20000, POSTINGS_MAX = 128 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

/* Mostly small. */
static uint64_t number(unsigned bits)
{
    return below(UINT64_C(2) << below(bits));
}

/* All that the options allow, with their ends. */
static gs_bm25 some_model(void)
{
    static const double k1s[] = {0, 1e-300, 1.2, 1000}, bs[] = {0, 0.75, 1};
    const double k1 = below(2) ? k1s[below(4)] : (double)below(1 << 20) / 1000;
    const double b = below(2) ? bs[below(3)] : (double)below(1 << 20) / (1 << 20);
    const uint64_t documents = 1 + number(39);
    return gs_bm25_make(k1, b, documents, below(8) ? documents * number(12) : 0);
}

static void scores_are_in_order(void)
{
    for (unsigned round = 0; round < check_often(ROUNDS); round++) {
        const gs_bm25 m = some_model();
        const double weight =
            gs_bm25_weight(&m, 1 + below((uint64_t)m.documents), 1 + below(9));
        const uint64_t tf = 1 + number(31), more = tf + number(31);
        const uint32_t length = (uint32_t)number(31), less = (uint32_t)below(length + 1);
        const double score = gs_bm25_score(&m, weight, tf, length);
        const double slack = 1 + GS_BM25_SLACK;
        CHECK(weight >= 0 && score >= 0 && isfinite(score));
        CHECK(score <= gs_bm25_score(&m, weight, more, length) * slack);
        CHECK(score <= gs_bm25_score(&m, weight, tf, less) * slack);
        CHECK(score <= weight * slack);
    }
}

/* No posting of a block adds more than its skip entry says. */
static void blocks_are_bounded(void)
{
    for (unsigned round = 0; round < check_often(ROUNDS / 10); round++) {
        uint64_t tfs_less_one[POSTINGS_MAX];
        uint8_t codes[POSTINGS_MAX], written[GS_IMPACTS_MAX * GS_IMPACT_BYTES];
        uint32_t lengths[POSTINGS_MAX];
        const gs_bm25 m = some_model();
        const size_t count = 1 + below(POSTINGS_MAX);
        for (size_t i = 0; i < count; i++) {
            tfs_less_one[i] = number(24);
            lengths[i] = (uint32_t)number(24);
            codes[i] = gs_code_below(lengths[i]);
        }
        gs_impacts impacts;
        gs_impacts_of(&impacts, tfs_less_one, codes, count);
        (void)gs_impacts_put(written, &impacts);
        const gs_block_bound b = {.model = &m, .weight = 10};
        const gs_posting_skip skip = {.impacts = written, .impact_count = impacts.count};
        const double most = gs_block_bound_entry(&b, &skip) * (1 + GS_BM25_SLACK);
        for (size_t i = 0; i < count; i++)
            CHECK(gs_bm25_score(&m, b.weight, tfs_less_one[i] + 1, lengths[i]) <= most);
    }
}

int main(void)
{
    state = check_seed(5);
    scores_are_in_order();
    blocks_are_bounded();
    return check_failures != 0;
}
