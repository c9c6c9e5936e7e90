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

#include <string.h>

#include "lib/join/join_format.h"
#include "lib/join/join_writer.h"
#include "lib/sort/record/records.h"

/* Adds the parts of a right line, each behind its length. */
GS_MUST_CHECK gs_code gs_join_pair_make_right(const gs_join_format *format,
                                              const gs_join_fields *line,
                                              gs_join_text *to, gs_status *st);

/* A left line. Zeroed at first. */
typedef struct gs_join_pair_left {
    const gs_join_format *format; /* borrowed */
    gs_join_text text;
    size_t *ends;     /* of its parts; those of right ones are empty */
    size_t eol_bytes; /* 0: pairs are tuples */
    bool is_plain;    /* it has one part, the right line another, in this order */
} gs_join_pair_left;

GS_MUST_CHECK gs_code gs_join_pair_left_init(gs_join_pair_left *left,
                                             const gs_join_format *format, gs_status *st);
void gs_join_pair_left_release(gs_join_pair_left *left);
/* Makes it of another line. */
GS_MUST_CHECK gs_code gs_join_pair_left_make(gs_join_pair_left *left,
                                             const gs_join_fields *line, gs_status *st);

/* The same as below, whatever the parts are. */
GS_MUST_CHECK gs_code gs_join_pair_put_parts(const gs_join_pair_left *left,
                                             const uint8_t **right, gs_join_writer *to,
                                             gs_status *st);

/* What is copied for every pair is shorter than a record most often; all of it is, or
 * most of it is not, so that the branch is guessed right. */
static inline void gs_join_pair_copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
    enum { MOST = 32 };
    if (__builtin_expect(bytes > MOST, 0))
        gs_copy_short(to, from, bytes);
    else
        memcpy(to, from, MOST);
}

/* Writes the pair; *right goes on to what was made of the next line, and may be read
 * GS_SHORT_COPY_BYTES past its end. */
GS_MUST_CHECK static inline gs_code gs_join_pair_put(const gs_join_pair_left *left,
                                                     const uint8_t **right,
                                                     gs_join_writer *to, gs_status *st)
{
    const size_t left_bytes = left->text.used;
    size_t right_bytes;
    uint8_t *out;
    if (!left->is_plain)
        return gs_join_pair_put_parts(left, right, to, st);
    memcpy(&right_bytes, *right, sizeof right_bytes);
    const uint8_t *const from = *right + sizeof right_bytes;
    GS_TRY(gs_join_writer_room(to, left_bytes + right_bytes + 1, &out, st));
    gs_join_pair_copy(out, left->text.data, left_bytes);
    gs_join_pair_copy(out + left_bytes, from, right_bytes);
    out[left_bytes + right_bytes] = left->format->options->sort.order.eol;
    gs_join_writer_added(to, left_bytes + right_bytes + left->eol_bytes);
    *right = from + right_bytes;
    return GS_OK;
}

#endif
