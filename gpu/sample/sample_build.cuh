/* SPDX-License-Identifier: MIT */
/*
 * sample_build: what a round of the sample sort makes of a sample: which bits vary, and a
 * trie for each segment. See sample_types.cuh.
 */
#ifndef GS_GPU_SAMPLE_BUILD_CUH
#define GS_GPU_SAMPLE_BUILD_CUH

#include "gpu/device/block_sort.cuh"
#include "gpu/sample/sample_types.cuh"

enum { GS_BUILD_WARPS_MAX = 16 };

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

/* The sum over a block, added to *sum, which is shared. Ends with a barrier. */
__device__ __forceinline__ uint32_t gs_block_add(uint32_t mine, uint32_t *sum)
{
    mine = __reduce_add_sync(~0u, mine);
    if ((threadIdx.x & 31) == 0 && mine != 0)
        atomicAdd(sum, mine);
    __syncthreads();
    return *sum;
}

/* Which way keys go of whose sampled neighbours so many go up and so many down. A few
 * ends of stretches are all but never among the sampled ones. Where nearly all are equal,
 * the first key and the last one tell. */
template <typename N>
__device__ __forceinline__ uint32_t gs_order_way_of(uint32_t ups, uint32_t downs, N first,
                                                    N last)
{
    enum { STRAY_MAX = 1 };
    if (ups > STRAY_MAX && downs > STRAY_MAX)
        return GS_ORDER_NONE;
    const bool is_down = ups > STRAY_MAX     ? false
                         : downs > STRAY_MAX ? true
                                             : last < first;
    return is_down ? GS_ORDER_DOWN : GS_ORDER_UP;
}

/* What a block of k_look has in shared memory. */
struct gs_look_shared {
    gs_num128 varies;
    uint32_t ups, downs;
};

/* Looks at a sample of the keys: which bits differ from `reference`, and where each
 * stands to the next. */
template <typename V, unsigned THREADS>
__device__ __forceinline__ void gs_look_sample(V view, unsigned long long count,
                                               gs_num128 reference,
                                               gs_look_shared *shared)
{
    using N = typename V::num;
    const unsigned long long parts = count < GS_LOOK_COUNT ? count : GS_LOOK_COUNT;
    const unsigned long long part = count / parts;
    gs_num128 mine = {0, 0};
    uint32_t ups = 0, downs = 0;
    for (unsigned i = threadIdx.x; i < parts; i += THREADS) {
        const uint64_t at = gs_sample_place(i, part, 0);
        const N a = view.load(at), next = view.load(at + 1 < count ? at + 1 : at);
        mine = mine | (gs_num_widen(a) ^ reference);
        ups += a < next;
        downs += next < a;
    }
    if (threadIdx.x == 0) /* in order, an end may be unlike all others */
        mine = mine | (gs_num_widen(view.load(count - 1)) ^ reference);
    gs_num<gs_num128>::atomic_or(&shared->varies, mine);
    gs_block_add(ups, &shared->ups);
    gs_block_add(downs, &shared->downs);
}

/* Which bits vary and which way keys go, by a sample; when `exact`, which bits k_count
 * saw vary in all keys. Keys are packed if these are `runs_min` runs or more, and few
 * enough. `leaf_count` leaves are in the list already. One block; 4096 keys and their
 * neighbours read. */
