/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/doc_terms.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"

/* Frequencies of terms in documents are told apart by their three highest bits. */
enum {
    CLASS_STEPS = 4,
    CLASSES = 64 * CLASS_STEPS,
    DF_MIN = 4,
    BLOCKS_AT_ONCE = 64, /* of the dictionary */
};

typedef struct df_class {
    _Atomic uint64_t terms, postings;
} df_class;

/* What a list is read for. */
typedef enum reading {
    COUNT_CLASSES,
    COUNT_POSTINGS,
    PUT_TERMS,
} reading;

typedef struct maker {
    gs_doc_terms *out;
    const gs_index *index;
    const volatile int *cancel;
    df_class classes[CLASSES];
    unsigned first, last; /* classes that are kept */
    uint64_t task_count;
    atomic_uint_fast64_t next_task;
    uint32_t *task_terms;   /* kept terms of each task; then those of the tasks before */
    _Atomic uint64_t *free; /* of each document, where its next term goes */
    reading reading;
} maker;

static unsigned class_of(uint64_t df)
{
    if (df < CLASS_STEPS)
        return (unsigned)df;
    const unsigned shift = 61 - (unsigned)__builtin_clzll(df);
    return (shift + 1) * CLASS_STEPS + (unsigned)(df >> shift & (CLASS_STEPS - 1));
}

static bool is_kept(const maker *m, uint64_t df)
{
    const unsigned c = class_of(df);
    return df >= DF_MIN && c >= m->first && c <= m->last;
}

/* Rare terms go first, while there are many others; then those of the most documents. */
static void choose_classes(maker *m, size_t memory_bytes, size_t bytes_a_term)
{
    uint64_t bytes = 0;
    m->first = class_of(DF_MIN);
    m->last = CLASSES - 1;
    for (unsigned i = m->first; i <= m->last; i++)
        bytes += m->classes[i].postings * sizeof *m->out->terms +
                 m->classes[i].terms * bytes_a_term;
    const unsigned rare = class_of(m->out->doc_count / 256 + DF_MIN);
    while (bytes > memory_bytes && m->first <= m->last) {
        const df_class *const c = &m->classes[m->first < rare ? m->first++ : m->last--];
        bytes -= c->postings * sizeof *m->out->terms + c->terms * bytes_a_term;
    }
}

/* It was written to between two readings. */
static gs_code changed(const maker *m, gs_status *st)
{
    return gs_index_damaged(m->index, GS_INDEX_POSTINGS, "it is not what it was before",
                            st);
}

/* What one thread has in hand. */
typedef struct reader {
    gs_term_cursor *term;
    gs_posting_list list;
    uint32_t number; /* of the next term that is kept */
    const uint8_t *held_terms, *held_postings;
} reader;

static gs_code take_block(maker *m, const reader *r, gs_status *st)
{
    for (size_t i = 0; i < r->list.count; i++) {
        const uint64_t doc = r->list.docs[i];
        const uint64_t at =
            atomic_fetch_add_explicit(&m->free[doc], 1, memory_order_relaxed);
        if (m->reading != PUT_TERMS)
            continue;
        if (at >= m->out->begins[doc + 1] || r->number >= m->out->term_count)
            return changed(m, st);
        m->out->terms[at] = r->number;
    }
    return GS_OK;
}

static gs_code read_list(maker *m, reader *r, gs_status *st)
{
    GS_TRY(gs_posting_list_start(&r->list, m->index, &r->term->info, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(&r->list, st));
        gs_index_pass(&r->held_postings, r->list.p);
        if (r->list.count == 0)
            break;
        GS_TRY(take_block(m, r, st));
    }
    r->number++;
    return GS_OK;
}

static gs_code take_term(maker *m, reader *r, gs_status *st)
{
    const uint64_t df = r->term->info.df;
    gs_index_pass(&r->held_terms, r->term->p);
    if (df > m->out->doc_count)
        return gs_index_damaged(m->index, GS_INDEX_TERMS,
                                "a term has more documents than there are", st);
    if (m->reading == COUNT_CLASSES) {
        df_class *const c = &m->classes[class_of(df)];
        atomic_fetch_add_explicit(&c->terms, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&c->postings, df, memory_order_relaxed);
        return GS_OK;
    }
    return is_kept(m, df) ? read_list(m, r, st) : GS_OK;
}

