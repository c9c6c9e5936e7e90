/* SPDX-License-Identifier: MIT */
#include "lib/index/exchange/ciff_import.h"

#include <stdatomic.h>
#include <string.h>

#include "io/input.h"
#include "lib/base/cancel.h"
#include "lib/base/machine.h"
#include "lib/base/quote.h"
#include "lib/base/mem.h"
#include "lib/index/merge/merges.h"
#include "lib/index/text/documents.h"
#include "lib/index/write/writers.h"
#include "lib/index/format/formats.h"

enum {
    BLOCK_BYTES = 1 << 20,
    BLOCK_COUNT = 8,
    BLOCKS_IN_FLIGHT = 4,
    WRITER_BYTES = 3 << 20,
    RULES_BYTES = 100,
};

/* --- lists and documents ----------------------------------------------------------- */

static gs_code take_postings(gs_ciff_reader *r, gs_index_part *part,
                             gs_index_stats *stats, gs_status *st)
{
    uint64_t docs[GS_POSTINGS_MAX], postings = 0, tokens = 0;
    uint32_t tfs[GS_POSTINGS_MAX];
    for (size_t count;;) {
        GS_TRY(gs_ciff_reader_postings(r, docs, tfs, GS_POSTINGS_MAX, &count, st));
        if (count == 0)
            break;
        GS_TRY(gs_index_part_postings(part, docs, tfs, count, NULL, st));
        postings += count;
        for (size_t i = 0; i < count; i++)
            tokens += tfs[i];
    }
    if (stats != NULL) {
        atomic_fetch_add(&stats->terms, 1);
        atomic_fetch_add(&stats->tokens, tokens);
        atomic_fetch_add(&stats->sort.output_records, postings);
    }
    return GS_OK;
}

static gs_code take_lists(const gs_ciff_import_options *o, gs_ciff_reader *r,
                          gs_index_part *part, gs_status *st)
{
    for (gs_ciff_text term;;) {
        GS_TRY(gs_cancel_check(o->cancel_signal, st));
        GS_TRY(gs_ciff_reader_list(r, &term, st));
        if (term.bytes == 0)
            return gs_index_part_finish(part, st);
        GS_TRY(gs_index_part_term(part, term.data, term.bytes, st));
        GS_TRY(take_postings(r, part, o->stats, st));
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

/* Reads the file into the writer. */
static gs_code take_file(const gs_ciff_import_options *o, gs_ciff_reader *r,
                         gs_index_writer *w, gs_status *st)
{
    gs_index_part *part = NULL;
    GS_TRY(gs_index_part_new(&part, w, 0, st));
    if (take_lists(o, r, part, st) == GS_OK)
        GS_NOTED(take_documents(o, r, w, st));
    gs_index_part_free(part);
    return st->code;
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

static gs_code write_again(const gs_ciff_import_options *o, const char *first,
                           gs_status *st)
{
    const gs_index_merge_options merge = {
        .folder = o->folder,
        .replace = o->replace,
        .inputs = &first,
        .input_count = 1,
        .memory_bytes = o->memory_bytes,
        .threads = o->threads,
        .trace = o->trace,
        .cancel_signal = o->cancel_signal,
    };
    return gs_index_merge(&merge, st);
}

gs_code gs_ciff_import_source(const gs_ciff_import_options *o,
                              const gs_byte_source *source, gs_status *st)
{
    gs_ciff_reader *r = NULL;
    gs_index_writer *w = NULL;
    const char *first = NULL;
    char rules[RULES_BYTES];
    GS_TRY_OR_FAIL(gs_ciff_reader_new(&r, source, o->input, o->is_strict, st));
    const bool has_impacts = o->has_impacts || gs_ciff_reader_header(r).has_impacts;
    gs_weight_rules_json(rules, sizeof rules, 0);
    const gs_index_writer_options writer = {
        .folder = o->folder,
        .has_documents = true,
        .has_impacts = has_impacts,
        .tokenizer = has_impacts ? rules : NULL,
        .replace = o->replace,
        .memory_bytes = WRITER_BYTES,
        .part_count = 1,
        .log = o->log,
    };
    GS_TRY_OR_FAIL(gs_index_writer_new(&w, &writer, st));
    GS_TRY_OR_FAIL(take_file(o, r, w, st));
    tell_doubts(o, r);
    GS_TRY_OR_FAIL(gs_index_writer_lend(w, &first, st));
    GS_NOTED(write_again(o, first, st));
fail:
    gs_ciff_reader_free(r);
    gs_index_writer_free(w);
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
