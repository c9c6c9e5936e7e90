/* SPDX-License-Identifier: MIT */
/*
 * How a sort flows.
 *
 *      input -> line_feed -> ingest -> chunk -> bucket_split -> chunk_emit -+-> output
 *                              ^                                            |   (it fits)
 *                              |        full: once for each run             +-> run files
 *                              +------------------------------------------------+  |
 *                                             output <- range_merge <--------------+
 *
 * One team of threads does each step together; reading and writing go on beside it. For
 * much mapped text early_split stands for chunk and bucket_split, if it suits. With
 * a GPU, device_chunk stands for ingest, chunk, bucket_split and chunk_emit. If the GPU
 * fails, the CPU goes on where it can, and otherwise sorts everything again.
 */
#include "lib/sort/sort.h"

#include <stdio.h>
#include <string.h>

#include "io/input.h"
#include "io/output.h"
#include "io/spill.h"
#include "io/stream.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/sort/run/runs.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/device/devices.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/text/texts.h"
#include "lib/sort/watched.h"

/* Less is sorted sooner than the kernel has cleared a few large pages. */
enum { SMALL_PAGES_BYTES = 128 << 10 };

/* What is read while the device starts: a third of a second of a fast disk. */
static const size_t START_BYTES = (size_t)1536 << 20;

typedef struct gs_sorter {
    const gs_sort_options *options;
    gs_memory_plan plan;
    gs_record_layout layout;
    gs_key_encoder *encoder;
    gs_team *team;
    gs_block_pool *pool;
    gs_input *input;
    gs_file_map map; /* of the inputs, if they can be sorted where they are */
    gs_line_feed *feed;
    gs_ingest *ingest;
    gs_chunk chunk;
    gs_early_split *early; /* holds the records instead of the chunk's elements */
    gs_device_choice choice;
    gs_device_chunk *device; /* NULL: the CPU sorts */
    bool avoids_device;
    gs_witness_options watched;
    gs_witness *witness;
    gs_output *output;       /* of all tries, as is what follows */
    uint64_t *written_bytes; /* of an output that takes nothing back */
    uint64_t input_bytes;    /* read, as stored */
    bool input_saw_compressed;
    gs_run_store *runs;
    gs_checkpoint *checkpoint; /* NULL: none */
    char *job_text;
    uint64_t phase_begin_ns;
} gs_sorter;

static void set_phase(gs_sorter *s, gs_sort_phase phase)
{
    gs_sort_stats *const stats = s->options->stats;
    const uint64_t now = gs_machine_now_ns();
    if (stats != NULL) {
        const int before = atomic_exchange(&stats->phase, (int)phase);
        atomic_fetch_add(&stats->phase_ns[before], now - s->phase_begin_ns);
    }
    s->phase_begin_ns = now;
}

/* Is the result the same in whatever order the records come? Equal ones are then copies
 * of each other, and no lines are taken off the top. */
static bool is_any_order_good(const gs_sorter *s)
{
    const bool keeps_first_of_equals = s->layout.is_keyed && s->options->count;
    return !s->layout.is_key_only && !keeps_first_of_equals &&
           s->options->header_lines == 0;
}

/* Decoding several files at once takes a share of the memory, if there are several. */
static size_t reserve_for_decoding(gs_memory_plan *plan, size_t input_count)
{
    const size_t share = input_count > 1 ? plan->chunk_bytes / 32 : 0;
    plan->chunk_bytes -= share;
    if (plan->chunk_soft_bytes > plan->chunk_bytes)
        plan->chunk_soft_bytes = plan->chunk_bytes;
    return share;
}

