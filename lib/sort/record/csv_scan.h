/* SPDX-License-Identifier: MIT */
/*
 * csv_scan: find where the records of a CSV text end (RFC 4180), 64 bytes at a time.
 *
 * What lies between quotes is text, line ends too; a quote in it is written twice. So
 * whether a byte is between quotes is told by how many quotes are before it, and that
 * many, odd or even, is all that has to be known of the text before:
 *
 *      text      a , " x \n y " " z " \n b
 *      quotes    . . 1 . .  . 1 1 . 1 .  .
 *      inside    . . 1 1 1  1 . 1 1 . .  .      odd numbers of quotes up to here
 *      ends      . . . . .  . . . . . 1  .      \n that are not inside
 *
 * That holds while quotes stand where they may: one that opens begins a field, behind one
 * that closes the field ends. The first that does not is named, by gs_csv_iter, and there
 * the text is broken; a search for ends alone (gs_csv_last_end) does not look for that.
 */
#ifndef GS_LIB_SORT_RECORD_CSV_SCAN_H
#define GS_LIB_SORT_RECORD_CSV_SCAN_H

#include "lib/sort/record/line_scan.h"

enum { GS_CSV_QUOTE = '"', GS_CSV_SLACK = 64 /* bytes behind a text that are read */ };

typedef struct gs_csv_form {
    uint8_t separator, eol;
} gs_csv_form;

