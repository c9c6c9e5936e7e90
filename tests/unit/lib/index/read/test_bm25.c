/* SPDX-License-Identifier: MIT */
/*
 * bm25: searches leave out what cannot be among the best, and that rests on what bm25.h
 * says of scores: they grow with the frequency, fall with the length and stay below the
 * weight. Another formula must do so too, or documents are lost without a word.
 */
#include <math.h>
#include <string.h>

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
            gs_bm25_weight(&m, 1 + below((uint64_t)m.documents), (double)(1 + below(9)));
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

/* No posting of a block adds more than its skip entry says of documents of its length;
 * nor do many such terms together. */
static void blocks_are_bounded(void)
{
    static gs_length_scale scale;
    for (unsigned round = 0; round < check_often(ROUNDS / 10); round++) {
        uint64_t tfs_less_one[POSTINGS_MAX];
        uint8_t codes[POSTINGS_MAX], written[GS_IMPACTS_MAX * GS_IMPACT_BYTES];
        uint32_t lengths[POSTINGS_MAX];
        const gs_bm25 m = some_model();
        const gs_scoring scoring = {.bm25 = m};
        const size_t count = 1 + below(POSTINGS_MAX);
        for (size_t i = 0; i < count; i++) {
            tfs_less_one[i] = number(24);
            lengths[i] = (uint32_t)number(24);
            codes[i] = gs_code_below(lengths[i]);
        }
        /* Of halves: as many pairs as there may be in a file. */
        gs_impacts low, high;
        gs_impacts_of(&low, tfs_less_one, codes, count / 2);
        gs_impacts_of(&high, tfs_less_one + count / 2, codes + count / 2,
                      count - count / 2);
        (void)gs_impacts_put(gs_impacts_put(written, &low), &high);
        const unsigned pairs = low.count + high.count;
        const size_t terms = 1 + below(100);
        const double weight = gs_bm25_weight(&m, 1 + below((uint64_t)m.documents), 1);
        gs_length_scale_make(&scale, &scoring, (double)number(20));
        gs_length_bounds most, sum = {{0}};
        gs_length_bounds_of(&most, &scale, gs_length_bound_weight(weight, terms), written,
                            pairs);
        for (size_t i = 0; i < terms; i++)
            gs_length_bounds_add(&sum, &sum, &most);
        gs_length_bounds plain;
        gs_length_bounds_plain(&plain, &scale, gs_length_bound_weight(weight, terms),
                               written, pairs);
        CHECK(memcmp(&plain, &most, sizeof plain) == 0);
        CHECK(gs_length_bounds_most(&most) <= (float)(weight * (1 + 1e-4)));
        for (size_t i = 0; i < count; i++) {
            const unsigned of = gs_length_class(scale.first, lengths[i]);
            const double score =
                gs_bm25_score(&m, weight, tfs_less_one[i] + 1, lengths[i]);
            CHECK(score <= (double)most.most[of]);
            CHECK(score * (double)terms <= (double)sum.most[of] * (1 + GS_BM25_SLACK));
        }
    }
}

/* Nor does one of impacts, whatever the document. */
static void impacts_are_bounded(void)
{
    static gs_length_scale scale;
    const gs_scoring scoring = {.kind = GS_SCORING_IMPACTS, .bm25 = some_model()};
    gs_length_scale_make(&scale, &scoring, 1);
    for (unsigned round = 0; round < check_often(ROUNDS / 10); round++) {
        uint64_t less_one[POSTINGS_MAX];
        uint8_t codes[POSTINGS_MAX] = {0}, written[GS_IMPACTS_MAX * GS_IMPACT_BYTES];
        const size_t count = 1 + below(POSTINGS_MAX), terms = 1 + below(100);
        const double weight =
            gs_scoring_weight(&scoring, 1 + below(9), 0.1 + (double)below(9));
        uint64_t highest = 0;
        for (size_t i = 0; i < count; i++) {
            less_one[i] = number(round % 2 ? 8 : 32);
            highest = less_one[i] > highest ? less_one[i] : highest;
        }
        gs_impacts impacts;
        gs_impacts_of(&impacts, less_one, codes, count);
        CHECK(impacts.count == 1); /* the length of none matters */
        (void)gs_impacts_put(written, &impacts);
        gs_length_bounds most, sum = {{0}};
        gs_length_bounds_of(&most, &scale, gs_length_bound_weight(weight, terms), written,
                            impacts.count);
        for (size_t i = 0; i < terms; i++)
            gs_length_bounds_add(&sum, &sum, &most);
        for (unsigned in = 0; in < GS_LENGTH_CLASSES; in++) {
            const double part = gs_scoring_part(&scoring, weight, highest + 1, 77);
            CHECK(part <= (double)most.most[in]);
            CHECK(part * (double)terms <= (double)sum.most[in] * (1 + GS_BM25_SLACK));
            /* and it is near: codes have five bits */
            CHECK(highest >= 1 << 19 || (double)most.most[in] <= part * 1.07);
        }
    }
}

/* Documents of a block are where one by one they are found. */
static void places_are_found(void)
{
    static gs_posting_list list;
    for (unsigned round = 0; round < check_often(ROUNDS / 10); round++) {
        uint64_t wanted[POSTINGS_MAX], doc = number(30);
        uint8_t places[POSTINGS_MAX];
        size_t count = 0;
        const uint64_t step = 1 + number(10), look = 1 + number(10);
        list.count = 1 + below(POSTINGS_MAX);
        for (size_t i = 0; i < POSTINGS_MAX; i++) {
            list.docs[i] = i < list.count ? doc : GS_NO_DOC;
            doc += 1 + below(step);
        }
        for (doc = list.docs[0] - below(2) * below(list.docs[0] + 1);
             count < POSTINGS_MAX && doc <= list.docs[list.count - 1];
             doc += 1 + below(look))
            wanted[count++] = doc;
        gs_posting_list_places(&list, wanted, count, places);
        for (size_t i = 0; i < count; i++) {
            CHECK(places[i] == gs_posting_list_place(&list, wanted[i]));
            const uint64_t found = gs_posting_list_found(
                &list, wanted + i, count - i < 64 ? count - i : 64, places + i);
            for (size_t k = i; k < i + 64; k++) {
                const bool is_there = k < count && list.docs[places[k]] == wanted[k];
                CHECK((found >> (k - i) & 1) == is_there);
            }
        }
        CHECK(list.at == places[count - 1] && list.doc == list.docs[list.at]);
    }
}

/* The largest bound, wherever it is, and what is above a limit. */
static void bounds_are_compared(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        gs_length_bounds b;
        float largest = 0;
        for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++) {
            b.most[i] = below(4) ? (float)below(1 << 20) / 1000 : 0;
            largest = b.most[i] > largest ? b.most[i] : largest;
        }
        const float most = gs_length_bounds_most(&b);
        CHECK(memcmp(&most, &largest, sizeof most) == 0);
        CHECK(!gs_length_bounds_exceed(&b, largest));
        CHECK(gs_length_bounds_exceed(&b, nextafterf(largest, -1)));
    }
}

/* What a posting adds at most is asked of each way to score: one more does not build. */
static void is_bounded(gs_scoring_kind kind)
{
    switch (kind) {
    case GS_SCORING_BM25: blocks_are_bounded(); break;
    case GS_SCORING_IMPACTS: impacts_are_bounded(); break;
    }
}

int main(void)
{
    state = check_seed(5);
    scores_are_in_order();
    is_bounded(GS_SCORING_BM25);
    is_bounded(GS_SCORING_IMPACTS);
    bounds_are_compared();
    places_are_found();
    return check_failures != 0;
}
