/* SPDX-License-Identifier: MIT */
/*
 * sample_plan: the small kernels of the sample sort, which decide where keys go. They
 * touch the sample and the counts, never all keys. See sample_types.cuh.
 */
#ifndef GS_GPU_SAMPLE_PLAN_CUH
#define GS_GPU_SAMPLE_PLAN_CUH

#include "gpu/device/block_sort.cuh"
#include "gpu/sample/sample_types.cuh"

__device__ __forceinline__ uint64_t gs_mix(uint64_t a)
{
    a = (a ^ (a >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    a = (a ^ (a >> 27)) * UINT64_C(0x94d049bb133111eb);
    return a ^ (a >> 31);
}

/* A random place in the i-th of `parts` equal parts of `count` places; `part` is
 * count / parts, at least 1. */
__device__ __forceinline__ uint64_t gs_sample_place(uint64_t i, uint64_t part,
                                                    uint64_t seed)
{
    return i * part + __umul64hi(gs_mix(seed * UINT64_C(0x9e3779b97f4a7c15) + i), part);
}

/* The runs of ones in `varies`, from the top; 0 if there are more than a pack holds or
 * more than 64 bits. */
__device__ inline uint32_t gs_pack_make(gs_pack *pack, gs_num128 varies)
{
    uint32_t runs = 0;
    unsigned bits = 0;
    int top = 127;
    while (top >= 0) {
        if ((gs_pack_low(varies >> (unsigned)top) & 1) == 0) {
            top--;
            continue;
        }
        int low = top;
        while (low > 0 && top - low < 63 &&
               (gs_pack_low(varies >> (unsigned)(low - 1)) & 1) != 0)
            low--;
        if (runs == gs_pack::RUNS_MAX)
            return 0;
        pack->shift[runs] = (uint8_t)low;
        pack->width[runs] = (uint8_t)(top - low + 1);
        bits += (unsigned)(top - low + 1);
        runs++;
        top = low - 1;
    }
    return bits <= 64 ? runs : 0;
}

/* Which bits vary, by a sample or, when `exact`, by what k_count saw in all keys. Keys
 * are packed if these are `runs_min` runs or more, and few enough. `leaf_count` leaves
 * are in the list already. One block; 4096 keys read. */
template <typename V, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_look(V view, unsigned long long count, bool exact, uint32_t runs_min,
           uint32_t leaf_count, gs_sample_control *control)
{
    using N = typename V::num;
    __shared__ gs_num128 varies;
    const gs_num128 reference = gs_num_widen(view.load(0));
    if (threadIdx.x == 0)
        varies = exact ? control->varies_all : gs_num128{0, 0};
    __syncthreads();
    if (!exact) {
        const unsigned long long parts = count < GS_LOOK_COUNT ? count : GS_LOOK_COUNT;
        const unsigned long long part = count / parts;
        gs_num128 mine = {0, 0};
        for (unsigned i = threadIdx.x; i < parts; i += THREADS)
            mine =
                mine | (gs_num_widen(view.load(gs_sample_place(i, part, 0))) ^ reference);
        if (threadIdx.x == 0) /* in order, an end may be unlike all others */
            mine = mine | (gs_num_widen(view.load(count - 1)) ^ reference);
        gs_num<gs_num128>::atomic_or(&varies, mine);
        __syncthreads();
    }
    if (threadIdx.x != 0)
        return;
    gs_pack pack = {};
    const uint32_t runs = gs_pack_make(&pack, varies);
    pack.run_count = runs;
    pack.rest = {reference.hi & ~varies.hi, reference.lo & ~varies.lo};
    gs_sample_control fresh = {};
    fresh.reference = reference;
    fresh.varies_sample = varies;
    fresh.pack = pack;
    fresh.packed = runs >= runs_min;
    fresh.leaf_count = leaf_count;
    *control = fresh;
}

/* The base and shift with which the numbers from `low` to `high` fall into 2^bits slots;
 * what is below `low` falls into the first. */
template <typename N>
__device__ __forceinline__ void gs_trie_range(N low, N high, uint32_t bits, N *base,
                                              uint32_t *shift)
{
    *base = gs_num<N>::is_zero(low) ? low : gs_num<N>::less_one(low);
    const uint32_t length = gs_num<N>::length(high - *base);
    *base = gs_num<N>::trim(*base, length > bits ? length - bits : 0);
    const uint32_t trimmed = gs_num<N>::length(high - *base);
    *shift = trimmed > bits ? trimmed - bits : 0;
}

/* A root whose slots go by the logarithm, as finely as it can with `second` not in the
 * first of them; no curve if the range is too small for one. */
template <typename N>
__device__ __forceinline__ gs_trie_root<N> gs_trie_curved_root(N low, N second, N high)
{
    enum { FINE = 16, COARSE = 17 };
    gs_trie_root<N> root = {};
    root.base = gs_num<N>::is_zero(low) ? low : gs_num<N>::less_one(low);
    root.shift = gs_scale_shift(high - root.base);
    const uint32_t top = gs_num<N>::scale(high - root.base, root.shift);
    const uint32_t from = gs_num<N>::scale(second - root.base, root.shift);
    root.step = (top >> FINE) - (from >> FINE) < GS_TRIE_ROOT_SLOTS ? FINE : COARSE;
    const uint32_t last = top >> root.step;
    root.curve = last < GS_TRIE_ROOT_SLOTS ? 0 : last - (GS_TRIE_ROOT_SLOTS - 1);
    return root;
}

/* The sum over a block, added to *sum, which is shared. Ends with a barrier. */
__device__ __forceinline__ uint32_t gs_block_add(uint32_t mine, uint32_t *sum)
{
    mine = __reduce_add_sync(~0u, mine);
    if ((threadIdx.x & 31) == 0 && mine != 0)
        atomicAdd(sum, mine);
    __syncthreads();
    return *sum;
}

/* How many samples a root slot may have without a node: `heavy`, or more if the nodes
 * would run out before the slots with the most samples have theirs; a quarter of them is
 * left to divide nodes' slots. `histogram` is shared, of GS_HEAVY_MAX + 1. */
template <unsigned THREADS>
__device__ __forceinline__ uint32_t gs_heavy_slots(const uint16_t *first,
                                                   const uint16_t *last, uint32_t heavy,
                                                   uint32_t nodes_most,
                                                   uint32_t *histogram)
{
    if (heavy >= GS_HEAVY_MAX)
        return heavy; /* then few slots can have so many */
    if (threadIdx.x <= GS_HEAVY_MAX)
        histogram[threadIdx.x] = 0;
    __syncthreads();
    for (uint32_t d = threadIdx.x; d < GS_TRIE_ROOT_SLOTS; d += THREADS) {
        const uint32_t samples = last[d] - first[d];
        if (samples > heavy)
            atomicAdd(&histogram[min(samples, (uint32_t)GS_HEAVY_MAX)], 1u);
    }
    __syncthreads();
    uint32_t nodes = 0, samples = GS_HEAVY_MAX;
    while (samples > heavy && nodes + histogram[samples] <= nodes_most / 4 * 3)
        nodes += histogram[samples--];
    return samples;
}

/* How many keys of a segment are its sample: small ones need no more than one a thread.
 */
template <unsigned THREADS, unsigned SAMPLE>
__device__ __forceinline__ uint32_t gs_sample_parts(unsigned long long count)
{
    enum { SMALL = 32 * THREADS };
    const uint32_t most = count <= SMALL ? THREADS : SAMPLE;
    return count < most ? (uint32_t)count : most;
}

/* One block a segment: sample, sort, trie. Reads SAMPLE scattered keys at most. */
template <typename V, unsigned THREADS, unsigned SAMPLE>
__global__ void __launch_bounds__(THREADS)
    k_build(V view, const gs_segment *segments, gs_trie<typename V::num> *tries,
            uint32_t heavy, uint32_t seed, const gs_sample_control *control,
            uint32_t form)
{
    using N = typename V::num;
    if (gs_sample_skips(control, form))
        return;
    const gs_segment segment = segments[blockIdx.x];
    if (segment.count == 0 || segment.is_value)
        return;
    gs_trie<N> *const trie = tries + blockIdx.x;
    extern __shared__ uint4 shared_words[];
    N *const sample = reinterpret_cast<N *>(shared_words);
    __shared__ uint16_t first[GS_TRIE_SLOTS], last[GS_TRIE_SLOTS];
    constexpr uint32_t NODES_MOST = gs_trie_node<N>::MOST;
    __shared__ gs_trie_node<N> nodes[NODES_MOST];
    __shared__ uint16_t parent_slot[NODES_MOST];
    __shared__ uint32_t node_count, slot_count, crowds[2], scratch[THREADS / 32 + 1];
    __shared__ uint32_t histogram[GS_HEAVY_MAX + 1], generation_ends[GS_TRIE_DEPTH_MAX];
    const unsigned thread = threadIdx.x, lane = thread & 31;

    const uint32_t parts = gs_sample_parts<THREADS, SAMPLE>(segment.count);
    const unsigned long long part = segment.count / parts;
    const auto draw = [&](uint32_t i) {
        return view.load(segment.start + gs_sample_place(i, part, seed + blockIdx.x));
    };
    for (uint32_t i = thread; i < GS_TRIE_SLOTS; i += THREADS)
        first[i] = last[i] = 0;
    if (thread == 0) {
        node_count = crowds[0] = crowds[1] = 0;
        slot_count = GS_TRIE_ROOT_SLOTS;
    }
    if (parts <= THREADS)
        gs_block_sort<THREADS, 1, N>(shared_words, parts, draw);
    else
        gs_block_sort<THREADS, SAMPLE / THREADS, N>(shared_words, parts, draw);

    /* Samples of each root slot: they are sorted, so a slot's are side by side. */
    const auto share_out = [&](const auto &slot_of) {
        for (uint32_t i = thread; i < parts; i += THREADS) {
            const uint32_t d = slot_of(i);
            if (i == 0 || slot_of(i - 1) != d)
                first[d] = (uint16_t)i;
            if (i + 1 == parts || slot_of(i + 1) != d)
                last[d] = (uint16_t)(i + 1);
        }
        __syncthreads();
    };
    gs_trie_root<N> root = {};
    gs_trie_range(sample[0], sample[parts - 1], GS_TRIE_ROOT_BITS, &root.base,
                  &root.shift);
    share_out([&](uint32_t i) {
        return gs_num<N>::shift_low(sample[i] - root.base, root.shift);
    });
    /* By the logarithm if that leaves less than half as many samples for nodes. */
    uint32_t crowd = 0;
    for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS) {
        const uint32_t samples = last[d] - first[d];
        crowd += samples > heavy ? samples - heavy : 0;
    }
    crowd = gs_block_add(crowd, &crowds[0]);
    if (crowd > parts / 16) {
        const gs_trie_root<N> curved = gs_trie_curved_root(
            sample[0], sample[min(heavy, parts - 1)], sample[parts - 1]);
        const auto slot_of = [&](uint32_t i) {
            return curved.template slot<true>(sample[i]);
        };
        uint32_t crowd_curved = 0;
        for (uint32_t i = thread; i + heavy < parts; i += THREADS)
            crowd_curved += slot_of(i) == slot_of(i + heavy);
        crowd_curved = gs_block_add(crowd_curved, &crowds[1]);
        if (curved.curve != 0 && crowd_curved < crowd / 2) {
            root = curved;
            for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
                first[d] = last[d] = 0;
            __syncthreads();
            share_out(slot_of);
        }
    }
    const bool is_exact = root.curve == 0 && root.shift == 0;
    heavy = gs_heavy_slots<THREADS>(first, last, heavy, NODES_MOST, histogram);
    /* A slot is one value if its node cannot divide it: not the open ends. A node gets a
     * slot for every second sample, or four if it has so many that most keys come by;
     * if its samples are all equal, just four slots. */
    const auto expand = [&](uint32_t slot, bool value) {
        const uint32_t samples = last[slot] - first[slot];
        if (samples <= heavy || value)
            return;
        const uint32_t length = 31u - (uint32_t)__clz((int)samples);
        const bool is_one =
            gs_num<N>::is_zero(sample[first[slot]] ^ sample[last[slot] - 1]);
        const uint32_t bits = is_one        ? 2
                              : length >= 9 ? min(length + 1, 12u)
                                            : length - 1;
        const uint32_t node = atomicAdd(&node_count, 1u);
        if (node >= NODES_MOST)
            return;
        const uint32_t slot0 = atomicAdd(&slot_count, 1u << bits);
        parent_slot[node] = (uint16_t)slot;
        nodes[node].first_slot = slot0 + (1u << bits) <= GS_TRIE_SLOTS ? slot0 : 0;
        nodes[node].top = (uint16_t)((1u << bits) - 1);
    };
    for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
        expand(d, is_exact && d + 1 < GS_TRIE_ROOT_SLOTS &&
                      (d > 0 || gs_num<N>::is_zero(root.base)));
    __syncthreads();
    /* Nodes, generation by generation, a warp each. Where there was no room for the slots
     * of one, it and all later ones are dropped. */
    uint32_t begin = 0, end = 0, generations = 0;
    for (;;) {
        __syncthreads();
        if (thread == 0)
            node_count = min(node_count, NODES_MOST);
        __syncthreads();
        for (uint32_t k = end + thread, most = node_count; k < most; k += THREADS)
            if (nodes[k].first_slot == 0)
                atomicMin(&node_count, k);
        __syncthreads();
        begin = end;
        end = node_count;
        if (begin == end)
            break;
        if (thread == 0)
            generation_ends[generations] = end;
        generations++;
        __syncthreads();
        for (uint32_t k = begin + thread / 32; k < end; k += THREADS / 32) {
            const uint32_t from = first[parent_slot[k]], to = last[parent_slot[k]];
            const uint32_t slot0 = nodes[k].first_slot, top = nodes[k].top;
            const uint32_t bits = 32u - (uint32_t)__clz((int)top);
            const N low = sample[from];
            N nbase;
            uint32_t nshift;
            gs_trie_range(low, sample[to - 1], bits, &nbase, &nshift);
            for (uint32_t i = from + lane; i < to; i += 32) {
                const uint32_t d = gs_num<N>::shift_low(sample[i] - nbase, nshift);
                if (i == from || gs_num<N>::shift_low(sample[i - 1] - nbase, nshift) != d)
                    first[slot0 + d] = (uint16_t)i;
                if (i + 1 == to ||
                    gs_num<N>::shift_low(sample[i + 1] - nbase, nshift) != d)
                    last[slot0 + d] = (uint16_t)(i + 1);
            }
            __syncwarp();
            if (lane == 0) {
                nodes[k].base = nbase;
                nodes[k].shift = (uint16_t)nshift;
            }
            if (generations < GS_TRIE_DEPTH_MAX)
                for (uint32_t d = lane; d <= top; d += 32)
                    expand(slot0 + d, nshift == 0 && d < top &&
                                          (d > 0 || gs_num<N>::is_zero(nbase)));
        }
    }
    const uint32_t made = end;

    /* Leaves below each slot, then the number of each leaf in key order. `first` now
     * holds the leaves below a slot, `last` the leaves before it. */
    for (uint32_t i = thread; i < GS_TRIE_SLOTS; i += THREADS)
        first[i] = 1;
    __syncthreads();
    const auto for_nodes = [&](uint32_t generation, const auto &what) {
        const uint32_t from = generation > 0 ? generation_ends[generation - 1] : 0;
        for (uint32_t k = from + thread / 32; k < generation_ends[generation];
             k += THREADS / 32)
            what(k);
        __syncthreads();
    };
    for (uint32_t g = generations; g-- > 0;)
        for_nodes(g, [&](uint32_t k) {
            uint32_t leaves = 0;
            for (uint32_t d = lane; d <= nodes[k].top; d += 32)
                leaves += first[nodes[k].first_slot + d];
            leaves = __reduce_add_sync(~0u, leaves);
            if (lane == 0)
                first[parent_slot[k]] = (uint16_t)leaves;
        });
    constexpr uint32_t EACH = GS_TRIE_ROOT_SLOTS / THREADS;
    uint32_t sum = 0, total;
#pragma unroll
    for (uint32_t j = 0; j < EACH; j++)
        sum += first[thread * EACH + j];
    uint32_t before = gs_block_scan_exclusive<THREADS>(sum, scratch, &total);
    for (uint32_t j = 0; j < EACH; j++) {
        last[thread * EACH + j] = (uint16_t)before;
        before += first[thread * EACH + j];
    }
    __syncthreads();
    for (uint32_t g = 0; g < generations; g++)
        for_nodes(g, [&](uint32_t k) {
            uint32_t at = last[parent_slot[k]];
            for (uint32_t d0 = 0; d0 <= nodes[k].top; d0 += 32) {
                const uint32_t d = d0 + lane, slot = nodes[k].first_slot + d;
                const uint32_t leaves = d <= nodes[k].top ? first[slot] : 0;
                const uint32_t sum = gs_warp_scan_inclusive(leaves);
                if (d <= nodes[k].top)
                    last[slot] = (uint16_t)(at + sum - leaves);
                at += __shfl_sync(~0u, sum, 31);
            }
        });
    for (uint32_t k = thread; k < made; k += THREADS)
        last[parent_slot[k]] = (uint16_t)(GS_TRIE_IS_NODE | k);

    const uint32_t used = min(slot_count, (uint32_t)GS_TRIE_SLOTS);
    if (thread == 0) {
        trie->root = root;
        trie->node_count = made;
        trie->slot_count = used;
        trie->cell_count = total;
    }
    for (uint32_t k = thread; k < made; k += THREADS)
        trie->nodes[k] = nodes[k];
    for (uint32_t i = thread; i < total; i += THREADS)
        trie->counts[i] = 0;
    for (uint32_t i = thread; i < GS_TRIE_SLOTS / 32; i += THREADS)
        trie->is_value[i] = 0;
    __syncthreads();
    /* The cells of one value, from each node and the root. */
    for (uint32_t i = thread; i < used; i += THREADS)
        trie->slots[i] = last[i];
    const auto mark = [&](uint32_t slot0, uint32_t d, uint32_t top, N its_base) {
        const uint32_t slot = last[slot0 + d];
        if (!(slot & GS_TRIE_IS_NODE) && d < top &&
            (d > 0 || gs_num<N>::is_zero(its_base)))
            atomicOr(&trie->is_value[slot / 32], 1u << (slot % 32));
    };
    if (is_exact)
        for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
            mark(0, d, GS_TRIE_ROOT_SLOTS - 1, root.base);
    for (uint32_t k = thread / 32; k < made; k += THREADS / 32)
        if (nodes[k].shift == 0)
            for (uint32_t d = lane; d <= nodes[k].top; d += 32)
                mark(nodes[k].first_slot, d, nodes[k].top, nodes[k].base);
}

/* One block: cuts segments into tiles for k_count and k_scatter. A segment of one value
 * has none; its value goes over to the next array here. */
template <typename V, typename D, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_tile(V from, D to, const gs_segment *segments, uint32_t segment_count,
           uint32_t count_tile, uint32_t scatter_tile, uint32_t *count_starts,
           uint32_t *scatter_starts, gs_sample_control *control, uint32_t form)
{
    if (gs_sample_skips(control, form))
        return;
    __shared__ uint32_t scratch[THREADS / 32 + 1];
    const uint32_t s = threadIdx.x;
    unsigned long long count = 0;
    if (s < segment_count) {
        count = segments[s].count;
        if (segments[s].is_value && count != 0) {
            to.store(segments[s].start, from.load(segments[s].start));
            count = 0;
        }
    }
    uint32_t total;
    const uint32_t a = gs_block_scan_exclusive<THREADS>(
        (uint32_t)((count + count_tile - 1) / count_tile), scratch, &total);
    if (s < segment_count)
        count_starts[s] = a;
    if (s == 0) {
        count_starts[segment_count] = total;
        control->count_tiles = total;
    }
    __syncthreads();
    const uint32_t b = gs_block_scan_exclusive<THREADS>(
        (uint32_t)((count + scatter_tile - 1) / scatter_tile), scratch, &total);
    if (s < segment_count)
        scatter_starts[s] = b;
    if (s == 0) {
        scatter_starts[segment_count] = total;
        control->scatter_tiles = total;
    }
}

/* A warp cuts `cells` cells into buckets as full as they can be without more than
 * `capacity` keys; larger cells get their own. `before` has the keys before each cell,
 * and one more entry; sets the bits of the cells that begin a bucket, in words that were
 * 0. */
__device__ __forceinline__ void gs_plan_full(const uint32_t *before, uint32_t cells,
                                             uint32_t capacity, uint32_t *begins)
{
    const uint32_t lane = threadIdx.x & 31;
    for (uint32_t c = 0; c < cells;) {
        if (lane == 0)
            begins[c / 32] |= 1u << (c % 32);
        const uint32_t most = before[c] + min(capacity, ~0u - before[c]);
        uint32_t end = c + 1; /* the bucket's */
        while (end < cells) {
            const uint32_t k = end + 1 + lane;
            const bool fits = k <= cells && before[k] <= most;
            const uint32_t more = (uint32_t)__popc(__ballot_sync(~0u, fits));
            end += more;
            if (more < 32)
                break;
        }
        c = end;
    }
}

/* One block a segment: neighbouring cells become buckets of about `bucket_keys` keys, so
 * that none has more than bucket_keys + heavy_keys but cells that alone have more than
 * heavy_keys; those, and values with more than `value_keys`, get their own. Where that
 * makes too many and what comes of them goes to k_local, which takes `value_keys`, the
 * limits are half of these each, so that fewer cells are heavy; and then buckets are made
 * as full as it allows: that is never more than twice the keys over `value_keys` and as
 * many as there are larger cells. */
template <typename N, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_plan(const gs_segment *segments, gs_trie<N> *tries, gs_segment *buckets,
           unsigned long long *cursors, uint32_t cursor_stride,
           unsigned long long bucket_keys, unsigned long long heavy_keys,
           unsigned long long value_keys, gs_sample_control *control, uint32_t form,
           bool verify)
{
    if (gs_sample_skips(control, form))
        return;
    constexpr uint32_t EACH = GS_TRIE_SLOTS / THREADS;
    __shared__ union {
        struct {
            uint16_t bucket_of[GS_TRIE_SLOTS];
            unsigned long long starts[GS_BUCKETS_MAX + 1];
            uint32_t is_value[GS_BUCKETS_MAX];
        };
        uint32_t cells_before[GS_TRIE_SLOTS + 1];
    } shared;
    __shared__ uint32_t begins[GS_TRIE_SLOTS / 32];
    __shared__ unsigned long long scratch[THREADS / 32 + 1];
    __shared__ uint32_t flag_scratch[THREADS / 32 + 1];
    __shared__ uint8_t heavy_last[THREADS];
    __shared__ unsigned long long quotient_last[THREADS];
    const uint32_t thread = threadIdx.x;
    const gs_segment segment = segments[blockIdx.x];
    gs_trie<N> *const trie = tries + blockIdx.x;
    buckets += (size_t)blockIdx.x * GS_BUCKETS_MAX;
    cursors += (size_t)blockIdx.x * GS_BUCKETS_MAX * cursor_stride;

    if (verify) {
        const gs_num128 missed = {control->varies_all.hi & ~control->varies_sample.hi,
                                  control->varies_all.lo & ~control->varies_sample.lo};
        if (!gs_num<gs_num128>::is_zero(missed)) {
            __syncthreads();
            if (thread == 0)
                control->failed = 1;
            return;
        }
    }
    if (segment.count == 0 || segment.is_value) {
        for (uint32_t b = thread; b < GS_BUCKETS_MAX; b += THREADS) {
            buckets[b] = {segment.start, b == 0 ? segment.count : 0, segment.is_value, 0};
            cursors[(size_t)b * cursor_stride] = segment.start;
        }
        return;
    }
    const uint32_t cells = trie->cell_count;
    unsigned long long counts[EACH], sum = 0, total;
#pragma unroll
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t c = thread * EACH + j;
        counts[j] = c < cells ? trie->counts[c] : 0;
        sum += counts[j];
    }
    const unsigned long long before =
        gs_block_scan_exclusive<THREADS>(sum, scratch, &total);
    unsigned long long wide = bucket_keys, heaviest = heavy_keys, single = value_keys;
    uint32_t flags, flag_count, bucket0;
    static_assert(EACH <= 32, "flags of a thread in one word");
    const bool is_last = bucket_keys <= value_keys && total <= ~0u;
    for (uint32_t attempt = is_last ? 0 : 2;; attempt++) {
        /* A bucket starts where the count passes a multiple of `wide`, and around cells
         * that are heavy on their own. */
        uint32_t heavies = 0;
        unsigned long long at = before;
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t c = thread * EACH + j;
            const bool value = (trie->is_value[c / 32] >> (c % 32)) & 1;
            const bool heavy = counts[j] > heaviest || (value && counts[j] > single);
            heavies |= (heavy ? 1u : 0u) << j;
            if (j == EACH - 1) {
                heavy_last[thread] = heavy;
                quotient_last[thread] = at / wide;
            }
            at += counts[j];
        }
        __syncthreads();
        bool heavy_before = thread == 0 || heavy_last[thread - 1];
        unsigned long long quotient_before = thread == 0 ? 0 : quotient_last[thread - 1];
        flags = 0;
        at = before;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t c = thread * EACH + j;
            const bool heavy = (heavies >> j) & 1;
            const unsigned long long quotient = at / wide;
            const bool starts_here = c < cells && (c == 0 || heavy || heavy_before ||
                                                   quotient != quotient_before);
            flags |= (starts_here ? 1u : 0u) << j;
            heavy_before = heavy;
            quotient_before = quotient;
            at += counts[j];
        }
        bucket0 = gs_block_scan_exclusive<THREADS>((uint32_t)__popc(flags), flag_scratch,
                                                   &flag_count);
        if (flag_count <= GS_BUCKETS_MAX)
            break;
        if (attempt == 0) {
            wide = heaviest = value_keys / 2;
            continue;
        }
        if (attempt == 1) {
            __syncthreads();
            for (uint32_t i = thread; i < GS_TRIE_SLOTS / 32; i += THREADS)
                begins[i] = 0;
            at = before;
#pragma unroll
            for (uint32_t j = 0; j < EACH; j++) {
                shared.cells_before[thread * EACH + j] = (uint32_t)at;
                at += counts[j];
            }
            if (thread == 0)
                shared.cells_before[GS_TRIE_SLOTS] = (uint32_t)total;
            __syncthreads();
            if (thread < 32)
                gs_plan_full(shared.cells_before, cells, (uint32_t)value_keys, begins);
            __syncthreads();
            flags = 0;
#pragma unroll
            for (uint32_t j = 0; j < EACH; j++) {
                const uint32_t c = thread * EACH + j;
                flags |= (begins[c / 32] >> (c % 32) & 1) << j;
            }
            bucket0 = gs_block_scan_exclusive<THREADS>((uint32_t)__popc(flags),
                                                       flag_scratch, &flag_count);
            if (flag_count <= GS_BUCKETS_MAX)
                break;
        }
        wide += wide / 4 + 1;
        heaviest += heaviest / 4 + 1;
        single += single / 2 + 1;
    }
    unsigned long long at = before;
    uint32_t bucket = bucket0;
