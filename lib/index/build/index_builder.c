/* SPDX-License-Identifier: MIT */
/*
 * How a build flows.
 *
 *      input -> line_feed -> block_fill -> block_set -+-> index_emit -> index_writer
 *                              ^                      |   (it fits)          ^
 *                              |  full: a run of them +-> block_spill        |
 *                              +------------------------------+              |
 *                                              index_emit <- runs, few ------+
 *
 * One team of threads does each step together; reading and writing go on beside it. The
 * writer puts the parts that index_emit made together, and the index has its name when it
 * is complete. With a checkpoint, runs and the place in the input are kept after each.
 */
#include "lib/index/build/index_builder.h"

#include <stdatomic.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/index/build/block_fill.h"
#include "lib/index/build/build_checkpoint.h"
#include "lib/index/build/device_try.h"
#include "lib/index/build/index_emit.h"
#include "lib/index/folder/folders.h"
#include "lib/index/format/formats.h"
#include "lib/index/reorder/reorders.h"

/* The front of a file that is looked at apart. */
enum { LOOK_BLOCK_BYTES = 1 << 16, LOOK_BLOCKS = 4 };
enum { RULES_BYTES = 100 };
/* Of many cores so many take what one can read. */
enum { WORKERS_A_READER = 2, READING_WORKERS_MIN = 4 };
/* Pages of the output that are taken ahead, and are ours as long as it is written. */
enum { EXPECTED_OF_MEMORY = 8 };

typedef struct builder {
    const gs_index_build_options *options;
    bool is_tuples;
    bool has_weights;               /* documents are vectors */
    char weight_rules[RULES_BYTES]; /* then, for the header */
    gs_index_plan plan;
    unsigned workers; /* as planned, or 1 for little input */
    gs_block_kind kind;
    bool goes_without_device; /* a GPU has failed */
    gs_device_tries *tries;
    bool is_written;         /* all parts of the index are */
    gs_tuple_sorter *sorter; /* of bsbi */
    gs_team *team;
    gs_block_pool *pool;
    gs_input *input;
    gs_line_feed *feed;
    gs_document_shapes *shapes; /* not of tuples */
    gs_word_rules *rules;
    gs_block_set *blocks;
    gs_block_fill *fill;
    gs_block_spill spill;
    gs_index_writer *writer;
    gs_build_checkpoint *checkpoint; /* NULL: none */
    uint64_t phase_begin_ns;
} builder;

static void set_phase(builder *b, gs_sort_phase phase)
{
    gs_index_stats_begin_phase(b->options->stats, phase, &b->phase_begin_ns);
}

/* --- preparing ------------------------------------------------------------------ */

/* Words or ready tuples are found on a GPU where one is asked for and can, or, where the
 * choice is left to us, one may be there and is sooner. Other engines sort tuples. */
static bool choose_device(builder *b)
{
    const gs_index_build_options *const o = b->options;
    const bool is_wanted =
        gs_device_is_asked_for(o) || (gs_device_is_worth(o) && gs_device_is_likely());
    if (!is_wanted || b->goes_without_device)
        return false;
    const char *const refusal = gs_device_refusal(o, b->rules);
    if (refusal != NULL) {
        gs_log_say(o->log, GS_LOG_INFO, "%s are not found on the GPU: %s",
                   b->is_tuples ? "tuples" : "words", refusal);
        return false;
    }
    b->kind = GS_BLOCKS_DEVICE;
    gs_log_say(o->log, GS_LOG_INFO, "method device: %s are found and sorted on the GPU",
               b->is_tuples ? "tuples" : "words");
    return true;
}

/*
 * Growing lists take about 410 instructions a word, parsing and writing included, and
 * tuples 630, in five times the memory; with -S 64M, where both spill, it is 560 and 990
 * (300 MB of Zipf documents, CPU engine; tests/bench/index_vs_tantivy.py tells the
 * times). A GPU takes the sort away, not the making. Ready tuples need no making, and
 * still are no better off: on 16 cores with an H200 1 GB of them took 2.1 s by lists and
 * 1.9 and 2.3 by tuples that the CPU and the GPU sort; with -S 256M 5.7, 11.7 and 12.9.
 * So tuples are taken only if an engine is asked for.
 */
