/* SPDX-License-Identifier: MIT */
/*
 * engine_cub: CUB's radix sort and merge sort, the yardstick for the others and what
 * `auto` falls back to.
 *
 * Both leave equal keys in the order they had. The order of an engine is by key, then by
 * value, so for keys with values that are not in order already a sort by value goes
 * first.
 */
#include "gpu/device/cub_launch.cuh"

#include <cub/cub.cuh>

#include "gpu/engine/engine_ops.cuh"

namespace
{

struct Decomposer {
    __host__ __device__ cuda::std::tuple<uint64_t &, uint64_t &>
    operator()(gs_num128 &key) const
    {
        return {key.hi, key.lo};
    }
};

struct Less {
    template <typename N>
    __host__ __device__ bool operator()(const N &a, const N &b) const
    {
        return a < b;
    }
};

struct Arrays {
    void *keys;
    uint32_t *values;
    uint32_t *disorder; /* 1 if the values are not in order */
    void *temp;
    size_t temp_bytes;
};

__global__ void k_check_values(const uint32_t *values, size_t count, uint32_t *disorder)
{
    bool bad = false;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + 1 < count;
         i += (size_t)gridDim.x * blockDim.x)
        bad = bad || values[i + 1] < values[i];
    if (__any_sync(~0u, bad) && (threadIdx.x & 31) == 0)
        *disorder = 1;
}

/* In these calls of CUB a NULL `temp` only asks for *temp_bytes. The radix sort of keys
 * says where the result is. */
cudaError_t radix_keys(gs_batch_type type, void *temp, size_t *temp_bytes, void *keys,
                       void *other, size_t count, cudaStream_t stream, bool *in_other)
{
    if (type == GS_BATCH_U128) {
        cub::DoubleBuffer<gs_num128> buffer((gs_num128 *)keys, (gs_num128 *)other);
        const cudaError_t error = cub::DeviceRadixSort::SortKeys(
            temp, *temp_bytes, buffer, (int64_t)count, Decomposer{}, stream);
        *in_other = buffer.selector != 0;
        return error;
    }
    cub::DoubleBuffer<uint64_t> buffer((uint64_t *)keys, (uint64_t *)other);
    const cudaError_t error = cub::DeviceRadixSort::SortKeys(
        temp, *temp_bytes, buffer, (int64_t)count, 0, 64, stream);
    *in_other = buffer.selector != 0;
    return error;
}

size_t take_arrays(char *base, gs_batch_type type, size_t count, Arrays *arrays)
{
    gs_scratch scratch = {base, 0};
    arrays->keys = scratch.take<char>(count * gs_key_bytes(type));
    arrays->values = type == GS_BATCH_U64_U32 ? scratch.take<uint32_t>(count) : nullptr;
    arrays->disorder = scratch.take<uint32_t>(1);
    arrays->temp = base ? base + scratch.used : nullptr;
    return scratch.used;
}

gs_code radix_temp(gs_batch_type type, size_t count, size_t *out, gs_status *st)
{
    bool in_other;
    *out = 0;
    if (type != GS_BATCH_U64_U32) {
        GPU_TRY(st, radix_keys(type, nullptr, out, nullptr, nullptr, count, nullptr,
                               &in_other));
        return GS_OK;
    }
    cub::DoubleBuffer<uint64_t> keys(nullptr, nullptr);
    cub::DoubleBuffer<uint32_t> values(nullptr, nullptr);
    size_t by_key = 0, by_value = 0;
    GPU_TRY(st, cub::DeviceRadixSort::SortPairs(nullptr, by_key, keys, values,
                                                (int64_t)count));
    GPU_TRY(st, cub::DeviceRadixSort::SortPairs(nullptr, by_value, values, keys,
                                                (int64_t)count));
    *out = by_key > by_value ? by_key : by_value;
    return GS_OK;
}

cudaError_t merge_batch(gs_batch_type type, void *temp, size_t *temp_bytes, void *keys,
                        uint32_t *values, size_t count, cudaStream_t stream)
{
    const int64_t items = (int64_t)count;
    switch (type) {
    case GS_BATCH_U64:
        return cub::DeviceMergeSort::SortKeys(temp, *temp_bytes, (uint64_t *)keys, items,
                                              Less{}, stream);
    case GS_BATCH_U128:
        return cub::DeviceMergeSort::SortKeys(temp, *temp_bytes, (gs_num128 *)keys, items,
                                              Less{}, stream);
    case GS_BATCH_U64_U32:
        return cub::DeviceMergeSort::SortPairs(temp, *temp_bytes, (uint64_t *)keys,
                                               values, items, Less{}, stream);
    case GS_BATCH_TYPE_COUNT: break;
    }
    return cudaErrorInvalidValue;
}

gs_code radix_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *st)
{
    Arrays arrays;
    size_t temp;
    GS_TRY(radix_temp(type, count, &temp, st));
    *out_bytes = take_arrays(nullptr, type, count, &arrays) + temp;
    return GS_OK;
}