#pragma unroll
    for (uint32_t j = 0; j < EACH; j++) {
        const uint32_t c = thread * EACH + j;
        if ((flags >> j) & 1) {
            const bool value = (trie->is_value[c / 32] >> (c % 32)) & 1;
            shared.starts[bucket] = segment.start + at;
            shared.is_value[bucket] = value && counts[j] > single;
            bucket++;
        }
        if (c < cells)
            shared.bucket_of[c] = (uint16_t)(bucket - 1);
        at += counts[j];
    }
    __syncthreads();
    for (uint32_t b = thread; b < GS_BUCKETS_MAX; b += THREADS) {
        const unsigned long long end = segment.start + segment.count;
        const unsigned long long from = b < flag_count ? shared.starts[b] : end;
        const unsigned long long to = b + 1 < flag_count ? shared.starts[b + 1] : end;
        buckets[b] = {from, to - from, b < flag_count ? shared.is_value[b] : 0, 0};
        cursors[(size_t)b * cursor_stride] =
            from | (b < flag_count && shared.is_value[b] ? GS_CURSOR_IS_VALUE : 0);
    }
    const uint32_t used = trie->slot_count;
    for (uint32_t i = thread; i < used; i += THREADS) {
        const uint32_t slot = trie->slots[i];
        if (slot & GS_TRIE_IS_NODE)
            continue;
        trie->slots[i] = shared.bucket_of[slot];
    }
}