static gs_code open_input(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    GS_TRY(gs_block_pool_new(&s->pool, s->plan.block_bytes, s->plan.block_count, st));
    const gs_input_options input = {
        .pool = s->pool,
        .blocks_in_flight = GS_BLOCKS_IN_FLIGHT,
        .decode_threads = s->plan.workers,
        .decode_bytes_max = reserve_for_decoding(&s->plan, o->input_count),
        .any_order = is_any_order_good(s) && o->checkpoint == NULL,
        .keep_compressed = o->keep_compressed,
        .no_uring = o->no_uring,
        .map_bytes_max = gs_arena_bytes_max,
        .log = o->log,
        .trace = o->trace,
        .bytes_read = o->stats ? &o->stats->input_bytes : NULL,
    };
    GS_TRY(gs_input_new(&s->input, o->inputs, o->input_count, &input, st));
    if (o->stats != NULL)
        atomic_store(&o->stats->input_bytes_total, gs_input_size_hint(s->input));
    const gs_line_feed_options feed = {
        .eol = o->order.eol,
        .record_size = o->order.record_size,
        .record_bytes_max = s->plan.record_bytes_max,
        .too_long_hint = s->plan.too_long_hint,
        .part_bytes = s->plan.part_bytes,
        .header_lines = o->header_lines,
        .names = o->inputs,
    };
    const gs_block_source blocks = gs_block_source_input(s->input);
    return gs_line_feed_new(&s->feed, &blocks, &feed, st);
}

/* What was done before is taken over. */
static gs_code open_checkpoint(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    GS_TRY(gs_sort_job_text(&s->job_text, o, st));
    const gs_checkpoint_job job = {
        .folder = o->checkpoint,
        .text = s->job_text,
        .inputs = o->inputs,
        .input_count = o->input_count,
        .output = o->output,
        .log = o->log,
    };
    return gs_checkpoint_open(&s->checkpoint, &job, st);
}

static gs_code open_runs(gs_sorter *s, gs_status *st)
{
    const gs_run_store_options options = {
        .options = s->options,
        .plan = &s->plan,
        .layout = &s->layout,
        .encoder = s->encoder,
        .team = s->team,
        .witness = s->witness,
        .checkpoint = s->checkpoint,
    };
    return s->options->compress_program != NULL
               ? gs_text_store_new(&s->runs, &options, st)
               : gs_block_store_new(&s->runs, &options, st);
}

/* Reading begins behind what the runs hold that were found. */
static gs_code go_on(gs_sorter *s, gs_status *st)
{
    const gs_checkpoint_state *const found = gs_checkpoint_found(s->checkpoint);
    if (found->run_count == 0)
        return GS_OK;
    const uint8_t *header;
    size_t header_bytes;
    GS_TRY(gs_sort_unpack_progress(found->extra, found->extra_bytes, s->witness, &header,
                                   &header_bytes, st));
    gs_input_skip_to(s->input, found->place.input_index, found->place.offset);
    return gs_line_feed_go_on(s->feed, found->place.input_index, found->place.offset,
                              header, header_bytes, st);
}

static gs_code save_place(gs_sorter *s, gs_status *st)
{
    gs_input_place place;
    const uint8_t *header;
    size_t header_bytes;
    gs_ingest_place(s->ingest, &place.input_index, &place.offset);
    gs_line_feed_header(s->feed, &header, &header_bytes);
    gs_packer extra = {0};
    if (gs_sort_pack_progress(&extra, s->witness, header, header_bytes, st) == GS_OK)
        GS_NOTED(gs_run_store_keep(s->runs, &place, extra.data, extra.bytes, st));
    gs_packer_release(&extra);
    return st->code;
}

