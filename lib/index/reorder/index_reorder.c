/* SPDX-License-Identifier: MIT */
/*
 * How a reordering flows.
 *
 *      index -> doc_terms -> bisection -> order -+-> documents -> index_writer
 *            +------------------------> places --+-> lists, a part a range of terms
 */
#include "lib/index/reorder/index_reorder.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/share.h"
#include "lib/base/team.h"
#include "lib/index/reorder/bisection.h"
#include "lib/index/reorder/list_reorder.h"
#include "lib/index/reorder/name_gain.h"
#include "lib/index/reorder/text_reorder.h"

enum {
    MIB = 1024 * 1024,
    BYTES_A_DOC = 32,
    PARTS_A_WORKER = 4,
    FIXED_BYTES = 4 * MIB, /* of cursors and lists in hand, a worker */
    NAMES_AT_ONCE = 1024,  /* whose pages stay */
};

typedef struct reorderer {
    const gs_index_reorder_options *options;
    gs_index *index;
    uint32_t doc_count;
    size_t usable_bytes;
    unsigned workers, part_count;
    gs_team *team;
    uint32_t *order, *places; /* of documents by place, and the other way round */
    size_t order_bytes;
    gs_index_writer *writer;
    size_t writer_bytes, list_bytes, text_bytes;
    uint64_t *cuts; /* the first dictionary block of every part, and the end */
    atomic_size_t next_part;
    atomic_bool texts_are_taken;
    uint64_t phase_begin_ns;
} reorderer;

static void set_phase(reorderer *r, gs_sort_phase phase)
{
    gs_index_stats_begin_phase(r->options->stats, phase, &r->phase_begin_ns);
}

static const gs_index_header *header(const reorderer *r)
{
    return gs_index_header_of(r->index);
}

/* --- the plan ---------------------------------------------------------------------- */

static gs_code open_index(reorderer *r, gs_status *st)
{
    gs_quoted q;
    GS_TRY(gs_index_open(&r->index, r->options->input, st));
    if (!header(r)->has_names) {
        (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s was made of tuples, whose docIDs are yours",
                      gs_quote_name_always(&q, r->options->input));
        return gs_status_hint(st, "number the documents before the index is built");
    }
    if (header(r)->documents >= UINT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than 2^32 - 2 documents to reorder");
    r->doc_count = (uint32_t)header(r)->documents;
    r->order_bytes = ((size_t)r->doc_count + 1) * sizeof *r->order;
    return GS_OK;
}

static gs_code make_plan(reorderer *r, gs_status *st)
{
    const gs_index_reorder_options *const o = r->options;
    const gs_memory_share memory = gs_machine_memory_share(o->memory_bytes);
    const size_t documents = (size_t)r->doc_count * BYTES_A_DOC;
    r->usable_bytes = memory.usable_bytes;
    r->workers = gs_share_workers(o->threads);
    while (r->workers > 1 &&
           documents + 4 * (size_t)r->workers * FIXED_BYTES > r->usable_bytes)
        r->workers /= 2;
    if (documents + FIXED_BYTES > r->usable_bytes) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "to reorder %u documents takes %zu MiB of memory at least",
                      r->doc_count, (documents + FIXED_BYTES) / MIB + 1);
        return gs_status_hint(st, "allow more with -S");
    }
    const size_t left = r->usable_bytes - documents;
    r->writer_bytes = gs_clamp(left / 4, 2 * MIB, 64 * MIB);
    r->text_bytes = gs_clamp(left / 4, 0, 64 * MIB);
    r->list_bytes = gs_clamp(left / 4 / r->workers, GS_LIST_REORDER_BYTES_MIN, 256 * MIB);
    atomic_store(&o->stats->sort.memory_limit_bytes, memory.limit_bytes);
    atomic_store(&o->stats->sort.threads, r->workers);
    return gs_index_parts_fit(&r->part_count,
                              r->workers == 1 ? 1 : PARTS_A_WORKER * r->workers,
                              header(r)->has_positions, st);
}

/* Not looked at here: has_names, since only an index of documents gets another order. */
static gs_code open_writer(reorderer *r, gs_status *st)
{
    const gs_index_writer_options writer = {
        .folder = r->options->folder,
        .has_positions = header(r)->has_positions,
        .has_documents = true,
        .has_texts = header(r)->has_texts,
        .has_impacts = header(r)->has_impacts,
        .replace = r->options->replace,
        .held_lock = r->options->held_lock,
        .doc_base = header(r)->doc_base,
        .memory_bytes = r->writer_bytes,
        .part_count = r->part_count,
        .tokenizer = header(r)->tokenizer,
        .log = r->options->log,
    };
    return gs_index_writer_new(&r->writer, &writer, st);
}