gs_code merge_scratch(gs_batch_type type, size_t count, size_t *out_bytes, gs_status *st)
{
    Arrays arrays;
    size_t temp = 0, radix;
    GPU_TRY(st, merge_batch(type, nullptr, &temp, nullptr, nullptr, count, nullptr));
    GS_TRY(radix_temp(type, count, &radix, st));
    *out_bytes =
        take_arrays(nullptr, type, count, &arrays) + (temp > radix ? temp : radix);
    return GS_OK;
}

/* Where the values came out of order: the batch by value first. The copy of `disorder`
 * is waited for, as CUB's launches cannot depend on device memory. */
gs_code order_values(const gs_engine_run *run, const Arrays *arrays, gs_status *st)
{
    const cudaStream_t stream = run->stream;
    uint32_t *const h_disorder = (uint32_t *)run->h_mail;
    GPU_TRY(st, cudaMemsetAsync(arrays->disorder, 0, sizeof(uint32_t), stream));
    k_check_values<<<run->processor_count * 8, 256, 0, stream>>>(
        run->d_values, run->count, arrays->disorder);
    GPU_LAUNCHED(st, stream, "k_check_values");
    GPU_TRY(st, cudaMemcpyAsync(h_disorder, arrays->disorder, sizeof(uint32_t),
                                cudaMemcpyDeviceToHost, stream));
    GPU_TRY(st, cudaStreamSynchronize(stream));
    if (*h_disorder == 0)
        return GS_OK;
    size_t temp_bytes = arrays->temp_bytes;
    cub::DoubleBuffer<uint32_t> values(run->d_values, arrays->values);
    cub::DoubleBuffer<uint64_t> keys((uint64_t *)run->d_keys, (uint64_t *)arrays->keys);
    GPU_TRY(st, cub::DeviceRadixSort::SortPairs(arrays->temp, temp_bytes, values, keys,
                                                (int64_t)run->count, 0, 32, stream));
    if (values.selector != 0)
        GPU_TRY(st, cudaMemcpyAsync(run->d_values, arrays->values, run->count * 4,
                                    cudaMemcpyDeviceToDevice, stream));
    if (keys.selector != 0)
        GPU_TRY(st, cudaMemcpyAsync(run->d_keys, arrays->keys, run->count * 8,
                                    cudaMemcpyDeviceToDevice, stream));
    return GS_OK;
}

gs_code radix_submit(const gs_engine_run *run, gs_status *st)
{
    Arrays arrays;
    const size_t used = take_arrays(run->d_scratch, run->type, run->count, &arrays);
    arrays.temp_bytes = run->scratch_bytes - used;
    const cudaStream_t stream = run->stream;
    bool in_other = false;
    if (run->type == GS_BATCH_U64_U32) {
        GS_TRY(order_values(run, &arrays, st));
        cub::DoubleBuffer<uint64_t> keys((uint64_t *)run->d_keys,
                                         (uint64_t *)arrays.keys);
        cub::DoubleBuffer<uint32_t> values(run->d_values, arrays.values);
        GPU_TRY(st, cub::DeviceRadixSort::SortPairs(arrays.temp, arrays.temp_bytes, keys,
                                                    values, (int64_t)run->count, 0, 64,
                                                    stream));
        in_other = keys.selector != 0;
        if (values.selector != 0)
            GPU_TRY(st, cudaMemcpyAsync(run->d_values, arrays.values, run->count * 4,
                                        cudaMemcpyDeviceToDevice, stream));
    } else {
        GPU_TRY(st, radix_keys(run->type, arrays.temp, &arrays.temp_bytes, run->d_keys,
                               arrays.keys, run->count, stream, &in_other));
    }
    if (in_other)
        GPU_TRY(st, cudaMemcpyAsync(run->d_keys, arrays.keys,
                                    run->count * gs_key_bytes(run->type),
                                    cudaMemcpyDeviceToDevice, stream));
    return GS_OK;
}

gs_code merge_submit(const gs_engine_run *run, gs_status *st)
{
    Arrays arrays;
    const size_t used = take_arrays(run->d_scratch, run->type, run->count, &arrays);
    arrays.temp_bytes = run->scratch_bytes - used;
    if (gs_value_bytes(run->type) != 0)
        GS_TRY(order_values(run, &arrays, st));
    GPU_TRY(st, merge_batch(run->type, arrays.temp, &arrays.temp_bytes, run->d_keys,
                            run->d_values, run->count, run->stream));
    return GS_OK;
}

} // namespace

const gs_engine_ops gs_engine_radix = {"radix",       "CUB radix sort, the yardstick",
                                       radix_scratch, radix_submit,
                                       nullptr,       nullptr};
const gs_engine_ops gs_engine_merge = {
    "merge", "CUB merge sort, the other yardstick", merge_scratch, merge_submit, nullptr,
    nullptr};
