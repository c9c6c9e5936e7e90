/* SPDX-License-Identifier: MIT */
/*
 * posting_block: 128 postings, as a list has them: documents, then frequencies.
 *
 *      documents    numbers (lib/index/format/number_block.h): each docID less the one
 *                   before, less 1; or, where that is shorter, 0x80 and a bit for each
 *                   docID from the first that is possible up to before the last one,
 *                   which its skip entry tells
 *      frequencies  numbers: each less 1
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_BLOCK_H
#define GS_LIB_INDEX_FORMAT_POSTING_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/format/number_block.h"

enum {
    GS_INDEX_BLOCK = GS_NUMBERS_MAX,         /* postings */
    GS_BLOCK_DOCS_ROOM = GS_INDEX_BLOCK + 8, /* of an array that they are read to */
    GS_BLOCK_BYTES_MIN = 2,                  /* two heads */
    GS_BLOCK_BYTES_MAX = 2 * GS_NUMBERS_BYTES_MAX,
};

/* `numbers` are those of the docIDs, of which none is below `first`. Up to GS_PACK_SLACK
 * bytes behind the end are written to. Returns the end. */
uint8_t *gs_block_put(uint8_t *to, uint64_t first, const uint64_t *docs,
                      const uint64_t *numbers, const uint64_t *tfs_less_one);

/* Reads the docIDs to an array of GS_BLOCK_DOCS_ROOM, up to GS_PACK_SLACK bytes behind
 * them, too, and goes behind them.
 * False if there are no docIDs that ascend from `first` on up to `last`. */
bool gs_block_get_docs(const uint8_t **p, const uint8_t *end, uint64_t first,
                       uint64_t last, uint64_t *docs);
/* Instead of reading them, sets their bits, of which there are as many as are needed for
 * `last` and a word more. */
bool gs_block_mark_docs(const uint8_t **p, const uint8_t *end, uint64_t first,
                        uint64_t last, uint64_t *bits);
/* For tests and measurements: the same in a way that the processor has. */
bool gs_block_get_docs_by(gs_pack_way way, const uint8_t **p, const uint8_t *end,
                          uint64_t first, uint64_t last, uint64_t *docs);

#endif
