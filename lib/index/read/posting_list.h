/* SPDX-License-Identifier: MIT */
/*
 * posting_list: the postings of a term.
 *
 *      | 128 postings | 128 postings | ... | less than 128 | entry of each full block |
 *
 * A list is gone through once, forwards. Call order: start, then one of
 *
 *      block*           every block; docs[] and tfs[] of `count` postings, 0 at the end
 *      (seek, next*)*   document by document; `doc`, and its frequency by tf
 *      mark             all of them at once
 *
 * and release. After either, positions may be asked for; start may come again. The entry
 * of a block tells where it ends and what its postings can add to a score: seek leaves
 * blocks out unread, and peek tells of one that seek would read. One thread; different
 * lists share nothing.
 *
 * All is checked as it is read: docIDs ascend and are below the number of documents,
 * frequencies and positions fit 32 bits. What is not so is GS_ERR_FORMAT.
 */
#ifndef GS_LIB_INDEX_READ_POSTING_LIST_H
#define GS_LIB_INDEX_READ_POSTING_LIST_H

#include "lib/index/read/posting_skip.h"

#define GS_NO_DOC UINT64_MAX /* behind the last one */

/* Positions of a block: numbers of all its postings, by 128. */
typedef struct gs_posting_places {
    const uint8_t *p; /* the next numbers; NULL: nothing was asked for */
    uint64_t all;     /* numbers there are */
    uint64_t passed;  /* those before p */
    size_t at;        /* the posting that is next, and how many numbers are before it */
    uint64_t before;
    size_t held; /* numbers up to `passed` that are here */
    uint64_t numbers[GS_NUMBERS_MAX];
} gs_posting_places;

/* For others: docs and tfs up to count, has_skip and skip, doc and at, positions up to
 * position_count, blocks_read. What was read of the files lies before p, next_places and
 * skips.p. */
typedef struct gs_posting_list {
    const gs_index *index;
    const gs_page_checks *pages; /* of postings */
    const uint8_t *p, *end;      /* blocks and tail that are left */
    gs_posting_skips skips;      /* entries that are left */
    uint64_t df, cf, only_doc;   /* as the dictionary has them */
    uint64_t left;               /* postings behind the block */
    uint64_t last_doc;           /* of the blocks so far */
    bool has_doc;
    bool is_found; /* the next block is known, not read: its entry is `skip` */

    bool has_skip;        /* the block is full; the last postings have no entry */
    gs_posting_skip skip; /* of the block; of the next one, if that is found */
    size_t count;         /* of the block; 0: there is none */
    uint64_t docs[GS_BLOCK_DOCS_ROOM];
    uint64_t tfs[GS_INDEX_BLOCK]; /* after block; seek leaves them packed */
    bool has_tfs;                 /* they are not */
    gs_number_shape packed_tfs;

    uint64_t doc; /* of seek and next; GS_NO_DOC: none left */
    size_t at;    /* it is docs[at] */
    uint64_t blocks_read;

    const uint8_t *places, *next_places; /* positions of the block; NULL: none kept */
    const uint8_t *places_end;           /* of the list */
    gs_posting_places placed;            /* what was read of the block's */
    uint32_t *positions;                 /* of the posting asked for last */
    size_t position_count, position_capacity;
} gs_posting_list;

/* Of a zeroed list, or one that was used before, whose memory it keeps. */
GS_MUST_CHECK gs_code gs_posting_list_start(gs_posting_list *l, const gs_index *index,
                                            const gs_term_info *info, gs_status *st);
void gs_posting_list_release(gs_posting_list *l); /* a zeroed one is fine */

/* --- block by block ----------------------------------------------------------------- */

/* The next block; count is 0 behind the last. */
GS_MUST_CHECK gs_code gs_posting_list_block(gs_posting_list *l, gs_status *st);

/* A block that has_skip, as it is stored; none of its positions has been asked for. */
gs_stored_block gs_posting_list_stored(const gs_posting_list *l);

/* Positions of the last posting were asked for: fails if the block has more. */
GS_MUST_CHECK gs_code gs_posting_list_end_places(const gs_posting_list *l, gs_status *st);

/* --- document by document ----------------------------------------------------------- */

/* Takes another block. Internal to seek and next. */
GS_MUST_CHECK gs_code gs_posting_list_move(gs_posting_list *l, uint64_t doc,
                                           gs_status *st);

/* The first posting of the block of a document that is not less than `doc`, if the last
 * one is not. What is compared decides no branch: behind the last posting come documents
 * that are greater than any. Internal to this file. */
static inline size_t gs_posting_list_place(const gs_posting_list *l, uint64_t doc)
{
    const uint64_t *from = l->docs;
#pragma GCC unroll 8
    for (size_t half = GS_INDEX_BLOCK / 2; half > 0; half /= 2)
        from += half & (0 - (size_t)(from[half - 1] < doc)); /* no `?': it would branch */
    return (size_t)(from - l->docs);
}

