/* SPDX-License-Identifier: MIT */
#include "lib/join/join_format.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_tuple.h"
#include "lib/sort/record/records.h"

/* --- text ----------------------------------------------------------------------- */

gs_code gs_join_text_room(gs_join_text *text, size_t bytes, gs_status *st)
{
    return gs_mem_grow(&text->data, &text->capacity,
                       text->used + bytes + GS_SHORT_COPY_BYTES, "joined line", st);
}

void gs_join_text_release(gs_join_text *text)
{
    gs_mem_free(text->data);
    *text = (gs_join_text){0};
}

static inline void put(gs_join_text *to, const uint8_t *data, size_t bytes)
{
    if (bytes > 0)
        memcpy(to->data + to->used, data, bytes);
    to->used += bytes;
}

/* Does the filler stand for a field that is there? */
static inline bool is_filled(const gs_join_format *f, gs_join_field field)
{
    return field.bytes == 0 ||
           (field.bytes == 2 && f->has_quotes && f->filler_bytes > 0 &&
            memcmp(field.data, "\"\"", 2) == 0);
}

/* A field of a tuple, as it is or as text. */
static gs_code put_tuple_field(const gs_join_format *f, gs_join_side side,
                               const gs_join_fields *line, size_t field, bool is_first,
                               gs_join_text *to, gs_status *st)
{
    const gs_byte_key *const what = &f->options->tuples[side].byte_keys[field];
    const uint8_t *const data = line != NULL ? line->at[field].data : NULL;
    const bool is_number = f->prints_tuples && what->type != GS_FIELD_BYTES;
    char number[GS_TUPLE_TEXT_BYTES];
    gs_join_field text = {data, what->length};
    if (f->prints_tuples && data == NULL)
        text = (gs_join_field){f->filler, f->filler_bytes};
    else if (is_number)
        text = (gs_join_field){(const uint8_t *)number,
                               gs_join_tuple_print(what, data, number)};
    GS_TRY(gs_join_text_room(to, text.bytes + 1, st));
    if (f->prints_tuples && !is_first)
        to->data[to->used++] = f->separator;
    if (text.data == NULL)
        memset(to->data + to->used, 0, text.bytes);
    else
        memcpy(to->data + to->used, text.data, text.bytes);
    to->used += text.bytes;
    return GS_OK;
}

/* One field, which may be missing, with the separator in front if there is one. */
static gs_code put_field(const gs_join_format *f, gs_join_side side,
                         const gs_join_fields *line, size_t field, bool is_first,
                         gs_join_text *to, gs_status *st)
{
    gs_join_field text = {f->filler, f->filler_bytes};
    if (f->writes_tuples || f->prints_tuples)
        return put_tuple_field(f, side, line, field, is_first, to, st);
    if (line != NULL && field < line->count && !is_filled(f, line->at[field]))
        text = line->at[field];
    GS_TRY(gs_join_text_room(to, text.bytes + 1, st));
    if (!is_first)
        to->data[to->used++] = f->separator;
    put(to, text.data, text.bytes);
    return GS_OK;
}

/* --- without a list of fields --------------------------------------------------- */

/* All fields but the key. */
static gs_code put_others(const gs_join_format *f, gs_join_side side,
                          const gs_join_fields *line, gs_join_text *to, gs_status *st)
{
    const size_t has = line != NULL ? line->count : 0;
    const size_t count =
        f->options->is_auto || f->writes_tuples ? f->field_count[side] : has;
    for (size_t i = 0; i < count; i++) {
        if (i != f->options->key_field[side])
            GS_TRY(put_field(f, side, line, i, false, to, st));
    }
    return GS_OK;
}

static gs_code put_key(const gs_join_format *f, const gs_join_fields *left,
                       const gs_join_fields *right, bool is_first, gs_join_text *to,
                       gs_status *st)
{
    const gs_join_side side = left != NULL ? GS_JOIN_LEFT : GS_JOIN_RIGHT;
    return put_field(f, side, left != NULL ? left : right, f->options->key_field[side],
                     is_first, to, st);
}

/* Key and others of a side whose key is not that of the other side. */
static gs_code put_side(const gs_join_format *f, gs_join_side side,
                        const gs_join_fields *line, bool is_first, gs_join_text *to,
                        gs_status *st)
{
    GS_TRY(put_field(f, side, line, f->options->key_field[side], is_first, to, st));
    return put_others(f, side, line, to, st);
}

/* A side without a line has fields where every line has so many. */
static gs_code put_sides(const gs_join_format *f, const gs_join_fields *left,
                         const gs_join_fields *right, gs_join_text *to, gs_status *st)
{
    const gs_join_fields *const lines[GS_JOIN_SIDES] = {left, right};
    bool is_first = true;
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        const bool is_shown = f->writes_tuples ? f->shows[s] : f->options->is_auto;
        if (lines[s] == NULL && (!is_shown || f->field_count[s] == 0))
            continue;
        GS_TRY(put_side(f, (gs_join_side)s, lines[s], is_first, to, st));
        is_first = false;
    }
    return GS_OK;
}

/* --- with one ------------------------------------------------------------------- */

