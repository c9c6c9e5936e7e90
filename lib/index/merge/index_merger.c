/* SPDX-License-Identifier: MIT */
/*
 * How a merge flows.
 *
 *      indexes -+-> documents, in one go -------------------------------> index_writer
 *               +-> checksums of every file, meanwhile                         ^
 *               +-> merge_cut: ranges of terms, side by side                   |
 *                     term_merge -> list_merge -> a part ----------------------+
 *
 * One team of threads does each step together, and who is done with a file or a part
 * takes the next. The writer puts the parts together, and the index has its name when it
 * is complete. With a checkpoint, finished parts are kept and not made again.
 */
#include "lib/index/merge/index_merger.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/team.h"
#include "lib/index/segment/segments.h"
#include "lib/index/folder/folders.h"
#include "lib/index/merge/list_merge.h"
#include "lib/index/merge/merge_checkpoint.h"
#include "lib/index/merge/merge_cut.h"
#include "lib/index/merge/merge_inputs.h"
#include "lib/index/merge/merge_plan.h"
#include "lib/index/merge/merge_range.h"
#include "lib/index/merge/stored_merge.h"
#include "lib/sort/record/records.h"

/* One thread fills it; while the team has tasks, what they share is the two atomics, and
 * each part is of the worker that has it. What `in` has open is read only. */
typedef struct merger {
    const gs_index_merge_options *asked;
    const gs_index_merge_options *options; /* the same, but each segment is an input */
    gs_merge_inputs in;
    gs_merge_plan plan;
    unsigned part_count; /* as planned, or as the checkpoint has them */
    gs_team *team;
    gs_index_writer *writer;
    gs_merge_checkpoint *checkpoint; /* NULL: none */
    gs_term_bound from, to;          /* of all terms that are merged */
    gs_term_bound *bounds;           /* between parts */
    unsigned bound_count;
    atomic_size_t next_task;
    atomic_bool has_failed;
    uint64_t phase_begin_ns;
    gs_index_lent_fn *lend; /* NULL: the index gets its name */
    void *lend_context;
} merger;

static void set_phase(merger *m, gs_sort_phase phase)
{
    gs_index_stats_begin_phase(m->options->stats, phase, &m->phase_begin_ns);
}

static const gs_index_header *header(const merger *m, size_t i)
{
    return gs_merge_inputs_header(&m->in, i);
}

/* --- the plan ---------------------------------------------------------------------- */

static uint64_t input_bytes(const merger *m)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < m->options->input_count; i++) {
        for (int file = 0; file < GS_INDEX_FILE_COUNT; file++)
            bytes += header(m, i)->file_bytes[file];
    }
    return bytes;
}

static gs_code make_plan(merger *m, gs_status *st)
{
    const gs_index_merge_options *const o = m->options;
    const gs_merge_plan_wish wish = {
        .merge = o,
        .input_bytes = input_bytes(m),
        .keeps_ids = m->in.keeps_ids,
        .has_positions = header(m, 0)->has_positions,
        .has_texts = header(m, 0)->has_texts,
    };
    GS_TRY(gs_merge_plan_make(&m->plan, &wish, st));
    m->part_count = m->plan.part_count;
    if (m->checkpoint != NULL)
        GS_TRY(gs_merge_checkpoint_parts(m->checkpoint, m->plan.part_count,
                                         &m->part_count, st));
    gs_log_say(o->log, GS_LOG_INFO, "%zu indexes, %u threads, docIDs are %s",
               o->input_count, m->plan.workers, m->in.keeps_ids ? "kept" : "numbered on");
    atomic_store(&o->stats->sort.memory_limit_bytes, m->plan.limit_bytes);
    atomic_store(&o->stats->sort.threads, m->plan.workers);
    atomic_store(&o->stats->sort.input_bytes_total, wish.input_bytes);
    return GS_OK;
}

/* --- documents and checksums ------------------------------------------------------- */

