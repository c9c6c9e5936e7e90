/* SPDX-License-Identifier: MIT */
/*
 * network: the kernels of the bitonic sorting network, many steps a kernel.
 *
 * Stage s merges sorted halves of blocks of 2^s numbers. Its first step compares every
 * number of the lower half with the mirrored one of the upper half (the reversal that
 * makes all comparators point upward, so that any count works: what is past the end acts
 * as the greatest number and stays there); its other steps compare at distances 2^(s-2),
 * 2^(s-3), ... 1:
 *
 *     index     0 1 2 3 | 4 5 6 7
 *     mirror    0-7 1-6 2-5 3-4        then distance 2, then distance 1
 *
 * A pass does as many steps as a block can hold numbers for. A tile is 2^TILE_BITS
 * numbers: the numbers whose indices differ only in the STEP bits below `high` and in the
 * lowest bits, so that memory is read in whole lines:
 *
 *     index     [ block, upper ][ steps ][ block, lower ][ lowest ]
 *                               ^ high                    ^ RUN_BITS
 *
 * A thread keeps 2^ITEM_BITS of them in registers and does ITEM_BITS steps; shared memory
 * deals them out anew for the next steps. After the mirror step the upper half is held
 * complemented and in mirrored order, in which its further steps look like the lower
 * half's.
 */
#ifndef GS_GPU_NETWORK_CUH
#define GS_GPU_NETWORK_CUH

#include "gpu/key.cuh"

template <typename N> struct gs_network;

/* Measured on an H200; see NOTES.md. */
template <> struct gs_network<uint64_t> {
    enum : int { ITEM_BITS = 5, THREAD_BITS = 8, BLOCKS = 2 };
};
template <> struct gs_network<gs_num128> {
    enum : int { ITEM_BITS = 4, THREAD_BITS = 8, BLOCKS = 2 };
};

/* The lesser to a, the greater to b. The integer pipe is what bounds the network, so the
 * greater is made by the multipliers' pipe, as a + b - lesser: `one` is 1, which the
 * compiler must not know or it would use the integer pipe again. */
__device__ __forceinline__ void gs_network_compare(uint64_t &a, uint64_t &b, uint32_t one)
{
    const uint32_t al = (uint32_t)a, ah = (uint32_t)(a >> 32);
    const uint32_t bl = (uint32_t)b, bh = (uint32_t)(b >> 32);
    uint32_t low, high;
    asm("{\n\t.reg .pred p;\n\t"
        "setp.lt.u64 p, %3, %2;\n\t"
        "selp.b32 %0, %5, %4, p;\n\t"
        "selp.b32 %1, %7, %6, p;\n\t}"
        : "=r"(low), "=r"(high)
        : "l"(a), "l"(b), "r"(al), "r"(bl), "r"(ah), "r"(bh));
    const uint32_t minus = 0 - one;
    a = (uint64_t)high << 32 | low;
    b = (uint64_t)(high * minus + (ah * one + bh)) << 32 |
        (low * minus + (al * one + bl));
}
__device__ __forceinline__ void gs_network_compare(gs_num128 &a, gs_num128 &b,
                                                   uint32_t one)
{
    const bool swap = b < a;
    const gs_num128 low = {swap ? b.hi : a.hi, swap ? b.lo : a.lo};
    const uint32_t minus = 0 - one;
    const auto other = [&](uint64_t x, uint64_t y, uint64_t z) {
        const uint32_t l = (uint32_t)z * minus + ((uint32_t)x * one + (uint32_t)y);
        const uint32_t h = (uint32_t)(z >> 32) * minus +
                           ((uint32_t)(x >> 32) * one + (uint32_t)(y >> 32));
        return (uint64_t)h << 32 | l;
    };
    b = {other(a.hi, b.hi, low.hi), other(a.lo, b.lo, low.lo)};
    a = low;
}

