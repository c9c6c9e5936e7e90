/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_import.h"

#include <stdatomic.h>
#include <string.h>

#include "io/input.h"
#include "lib/base/cancel.h"
#include "lib/base/machine.h"
#include "lib/base/quote.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/base/team.h"
#include "lib/index/exchange/list_shelf.h"
#include "lib/index/text/documents.h"
#include "lib/index/write/writers.h"
#include "lib/index/format/formats.h"

enum {
    BLOCK_BYTES = 1 << 20,
    BLOCK_COUNT = 8,
    BLOCKS_IN_FLIGHT = 4,
    WORKER_BYTES = 2 << 20, /* of a thread that writes parts */
    PARTS_A_WORKER = 4,
    WRITER_BYTES_MIN = 2 << 20,
    WRITER_BYTES_MAX = 64 << 20,
    RULES_BYTES = 100,
    SMALL_BYTES = 2 << 20, /* of lists: not worth a second thread */
};

/* --- lists and documents ----------------------------------------------------------- */

static gs_code shelve_postings(const gs_ciff_import_options *o, gs_ciff_reader *r,
                               gs_list_shelf *shelf, gs_status *st)
{
    uint64_t docs[GS_POSTINGS_MAX], postings = 0, tokens = 0;
    uint32_t tfs[GS_POSTINGS_MAX];
    for (size_t count;;) {
        GS_TRY(gs_ciff_reader_postings(r, docs, tfs, GS_POSTINGS_MAX, &count, st));
        if (count == 0)
            break;
        GS_TRY(gs_list_shelf_postings(shelf, docs, tfs, count, st));
        postings += count;
        for (size_t i = 0; i < count; i++)
            tokens += tfs[i];
    }
    if (o->stats != NULL) {
        atomic_fetch_add(&o->stats->terms, 1);
        atomic_fetch_add(&o->stats->tokens, tokens);
        atomic_fetch_add(&o->stats->sort.output_records, postings);
    }
    return gs_list_shelf_end(shelf, st);
}

static gs_code shelve_lists(const gs_ciff_import_options *o, gs_ciff_reader *r,
                            gs_list_shelf *shelf, gs_status *st)
{
    for (gs_ciff_text term;;) {
        GS_TRY(gs_cancel_check(o->cancel_signal, st));
        GS_TRY(gs_ciff_reader_list(r, &term, st));
        if (term.bytes == 0)
            return GS_OK;
        GS_TRY(gs_list_shelf_term(shelf, term.data, term.bytes, st));
        GS_TRY(shelve_postings(o, r, shelf, st));
    }
}

static gs_code take_documents(const gs_ciff_import_options *o, gs_ciff_reader *r,
                              gs_index_writer *w, gs_status *st)
{
    for (gs_ciff_document document;;) {
        bool has_document;
        GS_TRY(gs_ciff_reader_document(r, &document, &has_document, st));
        if (!has_document)
            return GS_OK;
        GS_TRY(gs_index_writer_document(w, document.name.data, document.name.bytes,
                                        document.length, st));
        if (o->stats != NULL)
            atomic_fetch_add(&o->stats->sort.records, 1);
    }
}

/* The index holds what the file says; something else may have been meant, and that is
 * told. */
static void tell_doubts(const gs_ciff_import_options *o, const gs_ciff_reader *r)
{
    gs_quoted q;
    const char *first;
    const unsigned count = gs_ciff_reader_doubts(r, &first);
    if (count > 0)
        gs_log_say(o->log, GS_LOG_WARNING,
                   "%s: %u break%s of the format's rules, what is there is taken: %s%s",
                   gs_quote_name(&q, o->input), count, count > 1 ? "s" : "",
                   count > 1 ? "the first: " : "", first);
}

/* --- parts ------------------------------------------------------------------------- */

typedef struct importer {
    const gs_ciff_import_options *options;
    char rules[RULES_BYTES]; /* of impacts */
    gs_list_shelf shelf;
    gs_index_writer *writer;
    unsigned workers, part_count;
    size_t writer_bytes, directory_bytes; /* memory for them */
    atomic_uint next_part;
    atomic_bool has_failed;
} importer;

