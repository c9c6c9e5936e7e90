/* SPDX-License-Identifier: MIT */
#include "lib/join/band_match.h"

#include <stddef.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/join/join_pair.h"

/* Lines between two looks at the signal. */
enum { LOOK_EVERY = 1024 };

struct gs_band_match {
    const gs_join_format *format;
    const gs_join_options *options;
    const gs_band_right *right;
    gs_join_writer writer;
    gs_band_place window;  /* where the partners of a left line begin */
    gs_band_place partner; /* goes through them */
    gs_band_place unseen;  /* those before it have their bits, if it is ahead */
    gs_join_fields left_fields, right_fields;
    gs_join_pair_left left;
    gs_join_text line; /* not put together from parts */
    unsigned until_look;
};

gs_code gs_band_match_new(gs_band_match **out, const gs_join_format *format,
                          const gs_band_right *right, gs_sink *sink, gs_status *st)
{
    gs_band_match *m = NULL;
    gs_assert(gs_join_moves_on(format->options->match)); /* the window, in all it does */
    *out = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "matcher", st));
    m->format = format;
    m->options = format->options;
    m->right = right;
    m->until_look = LOOK_EVERY;
    if (gs_sink_piece_new(&m->writer.piece, sink, st) == GS_OK &&
        gs_join_pair_left_init(&m->left, format, st) == GS_OK)
        *out = m;
    else
        gs_band_match_free(m);
    return st->code;
}

void gs_band_match_free(gs_band_match *m)
{
    if (m == NULL)
        return;
    gs_sink_piece_free(m->writer.piece);
    gs_band_place_release(&m->window);
    gs_band_place_release(&m->partner);
    gs_band_place_release(&m->unseen);
    gs_join_fields_release(&m->left_fields);
    gs_join_fields_release(&m->right_fields);
    gs_join_pair_left_release(&m->left);
    gs_join_text_release(&m->line);
    gs_mem_free(m);
}

static gs_code look(gs_band_match *m, gs_status *st)
{
    if (--m->until_look > 0)
        return GS_OK;
    m->until_look = LOOK_EVERY;
    return gs_cancel_check(m->options->sort.cancel_signal, st);
}

static gs_code cut_left(gs_band_match *m, const uint8_t *line, size_t bytes,
                        gs_status *st)
{
    return gs_join_fields_cut(&m->left_fields, gs_join_order(m->options, GS_JOIN_LEFT),
                              line, bytes, st);
}

static gs_code cut_right(gs_band_match *m, const uint8_t *line, size_t bytes,
                         gs_status *st)
{
    return gs_join_fields_cut(&m->right_fields, gs_join_order(m->options, GS_JOIN_RIGHT),
                              line, bytes, st);
}

/* Of a pair, or of one line; the other is NULL. */
static gs_code show_line(gs_band_match *m, const gs_join_fields *left,
                         const gs_join_fields *right, gs_status *st)
{
    uint8_t *to;
    m->line.used = 0;
    GS_TRY(gs_join_format_line(m->format, left, right, &m->line, st));
    GS_TRY(gs_join_writer_room(&m->writer, m->line.used, &to, st));
    memcpy(to, m->line.data, m->line.used);
    gs_join_writer_added(&m->writer, m->line.used);
    return GS_OK;
}

/* The left line with the partner, whose parts were not made. */
static gs_code show_unmade(gs_band_match *m, gs_status *st)
{
    const gs_band_place *const p = &m->partner;
    GS_TRY(cut_right(m, p->text, p->text_bytes, st));
    return show_line(m, &m->left_fields, &m->right_fields, st);
}

/* What lies on the shelf at a place where a line begins. */
typedef struct kept_line {
    gs_join_number number;
    uint64_t made_bytes;
    const uint8_t *made, *end;
} kept_line;

/* Each word is read by itself: to copy both heads and then take words from the copies
 * takes longer than all else that is done for a pair. */
static inline kept_line kept_at(const uint8_t *at)
{
    enum { WORD_BITS = 64 };
    __extension__ typedef unsigned __int128 bits;
    kept_line line;
    uint64_t low, high;
    uint32_t line_bytes;
    const uint8_t *const head = at + sizeof(gs_join_kept_head);
    memcpy(&line_bytes, at + offsetof(gs_join_kept_head, line_bytes), sizeof line_bytes);
    memcpy(&low, head, sizeof low);
    memcpy(&high, head + sizeof low, sizeof high);
    memcpy(&line.made_bytes, head + offsetof(gs_band_kept_head, made_bytes),
           sizeof line.made_bytes);
    line.number = (gs_join_number)((bits)high << WORD_BITS | low);
    line.made = head + sizeof(gs_band_kept_head);
    line.end = line.made + line_bytes;
    return line;
}

/* What show_block does, of pairs that are a part of the left line and one of the right
 * one. It is the loop that a wide band is for: what it changes stays in registers, but
 * where the writer needs room. */