template <typename N> struct gs_network_tile {
    using T = gs_network<N>;
    static constexpr int ITEMS = 1 << T::ITEM_BITS, THREADS = 1 << T::THREAD_BITS;
    static constexpr int BITS = T::ITEM_BITS + T::THREAD_BITS;
    static constexpr size_t SHARED_BYTES =
        sizeof(N) * ((1 << BITS) + (1 << T::THREAD_BITS));

    N item[ITEMS];
    N *shared;
    uint32_t one; /* 1, see gs_network_compare */

    /* The number in the tile of a thread's item r when items are bits P and up of it. */
    template <int P>
    static __device__ __forceinline__ uint32_t index(uint32_t r, uint32_t t = threadIdx.x)
    {
        return (t & ((1u << P) - 1)) | r << P | t >> P << (P + T::ITEM_BITS);
    }
    static __device__ __forceinline__ uint32_t place(uint32_t i)
    {
        return i + (i >> T::ITEM_BITS); /* so that strides do not share a bank */
    }
    static __device__ __forceinline__ N complement(N a, bool yes)
    {
        return yes ? a ^ gs_num<N>::max() : a;
    }
    __device__ __forceinline__ void compare(N &a, N &b) const
    {
        gs_network_compare(a, b, one);
    }
    /* The numbers of a warp's items are its own when they are bits SECOND and below: then
     * it need not wait for the others. */
    template <int P> static __device__ __forceinline__ void barrier()
    {
        if (P == FIRST)
            __syncthreads();
        else
            __syncwarp();
    }

    template <int P> __device__ __forceinline__ void to_shared()
    {
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            shared[place(index<P>((uint32_t)r))] = item[r];
    }
    template <int P> __device__ __forceinline__ void from_shared()
    {
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            item[r] = shared[place(index<P>((uint32_t)r))];
    }
    /* Steps at the distances 2^(from - 1) to 2^to, as far as they are bits of items. */
    template <int P> __device__ __forceinline__ void steps(int from, int to)
    {
#pragma unroll
        for (int b = T::ITEM_BITS - 1; b >= 0; b--) {
            if (P + b >= from || P + b < to)
                continue;
#pragma unroll
            for (int r = 0; r < ITEMS; r++)
                if (((r >> b) & 1) == 0)
                    compare(item[r], item[r | 1 << b]);
        }
    }
    /* The mirror step of bit P + B, then the steps below it; items are mirrored. */
    template <int P, int B> __device__ __forceinline__ void mirror_steps(int to)
    {
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            if (((r >> B) & 1) == 0)
                compare(item[r], item[r | 1 << B]);
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            item[r] = complement(item[r], (r >> B) & 1);
        steps<P>(P + B, to);
    }

    static constexpr int next(int p)
    {
        return p > T::ITEM_BITS ? p - T::ITEM_BITS : 0;
    }
    static constexpr int FIRST = T::THREAD_BITS;
    static constexpr int SECOND = next(FIRST), THIRD = next(SECOND);

    /* Starts with a barrier for what was put into shared memory in layout BEFORE. */
    template <int P, int BEFORE> __device__ __forceinline__ void round(int from, int to)
    {
        barrier<BEFORE>();
        from_shared<P>();
        steps<P>(from, to);
        to_shared<P>();
    }
    /* The tile of consecutive numbers that is the block's, in the first layout. */
    template <typename V>
    __device__ __forceinline__ void load(const V &view, size_t count)
    {
        const size_t origin = ((size_t)blockIdx.x << BITS) + threadIdx.x;
#pragma unroll
        for (int r = 0; r < ITEMS; r++) {
            const size_t i = origin + ((size_t)r << FIRST);
            item[r] = i < count ? view.load(i) : gs_num<N>::max();
        }
    }
    /* The warp's consecutive numbers, from shared memory. */
    template <typename V>
    __device__ __forceinline__ void store_warp(const V &view, size_t count)
    {
        const uint32_t first = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32;
        const size_t origin = ((size_t)blockIdx.x << BITS) + first;
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            if (origin + (size_t)r * 32 < count)
                view.store(origin + (size_t)r * 32,
                           shared[place(first + (uint32_t)r * 32)]);
    }
    /* Sorts a thread's own items: P is 0. */
    __device__ __forceinline__ void sort_items()
    {
#pragma unroll
        for (int b = 0; b < T::ITEM_BITS; b++) {
#pragma unroll
            for (int r = 0; r < ITEMS; r++)
                if (((r >> b) & 1) == 0)
                    compare(item[r], item[r ^ ((2 << b) - 1)]);
            steps<0>(b, 0);
        }
    }
};

/* Tiles sorted on their own. 2^ITEM_BITS numbers a thread; each read and written once.
 * Within a tile the stages are those without a mirror step: every second block of 2^s is
 * sorted downward, for which its numbers are held complemented. The loop keeps the code
 * small enough for the instruction cache. */
template <typename V>
__global__ void __launch_bounds__(gs_network_tile<typename V::num>::THREADS,
                                  gs_network<typename V::num>::BLOCKS)
    k_network_tiles(V view, size_t count, uint32_t one)
{
    using N = typename V::num;
    using Tile = gs_network_tile<N>;
    constexpr int ITEM_BITS = gs_network<N>::ITEM_BITS;
    static_assert(Tile::THIRD == 0, "three rounds cover a tile");
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    tile.load(view, count);
    tile.template to_shared<Tile::FIRST>();
    __syncthreads();
    tile.template from_shared<0>();
    /* Bit s of a number's index, for s >= ITEM_BITS, is a bit of the thread. */
    const auto down = [&](int s) {
        return s < Tile::BITS && (threadIdx.x >> (s - ITEM_BITS)) & 1;
    };
    const auto turn = [&](bool yes) {
#pragma unroll
        for (int r = 0; r < Tile::ITEMS; r++)
            tile.item[r] = Tile::complement(tile.item[r], yes);
    };
    turn(down(ITEM_BITS));
    tile.sort_items();
#pragma unroll 1
    for (int s = ITEM_BITS + 1; s <= Tile::BITS; s++) {
        turn(down(s - 1) != down(s));
        __syncwarp();
        tile.template to_shared<0>();
        if (s > Tile::FIRST) {
            tile.template round<Tile::FIRST, Tile::FIRST>(s, 0);
            tile.template round<Tile::SECOND, Tile::FIRST>(s, 0);
        } else {
            tile.template round<Tile::SECOND, Tile::SECOND>(s, 0);
        }
        __syncwarp();
        tile.template from_shared<0>();
        tile.template steps<0>(min(s, (int)Tile::SECOND), 0);
    }
    __syncwarp();
    tile.template to_shared<0>();
    __syncwarp();
    tile.store_warp(view, count);
}

