/* SPDX-License-Identifier: MIT */
/*
 * engine_split: three published sorts, as yardsticks. All cut by splitters in two phases
 * (split.cuh) until a part fits a block, which sorts it alone; they differ in how many
 * splitters there are and how large a sample they come from:
 *
 *     fss      Fine Sample Sort: 128 buckets, ceil(0.005 n^(1/3)) samples a bucket
 *     ssort    plain sample sort: 128 buckets, 30 samples a bucket
 *     quick    quicksort: one pivot, the middle one of a sample
 *
 * Parts that are only a few times too large for a block get as few buckets as they need,
 * from at least 8 samples each.
 * Levels depend on counts on the device, so that wait drives all but the first.
 */
#include "gpu/device/cub_launch.cuh"

#include <math.h>

#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

#include "gpu/engine/engine_ops.cuh"
#include "gpu/sample/sample_fill.cuh"
#include "gpu/sample/sample_local.cuh"
#include "gpu/sample/sample_tuning.cuh"
#include "gpu/sample/split.cuh"
#include "lib/base/assertion.h"

namespace
{

enum Kind { FSS, SSORT, QUICK };

struct Arrays {
    gs_sample_control *control;
    void *other;
    uint32_t *other_values;
    gs_segment *segments[2];
    gs_leaf *leaves;
    void *fills, *splitters;
    uint32_t *tile_starts, *table;
    void *places; /* uint32_t, or 64 bits if is_wide */
    void *temp;
    size_t temp_bytes;
};

/* What a level has to cut. */
struct Parts {
    unsigned long long largest; /* keys */
    uint32_t count;
};

uint32_t splitters_most(Kind kind)
{
    return kind == QUICK ? 1 : GS_SPLITTERS_MAX;
}

/* For parts of up to `largest` keys: buckets that fill half a block, if they are even. */
uint32_t splitters_of(Kind kind, size_t largest, uint32_t capacity)
{
    const size_t buckets = 2 * largest / capacity + 1, most = splitters_most(kind);
    return buckets > most ? (uint32_t)most : (uint32_t)buckets;
}

uint32_t sample_each(Kind kind, size_t count, uint32_t splitter_count)
{
    if (kind == QUICK)
        return 64;
    if (kind == SSORT)
        return 30;
    const double each = ceil(0.005 * cbrt((double)count));
    const double least = splitter_count < GS_SPLITTERS_MAX ? 8 : 1;
    return each > 32 ? 32 : (uint32_t)(each < least ? least : each);
}

/* Prefix sums of the table to places; the first place is that of all before it, 0. */
struct Widen {
    __host__ __device__ unsigned long long operator()(uint32_t a) const
    {
        return a;
    }
};

cudaError_t scan(void *temp, size_t *temp_bytes, const uint32_t *table, uint32_t *places,
                 size_t count, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(temp, *temp_bytes, table, places, (int64_t)count,
                                         stream);
}

cudaError_t scan(void *temp, size_t *temp_bytes, const uint32_t *table,
                 unsigned long long *places, size_t count, cudaStream_t stream)
{
    return cub::DeviceScan::ExclusiveSum(temp, *temp_bytes,
                                         thrust::make_transform_iterator(table, Widen{}),
                                         places, (int64_t)count, stream);
}

bool is_wide(size_t count)
{
    return count > UINT32_MAX;
}

/* Segments of a level have more keys than a block sorts, at least 2048. */
gs_code take_arrays(char *base, gs_batch_type type, Kind kind, size_t count,
                    Arrays *arrays, size_t *out_bytes, gs_status *st)
{
    gs_scratch scratch = {base, 0};
    const size_t segments = count / 2048 + 1, buckets = 2 * splitters_most(kind) + 1;
    const size_t parts = segments * (splitters_most(kind) + 1);
    const size_t table = (count / GS_SPLIT_TILE + segments + 1) * buckets;
    arrays->control = scratch.take<gs_sample_control>(1);
    arrays->other = scratch.take<char>(count * gs_key_bytes(type));
    arrays->other_values =
        type == GS_BATCH_U64_U32 ? scratch.take<uint32_t>(count) : nullptr;
    arrays->segments[0] = scratch.take<gs_segment>(segments);
    arrays->segments[1] = scratch.take<gs_segment>(segments);
    arrays->leaves = scratch.take<gs_leaf>(parts);
    arrays->fills = scratch.take<gs_fill<gs_num128>>(count / GS_SPLIT_FILL_MIN + 1);
    arrays->splitters = scratch.take<gs_num128>(segments * GS_SPLITTERS_MAX);
    arrays->tile_starts = scratch.take<uint32_t>(segments + 1);
    arrays->table = scratch.take<uint32_t>(table);
    arrays->places = is_wide(count) ? (void *)scratch.take<unsigned long long>(table)
                                    : (void *)scratch.take<uint32_t>(table);
    arrays->temp_bytes = 0;
    GPU_TRY(st, is_wide(count)
                    ? scan(nullptr, &arrays->temp_bytes, arrays->table,
                           (unsigned long long *)arrays->places, table, nullptr)
                    : scan(nullptr, &arrays->temp_bytes, arrays->table,
                           (uint32_t *)arrays->places, table, nullptr));
    arrays->temp = scratch.take<char>(arrays->temp_bytes);
    *out_bytes = scratch.used;
    return GS_OK;
}

template <typename V, typename D>
gs_code launch_local(const gs_engine_run *run, const Arrays *arrays, V from, D to,
                     gs_status *st)
{
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    const auto local = k_local<V, D, T::LOCAL_THREADS, T::LOCAL_ITEMS, T::LOCAL_BINS_EACH,
                               T::LOCAL_BLOCKS>;
    const size_t bytes =
        sizeof(gs_local_shared<N, T::LOCAL_THREADS, T::LOCAL_ITEMS, T::LOCAL_BINS_EACH>);
    GPU_TRY(st, cudaFuncSetAttribute(local, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)bytes));
    local<<<run->processor_count * T::LOCAL_BLOCKS, T::LOCAL_THREADS, bytes,
            run->stream>>>(from, to, arrays->leaves, arrays->control, GS_FORM_PLAIN);
    GPU_LAUNCHED(st, run->stream, "k_local");
    k_fill<V, D, 512><<<run->processor_count * 4, 512, 0, run->stream>>>(
        from, to, (const gs_fill<N> *)arrays->fills, nullptr, nullptr, arrays->control,
        GS_FORM_PLAIN);
    GPU_LAUNCHED(st, run->stream, "k_fill");
    return GS_OK;
}

