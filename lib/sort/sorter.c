/* SPDX-License-Identifier: MIT */
/*
 * How a sort flows.
 *
 *      input -> line_feed -> former ----- fill, emit ---+--> output
 *                              ^                        |    (it fits)
 *                              |   full: once for each  +--> run store
 *                              +------------------------+        |
 *                                            output <-- merge <--+
 *
 * The former makes sorted chunks of what is read: on a GPU, on lists, in memory. Which
 * one it is, is a matter of the input, and only choose_former knows. If it finds on the
 * way that it cannot, it gives back what it read and another one goes on; if that is gone
 * already, everything is sorted again without a GPU. Runs of a GPU are text, and merged
 * by it too, range by range; if it fails then, the cores merge them.
 *
 * One team of threads does each step together; reading and writing go on beside it. A
 * witness sees what is read and what is written, and says whether the one is the other in
 * order, before the output gets its name.
 */
#include "lib/sort/sort.h"

#include "io/output.h"
#include "lib/base/assertion.h"
#include "lib/base/machine.h"
#include "lib/base/team.h"
#include "lib/sort/column_names.h"
#include "lib/sort/device/devices.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/key/keys.h"
#include "lib/sort/merge_job.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/run/runs.h"
#include "lib/sort/sort_input.h"
#include "lib/sort/text/texts.h"

typedef struct gs_sorter {
    const gs_sort_options *options;
    gs_named_job *named;
    gs_memory_plan plan; /* does not change once the input is open */
    gs_record_layout layout;
    gs_key_encoder *encoder; /* NULL: lines are their own strings */
    gs_team *team;
    gs_witness_options watched;
    gs_witness *witness;
    gs_sort_input in;
    gs_device_choice choice;
    gs_forming forming; /* all this, for formers */
    gs_former *former;
    size_t formers_asked;
    gs_run_store *runs;
    gs_sort_progress progress;
    gs_output *output;       /* of all tries, as is what follows */
    uint64_t *written_bytes; /* of an output that takes nothing back */
    bool avoids_device;
    bool is_formed;        /* the runs have all of the input */
    gs_witness_state read; /* then, what the witness knows of it */
    uint64_t input_bytes;  /* read, as stored */
    bool input_saw_compressed;
    uint64_t phase_begin_ns;
} gs_sorter;

static void set_phase(gs_sorter *s, gs_sort_phase phase)
{
    gs_sort_stats_begin_phase(s->options->stats, phase, &s->phase_begin_ns);
}

/* --- before the first read ------------------------------------------------------ */

static gs_run_store_options run_options(gs_sorter *s)
{
    gs_input *const input = s->in.input;
    return (gs_run_store_options){
        .options = s->options,
        .plan = &s->plan,
        .layout = &s->layout,
        .encoder = s->encoder,
        .team = s->team,
        .input_bytes = gs_input_is_sized(input) ? gs_input_size_hint(input) : 0,
        .witness = s->witness,
        .checkpoint = s->progress.checkpoint,
    };
}

static gs_code open_runs(gs_sorter *s, gs_run_store **out, gs_status *st)
{
    const gs_run_store_options options = run_options(s);
    return s->options->compress_program != NULL ? gs_text_store_new(out, &options, st)
                                                : gs_block_store_new(out, &options, st);
}

/* Another store is better than the one that there is, which is empty. */
static void replace_runs(gs_sorter *s, gs_run_store *fresh)
{
    gs_assert(s->runs->run_count == 0);
    gs_run_store_free(s->runs);
    s->runs = fresh;
}