/* The terms of some blocks of the dictionary. */
static gs_code take_blocks(maker *m, uint64_t task, reader *r, gs_status *st)
{
    gs_dictionary_head head;
    const uint64_t end = (task + 1) * BLOCKS_AT_ONCE * GS_INDEX_TERM_BLOCK;
    r->number = m->reading == PUT_TERMS ? m->task_terms[task] : 0;
    GS_TRY(gs_cancel_check(m->cancel, st));
    GS_TRY(gs_dictionary_head_read(m->index, task * BLOCKS_AT_ONCE, &head, st));
    GS_TRY(gs_term_cursor_seek(r->term, head.term, head.bytes, st));
    while (r->term->has_term && gs_term_cursor_number(r->term) < end) {
        GS_TRY(take_term(m, r, st));
        GS_TRY(gs_term_cursor_next(r->term, st));
    }
    if (m->reading == COUNT_POSTINGS)
        m->task_terms[task] = r->number;
    return GS_OK;
}

static gs_code work(void *context, unsigned worker, gs_status *st)
{
    maker *const m = context;
    reader r = {.term = NULL};
    (void)worker;
    GS_NOTED(gs_term_cursor_new(&r.term, m->index, st));
    while (st->code == GS_OK) {
        const uint64_t task = atomic_fetch_add(&m->next_task, 1);
        if (task >= m->task_count)
            break;
        GS_NOTED(take_blocks(m, task, &r, st));
    }
    gs_posting_list_release(&r.list);
    gs_term_cursor_free(r.term);
    return st->code;
}

static gs_code run(maker *m, gs_team *team, reading what, gs_status *st)
{
    m->reading = what;
    atomic_store(&m->next_task, 0);
    return gs_team_run(team, work, m, st);
}

/* Counts become places. */
static gs_code make_places(maker *m, gs_status *st)
{
    gs_doc_terms *const d = m->out;
    for (uint64_t task = 0; task < m->task_count; task++) {
        const uint32_t here = m->task_terms[task];
        if (here > UINT32_MAX - d->term_count)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than 2^32 terms to reorder by");
        m->task_terms[task] = d->term_count;
        d->term_count += here;
    }
    for (uint32_t doc = 0; doc < d->doc_count; doc++) {
        const uint64_t here = m->free[doc];
        d->begins[doc] = d->posting_count;
        m->free[doc] = d->posting_count;
        d->posting_count += here;
    }
    d->begins[d->doc_count] = d->posting_count;
    d->terms_bytes = d->posting_count * sizeof *d->terms;
    return d->terms_bytes == 0
               ? GS_OK
               : gs_mem_map(&d->terms, d->terms_bytes, true, "terms of documents", st);
}

static gs_code check_places(const maker *m, gs_status *st)
{
    for (uint32_t doc = 0; doc < m->out->doc_count; doc++) {
        if (m->free[doc] != m->out->begins[doc + 1])
            return changed(m, st);
    }
    return GS_OK;
}

static gs_code make(maker *m, gs_team *team, size_t memory_bytes, size_t bytes_a_term,
                    gs_status *st)
{
    gs_doc_terms *const d = m->out;
    d->begins_bytes = ((size_t)d->doc_count + 1) * sizeof *d->begins;
    GS_TRY(gs_mem_map(&d->begins, d->begins_bytes, false, "terms of documents", st));
    GS_TRY(gs_mem_new_array(&m->task_terms, m->task_count + 1, sizeof *m->task_terms,
                            "terms of documents", st));
    GS_TRY(gs_mem_map(&m->free, d->begins_bytes, false, "terms of documents", st));
    GS_TRY(run(m, team, COUNT_CLASSES, st));
    choose_classes(m, memory_bytes, bytes_a_term);
    GS_TRY(run(m, team, COUNT_POSTINGS, st));
    GS_TRY(make_places(m, st));
    GS_TRY(run(m, team, PUT_TERMS, st));
    return check_places(m, st);
}

gs_code gs_doc_terms_make(gs_doc_terms *d, const gs_index *index, gs_team *team,
                          size_t memory_bytes, size_t bytes_a_term,
                          const volatile int *cancel, gs_status *st)
{
    const uint64_t blocks = gs_index_dictionary_blocks(index);
    const uint64_t documents = gs_index_header_of(index)->documents;
    gs_assert(documents < UINT32_MAX);
    *d = (gs_doc_terms){.doc_count = (uint32_t)documents};
    maker *m = NULL;
    GS_TRY(gs_mem_new(&m, sizeof *m, "terms of documents", st));
    m->out = d;
    m->index = index;
    m->cancel = cancel;
    m->task_count = (blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
    GS_NOTED(make(m, team, memory_bytes, bytes_a_term, st));
    gs_mem_free(m->task_terms);
    gs_mem_unmap((void *)(uintptr_t)m->free, d->begins_bytes);
    gs_mem_free(m);
    return st->code;
}

void gs_doc_terms_release(gs_doc_terms *d)
{
    gs_mem_unmap(d->begins, d->begins_bytes);
    gs_mem_unmap(d->terms, d->terms_bytes);
    *d = (gs_doc_terms){0};
}