static gs_code show_plain_block(gs_band_match *m, gs_join_number last, gs_status *st)
{
    gs_band_place *const p = &m->partner;
    const uint8_t *const begin = p->reader.bytes, *const end = begin + p->reader.end;
    const uint8_t *at = begin + p->at;
    const uint8_t *const left = m->left.text.data;
    const size_t left_bytes = m->left.text.used;
    const uint8_t eol = m->options->sort.order.eol;
    gs_join_writer writer = m->writer;
    uint64_t lines = 0;
    for (; at < end; lines++) {
        const kept_line line = kept_at(at);
        if (line.number > last || line.made_bytes == GS_BAND_NOT_MADE)
            break;
        const uint8_t *const right = line.made + sizeof(size_t);
        const size_t right_bytes = (size_t)line.made_bytes - sizeof(size_t);
        const size_t bytes = left_bytes + right_bytes + 1;
        if (__builtin_expect((size_t)(writer.end - writer.at) < bytes, 0)) {
            m->writer.at = writer.at;
            m->writer.lines = writer.lines + lines;
            GS_TRY(gs_join_writer_more(&m->writer, bytes, st));
            writer = m->writer;
            writer.lines -= lines;
        }
        gs_join_pair_copy(writer.at, left, left_bytes);
        gs_join_pair_copy(writer.at + left_bytes, right, right_bytes);
        writer.at[left_bytes + right_bytes] = eol;
        writer.at += left_bytes + right_bytes + m->left.eol_bytes;
        at = line.end;
    }
    m->writer.at = writer.at;
    m->writer.lines = writer.lines + lines;
    p->line += lines;
    p->at = (size_t)(at - begin);
    p->is_loaded = false;
    return GS_OK;
}

/* The left line with what the place of partners is on, and with those behind it in the
 * same block, as long as these are partners and their parts were made; the place is then
 * behind them. */
static gs_code show_block(gs_band_match *m, gs_join_number last, gs_status *st)
{
    gs_band_place *const p = &m->partner;
    const uint8_t *const begin = p->reader.bytes, *const end = begin + p->reader.end;
    const uint8_t *at = begin + p->at;
    for (; at < end; p->line++) {
        const kept_line line = kept_at(at);
        if (line.number > last || line.made_bytes == GS_BAND_NOT_MADE)
            break;
        const uint8_t *made = line.made;
        GS_TRY(gs_join_pair_put(&m->left, &made, &m->writer, st));
        at = line.end;
    }
    p->at = (size_t)(at - begin);
    p->is_loaded = false;
    return GS_OK;
}

/* The left line with everything in its window, up to this number. */
static gs_code show_pairs(gs_band_match *m, gs_join_number last, const uint8_t *line,
                          size_t bytes, gs_status *st)
{
    gs_band_place *const p = &m->partner;
    GS_TRY(cut_left(m, line, bytes, st));
    GS_TRY(gs_join_pair_left_make(&m->left, &m->left_fields, st));
    gs_band_place_go_to(p, &m->window);
    for (;;) {
        GS_TRY(gs_band_place_load(p, m->right, st));
        if (!p->has_line || p->number > last)
            return GS_OK;
        GS_TRY(look(m, st));
        if (p->made != NULL) {
            GS_TRY(m->left.is_plain ? show_plain_block(m, last, st)
                                    : show_block(m, last, st));
            continue;
        }
        GS_TRY(show_unmade(m, st));
        gs_band_place_step(p);
    }
}

/* Sets the bits of what is in the window, but for what was before. */
static gs_code see_partners(gs_band_match *m, gs_join_number last, gs_status *st)
{
    if (m->unseen.line < m->window.line)
        gs_band_place_go_to(&m->unseen, &m->window);
    for (;; gs_band_place_step(&m->unseen)) {
        GS_TRY(gs_band_place_load(&m->unseen, m->right, st));
        if (!m->unseen.has_line || m->unseen.number > last)
            return GS_OK;
        GS_TRY(look(m, st));
        gs_band_right_see(m->right, m->unseen.line);
    }
}

void gs_band_match_begin(gs_band_match *m, uint64_t ticket)
{
    gs_sink_begin(m->writer.piece, ticket);
}

/* From which right number to which those of its partners are. */
typedef struct reach {
    gs_join_number from, to;
} reach;

static inline reach reach_of(const gs_join_options *o, gs_join_number number)
{
    switch (o->match) {
    case GS_JOIN_BAND: return (reach){number + o->low, number + o->high};
    case GS_JOIN_EQUAL: /* by join_match.c */
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    gs_assert_failed("a join of windows", __FILE__, __LINE__);
}

gs_code gs_band_match_add(gs_band_match *m, gs_join_number number, const uint8_t *line,
                          size_t bytes, gs_status *st)
{
    const gs_join_options *const o = m->options;
    const reach partners = reach_of(o, number);
    GS_TRY(look(m, st));
    GS_TRY(gs_band_place_seek(&m->window, m->right, partners.from, st));
    const bool is_paired = m->window.has_line && m->window.number <= partners.to;
    if (is_paired && o->shows_unpaired[GS_JOIN_RIGHT])
        GS_TRY(see_partners(m, partners.to, st));
    if (is_paired && o->shows_pairs)
        return show_pairs(m, partners.to, line, bytes, st);
    if (!(is_paired ? o->is_semi : o->shows_unpaired[GS_JOIN_LEFT]))
        return GS_OK;
    GS_TRY(cut_left(m, line, bytes, st));
    return show_line(m, &m->left_fields, NULL, st);
}

gs_code gs_band_match_end(gs_band_match *m, gs_status *st)
{
    gs_join_writer_settle(&m->writer);
    return gs_sink_end(m->writer.piece, st);
}

gs_code gs_band_match_unpaired(gs_band_match *m, gs_status *st)
{
    gs_band_place *const p = &m->partner;
    const gs_band_place first = {0};
    gs_band_place_go_to(p, &first);
    for (;; gs_band_place_step(p)) {
        GS_TRY(gs_band_place_load(p, m->right, st));
        if (!p->has_line)
            return GS_OK;
        GS_TRY(look(m, st));
        if (gs_band_right_is_seen(m->right, p->line))
            continue;
        GS_TRY(cut_right(m, p->text, p->text_bytes, st));
        GS_TRY(show_line(m, NULL, &m->right_fields, st));
    }
}
