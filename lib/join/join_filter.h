/* SPDX-License-Identifier: MIT */
/*
 * join_filter: which keys the input that is read first has, so that lines of the other
 * one that surely find no partner need not be sorted. It is a Bloom filter of words:
 *
 *      hash of a key   ->  a word  | .1......1.......1.. |   three bits in it
 *
 * All are set: the key is there, or was mistaken for one that is; else it is not. Where
 * nearly all lines find a partner the filter only looks at some, until that changes.
 *
 * Any thread may call.
 */
#ifndef GS_LIB_JOIN_JOIN_FILTER_H
#define GS_LIB_JOIN_JOIN_FILTER_H

#include "lib/sort/form/forms.h"

typedef struct gs_join_filter gs_join_filter;

GS_MUST_CHECK gs_code gs_join_filter_new(gs_join_filter **out, size_t bytes,
                                         gs_status *st);
void gs_join_filter_free(gs_join_filter *f); /* NULL is fine */

/* What a record_sieve does with the strings of join_keys: those of input 0 are added, and
 * all stay; of others those stay whose key may be one of them. `context` is the filter.
 */
void gs_join_filter_sift(void *context, size_t input, const gs_sieve_string *strings,
                         size_t count, bool *stays);

#endif