/* One block a segment: turns its buckets into work for k_local and k_fill, which looks
 * whether one that is too large for a block is one value. Small neighbours that start in
 * the same window of `capacity` * 3/4 keys go together. */
template <typename V, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_leaf(V view, const gs_segment *segments, const gs_segment *buckets,
           uint32_t capacity, gs_leaf *leaves, gs_fill<typename V::num> *fills,
           gs_segment *suspects, gs_segment *oversize, gs_sample_control *control,
           uint32_t form)
{
    if (gs_sample_skips(control, form))
        return;
    static_assert(THREADS == GS_BUCKETS_MAX, "a thread a bucket");
    __shared__ uint32_t window[THREADS];
    __shared__ unsigned long long ends[THREADS];
    const uint32_t b = threadIdx.x, APART = ~0u;
    const unsigned long long origin = segments[blockIdx.x].start;
    const gs_segment bucket = buckets[(size_t)blockIdx.x * GS_BUCKETS_MAX + b];
    const bool small =
        !bucket.is_value && bucket.count != 0 && bucket.count <= capacity / 4;
    window[b] =
        small ? (uint32_t)((bucket.start - origin) / (capacity - capacity / 4)) : APART;
    ends[b] = bucket.start + bucket.count;
    __syncthreads();
    if (small) {
        if (b > 0 && window[b - 1] == window[b])
            return;
        uint32_t last = b;
        while (last + 1 < THREADS && window[last + 1] == window[b])
            last++;
        leaves[atomicAdd(&control->leaf_count, 1u)] = {
            bucket.start, (uint32_t)(ends[last] - bucket.start), 0};
    } else if (bucket.count == 0) {
        return;
    } else if (bucket.is_value) {
        fills[atomicAdd(&control->fill_count, 1u)] = {view.load(bucket.start),
                                                      bucket.start, bucket.count};
    } else if (bucket.count <= capacity) {
        leaves[atomicAdd(&control->leaf_count, 1u)] = {bucket.start,
                                                       (uint32_t)bucket.count, 0};
    } else if (bucket.count <= GS_SUSPECT_MAX) {
        suspects[atomicAdd(&control->suspect_count, 1u)] = bucket;
    } else {
        oversize[atomicAdd(&control->oversize_count, 1u)] = bucket;
    }
}

#endif
