/* SPDX-License-Identifier: MIT */
#include "lib/index/posting_skip.h"

static gs_code damaged(const gs_posting_skips *s, const char *what, gs_status *st)
{
    return gs_index_damaged(s->index, GS_INDEX_POSTINGS, what, st);
}

gs_code gs_posting_skips_start(gs_posting_skips *s, const gs_index *index,
                               const gs_term_info *info, gs_status *st)
{
    const gs_index_header *const header = gs_index_header_of(index);
    *s = (gs_posting_skips){.index = index,
                            .left = info->df,
                            .has_positions = header->has_positions,
                            .has_lengths = header->has_names};
    if (info->postings_bytes > UINT64_MAX - info->postings)
        return damaged(s, "a posting list lies beyond its end", st);
    GS_TRY(gs_index_bytes(index, GS_INDEX_POSTINGS, info->postings + info->postings_bytes,
                          info->skip_bytes, &s->p, st));
    s->end = s->p + info->skip_bytes;
    if (info->df >= GS_INDEX_BLOCK &&
        !gs_impacts_read(&s->p, s->end, s->has_lengths, &s->impacts))
        return damaged(s, "a term's impacts make no sense", st);
    return GS_OK;
}

gs_code gs_posting_skips_next(gs_posting_skips *s, gs_posting_skip *skip, gs_status *st)
{
    uint64_t delta;
    skip->positions_bytes = 0;
    if (!gs_varint_read(&s->p, s->end, &delta) ||
        !gs_varint_read(&s->p, s->end, &skip->bytes) ||
        (s->has_positions && !gs_varint_read(&s->p, s->end, &skip->positions_bytes)) ||
        delta >= GS_INDEX_DOCS_MAX)
        return damaged(s, "a skip entry makes no sense", st);
    skip->impacts = s->p;
    if (!gs_impacts_skip(&s->p, s->end, s->has_lengths))
        return damaged(s, "a skip entry makes no sense", st);
    skip->last_doc = s->last_doc + delta;
    if (skip->last_doc >= gs_index_header_of(s->index)->documents)
        return damaged(s, "a docID is not there", st);
    s->last_doc = skip->last_doc;
    s->left -= GS_INDEX_BLOCK;
    return GS_OK;
}

gs_code gs_posting_skips_impacts(const gs_posting_skips *s, const gs_posting_skip *skip,
                                 gs_impacts *impacts, gs_status *st)
{
    const uint8_t *p = skip->impacts;
    return gs_impacts_read(&p, s->end, s->has_lengths, impacts)
               ? GS_OK
               : damaged(s, "the impacts of a block make no sense", st);
}