static gs_code prepare_device(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    /* What is held back for a failure leaves the other half to the CPU after it. */
    const size_t share = s->plan.chunk_soft_bytes / 2;
    const size_t most = s->choice.can_read_again ? START_BYTES : SIZE_MAX;
    const gs_device_chunk_options options = {
        .order = &s->choice.order,
        .layout = &s->layout,
        .feed = s->feed,
        .pool = s->pool,
        .team = s->team,
        .engine = s->choice.engine,
        .devices = s->choice.devices,
        .device_count = s->choice.device_count,
        .gpu_memory_bytes = o->gpu_memory_bytes,
        .input_bytes = s->choice.input_bytes,
        .batches_held = s->plan.workers,
        .fetch_bytes = s->plan.stream_block_bytes,
        .held_back_bytes = share < most ? share : most,
        .keeps_all = !s->choice.can_read_again,
        .witness = s->witness,
        .watched = &s->watched,
        .encoder = s->encoder,
        .log = o->log,
        .stats = o->stats,
        .trace = o->trace,
        .cancel = o->cancel_signal,
    };
    if (options.keeps_all) {
        s->plan.chunk_bytes -= share;
        s->plan.chunk_soft_bytes -= share;
    }
    if (o->stats != NULL)
        atomic_store(&o->stats->engine, s->choice.engine ? s->choice.engine : "gpu");
    return gs_device_chunk_new(&s->device, &options, st);
}

static gs_code prepare(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    s->layout = gs_order_layout(&o->order, o->count);
    s->plan = gs_memory_plan_make(o->memory_bytes, o->threads, s->layout.is_keyed);
    if (o->compress_program != NULL)
        gs_memory_plan_shrink(&s->plan); /* who names a program expects it to be used */
    if (s->output == NULL)
        GS_TRY(gs_text_output_open(&s->output, o, st));
    s->watched = gs_sort_watched(o, &s->layout);
    GS_TRY(gs_witness_new(&s->witness, &s->watched, st));
    if (o->checkpoint != NULL)
        GS_TRY(open_checkpoint(s, st));
    GS_TRY(open_input(s, st));
    if (s->checkpoint != NULL)
        GS_TRY(go_on(s, st));
    GS_TRY(gs_input_begin(s->input, st));
    if (gs_input_is_small(s->input))
        s->plan.workers = 1;
    GS_TRY(gs_team_new(&s->team, s->plan.workers, st));
    gs_team_set_trace(s->team, o->trace);
    if (s->layout.is_keyed)
        GS_TRY(gs_key_encoder_new(&s->encoder, &o->order, s->layout.is_backwards, st));
    GS_TRY(open_runs(s, st));
    if (o->stats != NULL) {
        atomic_store(&o->stats->memory_limit_bytes, s->plan.limit_bytes);
        atomic_store(&o->stats->threads, s->plan.workers);
    }
    s->choice = gs_device_choose(
        o, &s->layout, gs_input_is_sized(s->input) ? gs_input_size_hint(s->input) : 0);
    if (!s->choice.is_wanted || s->avoids_device)
        return GS_OK;
    gs_witness_make_full(s->witness); /* what a GPU gives back is not believed */
    return prepare_device(s, st);
}

/* The chunk may be stretched if it is known how much is to come. */
static gs_chunk_limits chunk_limits(const gs_sorter *s)
{
    const bool is_known = gs_input_is_sized(s->input) &&
                          s->options->compress_program == NULL &&
                          !s->plan.is_space_limited;
    return (gs_chunk_limits){
        .budget_bytes = s->plan.chunk_bytes,
        .soft_bytes = s->plan.chunk_soft_bytes,
        .first_copies_max = s->plan.first_copies_max,
        .input_bytes = is_known ? gs_input_size_hint(s->input) : 0,
        .workers = s->plan.workers,
        .is_small = gs_input_is_sized(s->input) &&
                    gs_input_size_hint(s->input) < SMALL_PAGES_BYTES,
    };
}

/* Records need not be copied out of the page cache, but for keyed ones that are not for
 * early_split. --top keeps few of them, which are better off together. */