/* Runs of text, if the former wants them. */
static gs_code suit_former(gs_sorter *s, const uint8_t *sample, size_t bytes,
                           gs_status *st)
{
    const gs_former_kind *const kind = s->former->kind;
    const gs_run_store_options options = run_options(s);
    gs_run_store *fresh = NULL;
    size_t memory_bytes = 0;
    if (s->runs->run_count > 0 || kind->wants_texts == NULL ||
        !kind->wants_texts(s->former, sample, bytes, &memory_bytes))
        return GS_OK;
    GS_TRY(gs_mapped_store_new(&fresh, &options, st));
    gs_mapped_store_may_take(gs_mapped_store_of(fresh), memory_bytes);
    replace_runs(s, fresh);
    return GS_OK;
}

static gs_memory_plan plan_memory(const gs_sorter *s)
{
    const gs_sort_options *const o = s->options;
    const gs_input_head *const head = &s->in.head;
    if (head->is_small)
        return gs_memory_plan_small(o, s->layout.is_keyed);
    const bool are_files = head->data == NULL;
    return are_files && !s->layout.is_keyed && gs_list_former_keeps(o)
               ? gs_memory_plan_lists(o)
               : gs_memory_plan_sort(o, s->layout.is_keyed);
}

/* Opens what is read, behind what a checkpoint has of it, and plans the memory. */
static gs_code open_input(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    GS_TRY(gs_input_head_look(&s->in.head, o->inputs, o->input_count, o->keep_compressed,
                              o->cancel_signal, st));
    gs_memory_plan plan = plan_memory(s);
    GS_TRY(gs_sort_input_open(&s->in, o, &plan, &s->layout, st));
    GS_TRY(gs_sort_progress_go_on(&s->progress, &s->in, s->witness, st));
    GS_TRY(gs_input_begin(s->in.input, st));
    if (gs_input_is_small(s->in.input))
        plan.workers = 1;
    s->plan = plan;
    return o->has_columns ? gs_sort_input_name_columns(&s->in, s->named, st) : GS_OK;
}

/* What formers get to see: also the inputs as a map, if a GPU can be fed from it, or they
 * can be sorted where they are. */
static void describe_forming(gs_sorter *s)
{
    gs_forming *const f = &s->forming;
    gs_input *const input = s->in.input;
    s->choice = gs_device_choose(
        s->options, &s->layout, gs_input_is_sized(input) ? gs_input_size_hint(input) : 0);
    const bool has_device = s->choice.is_wanted && !s->avoids_device;
    *f = (gs_forming){
        .options = s->options,
        .plan = &s->plan,
        .layout = &s->layout,
        .encoder = s->encoder,
        .watched = &s->watched,
        .witness = s->witness,
        .team = s->team,
        .pool = s->in.pool,
        .input = input,
        .feed = s->in.feed,
        .device = has_device ? &s->choice : NULL,
        .holds_back = has_device && !s->choice.can_read_again,
        .has_runs = s->runs->run_count > 0,
    };
    const int output_fd = gs_output_fd(s->output);
    if (!s->options->no_map &&
        (has_device ? gs_device_feed_map(f, output_fd, &s->in.map)
                    : gs_core_former_map(f, output_fd, &s->in.map)))
        f->map = &s->in.map;
}

static gs_code prepare(gs_sorter *s, gs_status *st)
{
    const gs_sort_options *const o = s->options;
    s->layout = gs_order_layout(&o->order, o->count);
    s->watched = gs_sort_watched(o, &s->layout);
    GS_TRY(gs_witness_new(&s->witness, &s->watched, st));
    GS_TRY(gs_sort_progress_open(&s->progress, o, st));
    GS_TRY(open_input(s, st));
    GS_TRY(gs_team_new(&s->team, s->plan.workers, st));
    gs_team_set_trace(s->team, o->trace);
    if (s->layout.is_keyed)
        GS_TRY(gs_key_encoder_new(&s->encoder, &o->order, s->layout.is_backwards, st));
    GS_TRY(open_runs(s, &s->runs, st));
    describe_forming(s);
    if (o->stats != NULL) {
        const bool is_in_place = s->forming.map != NULL && s->forming.device == NULL;
        const size_t more = is_in_place ? s->plan.mapped_more_bytes : 0;
        atomic_store(&o->stats->memory_limit_bytes, s->plan.limit_bytes + more);
        atomic_store(&o->stats->threads, s->plan.workers);
    }
    return GS_OK;
}