static gs_code choose_method(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    if (choose_device(b))
        return GS_OK;
    const char *why = o->method == GS_INDEX_SPIMI ? "spimi, as asked for"
                      : o->method == GS_INDEX_BSBI
                          ? "bsbi, as asked for"
                          : "bsbi: an engine to sort tuples was asked for";
    if (o->method == GS_INDEX_BSBI ||
        (o->method == GS_INDEX_AUTO && gs_engine_is_of_gpu(o->sorter.engine) &&
         !b->goes_without_device))
        GS_TRY(gs_tuple_sorter_new(&b->sorter, &o->sorter, o->log, st));
    if (o->method == GS_INDEX_AUTO &&
        (b->sorter == NULL || !gs_tuple_sorter_uses_gpu(b->sorter))) {
        why = "spimi: growing lists take less time and memory than sorting tuples";
        gs_tuple_sorter_free(b->sorter);
        b->sorter = NULL;
    }
    b->kind = b->sorter != NULL ? GS_BLOCKS_TUPLES : GS_BLOCKS_LISTS;
    gs_log_say(o->log, GS_LOG_INFO, "method %s", why);
    if (b->sorter != NULL)
        gs_log_say(o->log, GS_LOG_INFO, "engine %s", gs_tuple_sorter_name(b->sorter));
    return GS_OK;
}

/* A file that is gone on with is looked at from its first byte, as it was before. */
static gs_code look_again(builder *b, size_t input_index, gs_record_ends *ends,
                          gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    gs_block_pool *pool = NULL;
    gs_input *input = NULL;
    gs_block *block = NULL;
    const char *const *const name = &o->inputs[input_index];
    GS_TRY_OR_FAIL(gs_block_pool_new(&pool, LOOK_BLOCK_BYTES, LOOK_BLOCKS, st));
    const gs_input_options look = {
        .pool = pool,
        .blocks_in_flight = 1,
        .decode_threads = 1,
        .keep_compressed = o->keep_compressed,
        .no_uring = true,
        .cancel = o->cancel_signal,
    };
    GS_TRY_OR_FAIL(gs_input_new(&input, name, 1, &look, st));
    GS_TRY_OR_FAIL(gs_input_next(input, &block, st));
    const gs_file_front front = {.input_index = input_index,
                                 .data = block->data,
                                 .bytes = block->len,
                                 .is_all = block->ends_input};
    GS_NOTED(gs_document_shapes_look(b->shapes, &front, true, ends, st));
fail:
    gs_block_release(block);
    gs_input_free(input);
    gs_block_pool_free(pool);
    return st->code;
}

static gs_code look_at_file(void *context, const gs_file_front *front,
                            gs_record_ends *ends, gs_status *st)
{
    builder *const b = context;
    return front->offset == 0 ? gs_document_shapes_look(b->shapes, front, false, ends, st)
                              : look_again(b, front->input_index, ends, st);
}

static gs_code open_shapes(builder *b, gs_line_feed_options *feed, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    const gs_document_shapes_options shapes = {
        .document = o->document,
        .names = o->inputs,
        .is_found = o->inputs_found,
        .count = o->input_count,
        .log = o->log,
    };
    feed->look = look_at_file;
    feed->look_context = b;
    return gs_document_shapes_new(&b->shapes, &shapes, st);
}

static unsigned cached_readers(const builder *b)
{
    const unsigned workers = b->plan.workers;
    return workers > READING_WORKERS_MIN ? workers / WORKERS_A_READER : 0;
}

