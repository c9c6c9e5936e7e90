/* SPDX-License-Identifier: MIT */
#include "lib/index/segment/segment_text.h"

#include "lib/base/cancel.h"

/* --- postings ---------------------------------------------------------------------- */

void gs_segment_postings_begin(gs_segment_postings *p, const gs_segment_terms *terms)
{
    p->terms = terms;
    p->segment = 0;
    p->is_open = false;
    p->list.count = p->at = 0;
}

void gs_segment_postings_release(gs_segment_postings *p)
{
    gs_posting_list_release(&p->list);
}

/* The next block of the segment, or of the next one that has the term; count is 0 behind
 * the last. */
static gs_code next_block(gs_segment_postings *p, gs_status *st)
{
    const gs_segments *const s = p->terms->segments;
    p->at = 0;
    for (;;) {
        if (p->is_open) {
            GS_TRY(gs_posting_list_block(&p->list, st));
            if (p->list.count > 0)
                return GS_OK;
            p->is_open = false;
            p->segment++;
        }
        p->list.count = 0;
        while (p->segment < s->count && !p->terms->is_here[p->segment])
            p->segment++;
        if (p->segment == s->count)
            return GS_OK;
        const gs_term_cursor *const c = p->terms->cursors[p->segment];
        GS_TRY(gs_posting_list_start(&p->list, c->index, &c->info, st));
        p->is_open = true;
    }
}

gs_code gs_segment_postings_next(gs_segment_postings *p, uint64_t *doc, uint64_t *tf,
                                 gs_status *st)
{
    for (p->at += p->is_open;; p->at++) {
        while (p->at >= p->list.count) {
            GS_TRY(next_block(p, st));
            if (p->list.count == 0) {
                *doc = GS_NO_DOC;
                return GS_OK;
            }
        }
        const gs_segment *const segment = &p->terms->segments->items[p->segment];
        const uint64_t there = p->list.docs[p->at];
        if (gs_tombstones_has(&segment->deleted, there))
            continue;
        *doc = gs_segment_number(segment, there);
        *tf = p->list.tfs[p->at];
        return GS_OK;
    }
}

/* --- dump ------------------------------------------------------------------------- */

static gs_code put_places(gs_segment_postings *p, gs_text_out *out, gs_status *st)
{
    GS_TRY(gs_posting_list_positions(&p->list, p->at, st));
    for (size_t k = 0; k < p->list.position_count; k++)
        GS_TRY(gs_text_out_number(out, p->list.positions[k],
                                  k + 1 < p->list.position_count ? ',' : '\n', st));
    return GS_OK;
}

static gs_code dump_term(const gs_segment_terms *terms, gs_segment_postings *p,
                         bool positions, gs_text_out *out, gs_status *st)
{
    uint64_t doc, tf;
    gs_segment_postings_begin(p, terms);
    for (;;) {
        GS_TRY(gs_segment_postings_next(p, &doc, &tf, st));
        if (doc == GS_NO_DOC)
            return GS_OK;
        GS_TRY(gs_text_out_put(out, terms->term, terms->bytes, st));
        GS_TRY(gs_text_out_put(out, "\t", 1, st));
        GS_TRY(
            gs_text_out_number(out, gs_segments_doc_id(terms->segments, doc), '\t', st));
        GS_TRY(gs_text_out_number(out, tf, positions ? '\t' : '\n', st));
        if (positions)
            GS_TRY(put_places(p, out, st));
    }
}

gs_code gs_segments_dump(const gs_segments *s, bool positions, gs_text_out *out,
                         const volatile int *cancel, gs_status *st)
{
    gs_segment_terms *terms = NULL;
    gs_segment_postings postings = {0};
    if (s->is_plain)
        return gs_index_dump(s->items[0].index, positions, out, cancel, st);
    if (positions && !gs_segments_header(s)->has_positions)
        return GS_FAIL(st, GS_ERR_ARG, 0, "%s: the index has no positions", s->folder);
    GS_TRY(gs_segment_terms_new(&terms, s, st));
    GS_TRY_OR_FAIL(gs_segment_terms_seek(terms, "", 0, st));
    while (terms->has_term) {
        GS_TRY_OR_FAIL(gs_cancel_check(cancel, st));
        GS_TRY_OR_FAIL(dump_term(terms, &postings, positions, out, st));
        GS_TRY_OR_FAIL(gs_segment_terms_next(terms, st));
    }
    GS_NOTED(gs_text_out_flush(out, st));
fail:
    gs_segment_postings_release(&postings);
    gs_segment_terms_free(terms);
    return st->code;
}

/* --- lookup ----------------------------------------------------------------------- */

static gs_code put_postings(const gs_segment_terms *terms, gs_lookup_shape shape,
                            gs_text_out *out, gs_status *st)
{
    gs_segment_postings p = {0};
    uint64_t doc, tf;
    gs_segment_postings_begin(&p, terms);
    for (bool is_first = true; st->code == GS_OK; is_first = false) {
        if (gs_segment_postings_next(&p, &doc, &tf, st) != GS_OK || doc == GS_NO_DOC)
            break;
        GS_NOTED(gs_lookup_put_posting(gs_segments_doc_id(terms->segments, doc), tf,
                                       is_first, shape, out, st));
    }
    gs_segment_postings_release(&p);
    return st->code;
}

static gs_code put_line(const gs_segment_terms *terms, uint64_t df, uint64_t cf,
                        gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    GS_TRY(gs_lookup_put_counts(terms->term, terms->bytes, df, cf, shape, out, st));
    if (gs_lookup_has_postings(shape))
        GS_TRY(put_postings(terms, shape, out, st));
    return gs_lookup_put_end(shape, out, st);
}

gs_code gs_segments_lookup_here(gs_segment_terms *terms, gs_lookup_shape shape,
                                gs_text_out *out, gs_status *st)
{
    uint64_t df, cf;
    GS_TRY(gs_segment_terms_count(terms, &df, &cf, st));
    return df > 0 ? put_line(terms, df, cf, shape, out, st) : GS_OK;
}

gs_code gs_segments_lookup_sought(gs_segment_terms *terms, const void *term, size_t bytes,
                                  gs_lookup_shape shape, gs_text_out *out, gs_status *st)
{
    uint64_t df = 0, cf = 0;
    if (gs_segment_terms_is_at(terms, term, bytes))
        GS_TRY(gs_segment_terms_count(terms, &df, &cf, st));
    if (df > 0)
        return put_line(terms, df, cf, shape, out, st);
    GS_TRY(gs_lookup_put_counts(term, bytes, 0, 0, shape, out, st));
    return gs_lookup_put_end(shape, out, st);
}
