/* SPDX-License-Identifier: MIT */
/*
 * index_file_writer: one file of an index, with its checksum and those of its pages.
 *
 * The checksum (XXH3, 64 bits) is of everything behind the first GS_FILE_HEAD_BYTES and
 * then of those, which may be set at the end. One thread; others, which it has started,
 * may write what it has put, and read what put_all puts.
 */
#ifndef GS_LIB_INDEX_FOLDER_INDEX_FILE_WRITER_H
#define GS_LIB_INDEX_FOLDER_INDEX_FILE_WRITER_H

#include <stddef.h>
#include <stdint.h>

#include "lib/index/folder/append_file.h"
#include "lib/index/format/formats.h"

enum {
    GS_FILE_HEAD_BYTES = 64,
    GS_FILE_WRITER_AHEAD_BYTES = 4 << 20, /* of memory, to read ahead */
};

typedef struct gs_file_writer gs_file_writer;

/* Creates `name` in the folder. The sums of its pages go to `pages`, which may be NULL,
 * and are there when it is finished. */
GS_MUST_CHECK gs_code gs_file_writer_new(gs_file_writer **out, const char *folder,
                                         const char *name, gs_page_sums *pages,
                                         gs_status *st);
void gs_file_writer_free(gs_file_writer *w); /* NULL is fine */

GS_MUST_CHECK gs_code gs_file_writer_put(gs_file_writer *w, const void *data,
                                         size_t bytes, gs_status *st);
/* Before anything is put: put_all has other threads read what is large, too. */
void gs_file_writer_read_ahead(gs_file_writer *w);
/* Then: the file is going to have about so many bytes. One in memory gets its pages
 * meanwhile, by threads of its own. */
void gs_file_writer_expect(gs_file_writer *w, uint64_t bytes);
/* All of a file of which nothing has been read yet. */
GS_MUST_CHECK gs_code gs_file_writer_put_all(gs_file_writer *w, gs_append_file *from,
                                             gs_status *st);
/* Zero bytes up to a multiple. */
GS_MUST_CHECK gs_code gs_file_writer_align(gs_file_writer *w, size_t multiple,
                                           gs_status *st);
/* Puts other bytes in the place of the first ones, which were zeros. */
GS_MUST_CHECK gs_code gs_file_writer_set_head(gs_file_writer *w, const void *head,
                                              size_t bytes, gs_status *st);
uint64_t gs_file_writer_bytes(const gs_file_writer *w);

/* Writes the slack, and makes the file durable; then its size and checksum are known. */
GS_MUST_CHECK gs_code gs_file_writer_finish(gs_file_writer *w, uint64_t *bytes,
                                            uint64_t *checksum, gs_status *st);

/* The same checksum of a file in memory. `passed` (may be NULL) is told of every stretch
 * that has been gone through. */
typedef void gs_file_passed_fn(void *context, const uint8_t *begin, const uint8_t *end);
GS_MUST_CHECK gs_code gs_file_checksum(uint64_t *checksum, const uint8_t *data,
                                       uint64_t bytes, gs_file_passed_fn *passed,
                                       void *context, gs_status *st);

#endif