/* What the output will have if it is the input, of so many bytes, in another order; else
 * 0. Not looked at here, since it is so with them too (make lint wants whatever else
 * decides a result): header_lines, columns. */
static uint64_t expected_bytes(const gs_sorter *s, uint64_t input_bytes)
{
    const gs_sort_options *const o = s->options;
    const bool is_other = o->order.unique || o->count || o->has_top || o->output_zstd;
    return is_other || s->input_saw_compressed || o->checkpoint ? 0 : input_bytes;
}

/* A GPU is done with sorting before a file in memory has its pages: they are taken while
 * the input is read, unless runs might need the space first. */
static void expect_output(const gs_sorter *s)
{
    const gs_device_choice *const device = s->forming.device;
    if (device == NULL || !device->can_read_again)
        return;
    const uint64_t bytes = expected_bytes(s, device->input_bytes);
    if (gs_output_has_room(s->output, bytes))
        gs_output_expect(s->output, bytes);
}

/* --- forming runs --------------------------------------------------------------- */

/* The first of these that is for this sort, and was not asked before. */
static gs_code choose_former(gs_sorter *s, gs_status *st)
{
    static gs_former_new_fn *const formers[] = {gs_group_former_new, gs_device_former_new,
                                                gs_list_former_new, gs_memory_former_new};
    while (s->former == NULL) {
        gs_assert(s->formers_asked < sizeof formers / sizeof formers[0]);
        GS_TRY(formers[s->formers_asked++](&s->former, &s->forming, st));
    }
    return GS_OK;
}

static void free_former(gs_sorter *s)
{
    if (s->former != NULL)
        s->former->kind->free(s->former);
    s->former = NULL;
}

/* The former has no more part in this: what it read goes to the next one, and so does the
 * memory that its runs are in. *goes_on is false if the input has to be read again. */
static gs_code leave_former(gs_sorter *s, bool *goes_on, gs_status *st)
{
    *goes_on = s->former->kind->give_back(s->former);
    free_former(s);
    s->forming.has_runs = s->runs->run_count > 0;
    if (!*goes_on)
        return GS_OK;
    if (s->forming.has_runs || gs_mapped_store_of(s->runs) == NULL)
        return gs_run_store_give_memory(s->runs, st);
    gs_run_store *fresh = NULL;
    GS_TRY(open_runs(s, &fresh, st));
    replace_runs(s, fresh);
    return GS_OK;
}

static gs_emit_options emit_options(const gs_sorter *s)
{
    const gs_sort_options *const o = s->options;
    return (gs_emit_options){
        .is_unique = o->order.unique || o->count,
        .has_top = o->has_top,
        .top_count = o->top_count,
        .witness = s->witness,
        .cancel = o->cancel_signal,
    };
}

/* For the blocks of a stream of text, if the former has some. */
static uint8_t *stream_memory(const gs_sorter *s)
{
    return s->former != NULL && s->former->kind->stream_memory != NULL
               ? s->former->kind->stream_memory(s->former)
               : NULL;
}

/* Sorts the chunk into a run. */
static gs_code spill(gs_sorter *s, gs_status *st)
{
    gs_emit_options options = emit_options(s);
    if (s->options->count && !s->runs->kind->holds_counts) {
        options.is_unique = s->options->order.unique; /* all stay to be counted */
        options.has_top = false;
    }
    const uint8_t *data;
    size_t bytes;
    gs_sink *sink;
    s->former->kind->sample(s->former, &data, &bytes);
    GS_TRY(suit_former(s, data, bytes, st));
    gs_run_store_see_sample(s->runs, data, bytes);
    s->runs->stream_memory = stream_memory(s);
    GS_TRY(gs_run_store_open(s->runs, &sink, st));
    GS_NOTED(s->former->kind->emit(s->former, sink, &options, st));
    GS_TRY(gs_run_store_close(s->runs, st));
    s->former->kind->clear(s->former);
    if (s->progress.checkpoint == NULL)
        return GS_OK;
    gs_input_place place;
    s->former->kind->place(s->former, &place);
    return gs_sort_progress_keep(s->runs, &s->in, s->witness, &place, st);
}