static void map_input(gs_sorter *s)
{
    const bool is_untouched = s->avoids_device || !s->choice.is_wanted;
    /* Nobody runs short of memory by pages that were there before, and can go. */
    const bool is_plain = s->encoder == NULL;
    const size_t more =
        is_plain && s->options->memory_bytes == 0 ? s->plan.limit_bytes / 8 : 0;
    gs_chunk_limits limits = chunk_limits(s);
    limits.budget_bytes += more;
    if (!is_untouched || s->layout.is_key_only || s->options->has_top ||
        s->plan.is_space_limited || s->runs->run_count > 0 ||
        !gs_input_map(s->input, gs_output_fd(s->output), gs_chunk_copy_bytes(&limits),
                      &s->map))
        return;
    gs_line_feed_map(s->feed, &s->map);
    s->plan.limit_bytes += more;
    s->plan.chunk_bytes += more;
    if (s->options->compress_program == NULL)
        s->plan.chunk_soft_bytes += more;
    if (s->options->stats != NULL)
        atomic_store(&s->options->stats->memory_limit_bytes, s->plan.limit_bytes);
    gs_log_say(s->options->log, GS_LOG_INFO,
               "the input is in the page cache and sorted where it is");
}

static gs_code leave_map_worker(void *context, unsigned worker, gs_status *st)
{
    const gs_sorter *const s = context;
    gs_file_map_leave(&s->map, worker, gs_team_workers(s->team));
    return st->code;
}

/* What was mapped is in the output or a run. All threads together: a page takes its time
 * to be let go. */
static gs_code leave_map(gs_sorter *s, gs_status *st)
{
    if (s->map.base == NULL)
        return GS_OK;
    GS_TRY(gs_file_map_check(&s->map, st));
    return gs_team_run(s->team, leave_map_worker, s, st);
}

/* What the CPU needs to sort. */
static gs_code prepare_ingest(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    if (o->stats != NULL)
        atomic_store(&o->stats->engine, "cpu");
    map_input(s);
    GS_TRY(gs_ingest_new(&s->ingest, s->feed, s->team, &s->layout, s->encoder,
                         o->order.record_size, o->stats, o->cancel_signal, st));
    gs_ingest_set_witness(s->ingest, s->witness);
    gs_chunk_limits limits = chunk_limits(s);
    if (s->runs->run_count == 0 && s->plan.first_soft_bytes < limits.soft_bytes)
        limits.soft_bytes = s->plan.first_soft_bytes;
    return gs_chunk_init(&s->chunk, &s->layout, &limits, s->map.base ? &s->map : NULL,
                         st);
}

/* --- where records go ---------------------------------------------------------- */

/* What the output will have if it is the input in another order; else 0. */
static uint64_t expected_bytes(const gs_sorter *s)
{
    const gs_sort_options *const o = s->options;
    const bool is_other = o->order.unique || o->count || o->has_top || o->output_zstd;
    return is_other || s->input_saw_compressed || s->checkpoint ? 0 : s->input_bytes;
}

static gs_code write_text(gs_sorter *s, gs_text_output_fn *make, size_t piece_bytes,
                          gs_status *st)
{
    gs_text_output out = {
        .options = s->options,
        .plan = &s->plan,
        .layout = &s->layout,
        .output = s->output,
        .piece_bytes = piece_bytes,
        .witness = s->witness,
        .wrong_code = s->device != NULL ? GS_ERR_GPU : GS_ERR_FORMAT,
        .written_bytes = s->written_bytes,
    };
    gs_line_feed_header(s->feed, &out.header, &out.header_bytes);
    gs_output_expect(s->output, expected_bytes(s));
    return gs_text_output_write(&out, make, s, st);
}

/* --- forming runs --------------------------------------------------------------- */

static gs_emit_options emit_options(const gs_sorter *s, uint64_t first_ticket)
{
    const gs_sort_options *const o = s->options;
    return (gs_emit_options){
        .is_unique = o->order.unique || o->count,
        .has_top = o->has_top,
        .top_count = o->top_count,
        .first_ticket = first_ticket,
        .witness = s->witness,
        .cancel = o->cancel_signal,
    };
}

