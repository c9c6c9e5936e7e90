/* SPDX-License-Identifier: MIT */
/*
 * score_block: what many postings add must be, to the last bit, what each of them adds by
 * itself, in every way that the processor has; and none that could be wanted may be left
 * out by a pick.
 */
#include <math.h>
#include <string.h>

#include "lib/index/query/score_window.h"
#include "tests/check.h"

enum { ROUNDS = 3000, POSTINGS_MAX = GS_SCORES_MAX, DOCS = 5000, FIRST_CLASS = 250 };

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

/* A kind that is not drawn here does not build. */
static gs_scoring_kind some_kind(void)
{
    const gs_scoring_kind kind = below(4) == 0 ? GS_SCORING_IMPACTS : GS_SCORING_BM25;
    switch (kind) {
    case GS_SCORING_BM25:
    case GS_SCORING_IMPACTS: break;
    }
    return kind;
}

static void scores_are_those_of_one(gs_score_way way)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint64_t docs[POSTINGS_MAX], tfs[POSTINGS_MAX];
        struct {
            gs_scores scores;
            uint8_t guard[sizeof(gs_scores)];
        } to;
        const size_t count = below(POSTINGS_MAX + 1);
        const gs_scoring scoring = {
            .kind = some_kind(),
            .bm25 = gs_bm25_make(3 * fraction(), fraction(), 1 + below(1 << 30),
                                 1 + below(UINT64_C(1) << 40)),
        };
        const bool has_lengths = below(4) > 0;
        const gs_score_rule rule = {&scoring, 20 * fraction(),
                                    has_lengths ? lengths : NULL, FIRST_CLASS};
        for (size_t i = 0; i < count; i++) {
            docs[i] = has_lengths ? below(DOCS) : below(UINT64_C(1) << 40);
            tfs[i] = 1 + (below(3) ? below(4) : below(UINT32_MAX));
        }
        memset(&to, 0x55, sizeof to);
        gs_score_block(way, &rule, docs, tfs, count, &to.scores);
        for (size_t i = 0; i < count; i++) {
            const uint32_t length = has_lengths ? lengths[docs[i]] : 1;
            const double want = gs_scoring_part(&scoring, rule.weight, tfs[i], length);
            CHECK(memcmp(&want, &to.scores.parts[i], sizeof want) == 0);
            CHECK(to.scores.classes[i] == gs_length_class(FIRST_CLASS, length));
        }
        for (size_t i = 0; i < (POSTINGS_MAX - count) * sizeof(double); i++)
            CHECK(((const uint8_t *)(to.scores.parts + count))[i] == 0x55);
        for (size_t i = 0; i < POSTINGS_MAX - count; i++)
            CHECK(to.scores.classes[count + i] == 0x55);
        for (size_t i = 0; i < sizeof to.guard; i++)
            CHECK(to.guard[i] == 0x55);
    }
}

static void some_bounds(gs_length_bounds *bounds)
{
    for (size_t i = 0; i < GS_LENGTH_CLASSES; i++)
        bounds->most[i] = (float)fraction();
}

static void pick_leaves_out_what_is_hopeless(gs_score_way way)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        gs_scores scores;
        gs_length_bounds more;
        uint8_t which[POSTINGS_MAX];
        const size_t count = below(POSTINGS_MAX + 1);
        const double threshold = below(5) ? 2 * fraction() : -1;
        some_bounds(&more);
        for (size_t i = 0; i < count; i++) { /* one in eight is at the threshold */
            const uint8_t of = scores.classes[i] = (uint8_t)below(GS_LENGTH_CLASSES);
            const double there = threshold + fabs(threshold) * 1e-10 * (double)below(3);
            scores.parts[i] =
                below(8) || threshold < 0 ? fraction() : there - (double)more.most[of];
        }
        const size_t picked = gs_score_pick(way, &scores, count, &more, threshold, which);
        size_t at = 0;
        for (size_t i = 0; i < count; i++) {
            const bool is_in = at < picked && which[at] == i;
            const double sum = scores.parts[i] + (double)more.most[scores.classes[i]];
            CHECK(is_in || sum <= threshold);
            CHECK(!is_in || threshold < 0 ||
                  sum > threshold * (1 - 2 * GS_BM25_SLACK) - 1e-12);
            at += is_in;
        }
        CHECK(at == picked);
    }
}

