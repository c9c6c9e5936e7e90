/* SPDX-License-Identifier: MIT */
/*
 * join_sorted: inputs sorted by keys that others make, and looked at in that order. It is
 * the sort up to where the result would be written (lib/sort/sorter.c): in memory where
 * they fit, else as runs, which are merged while they are looked at. Lines with equal
 * keys come in the order of the input.
 *
 * Call order: new, which reads everything; consume, once or more often; free. One thread
 * calls; the workers are inside.
 */
#ifndef GS_LIB_JOIN_JOIN_SORTED_H
#define GS_LIB_JOIN_JOIN_SORTED_H

#include "lib/base/team.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/run/runs.h"

typedef struct gs_join_sorted gs_join_sorted;

/* What is sorted, and how. All is borrowed until free(), but for the plan. */
typedef struct gs_join_sorting {
    const gs_sort_options *options;
    gs_key_encoder *const *encoders; /* one an input */
    const gs_line_sieve *line_sieve; /* or NULL */
    const gs_record_sieve *sieve;    /* or NULL */
    gs_header_fn *see_header;        /* of each input that has one; or NULL */
    void *header_context;
    gs_team *team;
    const gs_memory_plan *plan; /* without what the caller takes of the memory */
} gs_join_sorting;

GS_MUST_CHECK gs_code gs_join_sorted_new(gs_join_sorted **out,
                                         const gs_join_sorting *sorting, gs_status *st);
void gs_join_sorted_free(gs_join_sorted *s); /* NULL is fine */

/* Gives the records to the consumer, each with its key in front. After a call with
 * is_last no other follows. */
GS_MUST_CHECK gs_code gs_join_sorted_consume(gs_join_sorted *s,
                                             const gs_range_consumer *consumer,
                                             bool is_last, gs_status *st);

/* How its records lie. */
gs_record_layout gs_join_record_layout(const gs_sort_options *options);
/* How much a thread should gather of what it makes of the records. */
size_t gs_join_sorted_piece_bytes(const gs_join_sorted *s);
/* The header line of an input, without eol; NULL if it has none. Valid until free(). */
const uint8_t *gs_join_sorted_header(const gs_join_sorted *s, size_t input,
                                     size_t *bytes);

#endif
