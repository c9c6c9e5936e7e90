/* SPDX-License-Identifier: MIT */
/*
 * document_writer: names and lengths by docID (format: lib/index/format/index_format.h).
 *
 * Both, and where names begin, are kept in nameless files until finish, so that any
 * number of documents needs little memory. Documents that are only numbers (an index of
 * tuples) have neither: the caller sets `count`. One thread.
 */
#ifndef GS_LIB_INDEX_WRITE_DOCUMENT_WRITER_H
#define GS_LIB_INDEX_WRITE_DOCUMENT_WRITER_H

#include <stdbool.h>

#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"
#include "lib/index/write/name_pack.h"

typedef struct gs_document_writer {
    bool has_names;
    uint64_t count;
    uint64_t length_sum;
    gs_append_file names, lengths;
    gs_append_file name_offsets; /* of every GS_INDEX_NAME_BLOCKth document */
    uint8_t *last;               /* the last name */
    size_t last_bytes, last_capacity;
    gs_length_table table; /* the lengths once more, for who writes postings */
} gs_document_writer;

GS_MUST_CHECK gs_code gs_document_writer_open(gs_document_writer *w, const char *folder,
                                              bool has_names, gs_status *st);
void gs_document_writer_release(gs_document_writer *w);

GS_MUST_CHECK gs_code gs_document_writer_add(gs_document_writer *w, const void *name,
                                             size_t name_bytes, uint32_t length,
                                             gs_status *st);
/* Those of the pack behind its lead, which has been added. */
GS_MUST_CHECK gs_code gs_document_writer_add_packed(gs_document_writer *w,
                                                    const gs_name_pack *p, gs_status *st);
GS_MUST_CHECK gs_code gs_document_writer_finish(gs_document_writer *w,
                                                gs_file_writer *file, gs_status *st);

#endif