/* Is the block the one that the document is in, or would be? */
static inline bool gs_posting_list_holds(const gs_posting_list *l, uint64_t doc)
{
    return l->count > 0 && l->docs[l->count - 1] >= doc;
}

/* The places in the block of documents that it holds, which ascend from where the list is
 * on: as seek goes there for each of them. Goes to the last of them. */
void gs_posting_list_places(gs_posting_list *l, const uint64_t *docs, size_t count,
                            uint8_t *places);
enum { GS_FOUND_MAX = 64 };

/* A bit for each of up to GS_FOUND_MAX documents, whose places those are: is there a
 * posting? */
uint64_t gs_posting_list_found(const gs_posting_list *l, const uint64_t *docs,
                               size_t count, const uint8_t *places);

/* To the first document that is not less than `doc`, which never goes back. */
GS_MUST_CHECK static inline gs_code gs_posting_list_seek(gs_posting_list *l, uint64_t doc,
                                                         gs_status *st)
{
    if (!gs_posting_list_holds(l, doc)) {
        GS_TRY(gs_posting_list_move(l, doc, st));
        if (l->doc == GS_NO_DOC)
            return GS_OK;
    }
    if (l->docs[l->at] < doc)
        l->at = gs_posting_list_place(l, doc);
    l->doc = l->docs[l->at];
    return GS_OK;
}

/* From the document it is at to the next one. */
GS_MUST_CHECK static inline gs_code gs_posting_list_next(gs_posting_list *l,
                                                         gs_status *st)
{
    if (__builtin_expect(l->at + 1 == l->count, 0))
        return gs_posting_list_move(l, l->doc + 1, st);
    l->doc = l->docs[++l->at];
    return GS_OK;
}

/* From the document it is at on: how many of the block are not greater than `to`. */
static inline size_t gs_posting_list_count_to(const gs_posting_list *l, uint64_t to)
{
    return l->docs[l->count - 1] <= to ? l->count - l->at
                                       : gs_posting_list_place(l, to + 1) - l->at;
}

/* Leaves so many documents behind, all of the block at most. */
GS_MUST_CHECK static inline gs_code gs_posting_list_pass(gs_posting_list *l, size_t count,
                                                         gs_status *st)
{
    if (l->at + count == l->count)
        return gs_posting_list_move(l, l->docs[l->count - 1] + 1, st);
    l->at += count;
    l->doc = l->docs[l->at];
    return GS_OK;
}

/* Goes to the block that seek would read, and leaves it unread. Internal to peek. */
GS_MUST_CHECK gs_code gs_posting_list_find(gs_posting_list *l, uint64_t doc,
                                           gs_status *st);

/* The entry of the block that seek would read for the document. NULL: it would read none,
 * or the last postings, which have no entry. */
GS_MUST_CHECK static inline gs_code gs_posting_list_peek(gs_posting_list *l, uint64_t doc,
                                                         const gs_posting_skip **skip,
                                                         gs_status *st)
{
    *skip = NULL;
    if (gs_posting_list_holds(l, doc))
        return GS_OK;
    GS_TRY(gs_posting_list_find(l, doc, st));
    if (l->is_found)
        *skip = &l->skip;
    return GS_OK;
}

/* --- all documents ------------------------------------------------------------------ */

/* Sets a bit for each document, of as many bits as the index has documents and 128 more.
 */
GS_MUST_CHECK gs_code gs_posting_list_mark(gs_posting_list *l, uint64_t *bits,
                                           gs_status *st);

/* --- of a posting ------------------------------------------------------------------- */

/* Frequencies of the block are read, as far as they are any. Internal to tf. */
void gs_posting_list_unpack(gs_posting_list *l);

/* The frequency of posting i of the block; where few are wanted, the others stay packed.
 */
static inline uint64_t gs_posting_list_one_tf(const gs_posting_list *l, size_t i)
{
    return l->has_tfs ? l->tfs[i]
                      : (gs_numbers_read_one(&l->packed_tfs, i) & UINT32_MAX) + 1;
}

/* The same, where others are likely to be wanted, too. */
static inline uint64_t gs_posting_list_tf(gs_posting_list *l, size_t i)
{
    if (__builtin_expect(!l->has_tfs, 0))
        gs_posting_list_unpack(l);
    return l->tfs[i];
}

/* Of all postings of the block. */
static inline const uint64_t *gs_posting_list_tfs(gs_posting_list *l)
{
    if (__builtin_expect(!l->has_tfs, 0))
        gs_posting_list_unpack(l);
    return l->tfs;
}

/* Positions of posting i of the block, which never goes back: position_count of them, in
 * l->positions. Fails if the index has none. */
GS_MUST_CHECK gs_code gs_posting_list_positions(gs_posting_list *l, size_t i,
                                                gs_status *st);

#endif
