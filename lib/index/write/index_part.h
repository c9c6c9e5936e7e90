/* SPDX-License-Identifier: MIT */
/*
 * index_part: what a part of an index leaves for the commit. Internal to index_writer.
 *
 * Three nameless files: postings and positions as the index has them, and terms, each as
 *
 *      term bytes u32 | term | df | cf | only document | postings bytes | skip bytes |
 *                              positions bytes (u64 each)
 */
#ifndef GS_LIB_INDEX_WRITE_INDEX_PART_H
#define GS_LIB_INDEX_WRITE_INDEX_PART_H

#include "lib/index/write/index_writer.h"
#include "lib/index/format/formats.h"
#include "lib/index/folder/folders.h"

typedef struct gs_part_numbers {
    uint64_t df, cf, only_doc, postings_bytes, skip_bytes, positions_bytes;
} gs_part_numbers;

enum { GS_PART_PATH_BYTES = 4400 };

typedef struct gs_part_files {
    gs_append_file terms, postings, positions;
    char paths[GS_PART_FILES][GS_PART_PATH_BYTES]; /* of kept ones */
    uint64_t term_count, posting_count, token_count;
    bool is_finished;
    bool may_be_put; /* guarded by the mutex of part_join.h */
} gs_part_files;

void gs_part_files_close(gs_part_files *files);

/* A finished part is on the disk, and this is what it is. */
GS_MUST_CHECK gs_code gs_part_files_keep(gs_part_files *files, gs_kept_part *kept,
                                         gs_status *st);

struct gs_part_join;

/* What a part needs of its writer. */
typedef struct gs_part_options {
    struct gs_part_join *join; /* told when the part is finished; NULL: nobody is */
    const char *folder;
    const char *kept_folder; /* where the three files have names; NULL: they have none */
    unsigned number;         /* of the part, in those */
    size_t buffer_bytes;
    bool has_positions;
    const gs_length_table *lengths; /* NULL: documents have none */
    uint64_t doc_bound;             /* docIDs are below */
} gs_part_options;

/* Takes over a part that was finished before. */
GS_MUST_CHECK gs_code gs_part_files_take_over(gs_part_files *files,
                                              const gs_part_options *options,
                                              const gs_kept_part *kept, gs_status *st);

GS_MUST_CHECK gs_code gs_index_part_open(gs_index_part **out, gs_part_files *files,
                                         const gs_part_options *options, gs_status *st);

#endif
