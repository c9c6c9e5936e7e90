/* SPDX-License-Identifier: MIT */
/*
 * word_block: the words of documents, or ready tuples of term and document, found,
 * counted and sorted by term on a GPU.
 *
 *      pieces   | of lane 0 | of lane 1 | of lane 0 | ...    text, where documents begin
 *                    |           |
 *      words        found, folded, looked up in one table of terms
 *                    |           |
 *      tokens   | (17, 0) (3, 0) (17, 0) | (5, 9) (3, 9) | ...    number of term,
 * document
 *                          |
 *      terms        in the order of their bytes; several may be joined to one
 *                          |
 *      sorted       by term and document: postings
 *                          |
 *      windows  | of lane 0 | of lane 1 | ...        documents and where their tokens
 * begin
 *
 * A piece holds whole words. A word is a run of ASCII letters and digits and of bytes
 * that are not ASCII: ASCII is folded here, if that is asked for, and other characters
 * come as the tokenizer of the cores has folded and cut them
 * (lib/index/block/text_piece.h). So there is one tokenizer, of which this does the plain
 * part. A word that is the one byte GS_WORD_GAP is none, but takes a position. So does
 * one that is left out: a word that it was told of before, or one of ASCII that is too
 * short or too long.
 *
 * Tuples come as they are in the input: lines, of which one that is not plain
 * (gpu/words/tuple_steps.h) has the whole piece refused, or pairs, which all are. A tuple
 * is a token, and its frequency goes with it.
 *
 * Everything stays on the device until it is fetched. The caller sees to it that pieces
 * fit (gs_word_block_room, gs_word_most_of).
 *
 * Several blocks, each on a device, can be made one whose terms are shared out: terms are
 * joined by ranks that those of all blocks have, and every token goes to the block that
 * has its rank. Each block then has all postings of its terms.
 *
 * Call order: new, leave_out*, (add* or add_tuples*, sort_terms, terms, join_terms*,
 * (weigh, exchange), sort, first_postings, (encode, (tail_firsts)), (documents,
 * positions, stored, tails)*, reset)*, free. A lane is one thread's at a time; add,
 * add_tuples, documents, positions, stored and tails may be called of several lanes at
 * once, the rest when no other call of the block is under way. All of them wait for the
 * device.
 */
#ifndef GS_GPU_WORDS_WORD_BLOCK_H
#define GS_GPU_WORDS_WORD_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/block_steps.h"
#include "lib/base/impact_steps.h"
#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GS_WORD_BYTES_MAX = 65535, /* longer words are left out */
    GS_WORD_GAP = 0xff,
    GS_WORD_PIECE_BYTES_MAX = 1 << 26,
    /* Of a term's bytes, which are padded with zeros to a multiple of so many. */
    GS_WORD_TERM_PAD = 8,
    GS_WORD_TERM_BITS = 16, /* of a gs_word_term that are its length */
    GS_WORD_BLOCK = GS_STEP_POSTINGS,
    GS_WORD_PLACE_GROUP = 32, /* places whose blocks are fetched together */
    GS_WORD_BLOCK_SLACK = 16, /* bytes behind blocks that may be read */
};

typedef struct gs_word_block gs_word_block;

/* What pieces hold. */
typedef enum gs_word_source {
    GS_WORD_TEXTS, /* of documents: add */
    GS_WORD_LINES, /* term TAB docID [TAB tf]: add_tuples */
    GS_WORD_PAIRS, /* termIDs and docIDs (lib/base/tuple_line.h): add_tuples */
} gs_word_source;

/* What there is room for, or what something takes at most. */
typedef struct gs_word_room {
    uint64_t tokens, terms, term_bytes;
} gs_word_room;