/* Bit i of the result: the sum of bits 0 to i, odd or even. */
static inline uint64_t gs_csv_sums(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Of 64 bytes: those between quotes, the opening ones with them. *carry is all ones if
 * the text before ends inside, else 0. */
static inline uint64_t gs_csv_inside(uint64_t quotes, uint64_t *carry)
{
    const uint64_t inside = quotes == 0 ? *carry : gs_csv_sums(quotes) ^ *carry;
    *carry = UINT64_MAX * (inside >> 63);
    return inside;
}

/* The records of a text that begins with one, as gs_line_iter has lines:
 *
 *      gs_csv_iter it = gs_csv_iter_begin(text, bytes, form);
 *      while (gs_csv_iter_load(&it)) {
 *          while (gs_csv_iter_next(&it))
 *              ... text[it.begin] to text[it.end], which is the eol
 *      }
 *      ... what is left, from text[it.rest] on, has no eol
 *      ... if (gs_csv_iter_why(&it) != NULL) it.broken_at is in a record that is broken
 *
 * Records before one that is broken are given out. */
typedef struct gs_csv_iter {
    const uint8_t *text;
    size_t bytes;
    size_t begin, end, rest;
    size_t at, next_at;
    uint64_t mask;       /* of ends that are not taken yet */
    uint64_t inside;     /* the text so far ends between quotes: all ones */
    uint64_t may_open;   /* bit 0: a quote may open here */
    uint64_t has_closed; /* bit 0: the byte before closed; */
    uint64_t has_return; /* bit 0: the one before that, and the byte before is a CR */
    gs_csv_form form;
    bool is_broken, opens_wrongly;
    size_t broken_at;
} gs_csv_iter;

static inline gs_csv_iter gs_csv_iter_begin(const uint8_t *text, size_t bytes,
                                            gs_csv_form form)
{
    return (gs_csv_iter){.text = text, .bytes = bytes, .may_open = 1, .form = form};
}

/* Are the quotes of the 64 bytes where they may be? Records that end before the first
 * that is not are left. */
static inline void gs_csv_iter_check(gs_csv_iter *it, uint64_t quotes, uint64_t inside,
                                     uint64_t ends, uint64_t valid)
{
    const uint8_t *const p = it->text + it->at;
    const uint64_t opens = quotes & inside, closes = quotes & ~inside;
    const uint64_t separators = gs_line_mask(p, it->form.separator) & valid & ~inside;
    const uint64_t fields_end = separators | ends;
    const uint64_t behind = closes << 1 | it->has_closed;
    const uint64_t wrong_opens = opens & ~((fields_end | closes) << 1 | it->may_open);
    const uint64_t odd = behind & ~(fields_end | opens) & valid;
    uint64_t wrong = wrong_opens, behind_closed = 0;
    if ((odd | it->has_return) != 0) { /* a CR is all that may stand there */
        behind_closed = odd & gs_line_mask(p, '\r');
        const uint64_t behind_return = behind_closed << 1 | it->has_return;
        wrong |= (odd & ~behind_closed) | (behind_return & ~ends & valid);
    }
    it->may_open = (fields_end | closes) >> 63;
    it->has_closed = closes >> 63;
    it->has_return = behind_closed >> 63;
    if (__builtin_expect(wrong == 0, 1))
        return;
    const uint64_t first = wrong & (0 - wrong);
    it->is_broken = true;
    it->opens_wrongly = (wrong_opens & first) != 0;
    it->broken_at = it->at + (size_t)__builtin_ctzll(wrong);
    it->mask &= first - 1;
}

static inline bool gs_csv_iter_load(gs_csv_iter *it)
{
    it->at = it->next_at;
    if (it->at >= it->bytes || it->is_broken)
        return false;
    const uint8_t *const p = it->text + it->at;
    const size_t left = it->bytes - it->at;
    const uint64_t valid = left < 64 ? UINT64_MAX >> (64 - left) : UINT64_MAX;
    const uint64_t quotes = gs_line_mask(p, GS_CSV_QUOTE) & valid;
    const uint64_t inside = gs_csv_inside(quotes, &it->inside);
    const uint64_t ends = gs_line_mask(p, it->form.eol) & valid & ~inside;
    it->mask = ends;
    it->next_at = it->at + 64;
    if (quotes != 0 || (it->has_closed | it->has_return) != 0)
        gs_csv_iter_check(it, quotes, inside, ends, valid);
    else /* all there is to know is what the last byte is */
        it->may_open = (ends | (gs_line_mask(p, it->form.separator) & ~inside)) >> 63;
    return true;
}

static inline bool gs_csv_iter_next(gs_csv_iter *it)
{
    if (it->mask == 0)
        return false;
    it->begin = it->rest;
    it->end = it->at + (size_t)__builtin_ctzll(it->mask);
    it->rest = it->end + 1;
    it->mask &= it->mask - 1;
    return true;
}

/* What is wrong with the record that begins at `rest`, once there is nothing more to
 * load; NULL: nothing. A text whose end is inside of quotes is broken where that record
 * begins. */
const char *gs_csv_iter_why(gs_csv_iter *it);

/* The first record of a text: its end, which is `bytes` if it has no eol. Sets *why and
 * *broken_at if that record is broken. */
size_t gs_csv_record_end(const uint8_t *text, size_t bytes, gs_csv_form form,
                         const char **why, size_t *broken_at);

/* How many of the bytes are whole records, if what comes before them ends inside of
 * quotes or not, as *inside says; 0 if no record ends there. Then *inside says the same
 * of their end. */
size_t gs_csv_last_end(const uint8_t *text, size_t bytes, gs_csv_form form, bool *inside);

/* Where the first record ends, its eol with it, of bytes that begin inside of quotes or
 * not; 0 if it does not end there. */
size_t gs_csv_first_end(const uint8_t *text, size_t bytes, gs_csv_form form, bool inside);

/* What every reader of values here agrees on, whatever it makes of broken ones: where a
 * quoted value ends, and what stands in it. */

/* Behind the quote that closes the value which the one at `p` opens; NULL if none does.
 * Sets *has_doubled if a quote in it is written twice. */
const uint8_t *gs_csv_quoted_end(const uint8_t *p, const uint8_t *end, bool *has_doubled);

/* Writes what stands between those two quotes, with one quote for two. `to` may be
 * `from`. Returns the end of what was written. */
uint8_t *gs_csv_undouble(const uint8_t *from, const uint8_t *end, uint8_t *to);

#endif
