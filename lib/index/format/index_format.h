/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * index_format: what the files of an index folder hold.
 *
 *      header.json    counts, settings, and size and checksum of every other file
 *      terms          the dictionary
 *      postings       documents and frequencies of every term
 *      positions      where in the documents (only if they are kept)
 *      documents      lengths and names, by docID
 *      texts          the texts of documents (only if they are stored)
 *      sums           a checksum for each page of the files before
 *
 * All numbers are little-endian; a varint has seven bits a byte, low ones first. The
 * bytes follow from the content alone, however it was built.
 *
 * terms: blocks of 16 terms in byte order, each term with what it does not share with the
 * one before; an array of the first eight bytes of every block's first term (zero-padded,
 * as a number that compares like the bytes), which lookups search; where blocks begin.
 *
 *      +------+---------+---------+-----+--------------------+---------------------+
 *      | head | block 0 | block 1 | ... | prefixes, u64 each | places, 64 bytes    |
 *      |      |         |         |     |                    | for every 14 blocks |
 *      +------+---------+---------+-----+--------------------+---------------------+
 *      block:  postings offset | positions offset (if kept) (varints) | term*
 *      term:   lengths u8 | more of them | suffix | counts | what it has
 *      places: offset u64 | of each block, and of the end of the last one, how far behind
 *              that it begins, u32 each
 *
 *      lengths: how many bytes are shared, in the high four bits, and of the suffix, less
 *               1, in the low four; 15 is for all from there on, and a varint with the
 *               rest follows, that of the shared bytes first
 *      counts:  (df - 1) << 1 | (cf is df), and cf - df - 1 if it is not (varints)
 *      has:     df of 1: its document, as the difference to that of the last such term of
 *               the block, or to 0; zigzag. Others: bytes of its postings; of its skip
 *               entries, from 128 postings on. Bytes of its positions, if kept (varints)
 *
 * postings: term after term, but those of one posting, which is all in the dictionary
 *
 *      +---------+---------+-----+-------------------------+---------+----------------+
 *      | block 0 | block 1 | ... | tail: df % 128 postings | impacts | an entry for   |
 *      |         |         |     |                         |         | each block     |
 *      +---------+---------+-----+-------------------------+---------+----------------+
 *      block of 128: documents | frequencies       (lib/index/format/posting_block.h)
 *      tail:         interpolated from behind the last block's last document on up to
 *                    doc_bound, which the header has (lib/index/format/posting_tail.h);
 *                    without a block, frequencies come to the dictionary's cf
 *      impacts:      how many pairs u8 | pairs (lib/index/format/impact.h): what a
 *                    posting of the term can add to a score; only if there is a block
 *      skip entry:   last doc - last doc before | bytes of the block << 3 | pairs |
 *                    bytes of its positions (if kept) (varints) | pairs: what a posting
 *                    of the block can add
 *
 * A doc number is the docID less the one before, less 1 (for the very first: the docID).
 * A tf number is the frequency less 1.
 *
 * positions: of every block, and of every tail, of a term, all numbers of all its
 * postings: of each the first position, then differences less 1. They are put together by
 * 128, whatever postings they are of, and so is the rest
 * (lib/index/format/number_block.h).
 *
 * All docIDs in the files count from 0. What they are called outside is that and doc_base,
 * which the header has.
 *
 * documents:
 *
 *      head | lengths, u32 each | name offsets, u64 for every 16th document | names
 *
 * Of each name how many bytes it shares with the one before (none for every 16th), how
 * many are its own (varints), and those. Documents of tuples are numbers, and have
 * neither names nor lengths.
 *
 * texts: blocks of a stream that has all texts, each compressed by zstd, and a table of
 * them (lib/index/format/stored_text.h)
 *
 *      +------+---------+---------+-----+------------------------------------+
 *      | head | block 0 | block 1 | ... | an entry for each, and for the end |
 *      +------+---------+---------+-----+------------------------------------+
 *
 * sums: u32 for each page of 4 KiB (lib/index/format/page_sums.h) of terms, postings,
 * positions, documents and texts, one file behind the other, their slack included. The
 * sizes in the header tell how many there are of each. A page is compared when it is first
 * read: damage is then an error, and never an answer.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_FORMAT_INDEX_FORMAT_H