/* One level: from one array to the other, then what fits a block into `keys`. Places are
 * of type P. */
template <typename P, typename V>
gs_code launch_level_by(const gs_engine_run *run, const Arrays *arrays, Kind kind, V keys,
                        V from, V to, const Parts *parts, unsigned level, gs_status *st)
{
    using N = typename V::num;
    using T = gs_sample_tuning<N>;
    const cudaStream_t stream = run->stream;
    const gs_segment *const segments = arrays->segments[level & 1];
    N *const splitters = (N *)arrays->splitters;
    P *const places = (P *)arrays->places;
    const uint32_t segment_count = parts->count;
    const uint32_t splitter_count = splitters_of(kind, parts->largest, T::CAPACITY);
    const size_t sample_bytes = sizeof(N) * GS_SPLIT_SAMPLE_MAX;
    const unsigned tiles = (unsigned)(run->count / GS_SPLIT_TILE + segment_count);
    GPU_TRY(st, cudaMemsetAsync(arrays->control, 0, sizeof *arrays->control, stream));
    GPU_TRY(st, cudaFuncSetAttribute(k_split_pick<V>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)sample_bytes));
    k_split_pick<<<segment_count, 512, sample_bytes, stream>>>(
        from, segments, splitter_count, sample_each(kind, run->count, splitter_count),
        level + 1, splitters);
    GPU_LAUNCHED(st, stream, "k_split_pick");
    k_split_tile<<<1, 1024, 0, stream>>>(segments, segment_count, arrays->tile_starts);
    GPU_LAUNCHED(st, stream, "k_split_tile");
    k_split_count<<<tiles, GS_SPLIT_THREADS, 0, stream>>>(from, segments, segment_count,
                                                          arrays->tile_starts, splitters,
                                                          splitter_count, arrays->table);
    GPU_LAUNCHED(st, stream, "k_split_count");
    size_t temp_bytes = arrays->temp_bytes;
    GPU_TRY(st, scan(arrays->temp, &temp_bytes, arrays->table, places,
                     (size_t)tiles * (2 * splitter_count + 1), stream));
    k_split_move<<<tiles, GS_SPLIT_THREADS, 0, stream>>>(
        from, to, segments, segment_count, arrays->tile_starts, splitters, splitter_count,
        places);
    GPU_LAUNCHED(st, stream, "k_split_move");
    k_split_next<<<segment_count, GS_SPLIT_THREADS, 0, stream>>>(
        to, keys, segments, arrays->tile_starts, splitter_count, places, T::CAPACITY,
        arrays->leaves, (gs_fill<N> *)arrays->fills, arrays->segments[(level + 1) & 1],
        arrays->control);
    GPU_LAUNCHED(st, stream, "k_split_next");
    GS_TRY(launch_local(run, arrays, to, keys, st));
    GPU_TRY(st, cudaMemcpyAsync(run->h_mail, arrays->control, sizeof *arrays->control,
                                cudaMemcpyDeviceToHost, stream));
    return GS_OK;
}

