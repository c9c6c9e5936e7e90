/* SPDX-License-Identifier: MIT */
#include "lib/join/join_pair.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

gs_code gs_join_pair_make_right(const gs_join_format *f, const gs_join_fields *line,
                                gs_join_text *to, gs_status *st)
{
    for (size_t p = 0; p < f->part_count; p++) {
        if (f->parts[p].side != GS_JOIN_RIGHT)
            continue;
        const size_t begin = to->used;
        GS_TRY(gs_join_text_room(to, sizeof begin, st));
        to->used += sizeof begin;
        GS_TRY(gs_join_format_part(f, &f->parts[p], line, to, st));
        const size_t bytes = to->used - begin - sizeof bytes;
        memcpy(to->data + begin, &bytes, sizeof bytes);
    }
    return GS_OK;
}

gs_code gs_join_pair_left_init(gs_join_pair_left *left, const gs_join_format *format,
                               gs_status *st)
{
    left->format = format;
    left->eol_bytes = !format->writes_tuples;
    left->is_plain = format->part_count == 2 && format->parts[0].side == GS_JOIN_LEFT &&
                     format->parts[1].side == GS_JOIN_RIGHT;
    return gs_mem_new_array(&left->ends, format->part_count, sizeof *left->ends,
                            "parts of a line", st);
}

void gs_join_pair_left_release(gs_join_pair_left *left)
{
    gs_join_text_release(&left->text);
    gs_mem_free(left->ends);
    *left = (gs_join_pair_left){0};
}

gs_code gs_join_pair_left_make(gs_join_pair_left *left, const gs_join_fields *line,
                               gs_status *st)
{
    const gs_join_format *const f = left->format;
    left->text.used = 0;
    GS_TRY(gs_join_text_room(&left->text, 0, st));
    for (size_t p = 0; p < f->part_count; p++) {
        if (f->parts[p].side == GS_JOIN_LEFT)
            GS_TRY(gs_join_format_part(f, &f->parts[p], line, &left->text, st));
        left->ends[p] = left->text.used;
    }
    return GS_OK;
}

static size_t bytes_of_part(const uint8_t *made)
{
    size_t bytes;
    memcpy(&bytes, made, sizeof bytes);
    return bytes;
}

static size_t bytes_of_right(const gs_join_format *f, const uint8_t *right)
{
    size_t sum = 0;
    for (size_t p = 0; p < f->part_count; p++) {
        if (f->parts[p].side == GS_JOIN_LEFT)
            continue;
        const size_t bytes = bytes_of_part(right);
        right += sizeof bytes + bytes;
        sum += bytes;
    }
    return sum;
}

gs_code gs_join_pair_put_parts(const gs_join_pair_left *left, const uint8_t **right,
                               gs_join_writer *writer, gs_status *st)
{
    const gs_join_format *const f = left->format;
    const size_t bytes = left->text.used + bytes_of_right(f, *right) + 1;
    const uint8_t *from_right = *right;
    size_t from_left = 0;
    uint8_t *begin;
    GS_TRY(gs_join_writer_room(writer, bytes, &begin, st));
    uint8_t *to = begin;
    for (size_t p = 0; p < f->part_count; p++) {
        const bool is_left = f->parts[p].side == GS_JOIN_LEFT;
        const uint8_t *from;
        size_t part;
        if (is_left) {
            from = left->text.data;
            part = left->ends[p] - from_left;
            if (part > 0)
                from += from_left;
            from_left += part;
        } else {
            part = bytes_of_part(from_right);
            from = from_right + sizeof part;
            from_right = from + part;
        }
        if (part > 0)
            memcpy(to, from, part);
        to += part;
    }
    *to = f->options->sort.order.eol;
    to += !f->writes_tuples;
    gs_dassert((size_t)(to - begin) <= bytes);
    *right = from_right;
    gs_join_writer_added(writer, (size_t)(to - begin));
    return GS_OK;
}
