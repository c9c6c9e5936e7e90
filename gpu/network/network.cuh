/* SPDX-License-Identifier: MIT */
/*
 * network: the bitonic sorting network within a block, many steps a kernel.
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
 * A tile is the 2^BITS numbers that a block holds. A thread keeps 2^ITEM_BITS of them in
 * registers and does the steps of that many bits of their indices; shared memory deals
 * them out anew for the next bits. A layout is named by the lowest of these bits:
 *
 *     index     [ thread ][ item ][ thread ]
 *                                 ^ layout P
 *
 * Here are tiles of consecutive numbers; network_pass.cuh has those of the steps above.
 */
#ifndef GS_GPU_NETWORK_CUH
#define GS_GPU_NETWORK_CUH

#include "gpu/device/key.cuh"

template <typename N> struct gs_network;

/* Measured on an H200; see NOTES.md. */
template <> struct gs_network<uint64_t> {
    enum : int { ITEM_BITS = 5, THREAD_BITS = 8, BLOCKS = 2 };
};
template <> struct gs_network<gs_num128> {
    enum : int { ITEM_BITS = 4, THREAD_BITS = 8, BLOCKS = 2 };
};

/* a and b change places if `swap`. The integer pipe is what bounds the network, so only
 * what becomes a is selected there; b is moved by the multipliers' pipe, as a * one + 0:
 * `one` is 1, which the compiler must not know or it would select b as well. */
__device__ __forceinline__ void gs_network_swap(uint64_t &a, uint64_t &b, bool swap,
                                                uint32_t one)
{
    const uint32_t al = (uint32_t)a, ah = (uint32_t)(a >> 32);
    uint32_t bl = (uint32_t)b, bh = (uint32_t)(b >> 32), low, high;
    asm("{\n\t.reg .pred p;\n\t"
        "setp.ne.u32 p, %6, 0;\n\t"
        "selp.b32 %0, %2, %4, p;\n\t"
        "selp.b32 %1, %3, %5, p;\n\t"
        "@p mad.lo.u32 %2, %4, %7, 0;\n\t"
        "@p mad.lo.u32 %3, %5, %7, 0;\n\t}"
        : "=&r"(low), "=&r"(high), "+&r"(bl), "+&r"(bh)
        : "r"(al), "r"(ah), "r"((uint32_t)swap), "r"(one));
    a = (uint64_t)high << 32 | low;
    b = (uint64_t)bh << 32 | bl;
}
/* The lesser to a, the greater to b. */
__device__ __forceinline__ void gs_network_compare(uint64_t &a, uint64_t &b, uint32_t one)
{
    gs_network_swap(a, b, b < a, one);
}
__device__ __forceinline__ void gs_network_compare(gs_num128 &a, gs_num128 &b,
                                                   uint32_t one)
{
    const bool swap = b < a;
    gs_network_swap(a.hi, b.hi, swap, one);
    gs_network_swap(a.lo, b.lo, swap, one);
}

