/* SPDX-License-Identifier: MIT */
#include "lib/join/join_first.h"

#include "lib/join/join_match.h"

typedef struct first_lines {
    gs_join_side only;
    const gs_join_options *options;
    gs_join_fields *fields;
    bool *has_line;
    bool is_done;
} first_lines;

/* Where the only portion is cut does not matter. */
static size_t kept_together(const uint8_t *key, size_t bytes)
{
    (void)key;
    return bytes;
}

static gs_code begin(void *context, unsigned worker, size_t portion, gs_status *st)
{
    (void)context, (void)worker, (void)portion;
    return st->code;
}

static gs_join_side side_of(const first_lines *first, const gs_run_cursor *record)
{
    if (first->only != GS_JOIN_SIDES)
        return first->only;
    const uint8_t tag = record->data[record->key_bytes - 1];
    return tag == GS_JOIN_TAG_LEFT ? GS_JOIN_LEFT : GS_JOIN_RIGHT;
}

static gs_code add(void *context, unsigned worker, const gs_run_cursor *record,
                   gs_status *st)
{
    first_lines *const first = context;
    const gs_join_side side = side_of(first, record);
    (void)worker;
    if (!first->has_line[side])
        GS_TRY(gs_join_fields_cut(
            &first->fields[side], gs_join_order(first->options, side),
            record->data + record->key_bytes, record->length - record->key_bytes, st));
    first->has_line[side] = true;
    first->is_done = first->only != GS_JOIN_SIDES ||
                     (first->has_line[GS_JOIN_LEFT] && first->has_line[GS_JOIN_RIGHT]);
    return first->is_done ? GS_FAIL(st, GS_ERR_CANCELLED, 0, "enough was seen") : GS_OK;
}

static gs_code end(void *context, unsigned worker, gs_status *st)
{
    (void)context, (void)worker;
    return st->code;
}

static void abandon(void *context, unsigned worker, const gs_status *why)
{
    (void)context, (void)worker, (void)why;
}

gs_code gs_join_first_find(gs_join_sorted *sorted, gs_join_side only,
                           const gs_join_options *options, gs_join_fields fields[],
                           bool has_line[], gs_status *st)
{
    first_lines first = {
        .only = only, .options = options, .fields = fields, .has_line = has_line};
    const gs_range_consumer consumer = {
        .portion_max = 1,
        .kept_together = kept_together,
        .begin = begin,
        .add = add,
        .end = end,
        .abandon = abandon,
        .context = &first,
    };
    GS_NOTED(gs_join_sorted_consume(sorted, &consumer, false, st));
    if (first.is_done)
        gs_status_clear(st); /* it was only told to stop */
    return st->code;
}
