/* SPDX-License-Identifier: MIT */
/*
 * engine_auto: picks an engine for each batch, from the times in NOTES.md: the sample
 * sort, or CUB's radix sort for batches that are too small to pay for its planning.
 */
#include "gpu/engine_ops.cuh"

namespace
{

/* Batches of at least this many keys go to the sample sort; measured on an H200. */
const size_t sample_min[GS_KEY_TYPE_COUNT] = {
    [GS_KEY_U64] = (size_t)1 << 23,
    [GS_KEY_U128] = (size_t)1 << 20,
    [GS_KEY_U64_U32] = (size_t)1 << 23,
};

const gs_engine_ops *auto_pick(gs_key_type type, size_t count)
{
    return count >= sample_min[type] ? &gs_engine_sample : &gs_engine_radix;
}

/* Batches may be of any size up to `count`, so there is room for either. */
gs_code auto_scratch(gs_key_type type, size_t count, size_t *out_bytes, gs_status *st)
{
    size_t sample = 0, radix = 0;
    GS_TRY(gs_engine_sample.scratch(type, count, &sample, st));
    const size_t most = count < sample_min[type] ? count : sample_min[type];
    GS_TRY(gs_engine_radix.scratch(type, most, &radix, st));
    *out_bytes = sample > radix ? sample : radix;
    return GS_OK;
}

} // namespace

const gs_engine_ops gs_engine_auto = {
    "auto",   "the fastest for the batch, as measured", auto_scratch, nullptr, nullptr,
    auto_pick};