static gs_code emit_text(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    gs_sorter *const s = context;
    gs_emit_options options = emit_options(s, ticket);
    options.is_last_use = true;
    uint64_t last_kept;
    if (s->early != NULL) {
        const gs_early_memory memory = {
            .arena = s->chunk.arena,
            .record_bytes = gs_chunk_record_bytes(&s->chunk),
            .room_bytes = s->plan.copy_bytes,
            .spare_bytes = gs_chunk_spare_bytes(&s->chunk),
        };
        GS_TRY(gs_bucket_emit(gs_early_split_finish(s->early, &memory), s->team, sink,
                              &options, &ticket, &last_kept, st));
    } else {
        GS_TRY(gs_chunk_emit(&s->chunk, s->team, sink, &options, s->plan.copy_bytes,
                             &ticket, &last_kept, st));
    }
    return leave_map(s, st);
}

static gs_device_emit device_emit(const gs_sorter *s, uint64_t first_ticket)
{
    const gs_sort_options *const o = s->options;
    return (gs_device_emit){
        .is_unique = o->order.unique || o->count,
        .keep = o->has_top ? o->top_count : UINT64_MAX,
        .first_ticket = first_ticket,
    };
}

static gs_code emit_device_text(void *context, gs_sink *sink, uint64_t ticket,
                                gs_status *st)
{
    gs_sorter *const s = context;
    const gs_device_emit emit = device_emit(s, ticket);
    return gs_device_chunk_emit(s->device, 0, sink, &emit, st);
}

/* The first of the records: in the map, or copied behind it. */
static void show_sample(const gs_sorter *s)
{
    const gs_chunk *const c = &s->chunk;
    if (c->mapped_bytes > 0)
        gs_run_store_see_sample(s->runs, c->arena, c->mapped_bytes);
    else
        gs_run_store_see_sample(s->runs, c->arena + c->copies_begin, c->copied_bytes);
}

/* Sorts the chunk into a run. */
static gs_code spill_chunk(gs_sorter *s, gs_status *st)
{
    gs_sink *sink;
    show_sample(s);
    GS_TRY(gs_run_store_open(s->runs, &sink, st));
    gs_emit_options options = emit_options(s, 0);
    if (s->options->count && !s->runs->kind->holds_counts) {
        options.is_unique = s->options->order.unique; /* all stay to be counted */
        options.has_top = false;
    }
    uint64_t ticket, last_kept = 0;
    GS_NOTED(gs_chunk_emit(&s->chunk, s->team, sink, &options, s->plan.copy_bytes,
                           &ticket, &last_kept, st));
    GS_TRY(gs_run_store_close(s->runs, st));
    if (options.has_top && last_kept != 0) {
        const gs_record r = gs_record_at(&s->layout, s->chunk.arena, last_kept);
        GS_TRY(gs_ingest_set_limit(s->ingest, r.string, r.string_bytes, st));
    }
    return GS_OK;
}

static void note_input(gs_sorter *s)
{
    s->input_bytes = gs_input_bytes_read(s->input);
    s->input_saw_compressed = gs_input_saw_compressed(s->input);
}

/* The GPU has no more part in this: what it held back goes to the feed. False if the
 * input has to be read again. */
static bool leave_device(gs_sorter *s)
{
    const bool goes_on = gs_device_chunk_give_back(s->device);
    gs_device_chunk_free(s->device);
    s->device = NULL;
    return goes_on;
}

/* Reads everything by way of the GPU; leaves the last chunk there if it is the only one.
 * *is_done stays false for a pipe that is too short for a GPU. */
