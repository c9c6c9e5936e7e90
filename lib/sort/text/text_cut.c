/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_cut.h"

#include "lib/base/mem.h"

/* Lines that may be bounds: in all of a piece, at least, and in each text's share. Of a
 * few in many texts, pieces would come out as different as what lies between them. */
enum { STEPS_A_PIECE = 16, STEPS_A_TEXT = 2 };

struct gs_text_cut {
    gs_text_cut_options options;
    gs_text_cursor *cursors; /* on lines that may be bounds */
    gs_merge_tree tree;
    const uint8_t **from;   /* where the next piece begins */
    uint64_t counted_bytes; /* since then */
    bool is_sorted;         /* as far as it was seen */
};

static size_t step_bytes(const gs_text_cut_options *o)
{
    const size_t by_texts = STEPS_A_TEXT * o->text_count;
    const size_t steps = by_texts > STEPS_A_PIECE ? by_texts : STEPS_A_PIECE;
    return o->piece_bytes < steps ? 1 : o->piece_bytes / steps;
}

static gs_code start(gs_text_cut *cut, gs_status *st)
{
    const gs_text_cut_options *const o = &cut->options;
    for (size_t i = 0; i < o->text_count; i++) {
        const gs_text *const text = &o->texts[i];
        cut->from[i] = text->begin;
        cut->cursors[i].step = step_bytes(o);
        GS_TRY(gs_text_cursor_start(&cut->cursors[i], &o->form, text, text->begin,
                                    text->end, &cut->tree.heads[i], st));
    }
    gs_merge_tree_start(&cut->tree);
    return GS_OK;
}

gs_code gs_text_cut_new(gs_text_cut **out, const gs_text_cut_options *options,
                        gs_status *st)
{
    const size_t n = options->text_count;
    *out = NULL;
    gs_text_cut *cut = NULL;
    GS_TRY(gs_mem_new(&cut, sizeof *cut, "cut", st));
    *cut = (gs_text_cut){.options = *options, .is_sorted = true};
    GS_TRY_OR_FAIL(gs_mem_new_array(&cut->cursors, n, sizeof *cut->cursors,
                                    "bounds of a merge", st));
    GS_TRY_OR_FAIL(
        gs_merge_tree_init(&cut->tree, n, options->form.layout->is_backwards, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&cut->from, n, sizeof *cut->from, "bounds of a merge", st));
    GS_TRY_OR_FAIL(start(cut, st));
    *out = cut;
    return GS_OK;
fail:
    gs_text_cut_free(cut);
    return st->code;
}

void gs_text_cut_free(gs_text_cut *cut)
{
    if (cut == NULL)
        return;
    for (size_t i = 0; cut->cursors != NULL && i < cut->options.text_count; i++)
        gs_text_cursor_release(&cut->cursors[i]);
    gs_mem_free(cut->cursors);
    gs_merge_tree_release(&cut->tree);
    gs_mem_free(cut->from);
    gs_mem_free(cut);
}

/* Where the texts are cut by the line that source `winner` stands on. Every other cursor
 * stands on a line that comes after it. */
static gs_code place_bounds(const gs_text_cut *cut, size_t winner, const uint8_t **end,
                            gs_status *st)
{
    const gs_text_cut_options *const o = &cut->options;
    for (size_t i = 0; i < o->text_count; i++) {
        end[i] = cut->cursors[i].begin;
        if (i == winner && !o->keeps_equals_together)
            continue;
        GS_TRY(gs_text_find(&o->form, &o->texts[i], cut->from[i], end[i],
                            &cut->tree.heads[winner],
                            i < winner && !o->keeps_equals_together, &end[i], st));
    }
    return GS_OK;
}

static bool is_empty(const gs_text_cut *cut, const uint8_t *const *end)
{
    for (size_t i = 0; i < cut->options.text_count; i++) {
        if (cut->from[i] < end[i])
            return false;
    }
    return true;
}

/* Goes on until a piece is cut or the lines that may be bounds end. */
static gs_code find_cut(gs_text_cut *cut, const uint8_t **end, bool *is_cut,
                        gs_status *st)
{
    const gs_text_cut_options *const o = &cut->options;
    *is_cut = false;
    while (!*is_cut && cut->is_sorted && gs_merge_tree_has_winner(&cut->tree)) {
        const size_t winner = gs_merge_tree_winner(&cut->tree);
        const bool may_be_bound =
            !o->keeps_equals_together || gs_merge_tree_code(&cut->tree) != GS_OVC_EQUAL;
        if (cut->counted_bytes >= o->piece_bytes && may_be_bound) {
            GS_TRY(place_bounds(cut, winner, end, st));
            *is_cut = !is_empty(cut, end);
        }
        gs_text_cursor *const c = &cut->cursors[winner];
        const uint8_t *const before = c->begin;
        GS_TRY(gs_text_cursor_advance(c, &cut->is_sorted, st));
        const size_t passed = (size_t)(c->begin - before);
        cut->counted_bytes += passed;
        /* A piece gets large if its lines are equal: what was looked at is not kept. */
        if (o->are_mapped && cut->counted_bytes > 2 * o->piece_bytes)
            gs_text_leave_around(c->text, before, passed);
        gs_merge_tree_replay(&cut->tree);
    }
    return GS_OK;
}

gs_code gs_text_cut_next(gs_text_cut *cut, const uint8_t **begin, const uint8_t **end,
                         gs_text_cut_end *how, gs_status *st)
{
    const gs_text_cut_options *const o = &cut->options;
    bool is_cut;
    memcpy(begin, cut->from, o->text_count * sizeof *begin);
    *how = GS_TEXT_CUT_PIECE;
    GS_TRY(find_cut(cut, end, &is_cut, st));
    if (!is_cut && !cut->is_sorted) {
        *how = GS_TEXT_CUT_DISORDER;
        return GS_OK;
    }
    for (size_t i = 0; !is_cut && i < o->text_count; i++)
        end[i] = o->texts[i].end;
    if (is_empty(cut, end))
        *how = GS_TEXT_CUT_DONE;
    memcpy(cut->from, end, o->text_count * sizeof *end);
    cut->counted_bytes = 0;
    return GS_OK;
}
