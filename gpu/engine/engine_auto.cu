/* SPDX-License-Identifier: MIT */
/*
 * engine_auto: picks an engine for each batch by its size and the width of its keys, from
 * the times in NOTES.md. The sample sort starts where it beats CUB on every distribution
 * measured; below, the bitonic network or one of CUB's sorts is faster.
 */
#include "gpu/engine/engine_ops.cuh"

namespace
{

enum { STEPS_MAX = 8 };

struct Step {
    size_t below; /* keys */
    const gs_engine_ops *ops;
};

const size_t M = 1000 * 1000;

/* Measured on an H200 at 300 keys to 10 M, around the bounds with all distributions of
 * gs_generate. The network takes as long for any keys and does best at powers of two and
 * worst above them, so that CUB's radix sort of equal keys is faster in between. The
 * sample sort does best where one round is enough, which is up to 2.9 M keys, or 1.97 M
 * wide ones; but just below that some cells become too large for a block if there are few
 * values or gaps, and a further round costs more than it had gained. */
const Step steps[GS_BATCH_TYPE_COUNT][STEPS_MAX] = {
    /* u64 */
    {{3000, &gs_engine_merge},
     {(1 << 20) + 1, &gs_engine_bitonic},
     {13 * M / 10, &gs_engine_radix},
     {2 * M, &gs_engine_sample},
     {205 * M / 100, &gs_engine_radix},
     {21 * M / 10, &gs_engine_bitonic},
     {7 * M, &gs_engine_radix},
     {SIZE_MAX, &gs_engine_sample}},
    /* u128 */
    {{8200, &gs_engine_merge},
     {14 * M / 10, &gs_engine_bitonic},
     {195 * M / 100, &gs_engine_sample},
     {235 * M / 100, &gs_engine_bitonic},
     {SIZE_MAX, &gs_engine_sample}},
    /* u64 + u32 */
    {{(1 << 19) + 1, &gs_engine_bitonic},
     {95 * M / 10, &gs_engine_radix},
     {SIZE_MAX, &gs_engine_sample}},
};

const gs_engine_ops *auto_pick(gs_batch_type type, size_t count)
{
    int s = 0;
    while (count >= steps[type][s].below && steps[type][s].below != SIZE_MAX)
        s++;
    return steps[type][s].ops;
}

/* Batches may be of any size up to `count`, so there is room for each engine's largest.
 */
gs_code auto_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *st)
{
    *out_bytes = 0;
    for (int s = 0; s < STEPS_MAX; s++) {
        const Step *const step = &steps[type][s];
        const size_t most = count < step->below ? count : step->below;
        size_t bytes = 0;
        GS_TRY(step->ops->scratch(type, most, &bytes, st));
        if (bytes > *out_bytes)
            *out_bytes = bytes;
        if (count < step->below || step->below == SIZE_MAX)
            break;
    }
    return GS_OK;
}

} // namespace

const gs_engine_ops gs_engine_auto = {
    "auto",   "the fastest for the batch, as measured", auto_scratch, nullptr, nullptr,
    auto_pick};
