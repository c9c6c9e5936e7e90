/* SPDX-License-Identifier: MIT */
/*
 * text_pack: texts of documents to compressed blocks, on any number of threads.
 *
 *      documents of a batch   |  4   |  5  |      6       | 7 |
 *      blocks               ...| head |  block  |  block  | tail ...
 *
 * Each thread packs the documents of a batch. Of the blocks
 * (lib/index/format/stored_text.h) that begin and end in it nothing is left to do; what
 * belongs to the blocks before and behind is handed on as it is. All of it waits in a
 * file, so that batches may be done in any order: an item says where. Those go to the
 * text_writer, in the order of documents.
 *
 * A pack belongs to one thread. Call order: begin, (document, text*)*, end; the items are
 * valid until the next begin.
 */
#ifndef GS_LIB_INDEX_WRITE_TEXT_PACK_H
#define GS_LIB_INDEX_WRITE_TEXT_PACK_H

#include <stdbool.h>

#include "lib/base/text_span.h"
#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"

typedef struct gs_text_pack gs_text_pack;

/* A block, or a part of one. */
typedef struct gs_text_item {
    uint64_t offset;       /* in the file */
    uint32_t stored_bytes; /* there */
    uint32_t bytes;        /* of the stream */
    uint32_t docs;         /* that begin in it */
    uint32_t begin;        /* of the first one; as in gs_text_entry */
    bool is_whole;         /* a compressed block; otherwise bytes of the stream */
    bool goes_on;          /* with the block before it */
} gs_text_item;

/* What a pack takes of memory, about. */
enum { GS_TEXT_PACK_BYTES = 1 << 20 };

/* Borrows the file. */
GS_MUST_CHECK gs_code gs_text_pack_new(gs_text_pack **out, gs_scatter_file *file,
                                       gs_status *st);
void gs_text_pack_free(gs_text_pack *p); /* NULL is fine */

/* `before`: bytes of the block that the documents before have left open, 0 if there is
 * none. */
void gs_text_pack_begin(gs_text_pack *p, size_t before);
/* A document, with `text_bytes` bytes of text to come. */
GS_MUST_CHECK gs_code gs_text_pack_document(gs_text_pack *p, const void *name,
                                            size_t name_bytes, uint64_t text_bytes,
                                            gs_status *st);
GS_MUST_CHECK gs_code gs_text_pack_text(gs_text_pack *p, const void *text, size_t bytes,
                                        gs_status *st);
GS_MUST_CHECK gs_code gs_text_pack_end(gs_text_pack *p, const gs_text_item **items,
                                       size_t *count, gs_status *st);

#endif
