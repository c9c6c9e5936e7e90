/* SPDX-License-Identifier: MIT */
/*
 * line_merge: merge parts of texts whose lines are their own strings and all go out: what
 * most merges are, without what other merges ask for at each line.
 *
 *      parts     | ab | ad | ad |      | aa | ae |      each of whole lines with their
 * ends made      aa ab ad ad ae                         by some lines at a time
 *
 * Bytes of a part may change meanwhile: lines may then be any, but what is made is no
 * longer than the parts are.
 *
 * Call order: init, then for each piece start, and some until it says how the piece
 * ended; release.
 */
#ifndef GS_LIB_SORT_TEXT_LINE_MERGE_H
#define GS_LIB_SORT_TEXT_LINE_MERGE_H

#include "lib/sort/run/runs.h"

typedef enum gs_line_merge_end {
    GS_LINE_MERGE_FULL,     /* the next line has no room */
    GS_LINE_MERGE_DONE,     /* all is merged */
    GS_LINE_MERGE_DISORDER, /* text `source` is out of order behind line `at` */
    GS_LINE_MERGE_OPEN,     /* it has no end behind `at`, where its part ends */
    GS_LINE_MERGE_LONG,     /* its line at `at` is longer than it may be */
} gs_line_merge_end;

typedef struct gs_line_merge {
    gs_merge_tree tree;
    const uint8_t **ends; /* of the parts */
    size_t line_bytes_max;
    uint8_t eol;
    uint32_t source;   /* with what is not in order, */
    const uint8_t *at; /* and where */
} gs_line_merge;

/* Release it also after a failure. */
GS_MUST_CHECK gs_code gs_line_merge_init(gs_line_merge *m, size_t text_count, uint8_t eol,
                                         bool is_backwards, size_t line_bytes_max,
                                         gs_status *st);
void gs_line_merge_release(gs_line_merge *m); /* a zeroed one is fine */

/* The parts from begins[i] to ends[i], at both of which lines begin. FULL if all is
 * well. */
gs_line_merge_end gs_line_merge_start(gs_line_merge *m, const uint8_t *const *begins,
                                      const uint8_t *const *ends);
/* Makes lines in the `room` bytes at `to`, and may write GS_SHORT_COPY_BYTES beyond. */
gs_line_merge_end gs_line_merge_some(gs_line_merge *m, uint8_t *to, size_t room,
                                     size_t *made_bytes, uint64_t *made_lines);
/* How much room the line takes that comes next, with its end. */
size_t gs_line_merge_next_bytes(const gs_line_merge *m);

#endif