template <typename V>
gs_code launch_level(const gs_engine_run *run, const Arrays *arrays, Kind kind, V keys,
                     V from, V to, const Parts *parts, unsigned level, gs_status *st)
{
    const auto launch = is_wide(run->count) ? launch_level_by<unsigned long long, V>
                                            : launch_level_by<uint32_t, V>;
    return launch(run, arrays, kind, keys, from, to, parts, level, st);
}

template <typename V>
gs_code run_type(const gs_engine_run *run, const Arrays *arrays, Kind kind, V keys,
                 V other, bool finish, bool *out_more, gs_status *st)
{
    using T = gs_sample_tuning<typename V::num>;
    enum { LEVELS_MAX = 400 };
    const volatile gs_sample_control *const mail =
        (const volatile gs_sample_control *)run->h_mail;
    if (!finish) {
        gs_sample_control start = {};
        if (run->count <= T::CAPACITY) {
            const gs_leaf whole = {0, (uint32_t)run->count, 0, 0};
            start.leaf_count = 1;
            GPU_TRY(st, cudaMemcpyAsync(arrays->leaves, &whole, sizeof whole,
                                        cudaMemcpyHostToDevice, run->stream));
            GPU_TRY(st, cudaMemcpyAsync(arrays->control, &start, sizeof start,
                                        cudaMemcpyHostToDevice, run->stream));
            ((gs_sample_control *)run->h_mail)->oversize_count = 0;
            return launch_local(run, arrays, keys, keys, st);
        }
        const gs_segment all = {0, run->count, 0, 0};
        GPU_TRY(st, cudaMemcpyAsync(arrays->segments[0], &all, sizeof all,
                                    cudaMemcpyHostToDevice, run->stream));
        const Parts one = {run->count, 1};
        return launch_level(run, arrays, kind, keys, keys, other, &one, 0, st);
    }
    *out_more = mail->oversize_count != 0;
    for (unsigned level = 1; mail->oversize_count != 0; level++) {
        if (level == LEVELS_MAX)
            return GS_FAIL(st, GS_ERR_GPU, 0, "%u parts left after %u levels",
                           mail->oversize_count, level);
        const V from = level & 1 ? other : keys, to = level & 1 ? keys : other;
        const Parts parts = {mail->oversize_most, mail->oversize_count};
        GS_TRY(launch_level(run, arrays, kind, keys, from, to, &parts, level, st));
        GPU_TRY(st, cudaStreamSynchronize(run->stream));
    }
    return GS_OK;
}

gs_code run_any(const gs_engine_run *run, Kind kind, bool finish, bool *out_more,
                gs_status *st)
{
    Arrays arrays;
    size_t used = 0;
    GS_TRY(take_arrays(run->d_scratch, run->type, kind, run->count, &arrays, &used, st));
    gs_assert(used <= run->scratch_bytes);
    return gs_with_view(run->type, run->d_keys, run->d_values, [&](auto keys) {
        const auto other = keys.over(arrays.other, arrays.other_values);
        return run_type(run, &arrays, kind, keys, other, finish, out_more, st);
    });
}

template <Kind KIND>
gs_code split_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *st)
{
    Arrays arrays;
    return take_arrays(nullptr, type, KIND, count, &arrays, out_bytes, st);
}

template <Kind KIND> gs_code split_submit(const gs_engine_run *run, gs_status *st)
{
    bool more;
    return run_any(run, KIND, false, &more, st);
}

template <Kind KIND>
gs_code split_finish(const gs_engine_run *run, bool *out_more, gs_status *st)
{
    return run_any(run, KIND, true, out_more, st);
}

} // namespace

const gs_engine_ops gs_engine_fss = {"fss",
                                     "Fine Sample Sort, as published",
                                     split_scratch<FSS>,
                                     split_submit<FSS>,
                                     split_finish<FSS>,
                                     nullptr};
const gs_engine_ops gs_engine_ssort = {"ssort",
                                       "plain sample sort, as published",
                                       split_scratch<SSORT>,
                                       split_submit<SSORT>,
                                       split_finish<SSORT>,
                                       nullptr};
const gs_engine_ops gs_engine_quick = {"quick",
                                       "quicksort: blocks partition together",
                                       split_scratch<QUICK>,
                                       split_submit<QUICK>,
                                       split_finish<QUICK>,
                                       nullptr};
