/* SPDX-License-Identifier: MIT */
/*
 * generate: keys of known distributions in device or host memory, and the check of a
 * result, for benchmarks and tests. The calls wait. Thread-safe.
 *
 * A key depends on the distribution, the seed, its index and the count alone. The check
 * shares nothing with the engines: it counts neighbours out of order and adds up a hash
 * of every record, which is the same for the same records in any order.
 */
#ifndef GS_GPU_GENERATE_H
#define GS_GPU_GENERATE_H

#include "gpu/engine/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gs_distribution {
    GS_DIST_UNIFORM,    /* all bits random */
    GS_DIST_GAUSSIAN,   /* 2^63 and a deviation of 2^60 */
    GS_DIST_ZIPF,       /* tuples: a Zipf term of 22 bits, a docID of 32, a position */
    GS_DIST_POISSON,    /* mean 10^6 */
    GS_DIST_SORTED,     /* index * a stride */
    GS_DIST_DESCENDING, /* the same from the end */
    GS_DIST_EQUAL,      /* one value */
    GS_DIST_FEW,        /* 1000 values spread over the range */
    GS_DIST_GAPS,       /* tuples as ZIPF with docIDs of 24 bits and the 8 above unused */
    GS_DIST_CLUMPS,     /* 2^20 values far apart, each with neighbours */
    GS_DIST_SCALES,     /* a random number of a random length */
    GS_DIST_HUNDREDS,   /* as FEW, 250 values */
    GS_DIST_STRETCHES,  /* three in order, one behind the other, each over the range */
    GS_DIST_COUNT
} gs_distribution;

const char *gs_distribution_name(gs_distribution distribution);

/* Values, where there are any, are the indices, or random with `random_values`. */
GS_MUST_CHECK gs_code gs_generate(gs_batch_type type, gs_distribution distribution,
                                  uint64_t seed, bool random_values, void *d_keys,
                                  uint32_t *d_values, size_t count, gs_status *st);

typedef struct gs_fingerprint {
    uint64_t disorder; /* neighbours out of order, by key, then value */
    uint64_t sum;      /* of a hash of each record */
} gs_fingerprint;

GS_MUST_CHECK gs_code gs_fingerprint_take(gs_batch_type type, const void *d_keys,
                                          const uint32_t *d_values, size_t count,
                                          gs_fingerprint *out, gs_status *st);

/* In host memory, in every build: keys [first, first + count) of a batch that has
 * all->count of them, so that threads can share the work. Values are the indices. */
void gs_generate_host(gs_batch_type type, gs_distribution distribution, uint64_t seed,
                      const gs_batch *all, size_t first, size_t count);
/* Adds what those keys, and the one behind them, have to *out. */
void gs_fingerprint_host(gs_batch_type type, const gs_batch *all, size_t first,
                         size_t count, gs_fingerprint *out);

#ifdef __cplusplus
}
#endif
#endif
