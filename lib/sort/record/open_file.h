/* SPDX-License-Identifier: MIT */
/*
 * open_file: a file that a line_feed is in the middle of: what is carried from its last
 * block, and where its records end in the next one.
 */
#ifndef GS_LIB_SORT_RECORD_OPEN_FILE_H
#define GS_LIB_SORT_RECORD_OPEN_FILE_H

#include "lib/sort/record/heap_bytes.h"
#include "lib/sort/record/line_feed.h"

/* A file of which not all blocks have come. */
typedef struct gs_open_file {
    bool is_open;
    size_t input_index;
    uint64_t record_offset; /* of the carried record */
    uint64_t record_line;   /* the same as a number of lines; 0: unknown */
    gs_record_ends ends;
    gs_cut_state cut;
    gs_heap_bytes carry; /* the beginning of a record whose end has not come yet */
    bool is_in_quotes;   /* and ends inside of quotes */
} gs_open_file;

/* Its records end with eol, or are of a fixed size. */
static inline bool gs_open_file_has_lines(const gs_open_file *file)
{
    const gs_record_ends *const e = &file->ends;
    return !e->takes_whole_files && e->cut == NULL && e->whole_bytes == NULL;
}

/* How many bytes of its next block are whole records, with what is carried before them.
 */
size_t gs_open_file_whole(const gs_line_feed_options *o, gs_open_file *file,
                          const gs_block *block);

/* How many of the block's bytes belong to the record that begins before them; all of them
 * if it does not end here, as *ends says. */
size_t gs_open_file_first_end(const gs_line_feed_options *o, gs_open_file *file,
                              const gs_block *block, bool *ends);

#endif
