/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * stored_text: how the texts of documents lie in blocks.
 *
 * All documents are one stream, each as its length and its text; blocks of the stream are
 * compressed one by one. A long document goes through several of them.
 *
 *      | 3 | fox | 170000 | it was ................................ | 0 | 5 | birds | ...
 *      block 0                    | block 1     | block 2             |
 *
 * A block ends when it has GS_TEXT_BLOCK_BYTES, before a document whose length might not
 * fit, and before a document that begins a group. Which do that depends on their name and
 * length alone, so that blocks behind such a document are the same bytes whatever comes
 * before: a merge copies them (lib/index/merge/stored_merge.h), since a block needs nothing
 * but itself to be read. A group has GS_TEXT_GROUP_BYTES on the average.
 *
 * A dictionary for the compression saves 2.5 % of blocks of this size, which half as large
 * ones would lose again by 3.5 %, and it would be another one for each index.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_FORMAT_STORED_TEXT_H
#define GS_LIB_INDEX_FORMAT_STORED_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/format/varint.h"

enum {
    GS_TEXT_BLOCK_BYTES = 64 << 10, /* of the stream, at most */
    GS_TEXT_GROUP_BYTES = 1 << 20,
    GS_TEXT_LEVEL = 3, /* of zstd */
};

#define GS_TEXT_BEGINS_GROUP UINT32_C(0x80000000)

/* What the table says of a block. One more entry tells where the last block ends, and how
 * many documents there are. */
typedef struct gs_text_entry {
    uint64_t offset;    /* of the compressed bytes, behind those of the first block */
    uint64_t first_doc; /* that begins here or, if none does, later */
    uint32_t bytes;     /* of the stream */
    uint32_t begin; /* of the document there, or `bytes`; may be GS_TEXT_BEGINS_GROUP */
} gs_text_entry;

_Static_assert(sizeof(gs_text_entry) == 24, "on disk");

/* Does a document of that name, and with so many bytes of text, begin a group? */
bool gs_text_begins_group(const void *name, size_t name_bytes, uint64_t text_bytes);

/* Does the length of one more document fit behind so many bytes of a block? */
static inline bool gs_text_fits_behind(size_t bytes)
{
    return bytes + GS_VARINT_BYTES_MAX <= GS_TEXT_BLOCK_BYTES;
}

/* How many bytes the last block has when one more document is in, which had `bytes`
 * before and 0 if there was none. */
static inline size_t gs_text_after(size_t bytes, bool begins_group, uint64_t text_bytes)
{
    uint8_t head[GS_VARINT_BYTES_MAX];
    const size_t head_bytes = (size_t)(gs_varint_put(head, text_bytes) - head);
    if (begins_group || !gs_text_fits_behind(bytes))
        bytes = 0;
    const uint64_t all = bytes + head_bytes + text_bytes;
    return (size_t)((all - 1) % GS_TEXT_BLOCK_BYTES) + 1;
}

#endif