/* --- the order --------------------------------------------------------------------- */

static gs_code find_order(reorderer *r, gs_doc_terms *terms, gs_status *st)
{
    const gs_index_reorder_options *const o = r->options;
    const size_t left = r->usable_bytes - (size_t)r->doc_count * BYTES_A_DOC -
                        r->workers * (size_t)FIXED_BYTES / 2;
    set_phase(r, GS_PHASE_READ);
    GS_TRY(gs_doc_terms_make(terms, r->index, r->team, left,
                             r->workers * (size_t)GS_BISECTION_BYTES_A_TERM,
                             o->cancel_signal, st));
    gs_log_say(o->log, GS_LOG_INFO,
               "%u documents in an order by %u terms, %llu of %llu postings",
               r->doc_count, terms->term_count, (unsigned long long)terms->posting_count,
               (unsigned long long)header(r)->postings);
    set_phase(r, GS_PHASE_SORT);
    unsigned name_bits;
    GS_TRY(gs_name_gain(&name_bits, r->index, st));
    return gs_bisect(r->order, terms, name_bits, r->team, o->cancel_signal, st);
}

static gs_code make_order(reorderer *r, gs_status *st)
{
    gs_doc_terms terms = {0};
    GS_TRY(gs_mem_map(&r->order, r->order_bytes, false, "order of documents", st));
    GS_NOTED(find_order(r, &terms, st));
    gs_doc_terms_release(&terms);
    GS_TRY(st->code);
    GS_TRY(gs_mem_map(&r->places, r->order_bytes, false, "order of documents", st));
    for (uint32_t i = 0; i < r->doc_count; i++)
        r->places[r->order[i]] = i;
    return GS_OK;
}

/* --- documents --------------------------------------------------------------------- */

static void let_documents_go(const reorderer *r)
{
    gs_status ignored = {.code = GS_OK};
    const uint8_t *begin = NULL;
    const uint64_t bytes = gs_index_end(r->index, GS_INDEX_DOCUMENTS);
    if (gs_index_place(r->index, GS_INDEX_DOCUMENTS, 0, bytes, &begin, &ignored) == GS_OK)
        gs_index_let_go(begin, begin + bytes);
}

static gs_code copy_documents(reorderer *r, gs_document_name *name, gs_status *st)
{
    for (uint32_t i = 0; i < r->doc_count; i++) {
        uint32_t length;
        GS_TRY(gs_index_document_name(r->index, r->order[i], name, st));
        GS_TRY(gs_index_document_length(r->index, r->order[i], &length, st));
        GS_TRY(gs_index_writer_document(r->writer, name->text, name->bytes, length, st));
        if (i % NAMES_AT_ONCE != 0)
            continue;
        let_documents_go(r);
        GS_TRY(gs_cancel_check(r->options->cancel_signal, st));
    }
    return GS_OK;
}

static gs_code put_documents(reorderer *r, gs_status *st)
{
    gs_document_name name = {0};
    GS_NOTED(copy_documents(r, &name, st));
    gs_document_name_release(&name);
    return st->code;
}

/* One thread does that, while others do lists. */
static gs_code put_texts(reorderer *r, gs_status *st)
{
    const gs_text_reorder_options options = {.index = r->index,
                                             .order = r->order,
                                             .doc_count = r->doc_count,
                                             .memory_bytes = r->text_bytes,
                                             .cancel = r->options->cancel_signal};
    if (!header(r)->has_texts || atomic_exchange(&r->texts_are_taken, true))
        return GS_OK;
    return gs_text_reorder(gs_index_writer_texts(r->writer), &options, st);
}

/* --- lists ------------------------------------------------------------------------- */

/* Where the dictionary is cut, so that parts have about equally many bytes of postings.
 */
static gs_code cut_terms(reorderer *r, gs_status *st)
{
    const uint64_t blocks = gs_index_dictionary_blocks(r->index);
    const uint64_t bytes = gs_index_end(r->index, GS_INDEX_POSTINGS);
    GS_TRY(gs_mem_new_array(&r->cuts, (size_t)r->part_count + 1, sizeof *r->cuts, "cuts",
                            st));
    for (unsigned part = 1; part < r->part_count; part++) {
        uint64_t lo = r->cuts[part - 1], hi = blocks;
        while (lo < hi) {
            gs_dictionary_head head;
            const uint64_t middle = lo + (hi - lo) / 2;
            GS_TRY(gs_dictionary_head_read(r->index, middle, &head, st));
            if (head.postings < bytes / r->part_count * part)
                lo = middle + 1;
            else
                hi = middle;
        }
        r->cuts[part] = lo;
    }
    r->cuts[r->part_count] = blocks;
    return GS_OK;
}