static gs_code copy_documents_of(merger *m, gs_document_cursor *c,
                                 const gs_tombstones *deleted, gs_status *st)
{
    for (uint64_t doc = 0;; doc++) {
        GS_TRY(gs_document_cursor_next(c, st));
        if (!c->has_document)
            return GS_OK;
        if (gs_tombstones_has(deleted, doc))
            continue;
        GS_TRY(
            gs_index_writer_document(m->writer, c->name, c->name_bytes, c->length, st));
    }
}

/* How many indexes have documents that no other has. */
static size_t with_documents(const merger *m)
{
    return m->options->joins_terms ? 1 : m->options->input_count;
}

static gs_code copy_documents(merger *m, gs_status *st)
{
    for (size_t i = 0; i < with_documents(m); i++) {
        gs_document_cursor c;
        GS_TRY(gs_document_cursor_open(&c, m->in.indexes[i], st));
        GS_NOTED(copy_documents_of(m, &c, m->in.deleted[i], st));
        gs_document_cursor_close(&c);
        GS_TRY(st->code);
    }
    return GS_OK;
}

static gs_code check_file(merger *m, size_t number, gs_status *st)
{
    const gs_index_merge_options *const o = m->options;
    const size_t i = number / GS_INDEX_FILE_COUNT;
    const gs_index_file file = (gs_index_file)(number % GS_INDEX_FILE_COUNT);
    GS_TRY(gs_index_check_sum(m->in.indexes[i], file, st));
    atomic_fetch_add(&o->stats->sort.input_bytes, header(m, i)->file_bytes[file]);
    return gs_cancel_check(o->cancel_signal, st);
}

static gs_code copy_texts(merger *m, gs_status *st)
{
    for (size_t i = 0; i < with_documents(m); i++)
        GS_TRY(gs_stored_merge(gs_index_writer_texts(m->writer), m->in.indexes[i],
                               m->in.deleted[i], m->options->cancel_signal, st));
    return GS_OK;
}

enum { TASK_DOCUMENTS, TASK_TEXTS, TASK_FILES };

static gs_code do_task(merger *m, size_t task, gs_status *st)
{
    if (task >= TASK_FILES)
        return check_file(m, task - TASK_FILES, st);
    if (task == TASK_DOCUMENTS)
        return header(m, 0)->has_names ? copy_documents(m, st) : GS_OK;
    return header(m, 0)->has_texts ? copy_texts(m, st) : GS_OK;
}

/* First come the documents, whose lengths are wanted with the postings, and texts, then
 * the files. Should documents be damaged, so is their checksum. */