template <typename N> struct gs_network_tile {
    using T = gs_network<N>;
    static constexpr int ITEMS = 1 << T::ITEM_BITS, THREADS = 1 << T::THREAD_BITS;
    static constexpr int BITS = T::ITEM_BITS + T::THREAD_BITS;
    static constexpr size_t SHARED_BYTES =
        sizeof(N) * ((1 << BITS) + (1 << T::THREAD_BITS));

    /* Layouts: memory is read in the first one, which has the highest bits as items; a
     * run must be long enough for the second one to have the other bits above it. */
    static constexpr int FIRST = T::THREAD_BITS, RUN_MIN = FIRST - T::ITEM_BITS;
    static_assert(RUN_MIN <= T::ITEM_BITS, "three layouts cover a tile");

    N item[ITEMS];
    N *shared;
    uint32_t one; /* 1, see gs_network_compare */

    /* threadIdx.x, read again: what the compiler derives from it is then not kept in
     * registers, which the items fill, from one layout to the next. */
    static __device__ __forceinline__ uint32_t thread()
    {
        uint32_t t;
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
        return t;
    }
    /* The number in the tile of a thread's item r when items are bits P and up of it. */
    template <int P>
    static __device__ __forceinline__ uint32_t index(uint32_t r, uint32_t t = thread())
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
    /* The numbers of a warp's items are its own in every layout but the first: then it
     * need not wait for the others. */
    template <int P> static __device__ __forceinline__ void barrier()
    {
        if (P == FIRST)
            __syncthreads();
        else
            __syncwarp();
    }

    template <int P> __device__ __forceinline__ void to_shared()
    {
        N *const to = shared + place(index<P>(0));
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            to[place((uint32_t)r << P)] = item[r];
    }
    template <int P> __device__ __forceinline__ void from_shared()
    {
        const N *const from = shared + place(index<P>(0));
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            item[r] = from[place((uint32_t)r << P)];
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
    /* The mirror step of a tile's highest bit, then the steps below it. The upper half
     * comes complemented and leaves so. */
    __device__ __forceinline__ void mirror_steps(int to)
    {
        constexpr int HALF = ITEMS / 2;
#pragma unroll
        for (int r = 0; r < HALF; r++) {
            N upper = complement(item[r + HALF], true);
            compare(item[r], upper);
            item[r + HALF] = complement(upper, true);
        }
        steps<FIRST>(BITS - 1, to);
    }

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
        const uint32_t t = thread(), first = t / 32 * (32 * ITEMS) + t % 32;
        const size_t origin = ((size_t)blockIdx.x << BITS) + first;
#pragma unroll
        for (int r = 0; r < ITEMS; r++)
            if (origin + (size_t)r * 32 < count)
                view.store(origin + (size_t)r * 32,
                           shared[place(first) + place((uint32_t)r * 32)]);
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
    constexpr int FIRST = Tile::FIRST, MIDDLE = gs_network<N>::ITEM_BITS;
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    /* What comes in any order need not change places first: a thread that reads a
     * number may take it as its item of the last layout. */
    tile.load(view, count);
    /* Bit s of a number's index, for s >= MIDDLE, is a bit of the thread. */
    const auto down = [&](int s) {
        return s < Tile::BITS && (threadIdx.x >> (s - MIDDLE)) & 1;
    };
    const auto turn = [&](bool yes) {
#pragma unroll
        for (int r = 0; r < Tile::ITEMS; r++)
            tile.item[r] = Tile::complement(tile.item[r], yes);
    };
    turn(down(MIDDLE));
    tile.sort_items();
#pragma unroll 1
    for (int s = MIDDLE + 1; s <= Tile::BITS; s++) {
        turn(down(s - 1) != down(s));
        tile.template to_shared<0>();
        if (s > 2 * MIDDLE) {
            tile.template round<FIRST, FIRST>(s, 0);
            tile.template round<MIDDLE, FIRST>(FIRST, 0);
        } else {
            tile.template round<MIDDLE, 0>(s, 0);
        }
        __syncwarp();
        tile.template from_shared<0>();
        tile.template steps<0>(MIDDLE, 0);
    }
    tile.template to_shared<0>();
    __syncwarp();
    tile.store_warp(view, count);
}

/* The last pass of a stage: all steps within tiles of consecutive numbers. */
template <typename V>
__global__ void __launch_bounds__(gs_network_tile<typename V::num>::THREADS,
                                  gs_network<typename V::num>::BLOCKS)
    k_network_last(V view, size_t count, uint32_t one)
{
    using N = typename V::num;
    using Tile = gs_network_tile<N>;
    constexpr int FIRST = Tile::FIRST, MIDDLE = gs_network<N>::ITEM_BITS;
    extern __shared__ uint4 shared_words[];
    Tile tile;
    tile.shared = reinterpret_cast<N *>(shared_words);
    tile.one = one;
    tile.load(view, count);
    tile.template steps<FIRST>(Tile::BITS, FIRST);
    tile.template to_shared<FIRST>();
    tile.template round<MIDDLE, FIRST>(FIRST, MIDDLE);
    tile.template round<0, MIDDLE>(MIDDLE, 0);
    __syncwarp();
    tile.store_warp(view, count);
}

#endif
