/* SPDX-License-Identifier: MIT */
/*
 * network_pass: the steps of the bitonic network above tiles of consecutive numbers.
 *
 * A tile is then the numbers whose indices differ only in some bits below `high` and in
 * the lowest ones, the run, so that memory is read in whole lines:
 *
 *     index     [ block, upper ][ steps ][ block, lower ][ run ]
 *                               ^ high                   ^ RUN_BITS
 *
 * The upper half of a mirror step is held complemented and in mirrored order, in which
 * its other steps, before and after, look like the lower half's.
 */
#ifndef GS_GPU_NETWORK_PASS_CUH
#define GS_GPU_NETWORK_PASS_CUH

#include "gpu/network/network.cuh"

/* Where the numbers of a pass' tile are in the array: the index in the tile, bit by bit,
 * after STEPS bits below `high` have been moved up there. */
template <typename N, int STEPS, bool MIRROR> struct gs_network_map {
    using Tile = gs_network_tile<N>;
    static constexpr int RUN_BITS = Tile::BITS - STEPS;
    static constexpr uint32_t HALF = Tile::ITEMS / 2;
    size_t count;
    int high;

    /* The places of a thread's items in layout P: the thread's own, and from there by
     * numbers of a run and by runs, downward in the mirrored half. */
    template <int P> struct places {
        static constexpr uint32_t RUN = 1u << RUN_BITS;
        static constexpr bool BOTH = MIRROR && P == Tile::FIRST; /* halves in a thread */
        size_t lower, upper, row;
        int unit;

        __device__ __forceinline__ bool mirrored(uint32_t r) const
        {
            return MIRROR && (BOTH ? r >= HALF : unit < 0);
        }
        __device__ __forceinline__ size_t operator[](uint32_t r) const
        {
            if (BOTH && r >= HALF) {
                const uint32_t i = (r - HALF) << P;
                return upper - i % RUN - row * (i / RUN);
            }
            const uint32_t i = r << P;
            const int in_run = (int)(i % RUN) * (MIRROR && !BOTH ? unit : 1);
            return lower + (size_t)(ptrdiff_t)in_run + row * (i / RUN);
        }
    };

    /* Read again each time, like thread(). */
    static __device__ __forceinline__ uint32_t block()
    {
        uint32_t b;
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(b));
        return b;
    }
    /* The 2^high numbers that the tile is of. */
    __device__ __forceinline__ size_t begin() const
    {
        return (size_t)(block() >> (high - Tile::BITS)) << high;
    }
    template <int P> __device__ __forceinline__ places<P> layout() const
    {
        const uint32_t i = Tile::template index<P>(0);
        const uint32_t run = block() & ((1u << (high - Tile::BITS)) - 1);
        const size_t half = (size_t)1 << (high - 1);
        places<P> at;
        at.unit = 1;
        at.row = (size_t)1 << (high - STEPS);
        at.lower = begin() + ((size_t)run << RUN_BITS) + i % (1u << RUN_BITS) +
                   ((size_t)(i >> RUN_BITS) << (high - STEPS));
        at.upper = (at.lower + half) ^ (half - 1);
        if (MIRROR && i >> (Tile::BITS - 1)) {
            at.lower ^= half - 1;
            at.row = 0 - at.row;
            at.unit = -1;
        }
        return at;
    }
    /* All of the block's numbers are there. */
    __device__ __forceinline__ bool is_full() const
    {
        return begin() + ((size_t)1 << high) <= count;
    }
    template <int P, bool FULL, typename V>
    __device__ __forceinline__ void load_items(Tile &tile, const V &view) const
    {
        const places<P> at = layout<P>();
#pragma unroll
        for (uint32_t r = 0; r < Tile::ITEMS; r++) {
            const size_t i = at[r];
            const N a = FULL || i < count ? view.load(i) : gs_num<N>::max();
            tile.item[r] = Tile::complement(a, at.mirrored(r));
        }
    }
    template <int P, bool FULL, typename V>
    __device__ __forceinline__ void store_items(const Tile &tile, const V &view) const
    {
        const places<P> at = layout<P>();
#pragma unroll
        for (uint32_t r = 0; r < Tile::ITEMS; r++) {
            const size_t i = at[r];
            if (FULL || i < count)
                view.store(i, Tile::complement(tile.item[r], at.mirrored(r)));
        }
    }
    /* The mirrored half is complemented. */
    template <int P, typename V>
    __device__ __forceinline__ void load(Tile &tile, const V &view) const
    {
        if (is_full())
            load_items<P, true>(tile, view);
        else
            load_items<P, false>(tile, view);
    }
    template <int P, typename V>
    __device__ __forceinline__ void store(const Tile &tile, const V &view) const
    {
        if (is_full())
            store_items<P, true>(tile, view);
        else
            store_items<P, false>(tile, view);
    }
};

