/* SPDX-License-Identifier: MIT */
/*
 * line_feed: cut the blocks of the input into batches of whole records.
 *
 *      block 7                  block 8
 *      ... aaa\n bbb\n cc | c\n ddd\n ee | ...
 *      batch 7: ..aaa bbb  batch 8: ccc ddd     "cc" moves into block 8's headroom
 *
 * A record longer than a block is put together apart, up to record_bytes_max. Every
 * batch has a number, its ticket: 0, 1, 2, ... in the order of the blocks. No batch has
 * records of two files; the blocks of up to GS_INPUT_FILES_MAX may come interleaved.
 *
 * gs_line_feed_next may be called by any number of threads; a batch belongs to the caller
 * until gs_line_batch_release.
 */
#ifndef GS_LIB_SORT_RECORD_LINE_FEED_H
#define GS_LIB_SORT_RECORD_LINE_FEED_H

#include "io/input.h"
#include "lib/sort/record/csv_scan.h"
#include "lib/sort/record/replay.h"

typedef struct gs_line_feed gs_line_feed;

enum { GS_LINE_END = '\n' }; /* what is counted for messages, whatever ends a record */

typedef struct gs_line_batch {
    const uint8_t *data; /* readable GS_BLOCK_SLACK bytes beyond the end */
    size_t bytes;
    bool is_in_map; /* in the map of gs_line_feed_map, at map_offset */
    size_t map_offset;
    bool lacks_final_eol; /* the last record ends with its file, not with eol */
    uint64_t ticket;
    size_t input_index;
    uint64_t offset;     /* in that file, unpacked, where the data begins */
    uint64_t first_line; /* with counts_lines: the number there, from 1; 0: unknown */
    gs_block *block;     /* what holds the data: one of these two, or else the feed */
    void *heap;
    size_t heap_mapped;   /* the heap is a map of so many bytes */
    gs_line_feed *lender; /* counts what is lent of the heap */
    size_t lent_bytes;
    /* With long_bytes_max: */
    bool is_held;       /* no batch, until long ones that are in use are released */
    uint64_t cut_bytes; /* > 0: of a record of so many bytes the data are the first */
    bool cut_goes_on;   /* and perhaps more */
} gs_line_batch;

/* What who cuts a file knows of its bytes so far. */
typedef struct gs_cut_state {
    uint64_t words[4];
} gs_cut_state;

/* How the records of a file end, if not with the byte eol: the first of these that is
 * set. */
typedef struct gs_record_ends {
    bool takes_whole_files; /* each file is one record, an empty one too */
    bool is_left_out;       /* the file has none, whatever is in it */
    /* By all bytes of the file up to there: of `bytes` more, how many belong to records
     * that are whole; 0 if none ends here. `state` goes on from call to call. */
    size_t (*cut)(gs_cut_state *state, const uint8_t *data, size_t bytes);
    gs_cut_state begin; /* before the first of what is read of the file */
    /* By bytes near the end: where the last record of `data` ends, which may begin inside
     * a record. */
    size_t (*whole_bytes)(const uint8_t *data, size_t bytes);
} gs_record_ends;

/* The first bytes of a file, or if offset > 0 of what is read of it. */
typedef struct gs_file_front {
    size_t input_index;
    uint64_t offset;
    const uint8_t *data; /* readable beyond the end */
    size_t bytes;
    bool is_all;
} gs_file_front;

/* Says how the records of a file end, which it may do by looking. */
typedef gs_code gs_file_look_fn(void *context, const gs_file_front *front,
                                gs_record_ends *ends, gs_status *st);

/* Sees the header of a file, each line with its eol but perhaps the last. */
typedef gs_code gs_header_fn(void *context, size_t input_index, const uint8_t *header,
                             size_t bytes, gs_status *st);

