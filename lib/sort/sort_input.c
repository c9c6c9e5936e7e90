/* SPDX-License-Identifier: MIT */
#include "lib/sort/sort_input.h"

#include "lib/base/mem.h"
#include "lib/base/pack.h"

/* --- reading -------------------------------------------------------------------- */

/* Is the result the same in whatever order the records come? Equal ones are then copies
 * of each other, no lines are taken off the top, and no place is kept to go on from. */
static bool is_any_order_good(const gs_sort_options *o, const gs_record_layout *layout)
{
    const bool keeps_first_of_equals = layout->is_keyed && o->count;
    return !layout->is_key_only && !keeps_first_of_equals && o->header_lines == 0 &&
           o->checkpoint == NULL;
}

gs_code gs_sort_input_open(gs_sort_input *in, const gs_sort_options *o,
                           const gs_memory_plan *plan, const gs_record_layout *layout,
                           gs_status *st)
{
    GS_TRY(gs_block_pool_new(&in->pool, plan->block_bytes, plan->block_count, st));
    const gs_input_options input = {
        .pool = in->pool,
        .blocks_in_flight = GS_BLOCKS_IN_FLIGHT,
        .decode_threads = plan->workers,
        .decode_bytes_max = plan->decode_bytes,
        .any_order = is_any_order_good(o, layout),
        .keep_compressed = o->keep_compressed,
        .has_range = o->has_range,
        .from = o->from,
        .to = o->to,
        .no_uring = o->no_uring,
        .map_bytes_max = gs_arena_bytes_max,
        .head = &in->head,
        .log = o->log,
        .trace = o->trace,
        .bytes_read = o->stats ? &o->stats->input_bytes : NULL,
        .cancel = o->cancel_signal,
    };
    GS_TRY(gs_input_new(&in->input, o->inputs, o->input_count, &input, st));
    if (o->stats != NULL)
        atomic_store(&o->stats->input_bytes_total, gs_input_size_hint(in->input));
    const gs_csv_form csv = gs_order_csv(&o->order);
    const bool is_csv = gs_form_has_quotes(o->order.form);
    const gs_line_feed_options feed = {
        .eol = o->order.eol,
        .record_size = o->order.record_size,
        .record_sizes = o->input_record_sizes,
        .record_bytes_max = plan->record_bytes_max,
        .too_long_hint = is_csv
                             ? "is a quote not closed? if not, give more memory with -S"
                             : plan->too_long_hint,
        .part_bytes = plan->part_bytes,
        .header_lines = o->header_lines,
        .header_of_each = o->header_of_each,
        .see_header = in->see_header,
        .header_context = in->header_context,
        .shares_header = o->header_lines > 0 && o->has_columns,
        .counts_lines = !gs_form_is_plain(o->order.form),
        .csv = is_csv ? &csv : NULL,
        .names = o->inputs,
    };
    const gs_block_source blocks = gs_block_source_input(in->input);
    GS_TRY(gs_line_feed_new(&in->feed, &blocks, &feed, st));
    return o->has_range ? gs_line_feed_go_on(in->feed, 0, o->from, NULL, 0, st) : GS_OK;
}

gs_code gs_sort_input_name_columns(gs_sort_input *in, gs_named_job *job, gs_status *st)
{
    const uint8_t *header;
    size_t bytes;
    if (job->options.header_lines == 0)
        return GS_OK;
    GS_TRY(gs_line_feed_read_header(in->feed, st));
    gs_line_feed_header(in->feed, &header, &bytes);
    return bytes > 0
               ? gs_named_job_resolve(job, header, bytes, job->options.inputs[0], st)
               : GS_OK; /* nor is there a record */
}

void gs_sort_input_close(gs_sort_input *in)
{
    if (in->feed != NULL)
        gs_line_feed_drop_first(in->feed);
    gs_file_map_close(&in->map);
    gs_input_free(in->input);
    in->input = NULL;
    gs_block_pool_free(in->pool);
    in->pool = NULL;
    gs_input_head_release(&in->head);
}

void gs_sort_input_release(gs_sort_input *in)
{
    gs_sort_input_close(in);
    gs_line_feed_free(in->feed);
    in->feed = NULL;
}

