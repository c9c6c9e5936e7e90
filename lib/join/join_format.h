/* SPDX-License-Identifier: MIT */
/*
 * join_format: how two lines, or one that found no partner, become a line of output.
 *
 * What is written of a pair is cut into parts, each of one side. So the parts of a line
 * can be made once, however many partners it has:
 *
 *      -o 1.1,1.3,2.2,2.1,0     left: 1.1 1.3     right: 2.2 2.1     left: 0
 *      no -o                    left: key, others                    right: others
 *      no -o, keys differ       left: key, others                    right: key, others
 *
 * The separator in front belongs to the part. Of tuples that are written as such there is
 * none, nor an end of line; all have the same size, and where a field is missing are
 * zeros. A format is read-only once it is made.
 */
#ifndef GS_LIB_JOIN_JOIN_FORMAT_H
#define GS_LIB_JOIN_JOIN_FORMAT_H

#include "lib/join/join_fields.h"
#include "lib/join/join_options.h"

/* Text that grows. Zeroed at first. */
typedef struct gs_join_text {
    uint8_t *data;
    size_t used, capacity;
} gs_join_text;

typedef struct gs_join_part {
    gs_join_side side;
    size_t first, count; /* of the items; without items neither */
} gs_join_part;

typedef struct gs_join_format {
    const gs_join_options *options; /* borrowed */
    const uint8_t *filler;
    size_t filler_bytes;
    uint8_t *filler_room; /* one that had to be put between quotes; or NULL */
    bool has_quotes;      /* fields are those of CSV */
    uint8_t separator;
    bool writes_tuples;
    bool prints_tuples;        /* as text */
    bool shows[GS_JOIN_SIDES]; /* some line of the output may have fields of this side */
    size_t field_count[GS_JOIN_SIDES]; /* of every line, or SIZE_MAX: what it has */
    gs_join_part *parts;
    size_t part_count;
} gs_join_format;

/* `first` are the fields of the first line of each input, looked at if the options say
 * is_auto; NULL: it has none. Release it also after a failure. */
GS_MUST_CHECK gs_code gs_join_format_init(gs_join_format *format,
                                          const gs_join_options *options,
                                          const gs_join_fields *const first[],
                                          gs_status *st);
void gs_join_format_release(gs_join_format *format);

/* Adds what a part has of a pair's line of its side. */
GS_MUST_CHECK gs_code gs_join_format_part(const gs_join_format *format,
                                          const gs_join_part *part,
                                          const gs_join_fields *line, gs_join_text *to,
                                          gs_status *st);
/* Adds the whole line, with its eol, of a pair or of one line; the other is NULL. */
GS_MUST_CHECK gs_code gs_join_format_line(const gs_join_format *format,
                                          const gs_join_fields *left,
                                          const gs_join_fields *right, gs_join_text *to,
                                          gs_status *st);

/* Room for so many bytes more, and for what copies read beyond (gs_copy_short). */
GS_MUST_CHECK gs_code gs_join_text_room(gs_join_text *text, size_t bytes, gs_status *st);
void gs_join_text_release(gs_join_text *text);

#endif
