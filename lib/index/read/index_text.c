/* SPDX-License-Identifier: MIT */
#include "lib/index/read/index_text.h"

#include <string.h>

#include "lib/base/cancel.h"
#include "lib/index/read/posting_list.h"

/* --- dump -------------------------------------------------------------------------- */

static gs_code put_places(gs_posting_list *c, size_t i, gs_text_out *out, gs_status *st)
{
    GS_TRY(gs_posting_list_positions(c, i, st));
    for (size_t k = 0; k < c->position_count; k++)
        GS_TRY(gs_text_out_number(out, c->positions[k],
                                  k + 1 < c->position_count ? ',' : '\n', st));
    return GS_OK;
}

static gs_code dump_term(const gs_term_cursor *term, gs_posting_list *c, bool positions,
                         gs_text_out *out, gs_status *st)
{
    const uint64_t base = gs_index_doc_id(term->index, 0);
    GS_TRY(gs_posting_list_start(c, term->index, &term->info, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(c, st));
        if (c->count == 0)
            return GS_OK;
        for (size_t i = 0; i < c->count; i++) {
            GS_TRY(gs_text_out_put(out, term->term, term->bytes, st));
            GS_TRY(gs_text_out_put(out, "\t", 1, st));
            GS_TRY(gs_text_out_number(out, base + c->docs[i], '\t', st));
            GS_TRY(gs_text_out_number(out, c->tfs[i], positions ? '\t' : '\n', st));
            if (positions)
                GS_TRY(put_places(c, i, out, st));
        }
    }
}

gs_code gs_index_dump(const gs_index *index, bool positions, gs_text_out *out,
                      const volatile int *cancel, gs_status *st)
{
    gs_term_cursor *term = NULL;
    gs_posting_list postings = {0};
    if (positions && !gs_index_header_of(index)->has_positions)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%s: the index has no positions",
                       gs_index_folder_of(index));
    GS_TRY(gs_term_cursor_new(&term, index, st));
    GS_TRY_OR_FAIL(gs_term_cursor_first(term, st));
    while (term->has_term) {
        GS_TRY_OR_FAIL(gs_cancel_check(cancel, st));
        GS_TRY_OR_FAIL(dump_term(term, &postings, positions, out, st));
        GS_TRY_OR_FAIL(gs_term_cursor_next(term, st));
    }
    GS_NOTED(gs_text_out_flush(out, st));
fail:
    gs_posting_list_release(&postings);
    gs_term_cursor_free(term);
    return st->code;
}

/* --- lookup ------------------------------------------------------------------------ */

static gs_code put_literal(gs_text_out *out, const char *text, gs_status *st)
{
    return gs_text_out_put(out, text, strlen(text), st);
}

bool gs_lookup_has_postings(gs_lookup_shape shape)
{
    return shape != GS_LOOKUP_DF && shape != GS_LOOKUP_JSON_DF;
}

gs_code gs_lookup_put_counts(const uint8_t *term, size_t bytes, uint64_t df, uint64_t cf,
                             gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    if (shape == GS_LOOKUP_JSON || shape == GS_LOOKUP_JSON_DF) {
        const bool is_all = shape == GS_LOOKUP_JSON_DF;
        GS_TRY(put_literal(out, "{\"term\": ", st));
        GS_TRY(gs_text_out_json(out, term, bytes, st));
        GS_TRY(put_literal(out, ", \"df\": ", st));
        GS_TRY(gs_text_out_number(out, df, ',', st));
        GS_TRY(put_literal(out, " \"cf\": ", st));
        GS_TRY(gs_text_out_number(out, cf, is_all ? '}' : ',', st));
        return put_literal(out, is_all ? "\n" : " \"postings\": [", st);
    }
    GS_TRY(gs_text_out_put(out, term, bytes, st));
    GS_TRY(gs_text_out_put(out, "\t", 1, st));
    GS_TRY(gs_text_out_number(out, df, '\t', st));
    return gs_text_out_number(out, cf, shape == GS_LOOKUP_DF ? '\n' : '\t', st);
}

gs_code gs_lookup_put_posting(uint64_t doc, uint64_t tf, bool is_first,
                              gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    if (shape == GS_LOOKUP_JSON) {
        GS_TRY(put_literal(out, is_first ? "[" : ", [", st));
        GS_TRY(gs_text_out_number(out, doc, ',', st));
        return gs_text_out_number(out, tf, ']', st);
    }
    return gs_text_out_two_numbers(out, is_first ? 0 : ' ', doc, ':', tf, st);
}

gs_code gs_lookup_put_end(gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    if (!gs_lookup_has_postings(shape))
        return GS_OK;
    return put_literal(out, shape == GS_LOOKUP_JSON ? "]}\n" : "\n", st);
}

static gs_code put_postings(const gs_term_cursor *term, gs_lookup_shape shape,
                            gs_text_out *out, gs_status *st)
{
    gs_posting_list c = {0};
    const uint64_t base = gs_index_doc_id(term->index, 0);
    bool is_first = true;
    GS_TRY(gs_posting_list_start(&c, term->index, &term->info, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(&c, st));
        if (c.count == 0)
            return GS_OK;
        for (size_t i = 0; i < c.count; i++, is_first = false)
            GS_TRY(gs_lookup_put_posting(base + c.docs[i], c.tfs[i], is_first, shape, out,
                                         st));
    }
}

gs_code gs_index_lookup_here(gs_term_cursor *cursor, gs_lookup_shape shape,
                             gs_text_out *out, gs_status *st)
{
    GS_TRY(gs_lookup_put_counts(cursor->term, cursor->bytes, cursor->info.df,
                                cursor->info.cf, shape, out, st));
    if (gs_lookup_has_postings(shape))
        GS_TRY(put_postings(cursor, shape, out, st));
    return gs_lookup_put_end(shape, out, st);
}

gs_code gs_index_lookup_sought(gs_term_cursor *cursor, const void *term, size_t bytes,
                               gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    if (gs_term_cursor_is_at(cursor, term, bytes))
        return gs_index_lookup_here(cursor, shape, out, st);
    GS_TRY(gs_lookup_put_counts(term, bytes, 0, 0, shape, out, st));
    return gs_lookup_put_end(shape, out, st);
}
