/* SPDX-License-Identifier: MIT */
/*
 * text_cut: cut sorted texts into pieces that can be merged side by side.
 *
 *      text 0    aa ab | ad ae | ba bc           piece 0: all lines before ad of text 1
 *      text 1    aa ac | ad ad | bb              piece 1: all others before ba of text 0
 *      text 2    ab    |       | ca cb           piece 2: the rest
 *
 * Every so many bytes of each text there is a line that may be a bound. These lines are
 * merged, which counts how much lies before each; where it is enough, the place of that
 * line in all texts is looked for. Of equal lines those of earlier texts are before it,
 * unless equal lines shall not be parted.
 *
 * If the texts are not sorted, cutting ends where that is seen.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_CUT_H
#define GS_LIB_SORT_TEXT_TEXT_CUT_H

#include "lib/sort/text/text_cursor.h"

typedef struct gs_text_cut_options {
    gs_text_form form;
    const gs_text *texts; /* borrowed */
    size_t text_count;
    size_t piece_bytes; /* of all texts together, about */
    bool keeps_equals_together;
    bool are_mapped; /* the texts, by a gs_file_map: pages may be left */
} gs_text_cut_options;

typedef struct gs_text_cut gs_text_cut;

GS_MUST_CHECK gs_code gs_text_cut_new(gs_text_cut **out,
                                      const gs_text_cut_options *options, gs_status *st);
void gs_text_cut_free(gs_text_cut *cut); /* NULL is fine */

typedef enum gs_text_cut_end {
    GS_TEXT_CUT_PIECE,    /* there is a piece */
    GS_TEXT_CUT_DONE,     /* there was nothing left */
    GS_TEXT_CUT_DISORDER, /* from begin[] on, the texts are not sorted */
} gs_text_cut_end;

/* The next piece: of text i from begin[i] to end[i]. */
GS_MUST_CHECK gs_code gs_text_cut_next(gs_text_cut *cut, const uint8_t **begin,
                                       const uint8_t **end, gs_text_cut_end *how,
                                       gs_status *st);

#endif
