/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * saved_summary: what is known of a stream, as a file, to be put together with that of
 * other streams and asked later.
 *
 * All numbers have 64 bits and are little-endian; a double is its bits; a key is as
 * number_text.h has it; a text is its length and its bytes.
 *
 *      "GSSTATS\n"                   8 bytes
 *      version                       1, or a later one where the kind came with that; a
 *                                    file of a version up to one's own is read
 *      kind                          gs_saved_kind
 *      type                          gs_number_type; of texts 0
 *      eps                           double
 *      values                        how many there were, up to 2^62
 *      ... by the kind:
 *      sum                           XXH3 (64 bits) of all before
 *
 *      quantiles    count, as often: key, least rank, most rank
 *      numbers      counters, lost, count, as often: key, count              keys ascend
 *      texts        counters, lost, count, as often: text, count             all differ
 *      sums         least x, most x (keys), sum of x (double), has ranks (0 or 1), these
 *                   as of quantiles; total of y above zero and of -y below it, count, as
 *                   often: key, before (2 doubles), up to (2 doubles)        keys ascend
 *      prefixes     counters, hierarchy (gs_hierarchy_kind), step (bits, of addresses; else
 *                   0), levels, as often: lost, count, as often: text, count
 *                                                      all differ, and are of that level
 *
 * Of `counters` and `lost` holds what text_counts.h says: lost (counters + 1) is at most
 * the number of values less the sum of all counts. A file of which anything of this is not
 * so is refused. `counters` are at least 1 / eps.
 *
 * The error of a summary is a share of its values; what is put together of summaries has
 * the largest of their errors.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_SAVED_SUMMARY_H
#define GS_LIB_STREAM_SAVED_SUMMARY_H

#include "lib/base/pack.h"
#include "lib/stream/count_summary.h"
#include "lib/stream/pair_sink.h"
#include "lib/stream/prefix_counts.h"
#include "lib/stream/text_counts.h"

typedef enum gs_saved_kind {
    GS_SAVED_QUANTILES,
    GS_SAVED_NUMBERS,
    GS_SAVED_TEXTS,
    GS_SAVED_SUMS,
    GS_SAVED_PREFIXES,
    GS_SAVED_KINDS,
} gs_saved_kind;

typedef struct gs_saved_summary {
    gs_saved_kind kind;
    gs_number_type type;
    double eps;
    uint64_t values;
    uint64_t counters; /* at least so many were left by each thinning out */
    bool has_ranks;    /* of x, of sums */
    /* By the kind one of these: */
    gs_rank_summary ranks;
    gs_count_summary numbers;
    gs_text_counts texts;
    gs_pair_facts pairs;
    gs_prefix_counts prefixes;
} gs_saved_summary;

void gs_saved_summary_release(gs_saved_summary *s);

/* What it takes in memory. */
size_t gs_saved_summary_bytes(const gs_saved_summary *s);

/* Ranks are thinned out first as far as the error allows; counts may be ranked. */
GS_MUST_CHECK gs_code gs_saved_summary_pack(gs_saved_summary *s, gs_packer *to,
                                            gs_status *st);
/* `name` is for messages. */
GS_MUST_CHECK gs_code gs_saved_summary_unpack(gs_saved_summary *out, const uint8_t *data,
                                              size_t bytes, const char *name,
                                              gs_status *st);
/* Adds what `other`, called `name`, knows. */
GS_MUST_CHECK gs_code gs_saved_summary_merge(gs_saved_summary *s,
                                             const gs_saved_summary *other,
                                             const char *name, gs_status *st);

/* A file; it has its name when it is complete. */
GS_MUST_CHECK gs_code gs_saved_summary_write(gs_saved_summary *s, const char *path,
                                             gs_status *st);
/* "-" is standard input. One of more bytes is GS_ERR_LIMIT. */
GS_MUST_CHECK gs_code gs_saved_summary_read(gs_saved_summary *out, const char *path,
                                            size_t bytes_max, gs_status *st);

#endif
