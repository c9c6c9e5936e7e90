/* SPDX-License-Identifier: MIT */
/*
 * bm25: what a term adds to the score of a document.
 *
 *      weight = times in the query * ln(1 + (N - df + 0.5) / (df + 0.5))
 *      score  = weight * tf / (tf + (k1 * (1 - b) + k1 * b / average * length))
 *
 * in double precision, one operation after the other as written. The score of a document
 * is the sum over the terms of the query in the order in which they first come there. So
 * it is one certain number, however it was found, and on every machine.
 *
 * N is the number of documents, df of those with the term, tf how often it comes in this
 * one; length is the document's number of terms, average that of all.
 *
 * Searches leave documents out by bounds (block_bound.h, lib/index/format/impact.h).
 * These rest on the following, for k1 >= 0 and b from 0 to 1
 * (tests/unit/lib/index/read/test_bm25.c looks):
 *
 *      no weight and no score is negative;
 *      a score never falls when tf grows, and never grows when length does;
 *      no score is above the weight, however high tf is,
 *
 * all of them but for rounding, which GS_BM25_SLACK covers.
 */
#ifndef GS_LIB_INDEX_READ_BM25_H
#define GS_LIB_INDEX_READ_BM25_H

#include <math.h>
#include <stdint.h>

/* Bounds are sums in another order: less than this part of them is lost by rounding. */
#define GS_BM25_SLACK 1e-9

typedef struct gs_bm25 {
    double documents;
    double constant, per_length; /* of what is added to tf */
} gs_bm25;

static inline gs_bm25 gs_bm25_make(double k1, double b, uint64_t documents,
                                   uint64_t length_sum)
{
    const double average = length_sum > 0 ? (double)length_sum / (double)documents : 1.0;
    return (gs_bm25){(double)documents, k1 * (1 - b), k1 * b / average};
}

static inline double gs_bm25_weight(const gs_bm25 *m, uint64_t df, double times)
{
    const double n = (double)df;
    return times * log(1 + (m->documents - n + 0.5) / (n + 0.5));
}

static inline double gs_bm25_score(const gs_bm25 *m, double weight, uint64_t tf,
                                   uint32_t length)
{
    const double x = (double)tf;
    return weight * x / (x + (m->constant + m->per_length * (double)length));
}

#endif
