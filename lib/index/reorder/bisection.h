/* SPDX-License-Identifier: MIT */
/*
 * bisection: an order of documents in which those that share terms lie close, by
 * recursive graph bisection.
 *
 *      all documents        0 1 2 3 4 5 6 7
 *      two halves           0 2 5 7 | 1 3 4 6      which share as little as can be
 *      each into two        0 7 | 2 5   1 3 | 4 6
 *      and so on, down to a few
 *
 * A half is made by exchanging documents of both for as long as that saves bits: of each
 * the gain of going to the other side is reckoned (lib/index/reorder/move_gain.h), those
 * of either side that gain most change places, and again with what is so then, some
 * times. Differences of docIDs become small, and blocks of postings alike.
 *
 * Some hundreds of documents, put together again, take the order that they came in, if
 * that makes their differences as small: names that share beginnings then stay side by
 * side.
 *
 * All that is decided follows from sums of whole numbers, in any order of work: the same
 * order for any number of threads. The halves of many documents are made by all threads
 * together, those of few by one each.
 */
#ifndef GS_LIB_INDEX_REORDER_BISECTION_H
#define GS_LIB_INDEX_REORDER_BISECTION_H

#include "lib/index/reorder/doc_terms.h"

/* What it takes beside its input: of each document, and of each term and thread. */
enum {
    GS_BISECTION_BYTES_A_DOC = 16,
    GS_BISECTION_BYTES_A_TERM = 8,
};

/* `order`, of all documents, is filled: order[i] is the one that comes at place i.
 * `name_bits` is what a document is worth that stays where it was among some hundreds. */
GS_MUST_CHECK gs_code gs_bisect(uint32_t *order, const gs_doc_terms *terms,
                                unsigned name_bits, gs_team *team,
                                const volatile int *cancel, gs_status *st);

#endif
