/* SPDX-License-Identifier: MIT */
/*
 * join_pair: the lines of pairs, put together from parts that are made once a line.
 *
 *      right line, made     | bytes | part | bytes | part |
 *      left line, made      | part | part |                  and where each ends
 *      pair                 | left part | right part | left part | right part | eol |
 *
 * One thread.
 */
#ifndef GS_LIB_JOIN_JOIN_PAIR_H
#define GS_LIB_JOIN_JOIN_PAIR_H

#include "lib/join/join_format.h"
#include "lib/sort/run/runs.h"

/* Adds the parts of a right line, each behind its length. */
GS_MUST_CHECK gs_code gs_join_pair_make_right(const gs_join_format *format,
                                              const gs_join_fields *line,
                                              gs_join_text *to, gs_status *st);

/* A left line. Zeroed at first. */
typedef struct gs_join_pair_left {
    const gs_join_format *format; /* borrowed */
    gs_join_text text;
    size_t *ends; /* of its parts; those of right ones are empty */
} gs_join_pair_left;

GS_MUST_CHECK gs_code gs_join_pair_left_init(gs_join_pair_left *left,
                                             const gs_join_format *format, gs_status *st);
void gs_join_pair_left_release(gs_join_pair_left *left);
/* Makes it of another line. */
GS_MUST_CHECK gs_code gs_join_pair_left_make(gs_join_pair_left *left,
                                             const gs_join_fields *line, gs_status *st);

/* Adds the pair to the piece; *right goes on to what was made of the next line. */
GS_MUST_CHECK gs_code gs_join_pair_put(const gs_join_pair_left *left,
                                       const uint8_t **right, gs_sink_piece *piece,
                                       gs_status *st);

#endif
