/* SPDX-License-Identifier: MIT */
/*
 * form_stems: the distinct forms of words that a GPU has found, to their stems.
 *
 *      forms, in order    run   runner   running   rust
 *      stems              run   runner   run       rust
 *      ranks              0     1        0         2          of the stem of each form
 *      terms              run   runner   rust
 *
 * Each form is stemmed once, however often it comes; its postings are joined to those of
 * the others with its stem where they are sorted.
 */
#ifndef GS_LIB_INDEX_BLOCK_FORM_STEMS_H
#define GS_LIB_INDEX_BLOCK_FORM_STEMS_H

#include "gpu/words/word_block.h"
#include "lib/base/team.h"
#include "lib/index/text/documents.h"

/* Forms, and stems too, as they lie in memory: a place above GS_WORD_TERM_BITS of
 * length. */
typedef struct gs_form_list {
    size_t count;
    uint8_t *bytes; /* each padded with zeros to a multiple of GS_WORD_TERM_PAD */
    uint64_t *terms;
} gs_form_list;

static inline uint64_t gs_form_place(const gs_form_list *list, size_t index)
{
    return list->terms[index] >> GS_WORD_TERM_BITS;
}

static inline size_t gs_form_length(const gs_form_list *list, size_t index)
{
    return (size_t)(list->terms[index] & (((uint64_t)1 << GS_WORD_TERM_BITS) - 1));
}

static inline size_t gs_form_padded(size_t bytes)
{
    return (bytes + GS_WORD_TERM_PAD - 1) / GS_WORD_TERM_PAD * GS_WORD_TERM_PAD;
}

/* Zeroed before it is made. */
typedef struct gs_form_stems {
    uint32_t *ranks;   /* of the stem of each form */
    gs_form_list list; /* of the stems in their order */
    uint8_t *memory;   /* of all that */
    size_t memory_bytes;
} gs_form_stems;

/* What making them takes at most, beside the forms, of so many and of so many bytes. */
size_t gs_form_stems_bytes(uint64_t forms, uint64_t form_bytes);

/* All threads stem. On failure nothing is held; GS_ERR_LIMIT: it takes more memory. */
GS_MUST_CHECK gs_code gs_form_stems_make(gs_form_stems *out, const gs_form_list *forms,
                                         uint64_t form_bytes, const gs_word_rules *rules,
                                         gs_team *team, gs_status *st);
void gs_form_stems_release(gs_form_stems *stems);

#endif
