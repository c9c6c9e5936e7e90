/* SPDX-License-Identifier: MIT */
/*
 * Joins of two inputs.
 */

#include "gpu/engine/engine.h"
#include "lib/api/api_call.h"
#include "lib/api/api_files.h"
#include "lib/api/api_key.h"
#include "lib/base/mem.h"
#include "lib/join/joins.h"

_Static_assert((int)GPUSORT_LEFT == (int)GS_JOIN_LEFT &&
                   (int)GPUSORT_RIGHT == (int)GS_JOIN_RIGHT,
               "the sides of others are ours");

typedef struct joining {
    gpusort_join_options asked;
    gs_join_options options;
    gs_join_item *items; /* of the options, as the next */
    gs_byte_key *fields[GS_JOIN_SIDES];
} joining;

/* --- what is asked for, as ours ----------------------------------------------------- */

/* Counted from 0, and not so large that no number lies behind it. */
static size_t field_of(size_t number)
{
    return number > SIZE_MAX / 2 ? SIZE_MAX / 2 : number - (number > 0);
}

/* Options of a sort that mean nothing here. */
static gs_code check_sort(const gs_sort_options *o, gs_status *st)
{
    const gs_order *const order = &o->order;
    const struct {
        bool is_there;
        const char *name;
    } others[] = {
        {order->key_count > 0 || order->record_size > 0, "keys or records of a sort"},
        {order->unique || order->reverse || order->collation != NULL,
         "other order than that of its keys"},
        {o->header_lines > 1, "header of several lines"},
        {o->count || o->has_top, "counts or first lines of a sort"},
        {o->verify, "verification: other lines come out than went in"},
        {o->checkpoint != NULL || o->compress_program != NULL,
         "checkpoint or program that packs"},
        {gs_engine_is_of_gpu(o->engine), "engine but cpu"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i].is_there)
            return GS_FAIL(st, GS_ERR_ARG, 0, "a join has no %s", others[i].name);
    }
    return o->input_count == GS_JOIN_SIDES
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "two inputs are joined, not more or fewer");
}

/* Options that belong to a match: it needs its own, and does not go with the others. */
typedef enum argument { BAND_ARGUMENT, ARGUMENTS, NO_ARGUMENT } argument;

static argument argument_of(gpusort_match match)
{
    switch (match) {
    case GPUSORT_IN_BAND: return BAND_ARGUMENT;
    case GPUSORT_EQUAL:
    case GPUSORT_LESS:
    case GPUSORT_AT_MOST:
    case GPUSORT_GREATER:
    case GPUSORT_AT_LEAST: break;
    }
    return NO_ARGUMENT;
}

static gs_code check_arguments(const gpusort_join_options *asked, gs_status *st)
{
    const struct {
        const char *name;
        bool is_given;
    } all[] = {[BAND_ARGUMENT] = {"band", asked->band != NULL}};
    _Static_assert(sizeof all / sizeof *all == ARGUMENTS, "each is asked for here");
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        const bool is_needed = argument_of(asked->match) == (argument)i;
        if (all[i].is_given != is_needed)
            return GS_FAIL(st, GS_ERR_ARG, 0, "keys that match %s a %s, which is %s",
                           is_needed ? "by" : "without", all[i].name,
                           is_needed ? "missing" : "given");
    }
    return GS_OK;
}

/* Numbers are counts of a smallest unit, so that less is at least one unit less. */
static gs_code take_match(joining *j, gs_status *st)
{
    const gpusort_match match = j->asked.match;
    gs_join_options *const o = &j->options;
    GS_TRY(check_arguments(&j->asked, st));
    o->match = GS_JOIN_BAND;
    o->low = -GS_JOIN_NUMBER_FAR;
    o->high = GS_JOIN_NUMBER_FAR;
    switch (match) {
    case GPUSORT_EQUAL: o->match = GS_JOIN_EQUAL; return GS_OK;
    case GPUSORT_IN_BAND: return gs_band_text_parse(j->asked.band, &o->low, &o->high, st);
    case GPUSORT_LESS: o->low = 1; return GS_OK;
    case GPUSORT_AT_MOST: o->low = 0; return GS_OK;
    case GPUSORT_GREATER: o->high = -1; return GS_OK;
    case GPUSORT_AT_LEAST: o->high = 0; return GS_OK;
    }
    return GS_FAIL(st, GS_ERR_ARG, 0, "keys that match in no known way: %d", (int)match);
}

