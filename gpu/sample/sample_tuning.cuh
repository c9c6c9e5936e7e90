/* SPDX-License-Identifier: MIT */
/*
 * sample_tuning: numbers of the sample sort's kernels, measured on an H200 (sm_90, 132
 * multiprocessors). See NOTES.md for the times.
 */
#ifndef GS_GPU_SAMPLE_TUNING_CUH
#define GS_GPU_SAMPLE_TUNING_CUH

#include "gpu/device/key.cuh"

template <typename N> struct gs_sample_tuning;

template <> struct gs_sample_tuning<uint64_t> {
    enum : unsigned {
        BUILD_THREADS = 512,
        SAMPLE = 4096, /* of a segment */
        COUNT_THREADS = 512,
        COUNT_ITEMS = 8,
        COUNT_TILE = 131072,
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
        LOCAL_THREADS = 512, /* two such blocks just fit the 164 KB of sm_80 */
        LOCAL_ITEMS = 8,
        LOCAL_BINS_EACH = 8,
        LOCAL_BLOCKS = 2,
        CAPACITY = LOCAL_THREADS * LOCAL_ITEMS,
        LEAF_KEYS = 3000,
    };
};

/* How k_scatter goes over the keys of a view. BLOCKS, on a multiprocessor, bounds the
 * registers. */
template <unsigned THREADS_, unsigned ITEMS_, unsigned BLOCKS_> struct gs_scatter_shape {
    enum : unsigned { THREADS = THREADS_, ITEMS = ITEMS_, BLOCKS = BLOCKS_ };
};

/* Large batches have more buckets, and so fewer keys of a tile go to each: there one
 * large tile is faster than two at a time. */
enum : size_t { GS_SCATTER_LARGE = (size_t)1 << 26 }; /* keys */

template <typename V> struct gs_scatter_tuning;
template <> struct gs_scatter_tuning<gs_view_u64> {
    using Small = gs_scatter_shape<512, 14, 2>;
    using Large = gs_scatter_shape<1024, 14, 1>;
};
template <> struct gs_scatter_tuning<gs_view_u128> {
    using Small = gs_scatter_shape<512, 6, 2>;
    using Large = Small;
};
template <> struct gs_scatter_tuning<gs_view_pair> {
    using Small = gs_scatter_shape<512, 8, 2>;
    using Large = gs_scatter_shape<768, 12, 1>;
};
template <typename V> struct gs_scatter_tuning<gs_view_pack<V>> {
    using Small = gs_scatter_shape<512, 12, 2>;
    using Large = Small;
};
template <>
struct gs_scatter_tuning<gs_view_pack<gs_view_u64>> : gs_scatter_tuning<gs_view_u64> {
};

#endif
