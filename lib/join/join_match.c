/* SPDX-License-Identifier: MIT */
#include "lib/join/join_match.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/join/join_pair.h"

/* Pairs between two looks at the signal. */
enum { LOOK_EVERY = 1024 };

struct gs_join_match {
    const gs_join_format *format;
    const gs_join_options *options;
    gs_join_writer writer;
    bool keeps_right; /* pairs or right lines are shown */

    uint8_t *key; /* of the lines that come, without its last byte */
    size_t key_bytes, key_capacity;
    bool has_key;
    uint64_t right_count; /* of its lines */
    bool has_left;
    gs_join_shelf right; /* these lines, if they are kept */
    gs_join_reader reader;

    /* Of each right line in memory, once a left one came: its parts. */
    bool is_made;
    size_t made_max; /* a shelf of larger ones is cut again for each left line */
    gs_join_text made_right;
    gs_join_pair_left left;
    gs_join_fields left_fields, right_fields;
    gs_join_text line; /* one that has no partner */
    unsigned until_look;
};

gs_code gs_join_match_new(gs_join_match **out, const gs_join_format *format,
                          gs_join_store *store, gs_sink *sink, gs_status *st)
{
    const gs_join_options *const o = format->options;
    gs_join_match *m = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "matcher", st));
    m->format = format;
    m->options = o;
    m->keeps_right = o->shows_pairs || o->shows_unpaired[GS_JOIN_RIGHT];
    m->right = (gs_join_shelf){.store = store};
    m->made_max = store->block_bytes + store->memory_bytes / 4;
    m->until_look = LOOK_EVERY;
    if (gs_sink_piece_new(&m->writer.piece, sink, st) == GS_OK &&
        gs_join_pair_left_init(&m->left, format, st) == GS_OK)
        *out = m;
    else
        gs_join_match_free(m);
    return st->code;
}

void gs_join_match_free(gs_join_match *m)
{
    if (m == NULL)
        return;
    gs_sink_piece_free(m->writer.piece);
    gs_join_shelf_release(&m->right);
    gs_join_reader_release(&m->reader);
    gs_join_text_release(&m->made_right);
    gs_join_pair_left_release(&m->left);
    gs_join_text_release(&m->line);
    gs_join_fields_release(&m->left_fields);
    gs_join_fields_release(&m->right_fields);
    gs_mem_free(m->key);
    gs_mem_free(m);
}

/* --- lines without a partner ---------------------------------------------------- */

static gs_code cut_left(gs_join_match *m, const uint8_t *line, size_t bytes,
                        gs_status *st)
{
    return gs_join_fields_cut(&m->left_fields, gs_join_order(m->options, GS_JOIN_LEFT),
                              line, bytes, st);
}

static gs_code cut_right(gs_join_match *m, const uint8_t *line, size_t bytes,
                         gs_status *st)
{
    return gs_join_fields_cut(&m->right_fields, gs_join_order(m->options, GS_JOIN_RIGHT),
                              line, bytes, st);
}

static gs_code look(gs_join_match *m, gs_status *st)
{
    if (--m->until_look > 0)
        return GS_OK;
    m->until_look = LOOK_EVERY;
    return gs_cancel_check(m->options->sort.cancel_signal, st);
}

/* Of a pair, or of one line; the other is NULL. */
static gs_code show_line(gs_join_match *m, const gs_join_fields *left,
                         const gs_join_fields *right, gs_status *st)
{
    uint8_t *to;
    m->line.used = 0;
    GS_TRY(look(m, st));
    GS_TRY(gs_join_format_line(m->format, left, right, &m->line, st));
    GS_TRY(gs_join_writer_room(&m->writer, m->line.used, &to, st));
    memcpy(to, m->line.data, m->line.used);
    gs_join_writer_added(&m->writer, m->line.used);
    return GS_OK;
}

static gs_code show_left(gs_join_match *m, const uint8_t *line, size_t bytes,
                         gs_status *st)
{
    GS_TRY(cut_left(m, line, bytes, st));
    return show_line(m, &m->left_fields, NULL, st);
}

/* The kept right lines, as lines without partners or as partners of `left`. */
static gs_code show_right(gs_join_match *m, const gs_join_fields *left, gs_status *st)
{
    gs_join_kept kept;
    bool has_line;
    gs_join_reader_rewind(&m->reader);
    for (;;) {
        GS_TRY(gs_join_reader_next(&m->reader, &m->right, &kept, &has_line, st));
        if (!has_line)
            return GS_OK;
        GS_TRY(cut_right(m, kept.line, kept.line_bytes, st));
        GS_TRY(show_line(m, left, &m->right_fields, st));
    }
}

