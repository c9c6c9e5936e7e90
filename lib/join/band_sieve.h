/* SPDX-License-Identifier: MIT */
/*
 * band_sieve: which numbers of one side of a band join surely have no partner on the
 * other, so that their lines need not be sorted, nor even copied.
 *
 *      numbers of the other side      x                     x'
 *      partners of these          [x+low, x+high]       [x'+low, x'+high]
 *      cells, half as wide as
 *      that, or wider              . 1 1 1 . . . . . . . . . 1 1 . . .
 *
 * A word has the bits of 64 cells that follow each other; which word that is their hash
 * says, so that it does not matter how far numbers are from each other. A number whose
 * bit is not set has no partner; of others some have none either. Where nearly all
 * numbers pass the sieve only looks at some, until that changes.
 *
 * Any thread may mark, and when all is marked, ask.
 */
#ifndef GS_LIB_JOIN_BAND_SIEVE_H
#define GS_LIB_JOIN_BAND_SIEVE_H

#include "lib/base/status.h"
#include "lib/join/join_number.h"

typedef struct gs_band_sieve gs_band_sieve;

enum { GS_BAND_SIEVE_NUMBERS = 64 }; /* at a time, at most */

/* Partners of a number are from `low` to `high` more. */
GS_MUST_CHECK gs_code gs_band_sieve_new(gs_band_sieve **out, gs_join_number low,
                                        gs_join_number high, size_t bytes, gs_status *st);
void gs_band_sieve_free(gs_band_sieve *s); /* NULL is fine */

void gs_band_sieve_mark(gs_band_sieve *s, const gs_join_number *numbers, size_t count);
/* May each of these be a partner of one that was marked? */
void gs_band_sieve_ask(gs_band_sieve *s, const gs_join_number *numbers, size_t count,
                       bool *may_be);

#endif
