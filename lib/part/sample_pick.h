/* SPDX-License-Identifier: MIT */
/*
 * sample_pick: N records of all that are offered, each with the same chance.
 *
 * Every record has a rank, a number that looks as if it were drawn at random and follows
 * from the seed and from where the record stands: the number of its input and its offset
 * there. The N with the least ranks are kept. So the same seed picks the same records,
 * in whatever order and batches they come, and whatever was offered or not, nobody has to
 * know how many there are.
 *
 *      rank = gs_sample_pick_rank(p, input, offset);
 *      if (gs_sample_pick_wants(p, rank)) gs_sample_pick_add(p, ...)
 *
 * Records are copied. What is kept of them takes `bytes_max` at most. One thread.
 */
#ifndef GS_LIB_PART_SAMPLE_PICK_H
#define GS_LIB_PART_SAMPLE_PICK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_sampled {
    uint64_t rank;
    uint64_t input, offset; /* where it stands */
    uint64_t at;            /* in `text` */
    uint64_t bytes;
} gs_sampled;

typedef struct gs_sample_pick {
    uint64_t seed, count_max;
    size_t bytes_max;
    uint64_t offered;    /* records that had a rank */
    gs_sampled *records; /* a heap, the greatest rank first, until it is settled */
    size_t count, capacity;
    uint8_t *text; /* of the records, and of some that were kept before */
    size_t text_used, text_capacity;
    size_t text_kept; /* bytes of it that are of records */
} gs_sample_pick;

enum { GS_SAMPLE_SLACK = 64 }; /* bytes behind the text of a record that may be read */

/* `count_max` is at least 1. Nothing is taken before the first record. */
void gs_sample_pick_init(gs_sample_pick *p, uint64_t count_max, uint64_t seed,
                         size_t bytes_max);
void gs_sample_pick_release(gs_sample_pick *p);
/* Nothing has been offered. */
void gs_sample_pick_restart(gs_sample_pick *p);

/* Of a record, once. */
uint64_t gs_sample_pick_rank(gs_sample_pick *p, uint64_t input, uint64_t offset);

static inline bool gs_sample_pick_wants(const gs_sample_pick *p, uint64_t rank)
{
    return p->count < p->count_max || rank <= p->records[0].rank;
}

/* Fails with GS_ERR_LIMIT if it takes more than bytes_max. */
GS_MUST_CHECK gs_code gs_sample_pick_add(gs_sample_pick *p, uint64_t rank, uint64_t input,
                                         uint64_t offset, const uint8_t *record,
                                         size_t bytes, gs_status *st);

/* The records stand in the order of the inputs from now on. Nothing more is offered. */
void gs_sample_pick_settle(gs_sample_pick *p);

#endif