/* What several terms add to documents of a window: none that may be wanted is left out,
 * and hardly any more is picked; each part is found again. */
static void windows_add_up(gs_score_way way)
{
    enum { TERMS_MAX = 5 };
    static gs_score_window w;
    static gs_score_log logs[TERMS_MAX];
    static double want[GS_WINDOW_DOCS], parts[TERMS_MAX][GS_WINDOW_DOCS];
    static uint8_t classes[GS_WINDOW_DOCS];
    static uint16_t which[GS_WINDOW_PICK_ROOM];
    static float sums[GS_WINDOW_PICK_ROOM];
    const uint64_t base = below(UINT64_C(1) << 39);
    const size_t terms = 1 + below(TERMS_MAX), rare = 1 + below(200);
    double least[GS_LENGTH_CLASSES];
    memset(want, 0, sizeof want);
    memset(parts, 0, sizeof parts);
    for (size_t i = 0; i < GS_WINDOW_DOCS; i++)
        classes[i] = (uint8_t)below(GS_LENGTH_CLASSES);
    for (size_t i = 0; i < GS_LENGTH_CLASSES; i++)
        least[i] = below(3) ? fraction() * (double)terms : -fraction();
    gs_score_window_begin(&w, base);
    for (size_t t = 0; t < terms; t++) {
        logs[t].count = 0;
        for (size_t doc = below(rare); doc < GS_WINDOW_DOCS;) {
            gs_scores scores;
            uint64_t docs[POSTINGS_MAX];
            size_t n = 0;
            for (; n < POSTINGS_MAX && doc < GS_WINDOW_DOCS; doc += 1 + below(rare)) {
                docs[n] = base + doc;
                scores.classes[n] = classes[doc];
                scores.parts[n] = below(50) ? fraction() : 1e-200;
                parts[t][doc] = scores.parts[n];
                want[doc] += scores.parts[n++];
            }
            gs_score_window_add(&w, &logs[t], docs, &scores, n);
        }
    }
    for (size_t doc = 0; doc < GS_WINDOW_DOCS; doc += 1 + below(500)) {
        if (want[doc] > 0) /* just what is enough */
            least[classes[doc]] = want[doc] * (1 - 1e-12);
    }
    const size_t picked = gs_score_window_pick(way, &w, terms, least, which, sums);
    size_t at = 0;
    for (size_t doc = 0; doc < GS_WINDOW_DOCS; doc++) {
        const bool is_in = at < picked && which[at] == doc;
        const double enough = least[classes[doc]];
        CHECK(is_in || want[doc] == 0 || want[doc] <= enough);
        CHECK(!is_in || (want[doc] > 0 && want[doc] > enough * (1 - 1e-5)));
        CHECK(!is_in || ((double)sums[at] >= want[doc] &&
                         (double)sums[at] <= want[doc] * (1 + 1e-5) + 1e-25));
        at += is_in;
        for (size_t t = 0; t < terms; t++)
            CHECK(!(gs_score_log_part(&logs[t], doc) < parts[t][doc]) &&
                  !(gs_score_log_part(&logs[t], doc) > parts[t][doc]));
    }
    CHECK(at == picked);
    for (size_t doc = 0; doc < GS_WINDOW_DOCS; doc++)
        CHECK(!(w.sums[doc] > 0));
}

int main(void)
{
    state = check_seed(57);
    for (size_t i = 0; i < DOCS; i++)
        lengths[i] = (uint32_t)(below(9) ? below(2000) : check_random(&state));
    for (gs_score_way way = 0; way <= gs_score_best_way(); way++) {
        scores_are_those_of_one(way);
        pick_leaves_out_what_is_hopeless(way);
        for (unsigned i = 0; i < check_often(ROUNDS / 10); i++)
            windows_add_up(way);
    }
    return check_result();
}
