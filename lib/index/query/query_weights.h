/* SPDX-License-Identifier: MIT */
/*
 * query_weights: what the terms of a query count, in an index of impacts.
 *
 *      fish^2.5 chips "new york"^0.75         words and quoted terms with a number behind
 *      {"fish": 2.5, "chips": 1}              the same as JSON, as encoders print it
 *
 * A term without a number counts once. What stands behind the last `^` of a word is its
 * weight if it is all digits, points, signs and exponents; otherwise it is of the word.
 */
#ifndef GS_LIB_INDEX_QUERY_QUERY_WEIGHTS_H
#define GS_LIB_INDEX_QUERY_QUERY_WEIGHTS_H

#include "lib/index/query/query.h"

#define GS_QUERY_WEIGHT_MAX 1e9

/* Where the weight of the word begins, its `^`; `end`: it has none. */
const uint8_t *gs_query_weight_of_word(const uint8_t *begin, const uint8_t *end);
/* Of the bytes behind the `^`. *why is NULL, or says why they are no weight. */
double gs_query_weight_read(const uint8_t *begin, const uint8_t *end, const char **why);

/* A query that is a JSON object: its terms become children of `list`. false: *why says
 * where (*at) it is none, or *st that there is no memory. */
bool gs_query_weights_object(gs_query *query, int list, gs_query_role role,
                             const uint8_t *text, size_t bytes, const uint8_t **at,
                             const char **why, gs_status *st);

#endif