/* One pass of a stage over all numbers, each read and written once: the steps of the bits
 * below `high`, STEPS of them. MIRROR: the first is the mirror step. */
template <typename V, int STEPS, bool MIRROR>
__global__ void __launch_bounds__(gs_network_tile<typename V::num>::THREADS,
                                  gs_network<typename V::num>::BLOCKS)
    k_network_pass(V view, size_t count, int high, uint32_t one)
{
    using N = typename V::num;
    using Tile = gs_network_tile<N>;
    using Map = gs_network_map<N, STEPS, MIRROR>;
    constexpr int FIRST = Tile::FIRST, SECOND = Map::RUN_BITS;
    static_assert(SECOND >= Tile::RUN_MIN && SECOND < FIRST, "two layouts do");
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    const Map map = {count, high};
    /* A lower half without an upper one is sorted already. */
    if (map.begin() + (MIRROR ? (size_t)1 << (high - 1) : 0) >= count)
        return;
    map.template load<FIRST>(tile, view);
    if (MIRROR)
        tile.mirror_steps(SECOND);
    else
        tile.template steps<FIRST>(Tile::BITS, SECOND);
    tile.template to_shared<FIRST>();
    __syncthreads();
    tile.template from_shared<SECOND>();
    tile.template steps<SECOND>(FIRST, SECOND);
    map.template store<SECOND>(tile, view);
}

/* From one stage to the next in one pass: the steps of the LOW lowest bits in both halves
 * of a block of 2^high, then its mirror step and the steps below it, as many as a tile
 * has bits left. */
template <typename V, int LOW>
__global__ void __launch_bounds__(gs_network_tile<typename V::num>::THREADS,
                                  gs_network<typename V::num>::BLOCKS)
    k_network_cross(V view, size_t count, int high, uint32_t one)
{
    using N = typename V::num;
    using Tile = gs_network_tile<N>;
    using Map = gs_network_map<N, Tile::BITS - LOW, true>;
    constexpr int FIRST = Tile::FIRST, ITEM_BITS = gs_network<N>::ITEM_BITS;
    constexpr int SECOND = LOW < ITEM_BITS ? LOW : ITEM_BITS;
    constexpr int IN = LOW > FIRST ? FIRST : SECOND, OUT = LOW < FIRST ? SECOND : FIRST;
    static_assert(LOW >= Tile::RUN_MIN && LOW < Tile::BITS, "two layouts a stage do");
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    const Map map = {count, high};
    if (map.begin() >= count)
        return;
    map.template load<IN>(tile, view);
    tile.template steps<IN>(LOW, SECOND);
    tile.template to_shared<IN>();
    if (IN == FIRST)
        tile.template round<SECOND, FIRST>(FIRST, SECOND);
    tile.template round<0, SECOND>(SECOND, 0);
    __syncthreads();
    tile.template from_shared<FIRST>();
    tile.mirror_steps(LOW);
    if (OUT != FIRST) {
        tile.template to_shared<FIRST>();
        __syncthreads();
        tile.template from_shared<SECOND>();
        tile.template steps<SECOND>(FIRST, LOW);
    }
    map.template store<OUT>(tile, view);
}

#endif