typedef struct gs_line_feed_options {
    uint8_t eol;
    size_t record_size;         /* > 0: fixed-size records, no end-of-line byte */
    const size_t *record_sizes; /* of each file, where those differ; borrowed, or NULL */
    size_t record_bytes_max;    /* a longer one is an error that names its place, */
    const char *too_long_hint;  /* and says what to do; NULL: more memory with -S */
    /* > 0: what was put together apart takes no more than this, in all batches that
     * are in use and what is not whole yet. A caller whose batch would take more gets
     * a batch that is_held and holds nothing; a record that is too long comes cut off. */
    size_t long_bytes_max;
    size_t part_bytes;     /* of memory that is given out as it is; 0: a megabyte */
    uint64_t header_lines; /* kept apart */
    bool header_of_each;   /* from every file, which come in order; else the first one */
    /* With header_of_each: sees the header of a file before any batch of it is given out;
     * NULL: nobody asks. GS_CSV_SLACK bytes behind it may be read. */
    gs_header_fn *see_header;
    void *header_context;
    /* Every file has the same one, with or without a CR behind its lines: another one is
     * an error. Files come in order. */
    bool shares_header;
    bool counts_lines;      /* for batches to know their first_line */
    const gs_csv_form *csv; /* copied; an eol between quotes ends no record, and files are
                               read, not mapped. NULL: quotes are as other bytes */
    gs_record_ends ends;    /* of all files, */
    gs_file_look_fn *look;  /* or as this says of each, when it is opened; not of */
    void *look_context;     /* what is mapped or given out again */
    const char *const *names;
} gs_line_feed_options;

/* The size of a file's records; 0: they end with eol. */
static inline size_t gs_line_feed_record_size(const gs_line_feed_options *o,
                                              size_t input_index)
{
    return o->record_sizes != NULL ? o->record_sizes[input_index] : o->record_size;
}

/* Where blocks come from: gives the next one, or NULL at the end. */
typedef struct gs_block_source {
    gs_code (*next)(void *context, gs_block **out, gs_status *st);
    void *context;
    /* From now on blocks of the open file may end with `eol`, or stand for one record of
     * at most so many bytes, and their content is read by who takes them
     * (io/late_read.h); NULL: they come whole. */
    gs_code (*read_late)(void *context, uint8_t eol, size_t record_bytes_max,
                         gs_status *st);
} gs_block_source;

/* The blocks of an input. */
gs_block_source gs_block_source_input(gs_input *in);

GS_MUST_CHECK gs_code gs_line_feed_new(gs_line_feed **out, const gs_block_source *source,
                                       const gs_line_feed_options *options,
                                       gs_status *st);
void gs_line_feed_free(gs_line_feed *feed); /* NULL is fine */

/* *has_batch is false at the end of the input, or where the batch is_held. After a
 * failure all that is given is that failure. */
GS_MUST_CHECK gs_code gs_line_feed_next(gs_line_feed *feed, gs_line_batch *out,
                                        bool *has_batch, gs_status *st);
void gs_line_batch_release(gs_line_batch *batch);

/* Bytes of batches in use that were put together apart, if they are counted; and another
 * limit for them. */
size_t gs_line_feed_long_bytes(const gs_line_feed *feed);
void gs_line_feed_set_long_max(gs_line_feed *feed, size_t bytes);

/* What is in `replay`, and after it `last` (may be empty), comes before what is next: it
 * is given out again. Takes both. Once a feed. */
void gs_line_feed_replay(gs_line_feed *feed, gs_replay *replay, gs_line_batch *last);
/* Instead of blocks, what is mapped is given out, file by file. Batches point into the
 * map, but for the last line of a file if it lacks its eol. They have at most
 * `part_bytes` (0: what the options say) unless they are a longer record. Borrows the map
 * until free(). */
void gs_line_feed_map(gs_line_feed *feed, const gs_file_map *map, size_t part_bytes);

/* Everything that is mapped comes once more, under other tickets. */
void gs_line_feed_map_again(gs_line_feed *feed);

/* Where what comes next begins: behind all that was given out, if the files come in
 * order. The end of a file is the beginning of the next. */
void gs_line_feed_place(gs_line_feed *feed, size_t *input_index, uint64_t *offset);
/* The source begins at such a place, behind a header that has been taken. Before the
 * first batch. */
GS_MUST_CHECK gs_code gs_line_feed_go_on(gs_line_feed *feed, size_t input_index,
                                         uint64_t offset, const uint8_t *header,
                                         size_t header_bytes, gs_status *st);

/* Reads all of the header, and some of what comes after it. Before the first batch. */
GS_MUST_CHECK gs_code gs_line_feed_read_header(gs_line_feed *feed, gs_status *st);

/* What came with the header and was not given out goes: its source is about to. */
void gs_line_feed_drop_first(gs_line_feed *feed);

/* The ticket that the next batch will have. */
uint64_t gs_line_feed_next_ticket(gs_line_feed *feed);

/* The header lines met so far, each with its eol. Valid until free(). */
void gs_line_feed_header(const gs_line_feed *feed, const uint8_t **bytes, size_t *count);
/* How many of these bytes are of the first file. */
size_t gs_line_feed_first_header_bytes(const gs_line_feed *feed);

#endif
