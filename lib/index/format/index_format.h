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
 *      sums           a checksum for each page of the four files before
 *
 * All numbers are little-endian; a varint has seven bits a byte, low ones first. The
 * bytes follow from the content alone, however it was built.
 *
 * terms: blocks of 16 terms in byte order, each term with what it does not share with the
 * one before; an array of the first eight bytes of every block's first term (zero-padded,
 * as a number that compares like the bytes), which lookups search; where blocks begin.
 *
 *      +------+---------+---------+-----+--------------------+-----------------------+
 *      | head | block 0 | block 1 | ... | prefixes, u64 each | block offsets, u64 +1 |
 *      +------+---------+---------+-----+--------------------+-----------------------+
 *      block: postings offset u64 | positions offset u64 | term*
 *      term:  shared | suffix bytes | suffix | df | cf - df | postings bytes
 *             | skip bytes | positions bytes                           (varints)
 *
 * postings: term after term
 *
 *      +---------+---------+-----+----------------------+---------+--------------------+
 *      | block 0 | block 1 | ... | tail: df % 128 pairs | impacts | skip entry a block |
 *      +---------+---------+-----+----------------------+---------+--------------------+
 *      block of 128: doc bits u8 | tf bits u8 | 128 doc numbers | 128 tf numbers
 *      tail:         doc number << 1 | (tf is 1), tf - 2 if it is not   (varints)
 *      impacts:      how many pairs u8 | pairs (lib/index/format/impact.h): what a
 *                    posting of the term can add to a score; only if there is a block
 *      skip entry:   last doc - last doc before | bytes of the block << 3 | pairs |
 *                    bytes of its positions (if kept) (varints) | pairs: what a posting
 *                    of the block can add
 *
 * A doc number is the docID less the one before, less 1 (for the very first: the docID).
 * A tf number is the frequency less 1. Numbers of a block are packed in as few bits as
 * its largest needs, low bits first, value after value.
 *
 * positions: of every posting of a term, in order, tf numbers (the first position, then
 * differences less 1) as varints.
 *
 * documents:
 *
 *      head | lengths, u32 each | name offsets, u64 for every 64th document | names
 *
 * Each name has its length as a varint in front. Documents of tuples are numbers, and have
 * neither names nor lengths.
 *
 * sums: u32 for each page of 4 KiB (lib/index/format/page_sums.h) of terms, postings,
 * positions and documents, one file behind the other, their slack included. The sizes in
 * the header tell how many there are of each. A page is compared when it is first read:
 * damage is then an error, and never an answer.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_FORMAT_INDEX_FORMAT_H
#define GS_LIB_INDEX_FORMAT_INDEX_FORMAT_H

#include <stdint.h>

enum {
    GS_INDEX_VERSION = 3,
    GS_INDEX_BLOCK = 128,      /* postings */
    GS_INDEX_BLOCK_HEAD = 2,   /* bytes before their numbers: the bits of each */
    GS_SKIP_COUNT_BITS = 3,    /* of a skip entry: how many impacts there are */
    GS_INDEX_TERM_BLOCK = 16,  /* terms */
    GS_INDEX_NAME_BLOCK = 64,  /* documents between two name offsets */
    GS_INDEX_TERM_MAX = 65535, /* bytes of a term */
    GS_INDEX_SLACK = 16,       /* zero bytes at the end of every file, may be read */
};

#define GS_INDEX_DOCS_MAX (UINT64_C(1) << 40)

/* At the beginning of `terms` and `documents`. */
typedef struct gs_index_head {
    char magic[8];
    uint64_t count;   /* terms, or documents */
    uint64_t blocks;  /* of terms, or 1 if there are names */
    uint64_t table;   /* offset of the prefixes, or of the name offsets */
    uint64_t offsets; /* of the block offsets, or of the names */
    uint64_t end;     /* of what follows them, without the slack */
    uint64_t reserved[2];
} gs_index_head;

_Static_assert(sizeof(gs_index_head) == 64, "on disk");

/* At the beginning of a block of terms: where what is written of its first one begins. */
typedef struct gs_index_begins {
    uint64_t postings, positions;
} gs_index_begins;

_Static_assert(sizeof(gs_index_begins) == 16, "on disk");

#define GS_INDEX_TERMS_MAGIC     "gsTERMS1"
#define GS_INDEX_DOCUMENTS_MAGIC "gsDOCUM1"

typedef enum gs_index_file {
    GS_INDEX_TERMS,
    GS_INDEX_POSTINGS,
    GS_INDEX_POSITIONS,
    GS_INDEX_DOCUMENTS,
    GS_INDEX_SUMS, /* of the pages of those before */
    GS_INDEX_FILE_COUNT,
} gs_index_file;

extern const char *const gs_index_file_names[GS_INDEX_FILE_COUNT];

/* What the dictionary says of a term. */
typedef struct gs_term_info {
    uint64_t df, cf;
    uint64_t postings, postings_bytes; /* offset, and bytes without the skip entries */
    uint64_t skip_bytes;               /* behind them */
    uint64_t positions, positions_bytes;
} gs_term_info;

#endif