static gs_code plan(importer *m, gs_status *st)
{
    const gs_ciff_import_options *const o = m->options;
    const size_t usable = gs_machine_memory_share(o->memory_bytes).usable_bytes;
    m->workers = gs_share_workers(o->threads);
    while (m->workers > 1 && m->workers * (size_t)WORKER_BYTES > usable / 4)
        m->workers /= 2;
    m->writer_bytes = gs_clamp(usable / 8, WRITER_BYTES_MIN, WRITER_BYTES_MAX);
    m->directory_bytes = usable / 2;
    return gs_index_parts_fit(
        &m->part_count, m->workers == 1 ? 1 : PARTS_A_WORKER * m->workers, false, st);
}

static gs_code write_list(gs_shelf_reader *r, gs_index_part *part, gs_status *st)
{
    uint64_t docs[GS_POSTINGS_MAX];
    uint32_t tfs[GS_POSTINGS_MAX];
    for (size_t count;;) {
        GS_TRY(gs_shelf_reader_postings(r, docs, tfs, GS_POSTINGS_MAX, &count, st));
        if (count == 0)
            return GS_OK;
        GS_TRY(gs_index_part_postings(part, docs, tfs, count, NULL, st));
    }
}

static gs_code write_part(const importer *m, gs_shelf_reader *r, gs_index_part *part,
                          gs_status *st)
{
    for (;;) {
        const uint8_t *term = NULL;
        size_t bytes;
        GS_TRY(gs_cancel_check(m->options->cancel_signal, st));
        GS_TRY(gs_shelf_reader_term(r, &term, &bytes, st));
        if (bytes == 0)
            return gs_index_part_finish(part, st);
        GS_TRY(gs_index_part_term(part, term, bytes, st));
        GS_TRY(write_list(r, part, st));
    }
}

static gs_code make_part(importer *m, unsigned number, gs_status *st)
{
    gs_shelf_reader r = {0};
    gs_index_part *part = NULL;
    GS_TRY_OR_FAIL(gs_index_part_new(&part, m->writer, number, st));
    GS_TRY_OR_FAIL(gs_shelf_reader_open(&r, &m->shelf, number, st));
    GS_NOTED(write_part(m, &r, part, st));
fail:
    gs_shelf_reader_close(&r);
    gs_index_part_free(part);
    return st->code;
}