static gs_code reorder_terms(reorderer *r, unsigned number, gs_term_cursor *term,
                             gs_list_reorder *lists, gs_index_part *part, gs_status *st)
{
    gs_dictionary_head head;
    const uint64_t end = r->cuts[number + 1] * GS_INDEX_TERM_BLOCK;
    uint64_t term_count = 0;
    if (r->cuts[number] == r->cuts[number + 1])
        return GS_OK;
    GS_TRY(gs_dictionary_head_read(r->index, r->cuts[number], &head, st));
    GS_TRY(gs_term_cursor_seek(term, head.term, head.bytes, st));
    for (; term->has_term && gs_term_cursor_number(term) < end; term_count++) {
        GS_TRY(gs_list_reorder_term(lists, term, part, st));
        atomic_fetch_add(&r->options->stats->sort.merge_bytes,
                         term->info.postings_bytes + term->info.skip_bytes +
                             term->info.positions_bytes);
        GS_TRY(gs_term_cursor_next(term, st));
    }
    atomic_fetch_add(&r->options->stats->terms, term_count);
    return GS_OK;
}

static gs_code make_part(reorderer *r, unsigned number, gs_term_cursor *term,
                         gs_list_reorder *lists, gs_status *st)
{
    gs_index_part *part = NULL;
    GS_TRY(gs_index_part_new(&part, r->writer, number, st));
    GS_NOTED(reorder_terms(r, number, term, lists, part, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_index_part_finish(part, st));
    gs_index_part_free(part);
    return st->code;
}

static gs_code list_worker(void *context, unsigned worker, gs_status *st)
{
    reorderer *const r = context;
    gs_trace *const trace = r->options->trace;
    gs_term_cursor *term = NULL;
    gs_list_reorder *lists = NULL;
    const gs_list_reorder_options options = {.index = r->index,
                                             .places = r->places,
                                             .doc_count = r->doc_count,
                                             .memory_bytes = r->list_bytes,
                                             .cancel = r->options->cancel_signal};
    GS_NOTED(put_texts(r, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_term_cursor_new(&term, r->index, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_list_reorder_new(&lists, &options, st));
    while (st->code == GS_OK) {
        const size_t number = atomic_fetch_add(&r->next_part, 1);
        if (number >= r->part_count)
            break;
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_NOTED(make_part(r, (unsigned)number, term, lists, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker, "reorder part", begin_ns, 0);
    }
    gs_list_reorder_free(lists);
    gs_term_cursor_free(term);
    return st->code;
}

static gs_code put_lists(reorderer *r, gs_status *st)
{
    set_phase(r, GS_PHASE_MERGE);
    atomic_store(&r->options->stats->sort.merge_bytes_total,
                 gs_index_end(r->index, GS_INDEX_POSTINGS) +
                     gs_index_end(r->index, GS_INDEX_POSITIONS));
    GS_TRY(cut_terms(r, st));
    GS_TRY(gs_team_run(r->team, list_worker, r, st));
    return gs_index_check_unchanged(r->index, st);
}

/* --- the flow ---------------------------------------------------------------------- */

static gs_code reorder(reorderer *r, gs_status *st)
{
    GS_TRY(open_index(r, st));
    GS_TRY(make_plan(r, st));
    GS_TRY(open_writer(r, st)); /* a name that is taken is told before the work */
    GS_TRY(gs_team_new(&r->team, r->workers, st));
    gs_team_set_trace(r->team, r->options->trace);
    GS_TRY(make_order(r, st));
    GS_TRY(put_documents(r, st));
    GS_TRY(put_lists(r, st));
    set_phase(r, GS_PHASE_DONE);
    GS_TRY(gs_index_writer_commit(r->writer, st));
    gs_index_stats_tell(r->options->stats, r->options->folder);
    return GS_OK;
}

gs_code gs_index_reorder(const gs_index_reorder_options *options, gs_status *st)
{
    gs_index_stats unasked = {.method = NULL};
    gs_index_reorder_options own = *options;
    if (own.stats == NULL)
        own.stats = &unasked;
    reorderer r = {.options = &own, .phase_begin_ns = gs_machine_now_ns()};
    GS_NOTED(reorder(&r, st));
    gs_team_free(r.team);
    gs_index_writer_free(r.writer);
    gs_mem_unmap(r.order, r.order_bytes);
    gs_mem_unmap(r.places, r.order_bytes);
    gs_mem_free(r.cuts);
    gs_index_close(r.index);
    return st->code;
}