typedef struct gs_word_options {
    int device;
    gs_word_source source;
    unsigned lanes;
    size_t piece_bytes;      /* of text, at most GS_WORD_PIECE_BYTES_MAX */
    size_t piece_documents;  /* that a piece of texts may have, or have a part of */
    size_t window_postings;  /* that are fetched at once, at most */
    size_t window_positions; /* the same */
    bool is_folding;         /* ASCII letters become small ones */
    size_t ascii_bytes_min;  /* of texts: words of ASCII that are shorter, */
    size_t ascii_bytes_max;  /* or longer are left out; 0: none is */
    gs_word_room left_out;   /* of texts: for what leave_out is told in all */
    bool has_positions;      /* of texts: they are kept */
    size_t memory_bytes_max; /* on the device; 0: what is free less a reserve */
    uint64_t input_bytes;    /* expected in all; 0: unknown */
} gs_word_options;

/* Fails with GS_ERR_NOMEM if the memory is too small for the smallest piece. */
GS_MUST_CHECK gs_code gs_word_block_new(gs_word_block **out,
                                        const gs_word_options *options, gs_status *st);
void gs_word_block_free(gs_word_block *w); /* NULL is fine */

/* Host memory of a lane that copies are fast from and to. */
typedef struct gs_word_lane {
    uint8_t *text;           /* piece_bytes */
    uint32_t *starts;        /* piece_documents + 1 */
    const uint32_t *lengths; /* piece_documents: of the last piece */
    const uint32_t *documents, *tokens, *positions; /* of the last windows */
} gs_word_lane;

gs_word_lane gs_word_block_lane(const gs_word_block *w, unsigned lane);

gs_word_room gs_word_block_room(const gs_word_block *w); /* of an empty block */

/* Of a piece. A word takes a byte behind it; of those of one and two bytes there are less
 * than 8192 in UTF-8. */
static inline gs_word_room gs_word_most_of(size_t piece_bytes)
{
    const uint64_t tokens = piece_bytes / 2 + 1, long_terms = piece_bytes / 4 + 8192;
    const uint64_t terms = tokens < long_terms ? tokens : long_terms;
    return (gs_word_room){tokens, terms, piece_bytes + terms * (GS_WORD_TERM_PAD - 1)};
}

/* The text of the lane as it stands there: document i is from starts[i] to
 * starts[i + 1], words do not touch its ends. */
typedef struct gs_word_piece {
    uint32_t bytes, document_count;
    uint32_t first_document; /* docID of the first of them */
    uint32_t first_position; /* words of it in pieces before */
} gs_word_piece;

typedef struct gs_word_counts {
    uint32_t words;         /* gaps and those that were too long included */
    uint32_t last_words;    /* of the last document in this piece, the same */
    uint32_t long_words;    /* that were left out, and */
    uint32_t long_document; /* the first with one, counted in the piece */
    gs_word_room used;      /* at least, of the block, by all pieces so far */
} gs_word_counts;

/* Waits. lane.lengths are then the words of each document that are in the block. */
GS_MUST_CHECK gs_code gs_word_block_add(gs_word_block *w, unsigned lane,
                                        const gs_word_piece *piece, gs_word_counts *out,
                                        gs_status *st);

/* Words of texts that are left out from now on: those of the lane's text, so many bytes.
 * The block is empty but for such words, which reset keeps. Waits. */
GS_MUST_CHECK gs_code gs_word_block_leave_out(gs_word_block *w, unsigned lane,
                                              uint32_t bytes, gs_status *st);

typedef struct gs_tuple_counts {
    bool is_refused; /* a line is not plain: nothing of the piece is in the block */
    uint32_t tuples;
    uint32_t first_document, last_document; /* the least and the greatest, if any */
    uint64_t tokens;                        /* their frequencies together, */
    uint64_t block_tokens;                  /* and at least those of the block so far */
    gs_word_room used;                      /* the same of all else */
} gs_tuple_counts;

/* The text of the lane, so many bytes: whole lines or pairs. Waits. */
GS_MUST_CHECK gs_code gs_word_block_add_tuples(gs_word_block *w, unsigned lane,
                                               uint32_t bytes, gs_tuple_counts *out,
                                               gs_status *st);

