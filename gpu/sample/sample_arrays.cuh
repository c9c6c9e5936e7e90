/* SPDX-License-Identifier: MIT */
/*
 * sample_arrays: what the sample sort needs of device memory beside the keys: the scratch
 * of an engine, and how it is handed out.
 */
#ifndef GS_GPU_SAMPLE_ARRAYS_CUH
#define GS_GPU_SAMPLE_ARRAYS_CUH

#include "gpu/engine/engine_ops.cuh"
#include "gpu/sample/sample_tuning.cuh"
#include "gpu/sample/sample_types.cuh"

enum { GS_SAMPLE_BUCKETS_ALL = GS_BUCKETS_MAX * GS_SEGMENTS_MAX };

/* What rounds work with, the same for every one. */
template <typename N> struct gs_sample_lists {
    gs_trie<N> *tries;
    gs_segment *segments;   /* of the round */
    gs_segment *buckets[2]; /* GS_BUCKETS_MAX a segment */
    unsigned long long *cursors;
    uint32_t *count_starts, *scatter_starts;
    gs_leaf *leaves;
    gs_fill<N> *fills;
    gs_segment *suspects;
    gs_segment *oversize[2];
};

struct gs_sample_arrays {
    gs_sample_control *control;
    void *other, *next; /* room for the keys */
    uint32_t *other_values;
    gs_sample_lists<uint64_t> narrow;
    gs_sample_lists<gs_num128> wide;

    template <typename V> gs_sample_lists<typename V::num> *lists(V)
    {
        if constexpr (sizeof(typename V::num) > 8)
            return &wide;
        else
            return &narrow;
    }
};

template <typename N>
static void gs_sample_take_lists(gs_scratch *scratch, size_t count,
                                 gs_sample_lists<N> *lists)
{
    lists->tries = scratch->take<gs_trie<N>>(GS_SEGMENTS_MAX);
    lists->segments = scratch->take<gs_segment>(1);
    lists->buckets[0] = scratch->take<gs_segment>(GS_BUCKETS_MAX);
    lists->buckets[1] = scratch->take<gs_segment>(GS_SAMPLE_BUCKETS_ALL);
    lists->cursors = scratch->take<unsigned long long>(GS_SAMPLE_BUCKETS_ALL);
    lists->count_starts = scratch->take<uint32_t>(GS_SEGMENTS_MAX + 1);
    lists->scatter_starts = scratch->take<uint32_t>(GS_SEGMENTS_MAX + 1);
    lists->leaves = scratch->take<gs_leaf>(GS_SAMPLE_BUCKETS_ALL);
    lists->fills = scratch->take<gs_fill<N>>(GS_SAMPLE_BUCKETS_ALL);
    /* An oversize bucket has more keys than a block can take. */
    const size_t oversize_max = count / gs_sample_tuning<N>::CAPACITY + 1;
    lists->suspects = scratch->take<gs_segment>(oversize_max);
    lists->oversize[0] = scratch->take<gs_segment>(oversize_max);
    lists->oversize[1] = scratch->take<gs_segment>(oversize_max);
}

/* Hands out the scratch at `base`; with NULL it only adds up. Returns how much it is. */
static inline size_t gs_sample_take_arrays(char *base, gs_batch_type type, size_t count,
                                           gs_sample_arrays *arrays)
{
    gs_scratch scratch = {base, 0};
    arrays->control = scratch.take<gs_sample_control>(1);
    const size_t key_bytes = gs_key_bytes(type);
    arrays->other = scratch.take<char>(count * key_bytes);
    arrays->other_values =
        type == GS_BATCH_U64_U32 ? scratch.take<uint32_t>(count) : nullptr;
    arrays->next = arrays->other ? (char *)arrays->other + count * 8 : nullptr;
    const size_t start = scratch.used;
    gs_sample_take_lists(&scratch, count, &arrays->narrow);
    if (type != GS_BATCH_U64) {
        /* Only one of the two widths is in use at a time. */
        gs_scratch again = {base, start};
        gs_sample_take_lists(&again, count, &arrays->wide);
        if (again.used > scratch.used)
            scratch.used = again.used;
    }
    return scratch.used;
}

#endif
