/* SPDX-License-Identifier: MIT */
#include "lib/sort/watched.h"

gs_witness_options gs_sort_watched(const gs_sort_options *options,
                                   const gs_record_layout *layout)
{
    const bool drops_equals = options->order.unique || options->count;
    return (gs_witness_options){
        .form = {.record_size = options->order.record_size, .eol = layout->eol},
        .order = {.is_backwards = layout->is_backwards, .is_strict = drops_equals},
        .is_full = options->verify,
        .drops_equals = drops_equals,
        .has_counts = options->count,
        .has_top = options->has_top,
        .top_count = options->top_count,
    };
}
