/* SPDX-License-Identifier: MIT */
#include "lib/index/read/posting_skip.h"

static gs_code damaged(const gs_posting_skips *s, const char *what, gs_status *st)
{
    return gs_index_damaged(s->index, GS_INDEX_POSTINGS, what, st);
}

static bool take_impacts(gs_posting_skips *s, unsigned count, const uint8_t **out)
{
    if (count == 0 || count > GS_IMPACTS_MAX ||
        (size_t)(s->end - s->p) < GS_IMPACT_BYTES * (size_t)count)
        return false;
    *out = s->p;
    s->p += GS_IMPACT_BYTES * count;
    return true;
}

gs_code gs_posting_skips_start(gs_posting_skips *s, const gs_index *index,
                               const gs_term_info *info, gs_status *st)
{
    const gs_index_header *const header = gs_index_header_of(index);
    *s = (gs_posting_skips){.index = index,
                            .left = info->df,
                            .document_count = header->documents,
                            .doc_bound = header->doc_bound,
                            .has_positions = header->has_positions};
    if (info->postings_bytes > UINT64_MAX - info->postings)
        return damaged(s, "a posting list lies beyond its end", st);
    GS_TRY(gs_index_bytes(index, GS_INDEX_POSTINGS, info->postings + info->postings_bytes,
                          info->skip_bytes, &s->p, st));
    s->end = s->p + info->skip_bytes;
    if (info->df < GS_INDEX_BLOCK)
        return GS_OK;
    s->impact_count = s->p < s->end ? (unsigned)gs_index_once(*s->p++) : 0;
    if (!take_impacts(s, s->impact_count, &s->impacts))
        return damaged(s, "a term's impacts make no sense", st);
    return GS_OK;
}

gs_code gs_posting_skips_next(gs_posting_skips *s, gs_posting_skip *skip, gs_status *st)
{
    uint64_t delta, sizes;
    skip->positions_bytes = 0;
    if (!gs_varint_read(&s->p, s->end, &delta) ||
        !gs_varint_read(&s->p, s->end, &sizes) ||
        (s->has_positions && !gs_varint_read(&s->p, s->end, &skip->positions_bytes)) ||
        delta >= GS_INDEX_DOCS_MAX)
        return damaged(s, "a skip entry makes no sense", st);
    skip->bytes = sizes >> GS_SKIP_COUNT_BITS;
    skip->impact_count = (unsigned)(sizes & ((1 << GS_SKIP_COUNT_BITS) - 1));
    if (!take_impacts(s, skip->impact_count, &skip->impacts))
        return damaged(s, "the impacts of a block make no sense", st);
    skip->last_doc = s->last_doc + delta;
    if (skip->last_doc >= s->document_count)
        return damaged(s, "a docID is not there", st);
    s->last_doc = skip->last_doc;
    s->left -= GS_INDEX_BLOCK;
    return GS_OK;
}