gs_witness_options gs_sort_watched(const gs_sort_options *options,
                                   const gs_record_layout *layout)
{
    const bool drops_equals = options->order.unique || options->count;
    return (gs_witness_options){
        .form = {.record_size = options->order.record_size,
                 .eol = layout->eol,
                 .is_csv = gs_form_has_quotes(options->order.form),
                 .separator = (uint8_t)options->order.delimiter},
        .order = {.is_backwards = layout->is_backwards, .is_strict = drops_equals},
        .is_full = options->verify,
        .drops_equals = drops_equals,
        .has_counts = options->count,
        .has_top = options->has_top,
        .top_count = options->top_count,
    };
}

/* --- going on ------------------------------------------------------------------- */

gs_code gs_sort_progress_open(gs_sort_progress *p, const gs_sort_options *o,
                              gs_status *st)
{
    if (o->checkpoint == NULL)
        return GS_OK;
    GS_TRY(gs_sort_job_text(&p->job_text, o, st));
    const gs_checkpoint_job job = {
        .folder = o->checkpoint,
        .text = p->job_text,
        .inputs = o->inputs,
        .input_count = o->input_count,
        .output = o->output,
        .log = o->log,
    };
    return gs_checkpoint_open(&p->checkpoint, &job, st);
}

void gs_sort_progress_close(gs_sort_progress *p)
{
    gs_checkpoint_close(p->checkpoint);
    gs_mem_free(p->job_text);
    *p = (gs_sort_progress){0};
}

static gs_code pack(gs_packer *p, gs_witness *w, const uint8_t *header,
                    size_t header_bytes, gs_status *st)
{
    const gs_witness_state state = gs_witness_save(w);
    const uint64_t numbers[] = {
        state.read.records,  state.read.bytes,  state.read.sum, state.dropped.records,
        state.dropped.bytes, state.dropped.sum, state.knows};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        GS_TRY(gs_pack_number(p, numbers[i], st));
    return gs_pack_string(p, header, header_bytes, st);
}

static gs_multiset unpack_multiset(gs_unpacker *u)
{
    gs_multiset m;
    m.records = gs_unpack_number(u);
    m.bytes = gs_unpack_number(u);
    m.sum = gs_unpack_number(u);
    return m;
}

/* The header that comes out points into `data`. */
static gs_code unpack(const uint8_t *data, size_t bytes, gs_witness *w,
                      const uint8_t **header, size_t *header_bytes, gs_status *st)
{
    gs_unpacker u = {.at = data, .left = bytes};
    gs_witness_state state;
    state.read = unpack_multiset(&u);
    state.dropped = unpack_multiset(&u);
    state.knows = gs_unpack_number(&u);
    *header = gs_unpack_string(&u, header_bytes);
    if (u.is_short || u.left > 0)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "the journal's record of runs is damaged");
    gs_witness_restore(w, &state);
    return GS_OK;
}

gs_code gs_sort_progress_go_on(const gs_sort_progress *p, gs_sort_input *in,
                               gs_witness *witness, gs_status *st)
{
    if (p->checkpoint == NULL || gs_checkpoint_found(p->checkpoint)->run_count == 0)
        return GS_OK;
    const gs_checkpoint_state *const found = gs_checkpoint_found(p->checkpoint);
    const gs_input_place *const place = &found->place;
    const uint8_t *header;
    size_t header_bytes;
    GS_TRY(unpack(found->extra, found->extra_bytes, witness, &header, &header_bytes, st));
    gs_input_skip_to(in->input, place->input_index, place->offset);
    return gs_line_feed_go_on(in->feed, place->input_index, place->offset, header,
                              header_bytes, st);
}

gs_code gs_sort_progress_keep(gs_run_store *runs, const gs_sort_input *in,
                              gs_witness *witness, const gs_input_place *place,
                              gs_status *st)
{
    const uint8_t *header;
    size_t header_bytes;
    gs_packer extra = {0};
    gs_line_feed_header(in->feed, &header, &header_bytes);
    if (pack(&extra, witness, header, header_bytes, st) == GS_OK)
        GS_NOTED(gs_run_store_keep(runs, place, extra.data, extra.bytes, st));
    gs_packer_release(&extra);
    return st->code;
}