/* --- pairs ---------------------------------------------------------------------- */

/* Those of all kept lines, unless it is too much. */
static gs_code make_right(gs_join_match *m, gs_status *st)
{
    gs_join_kept kept;
    bool has_line = gs_join_shelf_is_near(&m->right);
    m->made_right.used = 0;
    gs_join_reader_rewind(&m->reader);
    while (has_line && m->made_right.used <= m->made_max) {
        GS_TRY(gs_join_reader_next(&m->reader, &m->right, &kept, &has_line, st));
        if (!has_line) {
            m->is_made = true;
            return GS_OK;
        }
        GS_TRY(cut_right(m, kept.line, kept.line_bytes, st));
        GS_TRY(gs_join_pair_make_right(m->format, &m->right_fields, &m->made_right, st));
    }
    gs_join_text_release(&m->made_right);
    return GS_OK;
}

/* The left line, whose fields were cut, with every right line. */
static gs_code show_pairs(gs_join_match *m, gs_status *st)
{
    if (!m->is_made && !m->has_left)
        GS_TRY(make_right(m, st));
    if (!m->is_made)
        return show_right(m, &m->left_fields, st);
    GS_TRY(gs_join_pair_left_make(&m->left, &m->left_fields, st));
    const uint8_t *right = m->made_right.data;
    for (uint64_t i = 0; i < m->right_count; i++) {
        GS_TRY(look(m, st));
        GS_TRY(gs_join_pair_put(&m->left, &right, &m->writer, st));
    }
    return GS_OK;
}

/* --- key by key ----------------------------------------------------------------- */

/* All lines of the key have come. */
static gs_code end_key(gs_join_match *m, gs_status *st)
{
    const bool is_unpaired = m->right_count > 0 && !m->has_left;
    if (is_unpaired && m->options->shows_unpaired[GS_JOIN_RIGHT])
        GS_TRY(show_right(m, NULL, st));
    if (m->right.line_count > 0) {
        gs_join_shelf_forget(&m->right);
        gs_join_reader_forget(&m->reader);
    }
    m->right_count = 0;
    m->has_left = m->is_made = m->has_key = false;
    return GS_OK;
}

static gs_code take_right(gs_join_match *m, const uint8_t *line, size_t bytes,
                          gs_status *st)
{
    const gs_join_kept kept = {.line = line, .line_bytes = bytes};
    gs_assert(!m->has_left);
    m->right_count++;
    return m->keeps_right ? gs_join_shelf_add(&m->right, &kept, st) : GS_OK;
}

static gs_code take_left(gs_join_match *m, const uint8_t *line, size_t bytes,
                         gs_status *st)
{
    const gs_join_options *const o = m->options;
    const bool is_paired = m->right_count > 0;
    if (is_paired && o->shows_pairs) {
        GS_TRY(cut_left(m, line, bytes, st));
        GS_TRY(show_pairs(m, st));
    } else if (is_paired ? o->is_semi : o->shows_unpaired[GS_JOIN_LEFT]) {
        GS_TRY(show_left(m, line, bytes, st));
    }
    m->has_left = true;
    return GS_OK;
}

void gs_join_match_begin(gs_join_match *m, uint64_t ticket)
{
    gs_sink_begin(m->writer.piece, ticket);
}

gs_code gs_join_match_add(gs_join_match *m, const uint8_t *key, size_t key_bytes,
                          const uint8_t *line, size_t line_bytes, gs_status *st)
{
    gs_assert(key_bytes > 0);
    const uint8_t tag = key[--key_bytes];
    const bool is_same =
        m->has_key && m->key_bytes == key_bytes && memcmp(m->key, key, key_bytes) == 0;
    if (!is_same) {
        GS_TRY(end_key(m, st));
        GS_TRY(gs_mem_grow(&m->key, &m->key_capacity, key_bytes, "key", st));
        if (key_bytes > 0)
            memcpy(m->key, key, key_bytes);
        m->key_bytes = key_bytes;
        m->has_key = true;
    }
    return tag == GS_JOIN_TAG_RIGHT ? take_right(m, line, line_bytes, st)
                                    : take_left(m, line, line_bytes, st);
}

gs_code gs_join_match_end(gs_join_match *m, gs_status *st)
{
    GS_TRY(end_key(m, st));
    gs_join_writer_settle(&m->writer);
    return gs_sink_end(m->writer.piece, st);
}