static gs_code open_input(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    GS_TRY(
        gs_block_pool_new(&b->pool, b->plan.runs.block_bytes, b->plan.block_count, st));
    if (b->kind == GS_BLOCKS_DEVICE)
        GS_TRY(gs_device_tries_keep_pipes(b->tries, o, st));
    const gs_input_options input = {
        .pool = b->pool,
        .blocks_in_flight = GS_BLOCKS_IN_FLIGHT,
        .decode_threads = b->plan.workers,
        .decode_bytes_max = b->plan.decode_bytes,
        .trace = o->trace,
        .keep_compressed = o->keep_compressed,
        .no_uring = o->no_uring,
        .copy = b->tries->copy,
        .cached_readers = cached_readers(b),
        .log = o->log,
        .cancel = o->cancel_signal,
    };
    GS_TRY(gs_input_new(&b->input, o->inputs, o->input_count, &input, st));
    atomic_store(&o->stats->sort.input_bytes_total, gs_input_size_hint(b->input));
    gs_line_feed_options feed = {.eol = '\n'};
    if (b->is_tuples)
        feed = gs_document_feed_options(o->document.format);
    else
        GS_TRY(open_shapes(b, &feed, st));
    feed.record_bytes_max = b->plan.document_bytes_max;
    feed.long_bytes_max = b->is_tuples ? 0 : b->plan.long_bytes;
    feed.names = o->inputs;
    const gs_block_source blocks = gs_block_source_input(b->input);
    GS_TRY(gs_line_feed_new(&b->feed, &blocks, &feed, st));
    if (b->checkpoint == NULL)
        return GS_OK;
    const gs_input_place place = gs_build_checkpoint_place(b->checkpoint);
    gs_input_skip_to(b->input, place.input_index, place.offset);
    return gs_line_feed_go_on(b->feed, place.input_index, place.offset, NULL, 0, st);
}

static gs_fill_counts counts_before(const builder *b)
{
    return b->checkpoint != NULL ? gs_build_checkpoint_counts(b->checkpoint)
                                 : (gs_fill_counts){0};
}

/* Terms of vectors are taken as they are, and only they have weights. */
static gs_code check_kind(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    const gs_word_rules_options *const w = &o->words;
    const bool has_rules = o->has_positions || w->kind != 0 || w->stem_language != NULL ||
                           w->stop_file != NULL || w->min_len != 0 || w->max_len != 0;
    if (b->has_weights && has_rules)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "the documents are vectors, of terms that are taken as they are: "
                       "%s does not go with them",
                       o->has_positions ? "--positions" : "what makes terms of text");
    if (b->has_weights && o->rules_json != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "the documents are vectors, and those of the index are text");
    if (!b->has_weights && o->document.weight_scale != 0)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "the documents have no weights that --weight-scale could be for");
    return GS_OK;
}

/* Is it text, or are it weights? Where no format was given, the first file that holds
 * something tells, or what was read of it before. */
static gs_code find_kind(builder *b, gs_status *st)
{
    const gs_document_options *const d = &b->options->document;
    b->has_weights = d->format == GS_FORMAT_VECTORS;
    if (d->format == GS_FORMAT_ANY) {
        const gs_fill_counts before = counts_before(b);
        if (before.documents > 0)
            gs_document_shapes_decide(b->shapes, before.has_weights);
        GS_TRY(gs_line_feed_read_header(b->feed, st));
        b->has_weights = gs_document_shapes_have_weights(b->shapes);
    }
    if (b->has_weights && b->kind == GS_BLOCKS_DEVICE)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "the documents are vectors, which have no words to be found");
    gs_weight_rules_json(b->weight_rules, sizeof b->weight_rules, d->weight_scale);
    return check_kind(b, st);
}

static const char *rules_json(const builder *b)
{
    return b->has_weights     ? b->weight_rules
           : b->rules != NULL ? gs_word_rules_json(b->rules)
                              : NULL;
}

static gs_code open_writer(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    const gs_index_writer_options writer = {
        .folder = o->folder,
        .has_positions = o->has_positions,
        .has_documents = !b->is_tuples,
        .has_texts = o->has_texts,
        .replace = o->replace,
        .unique_names = o->unique_ids && !b->is_tuples,
        .doc_base = o->doc_base,
        .memory_bytes = b->plan.writer_bytes,
        .part_count = b->plan.part_count,
        .log = o->log,
    };
    return gs_index_writer_new(&b->writer, &writer, st);
}

