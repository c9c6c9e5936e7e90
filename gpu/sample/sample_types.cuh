/* SPDX-License-Identifier: MIT */
/*
 * sample_types: what the kernels of the sample sort share.
 *
 * A round cuts every segment (a part of the array whose keys lie between those of its
 * neighbours) into buckets, which are the segments of the next round or, when small
 * enough, sorted inside one block:
 *
 *     k_look      which bits vary, by a sample                        (first round only)
 *     k_order     are they in order already? see sample_order.cuh     (the same)
 *     k_build     a sample of each segment, sorted, becomes a trie
 *     k_tile      the work lists of the next two kernels
 *     k_count     how many keys fall into each cell of the trie
 *     k_plan      neighbouring cells become buckets of about equal size
 *     k_scatter   keys move to their buckets
 *     k_leaf      buckets become work: sort, fill with one value, or cut again
 *     k_local     sorts what fits a block; k_fill writes runs of one value, also those
 *                 that the sample missed
 *
 * The trie maps a number to a cell. Its root has 4096 slots over the range of the sample,
 * and a slot with too many samples points to a node over the range of just those samples,
 * with more slots the more samples, and so on:
 *
 *     number - base >> shift = d      root  |..|..|N0|..|..|
 *                                                   |
 *                                     node N0     |..|..|..|
 *
 * One look-up finds the cell where keys are spread evenly and a few where they are not.
 * Keys of which each next one is some per cent larger, as tuples of a term and a document
 * are when terms follow Zipf's law, are even on another scale: where that suits the
 * sample better, the root's slots go by the logarithm, 128 or 64 of them from a number to
 * twice that number.
 *
 * When one value fills a slot, the node's base is that value less one and its shift is 0:
 * the value has a cell of its own, and its keys need no sorting and no moving.
 */
#ifndef GS_GPU_SAMPLE_TYPES_CUH
#define GS_GPU_SAMPLE_TYPES_CUH

#include "gpu/device/block_scan.cuh"

enum {
    GS_TRIE_ROOT_BITS = 12,
    GS_TRIE_ROOT_SLOTS = 1 << GS_TRIE_ROOT_BITS,
    GS_TRIE_SLOTS = 10240, /* of the root and all nodes */
    GS_TRIE_DEPTH_MAX = 6,
    GS_TRIE_IS_NODE = 0x8000, /* in a slot: the rest is a node */
    GS_LOOK_COUNT = 4096,     /* keys that say which bits vary */
    GS_SAMPLE_HEAVY = 10,     /* a slot with more samples, or more still, gets a node; */
    GS_HEAVY_MAX = 65,        /* one with so many if there are nodes left */
    GS_BUCKETS_MAX = 1024,    /* of one segment in one round */
    GS_SEGMENTS_MAX = 1024,   /* in one round */
    GS_SUSPECT_MAX = 1 << 17, /* keys that one block may look at, and write */
    GS_STRETCHES_MAX = 4,     /* in order, that are merged sooner than they are sorted */
};

template <typename N> struct gs_trie_node {
    enum { MOST = sizeof(N) > 8 ? 128 : 416 }; /* in a trie, as k_build has room for */
    N base;
    uint16_t shift, top; /* of its slots, counted from 0 */
    uint32_t first_slot;
};

/* The slots of a root, by difference or by logarithm. */
template <typename N> struct gs_trie_root {
    N base;
    uint32_t shift;
    uint32_t curve, step; /* the first slot's scale >> step; 0: by difference */

    /* Whether all keys of a slot are equal, but for the ends, which are open. */
    __device__ __forceinline__ bool is_exact() const
    {
        return curve == 0 && shift == 0;
    }

    template <bool IS_CURVED> __device__ __forceinline__ uint32_t slot(N key) const
    {
        constexpr uint32_t TOP = GS_TRIE_ROOT_SLOTS - 1;
        if (!IS_CURVED)
            return gs_num<N>::slot(key, base, shift, TOP);
        const uint32_t scale =
            key < base ? 0 : gs_num<N>::scale(key - base, shift) >> step;
        return min((uint32_t)max((int)(scale - curve), 0), TOP);
    }
};

/* How a trie is looked up: its root says it all, or there are nodes. */
enum gs_trie_way { GS_WAY_ROOT, GS_WAY_CURVE, GS_WAY_NODES };
template <gs_trie_way WAY> struct gs_way_is {
    static constexpr gs_trie_way value = WAY;
};

/* Calls `use` with the gs_way_is of a way, so that the way is known when its look-ups are
 * compiled. */
template <typename Use>
__device__ __forceinline__ void gs_with_way(gs_trie_way way, const Use &use)
{
    if (way == GS_WAY_ROOT)
        use(gs_way_is<GS_WAY_ROOT>());
    else if (way == GS_WAY_CURVE)
        use(gs_way_is<GS_WAY_CURVE>());
    else
        use(gs_way_is<GS_WAY_NODES>());
}

