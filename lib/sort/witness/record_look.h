/* SPDX-License-Identifier: MIT */
/*
 * record_look: a look at records that go out one after the other: their hashes, and
 * whether each may follow the one before.
 *
 * Both at once, since a record is loaded for both. One thread; no state.
 */
#ifndef GS_LIB_SORT_WITNESS_RECORD_LOOK_H
#define GS_LIB_SORT_WITNESS_RECORD_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_seen_string {
    const uint8_t *data;
    size_t bytes;
} gs_seen_string;

/* What may follow what. */
typedef struct gs_look_order {
    bool is_backwards;
    bool is_strict; /* equals are out of order */
} gs_look_order;

enum { GS_LOOK_MAX = 256 }; /* records at once */

typedef struct gs_look {
    bool has_before; /* the first string follows this one: */
    gs_seen_string before;
    gs_look_order order;
    /* What comes out. */
    uint64_t sum;    /* of the hashes of the lines, as gs_multiset has it */
    uint64_t bytes;  /* of the lines */
    size_t disorder; /* number, from 1, of the first string out of order; 0: none */
    bool lacks_eol;  /* behind one of the lines is another byte */
} gs_look;

/* Looks at `count` records by their lines and the strings that order them; NULL: the
 * lines do. 64 bytes beyond each can be read. */
void gs_look_at(gs_look *l, const gs_seen_string *lines, const gs_seen_string *strings,
                size_t count, uint8_t eol);

/* The same of lines that stand one after the other in a text, the first at its beginning,
 * and order themselves: the eol of line i is at text[ends[i]]. */
void gs_look_at_text(gs_look *l, const uint8_t *text, const uint32_t *ends, size_t count);

#endif