static gs_device_source device_source(const builder *b)
{
    return !b->is_tuples                                     ? GS_DEVICE_TEXTS
           : b->options->document.format == GS_FORMAT_TUPLES ? GS_DEVICE_LINES
                                                             : GS_DEVICE_PAIRS;
}

static gs_code make_blocks(builder *b, gs_status *st)
{
    const gs_tuple_sorter_options *const engine = &b->options->sorter;
    const gs_block_set_options blocks = {
        .kind = b->kind,
        .workers = b->workers,
        .sorter = b->sorter,
        .block_bytes = b->plan.gather_bytes,
        .dictionary_bytes = b->plan.dictionary_bytes,
        .has_positions = b->options->has_positions,
        .is_tuples = b->is_tuples || b->has_weights,
        .device = {.source = device_source(b),
                   .piece_bytes = b->plan.text_piece_bytes,
                   .rules = b->rules,
                   .gpu_memory_bytes = engine->gpu_memory_bytes,
                   .input_bytes = gs_input_size_hint(b->input)},
        .gpus = engine->gpus,
        .gpu_count = engine->gpu_count,
        .log = b->options->log,
    };
    return gs_block_set_new(&b->blocks, &blocks, st);
}

static gs_code write_document(void *context, const void *name, size_t name_bytes,
                              uint32_t length, gs_status *st)
{
    return gs_index_writer_document(context, name, name_bytes, length, st);
}

/* With a checkpoint all names are as they are, in the lead. */
static gs_code give_documents(void *context, const gs_name_pack *names, gs_status *st)
{
    builder *const b = context;
    for (size_t i = 0; b->checkpoint != NULL && i < names->lead; i++) {
        size_t bytes;
        const uint8_t *const name = gs_name_pack_lead(names, i, &bytes);
        GS_TRY(gs_build_checkpoint_document(b->checkpoint, name, bytes, names->lengths[i],
                                            st));
    }
    return gs_index_writer_documents(b->writer, names, st);
}

static gs_code make_fill(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    const gs_block_fill_options fill = {
        .build = o,
        .feed = b->feed,
        .input = b->input,
        .shapes = b->shapes,
        .document_bytes_max = b->plan.document_bytes_max,
        .before = counts_before(b),
        .has_weights = b->has_weights,
        .has_pieces = b->kind == GS_BLOCKS_DEVICE,
        .rules = b->rules,
        .blocks = b->blocks,
        .workers = b->workers,
        .documents_fn = give_documents,
        .documents_context = b,
        .packs_names = b->checkpoint == NULL,
        .texts = gs_index_writer_texts(b->writer),
    };
    return gs_block_fill_new(&b->fill, &fill, st);
}

static void tell_plan(const builder *b)
{
    gs_index_stats *const stats = b->options->stats;
    if (b->kind == GS_BLOCKS_DEVICE)
        gs_log_say(b->options->log, GS_LOG_INFO,
                   "%u threads, %zu KiB for the terms of a block", b->workers,
                   b->plan.dictionary_bytes / 1024);
    else
        gs_log_say(b->options->log, GS_LOG_INFO,
                   "%u threads, %zu KiB a block, %zu KiB for the dictionary", b->workers,
                   b->plan.gather_bytes / 1024, b->plan.dictionary_bytes / 1024);
    atomic_store(&stats->sort.memory_limit_bytes, b->plan.limit_bytes);
    atomic_store(&stats->sort.threads, b->workers);
    static const char *const names[] = {[GS_BLOCKS_LISTS] = "spimi",
                                        [GS_BLOCKS_TUPLES] = "bsbi",
                                        [GS_BLOCKS_DEVICE] = "device"};
    const bool uses_gpu = b->kind == GS_BLOCKS_DEVICE ||
                          (b->sorter != NULL && gs_tuple_sorter_uses_gpu(b->sorter));
    atomic_store(&stats->sort.engine, uses_gpu ? "gpu" : "cpu");
    atomic_store(&stats->method, names[b->kind]);
}

