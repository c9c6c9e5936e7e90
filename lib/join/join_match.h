/* SPDX-License-Identifier: MIT */
/*
 * join_match: the matching of lines with equal keys, as they come out of the sort.
 *
 * Both inputs are sorted as one. A byte behind its key says of which input a line is, and
 * of equal keys those of the right input come first:
 *
 *      key    a  a  a  a  b  c  c  d          R: the right lines of a key are kept,
 *      side   R  R  L  L  L  R  L  R          L: each is paired with those at once
 *
 * So only the right lines of one key are held, on a shelf, which goes to a file where the
 * memory is not enough; nothing grows with the number of pairs. Where partners are in
 * memory, what they add to the output was made once.
 *
 * A matcher is one thread's. Call order: new, then for each portion of the order begin,
 * add, end; free. No key is in two portions.
 */
#ifndef GS_LIB_JOIN_JOIN_MATCH_H
#define GS_LIB_JOIN_JOIN_MATCH_H

#include "lib/join/join_format.h"
#include "lib/join/join_shelf.h"
#include "lib/sort/run/runs.h"

typedef struct gs_join_match gs_join_match;

/* What the last byte of a key says. */
enum { GS_JOIN_TAG_RIGHT = 0, GS_JOIN_TAG_LEFT = 1 };

/* All borrowed. */
GS_MUST_CHECK gs_code gs_join_match_new(gs_join_match **out, const gs_join_format *format,
                                        gs_join_store *store, gs_sink *sink,
                                        gs_status *st);
void gs_join_match_free(gs_join_match *m); /* NULL is fine */

void gs_join_match_begin(gs_join_match *m, uint64_t ticket);
/* The next line in order; the key with the byte that says of which side it is. */
GS_MUST_CHECK gs_code gs_join_match_add(gs_join_match *m, const uint8_t *key,
                                        size_t key_bytes, const uint8_t *line,
                                        size_t line_bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_join_match_end(gs_join_match *m, gs_status *st);

#endif
