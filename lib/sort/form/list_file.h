/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * list_file: what is on lists of text when they are full, in temporary files, until all
 * of a bucket is wanted.
 *
 *      file of worker 0   | list 0 | list 1 | list 4 | .. || list 2 | list 3 | .. ||
 *      file of worker 1   | list 2 | list 3 | .......... || list 0 | list 1 | .. ||
 *                                  round 0                      round 1
 *
 * In a round the workers share out the lists and each writes to the end of its own file:
 * two threads that write to one file would wait for each other. A piece is what all sets
 * have on a list, so that a list that is read later is a piece a round, as it lay on its
 * pages, and each piece is compared with its checksum, which stays in memory.
 *
 * The files have no names, and go through the page cache: they are meant for what is gone
 * again before the kernel begins to write it to the disk (gs_memory_plan, cached_bytes).
 *
 * Call order: new; for each round begin, then write for every worker; read. Workers write
 * at the same time, and read as they like.
 */
/* clang-format on */
#ifndef GS_LIB_SORT_FORM_LIST_FILE_H
#define GS_LIB_SORT_FORM_LIST_FILE_H

#include "lib/base/status.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/form/text_lists.h"
#include "lib/sort/plan/plans.h"

typedef struct gs_list_file gs_list_file;

/* Borrows the options, for their folders and the signal that stops it. */
GS_MUST_CHECK gs_code gs_list_file_new(gs_list_file **out, const gs_sort_options *options,
                                       unsigned workers, gs_status *st);
void gs_list_file_free(gs_list_file *f); /* NULL is fine */

/* Is there disk space for so much in any of the folders? */
bool gs_list_file_has_room(const gs_list_file *f, uint64_t bytes);

/* Memory that it takes for so many rounds. */
size_t gs_list_file_memory(size_t list_count, unsigned workers, size_t rounds);

/* Room in memory for what a round writes; one thread. */
GS_MUST_CHECK gs_code gs_list_file_begin(gs_list_file *f, size_t list_count,
                                         gs_status *st);
/* Writes a worker's share of the lists, which have no pages of places. All workers do so
 * before the next round. */
GS_MUST_CHECK gs_code gs_list_file_write(gs_list_file *f, const gs_text_lists *lists,
                                         size_t eol_bytes, unsigned worker,
                                         gs_status *st);

/* Written so far. */
uint64_t gs_list_file_bytes(const gs_list_file *f);
size_t gs_list_file_rounds(const gs_list_file *f); /* begun so far */

/* Reads all pieces of a list to `to`; *bytes are what there is room for before, and what
 * was read. */
GS_MUST_CHECK gs_code gs_list_file_read(const gs_list_file *f, size_t list, uint8_t *to,
                                        size_t *bytes, gs_status *st);

#endif