/* The trie of one segment, in device memory. */
template <typename N> struct gs_trie {
    gs_trie_root<N> root;
    uint32_t node_count, slot_count, cell_count;
    gs_trie_node<N> nodes[gs_trie_node<N>::MOST];
    alignas(16) uint16_t slots[GS_TRIE_SLOTS]; /* cells, then buckets, in key order */
    uint32_t is_value[GS_TRIE_SLOTS / 32];     /* a bit a cell: it holds one value only */
    unsigned long long counts[GS_TRIE_SLOTS];  /* keys in a cell */

    __device__ __forceinline__ gs_trie_way way() const
    {
        return node_count != 0   ? GS_WAY_NODES
               : root.curve != 0 ? GS_WAY_CURVE
                                 : GS_WAY_ROOT;
    }
};

struct gs_segment {
    unsigned long long start, count;
    uint32_t is_value, unused;
};

/* A part that k_fill writes. */
template <typename N> struct gs_fill {
    N value;
    unsigned long long start, count;
};

struct gs_leaf {
    unsigned long long start;
    uint32_t count;
    uint16_t depth;     /* how often it was a part of a part, in k_local */
    uint16_t is_curved; /* its keys seem to be even by their logarithm */
};

/* In a bucket's cursor: the bucket is one value and only its first place is written. */
#define GS_CURSOR_IS_VALUE (1ull << 63)

/* Which way keys go, as far as a sample of neighbours says. */
enum gs_order_way { GS_ORDER_NONE, GS_ORDER_UP, GS_ORDER_DOWN };

/* What was seen of the order that keys came in. */
struct gs_order_seen {
    uint32_t way;
    uint32_t cut_count;   /* keys that do not go that way from the one before; */
    uint32_t blocks_done; /* all have been looked at when no block is left */
    unsigned long long cuts[GS_STRETCHES_MAX - 1]; /* where the first such keys are */
};

/* One in device memory; its first words are read back by wait. */
struct gs_sample_control {
    unsigned long long oversize_most; /* keys of the largest, for engine_split */
    uint32_t oversize_count;          /* segments that need another round */
    uint32_t failed;                  /* the sample missed a bit that varies */
    uint32_t packed;                  /* a gs_sample_form: how keys travel */
    uint32_t leaf_count, fill_count, suspect_count, next_leaf; /* of k_local and k_fill */
    uint32_t count_tiles, scatter_tiles;
    gs_num128 reference, varies_sample, varies_all;
    gs_pack pack;
    gs_order_seen order;
};

/* Which launches run: a kernel is launched for both forms that keys can travel in, and
 * the one that the sample did not choose returns at once. Those in order do not travel.
 */
enum gs_sample_form { GS_FORM_PLAIN = 0, GS_FORM_PACKED = 1, GS_FORM_ORDERED = 2 };

__device__ __forceinline__ bool gs_sample_skips(const gs_sample_control *control,
                                                uint32_t form)
{
    return control->packed != form || control->failed != 0;
}

/* The trie as a block holds it in shared memory. */
template <typename N> struct gs_trie_shared {
    gs_trie_root<N> root;
    const gs_trie_node<N> *nodes;
    const uint16_t *slots;

    /* A way with nodes finds what is in any trie. */
    template <gs_trie_way WAY> __device__ __forceinline__ uint32_t find(N key) const
    {
        if (WAY == GS_WAY_ROOT)
            return slots[root.template slot<false>(key)];
        if (WAY == GS_WAY_CURVE)
            return slots[root.template slot<true>(key)];
        uint32_t slot = slots[root.curve != 0 ? root.template slot<true>(key)
                                              : root.template slot<false>(key)];
        while (slot & GS_TRIE_IS_NODE) {
            const gs_trie_node<N> node = nodes[slot ^ GS_TRIE_IS_NODE];
            const uint32_t d = gs_num<N>::slot(key, node.base, node.shift, node.top);
            slot = slots[node.first_slot + d];
        }
        return slot;
    }
};

/* Copies a trie into shared memory: `nodes` for gs_trie_node::MOST, `slots` for
 * GS_TRIE_SLOTS, both aligned to 16 bytes. The caller synchronises. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ gs_trie_shared<N>
gs_trie_load(const gs_trie<N> *trie, gs_trie_node<N> *nodes, uint16_t *slots)
{
    const uint32_t node_count = trie->node_count;
    const uint32_t words = (trie->slot_count * (uint32_t)sizeof *slots + 15) / 16;
    for (uint32_t i = threadIdx.x; i < words; i += THREADS)
        reinterpret_cast<uint4 *>(slots)[i] =
            reinterpret_cast<const uint4 *>(trie->slots)[i];
    for (uint32_t i = threadIdx.x; i < node_count; i += THREADS)
        nodes[i] = trie->nodes[i];
    return {trie->root, nodes, slots};
}

/* The segment that holds tile `tile`: the last one whose first tile is not after it.
 * `tile_starts` has segment_count + 1 entries. A whole warp calls, with a segment that is
 * not after it. */
__device__ __forceinline__ uint32_t gs_segment_of(const uint32_t *tile_starts,
                                                  uint32_t segment_count,
                                                  uint32_t segment, uint32_t tile)
{
    for (;;) {
        const uint32_t next = segment + 1 + (threadIdx.x & 31);
        const bool is_before = next < segment_count && tile_starts[next] <= tile;
        const uint32_t passed = __popc(__ballot_sync(~0u, is_before));
        segment += passed;
        if (passed < 32)
            return segment;
    }
}

#endif
