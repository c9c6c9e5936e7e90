/* SPDX-License-Identifier: MIT */
/*
 * text_writer: blocks of texts to the file of an index.
 *
 * What packs have made (lib/index/write/text_pack.h) comes in the order of documents; the
 * block that is open at the end of one batch goes on with the next. Blocks wait in the
 * packs' file until finish, and what is known of them in files too, so that any number of
 * documents needs little memory. One thread at a time, but for the packs.
 */
#ifndef GS_LIB_INDEX_WRITE_TEXT_WRITER_H
#define GS_LIB_INDEX_WRITE_TEXT_WRITER_H

#include "lib/index/write/text_pack.h"
#include "lib/index/write/text_press.h"

typedef struct gs_text_writer {
    gs_scatter_file file;         /* of the packs */
    gs_append_file places, table; /* of blocks: in that file; as the index has them */
    gs_text_press *press;
    uint64_t doc_count, block_count, stored_bytes; /* of blocks that are complete */
    uint8_t *open;                                 /* the block that is not */
    size_t open_bytes;
    uint32_t open_docs, open_begin;
} gs_text_writer;

GS_MUST_CHECK gs_code gs_text_writer_open(gs_text_writer *w, const char *folder,
                                          gs_status *st);
void gs_text_writer_release(gs_text_writer *w); /* a zeroed one is fine */

/* For who makes a pack. */
static inline gs_scatter_file *gs_text_writer_file(gs_text_writer *w)
{
    return &w->file;
}

/* With what the next pack begins. */
static inline size_t gs_text_writer_open_bytes(const gs_text_writer *w)
{
    return w->open_bytes;
}

GS_MUST_CHECK gs_code gs_text_writer_take(gs_text_writer *w, const gs_text_item *items,
                                          size_t count, gs_status *st);

/* A block of another index, which would be the same here: its first document begins a
 * group, or it comes behind such a block. */
typedef struct gs_foreign_text {
    gs_text_span stored;  /* compressed, or not */
    uint32_t bytes;       /* of the stream */
    uint32_t docs, begin; /* as in gs_text_item */
} gs_foreign_text;

GS_MUST_CHECK gs_code gs_text_writer_block(gs_text_writer *w,
                                           const gs_foreign_text *block, gs_status *st);
/* The last one there, which may go on here: `stored` is the stream. */
GS_MUST_CHECK gs_code gs_text_writer_last_block(gs_text_writer *w,
                                                const gs_foreign_text *block,
                                                gs_status *st);

GS_MUST_CHECK gs_code gs_text_writer_finish(gs_text_writer *w, gs_file_writer *file,
                                            gs_status *st);

#endif