static gs_code import_worker(void *context, unsigned worker, gs_status *st)
{
    importer *const m = context;
    gs_trace *const trace = m->options->trace;
    while (st->code == GS_OK && !atomic_load(&m->has_failed)) {
        const unsigned part = atomic_fetch_add(&m->next_part, 1);
        if (part >= m->part_count)
            break;
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_NOTED(make_part(m, part, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker, "write part", begin_ns, 0);
    }
    if (st->code != GS_OK)
        atomic_store(&m->has_failed, true);
    return st->code;
}

static gs_code make_parts(importer *m, gs_status *st)
{
    gs_team *team = NULL;
    GS_TRY(gs_list_shelf_arrange(&m->shelf, m->options->input, m->part_count,
                                 m->directory_bytes, st));
    GS_TRY(gs_team_new(&team, m->shelf.bytes <= SMALL_BYTES ? 1 : m->workers, st));
    gs_team_set_trace(team, m->options->trace);
    GS_NOTED(gs_team_run(team, import_worker, m, st));
    gs_team_free(team);
    return st->code;
}

/* --- the flow ---------------------------------------------------------------------- */

static gs_code open_writer(importer *m, const gs_ciff_reader *r, gs_status *st)
{
    const gs_ciff_import_options *const o = m->options;
    gs_weight_rules_json(m->rules, sizeof m->rules, 0);
    const bool has_impacts = o->has_impacts || gs_ciff_reader_header(r).has_impacts;
    const gs_index_writer_options writer = {
        .folder = o->folder,
        .has_documents = true,
        .has_impacts = has_impacts,
        .tokenizer = has_impacts ? m->rules : NULL,
        .replace = o->replace,
        .unique_names = o->unique_ids,
        .memory_bytes = m->writer_bytes,
        .part_count = m->part_count,
        .log = o->log,
    };
    return gs_index_writer_new(&m->writer, &writer, st);
}

gs_code gs_ciff_import_source(const gs_ciff_import_options *o,
                              const gs_byte_source *source, gs_status *st)
{
    gs_ciff_reader *r = NULL;
    importer m = {.options = o};
    GS_TRY_OR_FAIL(plan(&m, st));
    GS_TRY_OR_FAIL(gs_ciff_reader_new(&r, source, o->input, o->is_strict, st));
    GS_TRY_OR_FAIL(open_writer(&m, r, st));
    GS_TRY_OR_FAIL(gs_list_shelf_open(&m.shelf, gs_index_writer_place(m.writer), st));
    GS_TRY_OR_FAIL(shelve_lists(o, r, &m.shelf, st));
    GS_TRY_OR_FAIL(take_documents(o, r, m.writer, st));
    tell_doubts(o, r);
    GS_TRY_OR_FAIL(make_parts(&m, st));
    GS_NOTED(gs_index_writer_commit(m.writer, st));
fail:
    gs_ciff_reader_free(r);
    gs_list_shelf_close(&m.shelf);
    gs_index_writer_free(m.writer);
    return st->code;
}

/* --- from a file ------------------------------------------------------------------- */

typedef struct file_source {
    gs_input *input;
    gs_block *block; /* the one that was given last */
    gs_index_stats *stats;
} file_source;

static gs_code next_bytes(void *context, const uint8_t **data, size_t *bytes,
                          gs_status *st)
{
    file_source *const s = context;
    do {
        gs_block_release(s->block);
        s->block = NULL;
        GS_TRY(gs_input_next(s->input, &s->block, st));
    } while (s->block != NULL && s->block->len == 0);
    *data = s->block != NULL ? s->block->data : NULL;
    *bytes = s->block != NULL ? s->block->len : 0;
    if (s->stats != NULL) {
        atomic_store(&s->stats->sort.input_bytes, gs_input_bytes_read(s->input));
        atomic_fetch_add(&s->stats->sort.text_bytes, *bytes);
    }
    return GS_OK;
}

static gs_code import(const gs_ciff_import_options *o, gs_block_pool *pool,
                      file_source *s, gs_status *st)
{
    const gs_input_options options = {
        .pool = pool,
        .blocks_in_flight = BLOCKS_IN_FLIGHT,
        .decode_threads = 1,
        .keep_compressed = o->keep_compressed,
        .no_uring = o->no_uring,
        .log = o->log,
        .trace = o->trace,
        .cancel = o->cancel_signal,
    };
    const gs_byte_source source = {next_bytes, s};
    s->stats = o->stats;
    GS_TRY(gs_input_new(&s->input, &o->input, 1, &options, st));
    if (o->stats != NULL) {
        atomic_store(&o->stats->sort.input_bytes_total, gs_input_size_hint(s->input));
        atomic_store(&o->stats->sort.threads, 1);
    }
    return gs_ciff_import_source(o, &source, st);
}

gs_code gs_ciff_import(const gs_ciff_import_options *o, gs_status *st)
{
    uint64_t begin_ns = gs_machine_now_ns();
    gs_block_pool *pool = NULL;
    file_source s = {0};
    GS_TRY(gs_block_pool_new(&pool, BLOCK_BYTES, BLOCK_COUNT, st));
    gs_index_stats_begin_phase(o->stats, GS_PHASE_READ, &begin_ns);
    GS_NOTED(import(o, pool, &s, st));
    gs_block_release(s.block);
    gs_input_free(s.input);
    gs_block_pool_free(pool);
    gs_index_stats_begin_phase(o->stats, GS_PHASE_DONE, &begin_ns);
    return st->code;
}
