/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/list_merge.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/read/readers.h"
#include "lib/index/format/formats.h"

/* Files of an index that a merge goes through from one end to the other. */
enum { HELD_TERMS, HELD_POSTINGS, HELD_POSITIONS, HELD_COUNT };

/* Which pages of an index have been touched since they were last let go. */
typedef struct held_pages {
    const uint8_t *begin[HELD_COUNT], *end[HELD_COUNT];
} held_pages;

/* An index's list of the present term, where docIDs are kept. */
typedef struct list_source {
    gs_posting_list list;
    gs_posting_batch batch; /* of its block */
    size_t next;            /* of the batch; the list has ended if it is the count */
    uint64_t cf;            /* that are still to come */
} list_source;

_Static_assert(sizeof(list_source) <= GS_LIST_MERGE_SOURCE_BYTES, "as promised");

struct gs_list_merge {
    gs_list_merge_options options;
    gs_index_part *part;
    held_pages *held;
    uint64_t held_bytes; /* of all indexes */

    gs_posting_list list; /* shifted: lists are read one after the other */
    bool has_begun;       /* the part has the term: something is left of it */
    uint32_t tfs[GS_INDEX_BLOCK];

    list_source *sources; /* kept; mapped, since most are not touched for most terms */
    size_t sources_bytes;
    gs_posting_gather gather;
};

/* --- what is gathered goes to the part --------------------------------------------- */

static gs_code take_term(void *context, const uint8_t *term, size_t bytes, gs_status *st)
{
    const gs_list_merge *const l = context;
    return gs_index_part_term(l->part, term, bytes, st);
}

static gs_code take_postings(void *context, const gs_posting_batch *batch, gs_status *st)
{
    const gs_list_merge *const l = context;
    return gs_index_part_postings(l->part, batch->docs, batch->tfs, batch->count, NULL,
                                  st);
}

gs_code gs_list_merge_new(gs_list_merge **out, const gs_list_merge_options *options,
                          gs_status *st)
{
    gs_assert(options->shifts != NULL || !options->has_positions);
    *out = NULL;
    gs_list_merge *l = NULL;
    GS_TRY(gs_mem_new(&l, sizeof *l, "merge of lists", st));
    const gs_posting_target target = {
        .term = take_term, .postings = take_postings, .context = l};
    l->options = *options;
    gs_posting_gather_init(&l->gather, &target, false);
    GS_TRY_OR_FAIL(
        gs_mem_new(&l->held, options->count * sizeof *l->held, "merge of lists", st));
    if (options->shifts == NULL) {
        GS_TRY_OR_FAIL(
            gs_mem_size_mul(&l->sources_bytes, options->count, sizeof *l->sources, st));
        GS_TRY_OR_FAIL(
            gs_mem_map(&l->sources, l->sources_bytes, false, "merge of lists", st));
    }
    *out = l;
    return GS_OK;
fail:
    gs_list_merge_free(l);
    return st->code;
}

void gs_list_merge_free(gs_list_merge *l)
{
    if (l == NULL)
        return;
    if (l->sources != NULL)
        gs_mem_unmap(l->sources, l->sources_bytes);
    gs_posting_list_release(&l->list);
    gs_posting_gather_release(&l->gather);
    gs_mem_free(l->held);
    gs_mem_free(l);
}

/* --- pages ------------------------------------------------------------------------- */

static void let_go(gs_list_merge *l)
{
    for (size_t i = 0; i < l->options.count; i++) {
        held_pages *const h = &l->held[i];
        for (unsigned file = 0; file < HELD_COUNT; file++) {
            gs_index_let_go(h->begin[file], h->end[file]);
            h->begin[file] = h->end[file];
        }
    }
    if (l->options.passed_bytes != NULL)
        atomic_fetch_add(l->options.passed_bytes, l->held_bytes);
    l->held_bytes = 0;
}

static void hold(gs_list_merge *l, size_t source, unsigned file, const uint8_t *at)
{
    held_pages *const h = &l->held[source];
    if (at == NULL)
        return;
    /* A range begins, or a list lies elsewhere, as only in an index of others. */
    if (h->begin[file] == NULL || at < h->end[file])
        h->begin[file] = h->end[file] = at;
    l->held_bytes += (uint64_t)(at - h->end[file]);
    h->end[file] = at;
}

