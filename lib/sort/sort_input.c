/* SPDX-License-Identifier: MIT */
#include "lib/sort/sort_input.h"

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
        .no_uring = o->no_uring,
        .map_bytes_max = gs_arena_bytes_max,
        .log = o->log,
        .trace = o->trace,
        .bytes_read = o->stats ? &o->stats->input_bytes : NULL,
    };
    GS_TRY(gs_input_new(&in->input, o->inputs, o->input_count, &input, st));
    if (o->stats != NULL)
        atomic_store(&o->stats->input_bytes_total, gs_input_size_hint(in->input));
    const gs_line_feed_options feed = {
        .eol = o->order.eol,
        .record_size = o->order.record_size,
        .record_bytes_max = plan->record_bytes_max,
        .too_long_hint = plan->too_long_hint,
        .part_bytes = plan->part_bytes,
        .header_lines = o->header_lines,
        .names = o->inputs,
    };
    const gs_block_source blocks = gs_block_source_input(in->input);
    return gs_line_feed_new(&in->feed, &blocks, &feed, st);
}

void gs_sort_input_close(gs_sort_input *in)
{
    gs_file_map_close(&in->map);
    gs_input_free(in->input);
    in->input = NULL;
    gs_block_pool_free(in->pool);
    in->pool = NULL;
}

void gs_sort_input_release(gs_sort_input *in)
{
    gs_sort_input_close(in);
    gs_line_feed_free(in->feed);
    in->feed = NULL;
}