#define GS_LIB_INDEX_FORMAT_INDEX_FORMAT_H

#include <stdint.h>

enum {
    /* Of what all indexes have, the layout. A change of it makes this one more than
     * GS_INDEX_VERSION is now, and with it the numbers below: older indexes are refused.
     */
    GS_INDEX_LAYOUT = 4,
    /* An index says the least that it needs, so that older programs read it: this one if
     * it has neither texts nor anything that came later, */
    GS_INDEX_VERSION_NO_TEXTS = GS_INDEX_LAYOUT,
    /* this one if its docIDs begin at 0 and it has no impacts. */
    GS_INDEX_VERSION_NO_BASE = GS_INDEX_LAYOUT + 1,
    GS_INDEX_VERSION = GS_INDEX_LAYOUT + 2,
    GS_SKIP_COUNT_BITS = 3,    /* of a skip entry: how many impacts there are */
    GS_INDEX_TERM_BLOCK = 16,  /* terms */
    GS_TERM_LENGTH_BITS = 4,   /* of either length, in the byte that has both */
    GS_TERM_LENGTH_MORE = 15,  /* there, and the rest follows */
    GS_INDEX_PLACE_GROUP = 14, /* blocks of terms whose places share a line of a cache */
    GS_INDEX_NAME_BLOCK = 16,  /* documents between two name offsets */
    GS_INDEX_TERM_MAX = 65535, /* bytes of a term */
    GS_INDEX_SLACK = 16,       /* zero bytes at the end of every file, may be read */
};

#define GS_INDEX_DOCS_MAX (UINT64_C(1) << 40)

/* At the beginning of `terms`, `documents` and `texts`. */
typedef struct gs_index_head {
    char magic[8];
    uint64_t count;   /* terms, or documents */
    uint64_t blocks;  /* of terms or texts, or 1 if there are names */
    uint64_t table;   /* offset of the prefixes, name offsets, or entries */
    uint64_t offsets; /* of the places of blocks, of the names, or of blocks of texts */
    uint64_t end;     /* of what follows them, without the slack */
    uint64_t reserved[2];
} gs_index_head;

_Static_assert(sizeof(gs_index_head) == 64, "on disk");

/* Where blocks of terms begin, and where the last one ends. */
typedef struct gs_index_places {
    uint64_t offset;
    uint32_t behind[GS_INDEX_PLACE_GROUP];
} gs_index_places;

_Static_assert(sizeof(gs_index_places) == 64, "on disk");

/* How many groups there are of the places of so many blocks. */
static inline uint64_t gs_index_place_groups(uint64_t blocks)
{
    return blocks / GS_INDEX_PLACE_GROUP + 1;
}

#define GS_INDEX_TERMS_MAGIC     "gsTERMS2"
#define GS_INDEX_DOCUMENTS_MAGIC "gsDOCUM2"
#define GS_INDEX_TEXTS_MAGIC     "gsTEXTS1"

typedef enum gs_index_file {
    GS_INDEX_TERMS,
    GS_INDEX_POSTINGS,
    GS_INDEX_POSITIONS,
    GS_INDEX_DOCUMENTS,
    GS_INDEX_TEXTS,
    GS_INDEX_SUMS, /* of the pages of those before */
    GS_INDEX_FILE_COUNT,
} gs_index_file;

extern const char *const gs_index_file_names[GS_INDEX_FILE_COUNT];

/* What the dictionary says of a term. */
typedef struct gs_term_info {
    uint64_t df, cf;
    uint64_t only_doc;                 /* of a df of 1, which has no postings elsewhere */
    uint64_t postings, postings_bytes; /* offset, and bytes without the skip entries */
    uint64_t skip_bytes;               /* behind them */
    uint64_t positions, positions_bytes;
} gs_term_info;

#endif