/* What was done before is taken over; *is_done if that was all. */
static gs_code open_checkpoint(builder *b, bool *is_done, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    *is_done = false;
    if (!b->is_tuples)
        GS_TRY(o->rules_json != NULL ? gs_word_rules_read(&b->rules, o->rules_json, st)
                                     : gs_word_rules_new(&b->rules, &o->words, st));
    if (o->checkpoint == NULL)
        return GS_OK;
    const char *const rules = b->rules != NULL ? gs_word_rules_json(b->rules) : NULL;
    GS_TRY(gs_build_checkpoint_open(&b->checkpoint, o, rules, st));
    *is_done = gs_build_checkpoint_is_done(b->checkpoint);
    return GS_OK;
}

static gs_code go_on(builder *b, gs_status *st)
{
    if (b->checkpoint == NULL)
        return GS_OK;
    GS_TRY(gs_checkpoint_give_runs(gs_build_checkpoint_base(b->checkpoint),
                                   &b->spill.list, st));
    return gs_build_checkpoint_go_on(b->checkpoint, write_document, b->writer, st);
}

static void open_spill(builder *b)
{
    gs_checkpoint *const checkpoint =
        b->checkpoint != NULL ? gs_build_checkpoint_base(b->checkpoint) : NULL;
    gs_block_spill_init(&b->spill, b->options, &b->plan, checkpoint);
}

static gs_code prepare(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    gs_assert(!(b->is_tuples && (o->has_positions || o->has_texts)));
    GS_TRY(choose_method(b, st));
    GS_TRY(gs_index_plan_make(&b->plan, o, b->kind, st));
    GS_TRY(open_writer(b, st)); /* what it cannot write is told before anything is read */
    GS_TRY(open_input(b, st));
    GS_TRY(gs_input_begin(b->input, st));
    GS_TRY(find_kind(b, st));
    gs_index_writer_set_kind(b->writer, b->has_weights, rules_json(b));
    const bool is_small = gs_input_is_small(b->input) && o->memory_bytes == 0;
    b->workers = is_small ? 1 : b->plan.workers;
    GS_TRY(gs_team_new(&b->team, b->workers, st));
    gs_team_set_trace(b->team, o->trace);
    GS_TRY(make_blocks(b, st));
    GS_TRY(make_fill(b, st));
    open_spill(b);
    tell_plan(b);
    return go_on(b, st);
}

/* --- blocks and runs ------------------------------------------------------------ */

/* A document is longer than what is left beside the blocks, which are empty now. */
static gs_code make_room(builder *b, gs_status *st)
{
    const gs_index_plan *const p = &b->plan;
    gs_log_say(b->options->log, GS_LOG_INFO,
               "blocks give up %zu KiB each for long documents", p->room_bytes / 1024);
    gs_line_feed_set_long_max(b->feed, p->document_bytes_max);
    return gs_block_set_shrink(b->blocks, p->gather_bytes - p->room_bytes, st);
}

/* The runs are kept, where they hold all of what was read. */
static gs_code save_place(builder *b, gs_status *st)
{
    gs_fill_counts counts;
    gs_input_place place;
    if (b->checkpoint == NULL || !gs_block_fill_is_between(b->fill, &counts))
        return GS_OK;
    gs_line_feed_place(b->feed, &place.input_index, &place.offset);
    GS_TRY(gs_build_checkpoint_save(b->checkpoint, &b->spill.list, &place, &counts, st));
    gs_device_tries_keep(b->tries);
    return GS_OK;
}

/* The blocks become a run and are empty again. */
static gs_code spill_blocks(builder *b, gs_status *st)
{
    if (gs_block_set_term_count(b->blocks) > 0)
        GS_TRY(gs_block_spill_add(&b->spill, b->team, gs_block_set_views(b->blocks),
                                  gs_block_set_view_count(b->blocks), st));
    GS_TRY(save_place(b, st));
    GS_TRY(gs_block_set_reset(b->blocks, st));
    return gs_block_fill_wants_room(b->fill) ? make_room(b, st) : GS_OK;
}