static gs_code put_items(const gs_join_format *f, size_t first, size_t count,
                         const gs_join_fields *left, const gs_join_fields *right,
                         gs_join_text *to, gs_status *st)
{
    for (size_t i = first; i < first + count; i++) {
        const gs_join_item *const item = &f->options->items[i];
        const gs_join_fields *const line = item->side == GS_JOIN_LEFT ? left : right;
        if (item->is_key)
            GS_TRY(put_key(f, left, right, i == 0, to, st));
        else
            GS_TRY(put_field(f, item->side, line, item->field, i == 0, to, st));
    }
    return GS_OK;
}

/* Of a pair the key is that of the left line. */
static gs_join_side side_of(const gs_join_item *item)
{
    return item->is_key ? GS_JOIN_LEFT : item->side;
}

static void cut_items(gs_join_format *f)
{
    const gs_join_options *const o = f->options;
    for (size_t i = 0; i < o->item_count; i++) {
        const gs_join_side side = side_of(&o->items[i]);
        if (f->part_count == 0 || f->parts[f->part_count - 1].side != side)
            f->parts[f->part_count++] = (gs_join_part){.side = side, .first = i};
        f->parts[f->part_count - 1].count++;
    }
}

/* --- all ------------------------------------------------------------------------ */

/* What is said on the command line is a value; in CSV it may need quotes. */
static gs_code quote_filler(gs_join_format *f, gs_status *st)
{
    const char needs[] = {(char)f->separator, GS_CSV_QUOTE, '\r', '\n', '\0'};
    if (strpbrk((const char *)f->filler, needs) == NULL)
        return GS_OK;
    GS_TRY(gs_mem_new(&f->filler_room, 2 * f->filler_bytes + 2, "filler", st));
    uint8_t *to = f->filler_room;
    *to++ = GS_CSV_QUOTE;
    for (size_t i = 0; i < f->filler_bytes; i++) {
        if (f->filler[i] == GS_CSV_QUOTE)
            *to++ = GS_CSV_QUOTE;
        *to++ = f->filler[i];
    }
    *to++ = GS_CSV_QUOTE;
    f->filler = f->filler_room;
    f->filler_bytes = (size_t)(to - f->filler_room);
    return GS_OK;
}

gs_code gs_join_format_init(gs_join_format *f, const gs_join_options *o,
                            const gs_join_fields *const first[], gs_status *st)
{
    const gs_order *const order = &o->sort.order;
    const bool is_blank = order->delimiter == GS_ORDER_BLANK_FIELDS;
    *f = (gs_join_format){
        .options = o,
        .filler = (const uint8_t *)(o->filler != NULL ? o->filler : ""),
        .filler_bytes = o->filler != NULL ? strlen(o->filler) : 0,
        .has_quotes = gs_form_has_quotes(order->form),
        .writes_tuples = gs_join_writes_tuples(o),
        .prints_tuples = gs_join_reads_tuples(o) && o->prints_text,
        .separator = is_blank ? ' ' : (uint8_t)order->delimiter,
    };
    if (f->has_quotes)
        GS_TRY(quote_filler(f, st));
    f->shows[GS_JOIN_LEFT] =
        o->shows_pairs || o->is_semi || o->shows_unpaired[GS_JOIN_LEFT];
    f->shows[GS_JOIN_RIGHT] = o->shows_pairs || o->shows_unpaired[GS_JOIN_RIGHT];
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        f->field_count[s] = first[s] != NULL ? first[s]->count : 0;
        if (f->writes_tuples)
            f->field_count[s] = f->shows[s] ? o->tuples[s].byte_key_count : 0;
    }
    const size_t parts = o->item_count > 0 ? o->item_count : GS_JOIN_SIDES;
    GS_TRY(gs_mem_new_array(&f->parts, parts, sizeof *f->parts, "output fields", st));
    if (o->item_count > 0) {
        cut_items(f);
        return GS_OK;
    }
    f->parts[f->part_count++] = (gs_join_part){.side = GS_JOIN_LEFT};
    f->parts[f->part_count++] = (gs_join_part){.side = GS_JOIN_RIGHT};
    return GS_OK;
}

void gs_join_format_release(gs_join_format *f)
{
    gs_mem_free(f->parts);
    gs_mem_free(f->filler_room);
    *f = (gs_join_format){0};
}

gs_code gs_join_format_part(const gs_join_format *f, const gs_join_part *part,
                            const gs_join_fields *line, gs_join_text *to, gs_status *st)
{
    const bool is_left = part->side == GS_JOIN_LEFT;
    if (f->options->item_count > 0)
        return put_items(f, part->first, part->count, is_left ? line : NULL,
                         is_left ? NULL : line, to, st);
    if (is_left || !gs_join_has_one_key(f->options))
        return put_side(f, part->side, line, is_left, to, st);
    return put_others(f, part->side, line, to, st);
}

gs_code gs_join_format_line(const gs_join_format *f, const gs_join_fields *left,
                            const gs_join_fields *right, gs_join_text *to, gs_status *st)
{
    if (f->options->item_count > 0) {
        GS_TRY(put_items(f, 0, f->options->item_count, left, right, to, st));
    } else if (!gs_join_has_one_key(f->options)) {
        GS_TRY(put_sides(f, left, right, to, st));
    } else {
        GS_TRY(put_key(f, left, right, true, to, st));
        GS_TRY(put_others(f, GS_JOIN_LEFT, left, to, st));
        GS_TRY(put_others(f, GS_JOIN_RIGHT, right, to, st));
    }
    GS_TRY(gs_join_text_room(to, 1, st));
    to->data[to->used] = f->options->sort.order.eol;
    to->used += !f->writes_tuples;
    return GS_OK;
}
