/* SPDX-License-Identifier: MIT */
#include "lib/index/block/device_sort.h"

#include "lib/base/mem.h"

enum { SLACK = 16 };

size_t gs_device_view_bytes(uint64_t terms, uint64_t term_bytes)
{
    return (size_t)(terms * (sizeof(uint64_t) + 2 * sizeof(uint32_t)) + term_bytes) +
           4096;
}

static void release_terms(gs_device_block *b)
{
    gs_mem_unmap(b->memory, b->memory_bytes);
    b->memory = NULL;
    b->memory_bytes = 0;
}

void gs_device_view_release(gs_device_block *b)
{
    release_terms(b);
    gs_form_stems_release(&b->stems);
    gs_mem_unmap(b->first_postings, b->first_bytes);
    b->first_postings = NULL;
    b->first_bytes = 0;
    b->list = (gs_form_list){0};
    if (b->windows != NULL)
        gs_device_view_release_blocks(b->windows);
}

static bool terms_are_in_order(const gs_device_block *b)
{
    const gs_word_sums *const s = &b->sums;
    gs_term_view before = {0, NULL, 0}, term;
    for (size_t i = 0; i < s->terms; i++) {
        const uint64_t place = gs_form_place(&b->list, i);
        const size_t length = gs_form_length(&b->list, i);
        if (length == 0 || place > s->term_bytes || length > s->term_bytes - place)
            return false;
        gs_device_view_term(b, i, &term);
        if (i > 0 && gs_term_view_compare(&before, &term) >= 0)
            return false;
        before = term;
    }
    return true;
}

static gs_code fetch_terms(gs_device_block *b, gs_status *st)
{
    const gs_word_sums *const s = &b->sums;
    const size_t count = (size_t)s->terms;
    b->memory_bytes = count * sizeof(uint64_t) + (size_t)s->term_bytes + SLACK;
    GS_TRY(gs_mem_map(&b->memory, b->memory_bytes, true, "terms of a block", st));
    uint64_t *const terms = (uint64_t *)(void *)b->memory;
    b->list = (gs_form_list){count, (uint8_t *)(terms + count), terms};
    GS_TRY(gs_word_block_terms(b->words, b->list.bytes, terms, st));
    return terms_are_in_order(b) ? GS_OK
                                 : gs_device_fail_wrong("terms are not in order", st);
}

static gs_code fetch_first_postings(gs_device_block *b, gs_status *st)
{
    const size_t count = b->list.count;
    uint32_t disorder = 0;
    b->first_bytes = (count + 1) * sizeof *b->first_postings;
    GS_TRY(gs_mem_map(&b->first_postings, b->first_bytes, true, "terms of a block", st));
    GS_TRY(gs_word_block_first_postings(b->words, b->first_postings, st));
    for (size_t i = 0; i < count; i++)
        disorder |= b->first_postings[i] >= b->first_postings[i + 1];
    return disorder == 0 && b->first_postings[0] == 0 &&
                   b->first_postings[count] == b->sums.postings
               ? GS_OK
               : gs_device_fail_wrong("terms have no postings", st);
}

gs_code gs_device_sort_terms(gs_device_block *b, gs_status *st)
{
    gs_device_view_release(b);
    if (!b->has_docs)
        return GS_OK;
    GS_TRY(gs_word_block_sort_terms(b->words, &b->sums, st));
    if (b->sums.terms > UINT32_MAX - 1 || b->sums.tokens > UINT32_MAX ||
        b->sums.term_bytes > b->room.term_bytes)
        return gs_device_fail_wrong("there are more words than were sent", st);
    return b->sums.terms > 0 ? fetch_terms(b, st) : GS_OK;
}

gs_code gs_device_sort_stem(gs_device_block *b, gs_team *team, gs_status *st)
{
    if (!gs_device_block_stems(b) || b->list.count == 0)
        return GS_OK;
    GS_TRY(gs_form_stems_make(&b->stems, &b->list, b->sums.term_bytes, b->options.rules,
                              team, st));
    b->list = b->stems.list;
    release_terms(b);
    return GS_OK;
}

gs_code gs_device_sort_join(gs_device_block *b, const uint32_t *ranks, uint32_t count,
                            gs_status *st)
{
    const size_t forms = (size_t)b->sums.terms;
    if (b->stems.ranks == NULL)
        return gs_word_block_join_terms(b->words, ranks, count, st);
    if (ranks == NULL)
        return gs_word_block_join_terms(b->words, b->stems.ranks, count, st);
    uint32_t *to = NULL;
    GS_TRY(gs_mem_map(&to, forms * sizeof *to, true, "stems of a block", st));
    for (size_t i = 0; i < forms; i++)
        to[i] = ranks[b->stems.ranks[i]];
    GS_NOTED(gs_word_block_join_terms(b->words, to, count, st));
    gs_mem_unmap(to, forms * sizeof *to);
    return st->code;
}

void gs_device_sort_take_terms(gs_device_block *b, const gs_form_list *list)
{
    release_terms(b);
    gs_form_stems_release(&b->stems);
    b->list = *list;
}

gs_code gs_device_sort_end(gs_device_block *b, gs_term_block *view, gs_status *st)
{
    *view = (gs_term_block){&gs_device_view_ops, b, 0};
    if (b->list.count == 0)
        return GS_OK;
    GS_TRY(gs_word_block_sort(b->words, b->first_doc, b->last_doc, &b->sums, st));
    if (b->sums.terms != b->list.count || b->sums.postings > b->sums.tokens)
        return gs_device_fail_wrong("there are more postings than words", st);
    GS_TRY(fetch_first_postings(b, st));
    view->term_count = b->list.count;
    return GS_OK;
}

gs_code gs_device_block_sort(gs_device_block *b, gs_team *team, gs_term_block *view,
                             gs_status *st)
{
    GS_TRY(gs_device_sort_terms(b, st));
    GS_TRY(gs_device_sort_stem(b, team, st));
    if (b->stems.ranks != NULL)
        GS_TRY(gs_device_sort_join(b, NULL, (uint32_t)b->list.count, st));
    return gs_device_sort_end(b, view, st);
}