/* While GPUs sort, the cores have nothing to do but to take memory for the output. A
 * token takes about a byte of the postings, in short documents, or a fifth of one, where
 * the same words come again and again in long ones, and a byte of the positions. */
static void expect_output(const builder *b)
{
    const uint64_t tokens = gs_block_set_tokens_on_gpus(b->blocks);
    if (b->spill.list.count == 0 && tokens <= b->plan.limit_bytes / EXPECTED_OF_MEMORY)
        gs_index_writer_expect(b->writer, tokens / 2, tokens);
}

/* Reads everything. The last blocks stay in memory if they are the only ones. */
static gs_code fill_blocks(builder *b, bool *fits, gs_status *st)
{
    gs_index_stats *const stats = b->options->stats;
    for (bool is_ended = false; !is_ended;) {
        set_phase(b, GS_PHASE_READ);
        GS_TRY(gs_block_fill_run(b->fill, b->team, &is_ended, st));
        atomic_store(&stats->sort.input_bytes, gs_input_bytes_read(b->input));
        set_phase(b, GS_PHASE_SORT);
        if (is_ended)
            expect_output(b);
        GS_TRY(gs_block_set_sort(b->blocks, b->team, st));
        *fits = is_ended && b->spill.list.count == 0;
        if (!*fits)
            GS_TRY(spill_blocks(b, st));
    }
    if (b->checkpoint != NULL)
        GS_TRY(gs_checkpoint_check_inputs(gs_build_checkpoint_base(b->checkpoint), st));
    return b->is_tuples ? gs_index_writer_set_document_count(
                              b->writer, gs_block_fill_document_count(b->fill), st)
                        : GS_OK;
}

static void release_blocks(builder *b)
{
    gs_block_fill_free(b->fill);
    b->fill = NULL;
    gs_block_set_free(b->blocks);
    b->blocks = NULL;
    gs_tuple_sorter_free(b->sorter);
    b->sorter = NULL;
    gs_line_feed_free(b->feed);
    b->feed = NULL;
    gs_document_shapes_free(b->shapes);
    b->shapes = NULL;
    gs_input_free(b->input);
    b->input = NULL;
    gs_block_pool_free(b->pool);
    b->pool = NULL;
}

/* Blocks, or else runs, to the parts of the index; the blocks are released. */
static gs_code emit(builder *b, bool fits, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    const gs_index_emit emit = {o, b->writer, b->plan.part_count};
    set_phase(b, GS_PHASE_MERGE);
    if (fits) {
        GS_TRY(gs_index_emit_blocks(&emit, b->team, gs_block_set_views(b->blocks),
                                    gs_block_set_view_count(b->blocks), st));
        release_blocks(b);
        return GS_OK;
    }
    release_blocks(b);
    gs_log_say(o->log, GS_LOG_INFO, "merging %zu runs", b->spill.list.count);
    GS_TRY(gs_block_spill_reduce(&b->spill, b->team, st));
    return gs_index_emit_runs(&emit, b->team, &b->spill, st);
}

/* --- the flow ------------------------------------------------------------------- */

/* The index is there and good: should it not be readable just now, one figure is less. */
static void count_output(const gs_index_build_options *o)
{
    gs_index_header header;
    gs_status ignored = {.code = GS_OK};
    uint64_t bytes = 0;
    if (gs_index_header_read(&header, o->folder, &ignored) != GS_OK)
        return;
    for (unsigned i = 0; i < GS_INDEX_FILE_COUNT; i++)
        bytes += header.file_bytes[i];
    atomic_store(&o->stats->sort.output_bytes, bytes);
    gs_index_header_release(&header);
}

