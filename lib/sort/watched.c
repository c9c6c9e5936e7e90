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

gs_code gs_sort_pack_progress(gs_packer *p, gs_witness *w, const uint8_t *header,
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

gs_code gs_sort_unpack_progress(const uint8_t *data, size_t bytes, gs_witness *w,
                                const uint8_t **header, size_t *header_bytes,
                                gs_status *st)
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