template <typename V, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_look(V view, unsigned long long count, bool exact, uint32_t runs_min,
           uint32_t leaf_count, gs_sample_control *control)
{
    __shared__ gs_look_shared shared;
    const gs_num128 reference = gs_num_widen(view.load(0));
    if (threadIdx.x == 0)
        shared = {exact ? control->varies_all : gs_num128{0, 0}, 0, 0};
    __syncthreads();
    if (!exact)
        gs_look_sample<V, THREADS>(view, count, reference, &shared);
    if (threadIdx.x != 0)
        return;
    const gs_num128 varies = shared.varies;
    gs_pack pack = {};
    const uint32_t runs = gs_pack_make(&pack, varies);
    pack.run_count = runs;
    pack.rest = {reference.hi & ~varies.hi, reference.lo & ~varies.lo};
    gs_sample_control fresh = {};
    fresh.reference = reference;
    fresh.varies_sample = varies;
    fresh.pack = pack;
    fresh.packed = runs >= runs_min ? GS_FORM_PACKED : GS_FORM_PLAIN;
    fresh.leaf_count = leaf_count;
    fresh.order.way = exact ? GS_ORDER_NONE
                            : gs_order_way_of(shared.ups, shared.downs, view.load(0),
                                              view.load(count - 1));
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

/* What a block of k_build has in shared memory beside its sample. */
template <typename N> struct gs_build_shared {
    static constexpr uint32_t NODES_MOST = gs_trie_node<N>::MOST;
    gs_trie_node<N> nodes[NODES_MOST];
    uint16_t first[GS_TRIE_SLOTS], last[GS_TRIE_SLOTS]; /* samples of a slot */
    uint16_t parent_slot[NODES_MOST];
    uint32_t node_count, slot_count, crowds[2], scratch[GS_BUILD_WARPS_MAX + 1];
    uint32_t histogram[GS_HEAVY_MAX + 1], generation_ends[GS_TRIE_DEPTH_MAX];
};

/* Which of the samples from `begin` to `end` each slot has: they are sorted, so those of
 * a slot are side by side. Of `threads` threads, which share the work, this is number
 * `me`. */
template <typename N, typename SlotOf>
__device__ __forceinline__ void
gs_build_share_out(gs_build_shared<N> &shared, uint32_t begin, uint32_t end, uint32_t me,
                   uint32_t threads, const SlotOf &slot_of)
{
    for (uint32_t i = begin + me; i < end; i += threads) {
        const uint32_t slot = slot_of(i);
        if (i == begin || slot_of(i - 1) != slot)
            shared.first[slot] = (uint16_t)i;
        if (i + 1 == end || slot_of(i + 1) != slot)
            shared.last[slot] = (uint16_t)(i + 1);
    }
}

/* The root, and what samples its slots have: by difference, or by the logarithm if that
 * leaves less than half as many samples for nodes. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ gs_trie_root<N>
gs_build_root(gs_build_shared<N> &shared, const N *sample, uint32_t parts, uint32_t heavy)
{
    const uint32_t thread = threadIdx.x;
    gs_trie_root<N> root = {};
    gs_trie_range(sample[0], sample[parts - 1], GS_TRIE_ROOT_BITS, &root.base,
                  &root.shift);
    gs_build_share_out(shared, 0, parts, thread, THREADS, [&](uint32_t i) {
        return gs_num<N>::shift_low(sample[i] - root.base, root.shift);
    });
    __syncthreads();
    uint32_t crowd = 0;
    for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS) {
        const uint32_t samples = shared.last[d] - shared.first[d];
        crowd += samples > heavy ? samples - heavy : 0;
    }
    crowd = gs_block_add(crowd, &shared.crowds[0]);
    if (crowd <= parts / 16)
        return root;
    const gs_trie_root<N> curved =
        gs_trie_curved_root(sample[0], sample[min(heavy, parts - 1)], sample[parts - 1]);
    const auto slot_of = [&](uint32_t i) {
        return curved.template slot<true>(sample[i]);
    };
    uint32_t crowd_curved = 0;
    for (uint32_t i = thread; i + heavy < parts; i += THREADS)
        crowd_curved += slot_of(i) == slot_of(i + heavy);
    crowd_curved = gs_block_add(crowd_curved, &shared.crowds[1]);
    if (curved.curve == 0 || crowd_curved >= crowd / 2)
        return root;
    for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
        shared.first[d] = shared.last[d] = 0;
    __syncthreads();
    gs_build_share_out(shared, 0, parts, thread, THREADS, slot_of);
    __syncthreads();
    return curved;
}

/* Whether slot `d` of a node or root, whose last one is `top`, has one value only if it
 * is no wider than one: the ends are open. */
template <typename N>
__device__ __forceinline__ bool gs_build_is_inner(uint32_t d, uint32_t top, N base)
{
    return d < top && (d > 0 || gs_num<N>::is_zero(base));
}

/* Gives a slot with many samples a node, and the node slots: one for every second sample,
 * or four if it has so many that most keys come by; if its samples are all equal, just
 * four slots. A node for which there is no room gets first_slot 0. */
template <typename N>
__device__ __forceinline__ void gs_build_expand(gs_build_shared<N> &shared,
                                                const N *sample, uint32_t slot,
                                                uint32_t heavy)
{
    const uint32_t samples = shared.last[slot] - shared.first[slot];
    if (samples <= heavy)
        return;
    const uint32_t length = 31u - (uint32_t)__clz((int)samples);
    const bool is_one =
        gs_num<N>::is_zero(sample[shared.first[slot]] ^ sample[shared.last[slot] - 1]);
    const uint32_t bits = is_one ? 2 : length >= 9 ? min(length + 1, 12u) : length - 1;
    const uint32_t node = atomicAdd(&shared.node_count, 1u);
    if (node >= shared.NODES_MOST)
        return;
    const uint32_t slot0 = atomicAdd(&shared.slot_count, 1u << bits);
    shared.parent_slot[node] = (uint16_t)slot;
    shared.nodes[node].first_slot = slot0 + (1u << bits) <= GS_TRIE_SLOTS ? slot0 : 0;
    shared.nodes[node].top = (uint16_t)((1u << bits) - 1);
}

/* A warp gives node `k` its range and shares its samples out to its slots. */
template <typename N>
__device__ __forceinline__ void gs_build_node(gs_build_shared<N> &shared, const N *sample,
                                              uint32_t k, uint32_t heavy, bool may_expand)
{
    const uint32_t lane = threadIdx.x & 31;
    const uint32_t from = shared.first[shared.parent_slot[k]];
    const uint32_t to = shared.last[shared.parent_slot[k]];
    const uint32_t slot0 = shared.nodes[k].first_slot, top = shared.nodes[k].top;
    const uint32_t bits = 32u - (uint32_t)__clz((int)top);
    N base;
    uint32_t shift;
    gs_trie_range(sample[from], sample[to - 1], bits, &base, &shift);
    gs_build_share_out(shared, from, to, lane, 32, [&](uint32_t i) {
        return slot0 + gs_num<N>::shift_low(sample[i] - base, shift);
    });
    __syncwarp();
    if (lane == 0) {
        shared.nodes[k].base = base;
        shared.nodes[k].shift = (uint16_t)shift;
    }
    if (may_expand)
        for (uint32_t d = lane; d <= top; d += 32)
            if (shift != 0 || !gs_build_is_inner(d, top, base))
                gs_build_expand(shared, sample, slot0 + d, heavy);
}

/* Nodes below the root, generation by generation, a warp each; returns how many
 * generations. Where there was no room for the slots of one, it and all later ones are
 * dropped. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ uint32_t gs_build_nodes(gs_build_shared<N> &shared,
                                                   const N *sample,
                                                   const gs_trie_root<N> &root,
                                                   uint32_t heavy)
{
    const uint32_t thread = threadIdx.x;
    for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
        if (!root.is_exact() || !gs_build_is_inner(d, GS_TRIE_ROOT_SLOTS - 1, root.base))
            gs_build_expand(shared, sample, d, heavy);
    __syncthreads();
    uint32_t begin = 0, end = 0, generations = 0;
    for (;;) {
        __syncthreads();
        if (thread == 0)
            shared.node_count = min(shared.node_count, shared.NODES_MOST);
        __syncthreads();
        for (uint32_t k = end + thread, most = shared.node_count; k < most; k += THREADS)
            if (shared.nodes[k].first_slot == 0)
                atomicMin(&shared.node_count, k);
        __syncthreads();
        begin = end;
        end = shared.node_count;
        if (begin == end)
            return generations;
        if (thread == 0)
            shared.generation_ends[generations] = end;
        generations++;
        __syncthreads();
        for (uint32_t k = begin + thread / 32; k < end; k += THREADS / 32)
            gs_build_node(shared, sample, k, heavy, generations < GS_TRIE_DEPTH_MAX);
    }
}

/* `use` for each node of a generation, by a warp. */
template <unsigned THREADS, typename N, typename Use>
__device__ __forceinline__ void gs_build_for_nodes(const gs_build_shared<N> &shared,
                                                   uint32_t generation, const Use &use)
{
    const uint32_t from = generation > 0 ? shared.generation_ends[generation - 1] : 0;
    for (uint32_t k = from + threadIdx.x / 32; k < shared.generation_ends[generation];
         k += THREADS / 32)
        use(k);
    __syncthreads();
}

/* Numbers the leaves, which are the cells, in the order of keys: `first` comes to hold
 * the leaves below a slot, `last` those before it, or its node. Returns how many. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ uint32_t gs_build_cells(gs_build_shared<N> &shared,
                                                   uint32_t generations)
{
    const uint32_t thread = threadIdx.x, lane = thread & 31;
    gs_trie_node<N> *const nodes = shared.nodes;
    for (uint32_t i = thread; i < GS_TRIE_SLOTS; i += THREADS)
        shared.first[i] = 1;
    __syncthreads();
    for (uint32_t g = generations; g-- > 0;)
        gs_build_for_nodes<THREADS>(shared, g, [&](uint32_t k) {
            uint32_t leaves = 0;
            for (uint32_t d = lane; d <= nodes[k].top; d += 32)
                leaves += shared.first[nodes[k].first_slot + d];
            leaves = __reduce_add_sync(~0u, leaves);
            if (lane == 0)
                shared.first[shared.parent_slot[k]] = (uint16_t)leaves;
        });
    constexpr uint32_t EACH = GS_TRIE_ROOT_SLOTS / THREADS;
    uint32_t sum = 0, total;
#pragma unroll
    for (uint32_t j = 0; j < EACH; j++)
        sum += shared.first[thread * EACH + j];
    uint32_t before = gs_block_scan_exclusive<THREADS>(sum, shared.scratch, &total);
    for (uint32_t j = 0; j < EACH; j++) {
        shared.last[thread * EACH + j] = (uint16_t)before;
        before += shared.first[thread * EACH + j];
    }
    __syncthreads();
    for (uint32_t g = 0; g < generations; g++)
        gs_build_for_nodes<THREADS>(shared, g, [&](uint32_t k) {
            uint32_t at = shared.last[shared.parent_slot[k]];
            for (uint32_t d0 = 0; d0 <= nodes[k].top; d0 += 32) {
                const uint32_t d = d0 + lane, slot = nodes[k].first_slot + d;
                const uint32_t leaves = d <= nodes[k].top ? shared.first[slot] : 0;
                const uint32_t sum = gs_warp_scan_inclusive(leaves);
                if (d <= nodes[k].top)
                    shared.last[slot] = (uint16_t)(at + sum - leaves);
                at += __shfl_sync(~0u, sum, 31);
            }
        });
    for (uint32_t k = thread; k < shared.node_count; k += THREADS)
        shared.last[shared.parent_slot[k]] = (uint16_t)(GS_TRIE_IS_NODE | k);
    return total;
}

/* The trie to device memory, with counts of 0 and the cells that are one value marked. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ void gs_build_store(const gs_build_shared<N> &shared,
                                               const gs_trie_root<N> &root,
                                               uint32_t cells, gs_trie<N> *trie)
{
    const uint32_t thread = threadIdx.x, lane = thread & 31, made = shared.node_count;
    const uint32_t used = min(shared.slot_count, (uint32_t)GS_TRIE_SLOTS);
    if (thread == 0) {
        trie->root = root;
        trie->node_count = made;
        trie->slot_count = used;
        trie->cell_count = cells;
    }
    for (uint32_t k = thread; k < made; k += THREADS)
        trie->nodes[k] = shared.nodes[k];
    for (uint32_t i = thread; i < cells; i += THREADS)
        trie->counts[i] = 0;
    for (uint32_t i = thread; i < GS_TRIE_SLOTS / 32; i += THREADS)
        trie->is_value[i] = 0;
    __syncthreads();
    for (uint32_t i = thread; i < used; i += THREADS)
        trie->slots[i] = shared.last[i];
    const auto mark = [&](uint32_t slot0, uint32_t d, uint32_t top, N base) {
        const uint32_t slot = shared.last[slot0 + d];
        if (!(slot & GS_TRIE_IS_NODE) && gs_build_is_inner(d, top, base))
            atomicOr(&trie->is_value[slot / 32], 1u << (slot % 32));
    };
    if (root.is_exact())
        for (uint32_t d = thread; d < GS_TRIE_ROOT_SLOTS; d += THREADS)
            mark(0, d, GS_TRIE_ROOT_SLOTS - 1, root.base);
    for (uint32_t k = thread / 32; k < made; k += THREADS / 32) {
        const gs_trie_node<N> &node = shared.nodes[k];
        if (node.shift == 0)
            for (uint32_t d = lane; d <= node.top; d += 32)
                mark(node.first_slot, d, node.top, node.base);
    }
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
    extern __shared__ uint4 shared_words[];
    N *const sample = reinterpret_cast<N *>(shared_words);
    __shared__ gs_build_shared<N> shared;
    static_assert(THREADS / 32 <= GS_BUILD_WARPS_MAX, "scratch");

    const uint32_t parts = gs_sample_parts<THREADS, SAMPLE>(segment.count);
    const unsigned long long part = segment.count / parts;
    const auto draw = [&](uint32_t i) {
        return view.load(segment.start + gs_sample_place(i, part, seed + blockIdx.x));
    };
    for (uint32_t i = threadIdx.x; i < GS_TRIE_SLOTS; i += THREADS)
        shared.first[i] = shared.last[i] = 0;
    if (threadIdx.x == 0) {
        shared.node_count = shared.crowds[0] = shared.crowds[1] = 0;
        shared.slot_count = GS_TRIE_ROOT_SLOTS;
    }
    if (parts <= THREADS)
        gs_block_sort<THREADS, 1, N>(shared_words, parts, draw);
    else
        gs_block_sort<THREADS, SAMPLE / THREADS, N>(shared_words, parts, draw);

    const gs_trie_root<N> root = gs_build_root<THREADS>(shared, sample, parts, heavy);
    heavy = gs_heavy_slots<THREADS>(shared.first, shared.last, heavy, shared.NODES_MOST,
                                    shared.histogram);
    const uint32_t generations = gs_build_nodes<THREADS>(shared, sample, root, heavy);
    const uint32_t cells = gs_build_cells<THREADS>(shared, generations);
    gs_build_store<THREADS>(shared, root, cells, tries + blockIdx.x);
}

#endif