/* So far the list has been read. */
static gs_code note_reading(gs_list_merge *l, size_t source, const gs_posting_list *c,
                            gs_status *st)
{
    hold(l, source, HELD_POSTINGS, c->p);
    hold(l, source, HELD_POSITIONS, c->next_places);
    if (l->held_bytes < l->options.window_bytes)
        return GS_OK;
    gs_index_let_go(c->end, c->skips.p); /* of the list, behind its blocks */
    let_go(l);
    return gs_cancel_check(l->options.cancel, st);
}

/* --- shifted ----------------------------------------------------------------------- */

static gs_code damaged_counts(const gs_posting_list *c, gs_status *st)
{
    return gs_index_damaged(c->index, GS_INDEX_POSTINGS, "a term's counts are wrong", st);
}

/* The part gets a term with its first posting: of some nothing is left. */
static gs_code begin_term(gs_list_merge *l, const gs_term_cursor *term, gs_status *st)
{
    if (l->has_begun)
        return GS_OK;
    l->has_begun = true;
    return gs_index_part_term(l->part, term->term, term->bytes, st);
}

/* Frequencies of the block, as the writer wants them. */
static uint64_t convert_tfs(const gs_posting_list *c, uint32_t *tfs)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->count; i++) {
        tfs[i] = (uint32_t)c->tfs[i];
        sum += c->tfs[i];
    }
    return sum;
}

/* Postings that come into other blocks here, with their positions. */
static gs_code append_postings(gs_list_merge *l, gs_posting_list *c, gs_status *st)
{
    if (!l->options.has_positions)
        return gs_index_part_postings(l->part, c->docs, l->tfs, c->count, NULL, st);
    for (size_t i = 0; i < c->count; i++) {
        GS_TRY(gs_posting_list_positions(c, i, st));
        GS_TRY(gs_index_part_postings(l->part, &c->docs[i], &l->tfs[i], 1, c->positions,
                                      st));
    }
    return gs_posting_list_end_places(c, st);
}

/* A block, whose docIDs are shifted already and whose first doc number was this: as it
 * is stored, or, if its postings come into another block here, one by one. */
static gs_code append_block(gs_list_merge *l, gs_posting_list *c, uint64_t first_number,
                            gs_status *st)
{
    bool taken = false;
    if (c->has_skip) {
        const gs_foreign_block block = {.docs = c->docs,
                                        .tfs = l->tfs,
                                        .first_number = first_number,
                                        .stored = gs_posting_list_stored(c)};
        GS_TRY(gs_index_part_block(l->part, &block, &taken, st));
    }
    return taken ? GS_OK : append_postings(l, c, st);
}

/* Those of a block whose documents are left, one by one. */
static gs_code append_left(gs_list_merge *l, const gs_term_cursor *term, size_t source,
                           gs_status *st)
{
    gs_posting_list *const c = &l->list;
    const gs_tombstones *const deleted = l->options.deleted[source];
    const bool has_positions = l->options.has_positions;
    for (size_t i = 0; i < c->count; i++) {
        const uint64_t doc = c->docs[i];
        if (has_positions)
            GS_TRY(gs_posting_list_positions(c, i, st));
        if (gs_tombstones_has(deleted, doc))
            continue;
        const uint64_t left =
            l->options.shifts[source] + doc - gs_tombstones_before(deleted, doc);
        GS_TRY(begin_term(l, term, st));
        GS_TRY(gs_index_part_postings(l->part, &left, &l->tfs[i], 1,
                                      has_positions ? c->positions : NULL, st));
    }
    return has_positions ? gs_posting_list_end_places(c, st) : GS_OK;
}

static gs_code append_list_left(gs_list_merge *l, const gs_term_cursor *term,
                                size_t source, gs_status *st)
{
    gs_posting_list *const c = &l->list;
    uint64_t cf = 0;
    GS_TRY(gs_posting_list_start(c, term->index, &term->info, st));
    GS_TRY(note_reading(l, source, c, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(c, st));
        if (c->count == 0)
            break;
        cf += convert_tfs(c, l->tfs);
        GS_TRY(append_left(l, term, source, st));
        GS_TRY(note_reading(l, source, c, st));
    }
    return cf == term->info.cf ? GS_OK : damaged_counts(c, st);
}

static gs_code append_list(gs_list_merge *l, const gs_term_cursor *term, size_t source,
                           gs_status *st)
{
    if (l->options.deleted[source]->lines != NULL)
        return append_list_left(l, term, source, st);
    GS_TRY(begin_term(l, term, st));
    gs_posting_list *const c = &l->list;
    const uint64_t shift = l->options.shifts[source];
    uint64_t next_doc = 0, cf = 0; /* doc numbers count from here */
    GS_TRY(gs_posting_list_start(c, term->index, &term->info, st));
    GS_TRY(note_reading(l, source, c, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(c, st));
        if (c->count == 0)
            break;
        const uint64_t first_number = c->docs[0] - next_doc;
        next_doc = c->docs[c->count - 1] + 1;
        cf += convert_tfs(c, l->tfs);
        for (size_t i = 0; i < c->count; i++)
            c->docs[i] += shift;
        GS_TRY(append_block(l, c, first_number, st));
        GS_TRY(note_reading(l, source, c, st));
    }
    if (cf != term->info.cf)
        return damaged_counts(c, st);
    return GS_OK;
}

