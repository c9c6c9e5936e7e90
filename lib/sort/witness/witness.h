/* SPDX-License-Identifier: MIT */
/*
 * witness: sees what a sort reads and what it writes, and says whether the one is the
 * other in order. Nothing is read again for that.
 *
 *      batch read ------> read_text       --+
 *      left out as equal -> piece_drop    --+-> judge: the same records, in order?
 *      text written ----> begin, note, end --+
 *
 * Of the records: read = written + left out as equals of others, in number, in bytes and
 * in the sum of hashes (lib/sort/witness/multiset.h). Of their order: each record that
 * was written is compared with the one before, by the strings that order them, also where
 * pieces meet.
 *
 *      option      what is compared
 *      (none), -s  records and order; not that equals stand as they came
 *      -u          records, with those left out; no two equals are neighbours
 *      --count     the same, and the counts are together what was read
 *      --top       order, and how many there are; not which were left out
 *      --header    what stands below the header
 *
 * What leaves is seen where it is about to be written: plain text in the block of the
 * stream, after it was copied there. Compressed output is seen before it is compressed,
 * a line that lies over the end of a block before it is copied. Of strings of more than
 * 64 KiB the first 64 KiB are compared where pieces meet, and every so many records.
 *
 * A witness that is not full only counts, which costs nothing: records, and bytes of
 * text where the output is text. Any number of threads; a piece belongs to one of them.
 */
#ifndef GS_LIB_SORT_WITNESS_WITNESS_H
#define GS_LIB_SORT_WITNESS_WITNESS_H

#include "lib/base/status.h"
#include "lib/sort/witness/keyed_look.h"
#include "lib/sort/witness/multiset.h"
#include "lib/sort/witness/record_look.h"

typedef struct gs_witness_options {
    gs_record_form form;
    gs_look_order order;
    bool is_full;      /* else it only counts */
    bool drops_equals; /* some records stand for others, */
    bool has_counts;   /* and have numbers that say for how many */
    bool has_top;      /* only the first top_count records were wanted */
    uint64_t top_count;
    const char *order_hint; /* what may be the matter if the order is wrong; or NULL */
} gs_witness_options;

typedef struct gs_witness gs_witness;
GS_MUST_CHECK gs_code gs_witness_new(gs_witness **out, const gs_witness_options *options,
                                     gs_status *st);
void gs_witness_free(gs_witness *w);               /* NULL is fine */
void gs_witness_forget(gs_witness *w);             /* all begins again */
void gs_witness_make_full(gs_witness *w);          /* before anything was read */
bool gs_witness_has_objected(const gs_witness *w); /* judge has failed; NULL has not */

bool gs_witness_is_full(const gs_witness *w); /* NULL is not */
/* What it can say, in a word or three: a static string. */
const char *gs_witness_extent(const gs_witness *w);

/* Whole records were read, with GS_MULTISET_SLACK bytes to read behind them. */
void gs_witness_read_text(gs_witness *w, const uint8_t *text, size_t bytes);
/* The same of what somebody has added up; of a witness that is not full the sum may be
 * anything. */
void gs_witness_read(gs_witness *w, const gs_multiset *records);

/* The beginning of a string, or all of it, which is kept. */
typedef struct gs_witness_edge {
    uint8_t *data;
    size_t bytes, room;
    bool is_cut;
} gs_witness_edge;

enum { GS_WITNESS_BATCH = GS_LOOK_MAX, GS_WITNESS_EDGE_MAX = 64 << 10 };

/* What was read and left out so far, for a sort that is stopped and goes on. */
typedef struct gs_witness_state {
    gs_multiset read, dropped;
    uint64_t knows; /* what the sums are worth; 0: nothing */
} gs_witness_state;

gs_witness_state gs_witness_save(gs_witness *w);
/* Before anything else is read. What was left out since then is not known: where equals
 * are dropped, and where the sums are of another machine or missing, only numbers and
 * order are judged. */
void gs_witness_restore(gs_witness *w, const gs_witness_state *state);

/* What one thread writes at a time: the records of one ticket. Tickets count from 1, as
 * those of a sink do, and each must come. Zeroed at first. */
typedef struct gs_witness_piece {
    gs_witness *witness; /* NULL: nobody watches, and every call does nothing */
    uint64_t ticket;
    bool has_strings; /* that are not the lines themselves */
    size_t noted;     /* and not looked at yet */
    gs_seen_string lines[GS_WITNESS_BATCH + 1], strings[GS_WITNESS_BATCH + 1];
    gs_multiset written, dropped;
    uint64_t counted;  /* what the counts of records are together */
    uint64_t disorder; /* number of a record in the piece, from 1; 0: none */
    bool has_unknown;  /* not all that was left out was there to be seen */
    bool lacks_eol;    /* a line does */
    gs_witness_edge first, last;
} gs_witness_piece;

/* `has_strings`: they are told with the lines. */
void gs_witness_begin(gs_witness_piece *p, gs_witness *w, uint64_t ticket,
                      bool has_strings);

/* A line goes out, counted without its eol, which follows it, and the string that orders
 * it. Both stay where they are until look, which has to be called when it returns true.
 * For a full witness only. 64 bytes behind each can be read. */
static inline bool gs_witness_note(gs_witness_piece *p, gs_seen_string line,
                                   gs_seen_string string)
{
    p->lines[++p->noted] = line;
    if (p->has_strings)
        p->strings[p->noted] = string;
    return p->noted == GS_WITNESS_BATCH;
}
GS_MUST_CHECK gs_code gs_witness_look(gs_witness_piece *p, gs_status *st);
/* Looks at lines that go out one after the other as they stand in a text, and are their
 * own strings; at most GS_WITNESS_BATCH, whose eols are at text[ends[i]]. */
GS_MUST_CHECK gs_code gs_witness_look_at_text(gs_witness_piece *p, const uint8_t *text,
                                              const uint32_t *ends, size_t count,
                                              gs_status *st);

/* The same of lines that have strings, by keyed_look. */
GS_MUST_CHECK gs_code gs_witness_look_at_keyed_text(gs_witness_piece *p, gs_keyed_look *k,
                                                    const uint8_t *text,
                                                    const uint32_t *ends, size_t count,
                                                    gs_status *st);

/* `times` records with this line were left out as equals of one that stays. */
void gs_witness_drop(gs_witness_piece *p, const uint8_t *line, size_t bytes,
                     uint64_t times);
/* The same of lines that nobody has seen. */
void gs_witness_drop_unknown(gs_witness_piece *p, uint64_t times);
/* Adds up what was left out, of a piece that is not written here. */
void gs_witness_settle(gs_witness_piece *p);

/* The piece goes out. */
GS_MUST_CHECK gs_code gs_witness_end(gs_witness_piece *p, gs_status *st);
/* A zeroed one is fine. */
void gs_witness_release(gs_witness_piece *p);

/* All pieces have ended, and all that could fail went well: `records` records and `bytes`
 * of text are in the output (UINT64_MAX: it is not text). Fails with `code` if that is
 * not what was read, in order. */
GS_MUST_CHECK gs_code gs_witness_judge(gs_witness *w, uint64_t records, uint64_t bytes,
                                       gs_code code, gs_status *st);

#endif