/* Reads everything, chunk by chunk. Each becomes a run, but for one that holds all of the
 * input, which is left to be written as it is. */
static gs_code form_runs(gs_sorter *s, bool *fits, gs_status *st)
{
    gs_filled filled = GS_FILLED_SOME;
    *fits = false;
    while (filled != GS_FILLED_LAST && !s->is_formed) {
        set_phase(s, GS_PHASE_READ);
        GS_TRY(choose_former(s, st));
        GS_TRY(s->former->kind->fill(s->former, &filled, st));
        if (filled == GS_FILLED_NOTHING) {
            bool goes_on;
            GS_TRY(leave_former(s, &goes_on, st));
            gs_assert(goes_on);
            continue;
        }
        s->input_bytes = gs_input_bytes_read(s->in.input);
        s->input_saw_compressed = gs_input_saw_compressed(s->in.input);
        set_phase(s, GS_PHASE_SORT);
        *fits = filled == GS_FILLED_LAST && s->runs->run_count == 0;
        if (!*fits && !s->former->kind->is_empty(s->former))
            GS_TRY(spill(s, st));
    }
    return GS_OK;
}

/* --- the result ----------------------------------------------------------------- */

static gs_code emit_chunk(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    const gs_sorter *const s = context;
    gs_emit_options options = emit_options(s);
    options.first_ticket = ticket;
    options.is_last_use = true;
    return s->former->kind->emit(s->former, sink, &options, st);
}

static gs_code merge_runs(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    const gs_sorter *const s = context;
    return gs_run_store_merge_last(s->runs, sink, ticket, st);
}

/* The runs have all of the input, and the former that made them is to make the result. */
static bool merges_by_former(const gs_sorter *s)
{
    return s->former != NULL && s->former->kind->merge != NULL &&
           gs_mapped_store_of(s->runs) != NULL;
}

static gs_code merge_by_former(void *context, gs_sink *sink, uint64_t ticket,
                               gs_status *st)
{
    const gs_sorter *const s = context;
    return s->former->kind->merge(s->former, s->runs, sink, ticket, st);
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
        .wrong_code = s->former != NULL ? s->former->kind->fault_code : GS_ERR_FORMAT,
        .written_bytes = s->written_bytes,
        .stream_memory = stream_memory(s),
    };
    gs_line_feed_header(s->in.feed, &out.header, &out.header_bytes);
    gs_output_expect(s->output, expected_bytes(s, s->input_bytes));
    return gs_text_output_write(&out, make, s, st);
}

/* The memory of the first half goes to the second. */
static void release_forming(gs_sorter *s)
{
    free_former(s);
    gs_sort_input_close(&s->in);
}

static gs_code write_result(gs_sorter *s, bool fits, gs_status *st)
{
    if (fits)
        return write_text(s, emit_chunk, s->plan.piece_bytes, st);
    if (!s->is_formed)
        s->read = gs_witness_save(s->witness);
    s->is_formed = true;
    if (!merges_by_former(s))
        release_forming(s);
    if (s->progress.checkpoint != NULL)
        GS_TRY(gs_checkpoint_check_inputs(s->progress.checkpoint, st));
    set_phase(s, GS_PHASE_MERGE);
    GS_TRY(gs_run_store_reduce(s->runs, st));
    return write_text(s, merges_by_former(s) ? merge_by_former : merge_runs,
                      s->runs->merge_piece_bytes, st);
}