static gs_code check_worker(void *context, unsigned worker, gs_status *st)
{
    merger *const m = context;
    gs_trace *const trace = m->options->trace;
    const size_t file_count = m->options->input_count * GS_INDEX_FILE_COUNT;
    while (st->code == GS_OK && !atomic_load(&m->has_failed)) {
        const size_t task = atomic_fetch_add(&m->next_task, 1);
        if (task >= TASK_FILES + file_count)
            break;
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_NOTED(do_task(m, task, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker,
                     task >= TASK_FILES       ? "check"
                     : task == TASK_DOCUMENTS ? "documents"
                                              : "texts",
                     begin_ns, 0);
    }
    if (st->code != GS_OK)
        atomic_store(&m->has_failed, true);
    return st->code;
}

static gs_code check_inputs(merger *m, gs_status *st)
{
    set_phase(m, GS_PHASE_READ);
    return gs_team_run(m->team, check_worker, m, st);
}

/* --- parts ------------------------------------------------------------------------- */

/* What one worker has in hand. */
typedef struct part_worker {
    gs_term_merge *terms;
    gs_list_merge *lists;
    gs_index_part *part;
} part_worker;

static gs_code make_terms(merger *m, part_worker *w, unsigned number, gs_status *st)
{
    const gs_term_bound *const from = number > 0 ? &m->bounds[number - 1] : &m->from;
    const gs_term_bound *const to = number < m->bound_count ? &m->bounds[number] : &m->to;
    uint64_t term_count = 0;
    gs_list_merge_begin(w->lists, w->part);
    GS_TRY(gs_term_merge_begin(w->terms, from, to, st));
    for (size_t sources;;) {
        GS_TRY(gs_term_merge_next(w->terms, &sources, st));
        if (sources == 0)
            break;
        if (sources > 1 && m->options->joins_terms)
            return gs_merge_range_fail_twice(w->terms, st);
        GS_TRY(gs_list_merge_term(w->lists, w->terms, sources, st));
        term_count += gs_list_merge_has_term(w->lists);
    }
    gs_list_merge_end(w->lists);
    atomic_fetch_add(&m->options->stats->terms, term_count);
    return GS_OK;
}

static gs_code keep_part(merger *m, unsigned number, gs_status *st)
{
    gs_kept_part kept;
    GS_TRY(gs_index_writer_keep_part(m->writer, number, &kept, st));
    return gs_merge_checkpoint_save_part(m->checkpoint, number, &kept, st);
}

/* Parts behind the last bound have nothing in them. */
static gs_code make_part(merger *m, part_worker *w, unsigned number, gs_status *st)
{
    const gs_kept_part *const kept =
        m->checkpoint != NULL ? gs_merge_checkpoint_part(m->checkpoint, number) : NULL;
    if (kept != NULL)
        return gs_index_writer_take_part(m->writer, number, kept, st);
    GS_TRY(gs_index_part_new(&w->part, m->writer, number, st));
    if (number <= m->bound_count)
        GS_TRY(make_terms(m, w, number, st));
    GS_TRY(gs_index_part_finish(w->part, st));
    gs_index_part_free(w->part);
    w->part = NULL;
    return m->checkpoint != NULL ? keep_part(m, number, st) : GS_OK;
}

static gs_code merge_worker(void *context, unsigned worker, gs_status *st)
{
    merger *const m = context;
    const gs_index_merge_options *const o = m->options;
    part_worker w = {0};
    const gs_list_merge_options lists = {
        .indexes = m->in.indexes,
        .count = o->input_count,
        .shifts = m->in.keeps_ids ? NULL : m->in.shifts,
        .deleted = m->in.deleted,
        .has_positions = header(m, 0)->has_positions,
        .window_bytes = m->plan.window_bytes,
        .passed_bytes = &o->stats->sort.merge_bytes,
        .cancel = o->cancel_signal,
    };
    GS_NOTED(gs_term_merge_new(&w.terms, m->in.indexes, o->input_count, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_list_merge_new(&w.lists, &lists, st));
    while (st->code == GS_OK && !atomic_load(&m->has_failed)) {
        const size_t part = atomic_fetch_add(&m->next_task, 1);
        if (part >= m->part_count)
            break;
        const uint64_t begin_ns = gs_trace_begin(o->trace);
        GS_NOTED(make_part(m, &w, (unsigned)part, st));
        gs_trace_end(o->trace, GS_LANE_WORKER, worker, "merge part", begin_ns, 0);
    }
    if (st->code != GS_OK)
        atomic_store(&m->has_failed, true);
    gs_index_part_free(w.part);
    gs_list_merge_free(w.lists);
    gs_term_merge_free(w.terms);
    return st->code;
}

/* Terms are cut into ranges, and each becomes a part. The inputs must be the same still
 * when that is done. */
static gs_code make_parts(merger *m, gs_status *st)
{
    const gs_index_merge_options *const o = m->options;
    set_phase(m, GS_PHASE_MERGE);
    atomic_store(&o->stats->sort.merge_bytes_total, input_bytes(m));
    GS_TRY(gs_mem_new(&m->bounds, m->part_count * sizeof *m->bounds, "cuts", st));
    GS_TRY(gs_merge_cut(m->in.indexes, o->input_count, &m->from, &m->to, m->part_count,
                        m->bounds, &m->bound_count, st));
    atomic_store(&m->next_task, 0);
    GS_TRY(gs_team_run(m->team, merge_worker, m, st));
    for (size_t i = 0; i < o->input_count; i++)
        GS_TRY(gs_index_check_unchanged(m->in.indexes[i], st));
    return GS_OK;
}

/* --- the flow ---------------------------------------------------------------------- */

static gs_code open_writer(merger *m, gs_status *st)
{
    const gs_index_header *const first = header(m, 0);
    const gs_index_writer_options writer = {
        .folder = m->options->folder,
        .has_positions = first->has_positions,
        .has_documents = first->has_names,
        .has_texts = first->has_texts,
        .has_impacts = first->has_impacts,
        .replace = m->options->replace,
        .unique_names = m->options->unique_ids && first->has_names,
        .doc_base = gs_merge_inputs_base(&m->in),
        .memory_bytes = m->plan.writer_bytes,
        .part_count = m->part_count,
        .kept_folder = m->options->checkpoint,
        .held_lock = m->options->held_lock,
        .tokenizer = first->tokenizer,
        .log = m->options->log,
    };
    GS_TRY(gs_index_writer_new(&m->writer, &writer, st));
    return first->has_names
               ? GS_OK
               : gs_index_writer_set_document_count(m->writer, m->in.documents, st);
}

/* What is an input has to stay until all is done, and after that. */
static gs_code refuse_own_input(const merger *m, gs_status *st)
{
    const gs_index_merge_options *const o = m->asked;
    struct stat output, input;
    gs_quoted q;
    if (stat(o->folder, &output) != 0)
        return GS_OK;
    for (size_t i = 0; i < o->input_count; i++) {
        if (stat(o->inputs[i], &input) != 0 || input.st_dev != output.st_dev ||
            input.st_ino != output.st_ino)
            continue;
        (void)GS_FAIL(st, GS_ERR_ARG, 0,
                      "%s is input and output, and --checkpoint needs inputs that stay",
                      gs_quote_name_always(&q, o->folder));
        return gs_status_hint(st, "write to another name, and rename it then");
    }
    return GS_OK;
}

/* What was done before is taken over; *is_done if that was all. */
static gs_code open_checkpoint(merger *m, bool *is_done, gs_status *st)
{
    *is_done = false;
    if (m->options->checkpoint == NULL)
        return GS_OK;
    GS_TRY(refuse_own_input(m, st));
    GS_TRY(gs_merge_checkpoint_open(&m->checkpoint, m->options, m->in.indexes,
                                    m->in.deleted, st));
    *is_done = gs_merge_checkpoint_is_done(m->checkpoint);
    return GS_OK;
}

/* The checkpoint knows the index before it has its name, and goes when it has. */
static gs_code commit(merger *m, gs_status *st)
{
    uint64_t sum;
    const char *lent;
    if (m->lend != NULL) {
        GS_TRY(gs_index_writer_lend(m->writer, &lent, st));
        return m->lend(m->lend_context, lent, st);
    }
    if (m->checkpoint == NULL)
        return gs_index_writer_commit(m->writer, st);
    GS_TRY(gs_index_writer_put_together(m->writer, &sum, st));
    GS_TRY(gs_merge_checkpoint_save_commit(m->checkpoint, sum, st));
    GS_TRY(gs_index_writer_commit(m->writer, st));
    gs_merge_checkpoint_finish(m->checkpoint);
    return GS_OK;
}

/* A process before this one was stopped when all was done but the last. */
static gs_code settle(merger *m, gs_status *st)
{
    gs_log_say(m->options->log, GS_LOG_INFO, "the index was there already");
    GS_TRY(gs_index_folder_settle(m->options->folder, m->options->log, st));
    gs_merge_checkpoint_finish(m->checkpoint);
    return GS_OK;
}

static gs_code merge(merger *m, gs_index_merge_options *own, gs_status *st)
{
    bool is_done;
    GS_TRY(gs_merge_range_make(m->options, &m->from, &m->to, st));
    GS_TRY(gs_merge_inputs_open(&m->in, m->asked, own, st));
    GS_TRY(open_checkpoint(m, &is_done, st));
    if (is_done)
        return settle(m, st);
    GS_TRY(make_plan(m, st));
    GS_TRY(open_writer(m, st)); /* a name that is taken is told before the work */
    GS_TRY(gs_team_new(&m->team, m->plan.workers, st));
    gs_team_set_trace(m->team, m->options->trace);
    GS_TRY(check_inputs(m, st)); /* documents too, whose lengths the parts want */
    GS_TRY(make_parts(m, st));
    set_phase(m, GS_PHASE_DONE);
    GS_TRY(commit(m, st));
    if (m->lend != NULL)
        return GS_OK;
    gs_index_stats_tell(m->options->stats, m->options->folder);
    return GS_OK;
}

static void release(merger *m)
{
    gs_team_free(m->team);
    gs_index_writer_free(m->writer);
    gs_merge_checkpoint_close(m->checkpoint);
    gs_merge_inputs_release(&m->in);
    gs_mem_free(m->bounds);
}

static gs_code run(const gs_index_merge_options *options, gs_index_lent_fn *lend,
                   void *lend_context, gs_status *st)
{
    gs_assert(options->input_count > 0);
    gs_index_stats unasked = {.method = NULL};
    gs_index_merge_options own = *options;
    if (own.stats == NULL)
        own.stats = &unasked;
    merger m = {
        .asked = options,
        .options = &own,
        .phase_begin_ns = gs_machine_now_ns(),
        .lend = lend,
        .lend_context = lend_context,
    };
    /* What is appended to an index that is read here and then replaced would be lost. */
    const bool holds = own.replace && own.held_lock == NULL && lend == NULL;
    const int lock =
        holds ? gs_index_lock(own.folder, NULL) : -1; /* or there is none yet */
    if (lock >= 0)
        own.held_lock = &lock;
    GS_NOTED(merge(&m, &own, st));
    release(&m);
    if (lock >= 0)
        (void)close(lock);
    return st->code;
}

/* --- where others may cut ---------------------------------------------------------- */

/* A bound without what a line cannot hold: what comes before it is a bound too. */
static void cut_to_line(gs_term_bound *bound)
{
    uint8_t at = 0;
    while (at < bound->bytes && bound->term[at] != 0 && bound->term[at] != '\n')
        at++;
    bound->bytes = at;
}

static gs_code tell_bounds(merger *m, gs_index_merge_options *own, unsigned range_count,
                           gs_merge_tell_fn *tell, void *context, gs_status *st)
{
    gs_term_bound last;
    GS_TRY(gs_merge_range_make(m->options, &m->from, &m->to, st));
    GS_TRY(gs_merge_inputs_open(&m->in, m->asked, own, st));
    GS_TRY(gs_mem_new_array(&m->bounds, range_count, sizeof *m->bounds, "cuts", st));
    GS_TRY(gs_merge_cut(m->in.indexes, m->options->input_count, &m->from, &m->to,
                        range_count, m->bounds, &m->bound_count, st));
    for (size_t i = 0; i < m->options->input_count; i++)
        GS_TRY(gs_index_check_unchanged(m->in.indexes[i], st));
    last = m->from;
    for (unsigned i = 0; i < m->bound_count; i++) {
        gs_term_bound *const b = &m->bounds[i];
        cut_to_line(b);
        if (gs_string_compare(last.term, last.bytes, b->term, b->bytes, 0) >= 0)
            continue;
        GS_TRY(tell(context, b->term, b->bytes, st));
        last = *b;
    }
    return GS_OK;
}

gs_code gs_index_merge_splitters(const gs_index_merge_options *options,
                                 unsigned range_count, gs_merge_tell_fn *tell,
                                 void *context, gs_status *st)
{
    gs_assert(options->input_count > 0 && range_count > 0);
    gs_index_merge_options own = *options;
    merger m = {.asked = options, .options = &own};
    GS_NOTED(tell_bounds(&m, &own, range_count, tell, context, st));
    release(&m);
    return st->code;
}

gs_code gs_index_merge(const gs_index_merge_options *options, gs_status *st)
{
    return run(options, NULL, NULL, st);
}

gs_code gs_index_merge_lend(const gs_index_merge_options *options, gs_index_lent_fn *fn,
                            void *context, gs_status *st)
{
    gs_assert(options->checkpoint == NULL);
    return run(options, fn, context, st);
}