/* --- kept -------------------------------------------------------------------------- */

static gs_code load_block(gs_list_merge *l, list_source *s, size_t source, gs_status *st)
{
    GS_TRY(gs_posting_list_block(&s->list, st));
    s->next = 0;
    s->batch.count = s->list.count;
    for (size_t i = 0; i < s->list.count; i++)
        s->batch.docs[i] = s->list.docs[i];
    const uint64_t cf = convert_tfs(&s->list, s->batch.tfs);
    if (cf > s->cf || (s->list.left == 0 && cf < s->cf))
        return damaged_counts(&s->list, st);
    s->cf -= cf;
    return note_reading(l, source, &s->list, st);
}

/* The index whose next docID is the least, and the least that any other has next. Lists
 * are few and a docID mostly begins a stretch of one index: each is asked. */
static list_source *find_least(gs_list_merge *l, const size_t *sources, size_t count,
                               size_t *which, uint64_t *others)
{
    list_source *least = NULL;
    uint64_t least_doc = UINT64_MAX;
    *others = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        list_source *const s = &l->sources[sources[i]];
        if (s->next == s->batch.count)
            continue;
        const uint64_t doc = s->batch.docs[s->next];
        if (least == NULL || doc < least_doc) {
            *others = least_doc;
            least = s;
            least_doc = doc;
            *which = sources[i];
        } else if (doc < *others) {
            *others = doc;
        }
    }
    return least;
}

static gs_code join_lists(gs_list_merge *l, const gs_term_merge *terms,
                          size_t source_count, gs_status *st)
{
    const size_t *const sources = gs_term_merge_sources(terms);
    for (size_t i = 0; i < source_count; i++) {
        const gs_term_cursor *const term = gs_term_merge_cursor(terms, sources[i]);
        list_source *const s = &l->sources[sources[i]];
        GS_TRY(gs_posting_list_start(&s->list, term->index, &term->info, st));
        GS_TRY(note_reading(l, sources[i], &s->list, st));
        s->cf = term->info.cf;
        GS_TRY(load_block(l, s, sources[i], st));
    }
    for (;;) {
        size_t which = 0;
        uint64_t others;
        list_source *const s = find_least(l, sources, source_count, &which, &others);
        if (s == NULL)
            return gs_posting_gather_end(&l->gather, st);
        const size_t begin = s->next++;
        while (s->next < s->batch.count && s->batch.docs[s->next] < others)
            s->next++;
        GS_TRY(gs_posting_gather_add(&l->gather, &s->batch, begin, s->next, NULL, st));
        if (s->next == s->batch.count)
            GS_TRY(load_block(l, s, which, st));
    }
}

/* --- ranges and terms -------------------------------------------------------------- */

void gs_list_merge_begin(gs_list_merge *l, gs_index_part *part)
{
    l->part = part;
    for (size_t i = 0; i < l->options.count; i++)
        l->held[i] = (held_pages){0};
}

void gs_list_merge_end(gs_list_merge *l)
{
    let_go(l);
    l->part = NULL;
}

bool gs_list_merge_has_term(const gs_list_merge *l)
{
    return l->options.shifts == NULL || l->has_begun;
}

gs_code gs_list_merge_term(gs_list_merge *l, const gs_term_merge *terms,
                           size_t source_count, gs_status *st)
{
    const size_t *const sources = gs_term_merge_sources(terms);
    const gs_term_cursor *const first = gs_term_merge_cursor(terms, sources[0]);
    for (size_t i = 0; i < source_count; i++)
        hold(l, sources[i], HELD_TERMS, gs_term_merge_cursor(terms, sources[i])->p);
    if (l->options.shifts == NULL) {
        GS_TRY(gs_posting_gather_term(&l->gather, first->term, first->bytes, st));
        return join_lists(l, terms, source_count, st);
    }
    l->has_begun = false;
    for (size_t i = 0; i < source_count; i++)
        GS_TRY(append_list(l, gs_term_merge_cursor(terms, sources[i]), sources[i], st));
    return GS_OK;
}
