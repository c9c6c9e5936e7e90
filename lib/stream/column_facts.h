/* SPDX-License-Identifier: MIT */
/*
 * column_facts: what is known of the values of a column: their kinds, how many differ,
 * the least and the most, the most frequent, and of numbers the ranks.
 *
 * Facts of windows are gathered beside each other and put together in turn.
 */
#ifndef GS_LIB_STREAM_COLUMN_FACTS_H
#define GS_LIB_STREAM_COLUMN_FACTS_H

#include <stdbool.h>

#include "lib/stream/distinct_sketch.h"
#include "lib/stream/rank_summary.h"
#include "lib/stream/text_counts.h"
#include "lib/stream/value_kind.h"

typedef struct gs_kept_text {
    uint8_t *data;
    size_t bytes, capacity;
    bool is_there;
} gs_kept_text;

typedef struct gs_column_facts {
    uint64_t kinds[GS_KIND_COUNT];
    uint64_t missing;             /* records that have no such field */
    uint64_t least_key, most_key; /* of numbers, if there are any */
    gs_kept_text least, most;     /* of dates and texts, by their bytes */
    gs_distinct_sketch distinct;
    gs_text_counts counts;
    gs_rank_summary ranks; /* of numbers */
} gs_column_facts;

static inline uint64_t gs_column_numbers(const gs_column_facts *f)
{
    return f->kinds[GS_KIND_INTEGER] + f->kinds[GS_KIND_DECIMAL];
}

void gs_column_facts_release(gs_column_facts *f);
/* Nothing known; memory is kept. */
void gs_column_facts_reset(gs_column_facts *f);

/* One more value; *is_number says whether *key is that of a number, which is not counted
 * among the ranks here. */
GS_MUST_CHECK gs_code gs_column_facts_add(gs_column_facts *f, const uint8_t *text,
                                          size_t bytes, uint64_t *key, bool *is_number,
                                          gs_status *st);

/* All but the ranks: what `other` knows comes after what `f` knows. */
GS_MUST_CHECK gs_code gs_column_facts_merge(gs_column_facts *f,
                                            const gs_column_facts *other, gs_status *st);

/* Of values that are not empty: how many differ, and whether that is just so or an
 * estimate. */
uint64_t gs_column_facts_distinct(const gs_column_facts *f, bool *is_exact);

#endif