/* Of tuples `tokens` are their frequencies together, which must be below 2^32. */
typedef struct gs_word_sums {
    uint64_t terms, term_bytes, postings, tokens;
} gs_word_sums;

/* Puts the terms in order; out->postings is not known yet. */
GS_MUST_CHECK gs_code gs_word_block_sort_terms(gs_word_block *w, gs_word_sums *out,
                                               gs_status *st);

/* Where a term is among the bytes of all, and its length. */
typedef uint64_t gs_word_term;

/* The terms in their order: their bytes, padded, one after the other, and where each is.
 */
GS_MUST_CHECK gs_code gs_word_block_terms(gs_word_block *w, uint8_t *bytes,
                                          gs_word_term *terms, gs_status *st);

/* From now on term i, as it was sorted, is the one of rank to[i] among `count`, each of
 * which one is, of this block or of those that it shares terms with. NULL: of its own, in
 * their order. */
GS_MUST_CHECK gs_code gs_word_block_join_terms(gs_word_block *w, const uint32_t *to,
                                               uint32_t count, gs_status *st);

/* Ranks r with the same r >> gs_word_range_shift, of so many, are a range. */
enum { GS_WORD_RANGES = 2048, GS_WORD_BLOCKS_MAX = 16 };

GS_WIDTH_BOTH unsigned gs_word_range_shift(uint32_t count)
{
    unsigned shift = 0;
    while (count > 0 && (count - 1) >> shift >= GS_WORD_RANGES)
        shift++;
    return shift;
}

/* Tokens, and the frequencies of tuples together; of texts as many as tokens. */
typedef struct gs_word_weight {
    uint64_t tokens, frequencies;
} gs_word_weight;

/* What each range has, GS_WORD_RANGES of them, after join_terms. */
GS_MUST_CHECK gs_code gs_word_block_weigh(gs_word_block *w, gs_word_weight *ranges,
                                          gs_status *st);

/* What a block is to have: terms of ranks [first, end), which are 0 and so on then. */
typedef struct gs_word_share {
    uint32_t first, end;
    gs_word_weight weight;
} gs_word_share;

/* The tokens of all blocks, of documents first to last, to those that have their terms:
 * shares[i], which has room there, is of blocks[i], and follows the one before. Ranks are
 * those of join_terms. False: it cannot be done, and nothing was; after a failure the
 * blocks can only be reset. */
GS_MUST_CHECK gs_code gs_word_blocks_exchange(gs_word_block *const *blocks,
                                              unsigned count, const gs_word_share *shares,
                                              uint32_t first, uint32_t last,
                                              bool *is_done, gs_status *st);

/* Puts what was added in order, of documents first to last, both included; after an
 * exchange, of the same. */
GS_MUST_CHECK gs_code gs_word_block_sort(gs_word_block *w, uint32_t first, uint32_t last,
                                         gs_word_sums *out, gs_status *st);

/* The first posting of each term and, behind them, the count of all. */
GS_MUST_CHECK gs_code gs_word_block_first_postings(gs_word_block *w,
                                                   uint32_t *first_postings,
                                                   gs_status *st);

/* Of postings [first, first + count) the documents, and of one more where the tokens of
 * each begin; behind the last one: their count. */
GS_MUST_CHECK gs_code gs_word_block_documents(gs_word_block *w, unsigned lane,
                                              uint64_t first, size_t count,
                                              gs_status *st);
/* The positions of tokens [first, first + count). */
GS_MUST_CHECK gs_code gs_word_block_positions(gs_word_block *w, unsigned lane,
                                              uint64_t first, size_t count,
                                              gs_status *st);

/* What stands before a block, and at each place. */
typedef struct gs_word_stored {
    uint32_t bytes;       /* 0: the place is empty, or its block is left to the cores */
    uint32_t last;        /* docID of the block */
    uint32_t tokens;      /* of its postings */
    uint8_t impact_count; /* what its postings can add to scores */
    gs_impact impacts[GS_IMPACTS_KEPT];
    uint8_t spare;
} gs_word_stored;