static gs_code form_device_runs(gs_sorter *s, bool *fits, bool *is_done, gs_status *st)
{
    *is_done = false;
    set_phase(s, GS_PHASE_READ);
    if (s->choice.peek_bytes > 0) {
        bool is_short;
        GS_TRY(gs_device_chunk_peek(s->device, s->choice.peek_bytes, &is_short, st));
        s->choice.peek_bytes = 0;
        if (is_short) {
            gs_assert(leave_device(s));
            return GS_OK;
        }
    }
    const gs_device_emit emit = device_emit(s, 0);
    GS_TRY(gs_device_runs_form(s->device, s->runs, &emit, fits, st));
    note_input(s);
    set_phase(s, GS_PHASE_SORT);
    *is_done = true;
    return GS_OK;
}

/* Reads all of a large mapped text onto the lists of early_split, if that is for it. */
static gs_code read_early(gs_sorter *s, bool *is_done, gs_status *st)
{
    const size_t text_bytes = gs_file_map_text_bytes(&s->map);
    *is_done = false;
    if (s->map.base == NULL || s->options->compress_program != NULL ||
        text_bytes >= s->plan.chunk_bytes)
        return GS_OK;
    const gs_early_split_options options = {
        .layout = &s->layout,
        .encoder = s->encoder,
        .record_size = s->options->order.record_size,
        .map = &s->map,
        .workers = s->plan.workers,
        .memory_bytes = s->plan.chunk_bytes - text_bytes,
    };
    set_phase(s, GS_PHASE_READ);
    GS_TRY(gs_early_split_new(&s->early, &options, st));
    if (s->early == NULL) {
        gs_file_map_leave(&s->map, 0, 1); /* what the sample looked at */
        return GS_OK;
    }
    gs_log_say(s->options->log, GS_LOG_INFO, "records go to buckets as they are read");
    GS_TRY(gs_ingest_split_early(s->ingest, &s->chunk, s->early, is_done, st));
    if (*is_done)
        return GS_OK;
    gs_log_say(s->options->log, GS_LOG_INFO, "the input is not like its sample");
    gs_early_split_free(s->early);
    s->early = NULL;
    gs_file_map_leave(&s->map, 0, 1);
    gs_line_feed_map_again(s->feed);
    gs_witness_forget(s->witness);
    gs_sort_stats_reset(s->options->stats);
    return GS_OK;
}

/* Reads everything; leaves the last chunk in memory if it is the only one. */
static gs_code form_runs(gs_sorter *s, bool *fits, gs_status *st)
{
    bool is_last = false;
    *fits = false;
    if (s->device != NULL) {
        GS_TRY(form_device_runs(s, fits, &is_last, st));
        if (is_last)
            return GS_OK;
    }
    GS_TRY(prepare_ingest(s, st));
    GS_TRY(read_early(s, fits, st));
    if (*fits) {
        note_input(s);
        set_phase(s, GS_PHASE_SORT);
        return GS_OK;
    }
    while (!is_last) {
        set_phase(s, GS_PHASE_READ);
        gs_chunk_reset(&s->chunk);
        GS_TRY(gs_ingest_fill(s->ingest, &s->chunk, &is_last, st));
        note_input(s);
        set_phase(s, GS_PHASE_SORT);
        *fits = is_last && s->runs->run_count == 0;
        if (*fits || s->chunk.element_count == 0)
            continue;
        GS_TRY(spill_chunk(s, st));
        s->chunk.soft_bytes = s->plan.chunk_soft_bytes;
        GS_TRY(leave_map(s, st));
        if (s->checkpoint != NULL)
            GS_TRY(save_place(s, st));
    }
    return GS_OK;
}

/* --- merging --------------------------------------------------------------------- */

static gs_code merge_runs(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    const gs_sorter *const s = context;
    return gs_run_store_merge_last(s->runs, sink, ticket, st);
}

/* The memory of the first half goes to the second. */
static void release_forming(gs_sorter *s)
{
    gs_device_chunk_free(s->device);
    s->device = NULL;
    gs_ingest_free(s->ingest);
    s->ingest = NULL;
    gs_early_split_free(s->early);
    s->early = NULL;
    gs_chunk_release(&s->chunk);
    gs_file_map_close(&s->map);
    gs_input_free(s->input);
    s->input = NULL;
    gs_block_pool_free(s->pool);
    s->pool = NULL;
}

