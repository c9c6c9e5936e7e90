/* SPDX-License-Identifier: MIT */
/*
 * text_cursor: go through the lines of a part of a sorted text in memory, as a source of
 * a merge tree: each line comes with its offset-value code relative to the one before.
 *
 *      text    | aa | ab | ba | bb | ca | cb | cc |
 *      part         ^ at                 ^ end           next: ab, ba, bb, ca
 *      with steps   ab ........ bb ........ cb          every so many bytes one line
 *
 * A line that should have come before the one before it is found, and is no failure. The
 * text may be a mapped file that somebody writes to; then lines may be any, but they lie
 * in the text, or there is a failure that names the file.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_CURSOR_H
#define GS_LIB_SORT_TEXT_TEXT_CURSOR_H

#include "lib/sort/key/keys.h"
#include "lib/sort/run/runs.h"

/* How lines are told apart and ordered. */
typedef struct gs_text_form {
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* NULL: the line is its string */
    size_t record_size;            /* > 0: no end-of-line byte */
} gs_text_form;

/* A whole text, of which GS_KEY_READ_SLACK bytes more can be read. */
typedef struct gs_text {
    const uint8_t *begin, *end;
    const uint8_t *last_line; /* a copy of it, with eol, if it lacks one; else NULL */
    size_t last_line_bytes;   /* of that, without its eol */
    size_t file;              /* of a map, in which it lies */
    bool is_reversed;         /* each line belongs behind the one that follows it */
    /* What lies before it is in memory that has no copy: no page of it is left. NULL: all
     * is in a file. */
    const uint8_t *own_end;
} gs_text;

/* Pages of a part of a mapped text count as ours no more (io/file_map.h). */
void gs_text_leave(const gs_text *text, const uint8_t *data, size_t bytes);
/* And some before it, in the text. */
void gs_text_leave_around(const gs_text *text, const uint8_t *data, size_t bytes);

typedef struct gs_text_cursor {
    const gs_text_form *form;
    const gs_text *text;
    gs_merge_head *head;
    const uint8_t *begin; /* of the line, in the text */
    const uint8_t *line;  /* its bytes, with eol: there or in text->last_line */
    size_t line_bytes;
    const uint8_t *at, *end; /* of the part, what comes after the line */
    size_t step;             /* bytes to go over between two lines */
    gs_line_string strings[2];
    unsigned now;
} gs_text_cursor;

/* Stands on the first line of [at, end), both at the beginning of a line. What the cursor
 * had for strings stays with it. */
GS_MUST_CHECK gs_code gs_text_cursor_start(gs_text_cursor *c, const gs_text_form *form,
                                           const gs_text *text, const uint8_t *at,
                                           const uint8_t *end, gs_merge_head *head,
                                           gs_status *st);
/* Goes on; *is_in_order is false if that line belongs before this one. */
GS_MUST_CHECK gs_code gs_text_cursor_advance(gs_text_cursor *c, bool *is_in_order,
                                             gs_status *st);
void gs_text_cursor_release(gs_text_cursor *c); /* a zeroed one is fine */

/* Where the line begins that comes first after `at`, or the end of the text. */
const uint8_t *gs_text_next_line(const gs_text_form *form, const gs_text *text,
                                 const uint8_t *at);

/* The first line in [lo, hi) that is not before `string`; with `after_equals` the first
 * that comes after it. Both ends at the beginning of a line; hi if there is none. */
GS_MUST_CHECK gs_code gs_text_find(const gs_text_form *form, const gs_text *text,
                                   const uint8_t *lo, const uint8_t *hi,
                                   const gs_merge_head *string, bool after_equals,
                                   const uint8_t **found, gs_status *st);

#endif