/* Codes of the lengths of documents, one for 2^shift of them (lib/index/format/
 * length_table.h); documents behind the last have a length of 0. */
typedef struct gs_word_lengths {
    const uint8_t *codes;
    uint64_t count;
    unsigned shift;
} gs_word_lengths;

GS_WIDTH_BOTH uint8_t gs_word_length_code(const gs_word_lengths *l, uint32_t document)
{
    return document < l->count ? l->codes[document >> l->shift] : 0;
}

/* All but the bytes of what stands before a block. */
GS_WIDTH_BOTH void gs_word_stored_make(gs_word_stored *out, const gs_step_block *b,
                                       const gs_word_lengths *lengths)
{
    gs_impact_maker maker;
    gs_impact_maker_begin(&maker);
    for (unsigned i = 0; i < GS_WORD_BLOCK; i++)
        gs_impact_maker_take(&maker, b->starts[i + 1] - b->starts[i] - 1,
                             gs_word_length_code(lengths, b->documents[i]));
    gs_impact_maker_end(&maker);
    out->last = b->documents[GS_WORD_BLOCK - 1];
    out->tokens = b->starts[GS_WORD_BLOCK] - b->starts[0];
    out->impact_count = (uint8_t)maker.impacts.count;
    for (unsigned i = 0; i < GS_IMPACTS_KEPT; i++)
        out->impacts[i] = maker.impacts.pairs[i];
}

GS_WIDTH_BOTH uint32_t gs_word_stored_bytes(uint32_t block_bytes)
{
    return (uint32_t)sizeof(gs_word_stored) + (block_bytes + 3) / 4 * 4;
}

/* The most that a block may have for a group of them to have room in a lane's text. */
static inline uint32_t gs_word_block_bytes_max(size_t piece_bytes)
{
    const size_t share = piece_bytes / GS_WORD_PLACE_GROUP, head = sizeof(gs_word_stored);
    const size_t beside = head + GS_WORD_BLOCK_SLACK;
    return share > beside ? (uint32_t)(share - beside) : 0;
}

typedef struct gs_word_made {
    bool has_blocks, has_tails;
    uint64_t groups;
    const uint64_t *group_starts; /* and where the last one ends; until reset */
} gs_word_made;

/* The postings of each term, GS_WORD_BLOCK at a time from its first one on, become blocks
 * as an index stores them (lib/base/block_steps.h). Block k of a term whose postings
 * begin at p has place p / GS_WORD_BLOCK + k, and no other has. Postings behind a term's
 * last full block are its tail, of which a list is made. What there is no room for is
 * not. */
GS_MUST_CHECK gs_code gs_word_block_encode(gs_word_block *w,
                                           const gs_word_lengths *lengths,
                                           gs_word_made *out, gs_status *st);
/* All places of so many groups, to the lane's text, which has room for them. */
GS_MUST_CHECK gs_code gs_word_block_stored(gs_word_block *w, unsigned lane,
                                           uint64_t first, size_t count, gs_status *st);
/* Where the tail of each term begins in the list of them, and the end of all. Behind each
 * stands where its last posting's tokens end. */
GS_MUST_CHECK gs_code gs_word_block_tail_firsts(gs_word_block *w, uint32_t *firsts,
                                                gs_status *st);
/* As gs_word_block_documents, of that list. */
GS_MUST_CHECK gs_code gs_word_block_tails(gs_word_block *w, unsigned lane, uint64_t first,
                                          size_t count, gs_status *st);

/* Empties it. */
GS_MUST_CHECK gs_code gs_word_block_reset(gs_word_block *w, gs_status *st);

size_t gs_word_block_device_bytes(const gs_word_block *w); /* held there */

#ifdef __cplusplus
}
#endif
#endif
