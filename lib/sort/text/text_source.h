/* SPDX-License-Identifier: MIT */
/*
 * text_source: read the lines of one sorted file, one at a time, each with the string
 * that orders it.
 *
 * For merging files that are sorted already: one plain descriptor and one buffer a
 * source, so that many can be open at once. Compressed files are decoded on the way.
 * The line and the string stay valid until the next advance.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_SOURCE_H
#define GS_LIB_SORT_TEXT_TEXT_SOURCE_H

#include "io/input.h"
#include "lib/sort/record/records.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/text/text_run.h"
#include "lib/sort/witness/witnesses.h"

typedef struct gs_text_source {
    bool is_open, has_line;
    uint64_t prefix; /* of the string; complemented in a backwards order */
    gs_line_string string;
    const uint8_t *line;
    size_t line_bytes;
    bool is_whole; /* an eol follows the line; a record needs none */

    const char *name;
    gs_block_pool *pool;
    gs_input *input; /* one of these two, or the text is in memory */
    gs_text_run *run;
    gs_line_feed *feed;
    gs_line_batch batch;
    const uint8_t *at, *end; /* what is left of the batch or the text */
    const uint8_t *kept;     /* text from here on may be in memory; NULL: no text */
} gs_text_source;

typedef struct gs_text_source_options {
    const gs_order *order;
    const gs_record_layout *layout;
    const gs_key_encoder *encoder; /* NULL: the line is its string */
    size_t block_bytes;
    size_t record_bytes_max;
    const char *too_long_hint;
    uint64_t header_lines;
    bool keep_compressed;
    bool shares_header; /* files have the header; who opens them looks at it */
    const gs_log *log;
    const volatile int *cancel; /* of who waits for a pipe; may be NULL */
    gs_witness *witness;        /* sees what is in files, not runs or text; may be NULL */
} gs_text_source_options;

/* Opens `name` (borrowed until close) and stands on its first line. A source that failed
 * to open is closed. */
GS_MUST_CHECK gs_code gs_text_source_open(gs_text_source *source, const char *const *name,
                                          const gs_text_source_options *options,
                                          gs_status *st);
/* The same for a text run, borrowed until close. */
GS_MUST_CHECK gs_code gs_text_source_open_run(gs_text_source *source, gs_text_run *run,
                                              const gs_text_source_options *options,
                                              gs_status *st);
/* The same for text in a gs_file_map, whose pages are left behind. */
GS_MUST_CHECK gs_code gs_text_source_open_text(gs_text_source *source,
                                               const uint8_t *text, size_t bytes,
                                               const gs_text_source_options *options,
                                               gs_status *st);
/* has_line becomes false after the last. */
GS_MUST_CHECK gs_code gs_text_source_advance(gs_text_source *source,
                                             const gs_text_source_options *options,
                                             gs_status *st);
/* The header of an open file, as long as it is open. */
void gs_text_source_header(const gs_text_source *source, const uint8_t **bytes,
                           size_t *count);
void gs_text_source_close(gs_text_source *source); /* a zeroed one is fine */

#endif
