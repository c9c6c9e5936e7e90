/* SPDX-License-Identifier: MIT */
#include "lib/join/join_check.h"

#include <string.h>

#include "lib/join/join_tuple.h"

typedef struct contradiction {
    bool is_there;
    const char *why;
} contradiction;

static gs_code refuse_first(const contradiction *all, size_t count, gs_status *st)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i].is_there)
            return GS_FAIL(st, GS_ERR_ARG, 0, "%s", all[i].why);
    }
    return GS_OK;
}

/* --- any join --------------------------------------------------------------------- */

static bool has_names(const gs_join_options *o)
{
    bool is_named =
        o->key_name[GS_JOIN_LEFT] != NULL || o->key_name[GS_JOIN_RIGHT] != NULL;
    for (size_t i = 0; i < o->item_count; i++)
        is_named |= o->items[i].name != NULL;
    return is_named;
}

static gs_code check_all(const gs_join_options *o, gs_status *st)
{
    const bool *const unpaired = o->shows_unpaired;
    const contradiction all[] = {
        {strcmp(o->inputs[GS_JOIN_LEFT], "-") == 0 &&
             strcmp(o->inputs[GS_JOIN_RIGHT], "-") == 0,
         "both files cannot be standard input"},
        {o->is_semi && (unpaired[GS_JOIN_LEFT] || unpaired[GS_JOIN_RIGHT]),
         "lines that have a partner are not written with those that have none"},
        {gs_join_is_by_number(o) && o->fold,
         "numbers are not compared as capital letters"},
        {o->skips_bad && !gs_join_is_by_number(o),
         "only keys that are numbers can be bad"},
        {!o->header && has_names(o), "fields have no names without a header"},
        {o->prints_text && !gs_join_reads_tuples(o), "only tuples are printed as text"},
    };
    return refuse_first(all, sizeof all / sizeof *all, st);
}

/* --- tuples ----------------------------------------------------------------------- */

static gs_code check_lines_apart(const gs_join_options *o, gs_status *st)
{
    const gs_order *const order = &o->sort.order;
    const contradiction all[] = {
        {o->tuples[GS_JOIN_LEFT].record_size == 0 ||
             o->tuples[GS_JOIN_RIGHT].record_size == 0,
         "tuples are joined with tuples"},
        {!gs_form_is_plain(order->form), "tuples are no tables"},
        {o->header, "tuples have no header"},
        {o->fold, "tuples are not compared as capital letters"},
        {o->is_auto, "tuples have as many fields as they have"},
        {o->filler != NULL && !o->prints_text, "zeros stand for what tuples lack"},
    };
    return refuse_first(all, sizeof all / sizeof *all, st);
}

static gs_code check_field(const gs_join_options *o, gs_join_side side, size_t field,
                           gs_status *st)
{
    const size_t count = o->tuples[side].byte_key_count;
    return field < count
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0,
                         "tuples of file %d have %zu fields, and none of number %zu",
                         (int)side + 1, count, field + 1);
}

static bool is_same_type(const gs_byte_key *a, const gs_byte_key *b)
{
    return a->type == b->type && a->length == b->length &&
           a->is_little_endian == b->is_little_endian;
}

/* Is the key of the output that of whichever tuple there is? */
static bool shows_either_key(const gs_join_options *o)
{
    const bool shows_left =
        o->shows_pairs || o->is_semi || o->shows_unpaired[GS_JOIN_LEFT];
    bool shows_key = o->item_count == 0 && gs_join_has_one_key(o);
    for (size_t i = 0; i < o->item_count; i++)
        shows_key |= o->items[i].is_key;
    return shows_key && shows_left && o->shows_unpaired[GS_JOIN_RIGHT];
}

static gs_code check_tuples(const gs_join_options *o, gs_status *st)
{
    const gs_byte_key *keys[GS_JOIN_SIDES];
    GS_TRY(check_lines_apart(o, st));
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        GS_TRY(check_field(o, (gs_join_side)s, o->key_field[s], st));
        keys[s] = &o->tuples[s].byte_keys[o->key_field[s]];
        if (gs_join_is_by_number(o) && keys[s]->type == GS_FIELD_BYTES)
            return GS_FAIL(st, GS_ERR_ARG, 0, "keys of a band are numbers, not bytes");
    }
    for (size_t i = 0; i < o->item_count; i++) {
        if (!o->items[i].is_key)
            GS_TRY(check_field(o, o->items[i].side, o->items[i].field, st));
    }
    if (!gs_join_is_by_number(o) &&
        !gs_join_tuple_is_like(keys[GS_JOIN_LEFT], keys[GS_JOIN_RIGHT]))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "keys are both integers, or both floats, or as many bytes");
    if (!o->prints_text && shows_either_key(o) &&
        !is_same_type(keys[GS_JOIN_LEFT], keys[GS_JOIN_RIGHT]))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "tuples of file 2 without a partner would have keys of another "
                       "type: say --text, or -o without 0");
    return GS_OK;
}

gs_code gs_join_check(const gs_join_options *o, gs_status *st)
{
    GS_TRY(check_all(o, st));
    return gs_join_reads_tuples(o) || o->tuples[GS_JOIN_RIGHT].record_size > 0
               ? check_tuples(o, st)
               : GS_OK;
}