/* --- all ------------------------------------------------------------------------ */

/* Was it the GPU that failed, and can the CPU do without? Then the status is good again,
 * and a warning says what happened. Text is the same whoever makes it, and goes on where
 * it stopped; of zstd frames another try makes others. */
static bool forgive_former(const gs_sorter *s, gs_status *st)
{
    bool is_news;
    const gs_former *const f = s->former;
    if (f == NULL || f->kind->is_to_blame == NULL ||
        !f->kind->is_to_blame(f, st, &is_news))
        return false;
    if (s->options->output_zstd && *s->written_bytes > 0) {
        (void)gs_status_hint(st, "part of the compressed output has been written and "
                                 "cannot be taken back; sort again, with --engine=cpu");
        return false;
    }
    if (gs_witness_has_objected(s->witness) && *s->written_bytes > 0)
        return false; /* what has left is wrong */
    gs_log_say(s->options->log, is_news ? GS_LOG_WARNING : GS_LOG_INFO,
               "%s; the CPU sorts instead", st->msg);
    gs_status_clear(st);
    return true;
}

/* The runs are good, and the cores merge them from the beginning. */
static void merge_again(gs_sorter *s)
{
    free_former(s);
    gs_witness_forget(s->witness);
    gs_witness_restore(s->witness, &s->read);
}

/* One try: *must_restart if the GPU failed and the input has to be read again. */
static gs_code try_sort(gs_sorter *s, bool *must_restart, gs_status *st)
{
    bool fits = false;
    *must_restart = false;
    GS_TRY(prepare(s, st));
    expect_output(s);
    while (form_runs(s, &fits, st) != GS_OK || write_result(s, fits, st) != GS_OK) {
        bool goes_on;
        if (!forgive_former(s, st))
            return st->code;
        if (s->is_formed) {
            merge_again(s);
            continue;
        }
        GS_TRY(leave_former(s, &goes_on, st));
        *must_restart = !goes_on;
        if (!goes_on)
            return GS_OK;
        if (s->runs->run_count == 0)
            gs_witness_forget(s->witness); /* what is written now is all */
    }
    if (s->progress.checkpoint != NULL)
        gs_checkpoint_finish(s->progress.checkpoint);
    set_phase(s, GS_PHASE_DONE);
    return GS_OK;
}

static void release_all(gs_sorter *s)
{
    release_forming(s);
    gs_sort_input_release(&s->in);
    gs_run_store_free(s->runs);
    gs_sort_progress_close(&s->progress);
    gs_key_encoder_free(s->encoder);
    gs_team_free(s->team);
    gs_witness_free(s->witness);
}

gs_code gs_sort_run(const gs_sort_options *options, gs_status *st)
{
    gs_assert(options->input_count > 0);
    gs_named_job named;
    GS_TRY(gs_named_job_init(&named, options, st));
    options = &named.options;
    gs_output *output = NULL; /* one for all tries: who reads a FIFO that is closed in
                                 between takes that for the end */
    uint64_t written_bytes = 0;
    bool must_restart = true, is_done = false;
    if (gs_text_output_open(&output, options, st) == GS_OK)
        GS_NOTED(gs_sort_stretches(options, output, &is_done, st));
    for (unsigned tries = 0; must_restart && !is_done && st->code == GS_OK; tries++) {
        gs_assert(tries < 2); /* the second does without a GPU */
        gs_sorter s = {
            .options = options,
            .named = &named,
            .phase_begin_ns = gs_machine_now_ns(),
            .avoids_device = tries > 0,
            .output = output,
            .written_bytes = &written_bytes,
        };
        if (tries > 0)
            gs_sort_stats_reset(options->stats);
        GS_NOTED(try_sort(&s, &must_restart, st));
        release_all(&s);
    }
    gs_output_free(output);
    gs_named_job_release(&named);
    return st->code;
}
