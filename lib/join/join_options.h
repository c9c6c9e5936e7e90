/* SPDX-License-Identifier: MIT */
/*
 * join_options: what a join is told to do. The words are those of join(1): of two lines
 * with the same key the first is of the left input, and fields count from 0 here.
 */
#ifndef GS_LIB_JOIN_JOIN_OPTIONS_H
#define GS_LIB_JOIN_JOIN_OPTIONS_H

#include "lib/join/join_number.h"
#include "lib/sort/plan/plans.h"

typedef enum gs_join_side { GS_JOIN_LEFT, GS_JOIN_RIGHT, GS_JOIN_SIDES } gs_join_side;

/* When a left line and a right one are partners. The build asks for another kind wherever
 * one of these makes a difference; its ends, if it has two, are `low` and `high`. */
typedef enum gs_join_partners {
    GS_JOIN_EQUAL, /* their keys are the same */
    GS_JOIN_BAND,  /* the key of the right less that of the left is in a band */
    GS_JOIN_PARTNERS_COUNT
} gs_join_partners;

/* One field of the output. */
typedef struct gs_join_item {
    bool is_key; /* the join field, of whichever line there is; else: */
    gs_join_side side;
    size_t field;
    const char *name; /* in the header of that side, instead; NULL: by number */
} gs_join_item;

typedef struct gs_join_options {
    const char *inputs[GS_JOIN_SIDES]; /* "-" is standard input, one of them at most */
    size_t key_field[GS_JOIN_SIDES];
    const char *key_name[GS_JOIN_SIDES]; /* in the header, instead; NULL: by number */
    bool fold;                           /* keys are compared as capital letters */
    bool header; /* the first line of each input is one, and is joined without a look */

    gs_join_partners match;
    gs_join_number low, high; /* of a band, and they belong to it */
    bool skips_bad; /* lines whose key is no number are left out, and no error */

    bool shows_pairs;
    bool shows_unpaired[GS_JOIN_SIDES];
    bool is_semi; /* left lines that have a partner, each once, instead of pairs */

    const gs_join_item *items; /* of the output; none: the key, and all other fields */
    size_t item_count;
    bool is_auto;       /* as many fields as the first line of each input has */
    const char *filler; /* where a field is missing or empty; NULL: nothing */

    /* Files of binary tuples: the size of a record and its fields, as byte_keys; and what
     * is written is text. record_size 0: lines. */
    gs_order tuples[GS_JOIN_SIDES];
    bool prints_text;

    /* Memory, threads, output and so on. Of the order form, eol and delimiter are looked
     * at: '\n' makes the line the only field. Inputs and headers are not. */
    gs_sort_options sort;
} gs_join_options;

/* Are keys numbers, however they are written? And does a pair have one key, that of
 * either line, which is shown once? */
static inline bool gs_join_is_by_number(const gs_join_options *o)
{
    switch (o->match) {
    case GS_JOIN_EQUAL: return false;
    case GS_JOIN_BAND: return true;
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    return false;
}
static inline bool gs_join_has_one_key(const gs_join_options *o)
{
    switch (o->match) {
    case GS_JOIN_EQUAL: return true;
    case GS_JOIN_BAND: return false;
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    return false;
}

/* How much the keys of partners may differ, one to the other end: who are further apart
 * are none, which is what is left out before a sort goes by. Negative: nobody can say. */
static inline double gs_join_width(const gs_join_options *o)
{
    switch (o->match) {
    case GS_JOIN_BAND: return (double)(o->high - o->low);
    case GS_JOIN_EQUAL:
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    return -1;
}

/* Where the keys of left lines ascend, are the partners of each what lies between two
 * ends that only move on? Whoever goes along with them asks that first; where it is not
 * so near_join leaves the join to a matcher of its own. */
static inline bool gs_join_moves_on(gs_join_partners match)
{
    switch (match) {
    case GS_JOIN_BAND: return true;
    case GS_JOIN_EQUAL:
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    return false;
}

/* How the records of a side are cut. */
static inline const gs_order *gs_join_order(const gs_join_options *o, gs_join_side side)
{
    return o->tuples[side].record_size > 0 ? &o->tuples[side] : &o->sort.order;
}
/* Are they tuples, and are those what is written? */
static inline bool gs_join_reads_tuples(const gs_join_options *o)
{
    return o->tuples[GS_JOIN_LEFT].record_size > 0;
}
static inline bool gs_join_writes_tuples(const gs_join_options *o)
{
    return gs_join_reads_tuples(o) && !o->prints_text;
}

#endif
