/* SPDX-License-Identifier: MIT */
/*
 * part_join: the parts of an index to its files, in their order. Internal to
 * index_writer.
 *
 *      parts       | 0: finished, put | 1: finished | 2: being made | 3: finished | ...
 *      postings    | of 0 |             whoever finishes 1 puts it, and then, if 2 is
 *                                       finished by then, that and 3
 *
 * A thread that has finished a part puts what is next into each file that no other thread
 * is putting into, so that little of it is left for the commit, and what the parts held
 * is free again. Parts that are kept wait for the commit.
 *
 * Call order: init, note of each part once, on any thread; then, all parts finished,
 * finish of each file, side by side if wanted; release.
 */
#ifndef GS_LIB_INDEX_WRITE_PART_JOIN_H
#define GS_LIB_INDEX_WRITE_PART_JOIN_H

#include <pthread.h>

#include "lib/index/folder/folders.h"
#include "lib/index/write/index_part.h"
#include "lib/index/write/term_writer.h"

enum { GS_JOINED_FILES = 3 };

typedef struct gs_joined_file {
    gs_index_file which;
    gs_file_writer *file;  /* NULL: nothing is put yet */
    gs_term_writer *terms; /* of the dictionary */
    unsigned next;         /* part that is put next */
    bool is_busy;          /* some thread puts */
} gs_joined_file;

typedef struct gs_part_join {
    const char *folder;
    bool has_positions;
    bool reads_ahead; /* gs_file_writer_read_ahead */
    gs_part_files *parts;
    unsigned part_count;
    gs_page_sums *pages;   /* of each file of the index */
    pthread_mutex_t mutex; /* guards what follows, and which parts may be put */
    gs_joined_file files[GS_JOINED_FILES];
} gs_part_join;

/* Borrows all. */
void gs_part_join_init(gs_part_join *j, const char *folder, bool has_positions,
                       bool reads_ahead, gs_part_files *parts, unsigned part_count,
                       gs_page_sums *pages);
void gs_part_join_release(gs_part_join *j); /* a zeroed one is fine */

/* Before any part, once: a file of parts is going to have about so many bytes. */
void gs_part_join_expect(gs_part_join *j, gs_index_file which, uint64_t bytes);
/* The part is finished. */
GS_MUST_CHECK gs_code gs_part_join_note(gs_part_join *j, unsigned part, gs_status *st);

bool gs_part_join_has(gs_index_file which); /* is it a file of parts? */
/* Puts the rest, and makes the file durable. */
GS_MUST_CHECK gs_code gs_part_join_finish(gs_part_join *j, gs_index_file which,
                                          uint64_t *bytes, uint64_t *sum, gs_status *st);

#endif
