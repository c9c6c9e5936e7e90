/* SPDX-License-Identifier: MIT */
/*
 * score_window: what several terms add to the scores of 2048 documents, side by side, and
 * which of those are worth a closer look.
 *
 *      add      postings of a term, document by document
 *      pick     documents whose sum exceeds what it has to by their length; the window is
 *               empty then
 *
 * Sums are floats, and never below the scores that they stand for, so that none is left
 * out that exactly reckoned would be picked. An empty place is 0 and is not picked,
 * however little is asked for.
 */
#ifndef GS_LIB_INDEX_QUERY_SCORE_WINDOW_H
#define GS_LIB_INDEX_QUERY_SCORE_WINDOW_H

#include "lib/index/query/score_block.h"

enum {
    GS_WINDOW_DOCS = 2048,
    GS_WINDOW_ROW = 16, /* documents that are looked at together, if any is there */
    GS_WINDOW_ROW_WORDS = GS_WINDOW_DOCS / GS_WINDOW_ROW / 64,
    GS_WINDOW_PICK_ROOM = GS_WINDOW_DOCS + GS_WINDOW_ROW,
};

typedef struct gs_score_window {
    uint64_t base;                      /* the first document */
    uint64_t rows[GS_WINDOW_ROW_WORDS]; /* a bit for each that has a document */
    float sums[GS_WINDOW_DOCS];
    uint8_t classes[GS_WINDOW_DOCS]; /* of the lengths of those that are there */
} gs_score_window;

/* Empty, from that document on, after one that was picked from or is zeroed. */
static inline void gs_score_window_begin(gs_score_window *w, uint64_t base)
{
    w->base = base;
}

/* What a term adds in a window, document after document. An entry says of a place that it
 * is its own only if that one's place says so, too: nothing is cleared for the next
 * window. */
typedef struct gs_score_log {
    size_t count;
    uint16_t places[GS_WINDOW_DOCS];
    uint16_t entries[GS_WINDOW_DOCS]; /* by place */
    double parts[GS_WINDOW_DOCS];
} gs_score_log;

/* What the term adds to the document at that place; 0 if it does not have it. */
static inline double gs_score_log_part(const gs_score_log *log, size_t place)
{
    const size_t entry = log->entries[place];
    return entry < log->count && log->places[entry] == place ? log->parts[entry] : 0;
}

/* Documents of the window, behind those of the log. */
void gs_score_window_add(gs_score_window *w, gs_score_log *log, const uint64_t *docs,
                         const gs_scores *scores, size_t count);
/* Of documents to which `terms` terms were added; `least` is by class of length. Returns
 * how many places of documents, ascending, went to `which`, which has room for
 * GS_WINDOW_PICK_ROOM. What they have so far goes to `sums`, made so large that rounding
 * is covered. */
size_t gs_score_window_pick(gs_score_way way, gs_score_window *w, size_t terms,
                            const double *least, uint16_t *which, float *sums);

#endif