static gs_code take_items(joining *j, gs_status *st)
{
    const size_t count = j->asked.field_count;
    GS_TRY(gs_mem_new_array(&j->items, count, sizeof *j->items, "output fields", st));
    for (size_t i = 0; i < count; i++) {
        const gpusort_join_field *const field = &j->asked.fields[i];
        if ((unsigned)field->side >= GS_JOIN_SIDES ||
            (field->name != NULL && field->number != 0))
            return GS_FAIL(st, GS_ERR_ARG, 0,
                           "a field of no side, or of a name and a number");
        j->items[i] = (gs_join_item){
            .is_key = field->name == NULL && field->number == 0,
            .side = (gs_join_side)field->side,
            .field = field_of(field->number),
            .name = field->name,
        };
    }
    j->options.items = j->items;
    j->options.item_count = count;
    return GS_OK;
}

static gs_code take_tuple(joining *j, gs_join_side side, gs_status *st)
{
    const gpusort_tuple *const tuple = &j->asked.tuples[side];
    gs_byte_key **const fields = &j->fields[side];
    if (tuple->bytes > GPUSORT_TUPLE_BYTES_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "tuples of more than %d bytes",
                       GPUSORT_TUPLE_BYTES_MAX);
    GS_TRY(gs_mem_new_array(fields, tuple->field_count, sizeof **fields, "fields", st));
    for (size_t i = 0; i < tuple->field_count; i++) {
        const gpusort_byte_key *const field = &tuple->fields[i];
        GS_TRY(gs_api_take_byte_key(&(*fields)[i], field, tuple->bytes, st));
        if (field->flags != 0)
            return GS_FAIL(st, GS_ERR_ARG, 0, "fields of tuples have no flags");
        if (field->number != GPUSORT_RAW && field->length > sizeof(uint64_t))
            return GS_FAIL(st, GS_ERR_ARG, 0, "numbers in tuples have 8 bytes at most");
    }
    j->options.tuples[side] = (gs_order){
        .record_size = tuple->bytes,
        .byte_keys = *fields,
        .byte_key_count = tuple->field_count,
    };
    return GS_OK;
}

static gs_code take_options(joining *j, const gs_sort_options *sort, gs_status *st)
{
    const gpusort_join_options *const asked = &j->asked;
    gs_join_options *const o = &j->options;
    GS_TRY(check_sort(sort, st));
    *o = (gs_join_options){
        .fold = asked->folds_case != 0,
        .header = sort->header_lines > 0,
        .skips_bad = asked->skips_bad != 0,
        .shows_pairs = !asked->hides_pairs && !asked->is_semi,
        .is_semi = asked->is_semi != 0,
        .is_auto = asked->is_auto != 0,
        .filler = asked->filler,
        .prints_text = asked->prints_text != 0,
        .sort = *sort,
    };
    o->sort.has_columns = false; /* each input has a header of its own */
    o->sort.input_count = 0;     /* and is opened by itself */
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        o->inputs[s] = sort->inputs[s ^ (asked->right_is_first != 0)];
        o->key_name[s] = asked->key_names[s];
        o->key_field[s] = field_of(asked->key_fields[s]);
        o->shows_unpaired[s] = asked->shows_unpaired[s] != 0;
        if (o->key_name[s] != NULL && asked->key_fields[s] != 0)
            return GS_FAIL(st, GS_ERR_ARG, 0, "a key of a name and a number");
        GS_TRY(take_tuple(j, (gs_join_side)s, st));
    }
    GS_TRY(take_match(j, st));
    GS_TRY(take_items(j, st));
    return gs_join_check(o, st);
}

/* --- the calls ---------------------------------------------------------------------- */

static gs_code join(void *context, const gs_sort_options *sort, gs_status *st)
{
    joining *const j = context;
    atomic_store(&sort->stats->engine, "cpu");
    GS_TRY(take_options(j, sort, st));
    return gs_join_run(&j->options, st);
}

gpusort_code gpusort_join(const gpusort_join_options *options, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    joining j = {.items = NULL};
    if (gs_api_take_options(&j.asked, sizeof j.asked, options, &st) != GS_OK)
        return gs_api_result(&st, error);
    const gpusort_code code = gs_api_files_run(j.asked.sort, join, &j, error);
    gs_mem_free(j.items);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        gs_mem_free(j.fields[s]);
    return code;
}

gpusort_code gpusort_join_band(const char *band, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_join_number low, high;
    GS_NOTED(gs_band_text_parse(band, &low, &high, &st));
    return gs_api_result(&st, error);
}
