/* SPDX-License-Identifier: MIT */
/*
 * term_writer: the dictionary file, term after term (format:
 * lib/index/format/index_format.h).
 *
 * Call order: open, add*, finish, release. One thread.
 */
#ifndef GS_LIB_INDEX_WRITE_TERM_WRITER_H
#define GS_LIB_INDEX_WRITE_TERM_WRITER_H

#include <stdbool.h>

#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"

typedef struct gs_term_writer {
    gs_file_writer *file;
    bool has_positions;
    uint8_t last[GS_INDEX_TERM_MAX];
    size_t last_bytes;
    uint64_t count;
    uint64_t postings, positions; /* where the next term's begin */
    uint64_t only_doc;            /* of the last term of the block that has but one */
    uint64_t *prefixes, *offsets; /* a block each */
    size_t block_count, block_capacity;
} gs_term_writer;

/* Borrows the file, which is empty. */
GS_MUST_CHECK gs_code gs_term_writer_open(gs_term_writer *w, gs_file_writer *file,
                                          bool has_positions, gs_status *st);
void gs_term_writer_release(gs_term_writer *w); /* a zeroed one is fine */

/* `info` without its offsets. Terms ascend, which is checked. */
GS_MUST_CHECK gs_code gs_term_writer_add(gs_term_writer *w, const uint8_t *term,
                                         size_t bytes, const gs_term_info *info,
                                         gs_status *st);
/* Writes the tables and the head. */
GS_MUST_CHECK gs_code gs_term_writer_finish(gs_term_writer *w, gs_status *st);

#endif
