/* SPDX-License-Identifier: MIT */
#include "lib/index/block/form_stems.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/index/block/term_dictionary.h"

enum {
    FORMS_AT_ONCE = 1024, /* that a thread takes */
    SLACK = 16,
    DICTIONARY_TERM_BYTES = 144, /* of a new term, beside its bytes, at most */
};

#define DICTIONARY_BYTES_MAX ((size_t)30 << 30)

typedef struct stem_job {
    const gs_form_list *forms;
    const gs_word_rules *rules;
    gs_term_dictionary *dictionary;
    uint32_t *ids; /* of the stem of each form */
    atomic_size_t next;
} stem_job;

/* --- stemming ----------------------------------------------------------------------- */

/* What one thread needs. */
typedef struct stem_tools {
    gs_word_filter *filter;
    gs_term_cache *cache;
    uint8_t *word; /* padded */
} stem_tools;

static gs_code stem_form(const stem_job *job, const stem_tools *tools, size_t form,
                         gs_status *st)
{
    const size_t length = gs_form_length(job->forms, form);
    memcpy(tools->word, job->forms->bytes + gs_form_place(job->forms, form), length);
    memset(tools->word + length, 0, GS_TERM_PAD);
    const size_t bytes = gs_word_filter_apply(tools->filter, tools->word, length, 0);
    const gs_token token = {.term = tools->word,
                            .bytes = (uint32_t)bytes,
                            .hash = gs_term_hash(tools->word, bytes)};
    gs_assert(bytes > 0); /* stop words were never taken */
    GS_TRY(gs_term_dictionary_id(job->dictionary, tools->cache, &token, &job->ids[form],
                                 st));
    return job->ids[form] != GS_TERM_ID_NONE
               ? GS_OK
               : GS_FAIL(st, GS_ERR_LIMIT, 0,
                         "GPU: stems of %zu words take more than %zu "
                         "bytes",
                         job->forms->count,
                         gs_term_dictionary_bytes_max(job->dictionary));
}

static gs_code stem_forms(stem_job *job, const stem_tools *tools, gs_status *st)
{
    const size_t count = job->forms->count;
    for (size_t first; (first = atomic_fetch_add(&job->next, FORMS_AT_ONCE)) < count;) {
        const size_t end = first + FORMS_AT_ONCE < count ? first + FORMS_AT_ONCE : count;
        for (size_t i = first; i < end; i++)
            GS_TRY(stem_form(job, tools, i, st));
    }
    return GS_OK;
}

static gs_code stem_worker(void *context, unsigned worker, gs_status *st)
{
    stem_job *const job = context;
    stem_tools tools = {NULL, NULL, NULL};
    (void)worker;
    GS_TRY_OR_FAIL(gs_word_filter_new(&tools.filter, job->rules, true, st));
    GS_TRY_OR_FAIL(gs_term_cache_new(&tools.cache, st));
    GS_TRY_OR_FAIL(
        gs_mem_new(&tools.word, GS_TERM_BYTES_MAX + 1 + 2 * GS_TERM_PAD, "word", st));
    GS_NOTED(stem_forms(job, &tools, st));
fail:
    if (st->code != GS_OK)
        atomic_store(&job->next, job->forms->count);
    gs_mem_free(tools.word);
    gs_term_cache_free(tools.cache);
    gs_word_filter_free(tools.filter);
    return st->code;
}

/* --- the stems in order ------------------------------------------------------------- */

/* Takes the stems over from the dictionary, and gives forms ranks instead of numbers. */
static gs_code take_over(gs_form_stems *out, const stem_job *job, gs_status *st)
{
    const gs_term_dictionary *const d = job->dictionary;
    const size_t forms = job->forms->count, stems = gs_term_dictionary_count(d);
    const uint32_t *const order = gs_term_dictionary_order(d),
                          *const ranks = gs_term_dictionary_ranks(d);
    size_t bytes = 0, length = 0;
    for (uint32_t i = 0; i < stems; i++) {
        (void)gs_term_dictionary_term(d, i, &length);
        bytes += gs_form_padded(length);
    }
    out->memory_bytes =
        stems * sizeof(uint64_t) + forms * sizeof(uint32_t) + bytes + SLACK;
    GS_TRY(gs_mem_map(&out->memory, out->memory_bytes, true, "stems of a block", st));
    uint64_t *const terms = (uint64_t *)(void *)out->memory;
    out->ranks = (uint32_t *)(terms + stems);
    out->list = (gs_form_list){stems, (uint8_t *)(out->ranks + forms), terms};
    size_t used = 0;
    for (size_t rank = 0; rank < stems; rank++) {
        const uint8_t *const term = gs_term_dictionary_term(d, order[rank], &length);
        memcpy(out->list.bytes + used, term, gs_form_padded(length));
        terms[rank] = (uint64_t)used << GS_WORD_TERM_BITS | length;
        used += gs_form_padded(length);
    }
    for (size_t i = 0; i < forms; i++)
        out->ranks[i] = ranks[job->ids[i]];
    return GS_OK;
}

/* Bytes of a form and of its stem, which may be longer, but rarely; its number and rank;
 * what the dictionary has, which sorts, and what is taken over. */
size_t gs_form_stems_bytes(uint64_t forms, uint64_t form_bytes)
{
    const uint64_t a_form = 2 * sizeof(uint32_t) + DICTIONARY_TERM_BYTES +
                            sizeof(uint64_t) + 2 * GS_WORD_TERM_PAD;
    return (size_t)(forms * a_form + 2 * form_bytes) + GS_DICTIONARY_BYTES_MIN;
}

gs_code gs_form_stems_make(gs_form_stems *out, const gs_form_list *forms,
                           uint64_t form_bytes, const gs_word_rules *rules, gs_team *team,
                           gs_status *st)
{
    stem_job job = {.forms = forms, .rules = rules};
    const size_t most = gs_clamp(gs_form_stems_bytes(forms->count, form_bytes),
                                 GS_DICTIONARY_BYTES_MIN, DICTIONARY_BYTES_MAX);
    GS_TRY_OR_FAIL(gs_term_dictionary_new(&job.dictionary, most, st));
    GS_TRY_OR_FAIL(gs_mem_map(&job.ids, forms->count * sizeof *job.ids, true,
                              "stems of a block", st));
    GS_TRY_OR_FAIL(gs_team_run(team, stem_worker, &job, st));
    GS_TRY_OR_FAIL(gs_term_dictionary_rank(job.dictionary, st));
    GS_NOTED(take_over(out, &job, st));
fail:
    gs_mem_unmap(job.ids, forms->count * sizeof *job.ids);
    gs_term_dictionary_free(job.dictionary);
    return st->code;
}

void gs_form_stems_release(gs_form_stems *stems)
{
    gs_mem_unmap(stems->memory, stems->memory_bytes);
    *stems = (gs_form_stems){0};
}
