/* SPDX-License-Identifier: MIT */
#include "lib/index/query/doc_union.h"

gs_code gs_doc_union_start(gs_doc_union *u, gs_posting_list *readers, size_t count,
                           gs_status *st)
{
    *u = (gs_doc_union){.readers = readers, .count = count, .at = GS_UNION_DOCS};
    for (size_t i = 0; i < count; i++)
        GS_TRY(gs_posting_list_seek(&readers[i], 0, st));
    return GS_OK;
}

/* Sets the bits of a list, which goes on behind the window. */
static gs_code mark(gs_doc_union *u, gs_posting_list *r, gs_status *st)
{
    const uint64_t end = u->base + GS_UNION_DOCS;
    while (r->doc < end) {
        size_t at = r->at;
        for (; at < r->count && r->docs[at] < end; at++) {
            const uint64_t bit = r->docs[at] - u->base;
            u->bits[bit / 64] |= UINT64_C(1) << (bit % 64);
        }
        r->at = at - 1;
        r->doc = r->docs[at - 1];
        GS_TRY(gs_posting_list_next(r, st));
    }
    return GS_OK;
}

/* The window of the next document of all lists; base is GS_NO_DOC if there is none. */
static gs_code fill(gs_doc_union *u, gs_status *st)
{
    u->base = GS_NO_DOC;
    u->at = 0;
    for (size_t i = 0; i < u->count; i++)
        u->base = u->readers[i].doc < u->base ? u->readers[i].doc : u->base;
    if (u->base == GS_NO_DOC)
        return GS_OK;
    u->base -= u->base % GS_UNION_DOCS;
    memset(u->bits, 0, sizeof u->bits);
    for (size_t i = 0; i < u->count; i++)
        GS_TRY(mark(u, &u->readers[i], st));
    return GS_OK;
}

gs_code gs_doc_union_next(gs_doc_union *u, uint64_t *doc, gs_status *st)
{
    for (;;) {
        while (u->at < GS_UNION_DOCS) {
            const uint64_t left = u->bits[u->at / 64] >> (u->at % 64);
            if (left != 0) {
                u->at += (unsigned)__builtin_ctzll(left);
                *doc = u->base + u->at++;
                return GS_OK;
            }
            u->at = (u->at / 64 + 1) * 64;
        }
        GS_TRY(fill(u, st));
        if (u->base == GS_NO_DOC) {
            u->at = GS_UNION_DOCS;
            *doc = GS_NO_DOC;
            return GS_OK;
        }
    }
}

gs_code gs_doc_union_count(gs_doc_union *u, uint64_t *count, gs_status *st)
{
    *count = 0;
    for (;;) {
        GS_TRY(fill(u, st));
        if (u->base == GS_NO_DOC)
            return GS_OK;
        for (size_t i = 0; i < GS_UNION_DOCS / 64; i++)
            *count += (uint64_t)__builtin_popcountll(u->bits[i]);
    }
}