/* Where the numbers of a pass' tile are in the array. A tile's index maps to a place bit
 * by bit, so that the place of a thread's item is the thread's place plus the item's. */
template <typename N, int STEPS, bool MIRROR> struct gs_network_map {
    using Tile = gs_network_tile<N>;
    static constexpr int RUN_BITS = Tile::BITS - STEPS;
    size_t origin, mirror_mask;
    int shift; /* from a bit of the tile's index above the run to its bit of the place */

    __device__ __forceinline__ size_t spread(uint32_t i) const
    {
        return (i & ((1u << RUN_BITS) - 1)) + ((size_t)(i >> RUN_BITS) << shift);
    }
    template <int P> __device__ __forceinline__ size_t place(uint32_t r) const
    {
        const size_t thread = origin + spread(Tile::template index<P>(0));
        const size_t item = spread(r << P);
        const uint32_t top = 1u << (Tile::BITS - 1);
        if (!MIRROR || !(Tile::template index<P>(r) & top))
            return thread + item;
        return (thread + item) ^ mirror_mask;
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
    constexpr int ITEM_BITS = gs_network<N>::ITEM_BITS, RUN_BITS = Map::RUN_BITS;
    static_assert(RUN_BITS <= Tile::FIRST, "items of the first layout are all steps");
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    const int low_bits = high - Tile::BITS; /* block, lower */
    const size_t block = blockIdx.x, upper = block >> low_bits << high;
    /* A lower half without an upper one is sorted already. */
    if (upper + (MIRROR ? (size_t)1 << (high - 1) : 0) >= count)
        return;
    const Map map = {upper + ((block & (((size_t)1 << low_bits) - 1)) << RUN_BITS),
                     ((size_t)1 << (high - 1)) - 1, high - STEPS};
    const bool all = upper + ((size_t)1 << high) <= count;
#pragma unroll
    for (int r = 0; r < Tile::ITEMS; r++) {
        const size_t at = map.template place<Tile::FIRST>((uint32_t)r);
        tile.item[r] = all || at < count ? view.load(at) : gs_num<N>::max();
    }
    if (MIRROR)
        tile.template mirror_steps<Tile::FIRST, ITEM_BITS - 1>(RUN_BITS);
    else
        tile.template steps<Tile::FIRST>(Tile::BITS, RUN_BITS);
    constexpr int OUT = RUN_BITS == Tile::FIRST ? Tile::FIRST : Tile::SECOND;
    if (OUT != Tile::FIRST) {
        tile.template to_shared<Tile::FIRST>();
        __syncthreads();
        tile.template from_shared<Tile::SECOND>();
        tile.template steps<Tile::SECOND>(Tile::FIRST, RUN_BITS);
    }
    if (RUN_BITS < Tile::SECOND) {
        __syncwarp();
        tile.template to_shared<Tile::SECOND>();
        tile.template round<0, Tile::SECOND>(Tile::SECOND, RUN_BITS);
        __syncwarp();
        tile.template from_shared<Tile::SECOND>();
    }
#pragma unroll
    for (int r = 0; r < Tile::ITEMS; r++) {
        const bool mirrored =
            MIRROR && Tile::template index<OUT>((uint32_t)r) >> (Tile::BITS - 1);
        const size_t at = map.template place<OUT>((uint32_t)r);
        if (all || at < count)
            view.store(at, Tile::complement(tile.item[r], mirrored));
    }
}

/* The last pass of a stage: all steps within tiles of consecutive numbers. */
template <typename V>
__global__ void __launch_bounds__(gs_network_tile<typename V::num>::THREADS,
                                  gs_network<typename V::num>::BLOCKS)
    k_network_last(V view, size_t count, uint32_t one)
{
    using N = typename V::num;
    using Tile = gs_network_tile<N>;
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    tile.load(view, count);
    tile.template steps<Tile::FIRST>(Tile::BITS, 0);
    tile.template to_shared<Tile::FIRST>();
    tile.template round<Tile::SECOND, Tile::FIRST>(Tile::FIRST, 0);
    tile.template round<0, Tile::SECOND>(Tile::SECOND, 0);
    __syncwarp();
    tile.store_warp(view, count);
}

#endif