/* The index as it was built never gets its name. */
static gs_code reorder(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    gs_index_reorder_options reorder = {
        .folder = o->folder,
        .replace = o->replace,
        .memory_bytes = o->memory_bytes,
        .threads = o->threads,
        .trace = o->trace,
        .cancel_signal = o->cancel_signal,
    };
    GS_TRY(gs_index_writer_lend(b->writer, &reorder.input, st));
    gs_log_say(o->log, GS_LOG_INFO, "reordering documents");
    return gs_index_reorder(&reorder, st);
}

/* The checkpoint knows the index before it has its name, and goes when it has. */
static gs_code commit(builder *b, gs_status *st)
{
    uint64_t sum;
    if (b->options->reorders)
        return reorder(b, st);
    if (b->checkpoint == NULL)
        return gs_index_writer_commit(b->writer, st);
    GS_TRY(gs_index_writer_put_together(b->writer, &sum, st));
    GS_TRY(gs_build_checkpoint_save_commit(b->checkpoint, sum, st));
    GS_TRY(gs_index_writer_commit(b->writer, st));
    gs_build_checkpoint_finish(b->checkpoint);
    return GS_OK;
}

/* A process before this one was stopped when all was done but the last. */
static gs_code settle(builder *b, gs_status *st)
{
    const gs_index_build_options *const o = b->options;
    gs_log_say(o->log, GS_LOG_INFO, "the index was there already");
    GS_TRY(gs_index_folder_settle(o->folder, o->log, st));
    gs_build_checkpoint_finish(b->checkpoint);
    return GS_OK;
}

static gs_code build(builder *b, gs_status *st)
{
    bool fits = false, is_done;
    GS_TRY(open_checkpoint(b, &is_done, st));
    if (is_done)
        return settle(b, st);
    GS_TRY(prepare(b, st));
    GS_TRY(fill_blocks(b, &fits, st));
    GS_TRY(emit(b, fits, st));
    b->is_written = true;
    if (!b->options->reorders)
        set_phase(b, GS_PHASE_DONE);
    GS_TRY(commit(b, st));
    set_phase(b, GS_PHASE_DONE);
    count_output(b->options);
    return GS_OK;
}

static void release(builder *b)
{
    release_blocks(b);
    gs_block_spill_release(&b->spill);
    gs_word_rules_free(b->rules);
    gs_team_free(b->team);
    gs_index_writer_free(b->writer);
    gs_build_checkpoint_close(b->checkpoint);
}

/* Did the GPU start, or was it asked for? Else that there is none is no news. */
static bool is_gpu_missed(const builder *b)
{
    return gs_device_is_asked_for(b->options) || b->blocks == NULL ||
           gs_block_set_has_started(b->blocks);
}

/* With what is on a GPU, and once more without, should it fail. */
static gs_code try_twice(builder *b, const gs_index_build_options *options, gs_status *st)
{
    gs_device_tries tries;
    gs_index_build_options own = *options;
    gs_device_tries_init(&tries, options);
    if (options->log != NULL)
        own.log = &tries.log;
    for (bool is_again = false;; is_again = true) {
        *b = (builder){
            .options = &own,
            .is_tuples = gs_document_format_is_tuples(options->document.format),
            .goes_without_device = is_again,
            .tries = &tries,
            .phase_begin_ns = gs_machine_now_ns(),
        };
        const gs_code code = build(b, st);
        const bool is_told = !b->has_weights && is_gpu_missed(b);
        release(b);
        if (code == GS_OK || b->kind != GS_BLOCKS_DEVICE || b->is_written ||
            !gs_device_is_to_blame(code) ||
            !gs_device_tries_again(&tries, options, is_told, st))
            break;
    }
    gs_device_tries_release(&tries);
    return st->code;
}

gs_code gs_index_build(const gs_index_build_options *options, gs_status *st)
{
    gs_assert(options->input_count > 0);
    gs_assert(!options->reorders || options->checkpoint == NULL);
    gs_assert(!options->has_texts || options->checkpoint == NULL);
    gs_index_stats unasked = {.method = NULL};
    gs_index_build_options own = *options;
    if (own.stats == NULL)
        own.stats = &unasked;
    builder b;
    return try_twice(&b, &own, st);
}
