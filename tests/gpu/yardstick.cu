/* SPDX-License-Identifier: MIT */
/*
 * yardstick: CUB's radix sort limited to the bits that vary, which is what the sample
 * sort on tuples is compared with. The result stays in whichever buffer CUB left it, and
 * finding the bits is not timed: both favour CUB.
 *
 *     yardstick COUNT [RUNS]
 */
#include "gpu/device/cub_launch.cuh"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cub/device/device_radix_sort.cuh>
#include <vector>

#include "gpu/generate/generate.h"

#define TRY(x)                                                                           \
    do {                                                                                 \
        const cudaError_t e = (x);                                                       \
        if (e != cudaSuccess) {                                                          \
            std::fprintf(stderr, "%s: %s\n", #x, cudaGetErrorString(e));                 \
            std::exit(1);                                                                \
        }                                                                                \
    } while (0)

int main(int argc, char **argv)
{
    const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1 << 28;
    const int runs = argc > 2 ? std::atoi(argv[2]) : 5;
    uint64_t *fresh, *a, *b;
    void *temp = nullptr;
    size_t temp_bytes = 0;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    TRY(cudaMalloc(&fresh, count * 8));
    TRY(cudaMalloc(&a, count * 8));
    TRY(cudaMalloc(&b, count * 8));
    TRY(cudaStreamCreate(&stream));
    TRY(cudaEventCreate(&start));
    TRY(cudaEventCreate(&stop));
    gs_status st = {};
    if (gs_generate(GS_BATCH_U64, GS_DIST_ZIPF, 1, false, fresh, nullptr, count, &st) !=
        GS_OK)
        return 1;
    const int end_bit = 54; /* a term of 22 bits above a docID of 32 */
    cub::DoubleBuffer<uint64_t> buffer(a, b);
    TRY(cub::DeviceRadixSort::SortKeys(nullptr, temp_bytes, buffer, (int64_t)count, 0,
                                       end_bit, stream));
    TRY(cudaMalloc(&temp, temp_bytes));
    std::vector<float> times;
    for (int i = 0; i <= runs; i++) {
        TRY(cudaMemcpyAsync(a, fresh, count * 8, cudaMemcpyDeviceToDevice, stream));
        buffer = cub::DoubleBuffer<uint64_t>(a, b);
        TRY(cudaEventRecord(start, stream));
        TRY(cub::DeviceRadixSort::SortKeys(temp, temp_bytes, buffer, (int64_t)count, 0,
                                           end_bit, stream));
        TRY(cudaEventRecord(stop, stream));
        TRY(cudaStreamSynchronize(stream));
        float ms;
        TRY(cudaEventElapsedTime(&ms, start, stop));
        if (i > 0)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    std::printf("CUB radix, Zipf tuples, 54 bits, %zu keys: %.3f ms\n", count,
                times[times.size() / 2]);
    return 0;
}