static gs_code write_result(gs_sorter *s, bool fits, gs_status *st)
{
    if (fits && s->device != NULL)
        return write_text(s, emit_device_text, s->plan.piece_bytes, st);
    if (fits)
        return write_text(s, emit_text, s->plan.piece_bytes, st);
    release_forming(s);
    if (s->checkpoint != NULL)
        GS_TRY(gs_checkpoint_check_inputs(s->checkpoint, st));
    set_phase(s, GS_PHASE_MERGE);
    GS_TRY(gs_run_store_reduce(s->runs, st));
    return write_text(s, merge_runs, s->runs->merge_piece_bytes, st);
}

/* Was it the GPU that failed, and can the CPU do without? Then the status is good again,
 * and a warning says what happened. Text is the same whoever makes it, and goes on where
 * it stopped; of zstd frames another try makes others. */
static bool forgive_device(const gs_sorter *s, gs_status *st)
{
    if (s->device == NULL || !gs_device_chunk_can_do_without(s->device, st))
        return false;
    if (s->options->output_zstd && *s->written_bytes > 0) {
        (void)gs_status_hint(st, "part of the compressed output has been written and "
                                 "cannot be taken back; sort again, with --engine=cpu");
        return false;
    }
    if (gs_witness_has_objected(s->witness) && *s->written_bytes > 0)
        return false; /* what has left is wrong */
    /* A driver that is absent or broken is nobody's concern who did not ask for it. */
    const bool is_news = s->choice.is_forced || gs_device_chunk_is_started(s->device);
    gs_log_say(s->options->log, is_news ? GS_LOG_WARNING : GS_LOG_INFO,
               "%s; the CPU sorts instead", st->msg);
    gs_status_clear(st);
    return true;
}

/* One try: *must_restart if the GPU failed and the input has to be read again. */
static gs_code try_sort(gs_sorter *s, bool *must_restart, gs_status *st)
{
    bool fits = false;
    *must_restart = false;
    GS_TRY(prepare(s, st));
    while (form_runs(s, &fits, st) != GS_OK || write_result(s, fits, st) != GS_OK) {
        if (!forgive_device(s, st))
            return st->code;
        if (!leave_device(s)) {
            *must_restart = true;
            return GS_OK;
        }
        if (s->runs->run_count == 0)
            gs_witness_forget(s->witness); /* what is written now is all */
    }
    if (s->checkpoint != NULL)
        gs_checkpoint_finish(s->checkpoint);
    set_phase(s, GS_PHASE_DONE);
    return GS_OK;
}

static void release_all(gs_sorter *s)
{
    release_forming(s);
    gs_line_feed_free(s->feed);
    gs_run_store_free(s->runs);
    gs_checkpoint_close(s->checkpoint);
    gs_mem_free(s->job_text);
    gs_key_encoder_free(s->encoder);
    gs_team_free(s->team);
    gs_witness_free(s->witness);
}

gs_code gs_sort_run(const gs_sort_options *options, gs_status *st)
{
    gs_assert(options->input_count > 0);
    gs_output *output = NULL; /* who reads a FIFO takes its end for the end of all */
    uint64_t written_bytes = 0;
    bool must_restart = true;
    for (unsigned tries = 0; must_restart && st->code == GS_OK; tries++) {
        gs_assert(tries < 2); /* the second does without a GPU */
        gs_sorter s = {
            .options = options,
            .phase_begin_ns = gs_machine_now_ns(),
            .avoids_device = tries > 0,
            .output = output,
            .written_bytes = &written_bytes,
        };
        if (tries > 0)
            gs_sort_stats_reset(options->stats);
        GS_NOTED(try_sort(&s, &must_restart, st));
        output = s.output;
        release_all(&s);
    }
    gs_output_free(output);
    return st->code;
}
