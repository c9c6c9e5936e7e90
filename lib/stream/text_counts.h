/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * text_counts: how often texts came, in a table that can be thinned out.
 *
 *      prune to 3:   the 9   of 7   and 4   fish 3   pea 1     fish's 3 are taken from all,
 *                    the 6   of 4   and 1                      and `lost` grows by 3
 *
 * What is taken from one is taken from k + 1 at least when the table is pruned to k. So
 * however often tables are pruned and put together, lost * (k + 1) is at most the number
 * of values: no count is low by more than values / (k + 1), and none is high. (Misra and
 * Gries' counters, as a summary that can be merged.)
 *
 * One thread; a zeroed table is empty.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_TEXT_COUNTS_H
#define GS_LIB_STREAM_TEXT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_text_count {
    uint64_t hash;
    uint64_t count;
    size_t at; /* of its text */
    size_t bytes;
} gs_text_count;

typedef struct gs_text_counts {
    gs_text_count *entries; /* in the order in which they came first */
    size_t count, capacity;
    uint64_t values; /* that were counted */
    uint64_t lost;   /* no count is low by more */
    uint8_t *texts;
    size_t text_bytes, text_capacity;
    uint32_t *slots; /* 1 + number of an entry */
    size_t slot_count, slot_capacity;
    uint64_t *room; /* for pruning */
    size_t room_capacity;
} gs_text_counts;

void gs_text_counts_release(gs_text_counts *t);
/* Empty again; memory is kept. */
void gs_text_counts_reset(gs_text_counts *t);

uint64_t gs_text_hash(const void *text, size_t bytes);

/* The text came `count` times more; `hash` is its own. Values are not counted up. */
GS_MUST_CHECK gs_code gs_text_counts_add(gs_text_counts *t, uint64_t hash,
                                         const uint8_t *text, size_t bytes,
                                         uint64_t count, gs_status *st);
/* The number of its entry; SIZE_MAX if it has none. */
size_t gs_text_counts_find(const gs_text_counts *t, uint64_t hash, const uint8_t *text,
                           size_t bytes);
/* `count` texts that lie one behind the other, each up to its end. Reads up to 31 bytes
 * beyond. */
GS_MUST_CHECK gs_code gs_text_counts_add_all(gs_text_counts *t, const uint8_t *texts,
                                             const uint32_t *ends, size_t count,
                                             gs_status *st);
/* All that another one counted. */
GS_MUST_CHECK gs_code gs_text_counts_merge(gs_text_counts *t, const gs_text_counts *other,
                                           gs_status *st);

/* Leaves at most so many, from 1 on. */
GS_MUST_CHECK gs_code gs_text_counts_prune(gs_text_counts *t, size_t counters,
                                           gs_status *st);

/* What `from` counted, in no more memory than that takes: `to`, which may hold another
 * table, can be pruned and merged into others, but nothing is found in it or added. */
GS_MUST_CHECK gs_code gs_text_counts_store(gs_text_counts *to, const gs_text_counts *from,
                                           gs_status *st);
/* Of one that is stored, and was pruned: gives back what it needs no more. */
GS_MUST_CHECK gs_code gs_text_counts_trim(gs_text_counts *t, gs_status *st);

/* The most frequent first, and equal ones by their bytes. Nothing may be added then until
 * it is reset. */
void gs_text_counts_rank(gs_text_counts *t);

/* What it takes. */
size_t gs_text_counts_bytes(const gs_text_counts *t);

static inline const uint8_t *gs_text_counts_text(const gs_text_counts *t, size_t i)
{
    return t->texts + t->entries[i].at;
}

#endif
