/* SPDX-License-Identifier: MIT */
/*
 * record_sieve: somebody looks at the strings of records before they get into a chunk,
 * and may leave some out. He sees all of an input before the next one (gs_forming).
 */
#ifndef GS_LIB_SORT_FORM_RECORD_SIEVE_H
#define GS_LIB_SORT_FORM_RECORD_SIEVE_H

#include "lib/sort/bucket/buckets.h"
#include "lib/sort/record/records.h"

typedef struct gs_sieve_string {
    const uint8_t *data;
    size_t bytes;
} gs_sieve_string;

typedef struct gs_record_sieve {
    /* Says of each string of an input whether it stays; of a few at a time, so that what
     * they need can be fetched together. Any thread calls. */
    void (*sift)(void *context, size_t input, const gs_sieve_string *strings,
                 size_t count, bool *stays);
    void *context;
} gs_record_sieve;

enum { GS_SIEVE_STRINGS = 64 }; /* at a time, at most */

/* Of the records of `elements`, which lie one behind the other in `records`, what is left
 * out makes room for those behind it. Returns how many elements stay, and *record_bytes
 * is what they take. */
size_t gs_record_sieve_run(const gs_record_sieve *sieve, size_t input,
                           const gs_record_layout *layout, gs_element *elements,
                           size_t count, uint8_t *records, size_t *record_bytes);

#endif
