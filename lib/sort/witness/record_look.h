/* SPDX-License-Identifier: MIT */
/*
 * record_look: a look at records that go out one after the other: their hashes, and
 * whether each may follow the one before.
 *
 * Both at once, since a record is loaded for both. One thread; no state.
 */
#ifndef GS_LIB_SORT_WITNESS_RECORD_LOOK_H
#define GS_LIB_SORT_WITNESS_RECORD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_seen_string {
    const uint8_t *data;
    size_t bytes;
} gs_seen_string;

/* What may follow what. */
typedef struct gs_look_order {
    bool is_backwards;
    bool is_strict; /* equals are out of order */
} gs_look_order;

enum { GS_LOOK_MAX = 256 }; /* records at once */

/* Of `count` records the sum of the hashes of their lines, as gs_multiset has it, and the
 * number, from 1, of the first string that may not follow the one before it; 0: all may.
 * `strings` may be `lines`. With `has_before` the first follows strings[-1]. 64 bytes
 * beyond each can be read. */
uint64_t gs_look_at(const gs_seen_string *lines, const gs_seen_string *strings,
                    size_t count, bool has_before, gs_look_order order, size_t *disorder);

#endif
