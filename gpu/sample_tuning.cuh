/* SPDX-License-Identifier: MIT */
/*
 * sample_tuning: numbers of the sample sort's kernels, measured on an H200 (sm_90, 132
 * multiprocessors). See NOTES.md for the times.
 */
#ifndef GS_GPU_SAMPLE_TUNING_CUH
#define GS_GPU_SAMPLE_TUNING_CUH

#include "gpu/key.cuh"

template <typename N> struct gs_sample_tuning;

template <> struct gs_sample_tuning<uint64_t> {
    enum : unsigned {
        BUILD_THREADS = 512,
        SAMPLE = 4096, /* of a segment */
        COUNT_THREADS = 512,
        COUNT_ITEMS = 8,
        COUNT_TILE = 131072,
        SCATTER_THREADS = 512,
        SCATTER_ITEMS = 14,
        SCATTER_ITEMS_PACKED = 12, /* of wide keys, packed as they are read */
        SCATTER_BLOCKS = 2,        /* on a multiprocessor: bounds the registers */
        LOCAL_THREADS = 384,
        LOCAL_ITEMS = 16,
        LOCAL_BINS_EACH = 8,
        LOCAL_BLOCKS = 3,
        CAPACITY = LOCAL_THREADS * LOCAL_ITEMS,
        LEAF_KEYS = 4096,
    };
};

template <> struct gs_sample_tuning<gs_num128> {
    enum : unsigned {
        BUILD_THREADS = 512,
        SAMPLE = 3072, /* more would not fit the 99 KB that small chips give a block */
        COUNT_THREADS = 512,
        COUNT_ITEMS = 4,
        COUNT_TILE = 65536,
        SCATTER_THREADS = 512,
        SCATTER_ITEMS = 6,
        SCATTER_ITEMS_PACKED = 6,
        SCATTER_BLOCKS = 2, /* on a multiprocessor: bounds the registers */
        LOCAL_THREADS = 384,
        LOCAL_ITEMS = 8,
        LOCAL_BINS_EACH = 8,
        LOCAL_BLOCKS = 3,
        CAPACITY = LOCAL_THREADS * LOCAL_ITEMS,
        LEAF_KEYS = 2048,
    };
};

#endif
