/* SPDX-License-Identifier: MIT */
/*
 * verify: what is in a file, and whether it is in order.
 *
 * The checksum is the sum, modulo 2^128, of the XXH3-128 of every record (without its
 * end-of-line byte): the same records give the same sum in any order, so an input and its
 * output can be proved to hold the same ones.
 */
#ifndef GS_LIB_SORT_VERIFY_H
#define GS_LIB_SORT_VERIFY_H

#include "lib/sort/sort.h"

typedef struct gs_verify_result {
    uint64_t records;
    uint64_t bytes; /* of text, after decompression, ends of lines included */
    uint64_t sum_high, sum_low;
    uint64_t duplicates;     /* records equal to the one before, by the order */
    uint64_t disorders;      /* records that belong before the one before */
    uint64_t first_disorder; /* number of the first of these, from 1; 0: none */
} gs_verify_result;

/* Looks at one input, options->inputs[which], on options->threads threads. Without
 * `with_order` only the records are counted and summed up. With order.unique duplicates
 * are disorders too. Header lines are left out. */
GS_MUST_CHECK gs_code gs_verify_run(const gs_sort_options *options, size_t which,
                                    bool with_order, gs_verify_result *out,
                                    gs_status *st);

#endif
